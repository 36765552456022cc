"""Pictures in docs show what is drawn now; `python -m tests.support.pictures` takes them anew."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.show.viewer.contents import shown_level
from tests.support.command import bake
from tests.support.pages import DOCS, page
from tests.support.pictures import DIGEST, DRAWN, drawn
from tests.support.screenshot import SHOWN, digest

STALE = "look at what `python -m tests.support.pictures` takes anew, and commit it"


def test_every_picture_is_taken_by_a_command() -> None:
    assert {path.stem for path in DOCS.glob("*.png")} == {*DRAWN, *SHOWN, "growth"}


@pytest.mark.parametrize("name", DRAWN)
def test_bake_render_draws_the_same(example: Path, name: str) -> None:
    found, expected = (
        np.asarray(Image.open(file).convert("RGB"))
        for file in (DOCS / f"{name}.png", io.BytesIO(drawn(name)))
    )
    assert np.array_equal(found, expected), f"docs/{name}.png is stale: {STALE}"


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_this_page_that_is_seen(example: Path, name: str) -> None:
    with Image.open(DOCS / f"{name}.png") as picture:
        taken_of = picture.info.get(DIGEST)
    level = shown_level(Path("baked", "keep.h5"))
    assert taken_of == digest(level), f"docs/{name}.png shows another page: {STALE}"


def test_what_is_said_of_the_search(example: Path, tmp_path: Path) -> None:
    """As many places are expanded as rendering.md tells below its picture."""
    words = page("rendering.md").replace("\n", " ")
    asked = ["render", "baked/keep.h5", "-o", tmp_path / "search.png", "--show", "search"]
    for method, told in (
        ("hpa", "HPA\\* expanded {:,} transitions"),
        ("astar --heuristic octile", "would have looked at {:,} cells"),
    ):
        options = ["--path", "3,4", "79,12", "--scale", "2", "--json", "--method", *method.split()]
        assert told.format(bake(*asked, *options).data["expanded"]) in words
