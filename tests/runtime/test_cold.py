"""On a machine where nothing is compiled, questions are answered without waiting."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bake.kernels import jit
from bake.runtime import open_asset
from bake.runtime.warm import ask_everything
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph
from tests.support.tower import baked_tower

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Asks an asset many things, and prints the answers and whether numba was loaded meanwhile.
QUESTIONS = """
import json, sys
from bake.runtime import open_asset
level = open_asset(sys.argv[1])
nav = level.profile()
a, b = (0, 0), (11, 8)
def answers():
    # Of several shortest paths, compiled code may find another one than plain Python.
    return [
        nav.distance(nav.next_hop(a, b), b), nav.distance(a, b), nav.length(nav.path(a, b)),
        nav.distances([tuple(nav.next_hops([a], [b])[0].tolist())], [b]).tolist(),
        nav.distances([a], [b]).tolist(), nav.length(nav.paths([a], [b])[1].tolist()),
        nav.search(a, b, "hpa").cost, nav.search(a, b).cost, nav.search(a, b, "dijkstra").cost,
        nav.distances_to(b).tolist(), nav.distances_from(a).tolist(),
        nav.within(a, 3)[0].tolist(), list(nav.walk(a, b))[-1], nav.hops_to(b).shape,
    ]
print(json.dumps(answers()))
nav.update(blocked=[nav.next_hop(a, b)])
print(json.dumps(answers()))
print("numba" in sys.modules)
"""


def run(code: str, cache: Path, how: str, *arguments: object) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "BAKE_CACHE_DIR": str(cache), "BAKE_COMPILE": how},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def asset_of(folder: Path) -> Path:
    grid = rows(
        "............",
        "..##..m.....",
        "...#..mm..#.",
        "...#......#.",
        "......##....",
        "..=======...",
        "......#.....",
        ".##...#..mm.",
        "............",
    )
    return bake_grid(folder, grid, tables=("components", "next_hops", "hierarchy"))


def kernels_in(cache: Path) -> int:
    return sum(1 for _ in cache.rglob("*.nbc"))


def test_nothing_is_compiled_and_the_answers_are_the_same(tmp_path: Path) -> None:
    asset = asset_of(tmp_path)
    cold = run(QUESTIONS, tmp_path / "cold", "never", asset)
    assert cold[-1] == "False"
    assert kernels_in(tmp_path / "cold") == 0
    warm = run(QUESTIONS, jit.cache_folder().parent, "wait", asset)
    assert warm[-1] == "True"
    assert [json.loads(line) for line in cold[:2]] == [json.loads(line) for line in warm[:2]]


def test_another_process_fills_the_cache(tmp_path: Path) -> None:
    asset = asset_of(tmp_path)
    code = """
import sys, time
from bake.runtime import cold, open_asset
cold._PROGRAM = "tests.support.warm_a_little"
level = open_asset(sys.argv[1])
nav = level.profile()
path = nav.path((0, 0), (11, 8), "dijkstra")
assert "numba" not in sys.modules
assert cold._FILLER._child.wait(timeout=300) == 0
assert len(nav.path((0, 0), (11, 8), "dijkstra")) == len(path)
assert "numba" in sys.modules
"""
    run(code, tmp_path / "cache", "", asset)
    assert kernels_in(tmp_path / "cache") > 1


def test_other_arguments_do_not_wait_either(tmp_path: Path) -> None:
    code = """
import numpy as np
from bake.kernels import jit
from bake.search.hierarchy.clusters import most_arcs_inside
from bake.kernels.heap import push
assert push(np.zeros((2, 2), np.int64), 0, 5, 7) == 1
missed = []
jit.without_waiting(lambda: missed.append(1), lambda: False)
heap = np.zeros((2, 2), np.float64)
assert push(heap, 0, 5, 7) == 1 and heap[0].tolist() == [5, 7]
assert missed and len(push.overloads) == 1
with jit.waiting():
    push(heap, 0, 5, 7)
assert len(push.overloads) == 2
"""
    run(code, tmp_path / "cache", "wait")


def test_a_kernel_calls_no_compiled_code_when_it_is_plain() -> None:
    from bake.search.point.movement_range import _within

    assert isinstance(_within, jit.Kernel)
    called = [_within.plain.__globals__[name] for name in ("push", "drop_first")]
    assert not any(isinstance(each, jit.Kernel) for each in called)


def test_no_process_is_started_by_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bake.runtime import cold

    monkeypatch.setattr(sys, "executable", str(tmp_path / "game.exe"))
    filler = cold.CacheFiller()
    filler.add(tmp_path / "level.h5")
    filler.start()
    assert filler._child is None


def test_one_process_at_a_time_and_no_asset_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bake.runtime import cold

    started: list[list[str]] = []

    class Child:
        running = True

        def __init__(self, command: list[str], **settings: object) -> None:
            started.append(command[4:])

        def poll(self) -> int | None:
            return None if Child.running else 0

    monkeypatch.setattr(cold.subprocess, "Popen", Child)
    filler = cold.CacheFiller()
    filler.start()
    assert started == []
    filler.add(tmp_path / "a.h5")
    filler.add(tmp_path / "b.h5")
    filler.start()
    filler.add(tmp_path / "c.h5")
    filler.add(tmp_path / "a.h5")
    filler.start()
    assert started == [[str(tmp_path / "a.h5"), str(tmp_path / "b.h5")]]
    Child.running = False
    filler.start()
    filler.start()
    assert started[1:] == [[str(tmp_path / "c.h5")]]


@pytest.mark.parametrize("kind", ["grid", "graph", "tower", "components"])
def test_everything_can_be_asked(tmp_path: Path, kind: str) -> None:
    if kind == "grid":
        asset = asset_of(tmp_path)
    elif kind == "graph":
        edges = [("a", "b", 1), ("b", "a", 1), ("b", "c", 2)]
        asset = bake(write_graph(tmp_path / "roads.json", list("abc"), edges), recipe_for())
    elif kind == "tower":
        asset = baked_tower(tmp_path)
    else:
        asset = bake_grid(tmp_path, rows("..", ".m"), tables=("components",))
    with open_asset(asset) as level:
        ask_everything(level)


def test_an_asset_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bake.runtime.warm", str(tmp_path / "none.h5")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
