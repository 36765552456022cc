"""Run long versions of the tests of changing levels: random batches, readers, killed processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/play/live"

#: Batches, lookups of each of three readers, killed processes, and the size of a field.
FULL = (30_000, 340_000, 50, "512x512")
QUICK = (200, 4_000, 1, "250x200")
READERS = 3


def run(bench: Bench, section: Section) -> None:
    """Run all four tests; a failure counts as a wrong answer."""
    steps, lookups, kills, field = bench.either(FULL, QUICK)
    rows = []
    bench.tell(f"{steps:,} batches")
    said, seconds = _run("test_stateful.py", {"BAKE_UPDATE_STEPS": steps})
    told = re.search(r"(\d+) batches, (\d+) transitions", said)
    assert told is not None, "the stateful test says nothing of its batches"
    batches, transitions = (int(number) for number in told.groups())
    what = f"random batches, after each everything held against the truth ({transitions:,} "
    rows.append((f"{what}transitions compared)", f"{batches:,}", "0", f"{seconds:.0f}"))
    bench.tell(f"{READERS * lookups:,} lookups")
    _, seconds = _run("test_threads.py", {"BAKE_THREAD_LOOKUPS": lookups})
    what = f"answers of {READERS} threads while a fourth changes the level, none torn"
    rows.append((what, f"{READERS * lookups:,}", "0", f"{seconds:.0f}"))
    bench.tell(f"{kills} kills")
    _, seconds = _run("test_files.py", {"BAKE_KILLS": kills}, "-k", "killed")
    what = "processes killed while they kept a journal, nothing acknowledged lost"
    rows.append((what, f"{kills:,}", "0", f"{seconds:.0f}"))
    bench.tell(f"a field of {field}")
    _, seconds = _run("test_large_fields.py", {"BAKE_FIELD": field})
    rows.append((f"updates of 1 to all cells of {field}", "27", "0", f"{seconds:.0f}"))
    section.text(
        "Tests that CI runs in short, at length. The first draws batches on lattices and directed "
        "graphs with one or two profiles, and compares distances and next hops of all pairs with "
        "Floyd and Warshall's, bounds with distances, A* and HPA* with the truth, and the "
        "hierarchy with one built from scratch."
    )
    section.table(("what", "how many", "failed", "s"), rows)


def _run(file: str, numbers: dict[str, int | str], *more: str) -> tuple[str, float]:
    """Return the output and the seconds of a file of tests."""
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-n", "0"]
    environment = {**os.environ, **{name: str(number) for name, number in numbers.items()}}
    begun = time.perf_counter()
    done = subprocess.run(
        [*command, f"{TESTS}/{file}", *more],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{file}: {done.stdout[-2000:]}"
    return done.stdout, time.perf_counter() - begun
