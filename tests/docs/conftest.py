"""Levels of our own, baked where the examples of the pages look for them."""

import shutil
from pathlib import Path

import pytest

from tests.support.pages import ROOT
from tests.support.stored import stored_asset

NAMES = (
    "arcade.json",
    "bastion.json",
    "depot.json",
    "five.json",
    "grove.json",
    "harbour.svg",
    "keep.png",
    "marsh.png",
    "oneway.json",
    "plaza.json",
    "ridge.json",
    "roads.json",
    "town.json",
)


@pytest.fixture(scope="session")
def _example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example")
    for kind in ("levels_src", "baked"):
        (folder / kind).mkdir()
    for name in NAMES:
        shutil.copy(ROOT / "levels_src" / name, folder / "levels_src" / name)
        shutil.copy(stored_asset(name), folder / "baked")
    shutil.copy(ROOT / "bake.toml", folder / "bake.toml")
    return folder


@pytest.fixture
def example(_example: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `baked/keep.h5` and more; the working directory. Leave assets as they are."""
    monkeypatch.chdir(_example)
    return _example
