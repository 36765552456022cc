"""Tables are whole lines where output is not a terminal, and fold where it is one."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from bake.show.console import print_table
from tests.support.command import bake

LEVEL = "level_" + "x" * 120
PROFILE = "profile_" + "y" * 90

COMMANDS = (
    ["build", "--force", "--jobs", "1"],
    ["plan", "--tables"],
    ["info"],
    ["verify"],
    ["lint"],
    ["diff", f"baked/{LEVEL}.h5", f"baked/{LEVEL}.h5"],
    ["check"],
    ["eval", LEVEL, "--pairs", "3", "--profile", PROFILE],
    ["render", "-o", f"{LEVEL}.png"],
    ["export", LEVEL],
    ["view", "--html", f"{LEVEL}.html"],
)


@pytest.fixture
def long_names(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A baked project whose level and profile have names longer than a line; the working folder."""
    monkeypatch.setenv("COLUMNS", "80")
    Path("levels_src").mkdir()
    level = {
        **{"format": "bake-tiles", "version": 1, "terrains": {"floor": 1}},
        **{"legend": {".": "floor"}, "rows": ["...."] * 3},
    }
    Path("levels_src", f"{LEVEL}.json").write_text(json.dumps(level))
    Path("bake.toml").write_text(f"[profiles.{PROFILE}]\n")
    assert bake("build", "--jobs", "1").code == 0
    return bare


@pytest.mark.usefixtures("long_names")
@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_nothing_is_cut_without_a_terminal(
    command: list[str], color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if color:
        monkeypatch.setenv("FORCE_COLOR", "1")
    done = bake(*command)
    assert done.code == 0, done
    assert "…" not in done.out
    if command[0] in ("build", "plan", "info", "diff"):
        assert any(LEVEL in line for line in done.out.splitlines())
    if command[0] in ("plan", "info", "diff"):
        assert any(PROFILE in line for line in done.out.splitlines())
    widths = {len(line) for line in done.out.splitlines()}
    if command[0] in ("plan", "build"):  # A row of each is one line.
        assert max(widths) > len(LEVEL)


def test_a_narrow_terminal_folds_and_cuts_nothing() -> None:
    output = io.StringIO()
    console = Console(file=output, width=30, force_terminal=True, color_system=None)
    print_table(console, ["level", "nodes"], ["nodes"], [["abc" * 20, "123456"]])
    assert "…" not in output.getvalue()
    letters = "".join(output.getvalue().split())
    assert letters.replace("123456", "") == "levelnodes" + "abc" * 20
