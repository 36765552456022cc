"""Measure the time of `make test` with and without cached kernels, by kind of test and kernel.

The tree to be tested is this one, or the clone that ``BAKE_SUITE_OF`` names: to compare two states
of the project, measure both in one sitting.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]

#: Kinds of tests by path; the first match counts.
KINDS = {
    "damage and wrong input": r"damage|hostile|corrupt|corpus|refusals|mistakes|forger|bad_input"
    r"|mutations|every_value|errors|unreadable",
    "readers in other languages, vectors": r"tests/(readers|vectors)/",
    "examples": r"tests/examples/",
    "docs": r"tests/docs/|test_docs|_docs\.py",
    "Dask": r"test_cluster\.py",
    "page in a browser": r"tests/show/viewer/",
    "kills, checkpoints, files": r"crashes|checkpoints|live/test_files|failed_writes|shards",
    "kernels, cold machines": r"tests/core/kernels/|test_cold|test_warm|first_lookups",
    "wheels": r"tests/install/",
    "command line": r"tests/cli/|tests/project/watch/",
    "verify": r"tests/verify/",
    "levels, recipes, first recipes": r"tests/(levels|recipe|start|lint)/",
    "pictures": r"tests/(view|diff)/",
    "source scans": r"tests/test_[a-z_]*\.py::test_[a-z_]*(\[.*\.py\])?$",
    "algorithms against oracles": "",
}


@dataclass
class Run:
    """The costs of one run of the tests."""

    wall: float
    cpu: float
    tests: int = 0
    collecting: float = 0.0
    children: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    kernels: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def read(self, folder: Path) -> None:
        """Add the records that the plugin wrote."""
        for file in folder.glob("*.jsonl"):
            for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
                if "test" in row:
                    self.tests += 1
                    cost = row["own"] + row["others"]
                    self.kinds[_kind(row["test"])] += cost
                    self.children += row["others"]
                    self.kernels.update(row["compiled"])
                elif "skipped" in row:
                    self.skipped[row["reason"].removeprefix("Skipped: ")] += 1
                else:
                    self.collecting += row["collected"]


def run(bench: Bench, section: Section) -> None:
    """Run `make test` with an empty kernel cache, and again with a full one."""
    tree = Path(os.environ.get("BAKE_SUITE_OF", ROOT)).resolve()
    runs = {}
    for name in ("cold", "warm"):
        bench.tell(f"{tree.name}, {name}")
        runs[name] = _run(tree, bench.scratch, bench.scratch / "kernels", name)
    section.text(
        "`make test`, with an empty cache of compiled kernels and then with what the first run "
        "left. CPU seconds are those of all processes that ended; *children* are those that tests "
        "started themselves."
    )
    numbers: dict[str, list[float]] = {
        "wall s": [one.wall for one in runs.values()],
        "CPU s": [one.cpu for one in runs.values()],
        "tests": [one.tests for one in runs.values()],
        "collecting, CPU s": [one.collecting for one in runs.values()],
        "children, CPU s": [one.children for one in runs.values()],
        "compiling in workers, CPU s": [one.kernels.total() for one in runs.values()],
    }
    section.table(
        ("", *runs), [(what, *(f"{n:,.0f}" for n in each)) for what, each in numbers.items()]
    )
    kinds = [(kind, *(f"{one.kinds[kind]:,.0f}" for one in runs.values())) for kind in KINDS]
    section.table(("kind, CPU s", *runs), kinds)
    longest = runs["cold"].kernels.most_common(10)
    section.table(("longest to compile", "CPU s"), [(name, f"{s:.1f}") for name, s in longest])
    skipped = runs["warm"].skipped.most_common()
    section.table(("skipped", "tests"), [(reason, f"{count}") for reason, count in skipped])


def _kind(test: str) -> str:
    return next(kind for kind, pattern in KINDS.items() if re.search(pattern, test))


def _run(tree: Path, scratch: Path, kernels: Path, name: str) -> Run:
    """Run the tests of a tree, and return their costs."""
    # The plugin is in a folder of its own, so that it is found from any tree.
    apart = scratch / "plugin"
    apart.mkdir(exist_ok=True)
    shutil.copy(ROOT / "benchmarks" / "suite_plugin.py", apart)
    costs = scratch / name
    costs.mkdir()
    environment = {
        **os.environ,
        "BAKE_CACHE_DIR": str(kernels),
        "PYTHONPATH": str(apart),
        "PYTEST_ADDOPTS": "-p suite_plugin",
        "SUITE_COSTS": str(costs),
    }
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        ["make", "test"],
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, f"{tree}: {done.stdout[-4000:]}{done.stderr[-1000:]}"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    one = Run(wall, cpu)
    one.read(costs)
    return one
