"""Time the startup of commands: imports, help, and builds with nothing to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks import child
from benchmarks.baking import write_recipe
from benchmarks.bench import Bench, Skip
from benchmarks.levels import small_level
from benchmarks.section import Section

LEVELS = 100
SIZE = 16
SMALL_SIZE = 48

_IMPORT = """
import numpy, h5py, time
begun = time.perf_counter()
import {module}
print(time.perf_counter() - begun)
"""
_LOADED = """
import sys, numpy, h5py
before = set(sys.modules)
import bake.play
heavy = {"numba", "typer", "PIL", "pydantic", "rich", "scipy", "networkx"}
print(len(heavy & (set(sys.modules) - before)))
"""


def run(bench: Bench, section: Section) -> None:
    """Measure each command in processes of its own."""
    command = child.bake_command()
    if command is None:
        raise Skip("the bake command is not installed")
    times = bench.either(15, 3)
    assert child.python_says(_LOADED) == 0, "import bake.play loads more than numpy and h5py"
    imported = {
        module: median(child.python_says(_IMPORT.format(module=module)) for _ in range(times))
        for module in ("levelbake", "bake.play")
    }
    child.run([command, "--help"])
    helped = median(child.run([command, "--help"]) for _ in range(times))
    idle = _nothing_to_do(bench, command, times)
    section.text(
        f"Each in a process of its own, by the wall clock, with bytecode there; medians of {times}."
    )
    section.table(
        ("what", "seconds"),
        [
            *(
                (f"`import {module}`, after numpy and h5py", f"{seconds:.3f}")
                for module, seconds in imported.items()
            ),
            ("`bake --help`", f"{helped:.3f}"),
            (f"`bake build`, {LEVELS} levels, all up to date", f"{idle:.3f}"),
        ],
    )
    for module, most in (("levelbake", 10), ("bake.play", 60)):
        section.at_most(f"`import {module}`", imported[module] * 1000, most, "ms", digits=0)
    section.at_most("`bake --help`", helped, 0.25, "s")
    section.at_most(f"`bake build` of {LEVELS} levels, nothing to do", idle, 1, "s")
    first, later = _first_and_next(bench, command, bench.either(5, 1))
    section.text(
        f"The first build ever of a level of {SMALL_SIZE} x {SMALL_SIZE} cells, with no compiled "
        "kernel in the cache, and the next one, of the same level again (`--force`):"
    )
    section.table(("first, s", "next, s"), [(f"{first:.2f}", f"{later:.2f}")])
    section.at_most("first build ever", first, 15, "s")
    section.at_most("the next one", later, 1, "s")


def _nothing_to_do(bench: Bench, command: str, times: int) -> float:
    folder = bench.scratch / "hundred"
    write_recipe(folder)
    (folder / "levels_src").mkdir()
    for number in range(LEVELS):
        file = folder / "levels_src" / f"level{number:03}.map"
        file.write_text(small_level(SIZE, number), encoding="utf-8")
    build = [command, "build", "--recipe", str(folder / "bake.toml")]
    child.run(build)
    outcome = _json_of([*build, "--json"], folder)
    assert '"baked"' not in outcome, "a second build bakes again"
    assert len(list((folder / "baked").glob("*.h5"))) == LEVELS, "not every level was baked"
    return median(child.run(build) for _ in range(times))


def _first_and_next(bench: Bench, command: str, times: int) -> tuple[float, float]:
    folder = bench.scratch / "first"
    write_recipe(folder)
    source = folder / "small.map"
    source.write_text(small_level(SMALL_SIZE), encoding="utf-8")
    build = [command, "build", str(source), "-o", str(folder), "--force"]
    build += ["--recipe", str(folder / "bake.toml")]

    def with_cache(cache: Path) -> Callable[[], float]:
        return lambda: child.run(build, {"BAKE_CACHE_DIR": str(cache)})

    first, later = [], []
    for number in range(times):
        timed = with_cache(folder / f"cache{number}")
        first.append(timed())
        later.append(timed())
    return median(first), median(later)


def _json_of(command: list[str], folder: Path) -> str:
    """Return the JSON output of a command in one line."""
    import subprocess

    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return json.dumps(json.loads(done.stdout))
