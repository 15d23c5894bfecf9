"""Systems that are built in Python."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, List, Tuple

import elinvar
import pytest
from elinvar import System, Word, concat, ite
from hypothesis import given, settings
from hypothesis import strategies as st

# ---- an independent evaluation of expressions, in plain integers ------------------------------


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def mask(width: int) -> int:
    return (1 << width) - 1


def quotient(a: int, b: int) -> int:
    """Rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def sdiv(a: int, b: int, w: int) -> int:
    x, y = signed(a, w), signed(b, w)
    return (-1 if x >= 0 else 1) if y == 0 else quotient(x, y)


def srem(a: int, b: int, w: int) -> int:
    x, y = signed(a, w), signed(b, w)
    return x if y == 0 else x - y * quotient(x, y)


def smod(a: int, b: int, w: int) -> int:
    x, y = signed(a, w), signed(b, w)
    return x if y == 0 else x - y * (x // y)


def rotated(a: int, by: int, w: int) -> int:
    by %= w
    return a << by | a >> (w - by)


Binary = Tuple[Callable[[Word, Word], Word], Callable[[int, int, int], int]]

WORDS: Dict[str, Binary] = {
    "add": (lambda a, b: a + b, lambda a, b, w: a + b),
    "sub": (lambda a, b: a - b, lambda a, b, w: a - b),
    "mul": (lambda a, b: a * b, lambda a, b, w: a * b),
    "udiv": (lambda a, b: a // b, lambda a, b, w: -1 if b == 0 else a // b),
    "urem": (lambda a, b: a % b, lambda a, b, w: a if b == 0 else a % b),
    "sdiv": (Word.sdiv, sdiv),
    "srem": (Word.srem, srem),
    "smod": (Word.smod, smod),
    "and": (lambda a, b: a & b, lambda a, b, w: a & b),
    "or": (lambda a, b: a | b, lambda a, b, w: a | b),
    "xor": (lambda a, b: a ^ b, lambda a, b, w: a ^ b),
    "shl": (lambda a, b: a << b, lambda a, b, w: a << b if b < w else 0),
    "lshr": (lambda a, b: a >> b, lambda a, b, w: a >> min(b, w)),
    "ashr": (Word.ashr, lambda a, b, w: signed(a, w) >> min(b, w)),
    "rol": (Word.rol, rotated),
    "ror": (Word.ror, lambda a, b, w: rotated(a, w - b % w, w)),
}
BITS: Dict[str, Binary] = {
    "eq": (lambda a, b: a == b, lambda a, b, w: a == b),
    "ne": (lambda a, b: a != b, lambda a, b, w: a != b),
    "lt": (lambda a, b: a < b, lambda a, b, w: a < b),
    "le": (lambda a, b: a <= b, lambda a, b, w: a <= b),
    "gt": (lambda a, b: a > b, lambda a, b, w: a > b),
    "ge": (lambda a, b: a >= b, lambda a, b, w: a >= b),
    "ult": (Word.ult, lambda a, b, w: a < b),
    "uge": (Word.uge, lambda a, b, w: a >= b),
    "slt": (Word.slt, lambda a, b, w: signed(a, w) < signed(b, w)),
    "sle": (Word.sle, lambda a, b, w: signed(a, w) <= signed(b, w)),
    "sgt": (Word.sgt, lambda a, b, w: signed(a, w) > signed(b, w)),
    "sge": (Word.sge, lambda a, b, w: signed(a, w) >= signed(b, w)),
}

Tree = Tuple[Any, ...]


@st.composite
def trees(draw: st.DrawFn, width: int, names: List[str], depth: int) -> Tree:
    """An expression of this width over inputs and registers of width 8 with these names."""
    recur: Callable[[int], st.SearchStrategy[Tree]] = lambda w: trees(w, names, depth - 1)
    if depth == 0:
        if width == 8 and draw(st.booleans()):
            return ("name", draw(st.sampled_from(names)))
        return ("constant", draw(st.integers(0, mask(width))), width)
    choices = ["binary", "unary", "ite", "slice", "zext", "sext", "concat", "name", "mixed"]
    kind = draw(st.sampled_from(choices))
    if kind == "binary" or kind == "mixed":
        if width == 1 and draw(st.booleans()):
            inner = draw(st.sampled_from([1, 3, 8, 70]))
            name = draw(st.sampled_from(sorted(BITS)))
            return ("binary", BITS[name], draw(recur(inner)), draw(recur(inner)), inner)
        operator = WORDS[draw(st.sampled_from(sorted(WORDS)))]
        if kind == "mixed":
            return ("mixed", operator, draw(recur(width)), draw(st.integers(0, mask(width))), width)
        return ("binary", operator, draw(recur(width)), draw(recur(width)), width)
    if kind == "unary":
        return ("unary", draw(st.sampled_from(["neg", "not"])), draw(recur(width)))
    if kind == "ite":
        return ("ite", draw(recur(1)), draw(recur(width)), draw(recur(width)))
    if kind == "slice":
        low, above = draw(st.integers(0, 5)), draw(st.integers(0, 5))
        return ("slice", draw(recur(width + low + above)), low, low + width)
    if kind in ("zext", "sext") and width > 1:
        inner = draw(st.integers(1, width - 1))
        return (kind, draw(recur(inner)), inner, width)
    if kind == "concat" and width > 1:
        low = draw(st.integers(1, width - 1))
        return ("concat", draw(recur(width - low)), draw(recur(low)), low)
    return draw(trees(width, names, 0))


def build(s: System, tree: Tree) -> Word:
    kind = tree[0]
    if kind == "name":
        return s.word(tree[1])
    if kind == "constant":
        return s.constant(tree[1], tree[2])
    if kind == "binary":
        return tree[1][0](build(s, tree[2]), build(s, tree[3]))  # type: ignore[no-any-return]
    if kind == "mixed":
        return tree[1][0](build(s, tree[2]), tree[3])  # type: ignore[no-any-return]
    if kind == "unary":
        word = build(s, tree[2])
        return -word if tree[1] == "neg" else ~word
    if kind == "ite":
        return ite(build(s, tree[1]), build(s, tree[2]), build(s, tree[3]))
    if kind == "slice":
        return build(s, tree[1])[tree[2] : tree[3]]
    if kind == "zext":
        return build(s, tree[1]).zext(tree[3])
    if kind == "sext":
        return build(s, tree[1]).sext(tree[3])
    return concat(build(s, tree[1]), build(s, tree[2]))


def evaluate(tree: Tree, values: Dict[str, int]) -> Tuple[int, int]:
    """The value and the width."""
    kind = tree[0]
    if kind == "name":
        return values[tree[1]], 8
    if kind == "constant":
        return tree[1], tree[2]
    if kind in ("binary", "mixed"):
        a, _ = evaluate(tree[2], values)
        b = tree[3] if kind == "mixed" else evaluate(tree[3], values)[0]
        width = 1 if tree[1] in BITS.values() else tree[4]
        return int(tree[1][1](a, b, tree[4])) & mask(width), width
    if kind == "unary":
        a, width = evaluate(tree[2], values)
        return (-a if tree[1] == "neg" else ~a) & mask(width), width
    if kind == "ite":
        return evaluate(tree[2] if evaluate(tree[1], values)[0] else tree[3], values)
    if kind == "slice":
        width = tree[3] - tree[2]
        return evaluate(tree[1], values)[0] >> tree[2] & mask(width), width
    if kind == "zext":
        return evaluate(tree[1], values)[0], tree[3]
    if kind == "sext":
        return signed(evaluate(tree[1], values)[0], tree[2]) & mask(tree[3]), tree[3]
    high, above = evaluate(tree[1], values)
    low, below = evaluate(tree[2], values)
    return high << below | low, above + below


BYTES = st.integers(0, 255)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_expressions_mean_what_they_mean_in_plain_python(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([1, 2, 8, 33, 64, 65, 90]))
    tree = data.draw(trees(width, ["x", "y", "r"], 3))
    step = data.draw(trees(8, ["x", "y", "r"], 2))
    start = data.draw(BYTES)
    inputs = {name: data.draw(st.lists(BYTES, min_size=4, max_size=4)) for name in "xy"}
    s = System()
    s.input("x", 8), s.input("y", 8)
    register = s.register("r", 8, init=start)
    register.next = build(s, step)
    s.output("tree", build(s, tree))
    trace = elinvar.simulate(s, 4, inputs=inputs)
    again = elinvar.simulate(System.from_btor2(s.to_btor2()), 4, inputs=inputs)
    state = start
    for cycle in range(4):
        values = {"x": inputs["x"][cycle], "y": inputs["y"][cycle], "r": state}
        expected = evaluate(tree, values)[0]
        assert trace[cycle] == {**values, "tree": expected}
        assert again["tree"][cycle] == expected
        state = evaluate(step, values)[0]


def reachable(step: Tree, bad: Tree, start: int) -> bool:
    """Whether some inputs lead to a bad state, by explicit search over three bits of input."""
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        for x in range(8):
            values = {"x": x, "r": state}
            if evaluate(bad, values)[0]:
                return True
            following = evaluate(step, values)[0]
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return False


@settings(max_examples=60, deadline=None)
@given(trees(8, ["x", "r"], 2), trees(1, ["x", "r"], 3), BYTES)
def test_verdicts_are_those_of_explicit_search(step: Tree, bad: Tree, start: int) -> None:
    s = System()
    x = s.input("x", 8)
    register = s.register("r", 8, init=start)
    register.next = build(s, step)
    s.assume(x < 8)
    s.never(build(s, bad), "good")
    found = s.check(timeout=30)["good"]
    assert found.verdict == ("unsafe" if reachable(step, bad, start) else "safe")
    if found.certificate is not None:
        assert found.certificate.verify()
    else:
        assert isinstance(found.trace, elinvar.Trace)
        assert found.trace.failures["good"][0] == found.depth and not found.trace.violations
        assert elinvar.verify(s, found.trace.to_witness())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), BYTES, st.integers(0, 3)), min_size=1, max_size=8))
