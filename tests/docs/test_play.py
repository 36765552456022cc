"""The pages of the reader and of bake.play: their examples run, and give what they say."""

import re
from pathlib import Path
from typing import Any

import pytest

import bake.play
import levelbake
from bake.play import LevelAsset, Navigator
from bake.play.clusters import ClusterTree
from bake.play.plane import Plane
from bake.play.searches import Searches
from levelbake import Level, Profile
from tests.support.pages import ROOT, SHOWN, examples, page

READER, PLAY = page("reader.md"), page("play.md")
SHORT = (ROOT / "readers" / "python" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("text", [SHORT, READER, PLAY], ids=["short", "reader", "play"])
def test_the_examples(text: str, example: Path) -> None:
    shown = examples(text, "page")
    for value, expected in shown:
        assert value == expected
    assert len(shown) == len(SHOWN.findall(text)) >= 5


def test_the_reader_is_described_on_one_page() -> None:
    assert len(READER.split()) <= 1500


@pytest.mark.parametrize(("package", "text"), [(levelbake, READER), (bake.play, READER + PLAY)])
def test_every_error_is_explained(package: Any, text: str) -> None:
    errors = [name for name in package.__all__ if name.endswith("Error")]
    assert errors
    for name in errors:
        assert f"`{name}" in text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Level, READER),
        (Profile, READER),
        (ClusterTree, PLAY),
        *((each, READER + PLAY) for each in (LevelAsset, Navigator, Searches, Plane)),
    ],
)
def test_every_public_method_is_mentioned(kind: type, text: str) -> None:
    members = {name: member for each in kind.__mro__[:-1] for name, member in vars(each).items()}
    for name, member in members.items():
        if not name.startswith("_"):
            called = r"\(" if callable(member) else ""
            assert re.search(rf"\b{name}{called}", text), name
