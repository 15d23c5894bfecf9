"""The examples of the documentation run: docstrings, the book, the README and the notebook."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import elinvar
import pytest
from conftest import EXAMPLES, ROOT

MODULES = sorted(module.name for module in pkgutil.iter_modules(elinvar.__path__))


@pytest.mark.parametrize("name", ["elinvar", *(f"elinvar.{name}" for name in MODULES)])
def test_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_every_public_item_has_a_docstring() -> None:
    missing: List[str] = []
    for name in elinvar.__all__:
        item = getattr(elinvar, name)
        if not isinstance(item, type):
            continue
        members = {f"{name}.{key}": member for key, member in vars(item).items() if key[0] != "_"}
        for full, member in {name: item, **members}.items():
            is_documented = isinstance(member, (type, property)) or callable(member)
            if is_documented and not getattr(member, "__doc__", None):
                missing.append(full)
    assert missing == []


def blocks(path: Path) -> List[Tuple[str, str, int]]:
    """The language, the text and the line of each block."""
    text = path.read_text()
    found = re.finditer(r"^```(python|pycon)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in found]


@pytest.mark.parametrize("path", ["docs/book/src/python.md", "crates/python/README.md"])
def test_documents(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    file = str(ROOT / path)
    namespace: Dict[str, Any] = {}
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    texts = blocks(ROOT / path)
    assert texts
    for language, text, line in texts:
        if language == "python":
            # Lines are those of the document, so that reports can show them.
            exec(compile("\n" * line + text, file, "exec"), namespace)
        else:
            test = parser.get_doctest(text, namespace, path, file, line)
            test.globs = namespace
            runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0


def test_the_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(EXAMPLES / "python")
    notebook = json.loads((EXAMPLES / "python" / "tutorial.ipynb").read_text())
    namespace: Dict[str, Any] = {}
    shown = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "tutorial.ipynb", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "tutorial.ipynb", "eval"), namespace)
            shown += hasattr(value, "_repr_html_") and bool(value._repr_html_())
    assert shown >= 3


def test_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "python"))
    fifo = importlib.import_module("fifo").fifo
    assert fifo().check(timeout=60).verdict == "safe"
    report = fifo(bug=True).check(timeout=60)
    assert [found.verdict for found in report] == ["unsafe", "unsafe"]
    assert report["in_order"].location.file == sys.modules["fifo"].__file__
    trace = report["in_order"].trace
    assert trace.signals["memory"].location.text.startswith("memory = s.memory(")
