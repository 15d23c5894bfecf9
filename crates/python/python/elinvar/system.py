"""Transition systems: read from files, or built in Python.

>>> from elinvar import System
>>> s = System()
>>> enable = s.input("enable")
>>> count = s.register("count", 4, init=0)
>>> count.next = enable.ite(count + 1, count)
>>> s.always(count < 12, "below_12")
>>> report = s.check()
>>> report.verdict, report["below_12"].depth
('unsafe', 12)
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar
from typing import Union

from . import _elinvar
from .errors import UsageError
from .location import Location, caller
from .words import Memory, MemoryRegister, Register, Signal, Value, Word

if TYPE_CHECKING:
    from ._files import PathLike
    from .report import Report

__all__ = ["System"]

_S = TypeVar("_S", Word, Register, MemoryRegister)


class System:
    """A transition system: inputs, registers, constraints and properties.

    A system is empty at first, or read from a file (:meth:`load`, :meth:`from_btor2`). In both cases
    inputs, registers, constraints and properties can be added, and the system can be checked at any
    time. Reports refer to the system as it was when it was checked.
    """

    def __init__(self) -> None:
        self._native: Optional[_elinvar.Problem] = None
        self._lazy_builder: Optional[_elinvar.Builder] = _elinvar.Builder()
        self._signals: Optional[Dict[str, Signal]] = {}
        self._locations: Dict[str, Location] = {}
        self._formulas: List[str] = []
        self._names: Optional[List[str]] = []

    # ---- reading and writing ------------------------------------------------------------------

    @classmethod
    def load(cls, path: PathLike, *, timeout: Optional[float] = None) -> System:
        """Reads a model from a file in AIGER, BTOR, BTOR2 or the assembler.

        Raises:
            InputError: The file is not such a model.
        """
        return cls._of(_elinvar.load(os.fspath(path), timeout=timeout))

    @classmethod
    def from_btor2(cls, text: Union[str, bytes]) -> System:
        """Reads a model in BTOR2."""
        return cls._parse("model.btor2", text)

    @classmethod
    def from_aiger(cls, text: Union[str, bytes]) -> System:
        """Reads a model in AIGER, ASCII or binary."""
        return cls._parse("model.aig", text)

    def to_btor2(self) -> str:
        """The system in BTOR2. Properties and constraints carry their places as comments."""
        return _elinvar.convert(self._problem(), "btor2").decode()

    def to_aiger(self, *, ascii: bool = False, memory_limit: int = 1 << 16) -> bytes:
        """The system in AIGER. Memories of at most ``memory_limit`` bits are expanded."""
        extension = "aag" if ascii else "aig"
        return _elinvar.convert(self._problem(), extension, memory_limit=memory_limit)

    # ---- declarations -------------------------------------------------------------------------

    def input(self, name: str, width: int = 1) -> Word:
        """Adds an input, which has any value in each cycle."""
        self._expect_new(name)
        word = Word(self, self._builder.input(name, width))
        return self._declare(name, word)

    def register(self, name: str, width: int = 1, *, init: Optional[Value] = None) -> Register:
        """Adds a register. Without ``init`` it starts with any value."""
        self._expect_new(name)
        register = Register(self, self._builder.state(name, width), name)
        if init is not None:
            register.init = init
        return self._declare(name, register)

    def memory(
        self,
        name: str,
        *,
        address_width: int,
        width: int,
        init: Union[Memory, Value, None] = None,
    ) -> MemoryRegister:
        """Adds a memory of ``2 ** address_width`` words. Without ``init`` it starts with any
        contents; with an integer or a word, all of its words start with that."""
        self._expect_new(name)
        memory = MemoryRegister(self, self._builder.state(name, width, address_width), name)
        if init is not None:
            memory.init = init
        return self._declare(name, memory)

    def output(self, name: str, value: Word) -> None:
        """Gives a name to an expression, which traces show."""
        self._expect_new(name)
        self._builder.output(name, value._node)
        self._declare(name, value)

    def constant(self, value: int, width: int) -> Word:
        """A constant of this width. A negative number is taken in two's complement."""
        value = int(value)
        if value < 0 and -value <= 1 << width >> 1:
            value += 1 << width
        return Word(self, self._builder.constant(value, width))

    def filled(self, address_width: int, value: Word) -> Memory:
        """A memory all of whose words have this value."""
        node = value._node
        return Memory(self, self._builder.filled(address_width, node))

    # ---- what is asked ------------------------------------------------------------------------

    def assume(self, condition: Value, name: Optional[str] = None) -> None:
        """Adds a constraint: only executions count in which this bit is set in every cycle."""
        self._builder.constrain(self._bit(condition), name, _line(caller()))
        self._changed()

    def always(self, condition: Value, name: Optional[str] = None) -> None:
        """Adds the property that this bit is set in every reachable state."""
        condition = self._as_word(condition)
        antecedent = condition._antecedent
        self._add_property(~condition, name, antecedent=antecedent)

    def never(self, condition: Value, name: Optional[str] = None) -> None:
        """Adds the property that this bit is set in no reachable state."""
        self._add_property(self._as_word(condition), name)

    def cover(self, condition: Value, name: Optional[str] = None) -> None:
        """Asks for an execution that sets this bit."""
        self._add_property(self._as_word(condition), name, cover=True)

    def not_forever(self, conditions: Sequence[Value], name: Optional[str] = None) -> None:
        """Adds the property that no execution sets each of these bits infinitely often."""
        bits = [self._bit(condition) for condition in conditions]
        name = self._property_name(name)
        self._builder.justice(name, bits, _line(caller()))
        self._changed()

    def fair(self, condition: Value) -> None:
        """Liveness properties consider only executions that set this bit infinitely often."""
        self._builder.fair(self._bit(condition))
        self._changed()

    def ltl(self, formula: str, name: Optional[str] = None) -> None:
        """Adds a formula of linear temporal logic over the names of signals as a property, such as
        ``G (req -> F gnt)``.

        Raises:
            InputError: The formula is wrong, or the system has no such signal.
        """
        text = formula if name is None else f"{name}: {formula}"
        self._problem().with_formulas(text)
        self._formulas.append(text)
        self._names = None

    # ---- looking at it ------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Signal:
        """The input, register, memory or named expression with this name."""
        try:
            return self.signals[name]
        except KeyError:
            raise KeyError(f"the system has no signal {name}") from None

    def word(self, name: str) -> Word:
        """The input, register or named expression with this name, which must not be a memory: the
        same as ``system[name]`` with a more precise type."""
        signal = self[name]
        if not isinstance(signal, Word):
            raise UsageError(f"{name} is a memory, not a word")
        return signal

    def __contains__(self, name: object) -> bool:
        return name in self.signals

    # Python would try numbers from 0 on otherwise.
    __iter__ = None

    @property
    def signals(self) -> Mapping[str, Signal]:
        """Inputs, registers, memories and named expressions by their names."""
        if self._signals is None:
            signals: Dict[str, Signal] = {}
            for name, kind, node in self._builder.signals():
                if node.index_width is not None:
                    memory = MemoryRegister(self, node, name)
                    signals.setdefault(name, memory if kind == "state" else Memory(self, node))
                else:
                    word = Register(self, node, name) if kind == "state" else Word(self, node)
                    signals.setdefault(name, word)
            self._signals = signals
        return MappingProxyType(self._signals)

    @property
    def property_names(self) -> Tuple[str, ...]:
        """The names of the properties, in their order."""
        return tuple(name for name, _, _ in self._problem().properties())

    @property
    def locations(self) -> Mapping[str, Location]:
        """Where signals were declared, by their names, if that was in Python."""
        return MappingProxyType(self._locations)

    def check(self, **options: Any) -> Report:
        """The same as :func:`elinvar.check` of this system, with the same options."""
        from .checking import check

        return check(self, **options)

    def copy(self) -> System:
        """Another system with the same parts. Expressions of one do not fit the other."""
        system = System._of(self._problem())
        system._locations = dict(self._locations)
        return system

    def __repr__(self) -> str:
        name = "" if self._native is None or self._native.name is None else f" {self._native.name}"
        return f"<System{name}>"

    # ---- helpers ------------------------------------------------------------------------------

    @classmethod
    def _parse(cls, name: str, text: Union[str, bytes]) -> System:
        return cls._of(_elinvar.load(name, text.encode() if isinstance(text, str) else text))

    @classmethod
    def _of(cls, problem: _elinvar.Problem) -> System:
        if problem.is_program:
            raise UsageError(f"{problem.name} is a program, not a transition system")
        system = cls()
        system._native, system._lazy_builder, system._signals = problem, None, None
        system._names = None
        return system

    @property
    def _builder(self) -> _elinvar.Builder:
        if self._lazy_builder is None:
            assert self._native is not None
            self._lazy_builder = _elinvar.Builder(self._native)
        return self._lazy_builder

    def _problem(self) -> _elinvar.Problem:
        """The system as it is now."""
        if self._native is None:
            self._native = self._builder.finish()
        problem = self._native
        for formula in self._formulas:
            problem = problem.with_formulas(formula)
        return problem

    def _changed(self) -> None:
        self._native = None

    def _declare(self, name: str, signal: _S) -> _S:
        if self._signals is not None:
            self._signals[name] = signal
        self._locations[name] = caller()
        self._changed()
        return signal

    def _expect_new(self, name: str) -> None:
        if not name:
            raise UsageError("a signal needs a name")
        if name in self.signals:
            raise UsageError(f"the system already has a signal {name}")

    def _as_word(self, condition: Value) -> Word:
        return condition if isinstance(condition, Word) else self.constant(condition, 1)

    def _bit(self, condition: Value) -> _elinvar.Node:
        return self._as_word(condition)._node

    def _property_name(self, name: Optional[str]) -> str:
        if self._names is None:
            self._names = list(self.property_names)
        names = self._names
        if name is None:
            number = len(names)
            while f"property{number}" in names:
                number += 1
            name = f"property{number}"
        if name in names:
            raise UsageError(f"the system already has a property {name}")
        names.append(name)
        return name

    def _add_property(
        self,
        bad: Word,
        name: Optional[str],
        *,
        cover: bool = False,
        antecedent: Optional[Word] = None,
    ) -> None:
        bad._expect_bit("a property")
        name, line = self._property_name(name), _line(caller())
        given = None if antecedent is None else antecedent._node
        node = bad._node
        self._builder.property(name, node, cover, given, line)
        self._changed()


def _line(location: Location) -> Tuple[str, int, str]:
    return location.file, location.line, location.text or ""
