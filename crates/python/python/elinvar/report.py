"""Reports: the verdicts on properties with their evidence, all of which was checked."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _elinvar
from ._files import PathLike, escape, parse, write
from ._tools import find_z3
from .lemmas import Lemma, Lemmas, Literal
from .location import Location
from .trace import ProgramTrace, Trace

__all__ = ["Certificate", "Judgement", "Optimum", "Property", "Report"]


class Judgement(NamedTuple):
    """What the checker says about evidence. It is true if the evidence was accepted.

    Attributes:
        status: ``accepted``, ``refused``, or ``stopped`` if a limit was reached first.
        text: What the evidence shows, or what is wrong with it.
    """

    status: str
    text: str

    def __bool__(self) -> bool:
        return self.status == "accepted"


class Certificate:
    """A proof that a property holds. It was checked before it was reported.

    Attributes:
        kind: ``inductive``, ``facts``, ``k-inductive``, ``formula``, ``ranking`` or, for programs,
            ``locations``.
        data: The size of the proof, as in the report.
    """

    def __init__(
        self, report: _elinvar.Report, place: int, index: int, data: Mapping[str, Any]
    ) -> None:
        self._report = report
        self._place = place
        self._index = index
        self.data = data
        self.kind: str = data["kind"]

    @cached_property
    def clauses(self) -> Optional[List[Lemma]]:
        """The clauses of an inductive invariant over bits of registers; none if the proof has
        another shape."""
        clauses = self._report.clauses(self._place)
        if clauses is None:
            return None
        return [Lemma(tuple(Literal(*literal) for literal in clause)) for clause in clauses]

    @property
    def text(self) -> str:
        """The invariant for people, a line for each clause; a sentence if the proof is of another
        kind."""
        lines = self._report.invariant(self._place)
        return "\n".join(lines) if lines else self._report.sentence(self._place)

    def to_bytes(self, path: PathLike = "certificate.aag") -> bytes:
        """The contents of a certificate file: a witness circuit in the format of the model, or text
        where no circuit can express the proof. An AIGER circuit is binary if ``path`` ends in
        ``.aig``."""
        contents = self._report.evidence(self._place, "certificate", os.fspath(path))
        assert contents is not None
        return contents

    def save(self, path: PathLike) -> None:
        """Writes the certificate to a file, for ``elinvar verify`` and other tools."""
        write(path, self.to_bytes(path))

    def verify(self, *, timeout: Optional[float] = None) -> Judgement:
        """Checks the proof once more, from the text of the model and the contents of the
        certificate file, as :func:`elinvar.verify` does."""
        problem = self._report.problem
        z3 = find_z3() if problem.is_program else None
        status, text = _elinvar.verify(
            problem,
            "certificate",
            self.to_bytes(),
            property=str(self._index),
            timeout=timeout,
            z3=z3,
        )
        return Judgement(status, text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Certificate: {self.kind}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


class Property:
    """The verdict on a property, with its evidence.

    Attributes:
        name: The name of the property.
        index: Its number in the problem.
        kind: ``safety``, ``cover``, ``liveness``, or what kind of assertion of a program it is.
        verdict: ``safe``, ``unsafe`` or ``unknown``; of a cover statement ``reached``,
            ``unreachable`` or ``unknown``.
        reason: Why there is no verdict, if there is none.
        depth: The cycle of the failure, the depth of an induction, the level at which a proof
            converged, or the bound that was reached.
        seconds: The time from the start of the run to the verdict.
        engine: The engine that decided it, or ``store``.
        source: Where the evidence comes from, which was checked in any case: ``engine``, ``store``,
            or none if the property is undecided.
        location: Where it is in the source, if that is known.
        vacuous: Whether the property was proved, but about less than it seems to say.
    """

    def __init__(self, report: Report, place: int, data: Dict[str, Any]) -> None:
        self._report = report
        self._place = place
        self._data = data
        self.name: str = data["name"]
        self.index: int = data["index"]
        self.kind: str = data["kind"]
        self.verdict: str = data["verdict"]
        self.reason: Optional[str] = data.get("reason")
        self.depth: Optional[int] = data["depth"]
        self.seconds: float = data["seconds"]
        self.engine: Optional[str] = data["engine"]
        self.source: Optional[str] = data["source"]
        self.location = Location.from_dict(data["location"])
        self.vacuous: bool = data["vacuous"]

    @property
    def ok(self) -> bool:
        """Whether the property holds, or the cover statement is reached."""
        return self.verdict in ("safe", "reached")

    @cached_property
    def trace(self) -> Union[Trace, ProgramTrace, None]:
        """The execution that violates the property or reaches the cover statement, if there is
        one."""
        native = self._report._native.trace(self._place)
        if native is not None:
            return Trace(native, self._report._locations)
        steps = self._data.get("trace")
        return None if steps is None else ProgramTrace(steps)

    @cached_property
    def certificate(self) -> Optional[Certificate]:
        """The proof that the property holds or that the cover statement is unreachable, if there is
        one."""
        data = self._data.get("certificate")
        native = self._report._native
        return None if data is None else Certificate(native, self._place, self.index, data)

    @property
    def explanation(self) -> Optional[List[Dict[str, Any]]]:
        """Why the verdict is what it is, if that was asked for."""
        return self._data.get("explanation")

    @property
    def sentence(self) -> str:
        """What the verdict says."""
        return self._report._native.sentence(self._place)

    def to_dict(self) -> Dict[str, Any]:
        """The part of the report about this property, as ``elinvar check --json`` prints it."""
        return self._data

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Property {self.name}: {self.verdict}>"

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(self.sentence)}</p>"]
        if self.location is not None:
            code = "" if self.location.text is None else f": {self.location.text}"
            parts.append(f"<p><code>{escape(str(self.location) + code)}</code></p>")
        evidence = self.trace or self.certificate
        if evidence is not None:
            parts.append(evidence._repr_html_())
        return "".join(parts)


class Report:
    """The answers about a problem. All evidence in it was checked.

    ``report["name"]`` is the :class:`Property` with this name, ``report[0]`` the first one.

    Attributes:
        verdict: The verdict on all properties: ``safe``, ``unsafe``, ``unknown``, ``reached`` or
            ``unreachable``.
        reason: Why there is no verdict, if there is none.
        properties: One for each property that was asked about, in their order.
        engine: The engine that ran.
        seconds: The time of the run.
        warnings: What went wrong without harm to the verdicts.
    """

    def __init__(self, native: _elinvar.Report, locations: Mapping[str, Location]) -> None:
        self._native = native
        self._locations = locations
        self._data: Dict[str, Any] = parse(native.to_json())
        self.verdict: str = self._data["verdict"]
        self.reason: Optional[str] = self._data["reason"]
        self.engine: str = self._data["engine"]
        self.seconds: float = self._data["seconds"]
        self.warnings: List[str] = native.problem.warnings + self._data["warnings"]
        self.properties: Tuple[Property, ...] = tuple(
            Property(self, place, data) for place, data in enumerate(self._data["properties"])
        )

    @property
    def ok(self) -> bool:
        """Whether all properties hold and all cover statements are reached."""
        return self.verdict in ("safe", "reached")

    @property
    def lemmas(self) -> Optional[Lemmas]:
        """What the run has learned, if it was asked to keep that."""
        native = self._native.lemmas
        return None if native is None else Lemmas(native)

    @property
    def reuse(self) -> Optional[Dict[str, Any]]:
        """What became of the lemmas of an earlier run."""
        reuse: Optional[Dict[str, Any]] = self._data["reuse"]
        return reuse

    @property
    def statistics(self) -> Dict[str, Any]:
        """What the engines did."""
        statistics: Dict[str, Any] = self._data["statistics"]
        return statistics

    def to_dict(self) -> Dict[str, Any]:
        """The report as ``elinvar check --json`` prints it; the schema is in
        ``docs/report.schema.json``."""
        return self._data

    def to_json(self) -> str:
        """The text that ``elinvar check --json`` prints."""
        return self._native.to_json()

    def to_html(self, path: Optional[PathLike] = None) -> str:
        """The report as one HTML page, which is also written to a file if there is a path."""
        name = self._native.problem.name
        page = self._native.to_html([] if name is None else [name])
        write(path, page.encode())
        return page

    def __getitem__(self, key: Union[str, int]) -> Property:
        if isinstance(key, int):
            return self.properties[key]
        for found in self.properties:
            if found.name == key:
                return found
        raise KeyError(f"the report has no property {key}")

    def __len__(self) -> int:
        return len(self.properties)

    def __iter__(self) -> Iterator[Property]:
        return iter(self.properties)

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: use report.ok or report.verdict")

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"<Report: {self.verdict}, {len(self)} properties, {self.seconds:.3f} s>"

    def _repr_html_(self) -> str:
        return _report_html(self)


class Optimum:
    """What the search for a bound found, with its evidence, which was checked.

    Attributes:
        verdict: ``unsafe`` if the property fails from some bound on, ``safe`` if it fails under
            none, ``unknown`` if the search was stopped.
        value: The tightest bound under which the property fails, if it is known to be that.
        fails: The tightest bound under which the property is known to fail.
        holds: The loosest bound under which it is known to hold.
        trend: ``loosens`` or ``tightens``: what larger bounds do.
        stages: How each instance was decided, and which lemmas were reused.
    """

    def __init__(self, native: _elinvar.Optimum) -> None:
        self._native = native
        self._data: Dict[str, Any] = parse(native.to_json())
        self.verdict: str = self._data["verdict"]
        self.value: Optional[int] = self._data["optimum"]
        self.fails: Optional[int] = self._data["fails"]
        self.holds: Optional[int] = self._data["holds"]
        self.trend: Optional[str] = self._data["trend"]
        self.stages: List[Dict[str, Any]] = self._data["stages"]

    @cached_property
    def trace(self) -> Optional[Trace]:
        """The execution that violates the property under the bound ``fails``."""
        native = self._native.trace()
        return None if native is None else Trace(native, {})

    def to_dict(self) -> Dict[str, Any]:
        """The report as ``elinvar check --parameter … --json`` prints it."""
        return self._data

    def __repr__(self) -> str:
        return f"<Optimum: {self.verdict}, fails: {self.fails}, holds: {self.holds}>"


_TRACES = 3
"""So many waveforms are part of a report in a notebook."""


def _report_html(report: Report) -> str:
    rows: List[str] = []
    for found in report.properties:
        place = "" if found.location is None else str(found.location)
        depth = "" if found.depth is None else str(found.depth)
        seconds = f"{found.seconds:.2f} s"
        cells = (found.name, found.verdict, depth, found.engine or "", seconds, place)
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "".join(
        f"<th>{name}</th>" for name in ("property", "verdict", "depth", "engine", "time", "place")
    )
    parts = [
        f"<p><strong>{escape(report.verdict)}</strong>, {report.seconds:.2f} s</p>",
        f"<table><tr>{head}</tr>{''.join(rows)}</table>",
    ]
    failing = [found for found in report.properties if found.trace is not None]
    for found in failing[:_TRACES]:
        shown = found._repr_html_()
        parts.append(f"<details open><summary>{escape(found.name)}</summary>{shown}</details>")
    if len(failing) > _TRACES:
        parts.append(f"<p>… and {len(failing) - _TRACES} more traces</p>")
    return "".join(parts)
