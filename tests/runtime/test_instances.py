"""Next hops by instances, held against the same level baked flat: every pair, path and change."""

import json
import random
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.apply import apply_patch
from bake.asset import Asset
from bake.errors import BlockedCellError, BudgetError, CostError, OutputError
from bake.export.export import export_asset
from bake.graph import usable_subgraph
from bake.level import TerrainRule
from bake.pipeline.level import read_level, read_world
from bake.pipeline.profile import placed_rows
from bake.pipeline.sources import Task
from bake.recipe import LevelRecipe, ProfileRecipe
from bake.runtime import Instance, Navigator, open_asset
from bake.tables.instances import folded_table
from bake.verify import verify_asset
from tests.support.baked import LETTERS, NAMES, bake, recipe_for
from tests.support.tampering import table
from tests.support.towns import house, town

BY_INSTANCES = {"tables": ("components", "next_hops"), "storage": "instances"}
FLAT = {"tables": ("components", "next_hops", "distances"), "distance_storage": "dense"}


def baked(folder: Path, document: Mapping[str, object], **more: Any) -> tuple[Path, Path]:
    """Bake a level by instances, and flat."""
    made = []
    for name, how in (("folded", BY_INSTANCES), ("flat", FLAT)):
        source = folder / f"{name}.json"
        source.write_text(json.dumps(document))
        made.append(bake(source, recipe_for(**{**more, **how})))
    return made[0], made[1]


def arcs_of(nav: Navigator) -> dict[tuple[int, int], int]:
    """The cheapest ticks from row to row."""
    usable = nav._now.tables.usable
    found: dict[tuple[int, int], int] = {}
    ends = zip(usable.graph.tail().tolist(), usable.graph.head.tolist(), strict=True)
    for pair, ticks in zip(ends, usable.weight.tolist(), strict=True):
        found[pair] = min(ticks, found.get(pair, ticks))
    return found


