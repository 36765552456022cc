"""docs/runtime.md: its examples run, and give what their comments say."""

import re
from pathlib import Path
from typing import Any

import pytest

import bake.runtime
from bake.runtime import LevelAsset, Navigator
from tests.support.pages import blocks, page

PAGE = page("runtime.md")

#: `expression  # -> value`
SHOWN = re.compile(r"^( *)(\S.*?)  # -> (.+)$", re.MULTILINE)


def test_the_examples(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []

    def gives(value: object, expected: str) -> None:
        shown.append((repr(value), expected))

    names: dict[str, Any] = {"gives": gives}
    for code in blocks(PAGE, "python"):
        checked = SHOWN.sub(lambda line: f"{line[1]}gives(({line[2]}), {line[3]!r})", code)
        exec(compile(checked, "runtime.md", "exec"), names)
    for value, expected in shown:
        assert value == expected
    assert len(shown) == len(SHOWN.findall(PAGE)) > 15
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "None"
    assert "cannot stand on (48, 40)" in printed[1]
    assert "(96, 0) lies outside" in printed[2]


def test_every_error_is_explained() -> None:
    errors = [name for name in bake.runtime.__all__ if name.endswith("Error")]
    assert errors
    for name in errors:
        assert f"`{name}" in PAGE


@pytest.mark.parametrize("kind", [LevelAsset, Navigator])
def test_every_public_method_is_mentioned(kind: type) -> None:
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            called = "" if isinstance(member, property) else r"\("
            assert re.search(rf"\b{name}{called}", PAGE), name
