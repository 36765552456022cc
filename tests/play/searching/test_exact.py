"""Searches by the heuristic "exact", on levels of every kind, as baked and changed.

They cost what scipy finds over the arcs that there are now, and expand places of shortest paths
alone, whether a contraction hierarchy answers or nothing is compiled.
"""

import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from bake.core.graph import INFINITY
from bake.play import LevelAsset, Navigator, open_asset
from bake.play.live.exact import ExactHierarchy
from bake.play.searching.methods import Request, run
from bake.search.live import next_hops
from levelbake.errors import QueryError
from tests.support.baked import bake, recipe_for, write_graph, write_grid
from tests.support.rule import arcs_now
from tests.support.stored import stored_asset

pytestmark = pytest.mark.note(49, "distances, as baked and changed")

#: Floors, links and agents of two sizes; hexagons; headings; one-way steps and components; graphs;
#: slopes.
LEVELS = [
    *("bastion.json", "colony.json", "depot.json", "manor.tmx", "marsh.png"),
    *("oneway.json", "ridge.json", "roads.json", "valley.tmj"),
]


class Asked:
    """One profile of a level as it is now, beside scipy."""

    def __init__(self, level: LevelAsset, profile: str) -> None:
        self.nav: Navigator = level.profile(profile)
        self.at = level._current.places
        self.standing: list[int] = []
        self.ticks: dict[tuple[int, int], int] = {}
        for tail, out in arcs_now(level, profile).items():
            self.standing.append(tail)
            for head, ticks in out:
                self.ticks[tail, head] = min(ticks, self.ticks.get((tail, head), ticks))
        ends = np.array(list(self.ticks), dtype=np.int64).reshape(-1, 2).T
        size = max(self.standing) + 1
        self.graph = csr_array((list(self.ticks.values()), tuple(ends)), shape=(size, size))

    def check(self, rng: random.Random, pairs: int) -> None:
        """Search between some places by every method that takes the heuristic."""
        ends = np.array([rng.choice(self.standing) for _ in range(2 * pairs)]).reshape(-1, 2)
        before = dijkstra(self.graph, indices=ends[:, 0])
        left = dijkstra(self.graph.T, indices=ends[:, 1])
        units = self.at.ticks_per_unit
        for pair, to_all, from_all in zip(ends.tolist(), before, left, strict=True):
            start, goal = map(self.at.place_at, pair)
            ticks = float(to_all[pair[1]])
            assert self.nav.search.estimate(start, goal, "exact") == ticks / units
            tight = np.count_nonzero(to_all + from_all == ticks)
            found = {
                queue: self.nav.search(start, goal, "astar", "exact", queue=queue)
                for queue in ("auto", "bucket", "heap")
            }
            found["weighted"] = self.nav.search(start, goal, "weighted", "exact", weight=2.0)
            found["greedy"] = self.nav.search(start, goal, "greedy", "exact")
            part = self.nav.search.begin(start, goal, heuristic="exact")
            while part.run(steps=3).value == "running":
                pass
            found["parts"] = part.result()
            for name, one in found.items():
                what = name, start, goal
                assert (one.heuristic, one.admissible, one.consistent) == ("exact", True, True)
                if name not in ("weighted", "greedy"):
                    assert one.cost == ticks / units, what
                if one.path is None:
                    assert ticks == math.inf, what
                    continue
                assert (one.path[0], one.path[-1]) == (start, goal), what
                cost = sum(self.ticks[step] for step in pairwise(map(self.at.location, one.path)))
                assert one.cost == cost / units, what
                assert cost <= ticks * one.bound or not ticks, what
                assert one.expanded <= tight or name in ("weighted", "greedy"), what


