"""Content decides what is baked again, never a clock."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bake.baking import Task, reasons_to_bake
from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe, ProfileRecipe, load_recipe
from bake.store.header import read_header
from tests.support.baked import rows, write_grid
from tests.support.projects import run, statuses, task_for
from tests.support.tampering import sign_body


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """A level that is up to date."""
    made = task_for(write_grid(tmp_path / "keep.json", rows("..#", "...")))
    assert statuses(run([made])) == {"keep": "baked"}
    assert reasons_to_bake(made) == []
    return made


def test_missing(task: Task) -> None:
    task.asset.unlink()
    assert reasons_to_bake(task) == ["missing"]


def test_a_folder_that_may_not_be_searched(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.stat

    def refuse(self: Path, **settings: bool) -> os.stat_result:
        if self == task.asset:
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, **settings)

    monkeypatch.setattr(Path, "stat", refuse)
    assert reasons_to_bake(task) == ["cannot be read: Permission denied"]


@pytest.mark.parametrize("place", ["file/keep.h5", "absent/keep.h5"])
def test_no_folder_for_the_asset(task: Task, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert reasons_to_bake(replace(task, asset=tmp_path / place)) == ["missing"]


def test_a_header_that_names_no_file(task: Task) -> None:
    header = read_header(task.asset)
    # A second source whose name no system allows.
    sign_body(task.asset, header._replace(sources=(*header.sources, ("\0", "x"))))
    assert reasons_to_bake(task) == ["\0 cannot be read"]


def test_the_source_changed(task: Task) -> None:
    task.source.write_bytes(task.source.read_bytes() + b"\n")
    assert reasons_to_bake(task) == ["keep.json changed"]


def test_the_source_is_gone(task: Task) -> None:
    task.source.unlink()
    assert reasons_to_bake(task) == ["keep.json cannot be read: No such file or directory"]


def test_times_mean_nothing(task: Task) -> None:
    """Neither a newer source, nor an older one; a change back counts as none."""
    whole = task.source.read_bytes()
    for time in (0, 10**9, 4 * 10**9):
        os.utime(task.source, (time, time))
        assert reasons_to_bake(task) == []
        os.utime(task.asset, (time, time))
        assert reasons_to_bake(task) == []
    before = task.source.stat()
    changed = whole.replace(b"..#", b"...")
    assert len(changed) == len(whole)
    task.source.write_bytes(changed)
    os.utime(task.source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert reasons_to_bake(task) == ["keep.json changed"]
    task.source.write_bytes(whole)
    assert reasons_to_bake(task) == []


def test_a_project_may_be_moved(task: Task, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else" / "where"
    elsewhere.mkdir(parents=True)
    for file in (task.source, task.asset):
        shutil.copy(file, elsewhere)
    moved = replace(task, source=elsewhere / task.source.name, asset=elsewhere / task.asset.name)
    assert reasons_to_bake(moved) == []


CHANGES: list[Callable[[LevelRecipe], LevelRecipe]] = [
    lambda recipe: replace(recipe, connectivity=4),
    lambda recipe: replace(recipe, corner_cutting="always"),
    lambda recipe: replace(recipe, cost_rule="entered"),
    lambda recipe: replace(recipe, ticks_per_unit=1000),
    lambda recipe: replace(recipe, tables=("components", "next_hops")),
    lambda recipe: replace(recipe, legend={"#000000": "wall"}),
    lambda recipe: replace(recipe, terrain={**recipe.terrain, "floor": TerrainRule(2)}),
    lambda recipe: replace(recipe, terrain={}),
    lambda recipe: replace(recipe, profiles=(ProfileRecipe("walker"),)),
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_recipe_changed(task: Task, change: Callable[[LevelRecipe], LevelRecipe]) -> None:
    changed = replace(task, recipe=change(task.recipe))
    assert reasons_to_bake(changed) == ["the recipe changed"]
    assert statuses(run([changed])) == {"keep": "baked"}
    assert reasons_to_bake(changed) == []
    assert reasons_to_bake(task) == ["the recipe changed"]


@pytest.mark.parametrize(
    "change",
    [
        lambda recipe: replace(recipe, algorithm="floyd_warshall"),
        lambda recipe: replace(recipe, memory_budget=2**40),
    ],
)
def test_settings_that_change_no_byte(
    task: Task, change: Callable[[LevelRecipe], LevelRecipe]
) -> None:
    changed = replace(task, recipe=change(task.recipe))
    assert reasons_to_bake(changed) == []
    before = task.asset.read_bytes()
    assert statuses(run([changed], force=True)) == {"keep": "baked"}
    assert task.asset.read_bytes() == before


def test_how_a_recipe_is_written_means_nothing(task: Task, tmp_path: Path) -> None:
    first, second = tmp_path / "one.toml", tmp_path / "two.toml"
    first.write_text('[terrain]\nwall = "blocked"\nmud = 3\n')
    second.write_text('# again\nterrain = {mud=3.0, wall="blocked"}\nconnectivity = 8\n')
    one = replace(task, recipe=load_recipe(first).defaults)
    run([one])
    assert reasons_to_bake(one) == []
    second.write_text('# again\nterrain = {mud=3.0, wall="blocked"}\n')
    assert reasons_to_bake(replace(task, recipe=load_recipe(second).defaults)) == []


def test_a_newer_revision_of_the_baking_code(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    baked_by = read_header(task.asset).bake_revision
    monkeypatch.setattr("bake.baking.staleness.BAKE_REVISION", baked_by + 1)
    assert reasons_to_bake(task) == [f"baked by revision {baked_by}, now {baked_by + 1}"]


def test_an_older_format_that_can_still_be_read(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = read_header(task.asset).format_version
    monkeypatch.setattr("bake.store.header.FORMAT_VERSION", version + 1)
    monkeypatch.setattr("bake.baking.staleness.FORMAT_VERSION", version + 1)
    assert reasons_to_bake(task) == [f"format version {version}, now {version + 1}"]


@pytest.mark.parametrize(("by", "reason"), [(-1, "too old"), (1, "too new")])
def test_a_format_of_another_time(task: Task, by: int, reason: str) -> None:
    header = read_header(task.asset)
    sign_body(task.asset, header._replace(format_version=header.format_version + by))
    assert [why.split(":")[0] for why in reasons_to_bake(task)] == [reason]
    assert statuses(run([task])) == {"keep": "baked"}
    assert reasons_to_bake(task) == []


@pytest.mark.parametrize("data", [b"", b"text", b"\x89HDF\r\n\x1a\n" + b"\0" * 600])
def test_what_lies_there_is_no_asset(task: Task, data: bytes) -> None:
    task.asset.write_bytes(data)
    assert len(reasons_to_bake(task)) == 1
    assert statuses(run([task], force=True)) == {"keep": "baked"}
    assert reasons_to_bake(task) == []


def test_baked_from_another_file(task: Task) -> None:
    other = task.source.with_suffix(".png")
    task.source.rename(other)
    moved = replace(task, source=other)
    assert reasons_to_bake(moved) == ["baked from keep.json, now keep.png"]


def test_several_reasons_are_all_told(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    task.source.write_bytes(b"{}")
    changed = replace(task, recipe=replace(task.recipe, connectivity=4))
    assert [why.split()[0] for why in reasons_to_bake(changed)] == ["the", "keep.json"]
    # Another revision may state its recipes in another way, so these are not compared.
    monkeypatch.setattr("bake.baking.staleness.BAKE_REVISION", 99)
    assert [why.split()[0] for why in reasons_to_bake(changed)] == ["baked", "keep.json"]


def test_every_file_a_level_was_read_from_counts(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Formats may draw on other files; they stand in the header beside the level's own."""
    import bake.baking.level as steps

    tiles = tmp_path / "art" / "tiles.png"
    tiles.parent.mkdir()
    tiles.write_bytes(b"one")
    load = steps.load
    monkeypatch.setattr(
        steps, "load", lambda *given, **more: replace(load(*given, **more), depends_on=(tiles,))
    )
    assert statuses(run([task], force=True)) == {"keep": "baked"}
    assert [name for name, _ in read_header(task.asset).sources] == ["keep.json", "art/tiles.png"]
    assert reasons_to_bake(task) == []
    tiles.write_bytes(b"two")
    assert reasons_to_bake(task) == ["art/tiles.png changed"]
    tiles.unlink()
    assert reasons_to_bake(task) == ["art/tiles.png cannot be read: No such file or directory"]
