"""Smoothed paths over hexagons against exact geometry, and those of graphs."""

import itertools
import math
import random
from functools import cache
from pathlib import Path

import pytest

from bake.core.movement import HEX_LAYOUTS
from bake.play import Navigator, open_asset
from levelbake.errors import QueryError
from tests.support.baked import bake, recipe_for, write_graph, write_grid
from tests.support.open_levels import drawn_level
from tests.support.oracles import Cell, Ground, Lattice, hex_distance, offset_to_cube

GROUND = {name: Ground(cost) for name, cost in (("floor", 1), ("mud", 3), ("road", 0.5))}
GROUND["wall"] = Ground(None)


@cache
def touched(layout: str, a: Cell, b: Cell) -> set[Cell]:
    """Cells that the line between two centres touches, were it at a corner; outside ones, too."""
    start, end = offset_to_cube(layout, a), offset_to_cube(layout, b)
    found = set()
    pairs = (0, 1), (1, 2), (2, 0)
    moves = [(end[one] - end[other]) - (start[one] - start[other]) for one, other in pairs]
    whole = math.lcm(*(move for move in moves if move))  # Parts of the line, that all are whole.
    xs = range(min(a[0], b[0]) - 2, max(a[0], b[0]) + 3)
    ys = range(min(a[1], b[1]) - 2, max(a[1], b[1]) + 3)
    for cell in itertools.product(xs, ys):
        centre = offset_to_cube(layout, cell)
        enter, leave = 0, whole
        for (one, other), move in zip(pairs, moves, strict=True):
            # A hexagon reaches halfway to its neighbours, across three pairs of sides.
            at = (start[one] - start[other]) - (centre[one] - centre[other])
            if move == 0:
                if abs(at) > 1:
                    break
                continue
            first, last = sorted(((-1 - at) * (whole // move), (1 - at) * (whole // move)))
            enter, leave = max(enter, first), min(leave, last)
            if enter > leave:
                break
        else:
            found.add(cell)
    return found


def straight_cost(lattice: Lattice, layout: str, a: Cell, b: Cell) -> float:
    """Units of a straight line, by the rules as they are told; infinite where there is none."""
    cells = touched(layout, a, b)
    if not all(lattice.inside(cell) and lattice.open(cell) for cell in cells):
        return math.inf
    cost = {cell: float(lattice.ground[lattice.terrain(cell)].cost or 0) for cell in cells}
    start, end = offset_to_cube(layout, a), offset_to_cube(layout, b)
    apart = [there - here for here, there in zip(start, end, strict=True)]
    length = math.sqrt(sum(each * each for each in apart) / 2)
    if len(set(cost.values())) == 1:
        return cost[a] * length
    if 0 not in apart:
        return math.inf
    line = sorted(cells, key=lambda cell: hex_distance(layout, a, cell))
    entered = lattice.cost_rule == "entered"
    return sum(
        cost[there] if entered else (cost[here] + cost[there]) / 2
        for here, there in itertools.pairwise(line)
    )


def check(nav: Navigator, lattice: Lattice, layout: str, path: list[Cell]) -> None:
    length, waypoints = nav.length(path), nav.plane.smooth(path)
    assert (waypoints[0], waypoints[-1]) == (path[0], path[-1])
    assert set(waypoints) <= set(path)
    lines = [straight_cost(lattice, layout, *ends) for ends in itertools.pairwise(waypoints)]
    assert nav.plane.any_angle_length(waypoints) == pytest.approx(sum(lines), rel=1e-9)
    assert sum(lines) <= length * (1 + 1e-9)
    place = 0
    while place < len(path) - 1:
        after = nav.plane.furthest_visible(path, place)
        assert place < after
        line = straight_cost(lattice, layout, path[place], path[after])
        assert line <= nav.length(path[place : after + 1]) * (1 + 1e-9)
        for other in range(after + 1, len(path)):
            further = straight_cost(lattice, layout, path[place], path[other])
            assert further >= nav.length(path[place : other + 1]) * (1 - 1e-9)
        place = after


@pytest.mark.parametrize("seed", range(8))
def test_smoothed_paths(seed: int, tmp_path: Path) -> None:
    layout, cost_rule = HEX_LAYOUTS[seed % 4], ("mean", "entered")[seed // 4]
    rng = random.Random(seed)
    names, weights = ("floor", "mud", "road", "wall"), (12, seed % 3, seed % 2, 1 + seed % 3)
    grid = [rng.choices(names, weights, k=14) for _ in range(13)]
    lattice = Lattice(grid, GROUND, "never", cost_rule)
    asset = bake(
        write_grid(tmp_path / "drawn.json", grid, layout),
        recipe_for(GROUND, cost_rule=cost_rule),
    )
    with open_asset(asset) as level:
        nav, cells = level.profile(), lattice.cells()
        found = shorter = 0
        for _ in range(25):
            path = nav.path(*rng.choices(cells, k=2))
            if path is not None:
                check(nav, lattice, layout, path)
                found += len(path) > 4
                shorter += (
                    nav.plane.any_angle_length(nav.plane.smooth(path)) < nav.length(path) - 1e-9
                )
        assert found > 3
        assert shorter > 3
        for _ in range(400):
            a, b = rng.choices(cells, k=2)
            expected = straight_cost(lattice, layout, a, b)
            if math.isinf(expected):
                with pytest.raises(QueryError, match="no straight way"):
                    nav.plane.any_angle_length([a, b])
            else:
                assert nav.plane.any_angle_length([a, b]) == pytest.approx(expected, rel=1e-9)


def test_by_hand(tmp_path: Path) -> None:
    """Odd rows lie half a hexagon to the east; a wall at a corner of the line is in its way."""
    with drawn_level(tmp_path, "......", "......", "......", hex_layout="odd-r") as (_, nav):
        # Beyond the border of (0, 1) and (1, 1) lies (1, 2): the line runs along it.
        assert nav.plane.any_angle_length([(1, 0), (1, 2)]) == pytest.approx(math.sqrt(3))
        with pytest.raises(QueryError, match="no straight way"):
            nav.plane.any_angle_length([(0, 0), (0, 2)])  # West of (0, 1) the level ends.
        assert nav.plane.any_angle_length([(0, 0), (4, 1)]) == pytest.approx(math.sqrt(21))
        path = nav.path((0, 0), (4, 1))
        assert path is not None
        assert nav.plane.smooth(path) == [(0, 0), (4, 1)]
        assert nav.plane.furthest_visible(path, 0) == len(path) - 1
        nav.update(blocked=[(0, 1)])
        with pytest.raises(QueryError, match="no straight way"):
            nav.plane.any_angle_length([(1, 0), (1, 2)])
        # Along an axis a line meets no corner, so a wall beside it is none to it.
        assert nav.plane.any_angle_length([(2, 0), (1, 1), (1, 2)]) == pytest.approx(2)


def test_one_way_sides(tmp_path: Path) -> None:
    """Lines are asked for in one direction, as steps are."""
    with drawn_level(tmp_path, "......", "......", hex_layout="odd-r") as (_, nav):
        nav.update(arcs={((1, 0), (2, 0)): 9.0})
        assert nav.plane.any_angle_length([(0, 0), (4, 0)]) == pytest.approx(12)
        with pytest.raises(QueryError, match="no straight way"):
            nav.plane.any_angle_length([(0, 0), (4, 1)])
        assert nav.plane.any_angle_length([(4, 1), (0, 0)]) == pytest.approx(math.sqrt(21))
        assert nav.plane.any_angle_length([(4, 0), (0, 0)]) == pytest.approx(4)


def test_graphs_are_left_nowhere(tmp_path: Path) -> None:
    """Nodes on one line are passed over, and so is nothing else."""
    at = {"a": (0, 0), "b": (1, 1), "c": (3, 3), "d": (4, 3), "e": (5, 3)}
    edges = [("a", "b", 2.0), ("b", "c", 5.0), ("c", "d", 1.0), ("d", "e", 1.0), ("a", "c", 9.0)]
    source = write_graph(tmp_path / "roads.json", list(at), edges, positions=at)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        path = nav.path("a", "e")
        assert path == ["a", "b", "c", "d", "e"]
        assert nav.plane.smooth(path) == ["a", "c", "e"]
        assert nav.plane.any_angle_length(["a", "c", "e"]) == nav.length(path) == 9
        assert [nav.plane.furthest_visible(path, place) for place in range(5)] == [2, 2, 4, 4, 4]
        with pytest.raises(QueryError, match=r"straight.*from 'a' to 'e'"):
            nav.plane.any_angle_length(["a", "e"])
        with pytest.raises(QueryError, match=r"step.*from 'a' to 'd'"):
            nav.plane.smooth(["a", "d"])
        nav.update(blocked=["b"])
        assert nav.plane.any_angle_length(["a", "c"]) == 9
        follower = nav.plane.follow(["a", "c", "d", "e"], smooth=True)
        assert follower.waypoints == ["a", "c", "e"]
        assert follower.update((0, 0)).corner == (3, 3)
