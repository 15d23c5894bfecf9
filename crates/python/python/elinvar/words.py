"""Expressions of systems: words, registers and memories.

Words are unsigned numbers, as in Verilog: ``<``, ``>>``, ``//`` and ``%`` are unsigned, and there
are methods for the signed operations. An integer beside a word has the width of that word. All
operations wrap around.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union, overload

from . import _elinvar
from .errors import SortError

if TYPE_CHECKING:
    from .system import System

__all__ = ["Memory", "MemoryRegister", "Register", "Signal", "Value", "Word", "concat", "ite"]


class Word:
    """An expression whose value is a word: a bit-vector. A word of one bit is also a truth value.

    Attributes:
        system: The system that the expression belongs to.
        width: The number of bits.
    """

    __slots__ = ("system", "width", "_node", "_antecedent")

    def __init__(self, system: System, node: _elinvar.Node) -> None:
        self.system = system
        self.width: int = node.width
        self._node = node
        self._antecedent: Optional[Word] = None

    # ---- arithmetic ---------------------------------------------------------------------------

    def __add__(self, other: Value) -> Word:
        return self._binary("add", other)

    def __radd__(self, other: int) -> Word:
        return self._constant(other)._binary("add", self)

    def __sub__(self, other: Value) -> Word:
        return self._binary("sub", other)

    def __rsub__(self, other: int) -> Word:
        return self._constant(other)._binary("sub", self)

    def __mul__(self, other: Value) -> Word:
        return self._binary("mul", other)

    def __rmul__(self, other: int) -> Word:
        return self._constant(other)._binary("mul", self)

    def __floordiv__(self, other: Value) -> Word:
        """The unsigned quotient; all ones if the divisor is zero."""
        return self._binary("udiv", other)

    def __rfloordiv__(self, other: int) -> Word:
        return self._constant(other)._binary("udiv", self)

    def __mod__(self, other: Value) -> Word:
        """The unsigned remainder; the dividend if the divisor is zero."""
        return self._binary("urem", other)

    def __rmod__(self, other: int) -> Word:
        return self._constant(other)._binary("urem", self)

    def __neg__(self) -> Word:
        return self._unary("neg")

    def sdiv(self, other: Value) -> Word:
        """The signed quotient, rounded towards zero."""
        return self._binary("sdiv", other)

    def srem(self, other: Value) -> Word:
        """The signed remainder with the sign of the dividend."""
        return self._binary("srem", other)

    def smod(self, other: Value) -> Word:
        """The signed remainder with the sign of the divisor."""
        return self._binary("smod", other)

    # ---- bits ---------------------------------------------------------------------------------

    def __and__(self, other: Value) -> Word:
        return self._binary("and", other)

    def __rand__(self, other: int) -> Word:
        return self._binary("and", other)

    def __or__(self, other: Value) -> Word:
        return self._binary("or", other)

    def __ror__(self, other: int) -> Word:
        return self._binary("or", other)

    def __xor__(self, other: Value) -> Word:
        return self._binary("xor", other)

    def __rxor__(self, other: int) -> Word:
        return self._binary("xor", other)

    def __invert__(self) -> Word:
        return self._unary("not")

    def __lshift__(self, other: Value) -> Word:
        return self._binary("shl", other)

    def __rlshift__(self, other: int) -> Word:
        return self._constant(other)._binary("shl", self)

    def __rshift__(self, other: Value) -> Word:
        """A logical shift: zeros come in."""
        return self._binary("lshr", other)

    def __rrshift__(self, other: int) -> Word:
        return self._constant(other)._binary("lshr", self)

    def ashr(self, other: Value) -> Word:
        """An arithmetic shift to the right: copies of the sign come in."""
        return self._binary("ashr", other)

    def rol(self, other: Value) -> Word:
        """A rotation to the left."""
        return self._binary("rol", other)

    def ror(self, other: Value) -> Word:
        """A rotation to the right."""
        return self._binary("ror", other)

    def all(self) -> Word:
        """Whether all bits are set."""
        return self._unary("redand")

    def any(self) -> Word:
        """Whether any bit is set."""
        return self._unary("redor")

    def parity(self) -> Word:
        """Whether an odd number of bits is set."""
        return self._unary("redxor")

    def __len__(self) -> int:
        return self.width

    def __getitem__(self, key: Union[int, slice]) -> Word:
        """Some bits: ``x[0]`` is the lowest bit, ``x[0:4]`` are the lowest four, ``x[-1]`` is the
        highest bit."""
        if isinstance(key, slice):
            low, high, step = key.indices(self.width)
            if step != 1:
                raise SortError("bits are taken without a step")
            if high <= low:
                raise SortError(f"[{_bound(key.start)}:{_bound(key.stop)}] are no bits")
        else:
            low = key + self.width if key < 0 else key
            if not 0 <= low < self.width:
                raise IndexError(f"there is no bit {key} in a word of width {self.width}")
            high = low + 1
        return self._word(self._builder.slice(self._node, high - 1, low))

    def zext(self, width: int) -> Word:
        """The same number with so many bits."""
        return self._extended(width, False)

    def sext(self, width: int) -> Word:
        """The same signed number with so many bits."""
        return self._extended(width, True)

    # ---- comparisons --------------------------------------------------------------------------

    def __eq__(self, other: object) -> Word:  # type: ignore[override]
        return self._binary("eq", _value(other, "=="))

    def __ne__(self, other: object) -> Word:  # type: ignore[override]
        return ~self._binary("eq", _value(other, "!="))

    def __lt__(self, other: Value) -> Word:
        return self.ult(other)

    def __le__(self, other: Value) -> Word:
        return self.ule(other)

    def __gt__(self, other: Value) -> Word:
        return self.ugt(other)

    def __ge__(self, other: Value) -> Word:
        return self.uge(other)

    def ult(self, other: Value) -> Word:
        """Unsigned less than."""
        return self._binary("ult", other)

    def ule(self, other: Value) -> Word:
        """Unsigned less than or equal."""
        return self._binary("ule", other)

    def ugt(self, other: Value) -> Word:
        """Unsigned greater than."""
        return self._coerced(other)._binary("ult", self)

    def uge(self, other: Value) -> Word:
        """Unsigned greater than or equal."""
        return self._coerced(other)._binary("ule", self)

    def slt(self, other: Value) -> Word:
        """Signed less than."""
        return self._binary("slt", other)

    def sle(self, other: Value) -> Word:
        """Signed less than or equal."""
        return self._binary("sle", other)

    def sgt(self, other: Value) -> Word:
        """Signed greater than."""
        return self._coerced(other)._binary("slt", self)

    def sge(self, other: Value) -> Word:
        """Signed greater than or equal."""
        return self._coerced(other)._binary("sle", self)

    # ---- conditions ---------------------------------------------------------------------------

    @overload
    def ite(self, then: Value, otherwise: Value) -> Word: ...

    @overload
    def ite(self, then: Memory, otherwise: Memory) -> Memory: ...

    def ite(self, then: Choice, otherwise: Choice) -> Signal:
        """``then`` where this bit is set, ``otherwise`` where it is not. Both are memories, or words
        of the same width, one of which may be an integer."""
        return self._ite(then, otherwise)

    def _ite(self, then: Choice, otherwise: Choice) -> Signal:
        self._expect_bit("the condition of ite")
        if isinstance(then, Memory) or isinstance(otherwise, Memory):
            if not (isinstance(then, Memory) and isinstance(otherwise, Memory)):
                raise SortError("ite chooses between two memories or between two words")
            return Memory(self.system, self._builder.ite(self._node, then._node, otherwise._node))
        if isinstance(then, Word):
            otherwise = then._coerced(otherwise)
        elif isinstance(otherwise, Word):
            then = otherwise._coerced(then)
        else:
            raise SortError("the width of two integers is not known; use System.constant")
        if then.width != otherwise.width:
            raise SortError(f"ite chooses between words of widths {then.width} and {otherwise.width}")
        return self._word(self._builder.ite(self._node, then._node, otherwise._node))

    def implies(self, other: Value) -> Word:
        """Whether the other bit is set wherever this one is. A proof of such a property is vacuous
        if this bit is never set, and the report says so then."""
        self._expect_bit("the left side of implies")
        implication = ~self | other
        implication._antecedent = self
        return implication

    def __bool__(self) -> bool:
        raise TypeError(
            "the value of an expression is not known here: use & | ~ and ite instead of "
            "and, or, not, if and chained comparisons"
        )

    # It is compared by identity in sets and dictionaries, as == builds an expression.
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Word of width {self.width}>"

    # ---- helpers ------------------------------------------------------------------------------

    @property
    def _builder(self) -> _elinvar.Builder:
        return self.system._builder

    def _word(self, node: _elinvar.Node) -> Word:
        return Word(self.system, node)

    def _constant(self, value: int) -> Word:
        return self.system.constant(value, self.width)

    def _coerced(self, value: Value) -> Word:
        return value if isinstance(value, Word) else self._constant(value)

    def _unary(self, operator: str) -> Word:
        return self._word(self._builder.unary(operator, self._node))

    def _binary(self, operator: str, other: Value) -> Word:
        right = self._coerced(other)
        if right.width != self.width:
            raise SortError(f"the operands of {operator} have widths {self.width} and {right.width}")
        return self._word(self._builder.binary(operator, self._node, right._node))

    def _extended(self, width: int, signed: bool) -> Word:
        if width < self.width:
            raise SortError(f"a word of width {self.width} does not fit into {width} bits")
        return self._word(self._builder.extend(self._node, width - self.width, signed))

    def _expect_bit(self, what: str) -> None:
        if self.width != 1:
            raise SortError(f"{what} must have width 1, but it has width {self.width}")


Value = Union[Word, int]
"""A word, or an integer where the width is that of a word beside it."""


class Register(Word):
    """A word that is kept from cycle to cycle.

    ``register.next = value`` sets its value in the next cycle; without that, it has any value in
    each cycle. ``register.init = value`` sets its value in the first cycle; without that, it starts
    with any value.
    """

    __slots__ = ("name",)

    def __init__(self, system: System, node: _elinvar.Node, name: str) -> None:
        super().__init__(system, node)
        self.name = name

    @property
    def next(self) -> Optional[Word]:
        """The value in the next cycle, if it is set."""
        node = self._builder.functions(self._node)[1]
        return None if node is None else self._word(node)

    @next.setter
    def next(self, value: Value) -> None:
        self._builder.set_next(self._node, _fit(self, value, "next")._node)
        self.system._changed()

    @property
    def init(self) -> Optional[Word]:
        """The value in the first cycle, if it is set."""
        node = self._builder.functions(self._node)[0]
        return None if node is None else self._word(node)

    @init.setter
    def init(self, value: Value) -> None:
        self._builder.set_init(self._node, _fit(self, value, "initial")._node)
        self.system._changed()

    def __repr__(self) -> str:
        return f"<Register {self.name} of width {self.width}>"


class Memory:
    """An expression whose value is a memory: an array of words.

    ``memory[address]`` is the word at an address, and ``memory.write(address, value)`` is a memory
    that differs there.

    Attributes:
        system: The system that the expression belongs to.
        address_width: The number of bits of addresses.
        width: The number of bits of the words.
    """

    __slots__ = ("system", "address_width", "width", "_node")

    def __init__(self, system: System, node: _elinvar.Node) -> None:
        assert node.index_width is not None
        self.system = system
        self.address_width: int = node.index_width
        self.width: int = node.width
        self._node = node

    def __getitem__(self, address: Value) -> Word:
        address = self._address(address)
        return Word(self.system, self._builder.binary("read", self._node, address._node))

    # Python would try addresses from 0 on otherwise, without end.
    __iter__ = None

    def write(self, address: Value, value: Value) -> Memory:
        """The memory with this value at this address."""
        address = self._address(address)
        value = self._element(value)
        return Memory(self.system, self._builder.write(self._node, address._node, value._node))

    def __eq__(self, other: object) -> Word:  # type: ignore[override]
        if not isinstance(other, Memory):
            raise SortError("a memory can only be compared with another memory")
        return Word(self.system, self._builder.binary("eq", self._node, other._node))

    def __ne__(self, other: object) -> Word:  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Memory of words of width {self.width}, addresses of width {self.address_width}>"

    @property
    def _builder(self) -> _elinvar.Builder:
        return self.system._builder

    def _address(self, address: Value) -> Word:
        if not isinstance(address, Word):
            return self.system.constant(address, self.address_width)
        if address.width != self.address_width:
            raise SortError(
                f"the address has width {address.width}, but the memory has addresses of width "
                f"{self.address_width}"
            )
        return address

    def _element(self, value: Value) -> Word:
        if not isinstance(value, Word):
            return self.system.constant(value, self.width)
        if value.width != self.width:
            raise SortError(
                f"the value has width {value.width}, but the memory has words of width {self.width}"
            )
        return value


class MemoryRegister(Memory):
    """A memory that is kept from cycle to cycle: see :class:`Register`."""

    __slots__ = ("name",)

    def __init__(self, system: System, node: _elinvar.Node, name: str) -> None:
        super().__init__(system, node)
        self.name = name

    @property
    def next(self) -> Optional[Memory]:
        """The memory in the next cycle, if it is set."""
        node = self._builder.functions(self._node)[1]
        return None if node is None else Memory(self.system, node)

    @next.setter
    def next(self, value: Memory) -> None:
        self._builder.set_next(self._node, value._node)
        self.system._changed()

    @property
    def init(self) -> Optional[Memory]:
        """The memory in the first cycle, if it is set."""
        node = self._builder.functions(self._node)[0]
        return None if node is None else Memory(self.system, node)

    @init.setter
    def init(self, value: Union[Memory, Value]) -> None:
        if not isinstance(value, Memory):
            value = self.system.filled(self.address_width, self._element(value))
        self._builder.set_init(self._node, value._node)
        self.system._changed()

    def __repr__(self) -> str:
        return f"<MemoryRegister {self.name}>"


Signal = Union[Word, Memory]
"""What a system has under a name."""

Choice = Union[Word, int, Memory]
"""What a condition chooses from."""


@overload
def ite(condition: Word, then: Value, otherwise: Value) -> Word: ...


@overload
def ite(condition: Word, then: Memory, otherwise: Memory) -> Memory: ...


def ite(condition: Word, then: Choice, otherwise: Choice) -> Signal:
    """``then`` where the condition is set, ``otherwise`` where it is not: see :meth:`Word.ite`."""
    return condition._ite(then, otherwise)


def concat(*words: Word) -> Word:
    """The bits of all words, the highest first."""
    if not words:
        raise SortError("there is nothing to concatenate")
    result = words[0]
    for word in words[1:]:
        builder = result.system._builder
        nodes = result._node, word._node
        result = Word(result.system, builder.binary("concat", *nodes))
    return result


def _value(other: object, operator: str) -> Value:
    if isinstance(other, (Word, int)):
        return other
    raise SortError(f"a word cannot be compared with {type(other).__name__} by {operator}")


def _fit(register: Register, value: Value, which: str) -> Word:
    if not isinstance(value, Word):
        return register.system.constant(value, register.width)
    if value.width != register.width:
        raise SortError(
            f"the {which} value of {register.name} has width {value.width}, but the register has "
            f"width {register.width}"
        )
    return value


def _bound(bound: Any) -> str:
    return "" if bound is None else str(bound)
