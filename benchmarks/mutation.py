"""How many small changes to `bake/search` and `bake/tables` the tests notice.

    python -m benchmarks.mutation [--sample 200] [--seed 1] [--limit 60] [MODULE...]

Each mutant of a sample replaces its module in a process of its own, uncompiled, and the tests that
concern that module run until one fails. A mutant that is not noticed survives: either a test is
missing, or the change means nothing. The seed decides the sample, so a run can be repeated.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import os
import random
import signal
import sys
import time
from collections import Counter
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from benchmarks.mutants import Mutant, mutants

ROOT = Path(__file__).parents[1]
PACKAGES = ("search", "tables")
#: Tests of small cases, the quickest first; `TESTS` puts others before them.
COMMON = ("tests/lecture_notes", "tests/tables/test_small_graphs.py")
_SEARCHES = ("tests/runtime/test_searches.py",)
_CLUSTERS = ("tests/tables/test_clusters.py",)
_HPA = (*_CLUSTERS, "tests/runtime/test_hpa.py")
TESTS: dict[str, tuple[str, ...]] = {
    "search/adjacency": ("tests/search/test_space.py",),
    "search/astar_buckets": _SEARCHES,
    "search/astar_heap": _SEARCHES,
    "search/batch": ("tests/search/test_batch.py",),
    "search/bidirectional": _SEARCHES,
    "search/entrances": _HPA,
    "search/estimate": _SEARCHES,
    "search/first_moves": ("tests/search/test_dense_first_moves.py",),
    "search/floyd_warshall": ("tests/search/test_floyd_warshall.py",),
    "search/follow": ("tests/runtime/test_runs.py",),
    "search/greedy_best_first": _SEARCHES,
    "search/heap": _SEARCHES,
    "search/heap_pairs": _HPA,
    "search/hpa": _HPA,
    "search/inner_fields": _HPA,
    "search/inside": _HPA,
    "search/min_plus": _HPA,
    "search/norms": ("tests/search/test_norms.py",),
    "search/overlay": _HPA,
    "search/overlay_landmarks": _HPA,
    "search/partition": _CLUSTERS,
    "search/patch_order": ("tests/search/test_patch_order.py",),
    "search/runs": ("tests/tables/test_compressed.py",),
    "search/smooth": _HPA,
    "search/space": ("tests/search/test_space.py", *_SEARCHES),
    "search/straight_runs": _HPA,
    "search/strong_components": ("tests/tables/test_components.py",),
    "search/successors": ("tests/search/test_successors.py",),
    "search/symmetric": _CLUSTERS,
    "search/trace": _SEARCHES,
    "search/visibility": ("tests/runtime/test_sight.py",),
    "tables/all_pairs": ("tests/tables/test_all_pairs.py",),
    "tables/clusters": _CLUSTERS,
    "tables/components": ("tests/tables/test_components.py",),
    "tables/compressed": ("tests/tables/test_compressed.py",),
    "tables/hierarchy": _HPA,
    "tables/layers": _HPA,
}
#: What a mutant came to, by how its process ended.
KILLED, SURVIVED, ENDLESS = "killed", "survived", "endless"


class _Replaced(MetaPathFinder, Loader):
    """Imports one module from code that was changed."""

    def __init__(self, name: str, code: CodeType, file: Path) -> None:
        self.name, self.code, self.file = name, code, file

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.file, loader=self)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def tests_of(module: Path) -> list[str]:
    """Where to look first, then the rest: a mutant ends at its first failure."""
    chosen = (*TESTS.get(f"{module.parent.name}/{module.stem}", ()), *COMMON)
    return list(dict.fromkeys(chosen))


def outcome(module: Path, tree: ast.Module | None, limit: float) -> tuple[str, float]:
    """Run a module's tests with it replaced (None: as it is); how that ended, in seconds."""
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        os.setsid()
        _run(module, tree)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        taken = time.perf_counter() - started
        if done:
            return (SURVIVED if status == 0 else KILLED), taken
        if taken > limit:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return ENDLESS, taken
        time.sleep(0.02)


def _run(module: Path, tree: ast.Module | None) -> None:
    """In the child: run the tests, end with their status."""
    code = 3
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        if tree is not None:
            name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
            program = compile(tree, str(module), "exec")
            sys.meta_path.insert(0, _Replaced(name, program, module))
        import pytest

        plain = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
        code = int(pytest.main([*plain, *tests_of(module)]))
    finally:
        os._exit(code)


def _sample(modules: list[Path], size: int, seed: int) -> list[tuple[Path, Mutant]]:
    every = [(module, each) for module in modules for each in mutants(module.read_text("utf-8"))]
    print(f"{len(every)} mutants of {len(modules)} modules", flush=True)
    chosen = random.Random(seed).sample(range(len(every)), min(size, len(every)))
    return [every[place] for place in sorted(chosen)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*", help="such as search/heap; else all of both packages")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for a mutant")
    chosen = parser.parse_args()

    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    for name in (
        "numpy",
        "h5py",
        "numba",
        "networkx",
        "scipy.sparse.csgraph",
        "hypothesis",
        "pytest",
    ):
        with contextlib.suppress(ImportError):
            __import__(name)  # once, before the processes part

    modules = [ROOT / "bake" / f"{name}.py" for name in chosen.modules] or [
        file
        for package in PACKAGES
        for file in sorted((ROOT / "bake" / package).glob("*.py"))
        if file.stem not in ("__init__", "jit")
    ]
    counts: dict[str, Counter[str]] = {package: Counter() for package in PACKAGES}
    right: set[Path] = set()
    for module, mutant in _sample(modules, chosen.sample, chosen.seed):
        if module not in right:
            ended, taken = outcome(module, None, chosen.limit)
            print(f"# {module.stem}: unchanged {ended} in {taken:.1f} s", flush=True)
            if ended != SURVIVED:
                sys.exit(
                    f"the tests of {module} fail, or take longer than --limit, without a change"
                )
            right.add(module)
        ended, taken = outcome(module, mutant.tree(), chosen.limit)
        counts[module.parent.name][ended] += 1
        if ended != KILLED:
            place = f"{module.relative_to(ROOT)}:{mutant.line}"
            print(f"{ended} {place}: {mutant.change} ({taken:.0f} s)", flush=True)
    for package, found in counts.items():
        total = sum(found.values())
        if total:
            noticed = total - found[SURVIVED]
            print(f"{package}: {noticed} of {total} noticed ({noticed / total:.1%}); {dict(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
