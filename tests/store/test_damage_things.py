"""Damage to columns of links, regions, spots, doors and floors, and to those of updates."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from bake.core.movement import MAX_SIZE
from bake.play import open_asset
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake_grid
from tests.support.damage import (
    DRAWN,
    THING_COLUMNS,
    UPDATE_COLUMNS,
    check_values,
    each_held,
    edit,
    replaced,
)
from tests.support.tower import baked_tower

WAY = [(7, 0, 0), (7, 0, 1), (8, 0, 1)]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return baked_tower(tmp_path_factory.mktemp("tower")).read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, original: bytes) -> list[object]:
    """What the asset answers before it is damaged."""
    path = tmp_path_factory.mktemp("whole") / "tower.h5"
    path.write_bytes(original)
    return ask(path)


@pytest.fixture
def tower(tmp_path: Path, original: bytes) -> Path:
    path = tmp_path / "tower.h5"
    path.write_bytes(original)
    return path


def ask(path: Path) -> list[object]:
    with open_asset(path) as level:
        regions = [(each.name, each.id, each.cells.tolist()) for each in level.regions.values()]
        doors = [
            (door.name, door.id, door.cells.tolist(), door.state, dict(door.states))
            for door in level.doors.values()
        ]
        lengths = [level.profile(name).length(WAY) for name in ("cat", "walker")]
        lengths.append(level.profile("ogre").length([(0, 0, 0), (0, 1, 0), (1, 2, 0)]))
        nav = level.profile("ogre")
        return [*level.links.values(), *level.spots(), regions, doors, lengths, nav.nearest(WAY[0])]


def test_every_column_is_there(tower: Path) -> None:
    assert len(ask(tower)) == 3 + 3 + 4
    with open_asset(tower) as level:
        assert all(level._file.has(name) for name in THING_COLUMNS)


@pytest.mark.parametrize(
    "make",
    [
        lambda old: np.zeros(old.shape, dtype=np.complex128),
        lambda old: np.zeros((*old.shape, 2), dtype=old.dtype),
        lambda old: old.reshape(-1)[0],
    ],
    ids=["dtype", "more dimensions", "no dimension"],
)
def test_a_column_of_another_kind(make: Callable[[np.ndarray], object], tower: Path) -> None:
    for name, path, looking in each_held(THING_COLUMNS, tower, tower):
        with looking:
            edit(path, replaced(name, make))
            with pytest.raises(CorruptAssetError, match=name):
                ask(path)


@pytest.mark.parametrize(
    "make",
    [lambda old: old[:-1], lambda old: np.concatenate([old, old[-1:]]), lambda old: old[:0]],
    ids=["one less", "one more", "none"],
)
def test_a_column_of_another_length(
    make: Callable[[np.ndarray], object], tower: Path, expected: list[object]
) -> None:
    """Damage, or else every answer is right all the same."""
    for name, path, looking in each_held(THING_COLUMNS, tower, tower):
        with looking:
            edit(path, replaced(name, make))
            with suppress(CorruptAssetError):
                assert ask(path) == expected, name


@pytest.mark.parametrize("name", THING_COLUMNS)
def test_values_that_the_table_forbids(name: str, tower: Path) -> None:
    check_values(tower, name, ask)


def test_states_of_one_name(tower: Path) -> None:
    edit(tower, replaced("/door_state_name", lambda old: np.full_like(old, b"open")))
    with pytest.raises(CorruptAssetError, match="does not fit"):
        ask(tower)


@pytest.mark.parametrize("value", [0, -5, 3, 10, 2**40])
def test_floors_that_do_not_fit(value: int, tower: Path) -> None:
    edit(tower, lambda file: file.attrs.__setitem__("floor_height", np.int64(value)))
    with pytest.raises(CorruptAssetError, match="floor_height"):
        open_asset(tower)


@pytest.mark.parametrize("value", [0, -1, MAX_SIZE + 1, 2**40, "2"])
def test_a_size_that_is_none(value: object, tower: Path) -> None:
    edit(tower, lambda file: file["profiles/ogre"].attrs.__setitem__("size", value))
    with pytest.raises(CorruptAssetError, match="size"):
        ask(tower)


def ask_after_closing(path: Path, cell: tuple[int, ...]) -> None:
    with open_asset(path) as level:
        nav = level.profile(level.profiles[0])
        nav.update(blocked=[cell])
        nav.next_hop((0, 1, 0)[: len(cell)], (0, 2, 0)[: len(cell)])


@pytest.fixture(params=UPDATE_COLUMNS)
def updated(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, tuple[int, ...]]:
    """An asset that has the column, the column, and a cell to close."""
    if request.param == "/barred":
        return baked_tower(tmp_path), request.param, (0, 0, 0)
    return bake_grid(tmp_path, DRAWN), request.param, (0, 0)


@pytest.mark.parametrize(
    "make",
    [
        lambda old: np.zeros(old.shape, dtype=np.complex128),
        lambda old: np.zeros((*old.shape, 2), dtype=old.dtype),
        lambda old: old.reshape(-1)[0],
        lambda old: old[1:],
    ],
    ids=["dtype", "more dimensions", "no dimension", "one less"],
)
def test_what_only_changed_levels_read_is_named_at_the_first_change(
    make: Callable[[np.ndarray], object], updated: tuple[Path, str, tuple[int, ...]]
) -> None:
    """Nothing is changed by it."""
    path, name, cell = updated
    edit(path, replaced(name, make))
    with pytest.raises(CorruptAssetError, match="damaged"):
        ask_after_closing(path, cell)
