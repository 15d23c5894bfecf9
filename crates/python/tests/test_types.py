"""The types of the package, for mypy and pyright."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from conftest import ROOT

HERE = Path(__file__).parent


def checked(checker: str, *files: str) -> "subprocess.CompletedProcess[str]":
    pytest.importorskip(checker)
    command: List[str] = [sys.executable, "-m", checker]
    if checker == "pyright":
        command += ["--pythonpath", sys.executable]
    return subprocess.run(
        [*command, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_the_package_is_well_typed(checker: str) -> None:
    found = checked(checker)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_good_uses_are_accepted(checker: str) -> None:
    found = checked(checker, str(HERE / "types" / "good.py"))
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_every_wrong_use_is_found(checker: str) -> None:
    path = HERE / "types" / "wrong.py"
    wrong = {
        number
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.endswith("# wrong")
    }
    found = checked(checker, str(path))
    assert found.returncode == 1, found.stdout + found.stderr
    places = {int(number) for number in re.findall(r"wrong\.py:(\d+).* error: ", found.stdout)}
    assert places == wrong, found.stdout
