"""`bake watch`: what it prints while files change, and how it ends."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

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
        hall.write_text(text_of("...", "..."))
        # Ctrl-C in the middle of a write makes Python write the line again, so it comes later.
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


@pytest.mark.usefixtures("bare")
def test_what_cannot_be_watched() -> None:
    mistake(bake("watch"), "no bake.toml")
    Path("bake.toml").write_text("nonsense = 1\n")
    mistake(bake("watch"), "unknown key")
    assert bake("watch", "--port", "9000").code == 2
