"""What tests share from build/tests is of this source, this recipe and this code, and whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support import stored as store
from tests.support.baked import rows, write_grid
from tests.support.stored import ROOT, stored, stored_asset, sweep


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a store that holds nothing and that nobody has asked yet."""
    monkeypatch.setattr(store, "STORE", tmp_path / "store")
    for each in (stored_asset, sweep):
        monkeypatch.setattr(store, each.__name__, each.__wrapped__)
    return tmp_path / "store"


@pytest.fixture
def level(tmp_path: Path) -> Path:
    (tmp_path / "bake.toml").write_text("")
    return write_grid(tmp_path / "yard.json", rows("...", ".#."))


def bakes(level: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a level is baked when its asset is asked for."""
    count, really = 0, store.bake_level

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return really(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(store, "bake_level", counted)
        asset = store.stored_asset(level, level.with_name("bake.toml"))
    with open_asset(asset) as opened:
        assert opened.name == level.stem
    return count


def test_a_level_is_baked_once(level: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [bakes(level, monkeypatch) for _ in range(3)] == [1, 0, 0]


@pytest.mark.parametrize("what", ["source", "recipe", "code", "damage", "cut off"])
def test_another_one_is_baked_anew(level: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    assert bakes(level, monkeypatch) == 1
    asset = store.stored_asset(level, level.with_name("bake.toml"))
    if what == "source":
        write_grid(level, rows("...", "..."))
    elif what == "recipe":
        level.with_name("bake.toml").write_text("connectivity = 4\n")
    elif what == "code":
        monkeypatch.setattr(store, "code", lambda: "other")
    else:
        data = bytearray(asset.read_bytes())
        data[-1] ^= 1
        asset.write_bytes(data if what == "damage" else data[:-1])
    assert [bakes(level, monkeypatch) for _ in range(2)] == [1, 0]


def test_other_files_of_a_level_count(level: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = ("levels_src/manor.tmx", "levels_src/manor.tsx", "bake.toml")
    house, tiles, _ = (Path(shutil.copy(ROOT / name, level.parent)) for name in copied)
    assert [bakes(house, monkeypatch) for _ in range(2)] == [1, 0]
    tiles.write_text(tiles.read_text("utf-8") + "\n", "utf-8")
    assert [bakes(house, monkeypatch) for _ in range(2)] == [1, 0]


def test_what_cannot_be_made_leaves_nothing(empty: Path) -> None:
    def fails(folder: Path) -> None:
        (folder / "half").write_text("")
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        stored("thing", ["a"], fails)
    assert list(empty.iterdir()) == []


def test_who_comes_second_takes_what_is_there(empty: Path) -> None:
    """Two processes make the same thing at once: the folder is whole at any time."""

    def late(folder: Path) -> None:
        (folder / "by").write_text("me")
        stored("thing", ["a"], lambda other: (other / "by").write_text("another"))

    found = stored("thing", ["a"], late)
    assert (found / "by").read_text() == "another"
    assert list(empty.iterdir()) == [found]


def test_what_nobody_asks_for_is_removed(empty: Path) -> None:
    made = [stored(name, [], lambda folder: None) for name in ("old", "new")]
    os.utime(made[0], (0, 0))
    stored("other", [], lambda folder: None)
    assert not made[0].exists()
    assert made[1].exists()
