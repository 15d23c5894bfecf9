"""Checking problems, and the other commands."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _elinvar
from ._files import PathLike, parse, write
from ._tools import find_yosys, find_z3
from .errors import InternalError, UsageError
from .events import EventFunction, ProgressFunction, listener
from .lemmas import Lemmas
from .location import Location
from .program import Program
from .report import Judgement, Optimum, Report
from .system import System
from .trace import MemoryValue, Trace

__all__ = ["check", "convert", "load", "optimum", "simulate", "stats", "verify"]

Problem = Union[PathLike, bytes, System, Program]
"""What can be checked: a file, the contents of a file, a system or a program."""

Properties = Union[str, int, Sequence[Union[str, int]], None]
Options = Mapping[str, Union[bool, int, float, str]]

_DESIGN = (".v", ".sv", ".vh", ".svh", ".il")
_RARELY = 3600.0


def load(
    source: Union[PathLike, bytes, Sequence[PathLike]],
    *,
    name: Optional[str] = None,
    top: Optional[str] = None,
    defines: Optional[Mapping[str, Union[str, int, None]]] = None,
    parameters: Optional[Mapping[str, Union[str, int]]] = None,
    include: Sequence[PathLike] = (),
    timeout: Optional[float] = None,
) -> Union[System, Program]:
    """Reads a model, a program or a design.

    Args:
        source: The path of a file, the contents of a file as bytes, or the paths of the source files
            of a design in Verilog, which Yosys reads.
        name: The name of contents, for messages; its ending helps to tell the format.
        top: The top module of a design.
        defines: Macros of a design.
        parameters: Parameters of the top module of a design.
        include: Folders of included files of a design.
        timeout: Stop after this many seconds.

    Raises:
        InputError: The input is wrong; the error has the place.
        OSError: A file cannot be read.
        MissingToolError: Yosys is needed and not installed.
        StoppedError: The limit of time was reached.
    """
    if isinstance(source, bytes):
        return _wrap(_elinvar.load(name or "<bytes>", source, timeout=timeout))
    if isinstance(source, (str, os.PathLike)):
        source = [source]
    paths = [_path(path) for path in source]
    if all(path.lower().endswith(_DESIGN) for path in paths):
        problem = _elinvar.load_design(
            paths,
            top=top,
            defines=_assignments(defines or {}),
            include=[_path(path) for path in include],
            parameters=[(key, str(value)) for key, value in (parameters or {}).items()],
            yosys=find_yosys(),
            timeout=timeout,
        )
        return _wrap(problem)
    if len(paths) != 1:
        raise UsageError("several files must be the sources of one design in Verilog")
    if top is not None or defines or parameters or include:
        raise UsageError("top, defines, parameters and include apply only to designs in Verilog")
    return _wrap(_elinvar.load(paths[0], timeout=timeout))


def check(
    problem: Problem,
    *,
    property: Properties = None,
    engine: str = "auto",
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    threads: int = 1,
    seed: int = 0,
    bound: Optional[int] = None,
    goal: Optional[str] = None,
    ltl: Union[str, Sequence[str], None] = None,
    minimize: bool = False,
    shortest: bool = False,
    explain: bool = False,
    reuse: Union[Lemmas, Report, PathLike, None] = None,
    keep_lemmas: bool = False,
    store: Optional[PathLike] = None,
    options: Optional[Options] = None,
    on_progress: Optional[ProgressFunction] = None,
    on_event: Optional[EventFunction] = None,
    frames_every: Optional[float] = None,
) -> Report:
    """Decides the properties of a problem. All evidence in the report was checked.

    Other threads go on while it works, and an interrupt ends it with ``KeyboardInterrupt``.
    Functions for progress and events are called in the calling thread; if one raises an exception,
    the run ends and the exception goes on to the caller.

    >>> import elinvar
    >>> toggle = b"aag 1 0 1 0 0 1\\n2 3\\n2\\n"
    >>> elinvar.check(toggle).verdict
    'unsafe'

    Args:
        problem: The path of a file, the contents of a file as bytes, a :class:`System` or a
            :class:`Program`.
        property: Check only these properties, by their names, numbers, or patterns such as
            ``"u0.*"``.
        engine: ``auto``, ``bmc``, ``kind``, ``pdr``, ``words``, ``avy``, ``itp``, ``imc``, for
            liveness ``l2s``, ``klive`` and ``rlive``, for programs ``cfg``.
        timeout: Stop after this many seconds. Checking the evidence may take a tenth of that longer,
            and at least one second.
        memory: Stop when the process uses more than this many MiB.
        threads: Run so many engines at the same time; 0 means one for each core.
        seed: The seed of random choices.
        bound: Stop after so many steps from the initial states.
        goal: ``assert`` or ``cover``: check only assertions, or only cover statements.
        ltl: Formulas of linear temporal logic that are further properties.
        minimize: Remove clauses from invariants that the proof does not need.
        shortest: Find the shortest counterexamples.
        explain: Explain the verdicts.
        reuse: Start from the lemmas of an earlier run, on this or on another version of the system:
            lemmas, a report with lemmas, or a file. The lemmas of this run are kept as well.
        keep_lemmas: Keep what the run learns in :attr:`Report.lemmas`.
        store: The folder of a store of proofs, which is made if it does not exist. Properties are
            looked up there by the logic that they depend on, whatever names it has; what the store
            has is checked, and what the run finds out is added.
        options: Other options of ``elinvar check`` about engines, by their names without dashes,
            such as ``{"ctg": 5, "no_push": True}``.
        on_progress: Is called with what the engines do.
        on_event: Is called with all events, queries to solvers included.
        frames_every: Call ``on_event`` with the frames and lemmas of property directed reachability
            at intervals of so many seconds, 0 for each frame.

    Raises:
        InputError: The input is wrong; the error has the place.
        UsageError: The options do not fit the problem or each other.
        MissingToolError: A solver that is needed is not installed.
        StoppedError: The limit of time was reached before the problem was read.
        InternalError: Elinvar met a bug, and a property is undecided because of it.
    """
    begin = time.monotonic()
    native, locations = _native(problem, timeout)
    if ltl is not None:
        native = native.with_formulas(ltl if isinstance(ltl, str) else "\n".join(ltl))
    lemmas = _lemmas(reuse)
    keeping = keep_lemmas or lemmas is not None or frames_every is not None
    names = [name for name, _, _ in native.properties()]
    report = _elinvar.check(
        native,
        _words(engine, threads, bound, options),
        properties=_chosen(property),
        goal=goal,
        timeout=None if timeout is None else max(timeout - (time.monotonic() - begin), 0.0),
        memory=None if memory is None else memory << 20,
        seed=seed,
        minimize=minimize,
        shortest=shortest,
        explain=explain,
        reuse=lemmas,
        keep_lemmas=(_RARELY if frames_every is None else frames_every) if keeping else None,
        store=None if store is None else os.fspath(store),
        z3=find_z3() if native.is_program else None,
        listener=listener(names, on_progress, on_event),
        all_events=on_event is not None,
    )
    if report.bugs:
        raise InternalError(report.bugs[0])
    return Report(report, locations)


def optimum(
    problem: Problem,
    parameter: str,
    range: range,
    *,
    property: Union[str, int, None] = None,
    strategy: str = "binary",
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    seed: int = 0,
    on_progress: Optional[ProgressFunction] = None,
    on_event: Optional[EventFunction] = None,
) -> Optimum:
    """Finds the bound at which a property begins to fail. The bound is the value of an input, which
    is constant; larger values must only allow more, or only allow less.

    Args:
        problem: As for :func:`check`.
        parameter: The name of the input.
        range: The values to consider.
        property: The property, by its name or its number; not needed if there is only one.
        strategy: ``binary``, ``relax`` (from the tightest bound on), ``constrain`` (from the loosest
            bound on), or ``naive`` (without reuse of lemmas).
        timeout: Stop after this many seconds.
        memory: Stop when the process uses more than this many MiB.
        seed: The seed of random choices.
        on_progress: As for :func:`check`.
        on_event: As for :func:`check`.
    """
    if range.step != 1 or len(range) == 0:
        raise UsageError("the range must have a step of 1, and at least one value")
    native, _ = _native(problem, timeout)
    names = [name for name, _, _ in native.properties()]
    found = _elinvar.optimum(
        native,
        parameter,
        range.start,
        range.stop - 1,
        property=None if property is None else str(property),
        strategy=strategy,
        timeout=timeout,
        memory=None if memory is None else memory << 20,
        seed=seed,
        listener=listener(names, on_progress, on_event),
        all_events=on_event is not None,
    )
    return Optimum(found)


def verify(
    problem: Problem,
    evidence: Union[PathLike, bytes],
    *,
    property: Union[str, int, None] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
) -> Judgement:
    """Checks a witness or a certificate against a model or a program, whoever made it.

    Args:
        problem: As for :func:`check`.
        evidence: The path of the evidence file, or its contents as bytes.
        property: The property that the evidence is about; by default the one that it names, or the
            only one.
        timeout: Stop after this many seconds.
        memory: Stop when the process uses more than this many MiB.
    """
    native, _ = _native(problem, timeout)
    if isinstance(evidence, bytes):
        name, contents = "<bytes>", evidence
    else:
        name = _path(evidence)
        with open(evidence, "rb") as file:
            contents = file.read()
    status, text = _elinvar.verify(
        native,
        name,
        contents,
        property=None if property is None else str(property),
        timeout=timeout,
        memory=None if memory is None else memory << 20,
        z3=find_z3() if native.is_program else None,
    )
    return Judgement(status, text)


def simulate(
    problem: Problem,
    cycles: int = 10,
    *,
    seed: int = 0,
    inputs: Optional[Mapping[str, Sequence[Union[int, MemoryValue]]]] = None,
    initial: Optional[Mapping[str, Union[int, Mapping[int, int]]]] = None,
) -> Trace:
    """Runs a system. Everything that is not given is random, and does not respect constraints:
    :attr:`Trace.violations` tells where they are violated.

    Args:
        problem: As for :func:`check`.
        cycles: The number of cycles.
        seed: The seed of the random values.
        inputs: The values of inputs from the first cycle on, by their names.
        initial: The initial values of registers that the system does not define, by their names. Of
            a memory, the words by their addresses; the others are 0.
    """
    native, locations = _native(problem, None)
    given: Dict[str, List[Any]] = {name: list(values) for name, values in (inputs or {}).items()}
    if cycles < 1:
        raise UsageError("a simulation needs at least one cycle")
    found = _elinvar.simulate(native, cycles, seed, given, dict(initial or {}))
    return Trace(found, locations)


def stats(problem: Problem) -> Dict[str, Any]:
    """The sizes of a model and how often each operator occurs, as ``elinvar stats --json`` prints
    them."""
    data: Dict[str, Any] = parse(_elinvar.stats(_native(problem, None)[0]))
    return data


def convert(
    problem: Problem,
    output: Optional[PathLike] = None,
    *,
    format: Optional[str] = None,
    property: Union[str, int, None] = None,
    values: Optional[Mapping[str, int]] = None,
    memory_limit: int = 1 << 16,
    bound: int = 10,
) -> bytes:
    """Translates a problem into another format, and returns the text.

    Args:
        problem: As for :func:`check`.
        output: The file to write, if any; its ending tells the format.
        format: The format, named by the ending of its files: ``aag``, ``aig``, ``btor``, ``btor2``,
            ``smt2``, ``dot`` or another one.
        property: Keep only this property.
        values: Numbers in place of inputs.
        memory_limit: Expand memories of at most this many bits where a format has only bits.
        bound: Unroll so many steps in SMT-LIB.
    """
    if format is None:
        if output is None:
            raise UsageError("either output or format is needed")
        format = os.path.splitext(_path(output))[1].lstrip(".")
    native, _ = _native(problem, None)
    contents = _elinvar.convert(
        native,
        format,
        property=None if property is None else str(property),
        values=list((values or {}).items()),
        memory_limit=memory_limit,
        bound=bound,
    )
    return write(output, contents)


# ---- helpers ----------------------------------------------------------------------------------


def _native(
    problem: Problem, timeout: Optional[float]
) -> Tuple[_elinvar.Problem, Mapping[str, Location]]:
    """The problem for the extension module, and where its signals were declared."""
    if not isinstance(problem, (System, Program)):
        problem = load(problem, timeout=timeout)
    locations = dict(problem.locations) if isinstance(problem, System) else {}
    return problem._problem(), locations


def _wrap(problem: _elinvar.Problem) -> Union[System, Program]:
    kind = Program if problem.is_program else System
    return kind._of(problem)


def _path(path: PathLike) -> str:
    return os.fspath(path)


def _lemmas(reuse: Union[Lemmas, Report, PathLike, None]) -> Optional[_elinvar.Lemmas]:
    if reuse is None:
        return None
    if isinstance(reuse, Report):
        if reuse.lemmas is None:
            raise UsageError("the report has no lemmas: they are kept by check(…, keep_lemmas=True)")
        reuse = reuse.lemmas
    if not isinstance(reuse, Lemmas):
        reuse = Lemmas.load(reuse)
    return reuse._native


def _chosen(property: Properties) -> List[str]:
    if property is None:
        return []
    if isinstance(property, (str, int)):
        return [str(property)]
    return [str(one) for one in property]


def _words(
    engine: str, threads: int, bound: Optional[int], options: Optional[Options]
) -> List[str]:
    """The options of the command line about engines."""
    words = [f"--engine={engine}", f"--threads={threads}"]
    if bound is not None:
        words.append(f"--bound={bound}")
    for name, value in (options or {}).items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False:
            words.append(f"{flag}={value}")
    return words


def _assignments(values: Mapping[str, Union[str, int, None]]) -> List[str]:
    return [name if value is None else f"{name}={value}" for name, value in values.items()]