def test_memories_mean_what_lists_mean(steps: List[Tuple[int, int, int]]) -> None:
    s = System()
    at, value, look = s.input("at", 2), s.input("value", 8), s.input("look", 2)
    memory = s.memory("memory", address_width=2, width=8, init=7)
    memory.next = memory.write(at, value)
    s.output("found", memory[look])
    columns = zip(*steps)
    inputs = dict(zip(("at", "value", "look"), (list(column) for column in columns)))
    trace = elinvar.simulate(s, len(steps), inputs=inputs)
    words = [7] * 4
    for cycle, (place, word, wanted) in enumerate(steps):
        assert trace["found"][cycle] == words[wanted]
        assert [trace["memory"][cycle][address] for address in range(4)] == words
        words[place] = word


# ---- examples ---------------------------------------------------------------------------------


def test_places_are_lines_of_python() -> None:
    s = System()
    line = inspect.currentframe().f_lineno  # type: ignore[union-attr]
    x = s.register("x", 4, init=0)
    x.next = x + 1
    s.assume(x != 9, "not_nine")
    s.always(x < 5, "below")
    found = s.check()["below"]
    assert found.location is not None and found.location.file == __file__
    assert (found.location.line, found.location.text) == (line + 4, 's.always(x < 5, "below")')
    assert f"{__file__}:{line + 4}" in str(s.check())
    assert isinstance(found.trace, elinvar.Trace)
    declared = found.trace.signals["x"].location
    assert declared is not None and (declared.file, declared.line) == (__file__, line + 1)
    again = System.from_btor2(s.to_btor2()).check()["below"]
    assert again.location is not None and again.location.line == line + 4


