"""Files that are written completely or not at all, and formats of text.

Modules that are slow to import are imported where they are needed, so that the import of the package
is quick.
"""

from __future__ import annotations

import os
from typing import Any, Optional, Union

PathLike = Union[str, "os.PathLike[str]"]


def write(path: Optional[PathLike], contents: bytes) -> bytes:
    """Writes a file if there is a path, and returns the contents."""
    if path is None:
        return contents
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        # A device or a pipe cannot be replaced.
        with open(target, "wb") as device:
            device.write(contents)
        return contents
    temporary = os.path.join(os.path.dirname(target), f".elinvar-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb") as file:
            file.write(contents)
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    return contents


def parse(text: str) -> Any:
    """The value of a text in JSON."""
    import json

    return json.loads(text)


def escape(text: str) -> str:
    """The text as a part of HTML."""
    import html

    return html.escape(text)
