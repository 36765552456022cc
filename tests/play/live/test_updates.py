"""What a batch may say, what is reported of it, and lookups held from before."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bake.play import LevelAsset, QueryError, open_asset
from bake.play.reader.engine import Baked
from tests.support.baked import bake, bake_grid, rows, write_graph
from tests.support.tower import baked_tower, tower_recipe, write_tower

pytestmark = pytest.mark.note(16, "paths before and after changes")

PICTURE = ("......", ".####.", "......")


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bake_grid(tmp_path_factory.mktemp("ring"), rows(*PICTURE))


@pytest.fixture
def level(asset: Path) -> Iterator[LevelAsset]:
    with open_asset(asset) as level:
        yield level


@pytest.mark.parametrize(
    "batch",
    [
        {"blocked": [(6, 0)]},
        {"blocked": [(0, 0), (0, -1)]},
        {"blocked": [(0.5, 0)]},
        {"blocked": 7},
        {"blocked": "ab"},
        {"opened": [(0, 0, 0)]},
        {"blocked": [(1, 0)], "opened": [(1, 0)]},
        {"terrain": {(0, 0): "lava"}},
        {"terrain": [((0, 0), "mud")]},
        {"terrain": {(0, 0): 3}},
        {"arcs": {((0, 0), (2, 0)): math.inf}},
        {"arcs": {((0, 0), (2, 0)): None}},
        {"arcs": {((0, 0), (0, 0)): 1}},
        {"arcs": {((0, 0), (2, 0)): 1e9}},
        {"arcs": {((0, 0), (2, 1)): 1e-9}},
        {"links": {"x": None}},
        {"links": {"": {"from": (0, 0), "to": (2, 0)}}},
        {"links": {7: {"from": (0, 0), "to": (2, 0)}}},
        {"links": {"a\nb": {"from": (0, 0), "to": (2, 0)}}},
        {"links": {"x" * 300: {"from": (0, 0), "to": (2, 0)}}},
        {"links": {"x": ((0, 0), (2, 0))}},
        {"links": {"x": {"from": (0, 0)}}},
        {"links": {"x": {"from": (0, 0), "to": (9, 0)}}},
        {"links": {"x": {"from": (0, 0), "to": (0, 0)}}},
        {"links": {"x": {"from": (0, 0), "goal": (2, 0)}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": math.inf}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": 0}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": "dear"}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": 1e9}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "both_ways": 1}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "profiles": "ogre"}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "profiles": ["ogre"]}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "profiles": [["ogre"]]}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "kind": 3}}},
        {"links": [("x", None)]},
        {"links": {"x": {"from": (0, 0), "to": (2, 0)}, "y": None}},
        {"arcs": {((0, 0), (1, 0)): 0}},
        {"arcs": {((0, 0), (1, 0)): -1}},
        {"arcs": {((0, 0), (1, 0)): math.nan}},
        {"arcs": {((0, 0), (1, 0)): True}},
        {"arcs": {((0, 0), (1, 0)): "dear"}},
        {"arcs": {((0, 0), (1, 0)): "2.5"}},
        {"arcs": {((0, 0), (1, 0)): b"1"}},
        {"arcs": {((0, 0), (1, 0)): np.bool_(True)}},
        {"arcs": {((0, 0), (1, 0)): 10**400}},
        {"arcs": {b"\0\1": 1}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": "2.5"}}},
        {"links": {"x": {"from": (0, 0), "to": (2, 0), "cost": b"1"}}},
        {"arcs": {((0, 0), (1, 0)): 1e9}},
        {"arcs": {((0, 0), (1, 0)): 1e-9}},
        {"arcs": {(0, 0): 1}},
        {"blocked": [(2, 0)], "arcs": {((9, 9), (1, 0)): 1}},
    ],
    ids=lambda batch: str(batch)[:100],
)
def test_a_wrong_batch_changes_nothing(level: LevelAsset, batch: dict[str, object]) -> None:
    nav = level.profile()
    before = nav.distances_to((0, 0)).tolist()
    with pytest.raises(QueryError) as caught:
        level.update(**batch)
    assert "\n" not in str(caught.value)
    assert nav.distances_to((0, 0)).tolist() == before
    assert isinstance(level.profile()._now.engine, Baked)


def test_a_lookup_held_from_before_tells_what_is(level: LevelAsset) -> None:
    nav = level.profile()
    nav.next_hop((0, 0), (5, 0))
    held, path, distance = nav.next_hop, nav.path, nav.distance
    level.update(blocked=[(1, 0)])
    assert held((0, 0), (5, 0)) == (0, 1)
    later = nav.next_hop
    assert later((0, 0), (5, 0)) == (0, 1)
    level.update(opened=[(1, 0)])
    for hop in (held, later, nav.next_hop):
        assert hop((0, 0), (5, 0)) == (1, 0)
    assert path((0, 0), (5, 0)) == [(x, 0) for x in range(6)]
    assert distance((0, 0), (5, 0)) == 5


def test_the_report(level: LevelAsset) -> None:
    nav = level.profile()
    report = nav.update(blocked=[(0, 0), (0, 2)], opened=[(2, 1)])
    assert (report.opened, set(report.closed)) == (((2, 1),), {(0, 0), (0, 2)})
    assert report.arcs > 0
    assert report.components == (1, 2)
    assert report.components_changed
    assert report.clusters == (0, 1)
    assert nav.nearest((0, 1)) == (0, 1)
    assert not nav.reachable((0, 1), (1, 0))
    assert nav.next_hop((0, 1), (1, 0)) is None
    assert nav.path((1, 0), (1, 2)) == [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2)]
    assert level.repair(None) == 0
    assert not report.as_baked
    assert nav.update().arcs == 0


def test_warming_up_changes_nothing(level: LevelAsset) -> None:
    level.warm_up("update")
    assert isinstance(level.profile()._now.engine, Baked)
    assert level.profile().update(blocked=[(1, 0)]).closed == ((1, 0),)


def test_a_path_that_is_cut_is_no_longer_valid(level: LevelAsset) -> None:
    nav = level.profile()
    path = nav.path((0, 0), (5, 0))
    other = nav.path((0, 2), (5, 2))
    assert path is not None
    assert other is not None
    assert nav.still_valid(path)
    assert not nav.still_valid([(0, 0), (0, 2)])
    nav.update(blocked=[(3, 0)])
    assert not nav.still_valid(path)
    assert nav.still_valid(other)
    assert nav.still_valid(path[4:])
    nav.update(arcs={((2, 2), (3, 2)): math.inf})
    assert not nav.still_valid(other)
    assert nav.still_valid(other[::-1])


def test_searches_and_lines_see_the_change(level: LevelAsset) -> None:
    nav = level.profile()
    nav.update(opened=[(2, 1), (3, 1)])
    for method in ("astar", "dijkstra", "bidirectional", "table", "hpa", "weighted", "greedy"):
        found = nav.search((2, 0), (2, 2), method)
        assert found.path == [(2, 0), (2, 1), (2, 2)]
        assert found.cost == 2
    assert nav.plane.smooth(nav.path((2, 0), (2, 2)) or []) == [(2, 0), (2, 2)]
    assert nav.length([(2, 0), (2, 1), (2, 2)]) == 2
    assert nav.search.walk((2, 0), (2, 2)) is not None
    nav.update(arcs={((2, 0), (2, 1)): 0.125})
    assert nav.search((2, 0), (2, 2), "astar").cost == 1.125
    assert nav.length([(2, 0), (2, 1), (2, 2)]) == 1.125


def test_a_blocked_node_of_a_graph(tmp_path: Path) -> None:
    edges = [("a", "b", 1), ("b", "c", 1), ("a", "c", 5)]
    asset = bake(write_graph(tmp_path / "roads.json", ["a", "b", "c"], edges))
    with open_asset(asset) as level:
        nav = level.profile()
        nav.update(blocked=["b"])
        assert nav.path("a", "c") == ["a", "c"]
        assert not nav.still_valid(["a", "b", "c"])
        nav.update(arcs={("a", "c"): None}, opened=["b"])
        assert nav.path("a", "c") == ["a", "b", "c"]
        with pytest.raises(QueryError, match="no arc"):
            nav.update(arcs={("c", "a"): math.inf})


def test_doors_tell_the_state_they_are_in_now(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        before = level.doors
        assert (before["gate"].state, before["hatch"].state) == ("open", "shut")
        assert level.doors is before
        level.set_state("gate", "shut")
        assert (level.doors["gate"].state, level.doors["hatch"].state) == ("shut", "shut")
        assert before["gate"].state == "open"
        assert level.doors["hatch"] is before["hatch"]
        level.save_patch(tmp_path / "shut.patch")
        level.update(terrain={(5, 0, 1): "floor"})
        assert level.doors["hatch"].state is None
        level.update(terrain={(6, 0, 1): "floor"})
        assert level.doors["hatch"].state == "open"
        level.set_state("gate", "open")
        level.set_state("hatch", "shut")
        assert [door.state for door in level.doors.values()] == ["open", "shut"]
        level.apply_patch(tmp_path / "shut.patch")
        assert level.doors["gate"].state == "shut"
        assert level.doors["gate"].states == before["gate"].states


def test_states_of_a_door_that_look_alike(tmp_path: Path) -> None:
    """It is in the one it was baked in as long as its cells are; else in the first that fits."""
    door = {"name": "gate", "cells": [[6, 3, 0]], "state": "wide"}
    states = {"bars": "bars", "ajar": "floor", "wide": "floor", "wall": "bars"}
    source = write_tower(tmp_path, doors=[{**door, "states": states}])
    with open_asset(bake(source, tower_recipe())) as level:
        assert level.doors["gate"].state == "wide"
        level.set_state("gate", "wall")
        assert level.doors["gate"].state == "bars"
        level.set_state("gate", "ajar")
        assert level.doors["gate"].state == "wide"


def test_a_level_without_doors(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, [["floor"] * 3])) as level:
        level.update(blocked=[(0, 0)])
        assert dict(level.doors) == {}
        with pytest.raises(QueryError) as caught:
            level.set_state("gate", "open")
        assert str(caught.value) == "level 'drawn': the level has no doors"
