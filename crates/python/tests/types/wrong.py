"""Uses of the package that type checkers must refuse, each in a line of its own."""

from __future__ import annotations

import elinvar
from elinvar import System

s = System()
x = s.input("x", "8")  # wrong
s.register("q", 8, start=0)  # wrong
r = s.register("r", 8)
r.next = "zero"  # wrong
y = s.input("y", 8) + "1"  # wrong
report = elinvar.check(s, timeout="a minute")  # wrong
report.verdict.depth  # wrong
report["p"].trace.to_vcd()  # wrong
elinvar.check(42)  # wrong
elinvar.check(s, on_progress=lambda: None)  # wrong