def assert_equal(folded: Navigator, flat: Navigator) -> None:
    """Distances of all pairs are equal, and hops and paths are as short as they say."""
    ours, theirs = folded._now.tables, flat._now.tables
    rows = theirs.row_count
    assert ours.row_count == rows
    start, goal = (each.astype(np.int32) for each in np.divmod(np.arange(rows**2), rows))
    ticks = theirs.ticks_between(start, goal)
    np.testing.assert_array_equal(ours.ticks_between(start, goal), ticks)
    weight = arcs_of(flat)
    hop, reached = ours.next_rows(start, goal), np.isfinite(ticks)
    assert ((hop < 0) == ~reached).all()
    moves = np.flatnonzero(reached & (start != goal))
    step = [weight[pair] for pair in zip(start[moves].tolist(), hop[moves].tolist(), strict=True)]
    onward = ticks[hop[moves] * rows + goal[moves]]
    assert (step + onward == ticks[moves]).all()
    assert (hop[start == goal] == goal[start == goal]).all()
    some = np.arange(0, rows**2, max(1, rows**2 // 200))
    first, path = ours.walk(start[some], goal[some])
    for place, pair in enumerate(some.tolist()):
        along = path[first[place] : first[place + 1]].tolist()
        assert bool(along) == reached[pair]
        if along:
            assert (along[0], along[-1]) == (start[pair], goal[pair])
            assert sum(weight[each] for each in pairwise(along)) == ticks[pair]
            one = ours.path(int(start[pair]), int(goal[pair]))
            assert one is not None
            assert sum(weight[each] for each in pairwise(one.tolist())) == ticks[pair]
    for row in (0, rows // 2, rows - 1):
        np.testing.assert_array_equal(ours.ticks_toward(row), ticks[goal == row])


def two_kinds(seed: int = 5) -> dict[str, Any]:
    rng = random.Random(seed)
    return town(rng, [house(rng, 7, 6, 2), house(rng, 6, 5, 1)], 2, 2, 1)


def test_a_town(tmp_path: Path) -> None:
    folded, flat = baked(tmp_path, two_kinds())
    with open_asset(folded) as one, open_asset(flat) as other:
        assert_equal(one.profile(), other.profile())
    # Whatever way they are turned, there are two interiors.
    assert sorted(np.unique(table(folded, "instance_interior")).tolist()) == [0, 1]
    cells = len(table(folded, "interior_cell"))
    assert len(table(folded, "folded_parent")) < len(table(flat, "component")) + cells
    proof = verify_asset(folded, None, lambda done: None)
    with open_asset(flat) as other:
        rows = other.profile()._now.tables.row_count
    assert (proof.pairs, proof.distances) == (rows**2, rows**2)


def test_by_hand(tmp_path: Path) -> None:
    """The house is a corridor with an end in the east; the cells of its west are interior."""
    document = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
        "legend": {".": "floor", "m": "mud", "#": "wall"},
        "connectivity": 4,
        "rows": ["." * 12] * 5,
        "prototypes": {"house": {"rows": ["#####", "#.m..", "#####"]}},
        "instances": [
            {"of": "house", "at": [0, 1]},
            {"of": "house", "at": [7, 1], "mirrored": True},
        ],
    }
    source = tmp_path / "town.json"
    source.write_text(json.dumps(document))
    asset = bake(source, LevelRecipe(storage="instances", tables=("next_hops",)))
    assert table(asset, "interior_cell").tolist() == [[1, 1], [2, 1], [3, 1], [4, 1]]
    assert table(asset, "instance_interior").tolist() == [0, 0]
    with open_asset(asset) as level:
        nav = level.profile()
        # 4 steps in the house, of which two touch mud, and 2 to the other house's exit.
        assert nav.distance((1, 2), (5, 2)) == 2 + 2 + 1 + 1
        assert nav.distance((1, 2), (10, 2)) == 6 + 1 + 6
        assert nav.next_hop((10, 2), (1, 2)) == (9, 2)
        assert nav.path((1, 2), (3, 2)) == [(1, 2), (2, 2), (3, 2)]
        assert nav.next_hop((3, 2), (3, 2)) == (3, 2)
        with pytest.raises(BlockedCellError):
            nav.next_hop((0, 2), (5, 2))
        assert level.instances == (
            Instance("house", (0, 1), 5, 3, 0, mirrored=False),
            Instance("house", (7, 1), 5, 3, 0, mirrored=True),
        )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A level of random prototypes, wherever they fit, and a recipe."""
    letters = st.sampled_from("....m=v##")
    width, height = draw(st.integers(6, 11)), draw(st.integers(5, 9))

    def drawn(wide: int, high: int) -> list[str]:
        return ["".join(draw(letters) for _ in range(wide)) for _ in range(high)]

    kinds = {str(k): drawn(draw(st.integers(1, 5)), draw(st.integers(1, 4))) for k in range(2)}
    taken: set[tuple[int, int]] = set()
    instances = []
    for _ in range(draw(st.integers(1, 6))):
        of, turned = draw(st.sampled_from(sorted(kinds))), draw(st.sampled_from((0, 90, 180, 270)))
        wide, high = len(kinds[of][0]), len(kinds[of])
        if turned % 180:
            wide, high = high, wide
        if wide > width or high > height:
            continue
        x, y = draw(st.integers(0, width - wide)), draw(st.integers(0, height - high))
        cells = {(x + dx, y + dy) for dx in range(wide) for dy in range(high)}
        if not cells & taken:
            taken |= cells
            placed = {"of": of, "at": [x, y], "turned": turned, "mirrored": draw(st.booleans())}
            instances.append(placed)
    place = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1)).map(list)
    more: dict[str, Any] = {}
    if draw(st.booleans()):
        more["ledges"] = [{"cells": [draw(place)], "bars": ["north", "east"]}]
    document = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": dict.fromkeys(LETTERS, 1),
        "legend": NAMES,
        "rows": drawn(width, height),
        "prototypes": {name: {"rows": rows} for name, rows in kinds.items()},
        "instances": instances,
        **more,
    }
    recipe = {
        "connectivity": draw(st.sampled_from((4, 8))),
        "corner_cutting": draw(st.sampled_from(("never", "one_free", "always"))),
        "cost_rule": draw(st.sampled_from(("mean", "entered"))),
        "profiles": (ProfileRecipe("cat"), ProfileRecipe("ogre", {"ledge": TerrainRule(1)}, 2)),
    }
    return document, recipe


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(worlds())
def test_any_prototypes(tmp_path_factory: pytest.TempPathFactory, drawn: Any) -> None:
    document, recipe = drawn
    folder = tmp_path_factory.mktemp("any")
    folded, flat = baked(folder, document, **recipe)
    with open_asset(folded) as one, open_asset(flat) as other:
        for name in one.profiles:
            if other.profile(name)._now.tables.row_count:
                assert_equal(one.profile(name), other.profile(name))
    verify_asset(folded, None, lambda done: None)


def test_links_doors_and_floors(tmp_path: Path) -> None:
    """A link into a house makes an exit, a shut door an interior of its own; no two floors join."""
    rows = ["#######", "#..#..#", "#..#..#", "#.....#", "###.###"]
    document = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "#": "wall"},
        "rows": ["." * 17] * 14,
        "floor_height": 7,
        "prototypes": {"house": {"rows": rows}},
        "instances": [
            {"of": "house", "at": place, "turned": turned}
            for place, turned in (
                ([1, 1, 0], 0),
                ([9, 1, 0], 180),
                ([1, 1, 1], 0),
                ([9, 0, 1], 90),
            )
        ],
        "links": [{"name": "stairs", "from": [2, 2, 0], "to": [2, 2, 1], "both_ways": True}],
        "doors": [
            {
                "name": "inner",
                "cells": [[12, 2, 0]],
                "states": {"open": None, "shut": "wall"},
                "state": "shut",
            }
        ],
    }
    folded, flat = baked(tmp_path, document)
    assert len(np.unique(table(folded, "instance_interior"))) == 2
    with open_asset(folded) as one, open_asset(flat) as other:
        assert_equal(one.profile(), other.profile())
        assert [each.place for each in one.instances][2:] == [(1, 1, 1), (9, 0, 1)]
        nav = one.profile()
        assert nav.path((2, 2, 0), (2, 2, 1)) == [(2, 2, 0), (2, 2, 1)]
    verify_asset(folded, None, lambda done: None)


def test_open_ground_is_left_to_the_streets(tmp_path: Path) -> None:
    """A park has exits all around: more than a lookup should try."""
    document = two_kinds()
    document["prototypes"] = {name: {"rows": ["." * 6] * 6} for name in document["prototypes"]}
    folded, flat = baked(tmp_path, document)
    assert (table(folded, "instance_interior") == -1).all()
    with open_asset(folded) as one, open_asset(flat) as other:
        assert_equal(one.profile(), other.profile())


def test_without_instances_it_is_as_auto(tmp_path: Path) -> None:
    document = {**two_kinds(), "instances": []}
    source = tmp_path / "town.json"
    source.write_text(json.dumps(document))
    recipe = recipe_for(storage="instances", tables=("next_hops",))
    asset = bake(source, recipe)
    assert (table(asset, "run_length") == 0).sum() == len(table(asset, "component"))


def test_after_updates_answers_are_exact(tmp_path: Path) -> None:
    """Walls of a house fall and an obstacle comes; then all is as it was, and tables answer."""
    folded, flat = baked(tmp_path, two_kinds())
    with open_asset(folded) as one, open_asset(flat) as other:
        corner = one.instances[0].place
        inside = [(corner[0] + dx, corner[1] + dy) for dx in range(4) for dy in range(4)]
        nav = one.profile()
        before = [nav.next_hop((0, 0), (0, y + 2)) for y in range(10)]
        walls = [cell for cell in inside if one.terrain_at(cell) == "wall"]
        for level in (one, other):
            level.update(opened=walls, blocked=[(0, 1)])
        assert_equal(nav, other.profile())
        nav.next_hop((0, 0), walls[0])
        for level in (one, other):
            level.update(opened=[(0, 1)], terrain=dict.fromkeys(walls, "wall"))
        assert before == [nav.next_hop((0, 0), (0, y + 2)) for y in range(10)]
        one.update(blocked=[(0, 1)])
        one.save_patch(tmp_path / "town.patch")
        output = tmp_path / "patched.h5"
        apply_patch(folded, tmp_path / "town.patch", output, 1, lambda stage, done: None)
        other.update(blocked=[(0, 1)])
        with open_asset(output) as patched:
            assert len(patched.instances) == len(one.instances)
            for start, goal in (((0, 0), (16, 9)), ((16, 3), (0, 5)), ((3, 0), (0, 12))):
                wanted = other.profile().distance(start, goal)
                assert patched.profile().distance(start, goal) == wanted
        verify_asset(output, None, lambda done: None)


def test_single_lookups_and_batches_agree(tmp_path: Path) -> None:
    folded, _ = baked(tmp_path, two_kinds())
    with open_asset(folded) as level:
        nav = level.profile()
        cells = nav._now.tables.cell_of_row
        rng = np.random.default_rng(3)
        starts, goals = cells[rng.integers(0, len(cells), (2, 60))]
        many, far = nav.next_hops(starts, goals), nav.distances(starts, goals)
        for start, goal, hop, distance in zip(starts, goals, many, far, strict=True):
            assert nav.next_hop(tuple(start.tolist()), tuple(goal.tolist())) == tuple(hop.tolist())
            assert nav.distance(tuple(start.tolist()), tuple(goal.tolist())) == distance


def test_what_cannot_be_baked_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "town.json"
    source.write_text(json.dumps(two_kinds()))
    with pytest.raises(CostError, match='set storage = "auto" in'):
        bake(source, LevelRecipe(**BY_INSTANCES, ticks_per_unit=10_000_000))
    task = Task(source, source, recipe_for(**BY_INSTANCES))
    world = read_world(read_level(task), task.recipe)
    sub = usable_subgraph(world.graph, world.metrics["default"])
    with pytest.raises(BudgetError, match="distance labels of"):
        folded_table(sub, placed_rows(world, sub), None, 1000)


def test_flat_files_hold_none(tmp_path: Path) -> None:
    source = tmp_path / "town.json"
    source.write_text(json.dumps(two_kinds()))
    asset = bake(source, recipe_for(**BY_INSTANCES))
    wanted = "are kept by instances, and a flat file holds none such"
    with Asset(asset) as opened, pytest.raises(OutputError, match=wanted):
        export_asset(opened, tmp_path / "town.bake")
    assert not (tmp_path / "town.bake").exists()