def test_words_are_not_truth_values() -> None:
    s = System()
    x = s.input("x", 4)
    with pytest.raises(TypeError, match="use & | ~ and ite"):
        bool(x == 3)
    with pytest.raises(TypeError):
        0 < x < 5
    assert len({x, x}) == 1 and len(x) == 4


def test_widths_are_checked() -> None:
    s = System()
    a, b = s.input("a", 8), s.input("b", 4)
    r = s.register("r", 4)
    memory = s.memory("memory", address_width=4, width=8)
    wrong: List[Tuple[Callable[[], object], str]] = [
        (lambda: a + b, "the operands of add have widths 8 and 4"),
        (lambda: b + 16, "16 does not fit in 4 bits"),
        (lambda: b + -9, "-9 does not fit in 4 bits"),
        (lambda: a.ite(a, a), "the condition of ite must have width 1"),
        (lambda: (b == 0).ite(a, b), "words of widths 8 and 4"),
        (lambda: (b == 0).ite(1, 2), "the width of two integers is not known"),
        (lambda: a[8], "there is no bit 8"),
        (lambda: a[4:4], "are no bits"),
        (lambda: a[0:8:2], "without a step"),
        (lambda: a.zext(4), "does not fit into 4 bits"),
        (lambda: setattr(r, "next", a), "the next value of r has width 8"),
        (lambda: memory[a], "the address has width 8"),
        (lambda: memory.write(b, b), "the value has width 4"),
        (lambda: s.always(a), "a property must have width 1"),
        (lambda: s.assume(a), "a constraint must be a word of width 1"),
        (lambda: a == "text", "cannot be compared with str"),
        (lambda: s.constant(0, 0), "cannot have 0 bits"),
        (lambda: System().input("z", 8) + a, "belongs to another system"),
        (lambda: concat(), "nothing to concatenate"),
        (lambda: s.input("a", 8), "already has a signal a"),
        (lambda: s.input(""), "needs a name"),
    ]
    for make, message in wrong:
        with pytest.raises((elinvar.UsageError, IndexError), match=message):
            make()
    assert (b + -1).width == 4 and (b - 8).width == 4


