"""Symbolic model checking with evidence.

Elinvar decides whether a bad state of a transition system is reachable, or whether an assertion of a
program can fail. Every verdict comes with evidence, a proof or a trace, which was checked
independently before it is reported.

>>> import elinvar
>>> s = elinvar.System()
>>> count = s.register("count", 8, init=0)
>>> count.next = elinvar.ite(count == 9, 0, count + 1)
>>> s.always(count < 10, "below_10")
>>> report = elinvar.check(s)
>>> report.verdict
'safe'
>>> bool(report["below_10"].certificate.verify())
True

The functions are those of the command line: :func:`check`, :func:`verify`, :func:`simulate`,
:func:`convert`, :func:`stats`, and :func:`load` and :func:`optimum`. Reports have the same schema as
``elinvar check --json``.
"""

from __future__ import annotations

from . import _elinvar
from .checking import check, convert, load, optimum, simulate, stats, verify
from .errors import (
    Error,
    InputError,
    InternalError,
    MissingToolError,
    SortError,
    StoppedError,
    UsageError,
)
from .events import Decided, Event, Frames, Instance, Progress, Query
from .lemmas import Lemma, Lemmas, Literal
from .location import Location
from .program import Program
from .report import Certificate, Judgement, Optimum, Property, Report
from .system import System
from .trace import MemoryValue, ProgramTrace, Signal, Step, Trace, Waves
from .words import Memory, MemoryRegister, Register, Word, concat, ite

__version__ = _elinvar.VERSION

__all__ = [
    "Certificate",
    "Decided",
    "Error",
    "Event",
    "Frames",
    "InputError",
    "Instance",
    "InternalError",
    "Judgement",
    "Lemma",
    "Lemmas",
    "Literal",
    "Location",
    "Memory",
    "MemoryRegister",
    "MemoryValue",
    "MissingToolError",
    "Optimum",
    "Program",
    "ProgramTrace",
    "Progress",
    "Property",
    "Query",
    "Register",
    "Report",
    "Signal",
    "SortError",
    "Step",
    "StoppedError",
    "System",
    "Trace",
    "UsageError",
    "Waves",
    "Word",
    "__version__",
    "check",
    "concat",
    "convert",
    "ite",
    "load",
    "optimum",
    "simulate",
    "stats",
    "verify",
]
