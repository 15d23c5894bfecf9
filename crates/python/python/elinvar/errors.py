"""The exceptions of the package.

All of them are an :class:`Error`. Files that cannot be opened raise the :class:`OSError` that
:func:`open` would raise.
"""

from __future__ import annotations

from typing import Optional

__all__ = [
    "Error",
    "InputError",
    "InternalError",
    "MissingToolError",
    "SortError",
    "StoppedError",
    "UsageError",
]


class Error(Exception):
    """Why there is no result."""


class InputError(Error, ValueError):
    """An input file is wrong at a certain place.

    Attributes:
        file: The name of the file.
        line: The line, from 1; none if the whole file is wrong.
        column: The column in bytes, from 1.
        message: What is wrong.
        help: What to do about it, if that is known.
    """

    def __init__(
        self,
        text: str,
        *,
        file: str,
        line: Optional[int],
        column: Optional[int],
        message: str,
        help: Optional[str],
    ) -> None:
        super().__init__(text)
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.help = help


class UsageError(Error, ValueError):
    """The question does not fit the problem, or options do not fit each other."""


class SortError(UsageError, TypeError):
    """The parts of an expression do not fit each other: their widths differ, for example."""


class MissingToolError(Error, RuntimeError):
    """A program or a library that is needed is not installed: Z3 for programs, Yosys for Verilog."""


class StoppedError(Error, TimeoutError):
    """A limit was reached before there was anything to report."""


class InternalError(Error):
    """Elinvar contradicts itself: for example, its checker refused the evidence of an engine."""


def file_error(number: Optional[int], text: str) -> OSError:
    """The error of the operating system with this number, such as :class:`FileNotFoundError`."""
    return OSError(text) if number is None else OSError(number, text)
