"""The part of a level that a plan looks at, and how much of a level that is."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from bake.baking import find_tasks, plan
from bake.baking.part import part_of
from bake.baking.plan import plan_level
from bake.core.level import GraphLevel, GridLevel
from bake.levels import load
from bake.project.recipe import load_recipe
from bake.search.all_pairs.batch import BatchSearch
from tests.support.baked import write_graph

OPEN = np.array([True, False])


def grid(height: int, width: int, **other: Any) -> GridLevel:
    rng = np.random.default_rng(3)
    terrain = (rng.random((height, width)) < 0.3).astype(np.uint8)
    return GridLevel("a", Path("a"), terrain, ("floor", "wall"), **other)


def test_a_small_level_is_its_own_part() -> None:
    level = grid(20, 30)
    assert part_of(level, OPEN, int((level.terrain == 0).sum())) is level


@pytest.mark.parametrize("most", [1, 7, 60, 200])
@pytest.mark.parametrize("floors", [1, 3])
def test_a_window_is_the_same_on_all_floors(most: int, floors: int) -> None:
    level = grid(60, 41, floor_height=60 // floors)
    ledges = np.arange(level.terrain.size, dtype=np.uint32).reshape(level.terrain.shape)
    part = part_of(replace(level, elevation=ledges.astype(np.float64)), OPEN, most)
    assert isinstance(part, GridLevel)
    assert part.elevation is not None
    assert part.floor_height is not None
    assert np.count_nonzero(part.terrain == 0) <= most or max(part.terrain.shape) <= 2 * floors
    # Where each cell of the part was says the elevation, and it says the same of all floors.
    was = part.elevation.astype(np.int64)
    assert np.array_equal(part.terrain, level.terrain.reshape(-1)[was])
    y, x = np.divmod(was.reshape(floors, part.floor_height, -1), level.width)
    assert np.array_equal(y % (60 // floors), np.broadcast_to(y[0], y.shape))
    # Hexagons of odd rows and columns are shifted.
    assert (y[0, 0, 0] % 2, x[0, 0, 0] % 2) == (0, 0)


@pytest.mark.parametrize("most", [1, 5, 40, 99])
def test_a_ball_of_a_graph(most: int, tmp_path: Path) -> None:
    rng = random.Random(most)
    drawn = nx.gnp_random_graph(100, 0.015, seed=2, directed=True)
    edges = [(a, b, rng.randint(1, 9)) for a, b in drawn.edges]
    level = load(write_graph(tmp_path / "g.json", list(range(100)), edges), {})
    assert isinstance(level, GraphLevel)
    part = part_of(level, OPEN, most)
    assert isinstance(part, GraphLevel)
    names = part.node_names
    assert len(set(names)) == len(names) == most
    found = {(names[a], names[b]) for a, b in zip(part.tail, part.head, strict=True)}
    assert found == {(a, b) for a, b in drawn.edges if a in names and b in names}
    # It is as connected as can be: of all parts but the last one every node is in it.
    parts = [each & set(names) for each in nx.weakly_connected_components(drawn)]
    halves = [
        each
        for each in nx.weakly_connected_components(drawn)
        if 0 < len(each & set(names)) < len(each)
    ]
    assert sum(map(len, parts)) == most
    assert len(halves) <= 1


def test_a_plan_looks_at_little_of_a_large_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However large it is, so many batches are searched in so many places."""
    for limit, places in (("TABLE_PLACES", 2**9), ("HOP_PLACES", 2**13)):
        monkeypatch.setattr(plan, limit, places)
    searched: list[int] = []
    search = BatchSearch.distances_to

    def counted(self: BatchSearch, targets: Any, scratch: Any) -> Any:
        distances = search(self, targets, scratch)
        searched.append(len(distances))
        return distances

    monkeypatch.setattr(BatchSearch, "distances_to", counted)
    rows = "." * 300
    (tmp_path / "big.map").write_text(
        "type octile\nheight 300\nwidth 300\nmap\n" + f"{rows}\n" * 300
    )
    (task,) = find_tasks(load_recipe(None), [tmp_path / "big.map"], tmp_path)
    found = plan_level(task, 1)
    assert found.nodes == 300 * 300
    assert max(searched) <= 2**13
    batches = plan.WINDOWS * plan.WINDOW + 2
    # Where entries are searched first, batches may be searched twice.
    assert sum(searched) <= 2 * 2**13 * batches
