"""Lemmas that are kept, events, and the search for a bound."""

from __future__ import annotations

from pathlib import Path
from typing import List

import elinvar
import pytest
from conftest import TOGGLE
from elinvar import System


def counters() -> System:
    """Two counters that go round together; the bound of the second one needs lemmas."""
    s = System()
    a, b = s.register("a", 4, init=0), s.register("b", 4, init=0)
    a.next = (a == 9).ite(0, a + 1)
    b.next = (a == 9).ite(0, b + 1)
    s.always(b < 12, "b_below_12")
    return s


def test_lemmas_are_used_after_a_change(tmp_path: Path) -> None:
    s = counters()
    first = s.check(engine="pdr", keep_lemmas=True)
    assert first.reuse is None and first.lemmas is not None and len(first.lemmas) > 0
    assert first.lemmas.properties == {"b_below_12": "safe"}
    a, b = s.word("a"), s.word("b")
    s.always(a == b, "equal")
    second = s.check(engine="pdr", reuse=first)
    assert second.verdict == "safe" and second.reuse is not None
    assert second.reuse["offered"] > 0 and second.reuse["kept"] > 0
    s.assume(a != 15)
    third = s.check(engine="pdr", reuse=second)
    assert third.verdict == "safe" and third.reuse is not None and third.reuse["kept"] > 0
    assert third.lemmas is not None
    path = tmp_path / "counters.elv"
    third.lemmas.save(path)
    assert elinvar.Lemmas.load(path).clauses == third.lemmas.clauses
    from_file, from_report = (s.check(engine="pdr", reuse=given).reuse for given in (path, third))
    assert from_file is not None and from_report is not None
    assert from_file["kept"] == from_report["kept"] > 0


def test_lemmas_can_be_read() -> None:
    lemmas = counters().check(engine="pdr", keep_lemmas=True).lemmas
    assert lemmas is not None
    always = lemmas.frames[None]
    assert always and all(lemma.frame is None for lemma in always)
    registers = {literal.register for lemma in lemmas for literal in lemma.literals}
    assert registers <= {"a", "b"} and str(always[0])
    assert counters().check().lemmas is None


def test_damaged_files_of_lemmas_are_refused(tmp_path: Path) -> None:
    lemmas = counters().check(engine="pdr", keep_lemmas=True).lemmas
    assert lemmas is not None
    path = tmp_path / "proof.elv"
    lemmas.save(path)
    path.write_bytes(path.read_bytes().replace(b"b_below_12", b"b_below_13"))
    with pytest.raises(elinvar.InputError, match="proof.elv"):
        elinvar.check(counters(), reuse=path)
    with pytest.raises(elinvar.UsageError, match="keep_lemmas=True"):
        elinvar.check(counters(), reuse=elinvar.check(TOGGLE))


def test_a_failure_keeps_the_proof_of_the_version_before() -> None:
    s = counters()
    proved = s.check(engine="pdr", keep_lemmas=True)
    broken = counters()
    a = broken["a"]
    assert isinstance(a, elinvar.Register)
    a.next = a + 1
    failed = broken.check(engine="pdr", reuse=proved)
    assert failed.verdict == "unsafe" and failed.lemmas is not None and proved.lemmas is not None
    assert failed.lemmas.clauses == proved.lemmas.clauses


def test_events() -> None:
    progress: List[elinvar.Progress] = []
    events: List[elinvar.Event] = []
    report = counters().check(
        engine="pdr", on_progress=progress.append, on_event=events.append, frames_every=0
    )
    assert report.verdict == "safe" and progress and progress[0].engine == "pdr"
    kinds = {type(event) for event in events}
    assert {elinvar.Progress, elinvar.Frames, elinvar.Decided} <= kinds
    frames = [event.lemmas for event in events if isinstance(event, elinvar.Frames)]
    assert any(len(lemmas) > 0 for lemmas in frames)
    decided = [event for event in events if isinstance(event, elinvar.Decided)]
    assert [(event.property, event.safe) for event in decided] == [("b_below_12", True)]
    queries: List[elinvar.Event] = []
    elinvar.check(TOGGLE, engine="bmc", on_event=queries.append)
    assert any(isinstance(event, elinvar.Query) for event in queries)


def test_exceptions_of_callbacks_end_the_run() -> None:
    class Enough(Exception):
        pass

    def stop(progress: elinvar.Progress) -> None:
        raise Enough(progress.engine)

    with pytest.raises(Enough, match="pdr"):
        counters().check(engine="pdr", on_progress=stop)
    assert counters().check().verdict == "safe"


def limited() -> System:
    s = System()
    limit, go = s.input("limit", 8), s.input("go")
    count = s.register("count", 8, init=0)
    count.next = count + go.zext(8)
    s.assume(count <= limit)
    s.always(count < 5, "below_5")
    return s


def test_optimum() -> None:
    instances: List[elinvar.Event] = []
    found = elinvar.optimum(limited(), "limit", range(1, 10), on_event=instances.append)
    assert (found.verdict, found.value, found.holds, found.trend) == ("unsafe", 5, 4, "loosens")
    assert found.trace is not None and found.trace["count"][-1] == 5
    assert found.to_dict()["optimum"] == 5 and found.stages
    assert any(isinstance(event, elinvar.Instance) for event in instances)
    for strategy in ("constrain", "relax", "naive"):
        again = elinvar.optimum(limited(), "limit", range(1, 10), strategy=strategy)
        assert again.value == 5
    assert elinvar.optimum(limited(), "limit", range(1, 4)).verdict == "safe"
    for arguments in (("nonsense", range(1, 3)), ("limit", range(3, 3)), ("limit", range(0, 9, 2))):
        with pytest.raises(elinvar.UsageError):
            elinvar.optimum(limited(), *arguments)


def test_a_store_answers_the_same_question_under_other_names(tmp_path: Path) -> None:
    store = tmp_path / "proofs"
    first = counters().check(store=store)
    assert first.verdict == "safe" and first.properties[0].source == "engine"
    s = System()
    y, x = s.register("y", 4, init=0), s.register("x", 4, init=0)
    x.next = (x == 9).ite(0, x + 1)
    y.next = (x == 9).ite(0, y + 1)
    s.always(y < 12, "renamed")
    second = s.check(store=store)
    assert second.verdict == "safe"
    assert (second.properties[0].source, second.properties[0].engine) == ("store", "store")
    s.always(x != 9, "wrong")
    third = s.check(store=store)
    assert third.verdict == "unsafe"
    assert [found.source for found in third.properties] == ["store", "engine"]


def test_other_folders_are_not_stores(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(elinvar.UsageError, match="is not a store"):
        counters().check(store=tmp_path)
    with pytest.raises(elinvar.UsageError, match="applies only to transition systems"):
        elinvar.check(b"procedure p(x: int) { assert x == x; }", store=tmp_path / "proofs")
