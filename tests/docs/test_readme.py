"""README.md: a first lookup works as it is written there, from saving a level to asking it."""

from pathlib import Path

import pytest

from bake.project.recipe import load_recipe
from tests.support.command import bake
from tests.support.pages import ROOT, blocks, examples, section

PAGE = (ROOT / "README.md").read_text("utf-8")
STEPS = section(PAGE, "Five minutes to a first lookup")


def test_a_first_lookup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (level,), (commands,), (code,) = (blocks(STEPS, name) for name in ("json", "sh", "python"))
    Path("cave.json").write_text(level, "utf-8")
    for command in commands.splitlines():
        name, *arguments = command.split()
        assert name in ("bake", "levelbake")
        assert bake(*arguments).code == 0, command
    assert Path("cave.png").stat().st_size > 0
    shown = examples(STEPS, "README.md")
    assert len(shown) == code.count("  # -> ") > 5
    for value, expected in shown:
        assert value == expected


def test_the_recipe_is_one(tmp_path: Path) -> None:
    (text,) = blocks(STEPS, "toml")
    (tmp_path / "bake.toml").write_text(text, "utf-8")
    (profile,) = load_recipe(tmp_path / "bake.toml").for_level("any").profiles
    assert profile.name == "boat"
