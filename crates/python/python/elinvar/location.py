"""Places in source files: of designs, of programs, and of the Python code that builds systems."""

from __future__ import annotations

import os
import sys
from typing import Any, Mapping, NamedTuple, Optional

__all__ = ["Location"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Location(NamedTuple):
    """A place in a source file.

    Attributes:
        file: The name of the file.
        line: The line, from 1.
        column: The column in bytes, from 1, if it is known.
        text: The text of the line, if it is known.
    """

    file: str
    line: int
    column: Optional[int] = None
    text: Optional[str] = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @staticmethod
    def from_dict(data: Optional[Mapping[str, Any]]) -> Optional[Location]:
        """The place in a report, if there is one."""
        if data is None:
            return None
        return Location(data["file"], data["line"], data["column"], data["text"])


def caller() -> Location:
    """The line outside of this package that is being executed."""
    # Imported here, as in other modules, so that the import of the package is quick.
    import linecache

    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    return Location(file, line, None, text or None)
