"""Drawn levels are taken from those that were baked only where a bake would give the same."""

from __future__ import annotations

import builtins
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import h5py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bake.asset.write import Contents
from bake.errors import BakeError
from bake.kernels.jit import uncompiled
from bake.pipeline import level as pipeline
from bake.recipe import LevelRecipe, load_recipe
from bake.tables import components
from tests.support import baked
from tests.support.baked import bake, bake_anew, bake_grid, recipe_for, rows, write_grid
from tests.support.stored import ROOT
from tests.support.structure import imports, modules
from tests.support.untouched import is_usual, untouched, watched

YARD = rows("....", ".##.", "....")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty store, in a process that shares what it bakes."""
    monkeypatch.setattr(baked, "USUAL", True)
    monkeypatch.setattr(baked, "drawn", lambda: tmp_path / "kept")
    return tmp_path / "kept"


class Bakes:
    """Bakes a level in a new folder each time, and tells whether that was necessary."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0

    def __call__(
        self, grid: list[list[str]] = YARD, name: str = "yard", **settings: object
    ) -> tuple[bool, bytes]:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        with patch.object(baked, "bake_anew", wraps=bake_anew) as really:
            data = bake_grid(folder, grid, name=name, **settings).read_bytes()
        return really.called, data


@pytest.fixture
def bakes(tmp_path: Path) -> Bakes:
    return Bakes(tmp_path)


def test_a_level_is_baked_once(bakes: Bakes, tmp_path: Path) -> None:
    (first, one), (again, other) = bakes(), bakes()
    assert (first, again) == (True, False)
    assert one == other
    assert one == bake_anew(write_grid(tmp_path / "yard.json", YARD), recipe_for()).read_bytes()


def test_another_level_is_another_one(bakes: Bakes) -> None:
    cases = [
        bakes,
        partial(bakes, rows("....", "....", "....")),
        partial(bakes, name="other"),
        partial(bakes, connectivity=4),
        partial(bakes, algorithm="search"),
        partial(bakes, memory_budget=2**28),
    ]
    for way, is_first in enumerate((True, False)):
        assert [case()[0] for case in cases] == [is_first] * len(cases), way


def test_what_cannot_be_baked_is_refused_each_time(bakes: Bakes) -> None:
    bakes()
    for _ in range(2):
        with pytest.raises(BakeError):
            bakes(memory_budget=1)


def test_a_level_in_its_place_is_baked_anew(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "yard.json", YARD)
    with patch.object(baked, "bake_anew", wraps=bake_anew) as really:
        bake(source)
        bake(source)
    assert really.call_count == 2


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:40], lambda _: b""])
def test_damage_in_the_store(bakes: Bakes, kept: Path, damage: Callable[[bytes], bytes]) -> None:
    bakes()
    (file,) = kept.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    assert [bakes()[0] for _ in range(2)] == [True, False]


def test_levels_of_several_files_are_not_kept(tmp_path: Path, kept: Path) -> None:
    for name in ("levels_src/manor.tmx", "levels_src/manor.tsx"):
        shutil.copy(ROOT / name, tmp_path)
    bake(tmp_path / "manor.tmx", load_recipe(ROOT / "bake.toml").for_level("manor"))
    assert not kept.exists()


def test_properties_keep_nothing(tmp_path: Path, kept: Path) -> None:
    @settings(max_examples=2, database=None)
    @given(st.just(YARD))
    def holds(grid: list[list[str]]) -> None:
        bake(write_grid(tmp_path / "yard.json", grid))

    holds()
    assert not kept.exists()


#: What tests do to a bake: each way makes something else of a name that it goes by.
TOUCHES: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "limit": lambda: patch.object(components, "MAX_CLOSURE", 0),
    "limit by its name": lambda: patch("bake.search.all_pairs.batch.LANES", 64),
    "function": lambda: patch.object(pipeline, "profile_tables", wraps=pipeline.profile_tables),
    "name it never had": lambda: patch.object(pipeline, "sorted", sorted, create=True),
    "method": lambda: patch.object(LevelRecipe, "canonical", lambda recipe: "{}"),
    "default of a class": lambda: patch.object(LevelRecipe, "spacing", 9),
    "method it never had": lambda: patch.object(Contents, "__len__", len, create=True),
    "entry": lambda: patch.dict("bake.levels.movingai.LETTERS", {"?": "floor"}),
    "built in": lambda: patch.object(builtins, "sorted", lambda *given: sorted(*given)),
    "system": lambda: patch("os.fsync", lambda handle: None),
    "paths": lambda: patch.object(Path, "stat", lambda path: None),
    "library": lambda: patch.object(h5py, "File", None),
    "missing module": lambda: patch.dict(sys.modules, {"never.seen": None}),
    "another module": lambda: patch.dict(sys.modules, {"bake.tables.components": pipeline}),
    "uncompiled": uncompiled,
    "no compiler": lambda: patch("bake.kernels.jit.COMPILED", False),
    "checkpoints": lambda: patch.dict(os.environ, {"BAKE_CHECKPOINT_SECONDS": "0"}),
    "bounds": lambda: patch.dict(os.environ, {"NUMBA_BOUNDSCHECK": "1"}),
    "compiling": lambda: patch.dict(os.environ, {"BAKE_COMPILE": "never"}),
}


@pytest.mark.parametrize("way", TOUCHES)
def test_changed_code_neither_takes_nor_keeps(way: str, tmp_path: Path, kept: Path) -> None:
    sources = [write_grid(tmp_path / f"{name}.json", YARD) for name in ("known", "new")]
    bake(sources[0]).unlink()
    before = sorted(kept.iterdir())
    with patch.object(baked, "bake_anew") as really:
        assert untouched()
        with TOUCHES[way]():
            assert not untouched()
            for source in sources:
                bake(source)
        assert untouched()
        assert really.call_count == 2
    assert sorted(kept.iterdir()) == before


def test_what_tests_change_shows_in_the_asset(bakes: Bakes) -> None:
    """The guard is there for this: the same file and rules, and another asset."""
    before = bakes()[1]
    with patch.object(pipeline, "BAKE_REVISION", 99):
        assert bakes()[1] != before
    assert bakes() == (False, before)


def test_processes_of_another_kind_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = {"BAKE_COMPILE": "wait", "BAKE_CACHE_DIR": "here", "HOME": "there"}
    assert is_usual(usual, compiled=True)
    assert not is_usual(usual, compiled=False)
    assert not is_usual({}, compiled=True)
    for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "BAKE_X", "PYTEST_CURRENT_TEST"):
        assert not is_usual({**usual, name: "1"}, compiled=True), name


def test_they_bake_themselves(bakes: Bakes, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baked, "USUAL", False)
    assert [bakes()[0] for _ in range(2)] == [True, True]
    assert not kept.exists()


def test_all_that_a_bake_may_run_is_watched() -> None:
    known = modules()
    found, ahead = set(), ["pipeline.level"]
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += imports(known[module], known)
    assert {f"bake.{module}" for module in found} <= set(watched())
