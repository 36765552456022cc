"""Without `bake.extras` levels are still baked and used; what needs an extra ends with one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.command import quiet_environment
from tests.support.projects import write_project
from tests.support.puzzles import EIGHT, write_puzzle

#: Runs `bake` with each line of standard input, and prints its exit code.
PROGRAM = """
import shlex, sys
sys.modules["bake.extras"] = None
from bake.cli import main
for line in sys.stdin:
    sys.argv[1:] = shlex.split(line)
    print(">", line.strip(), file=sys.stderr)
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    print("exit code", code, file=sys.stderr)
assert not [name for name in sys.modules if name.startswith("bake.extras.")]
"""

WORKING = """
build --jobs 1
check
lint
plan
info keep
path keep 0,0 3,0
path keep 0,0 3,0 --method astar --heuristic octile
eval keep --pairs 9
render keep -o keep.png
export keep
diff baked/keep.h5 baked/keep.h5
verify
view keep --html page.html
schema tiles
build --shard 1/1
"""

#: Commands that need an extra, their exit code, and a word of the error.
FAILING = {
    "build --cluster local --force": (1, "--cluster"),
    "build eight.json --jobs 1": (1, "eight.json"),
    "plan eight.json": (1, "eight.json"),
    "schema puzzle": (1, "puzzle"),
    "path keep 0,0 3,0 --trace trace.json": (1, "--trace"),
    "path keep 0,0 3,0 --method bfs": (2, "'bfs'"),
    "path keep 0,0 3,0 --method beam --width 3": (2, "'beam'"),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, list[str]]]:
    """The exit code and the lines of standard error of each command."""
    folder = tmp_path_factory.mktemp("game")
    write_project(folder)
    write_puzzle(folder / "eight.json", EIGHT)
    commands = [*WORKING.strip().splitlines(), *FAILING]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(commands),
        cwd=folder,
        env=quiet_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = {}
    for block in done.stderr.split("> ")[1:]:
        command, *errors, code = block.splitlines()
        results[command] = int(code.removeprefix("exit code ")), errors
    assert list(results) == commands
    return results


def test_levels_need_no_extra(results: dict[str, tuple[int, list[str]]]) -> None:
    failed = {
        command: result
        for command, result in results.items()
        if command not in FAILING and result[0]
    }
    assert failed == {}


@pytest.mark.parametrize("command", FAILING)
def test_a_missing_extra_is_one_line(
    command: str, results: dict[str, tuple[int, list[str]]]
) -> None:
    code, lines = results[command]
    lines = [line for line in lines if line.startswith(("error: ", "Traceback"))]
    expected_code, word = FAILING[command]
    assert (code, len(lines)) == (expected_code, 1), lines
    assert word in lines[0]
    assert "pip install" in lines[0]
