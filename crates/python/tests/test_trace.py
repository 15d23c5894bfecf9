"""Traces: columns, slices, tables, waveforms and plots."""

from __future__ import annotations

import sys
from pathlib import Path

import elinvar
import pytest
from elinvar import System


def counter() -> elinvar.Trace:
    s = System()
    step = s.input("step", 2)
    count = s.register("count", 8, init=0)
    wide = s.register("wide", 70, init=1)
    memory = s.memory("memory", address_width=2, width=8, init=0)
    count.next = count + step.zext(8)
    wide.next = wide << 1
    memory.next = memory.write(count[0:2], count)
    s.never(count == 9, "nine")
    trace = elinvar.simulate(s, 8, inputs={"step": [3] * 8})
    assert trace.failures == {"nine": [3]}
    return trace


def test_columns_rows_and_slices() -> None:
    trace = counter()
    assert trace["count"] == [0, 3, 6, 9, 12, 15, 18, 21] and len(trace) == 8
    assert trace[2]["count"] == 6 and trace[-1]["wide"] == 1 << 7
    part = trace[2:5]
    assert part["count"] == [6, 9, 12] and list(part.cycles) == [2, 3, 4]
    assert part[1:]["count"] == [9, 12] and trace[::4]["count"] == [0, 12]
    assert [row["count"] for row in part] == [6, 9, 12]
    assert trace.signals["step"].kind == "input" and trace.signals["count"].kind == "state"
    assert trace.signals["memory"].address_width == 2 and "count" in trace
    assert trace["memory"][2].elements == {3: 3}
    assert str(part).splitlines()[0].split() == ["cycle", "2", "3", "4"]
    with pytest.raises(IndexError):
        trace[8]
    with pytest.raises(KeyError, match="no signal nonsense"):
        trace["nonsense"]


def test_tables() -> None:
    pandas = pytest.importorskip("pandas")
    trace = counter()
    table = trace[1:4].to_pandas()
    assert list(table.index) == [1, 2, 3] and table.index.name == "cycle"
    assert list(table["count"]) == [3, 6, 9] and table["count"].dtype == "uint64"
    assert list(table["wide"]) == [2, 4, 8] and table["memory"][3][2] == 6
    s = System()
    s.input("a", 64), s.input("b")
    numbers = elinvar.simulate(s, 3, inputs={"a": [2**64 - 1, 0, 5], "b": [1, 0, 1]}).to_pandas()
    assert isinstance(numbers, pandas.DataFrame)
    assert list(numbers["a"]) == [2**64 - 1, 0, 5] and list(numbers["b"]) == [1, 0, 1]


def test_files(tmp_path: Path, examples: Path) -> None:
    trace = elinvar.check(examples / "traffic_light.btor2")[0].trace
    assert isinstance(trace, elinvar.Trace)
    vcd = trace.to_vcd(tmp_path / "light.vcd")
    assert (tmp_path / "light.vcd").read_bytes() == vcd and b"$enddefinitions" in vcd
    assert trace.to_fst() != vcd and trace.to_yosys_witness().startswith(b"{")
    assert elinvar.verify(examples / "traffic_light.btor2", trace.to_witness())
    assert "elinvar-waveform" in trace.to_html() == trace._repr_html_()
    assert trace[0:2]._repr_html_().startswith("<table>")


def test_tables_need_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = counter()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(elinvar.MissingToolError, match=r"elinvar\[plot\]"):
        trace.to_pandas()


def test_plots() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(counter().plot(["count", "step"]).axes) == 2
    assert len(counter().plot().axes) == 3


def test_runs_of_programs(examples: Path) -> None:
    report = elinvar.check(examples / "overdraft.bpl")
    run = next(found.trace for found in report if found.trace is not None)
    assert isinstance(run, elinvar.ProgramTrace)
    assert len(str(run).splitlines()) == len(run) == len(list(run))
    assert "<pre>" in run._repr_html_()
    pytest.importorskip("pandas")
    table = run.to_pandas()
    assert len(table) == len(run) and {"line", "text"} <= set(table.columns)
