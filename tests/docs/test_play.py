"""docs/play.md: its examples run, and give what their comments say."""

import re
from pathlib import Path
from typing import Any

import pytest

import bake.play
from bake.play import LevelAsset, Navigator
from tests.support.pages import SHOWN, blocks, checked, page

PAGE = page("play.md")


def test_the_examples(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    examples = blocks(PAGE, "python")
    shown = [found for code in examples for found in checked(code, "play.md", names)]
    for value, expected in shown:
        assert value == expected
    assert len(shown) == len(SHOWN.findall(PAGE)) > 15
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "None"
    assert "cannot stand on (48, 40)" in printed[1]
    assert "(96, 0) lies outside" in printed[2]


def test_every_error_is_explained() -> None:
    errors = [name for name in bake.play.__all__ if name.endswith("Error")]
    assert errors
    for name in errors:
        assert f"`{name}" in PAGE


@pytest.mark.parametrize("kind", [LevelAsset, Navigator])
def test_every_public_method_is_mentioned(kind: type) -> None:
    members = {name: member for each in kind.__mro__[:-1] for name, member in vars(each).items()}
    for name, member in members.items():
        if not name.startswith("_"):
            called = "" if isinstance(member, property) else r"\("
            assert re.search(rf"\b{name}{called}", PAGE), name
