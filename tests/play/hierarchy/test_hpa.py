"""Paths by HPA* against slow oracles: on any world, valid, never shorter than the shortest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.core.errors import CostError
from bake.play import open_asset
from bake.play.hierarchy.paths import HierarchyPaths
from bake.play.navigator import Navigator
from bake.project.recipe import LevelRecipe
from levelbake.errors import BlockedCellError, MissingTableError, QueryError
from tests.support.baked import GROUND, bake, bake_grid, recipe_for, rows, write_graph, write_grid
from tests.support.oracles import Cell, Lattice, hex_arcs, square_arcs
from tests.support.strategies import ArcList, arc_lists, grids

pytestmark = [
    pytest.mark.note(25, "slow oracles on every world"),
    pytest.mark.note(103, "slow oracles on every world"),
    pytest.mark.note(122, "slow oracles on every world"),
]

HIERARCHY = ("components", "hierarchy")
SETTINGS = settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def distances(arcs: dict[tuple[object, object], int]) -> dict[object, dict[object, int]]:
    """Ticks between all pairs there is a way between, by networkx."""
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((a, b, ticks) for (a, b), ticks in arcs.items())
    return dict(networkx.all_pairs_dijkstra_path_length(graph))


def check(
    nav: Navigator,
    places: Sequence[object],
    arcs: dict[tuple[object, object], int],
    scale: int,
    *,
    exact: bool,
) -> None:
    """Every pair: a path of real steps where there is one, as long as it says."""
    best = distances(arcs)
    for start in places:
        for goal in places:
            shortest = best.get(start, {start: 0}).get(goal)
            found = nav.search(start, goal, "hpa")
            walked = nav.search.walk(start, goal)
            if shortest is None:
                assert found.path is None
                assert found.cost == math.inf
                assert walked is None
                continue
            assert found.path is not None
            assert walked is not None
            ways = [found.path, [start, *walked]]
            for way in ways:
                assert way[0] == start
                assert way[-1] == goal
                assert all(step in arcs for step in pairwise(way))
                ticks = sum(arcs[step] for step in pairwise(way))
                assert ticks == shortest if exact else ticks >= shortest
            assert sum(arcs[step] for step in pairwise(found.path)) == round(found.cost * scale)


def lattice_of(
    folder: Path, lattice: Lattice, layout: str | None, recipe: LevelRecipe
) -> tuple[Path, dict[tuple[Cell, Cell], int]]:
    connectivity = recipe.connectivity or 8
    arcs = hex_arcs(lattice, layout) if layout else square_arcs(lattice, connectivity)
    return bake(write_grid(folder / "drawn.json", lattice.grid, layout), recipe), arcs


def check_lattice(
    folder: Path, lattice: Lattice, layout: str | None = None, **chosen: object
) -> None:
    recipe = recipe_for(
        corner_cutting=lattice.corner_cutting,
        cost_rule=lattice.cost_rule,
        tables=HIERARCHY,
        **{"cluster_size": 3, **chosen},
    )
    path, arcs = lattice_of(folder, lattice, layout, recipe)
    with open_asset(path) as level:
        check(level.profile(), lattice.cells(), arcs, 27720, exact=False)


corners = st.sampled_from(["never", "one_free", "always"])
rules = st.sampled_from(["mean", "entered"])


@given(
    grid=grids(largest=8),
    corner=corners,
    rule=rules,
    connectivity=st.sampled_from([4, 8]),
    size=st.integers(1, 5),
    spacing=st.integers(1, 4),
    levels=st.integers(1, 3),
    keep=st.booleans(),
)
@SETTINGS
def test_any_square_lattice(
    tmp_path: Path,
    grid: list[list[str]],
    corner: str,
    rule: str,
    connectivity: int,
    size: int,
    spacing: int,
    levels: int,
    keep: bool,
) -> None:
    check_lattice(
        tmp_path,
        Lattice(grid, GROUND, corner_cutting=corner, cost_rule=rule),
        connectivity=connectivity,
        cluster_size=size,
        spacing=spacing,
        levels=levels,
        keep_paths=keep,
    )


@given(
    grid=grids(largest=8),
    layout=st.sampled_from(["odd-r", "even-r", "odd-q", "even-q"]),
    rule=rules,
    size=st.integers(1, 4),
    keep=st.booleans(),
)
@SETTINGS
def test_any_hexagonal_lattice(
    tmp_path: Path,
    grid: list[list[str]],
    layout: str,
    rule: str,
    size: int,
    keep: bool,
) -> None:
    check_lattice(
        tmp_path,
        Lattice(grid, GROUND, cost_rule=rule),
        layout,
        cluster_size=size,
        keep_paths=keep,
    )


@given(
    graph=arc_lists(largest=14, heaviest=1000),
    size=st.integers(1, 3),
    keep=st.booleans(),
    levels=st.sampled_from([1, 3]),
)
@SETTINGS
def test_any_graph_is_exact(
    tmp_path: Path, graph: ArcList, size: int, keep: bool, levels: int
) -> None:
    """Every arc between clusters is kept on graphs, so paths are shortest ones."""
    n, arcs = graph
    cheapest: dict[tuple[object, object], int] = {}
    for tail, head, weight in arcs:
        cheapest[tail, head] = min(weight, cheapest.get((tail, head), weight))
    recipe = LevelRecipe(
        ticks_per_unit=1,
        tables=HIERARCHY,
        cluster_size=size,
        keep_paths=keep,
        levels=levels,
    )
    edges = [(tail, head, float(weight)) for tail, head, weight in arcs]
    path = bake(write_graph(tmp_path / "any.json", list(range(n)), edges), recipe)
    with open_asset(path) as level:
        check(level.profile(), range(n), cheapest, 1, exact=True)


# -- the edge cases by name -----------------------------------------------------------------------


def test_a_cluster_cut_in_two_by_a_wall(tmp_path: Path) -> None:
    grid = rows("....", "####", "....", "....")
    check_lattice(tmp_path, Lattice(grid, GROUND), cluster_size=4)


def test_the_best_path_leaves_the_cluster_both_ends_lie_in(tmp_path: Path) -> None:
    grid = rows("....m...", "....m...", "mmmmm...", "........")
    lattice = Lattice(grid, GROUND)
    check_lattice(tmp_path, lattice, cluster_size=4)
    walled = rows("..#.", ".##.", "..#.", "....", "....")
    check_lattice(tmp_path, Lattice(walled, GROUND), cluster_size=3)


def test_unreachable_is_none(tmp_path: Path) -> None:
    grid = rows("..#..", "..#..")
    path = bake_grid(tmp_path, grid, name="two", tables=HIERARCHY)
    with open_asset(path) as level:
        nav = level.profile()
        assert nav.path((0, 0), (4, 1), "hpa") is None
        assert nav.search.walk((0, 0), (4, 1)) is None
        assert nav.search((0, 0), (4, 1), "hpa").cost == math.inf
        with pytest.raises(BlockedCellError):
            nav.search.walk((0, 0), (2, 0))


def test_no_search_for_a_way_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would look at everything that can be reached, and a game asks this every frame."""
    path = bake_grid(tmp_path, rows("..#..", "..#.."), name="two", tables=HIERARCHY)
    with open_asset(path) as level:
        nav = level.profile()
        searched: list[str] = []
        monkeypatch.setattr(HierarchyPaths, "walk", lambda *_: searched.append("walk"))
        monkeypatch.setattr(HierarchyPaths, "path", lambda *_: searched.append("path"))
        for update in ({}, {"opened": [(2, 0)]}, {"blocked": [(2, 0), (1, 1)]}):
            nav.update(**update)
            joined = nav.reachable((0, 0), (4, 1))
            assert joined is ("opened" in update)
            nav.search.walk((0, 0), (4, 1))
            assert searched == ["walk"] * joined
            searched.clear()