def test_a_system_that_was_read_can_be_extended(examples: Any) -> None:
    s = System.load(examples / "counter.btor2")
    before = s.check()
    names = s.property_names
    register = next(signal for signal in s.signals.values() if isinstance(signal, elinvar.Register))
    assert register.next is not None and register.name in s
    s.always(register == register, "reflexive")
    after = s.check()
    assert [found.verdict for found in after] == [*(found.verdict for found in before), "safe"]
    assert s.property_names == (*names, "reflexive")
    with pytest.raises(KeyError, match="no signal nonsense"):
        s["nonsense"]
    s.memory("contents", address_width=2, width=4)
    with pytest.raises(elinvar.UsageError, match="contents is a memory"):
        s.word("contents")


def test_cover_liveness_and_formulas() -> None:
    s = System()
    go = s.input("go")
    state = s.register("state", 2, init=0)
    state.next = go.ite(state + 1, state)
    s.cover(state == 3, "three")
    s.cover(state != state, "impossible")
    s.not_forever([state == 0], "leaves")
    s.ltl("G (state == 0 -> F state == 1)", "moves")
    report = s.check()
    verdicts = {found.name: found.verdict for found in report}
    assert verdicts["three"] == "reached" and verdicts["impossible"] == "unreachable"
    assert verdicts["leaves"] == "unsafe" and verdicts["moves"] == "unsafe"
    s.fair(go)
    assert s.check(property="moves").verdict == "safe"
    with pytest.raises(elinvar.InputError, match="no signal"):
        s.ltl("G nonsense")


def test_vacuous_proofs_are_noticed() -> None:
    s = System()
    x = s.register("x", 4, init=0)
    x.next = x
    s.always((x == 5).implies(x == 6), "vacuous")
    found = s.check()["vacuous"]
    assert found.verdict == "safe" and found.vacuous


def test_initial_values_can_be_given_and_are_checked() -> None:
    s = System()
    x, y = s.register("x", 100), s.register("y", 4, init=1)
    memory = s.memory("memory", address_width=2, width=4)
    x.next, y.next, memory.next = x, y, memory
    trace = elinvar.simulate(s, 2, initial={"x": 1 << 99, "memory": {2: 5}})
    assert trace["x"] == [1 << 99] * 2
    assert trace["memory"][0][2] == 5 and trace["memory"][0][1] == 0
    with pytest.raises(elinvar.UsageError, match="defines the initial value of y"):
        elinvar.simulate(s, 2, initial={"y": 2})
    with pytest.raises(elinvar.UsageError, match="no input z"):
        elinvar.simulate(s, 2, inputs={"z": [0]})
    with pytest.raises(elinvar.UsageError, match="there are 2 cycles"):
        t = System()
        t.input("a")
        elinvar.simulate(t, 2, inputs={"a": [0, 1, 0]})


def test_unfinished_systems_are_refused() -> None:
    with pytest.raises(elinvar.UsageError, match="no property to check"):
        System().check()
    s = System()
    a, b = s.register("a", 4), s.register("b", 4)
    a.init, b.init = b, a
    s.always(a == b)
    with pytest.raises(elinvar.UsageError, match="depends on itself"):
        s.check()


def test_aiger_and_back() -> None:
    s = System()
    x = s.register("x", 3, init=0)
    x.next = x + 1
    s.always(x != 6, "six")
    assert System.from_aiger(s.to_aiger()).check()[0].depth == 6
    assert s.to_aiger(ascii=True).startswith(b"aag ")
    assert System.from_aiger(s.to_aiger(ascii=True)).check()[0].depth == 6


def test_copies_are_separate() -> None:
    s = System()
    x = s.register("x", init=0)
    x.next = x
    t = s.copy()
    t.always(~t.word("x"), "p")
    assert t.property_names == ("p",) and s.property_names == ()
