"""What a run has learned: clauses over the bits of registers, in frames."""

from __future__ import annotations

import os
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import _elinvar
from ._files import PathLike, write

__all__ = ["Lemma", "Lemmas", "Literal"]


class Literal(NamedTuple):
    """A bit of a register, or its negation.

    Attributes:
        register: The name of the register.
        bit: The number of the bit.
        positive: Whether the bit is set.
        address: The address, if the register is a memory.
    """

    register: str
    bit: int
    positive: bool
    address: Optional[int] = None

    def __str__(self) -> str:
        sign = "" if self.positive else "~"
        element = "" if self.address is None else f"[{self.address}]"
        return f"{sign}{self.register}{element}[{self.bit}]"


class Lemma(NamedTuple):
    """A clause: at least one literal is true in every state that is reached in ``frame`` steps or
    fewer, or in any number of steps if ``frame`` is none."""

    literals: Tuple[Literal, ...]
    frame: Optional[int] = None

    def __str__(self) -> str:
        return " | ".join(map(str, self.literals)) or "false"


class Lemmas:
    """What a run has learned. Later runs on the same or on a changed system start from there.

    Attributes:
        depth: The number of the last frame.
        seconds: The time of the runs in which the lemmas were learned.
    """

    def __init__(self, native: _elinvar.Lemmas) -> None:
        self._native = native
        self.depth = native.depth
        self.seconds = native.seconds

    @classmethod
    def load(cls, path: PathLike) -> Lemmas:
        """Reads a file of :meth:`save`, or of ``elinvar check --save``."""
        with open(path, "rb") as file:
            return cls(_elinvar.Lemmas.parse(os.fspath(path), file.read()))

    def save(self, path: PathLike) -> None:
        """Writes a file for :meth:`load`, or for ``elinvar check --reuse``."""
        write(path, self._native.to_bytes())

    @property
    def properties(self) -> Mapping[str, str]:
        """What is known about each property: ``safe``, ``unsafe``, or ``open``."""
        return {name: status for name, status, _ in self._native.properties()}

    @property
    def clauses(self) -> List[Lemma]:
        """All lemmas."""
        return [
            Lemma(tuple(Literal(name, bit, sign, at) for name, at, bit, sign in clause), frame)
            for frame, clause in self._native.clauses()
        ]

    @property
    def frames(self) -> Mapping[Optional[int], List[Lemma]]:
        """The lemmas by the last frame in which they hold; under none, those that always hold."""
        frames: Dict[Optional[int], List[Lemma]] = {}
        for lemma in self.clauses:
            frames.setdefault(lemma.frame, []).append(lemma)
        return frames

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[Lemma]:
        return iter(self.clauses)

    def __repr__(self) -> str:
        return f"<Lemmas: {len(self)} in {self.depth} frames>"