def test_ways_too_long_to_count_are_refused(tmp_path: Path) -> None:
    """2**30 ticks inside a cluster, of which three such arcs are more, were no way at all."""
    arcs = [(node, node + 1, 2.0**29 - 1) for node in range(4)]
    source = write_graph(tmp_path / "long.json", list(range(5)), arcs, directed=False)
    chosen = {"ticks_per_unit": 1, "tables": HIERARCHY, "cluster_size": 2}
    with pytest.raises(CostError, match=r"1610612733 ticks.*ticks_per_unit"):
        bake(source, LevelRecipe(**chosen))


def test_a_map_smaller_than_a_cluster(tmp_path: Path) -> None:
    check_lattice(tmp_path, Lattice(rows("..#", "...", "#.."), GROUND), cluster_size=32)
    check_lattice(tmp_path, Lattice(rows("."), GROUND), cluster_size=32)


def test_one_way_across_a_border_and_other_weights_back(tmp_path: Path) -> None:
    # A ledge down the middle is stepped onto from one side; entering mud costs more than leaving.
    grid = rows("...v==", "mm.v=m", "...v==", "..mm==")
    lattice = Lattice(grid, GROUND, cost_rule="entered")
    check_lattice(tmp_path, lattice, cluster_size=3)


def test_start_and_goal_on_transitions(tmp_path: Path) -> None:
    grid = rows(*["." * 16] * 8)
    path = bake_grid(tmp_path, grid, name="open", tables=HIERARCHY, cluster_size=8)
    with open_asset(path) as level:
        nav = level.profile()
        layer = nav._now.searches.hierarchy.tables.layers[0]
        cells = nav._now.version.cell_of_row[layer.row].tolist()
        # Two clusters share a border of eight: transitions at both its ends and between, on
        # either side.
        assert sorted(map(tuple, cells)) == [(x, y) for x in (7, 8) for y in (0, 4, 7)]
        assert nav.path((7, 0), (8, 0), "hpa") == [(7, 0), (8, 0)]
        assert nav.path((7, 0), (7, 0), "hpa") == [(7, 0)]
        assert list(nav.search.walk((7, 7), (7, 7)) or ()) == []
        assert nav.search((7, 0), (8, 7), "hpa").cost == nav.search((7, 0), (8, 7)).cost


