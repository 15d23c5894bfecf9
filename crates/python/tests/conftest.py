"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"

TOGGLE = b"aag 1 0 1 0 0 1\n2 3\n2\n"
"""A latch that toggles: it is bad when it is set."""


@pytest.fixture
def examples() -> Path:
    return EXAMPLES
