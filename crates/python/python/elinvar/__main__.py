"""The command ``elinvar``, which is the same program as the binary."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line of this process."""
    from . import _elinvar
    from ._tools import prepare_command_line

    prepare_command_line()
    name = os.path.basename(sys.argv[0])
    words = ["elinvar" if name == "__main__.py" else name, *sys.argv[1:]]
    sys.exit(_elinvar.main(words))


if __name__ == "__main__":
    main()
