"""`bake watch`: what it prints while files change, and how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.command import bake, mistake
from tests.support.shown import get, running, states

HALL = {
    "format": "bake-tiles",
    "version": 1,
    "terrains": {"floor": 1, "wall": "blocked"},
    "legend": {".": "floor", "#": "wall"},
}


def text_of(*rows: str) -> str:
    return json.dumps({**HALL, "rows": rows})


@pytest.fixture
def hall(bare: Path) -> Path:
    """The only level of a project without a recipe."""
    source = bare / "levels_src" / "hall.json"
    source.parent.mkdir()
    source.write_text(text_of("...", ".#."))
    return source


def test_levels_are_baked_as_they_are_saved(hall: Path, bare: Path) -> None:
    with running("watch", cwd=bare) as command:
        assert re.fullmatch(r"\d\d:\d\d:\d\d hall: baked, 5 nodes, .* s", command.line())
        assert command.line() == "watching 1 level; Ctrl-C ends it"
        hall.write_text(text_of("...", "..."))
        assert re.fullmatch(r"\d\d:\d\d:\d\d hall: baked, 6 nodes, .* s", command.line())
        hall.write_text(text_of("...", "..?"))
        assert "levels_src/hall.json: " in command.error()
        hall.write_text(text_of("...", "..."))
        assert command.line().endswith(" hall: as it was baked again")
        (bare / "bake.toml").write_text("nonsense = 1\n")
        assert "bake.toml: line 1: " in command.error()
        (bare / "bake.toml").unlink()
        assert command.line().endswith(" recipe: right again")
        hall.unlink()
        assert "no level file in levels_src/*" in command.error()
        whole = bare / "whole.tmp"
        whole.write_text(text_of("...", "..."))
        whole.replace(hall)  # A file that is half written would be baked.
        assert command.line().endswith(" recipe: right again")
        assert command.errors.empty()
        assert command.interrupt() == 0
    assert bake("info", "baked/hall.h5", "--json").data["nodes"] == 6


def test_json_and_a_page(hall: Path, bare: Path) -> None:
    """One object a line, and mistakes with their place in the page."""
    hall.write_text("{")
    with running("watch", "--view", "--no-browser", "--json", cwd=bare) as command:
        first = json.loads(command.line())
        assert (first["level"], first["status"]) == ("hall", "failed")
        assert command.error() == f"error: {first['error']}"
        told = json.loads(command.line() + command.line() + command.line() + command.line())
        heard = states(told["address"])
        state = next(heard)
        assert state["levels"] == []
        assert state["troubles"] == [{"level": "hall", "text": first["error"]}]
        assert "levels_src/hall.json: line 1" in first["error"]
        hall.write_text(text_of("...."))
        baked = json.loads(command.line())
        assert (baked["status"], baked["nodes"]) == ("baked", 4)
        while state["troubles"] or not state["levels"]:
            state = next(heard)
        assert get(told["address"] + state["levels"][0]["flat"]).status == 200
        assert command.interrupt() == 0


def test_quiet_with_polling(hall: Path, bare: Path) -> None:
    with running("watch", "-q", cwd=bare, WATCHFILES_FORCE_POLLING="1") as command:
        while not (bare / "baked" / "hall.h5").exists():
            time.sleep(0.01)
        hall.write_text("[]")
        assert "levels_src/hall.json: " in command.error()
        assert command.interrupt() == 0
        assert command.lines.empty()


#: Replaces functions of the command line by ones that interrupt this process, and runs it.
INTERRUPTED = """
import os, signal
from bake.cli import main, view, watch
from bake.project.watch import levels
signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10**5):
        pass

class Last:
    def __del__(self):
        interrupt()

def prepare(module, name, interrupted):
    original = getattr(module, name)
    def replacement(*arguments, **options):
        return interrupted(original, *arguments, **options)
    setattr(module, name, replacement)

PREPARE
main()
"""

IDLE_IN_A_FINALIZER = """
def say(original, line):
    original(line)
    if line.startswith(("watching", "http")):
        Last()
prepare(watch, "say", say)
prepare(view, "say", say)
"""

BAKING = """
def attempt(original, *arguments):
    interrupt()
    return original(*arguments)
prepare(levels, "attempt", attempt)
levels.warm_up = lambda tasks: None
"""

AFTER_A_LEVEL = """
def say(original, line):
    original(line)
    if "hall: baked, 4 nodes" in line:
        Last()
prepare(watch, "say", say)
"""


#: h5py reports objects that it cannot close in a fork of a process that had loaded it. Users run
#: commands in processes of their own.
_OF_H5PY = re.compile(
    r"Traceback \(most recent call last\):\n(?:  File \"h5py/_objects\.pyx\".*\n)+"
    r"RuntimeError: .*\n"
    r"|Exception ignored in: 'h5py\._objects.*\n"
)


def interrupted(
    folder: Path, prepare: str, *command: str, save: str | None = None
) -> tuple[int, list[str], list[str]]:
    """Return the exit code and the lines of a command that `prepare` interrupts.

    The level `save` is saved when the command watches.
    """
    code = INTERRUPTED.replace("PREPARE", prepare)
    process = forked.Forked(
        [sys.executable, "-c", code, *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=forked.surroundings(),
    )
    try:
        assert process.stdout
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if save is not None and line.startswith("watching"):
                whole = folder / f"{save}.tmp"
                whole.write_text(text_of("...."))
                whole.replace(folder / "levels_src" / f"{save}.json")
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    return process.returncode, lines, _OF_H5PY.sub("", errors).splitlines()


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@on_posix
@pytest.mark.parametrize("command", [("watch",), ("view", "baked", "--no-browser")])
def test_an_interrupt_while_idle_is_never_lost(
    hall: Path, bare: Path, command: tuple[str, ...]
) -> None:
    """Python drops exceptions in finalizers, where the command may be at any time."""
    assert bake("build").code == 0
    code, lines, errors = interrupted(bare, IDLE_IN_A_FINALIZER, *command)
    assert (code, len(lines), errors) == (0, 1, [])


@on_posix
def test_an_interrupt_while_baking(hall: Path, bare: Path) -> None:
    assert bake("build").code == 0
    code, lines, errors = interrupted(bare, BAKING, "watch", save="hall")
    assert (code, len(lines)) == (130, 1)
    assert errors == ["interrupted; what was finished is kept"]
    assert bake("info", "baked/hall.h5", "--json").data["nodes"] == 5


@on_posix
def test_an_interrupt_after_a_level(hall: Path, bare: Path) -> None:
    """Nothing is being baked as soon as the level's line is printed."""
    code, lines, errors = interrupted(bare, AFTER_A_LEVEL, "watch", save="hall")
    assert (code, errors) == (0, [])
    assert "hall: baked, 4 nodes" in lines[-1]


@pytest.mark.usefixtures("bare")
def test_what_cannot_be_watched() -> None:
    mistake(bake("watch"), "no bake.toml")
    Path("bake.toml").write_text("nonsense = 1\n")
    mistake(bake("watch"), "unknown key")
    assert bake("watch", "--port", "9000").code == 2
