"""Programs in Boogie."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

from . import _elinvar
from .errors import UsageError
from .system import System

if TYPE_CHECKING:
    from ._files import PathLike
    from .report import Report

__all__ = ["Program"]


class Program:
    """A program in Boogie with its assertions."""

    def __init__(self, text: Union[str, bytes], name: str = "program.bpl") -> None:
        """Reads a program.

        Raises:
            InputError: The text is not a program.
        """
        data = text.encode() if isinstance(text, str) else text
        self._native = _elinvar.load(name, data)
        if not self._native.is_program:
            raise UsageError(f"{name} is a model, not a program")

    @classmethod
    def load(cls, path: PathLike, *, timeout: Optional[float] = None) -> Program:
        """Reads a program from a file."""
        return cls._of(_elinvar.load(os.fspath(path), timeout=timeout))

    @property
    def property_names(self) -> Tuple[str, ...]:
        """The names of the assertions, in their order."""
        return tuple(name for name, _, _ in self._native.properties())

    def check(self, **options: Any) -> Report:
        """The same as :func:`elinvar.check` of this program, with the same options."""
        from .checking import check

        return check(self, **options)

    def to_system(self) -> System:
        """The program as a transition system.

        Raises:
            UsageError: The program has values other than truth values and bit-vectors.
        """
        return System._of(self._native.lowered())

    def __repr__(self) -> str:
        return f"<Program {self._native.name}>"

    @classmethod
    def _of(cls, problem: _elinvar.Problem) -> Program:
        if not problem.is_program:
            raise UsageError(f"{problem.name} is a model, not a program")
        program = cls.__new__(cls)
        program._native = problem
        return program

    def _problem(self) -> _elinvar.Problem:
        return self._native
