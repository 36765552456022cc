"""Mutation testing of `bake/search`, `bake/tables` and the school.

    python -m benchmarks.mutation [--sample 200] [--seed 1] [--budget 10] [--each 2] [MODULE...]

Each mutant of a sample replaces its module in a process of its own, uncompiled, and the tests near
that module run until one fails: those of them that take at most a few seconds each, and some more
in all, which are found by running them unchanged first. A mutant that they do not notice meets all
tests of those files, compiled, in a copy of the project. One that is not noticed then survives: a
test is missing, or the change means nothing. The seed decides the sample.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from hypothesis import Phase, settings

from benchmarks.mutant_copy import ENDLESS, KILLED, SURVIVED, Copy
from benchmarks.mutants import Mutant, mutants
from benchmarks.near_tests import Quick, files_for

ROOT = Path(__file__).parents[1]
PACKAGES = ("school", "search", "tables")
#: Processor seconds for a mutant beyond twice the time of its unchanged tests.
_SLACK = 5

_PLAIN = (
    *("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"),
    "--hypothesis-profile=mutation",
)


class _Replaced(MetaPathFinder, Loader):
    """An importer that loads one module from changed code."""

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


@dataclass(frozen=True)
class Baseline:
    """The tests of some modules, run on unchanged code.

    Attributes:
        tests: their names.
        left_out: how many there are beside them that take too long.
        seconds: of the processor, imports included.
    """

    tests: tuple[str, ...]
    left_out: int
    seconds: float


@cache
def baseline(files: tuple[str, ...], each: float, total: float) -> Baseline:
    """Run test files on unchanged code, and select the quick tests.

    Raises:
        SystemExit: one fails.
    """

    kept = ("chosen", "failed", "left_out", "seconds")

    def run() -> int:
        quick = Quick(each, total)
        pytest.main([*_PLAIN[1:], *files], plugins=[quick])
        os.write(there, json.dumps({name: getattr(quick, name) for name in kept}).encode())
        return 0

    here, there = os.pipe()
    with os.fdopen(here, "rb") as pipe:
        child = _forked(run)
        os.close(there)
        told = json.loads(pipe.read() or b"{}")
        os.waitpid(child, 0)
    if not told or told["failed"]:
        sys.exit(f"without a change, of {', '.join(files)}: {told}")
    return Baseline(tuple(told["chosen"]), told["left_out"], told["seconds"])


def outcome(module: Path, tree: ast.Module, near: Baseline) -> str:
    """Run a module's quick tests on a mutant, and return the outcome."""
    limit = int(2 * near.seconds + _SLACK)

    def run() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        name = ".".join(module.relative_to(ROOT).with_suffix("").parts)
        sys.meta_path.insert(0, _Replaced(name, compile(tree, str(module), "exec"), module))
        return int(pytest.main([*_PLAIN, *near.tests]))

    _, status = os.waitpid(_forked(run), 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU):
        return ENDLESS
    return SURVIVED if status == 0 else KILLED


def _forked(run: Callable[[], int]) -> int:
    """Start a silent process whose exit code is the result of ``run``."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        code = run()
    finally:
        os._exit(code)


def _sample(modules: list[Path], size: int, seed: int) -> list[tuple[Path, Mutant]]:
    every = [(module, each) for module in modules for each in mutants(module.read_text("utf-8"))]
    print(f"{len(every)} mutants of {len(modules)} modules", flush=True)
    chosen = random.Random(seed).sample(range(len(every)), min(size, len(every)))
    return [every[place] for place in sorted(chosen)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("modules", nargs="*", help="such as search/point/space; else all of both")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=float, default=2.0, help="seconds a test may take")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds for a mutant's tests")
    chosen = parser.parse_args()

    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    # Run once, before the processes fork.
    for name in ("numpy", "h5py", "numba", "networkx", "scipy.sparse.csgraph", "pydantic"):
        with contextlib.suppress(ImportError):
            __import__(name)
    # One failure is enough: skip shrinking and repeating it.
    settings.register_profile(
        "mutation", deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate]
    )

    modules = [ROOT / "bake" / f"{name}.py" for name in chosen.modules] or [
        file
        for package in PACKAGES
        for file in sorted((ROOT / "bake" / package).rglob("*.py"))
        if file.stem != "__init__"
    ]
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(ROOT, Path(folder))
        sample = _sample(modules, chosen.sample, chosen.seed)
        _meet(sample, copy, chosen.each, chosen.budget)
    return 0


def _meet(sample: list[tuple[Path, Mutant]], copy: Copy, each: float, budget: float) -> None:
    """Run tests on mutants, and print the outcomes."""
    counts: dict[str, Counter[str]] = {package: Counter() for package in PACKAGES}
    told: set[Path] = set()
    for module, mutant in sample:
        files = files_for(module)
        near = baseline(files, each, budget)
        if module not in told:
            told.add(module)
            print(
                f"# {module.stem}: {len(near.tests)} tests in {near.seconds:.0f} s, "
                f"{near.left_out} slower ones",
                flush=True,
            )
        begun = time.perf_counter()
        tree = mutant.tree()
        ended, by = outcome(module, tree, near) if near.tests else SURVIVED, "quick"
        if ended == SURVIVED:
            ended, by = copy.outcome(module, tree, files), "compiled"
        counts[module.relative_to(ROOT / "bake").parts[0]][f"{ended} {by}"] += 1
        if ended != KILLED or by != "quick":
            place = f"{module.relative_to(ROOT)}:{mutant.line}"
            taken = time.perf_counter() - begun
            print(f"{ended} ({by}) {place}: {mutant.change} ({taken:.0f} s)", flush=True)
    for package, found in counts.items():
        total = sum(found.values())
        if total:
            noticed = total - found[f"{SURVIVED} compiled"]
            print(f"{package}: {noticed} of {total} noticed ({noticed / total:.1%}); {dict(found)}")


if __name__ == "__main__":
    sys.exit(main())
