"""docs/traces.md: its examples run, and what they write can be drawn as it says."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import bake
from tests.support.pages import examples, page

PAGE = page("traces.md")


def test_the_examples(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(example, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    shown = examples(PAGE, "traces.md")
    assert [value for value, _ in shown] == [expected for _, expected in shown]
    assert len(shown) == 2
    drawn = ["render", "baked/keep.h5", "-o", "a.png", "--show", "search", "--scale", "2"]
    for trace in ("fog.json", "tank.json"):
        done = bake(*drawn, "--trace", trace)
        assert (done.code, done.err) == (0, "")
    done = bake(*drawn, "--trace", "fog.json", "--step", "100", "--json")
    assert (done.data["step"], done.data["steps"]) == (100, 172)
    assert bake("path", "baked/keep.h5", "3,4", "9,9", "--trace", "way.json").code == 0
    assert bake(*drawn, "--trace", "way.json").code == 0
    done = bake(*drawn, "--trace", "bake.toml")
    assert (done.code, len(done.errors)) == (1, 1)
