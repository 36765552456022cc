"""Where nothing is compiled, plain Python answers and no process starts, until one warms up."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from bake.core.kernels import cache, jit
from bake.play import level, open_asset, warm
from bake.play.warm import ask_everything
from tests.support import counted
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph
from tests.support.tower import baked_tower

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Refuses to start any process; h5py asks `uname` for the processor, once, when it is imported.
ALONE = """
import sys, h5py
def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.system", "pty.spawn") or event.startswith(
        ("os.fork", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile")
    ):
        raise AssertionError(f"{event}{arguments}")
sys.addaudithook(refuse)
"""

#: Asks an asset many things, and prints the answers and whether numba was loaded meanwhile.
QUESTIONS = """
import json, sys
from bake.play import open_asset
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
        nav.distances_to(b).tolist(), nav.search.distances_from(a).tolist(),
        nav.search.within(a, 3)[0].tolist(), list(nav.search.walk(a, b))[-1], nav.hops_to(b).shape,
    ]
print(json.dumps(answers()))
nav.update(blocked=[nav.next_hop(a, b)])
print(json.dumps(answers()))
print("numba" in sys.modules)
"""


def python(cache: Path, *arguments: object, how: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "BAKE_CACHE_DIR": str(cache), "BAKE_COMPILE": how},
        check=False,
    )


def run(code: str, cache: Path, *arguments: object, how: str = "") -> list[str]:
    done = python(cache, "-c", code, *arguments, how=how)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run_here(code: str, *arguments: object) -> list[str]:
    """What code prints in this process, which waits for the compiler and fills the usual cache."""
    told = io.StringIO()
    with mock.patch.object(sys, "argv", ["-c", *map(str, arguments)]), redirect_stdout(told):
        exec(code, {})
    return told.getvalue().splitlines()


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


#: Asks the first questions of a process, and prints whether numba was loaded, before and after.
FIRST = """
import sys
from bake.play import open_asset
level = open_asset(sys.argv[1])
nav = level.profile()
before = "numba" in sys.modules
for ask in (nav.path, nav.distance, nav.search, nav.search.walk):
    assert ask((0, 0), (11, 8))
for method in ("hpa", "dijkstra", "bidirectional"):
    assert nav.path((0, 0), (11, 8), method)
print(before, "numba" in sys.modules)
level.warm_up("astar")
print("numba" in sys.modules)
"""


def test_no_question_about_a_small_level_waits_for_numba(tmp_path: Path) -> None:
    """Though the cache has all that the questions could run compiled.

    After an update a thread loads kernels: see tests/play/live/test_known.py.
    """
    asset, full = asset_of(tmp_path), cache.cache_folder().parent
    run_here(FIRST, asset)
    assert run(FIRST, full, asset) == ["False False", "True"]


def test_no_process_starts_and_plain_answers_are_those_of_compiled_code(tmp_path: Path) -> None:
    asset = asset_of(tmp_path)
    cold = run(ALONE + QUESTIONS, tmp_path / "cold", asset)
    assert cold[-1] == "False"
    assert kernels_in(tmp_path / "cold") == 0
    warm = run_here(QUESTIONS, asset)
    assert warm[-1] == "True"
    assert [json.loads(line) for line in cold[:2]] == [json.loads(line) for line in warm[:2]]


def test_the_test_above_sees_processes(tmp_path: Path) -> None:
    done = python(tmp_path, "-c", ALONE + "import subprocess; subprocess.Popen([sys.executable])")
    assert "AssertionError: subprocess.Popen" in done.stderr


#: Changes a level and asks for one step, as the first update of a game does, in plain Python; says
#: how many functions would have been compiled, with those that they call.
FIRST_UPDATE = """
import sys
from bake.core.kernels.jit import Kernel, noted
from bake.play import open_asset
asked, called = set(), set()
def note(kernel, arguments):
    asked.add(kernel)
    look_into(kernel)
def look_into(kernel):
    code, names = kernel.function.__code__, kernel.function.__globals__
    for each in map(names.get, code.co_names):
        if isinstance(each, Kernel) and each not in called | {kernel}:
            if each.options.get("inline") != "always":
                called.add(each)
            look_into(each)
with noted(note):
    nav = open_asset(sys.argv[1]).profile()
    nav.update(blocked=[nav.next_hop((0, 0), (11, 8))])
    nav.next_hop((0, 0), (11, 8))
