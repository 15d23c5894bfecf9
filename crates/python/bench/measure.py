"""Measures what the package costs compared with the command line.

    python crates/python/bench/measure.py [--elinvar BINARY] [--wheel WHEEL]

Run it with the package installed from a wheel in release mode, on an idle machine. BINARY is the
command line that was built in the same way; without it, the comparison is left out. WHEEL is
installed into a new environment.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, List

import elinvar
from elinvar import System, concat

TOGGLE = b"aag 1 0 1 0 0 1\n2 3\n2\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elinvar", help="the command line to compare with")
    parser.add_argument("--wheel", help="the wheel to install")
    arguments = parser.parse_args()
    if arguments.wheel:
        report("pip install of the wheel", f"{install(arguments.wheel):.1f} s", "10 s")
    report("import elinvar", f"{1000 * importing():.1f} ms", "50 ms")
    report("overhead of a call", f"{1000 * overhead():.2f} ms", "1 ms")
    report("1,000 × 1,000 values to pandas", f"{1000 * tables():.0f} ms", "100 ms")
    report("growth in 900 checks after 100", f"{growth() / 1024:.0f} KiB", "0")
    report("8 checks in threads, right", str(threads()), "True")
    if arguments.elinvar:
        compare(arguments.elinvar)


def report(what: str, measured: str, limit: str) -> None:
    print(f"{what:34} {measured:>12}   (limit {limit})", flush=True)


def best(measure: Callable[[], float], times: int) -> float:
    return min(measure() for _ in range(times))


def install(wheel: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        begin = time.perf_counter()
        subprocess.run([f"{folder}/bin/pip", "install", "--quiet", "--no-index", wheel], check=True)
        return time.perf_counter() - begin


def importing() -> float:
    """The time of the import alone, in a new process."""
    script = "import time; t = time.perf_counter(); import elinvar; print(time.perf_counter() - t)"
    run = [sys.executable, "-c", script]
    return best(lambda: float(subprocess.run(run, capture_output=True, check=True).stdout), 5)


def overhead() -> float:
    """The time of a call that the run itself did not take."""
    system = elinvar.load(TOGGLE)

    def call() -> float:
        begin = time.perf_counter()
        checked = elinvar.check(system)
        return time.perf_counter() - begin - checked.seconds

    return best(call, 200)


def tables() -> float:
    """The time to replay a trace of 1,000 cycles and 1,000 signals and to make the table of it."""
    import pandas  # noqa: F401 (its own import does not count)

    s = System()
    for number in range(1000):
        register = s.register(f"r{number}", 16, init=number)
        register.next = register + 3
    s.never(s.word("r0") == 3 * 999, "far")
    found = s.check(engine="bmc")["far"]

    def convert() -> float:
        found.__dict__.pop("trace", None)
        begin = time.perf_counter()
        trace = found.trace
        assert isinstance(trace, elinvar.Trace)
        table = trace.to_pandas()
        elapsed = time.perf_counter() - begin
        assert table.shape == (1000, 1000), table.shape
        return elapsed

    return best(convert, 5)


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth() -> int:
    s = System()
    x = s.register("x", 8, init=0)
    x.next = (x == 20).ite(0, x + 1)
    s.always(x < 30, "p")
    s.always(x < 20, "q")
    before = 0
    for number in range(1000):
        checked = s.check(engine="pdr")
        assert checked["q"].trace is not None and checked["p"].certificate is not None
        if number == 100:
            before = memory()
    return memory() - before


def threads() -> bool:
    def depth(bound: int) -> object:
        s = System()
        x = s.register("x", 12, init=0)
        x.next = x + 1
        s.always(x < bound)
        return s.check()[0].depth

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(depth, range(100, 164))) == list(range(100, 164))


def gates() -> System:
    """Hundreds of multipliers over one register: 100,000 gates."""
    s = System()
    state = s.register("state", 16, init=1)
    parts: List[elinvar.Word] = []
    for number in range(90):
        register = s.register(f"r{number}", 16, init=number)
        register.next = (register + 2 * number + 1) * (state + number)
        parts.append(register)
    state.next = concat(state[0:15], state[15] ^ parts[0][3])
    together = parts[0]
    for part in parts[1:]:
        together = together ^ part
    s.never(together == 0x1234, "together")
    return s


CHECK = "import elinvar, sys; elinvar.check(sys.argv[1], engine='bmc', bound={bound})"


def compare(binary: str) -> None:
    """The processor time of the same check by the command line and by the package."""
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "gates.aig")
        elinvar.convert(gates(), model)
        count = int(Path(model).read_bytes().split(b"\n")[0].split()[5])
        bound = 12
        command = [binary, "check", model, "--engine", "bmc", "--bound", str(bound), "--json"]
        python = [sys.executable, "-c", CHECK.format(bound=bound), model]
        idle = best(lambda: cpu([sys.executable, "-c", "import elinvar"]), 3)
        ours, theirs = [], []
        for _ in range(5):
            theirs.append(cpu(command))
            ours.append(cpu(python) - idle)
        ratio = 100 * (min(ours) / min(theirs) - 1)
        text = f"{min(ours):.2f} s, {min(theirs):.2f} s"
        report(f"{count} gates: package, command", text, "")
        report("difference", f"{ratio:+.1f} %", "2 %")


def cpu(command: List[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
