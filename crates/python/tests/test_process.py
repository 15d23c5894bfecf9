"""Threads, memory, interrupts and the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import elinvar
import pytest
from conftest import EXAMPLES, TOGGLE

# A multiplier that no engine decides within minutes.
HARD = """
import elinvar, sys
s = elinvar.System()
a, b = s.register("a", 40), s.register("b", 40)
a.next, b.next = a * b + 3, b * a + 7
s.never((a.zext(80) * b.zext(80) == 0x1234567890abcdef123) & a[0] & b[0] & (a > 1) & (b > 1), "p")
print("ready", flush=True)
"""


def start(script: str) -> "subprocess.Popen[str]":
    """Starts a process and waits until its check has begun."""
    once = """
begun = []
def running(progress):
    if not begun:
        begun.append(progress)
        print("running", flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", HARD + once + script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["ready\n", "running\n"]
    time.sleep(0.5)
    return process


def test_an_interrupt_ends_a_check() -> None:
    process = start(
        """
try:
    elinvar.check(s, on_progress=running)
except KeyboardInterrupt:
    print("interrupted")
print(elinvar.check(b"aag 1 0 1 0 0 1\\n2 3\\n2\\n").verdict)
"""
    )
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert output == "interrupted\nunsafe\n", errors
    assert time.monotonic() - begin < 10.0


PROGRAM = """
procedure p(a: int, b: int, c: int) requires a > 0 && b > 0 && c > 0;
{
  var x, y: int;
  x := a; y := b;
  while (x * y * c < 1000000007) { x := x * x + c * y; y := y * y * c + 3; }
  assert x * x * x + y * y * y != c * c * c;
}
"""


def test_an_interrupt_ends_the_check_of_a_program() -> None:
    try:
        elinvar.Program("procedure p(x: int) { assert x == x; }").check()
    except elinvar.MissingToolError as error:
        pytest.skip(str(error))
    # Z3 must not keep the interrupt for itself.
    process = start(
        f"""
try:
    elinvar.Program({PROGRAM!r}).check(on_progress=running)
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert output == "interrupted\n", errors


def test_other_threads_go_on() -> None:
    ticks = 0
    over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    namespace: dict[str, elinvar.System] = {}
    exec(HARD, namespace)
    assert elinvar.check(namespace["s"], timeout=1.0).verdict == "unknown"
    over.set()
    thread.join()
    assert ticks > 20


def test_eight_checks_at_the_same_time() -> None:
    models = ["counter.aag", "traffic_light.btor2", "peterson.btor2", "several.btor2"] * 4
    expected = {name: elinvar.check(EXAMPLES / name).verdict for name in set(models)}
    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(lambda name: elinvar.check(EXAMPLES / name).verdict, models))
    assert verdicts == [expected[name] for name in models]


def test_one_system_in_several_threads() -> None:
    s = elinvar.System()
    x = s.register("x", 8, init=0)
    x.next = x + 1
    s.always(x < 100)
    with ThreadPoolExecutor(8) as pool:
        depths = list(pool.map(lambda _: s.check()[0].depth, range(16)))
    assert depths == [100] * 16


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is measured on Linux")
def test_memory_does_not_grow() -> None:
    script = """
import elinvar, os
def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
s = elinvar.System()
x = s.register("x", 8, init=0)
x.next = (x == 20).ite(0, x + 1)
s.always(x < 30, "p")
s.always(x < 20, "q")
for number in range(1000):
    report = elinvar.check(s, engine="pdr")
    report["q"].trace["x"], report["p"].certificate.text
    if number == 100:
        before = used()
print(used() - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4 << 20, f"{done.stdout.strip()} bytes more"


def run(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "elinvar", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line(tmp_path: Path) -> None:
    model = tmp_path / "toggle.aag"
    model.write_bytes(TOGGLE)
    checked = run("check", str(model), "--witness", str(tmp_path / "w.txt"))
    assert checked.returncode == 10 and checked.stdout.startswith("unsafe\n")
    verified = run("verify", str(model), str(tmp_path / "w.txt"))
    assert verified.returncode == 0 and verified.stdout.startswith("accepted\n")
    assert run("--version").stdout == f"elinvar {elinvar.__version__}\n"
    wrong = run("check", str(tmp_path / "missing.aag"))
    assert wrong.returncode == 2 and "cannot read" in wrong.stderr
    assert run("nonsense").returncode == 2
    page = tmp_path / "report.html"
    run("check", str(model), "--html", str(page))
    assert f"elinvar check {model}" in page.read_text()


def test_an_interrupt_ends_the_command_line(tmp_path: Path) -> None:
    namespace: dict[str, elinvar.System] = {}
    exec(HARD, namespace)
    model = tmp_path / "hard.btor2"
    model.write_text(namespace["s"].to_btor2())
    command = [sys.executable, "-m", "elinvar", "check", str(model), "--verbose"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The first line of progress comes after a second.
    assert process.stderr is not None and process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0 and "interrupted" in output