print(len(asked) + len(called))
"""


def test_a_first_update_and_the_step_after_it_compile_few_functions(tmp_path: Path) -> None:
    """The asset says by which order the level is contracted, so nothing that finds one."""
    (count,) = run(FIRST_UPDATE, tmp_path / "cache", asset_of(tmp_path))
    assert 0 < int(count) <= 24


#: Asks for a path before and after a level is warmed up, here or beside.
BEFORE_AND_AFTER = """
import sys
from bake.play import open_asset
nav = open_asset(sys.argv[1]).profile()
path = nav.path((0, 0), (11, 8), "dijkstra")
assert "numba" not in sys.modules
{warm}
assert len(nav.path((0, 0), (11, 8), "dijkstra")) == len(path)
print("numba" in sys.modules)
"""


@pytest.fixture(scope="module")
def warmed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The cache of a process that warmed up, and what it printed."""
    folder = tmp_path_factory.mktemp("warmed")
    code = BEFORE_AND_AFTER.format(warm="nav.warm_up('dijkstra')")
    return folder / "cache", run(ALONE + code, folder / "cache", asset_of(folder))


def test_a_process_compiles_when_it_warms_up(warmed: tuple[Path, list[str]]) -> None:
    cache, printed = warmed
    assert printed == ["True"]
    assert kernels_in(cache) > 1


def test_what_another_process_compiles_is_for_those_that_start_later(
    tmp_path: Path, warmed: tuple[Path, list[str]]
) -> None:
    asset, cache = asset_of(tmp_path), tmp_path / "cache"
    beside = f"import shutil; shutil.copytree({str(warmed[0])!r}, {str(cache)!r})"
    assert run(BEFORE_AND_AFTER.format(warm=beside), cache, asset) == ["False"]
    compiled = kernels_in(cache)
    code = BEFORE_AND_AFTER.format(warm="nav.warm_up('dijkstra')")
    assert run(ALONE + code, cache, asset) == ["True"]
    assert kernels_in(cache) == compiled


def test_other_arguments_do_not_wait_either(tmp_path: Path) -> None:
    code = """
import numpy as np
from bake.core.kernels import jit
from bake.core.kernels.heap import push
with jit.waiting():
    assert push(np.zeros((2, 2), np.int64), 0, 5, 7) == 1
heap = np.zeros((2, 2), np.float64)
assert push(heap, 0, 5, 7) == 1 and heap[0].tolist() == [5, 7]
assert len(push.overloads) == 1
with jit.waiting():
    push(heap, 0, 5, 7)
assert len(push.overloads) == 2
"""
    counted.python(code, tmp_path / "cache", BAKE_COMPILE="")


def test_a_kernel_calls_no_compiled_code_when_it_is_plain() -> None:
    from bake.search.point.movement_range import _search_range

    assert isinstance(_search_range, jit.Kernel)
    called = [_search_range.plain.__globals__[name] for name in ("push", "drop_first")]
    assert not any(isinstance(each, jit.Kernel) for each in called)


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


def test_the_program_waits_for_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = bake_grid(tmp_path, rows(".."), tables=("components",))
    monkeypatch.delenv("BAKE_COMPILE")
    monkeypatch.setattr(sys, "argv", ["warm", str(asset), str(asset)])
    waited: list[bool] = []
    monkeypatch.setattr(warm, "ask_everything", lambda level: waited.append(jit.may_wait()))
    assert warm.main() == 0
    assert waited == [True, True]
    assert not jit.may_wait()


def test_the_program_tells_what_it_cannot_open(tmp_path: Path) -> None:
    done = python(tmp_path / "cache", "-m", "bake.play.warm", tmp_path / "none.h5")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"error: {tmp_path / 'none.h5'}: no such asset; bake it first: `bake build`\n"
    )


#: Asks for a path, and says what was loaded by then, and what by opening the level.
LOOKUPS = """
import sys
import bake.play.level as module
module.LARGE = int(sys.argv[2])
nav = module.open_asset(sys.argv[1]).profile()
loaded = {name for name in sys.modules if name.startswith("numba")}
assert nav.path((0, 0), (11, 8)) and nav.distances([(0, 0)], [(11, 8)])[0] > 0
assert nav.distance((0, 0), (11, 8)) > 0 and nav.nearest((3, 3)) is not None
print("numba" in loaded, loaded == {name for name in sys.modules if name.startswith("numba")})
"""


def test_opening_a_large_level_loads_what_lookups_would_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level of 12 x 9 cells is large here, or one cell short of it."""
    asset, full = asset_of(tmp_path), cache.cache_folder().parent
    assert run(LOOKUPS, tmp_path / "empty", asset, 108) == ["False True"]
    monkeypatch.setattr(level, "LARGE", level.LARGE)  # which the code sets
    run_here(LOOKUPS, asset, 108)
    assert run(LOOKUPS, full, asset, 108) == ["True True"]
    assert run(LOOKUPS, full, asset, 109) == ["False True"]