def change(level: LevelAsset, profile: str, rng: random.Random) -> None:
    """Block and open places, and make arcs dearer, cheaper, and new."""
    writer, place_at = level._current.writer, level._current.places.place_at
    arcs = arcs_now(level, profile)
    drawn = rng.sample(sorted(arcs), min(len(arcs) // 3, 24))
    level.update(blocked=[place_at(at) for at in drawn[:8]])
    ends = [(at, rng.choice(arcs[at])[0]) for at in drawn[8:] if arcs[at]]
    prices = {tuple(map(place_at, pair)): rng.choice([0.5, 3.0, math.inf]) for pair in ends}
    prices |= {tuple(map(place_at, rng.sample(drawn[8:], 2))): 1.0 for _ in range(3)}
    level.update(arcs=prices)
    if level.is_grid and level._current.places.headings is None:
        shut = sorted(set(range(writer.rules.location_count)) - set(arcs))
        level.update(opened=[place_at(at) for at in rng.sample(shut, min(len(shut), 12))])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("source", LEVELS)
def test_costs_are_those_of_scipy(
    source: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        # As where nothing is compiled: distances of all places come from Dijkstra's method.
        monkeypatch.setattr(next_hops, "is_compiled", lambda: False)
    rng = random.Random(source)
    with open_asset(stored_asset(source)) as level:
        for changes in range(3):
            for profile in level.profiles:
                if changes:
                    change(level, profile, rng)
                Asked(level, profile).check(rng, 4)


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed: int, tmp_path: Path) -> None:
    """One-way, weighted, with parallel arcs and places that nothing leads to."""
    rng = random.Random(seed)
    nodes = list(range(60))
    arcs = [(*rng.sample(nodes, 2), rng.choice([0.5, 1, 1, 2, 900])) for _ in range(150)]
    tables = ("components", "next_hops") if seed % 2 else ("components",)
    asset = bake(write_graph(tmp_path / "drawn.json", nodes, arcs), recipe_for(tables=tables))
    with open_asset(asset) as level:
        Asked(level, "default").check(rng, 40)
        joined = {(tail, head) for tail, head, _ in arcs}
        for _ in range(5):
            level.update(
                arcs={pair: rng.choice([0.5, 3]) for pair in rng.sample(sorted(joined), 9)}
            )
            level.update(arcs={tuple(rng.sample(nodes, 2)): 1.5})
            Asked(level, "default").check(rng, 10)


def test_a_search_that_goes_on_takes_no_notice_of_changes(tmp_path: Path) -> None:
    """It goes on by the distances of the level on which it began, as do all of its answers."""
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 12 for _ in range(12)])
    with open_asset(bake(source, recipe_for(tables=("components",)))) as level:
        nav = level.profile()
        cost = nav.distance((0, 0), (11, 4))
        part = nav.search.begin((0, 0), (11, 4), heuristic="exact")
        part.run(steps=4)
        nav.update(blocked=[(x, 6) for x in range(11)], arcs={((5, 5), (6, 5)): 0.25})
        assert part.run().value == "found"
        assert (part.cost, part.expanded) == (cost, 12)


def test_whoever_is_late_is_told_the_distances_of_the_level_as_it_was(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 12 for _ in range(12)])
    with open_asset(bake(source, recipe_for(tables=("components",)))) as level:
        nav = level.profile()
        nav.update(blocked=[(6, y) for y in range(11)])
        late = nav._now.searches
        row, goal = (late.rows.row(cell) for cell in ((0, 0), (11, 0)))
        ticks = late.engine.ticks(row, goal)
        nav.update(opened=[(6, 5)])
        assert run(late, row, goal, Request("astar", "exact")).ticks == ticks
        assert nav.distance((0, 0), (11, 0)) < ticks / level._current.places.ticks_per_unit


def test_nobody_works_out_all_distances_where_the_hierarchy_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not next_hops.is_compiled():
        pytest.skip("nothing is compiled")
    asked = []
    searched = ExactHierarchy.searched

    def noted(self: ExactHierarchy, *rest: Any) -> Any:
        asked.append(found := searched(self, *rest))
        return found

    monkeypatch.setattr(ExactHierarchy, "searched", noted)
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 12 for _ in range(12)])
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        found = nav.search((0, 0), (11, 4), "astar", "exact")
        assert [one.ticks for one in asked] == [found.cost * level._current.places.ticks_per_unit]
        assert found.expanded == 12


def test_paths_longer_than_distances_are_counted(tmp_path: Path) -> None:
    """Searches count further than the hierarchy; the heuristic is then as large as it can be."""
    arcs = [(at, at + 1, 3000.0) for at in range(12)]
    recipe = recipe_for(tables=("components",), ticks_per_unit=27720)
    asset = bake(write_graph(tmp_path / "long.json", range(14), arcs), recipe)
    with open_asset(asset) as level:
        nav = level.profile()
        assert 3000 * 12 * 27720 < INFINITY < 3000 * 14 * 27720
        assert nav.search(0, 12, "astar", "exact").cost == 36000


def test_it_cannot_guide_a_search_from_both_ends(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", [["floor"] * 4 for _ in range(4)])
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        with pytest.raises(QueryError, match=r"'exact'.*both ends"):
            nav.search((0, 0), (3, 3), "bidirectional_astar", "exact")
