"""Executions: the values of signals cycle by cycle, and runs of programs."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    overload,
)

from . import _elinvar
from ._files import PathLike, escape, write
from .errors import MissingToolError
from .location import Location

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

__all__ = ["MemoryValue", "ProgramTrace", "Signal", "Step", "Trace", "Waves"]

_SHOWN = 24
"""So many cycles are printed."""

_MISSING = "{} is not installed; try: pip install 'elinvar[plot]'"


class MemoryValue:
    """The contents of a memory: ``value[address]`` is a word of it.

    Attributes:
        default: The value of the words that are not listed.
        elements: The other words by their addresses.
    """

    __slots__ = ("default", "elements")

    def __init__(self, default: int, elements: Mapping[int, int]) -> None:
        self.default = default
        self.elements = elements

    def __getitem__(self, address: int) -> int:
        return self.elements.get(address, self.default)

    # Python would try addresses from 0 on otherwise, without end.
    __iter__ = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryValue):
            return NotImplemented
        return self.default == other.default and self.elements == other.elements

    def __hash__(self) -> int:
        return hash((self.default, frozenset(self.elements.items())))

    def __repr__(self) -> str:
        return f"MemoryValue({self.default}, {self.elements})"

    def __str__(self) -> str:
        words = [f"{address}: {word}" for address, word in self.elements.items()]
        return "{" + ", ".join(words + [f"others: {self.default}"]) + "}"


Value = Union[int, MemoryValue]
"""A word is an integer."""


class Signal(NamedTuple):
    """What a column of a trace is about.

    Attributes:
        name: The name of the signal.
        kind: ``input``, ``state`` or ``wire``.
        width: The number of bits of the word, or of the words of the memory.
        address_width: The number of bits of addresses, if it is a memory.
        location: Where it was declared, if that was in Python.
    """

    name: str
    kind: str
    width: int
    address_width: Optional[int] = None
    location: Optional[Location] = None


Column = Union["array[int]", List[int], List[MemoryValue]]


class Waves:
    """The values of signals in some cycles.

    ``waves["count"]`` is the list of values of a signal, ``waves[3]`` are the values of all signals
    in one cycle by their names, and ``waves[2:5]`` are the values in some cycles.

    Attributes:
        signals: What the columns are about, by the names of the signals.
        cycles: The numbers of the cycles.
    """

    def __init__(
        self, signals: Mapping[str, Signal], columns: Mapping[str, Column], cycles: range
    ) -> None:
        self.signals = signals
        self.cycles = cycles
        self._columns = columns

    def __len__(self) -> int:
        """The number of cycles."""
        return len(self.cycles)

    @overload
    def __getitem__(self, key: str) -> List[Any]: ...

    @overload
    def __getitem__(self, key: int) -> Dict[str, Value]: ...

    @overload
    def __getitem__(self, key: slice) -> Waves: ...

    def __getitem__(self, key: Union[str, int, slice]) -> Union[List[Any], Dict[str, Value], Waves]:
        if isinstance(key, str):
            try:
                return list(self._columns[key])
            except KeyError:
                raise KeyError(f"the trace has no signal {key}") from None
        if isinstance(key, slice):
            cut = {name: column[key] for name, column in self._columns.items()}
            return Waves(self.signals, cut, self.cycles[key])
        if not -len(self) <= key < len(self):
            raise IndexError(f"the trace has {len(self)} cycles")
        return {name: column[key] for name, column in self._columns.items()}

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        return (self[place] for place in range(len(self)))

    def to_pandas(self) -> pandas.DataFrame:
        """The values as a table: a row for each cycle, a column for each signal. Words of more than
        64 bits and memories are Python objects."""
        try:
            import numpy
            import pandas
        except ImportError as error:
            raise MissingToolError(_MISSING.format("pandas")) from error
        index = pandas.RangeIndex(self.cycles.start, self.cycles.stop, self.cycles.step, name="cycle")
        if all(isinstance(column, array) for column in self._columns.values()):
            # One block of numbers is much faster than a thousand columns.
            block = numpy.empty((len(self._columns), len(self)), dtype=numpy.uint64)
            for row, column in zip(block, self._columns.values()):
                row[:] = numpy.frombuffer(column, dtype=numpy.uint64)  # type: ignore[arg-type]
            return pandas.DataFrame(block.T, index=index, columns=list(self._columns), copy=False)
        columns: Dict[str, Any] = {}
        for name, column in self._columns.items():
            if isinstance(column, array):
                columns[name] = numpy.frombuffer(column, dtype=numpy.uint64)
            else:
                objects = numpy.empty(len(column), dtype=object)
                objects[:] = column
                columns[name] = objects
        return pandas.DataFrame(columns, index=index)

    def plot(self, signals: Optional[Sequence[str]] = None) -> Figure:
        """Draws the values with matplotlib, each signal in a row of its own. By default all words
        are drawn, and no memory."""
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise MissingToolError(_MISSING.format("matplotlib")) from error
        names = list(signals) if signals is not None else list(self._columns)
        if signals is None:
            names = [name for name in names if self.signals[name].address_width is None]
        figure, axes = pyplot.subplots(
            max(len(names), 1), 1, sharex=True, squeeze=False, figsize=(8, 0.5 + 0.5 * len(names))
        )
        edges = [cycle - 0.5 for cycle in self.cycles] + [self.cycles[-1] + 0.5]
        for row, name in zip(axes[:, 0], names):
            row.stairs([float(value) for value in self[name]], edges, baseline=None)
            row.set_ylabel(name, rotation=0, horizontalalignment="right")
            row.set_yticks([])
        axes[-1, 0].set_xlabel("cycle")
        return figure

    def __str__(self) -> str:
        shown = self.cycles[:_SHOWN]
        rows = [["cycle", *(str(cycle) for cycle in shown)]]
        for name, column in self._columns.items():
            rows.append([name, *(str(value) for value in column[: len(shown)])])
        text = _aligned(rows)
        rest = len(self) - len(shown)
        return text if rest == 0 else f"{text}\n… and {rest} more cycles"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} cycles, {len(self._columns)} signals>"

    def _repr_html_(self) -> str:
        cells = ["<tr><th></th>", *(f"<th>{cycle}</th>" for cycle in self.cycles[:_SHOWN]), "</tr>"]
        for name, column in self._columns.items():
            title = self.signals[name].location
            hover = "" if title is None else f' title="{escape(str(title))}"'
            cells.append(f"<tr><th{hover}>{escape(name)}</th>")
            cells += (f"<td>{escape(str(value))}</td>" for value in column[:_SHOWN])
            cells.append("</tr>")
        return f"<table>{''.join(cells)}</table>"


class Trace(Waves):
    """An execution of a transition system: a counterexample, or what :func:`elinvar.simulate`
    returns.

    Attributes:
        loop_start: The cycle to which the execution returns after the last one, if it goes on
            forever.
    """

    def __init__(self, native: _elinvar.Trace, locations: Mapping[str, Location]) -> None:
        signals: Dict[str, Signal] = {}
        columns: Dict[str, Column] = {}
        for name, kind, width, address_width, values in native.columns():
            unique, number = name, 1
            while unique in signals:
                unique, number = f"{name}#{number + 1}", number + 1
            place = locations.get(name)
            signals[unique] = Signal(unique, kind, width, address_width, place)
            columns[unique] = _column(values, address_width)
        super().__init__(signals, columns, range(len(native)))
        self.loop_start = native.loop_start
        self._native = native

    @cached_property
    def failures(self) -> Mapping[str, List[int]]:
        """The cycles in which safety properties fail, by the names of the properties."""
        return dict(self._native.failures()[0])

    @cached_property
    def violations(self) -> Mapping[int, List[int]]:
        """The cycles in which constraints are violated, by the numbers of the constraints. Only
        simulations violate constraints."""
        return dict(self._native.failures()[1])

    def to_vcd(self, path: Optional[PathLike] = None, *, concrete: bool = False) -> bytes:
        """The waveform in VCD, which is also written to a file if there is a path. In one of a
        counterexample, values that do not matter are unknown unless ``concrete``."""
        return write(path, self._native.waveform(concrete=concrete))

    def to_fst(self, path: Optional[PathLike] = None, *, concrete: bool = False) -> bytes:
        """The waveform in FST, which is much smaller."""
        return write(path, self._native.waveform(fst=True, concrete=concrete))

    def to_witness(self, path: Optional[PathLike] = None) -> bytes:
        """The witness in the format of the model, AIGER or BTOR2, which ``elinvar verify`` and other
        tools check."""
        return write(path, self._native.witness())

    def to_yosys_witness(self, path: Optional[PathLike] = None) -> bytes:
        """The witness that Yosys replays on the design."""
        return write(path, self._native.yosys_witness())

    def to_html(self) -> str:
        """The waveform as a fragment of HTML, which can be moved and zoomed."""
        return self._native.html()

    def _repr_html_(self) -> str:
        return self.to_html()


class Step(NamedTuple):
    """A statement of a run.

    Attributes:
        line: The line in the source, if it is known.
        text: The statement.
        values: The variables that have new values.
    """

    line: Optional[int]
    text: Optional[str]
    values: Mapping[str, Union[bool, int, str]]


class ProgramTrace:
    """A run of a program that violates an assertion.

    Attributes:
        steps: The statements in their order, the start first.
    """

    def __init__(self, steps: Sequence[Mapping[str, Any]]) -> None:
        self.steps: Tuple[Step, ...] = tuple(
            Step(step["line"], step["text"], step["values"]) for step in steps
        )

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, key: int) -> Step:
        return self.steps[key]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def to_pandas(self) -> pandas.DataFrame:
        """The run as a table: a row for each statement, with the values of all variables after it."""
        try:
            import pandas
        except ImportError as error:
            raise MissingToolError(_MISSING.format("pandas")) from error
        values: Dict[str, Union[bool, int, str]] = {}
        rows: List[Dict[str, Any]] = []
        for step in self.steps:
            values.update(step.values)
            rows.append({"line": step.line, "text": step.text, **values})
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        rows: List[List[str]] = []
        for step in self.steps:
            values = ", ".join(f"{name} = {value}" for name, value in step.values.items())
            rows.append([str(step.line or ""), step.text or "", values])
        return _aligned(rows)

    def __repr__(self) -> str:
        return f"<ProgramTrace of {len(self)} steps>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _column(values: Union[bytes, List[Any]], address_width: Optional[int]) -> Column:
    if isinstance(values, bytes):
        words = array("Q")
        words.frombytes(values)
        return words
    if address_width is None:
        return values
    return [MemoryValue(default, elements) for default, elements in values]


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
