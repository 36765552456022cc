"""What a long task needs is compiled before it begins, by processes that do not stay behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bake.core.kernels import ahead, jit
from tests.support import forked
from tests.support.baked import write_graph, write_grid
from tests.support.counted import PUSH, python, taken

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Rehearses what calls two kernels, and says what was told of it.
AHEAD = """
import numpy as np
from bake.core.kernels import ahead, heap as module

def rehearse():
    entries = np.zeros((3, 2), np.int64)
    for size, key in enumerate((5, 4)):
        assert module.push(entries, size, key, 7 + size) == size + 1
    assert entries[0].tolist() == [4, 8] and module.drop_first(entries, 2) == 1
    assert not module.push._compiled

shares = []
def report(what, share):
    if what != "waiting for the compiler":
        shares.append(share)
        assert what.startswith("compiling 2 kernels, once, on ")
"""

TOLD = """
said = ahead.compile_ahead(rehearse, report)
assert shares == sorted(shares) and shares[::len(shares) - 1] == [0, 1]
print(said.partition(" on ")[0], end="; ")
"""


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_a_rehearsal_calls_is_compiled_beside(tmp_path: Path) -> None:
    assert python(AHEAD + TOLD + PUSH, tmp_path) == "compiled 2 kernels, once,; 1 0"
    assert python(PUSH, tmp_path) == "1 0"


def test_what_is_there_is_not_compiled_again(tmp_path: Path) -> None:
    assert python(AHEAD + "print(ahead.compile_ahead(rehearse, report))", tmp_path)
    assert python(AHEAD + "print(ahead.compile_ahead(rehearse, report))", tmp_path) == ""


def test_a_cache_that_cannot_be_written_starts_no_process(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    code = "ahead.subprocess = None\nprint(ahead.compile_ahead(rehearse, report)[:30])\n"
    done = python(AHEAD + code + PUSH, nowhere, **taken(tmp_path / "tmp"))
    assert done == "compiled code cannot be kept: \n0 1"


def test_processes_that_cannot_start_leave_it_to_whoever_calls(tmp_path: Path) -> None:
    code = "ahead._COMPILER = (sys.executable, '-c', 'raise SystemExit')\n"
    code += "assert ahead.compile_ahead(rehearse, report) == ''\n"
    assert python(AHEAD + code + PUSH, tmp_path) == "0 1"


def test_an_interrupt_ends_all_of_it(tmp_path: Path) -> None:
    code = """
def report(what, share):
    if what != "waiting for the compiler":
        raise KeyboardInterrupt
try:
    ahead.compile_ahead(rehearse, report)
except KeyboardInterrupt:
    pass
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none is left")
"""
    assert python(AHEAD + code, tmp_path) == "none is left"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_processes_end_with_one_that_is_killed(tmp_path: Path) -> None:
    code = """
import time
crew = ahead._Crew(2)
print(*(each.pid for each in crew._processes), flush=True)
time.sleep(60)
"""
    environment = forked.surroundings(BAKE_CACHE_DIR=str(tmp_path))
    command = [sys.executable, "-c", "import sys\n" + AHEAD + code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        pids = [int(each) for each in parent.stdout.readline().split()]
        parent.kill()
    end = time.monotonic() + 30
    while not all(map(gone, pids)):
        assert time.monotonic() < end
        time.sleep(0.01)
    assert len(pids) == 2


#: Bakes something tiny of each level's kind, then the level; says what was called only then.
REHEARSED = """
import numba
from pathlib import Path
from bake.core.kernels.jit import noted
from bake.core.level import GridLevel
from bake.baking import level, compiling
from bake.baking.sources import Task
from tests.support.baked import GROUND, recipe_for

def called(bake):
    found = set()
    with noted(lambda kernel, args: found.add((kernel, tuple(map(numba.typeof, args))))):
        bake()
    return found

for source in map(Path, sys.argv[2:]):
    recipe = recipe_for(GROUND, tables=None, spacing=4)
    task = Task(source, source.with_suffix(".h5"), recipe)
    read = level.read_level(task)
    stands = level.open_terrains(read, level.agent_profiles(read, recipe))
    tiny, as_whole = compiling.sample_of(read, stands), compiling._for_sample(read, recipe, 200)
    for make in level._rehearse, level._rehearse_on_cells:
        if make is level._rehearse or isinstance(read, GridLevel):
            ahead = called(lambda: make(tiny, as_whole))
            late = called(lambda: make(read, as_whole)) - ahead
            print(len(ahead) > 9, *(kernel.function.__name__ for kernel, _ in late), end="; ")
"""


def test_a_rehearsal_calls_all_that_a_bake_does(tmp_path: Path) -> None:
    line = ["floor", "wall", "mud", "floor"]
    grid = [["floor"] * 12, ["floor"] * 12, line * 3] * 3
    square = write_grid(tmp_path / "square.json", grid)
    hexagons = write_grid(tmp_path / "hex.json", grid, "odd-r")
    arcs = [(i, (i * k + k) % 30, 1.0 + i % 3) for i in range(30) for k in (1, 5, 7)]
    graph = write_graph(tmp_path / "graph.json", range(30), arcs)
    levels = [str(each) for each in (square, hexagons, graph)]
    assert python(REHEARSED, tmp_path / "cache", levels) == "True; " * 4 + "True;"


def test_what_cannot_be_compiled_keeps_no_other_process_waiting(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "bake.core.kernels.ahead"],
        env={**os.environ, "BAKE_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    job = ["bake.core.kernels.heap", "push", ["number", "int64"], ["number", "int64"]]
    worker.stdin.write(json.dumps(job).encode() + b"\n")
    worker.stdin.flush()
    assert worker.stdout.read(1) == b"."
    turns = [*tmp_path.rglob("*.turn")]
    assert len(turns) == 1
    with turns[0].open("ab") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    worker.communicate()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        np.int32(7),
        np.zeros((2, 3), np.int16),
        np.zeros((2, 3), np.int16, "F"),
        np.zeros((4, 6), np.int16)[::2, ::2],
        (np.zeros(0, np.bool_), None),
    ],
    ids=["none", "bool", "int", "float", "int32", "C", "F", "A", "tuple"],
)
def test_examples_are_compiled_for_what_the_argument_is(value: object) -> None:
    numba = pytest.importorskip("numba")
    made = ahead._example(*json.loads(json.dumps(ahead._kind(value))))
    assert numba.typeof(made) == numba.typeof(value)
