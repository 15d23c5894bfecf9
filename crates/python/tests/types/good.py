"""Uses of the package that type checkers must accept."""

from __future__ import annotations

from typing import List, Optional

import elinvar
from elinvar import System, Word, concat, ite

s = System()
x: Word = s.input("x", 8)
r = s.register("r", 8, init=0)
m = s.memory("m", address_width=8, width=8)
r.next = ite(x < 3, r + 1, 1 + r)
r.next = 0
m.next = (x == r).ite(m.write(x, 7), m)
s.always((x != 3).implies(concat(x[0:4], x[4:8]) == r), "p")

report = elinvar.check(s, property=["p"], timeout=1.5, on_progress=lambda p: print(p.bound))
found = report["p"]
depth: Optional[int] = found.depth
if isinstance(found.trace, elinvar.Trace):
    values: List[int] = found.trace["x"]
    row = found.trace[0]
    part: elinvar.Waves = found.trace[1:3]
    found.trace.to_pandas().describe()
if found.certificate is not None:
    accepted: bool = bool(found.certificate.verify())