def test_without_a_hierarchy(tmp_path: Path) -> None:
    grid = write_grid(tmp_path / "none.json", rows(".."))
    with open_asset(bake(grid, recipe_for(hierarchy="none"))) as level:
        nav = level.profile()
        with pytest.raises(MissingTableError, match="no hierarchy for profile 'default'"):
            nav.path((0, 0), (1, 0), "hpa")


def test_the_first_moves_come_before_the_rest(tmp_path: Path) -> None:
    grid = rows(*["." * 90] * 9)
    path = bake_grid(tmp_path, grid, name="long", tables=HIERARCHY, cluster_size=9)
    with open_asset(path) as level:
        nav = level.profile()
        hierarchy = nav._now.searches.hierarchy
        start, goal = (nav._now.rows.row(place) for place in ((0, 0), (89, 8)))
        pieces = list(hierarchy.walk(start, goal) or ())
        assert len(pieces[0]) <= 9 + 9
        assert len(pieces) >= 3
        assert np.concatenate(pieces)[-1] == goal


def test_many_in_one_call_are_those_one_by_one(tmp_path: Path) -> None:
    grid = rows(*[".m......#..." if y % 3 else "............" for y in range(12)])
    path = bake_grid(tmp_path, grid, name="many", tables=HIERARCHY, cluster_size=4)
    with open_asset(path) as level:
        nav = level.profile()
        hierarchy = nav._now.searches.hierarchy
        every = np.arange(nav._now.version.row_count, dtype=np.int32)
        starts, goals = np.repeat(every, 7), np.tile(every, 7)
        first, many = hierarchy.many(starts, goals)
        cells = nav._now.version.cell_of_row
        told, places = nav.paths(cells[starts], cells[goals], "hpa")
        assert told.tolist() == first.tolist()
        assert places.tolist() == cells[many].tolist()
        with pytest.raises(QueryError, match="no method 'astar'"):
            nav.paths(cells[starts], cells[goals], "astar")
        for pair in range(0, len(starts), 5):
            one, _, _ = hierarchy.path(int(starts[pair]), int(goals[pair]))
            assert one is not None
            assert many[first[pair] : first[pair + 1]].tolist() == one.tolist()
