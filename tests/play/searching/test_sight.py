"""Smoothed paths against exact geometry: in whole numbers, cell by cell."""

import itertools
import math
import random
from pathlib import Path

import pytest

from bake.play import Navigator, open_asset
from bake.project.recipe import load_recipe
from levelbake.errors import QueryError
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph, write_grid
from tests.support.oracles import Cell, Ground, Lattice

pytestmark = pytest.mark.note(65, "geometry in whole numbers")

GROUND = {name: Ground(cost) for name, cost in (("floor", 1), ("mud", 3), ("road", 0.5))}
GROUND["wall"] = Ground(None)


def crossed(a: Cell, b: Cell) -> tuple[set[Cell], list[tuple[Cell, Cell, Cell, Cell]]]:
    """Cells whose inside a line between two centres crosses, and corners it goes through.

    A corner is told as the cell before it, the two at its sides, and the one behind it.
    """
    inside, corners = set(), []
    dx, dy = b[0] - a[0], b[1] - a[1]
    xs = range(min(a[0], b[0]), max(a[0], b[0]) + 1)
    ys = range(min(a[1], b[1]), max(a[1], b[1]) + 1)
    whole = math.lcm(*(move for move in (dx, dy) if move))
    for cell in itertools.product(xs, ys):
        enter, leave = 0, 2 * whole  # Parts of the line, that all are whole.
        for start, move, centre in ((a[0], dx, cell[0]), (a[1], dy, cell[1])):
            low = 2 * (centre - start) - 1
            if move == 0:
                if not low < 0 < low + 2:
                    break
                continue
            ends = sorted((low * (whole // move), (low + 2) * (whole // move)))
            enter, leave = max(enter, ends[0]), min(leave, ends[1])
            if enter >= leave:
                break
        else:
            inside.add(cell)
    for x, y in itertools.product(xs[:-1], ys[:-1]):
        if (2 * (x - a[0]) + 1) * dy == (2 * (y - a[1]) + 1) * dx:
            ahead, below = (1 if dx > 0 else 0), (1 if dy > 0 else 0)
            before, behind = (x + 1 - ahead, y + 1 - below), (x + ahead, y + below)
            sides = (behind[0], before[1]), (before[0], behind[1])
            corners.append((before, *sides, behind))
    return inside, corners


def straight_cost(lattice: Lattice, connectivity: int, a: Cell, b: Cell) -> float:
    """Units of a straight line, by the rules as they are told; infinite where there is none."""
    inside, corners = crossed(a, b)
    if not all(lattice.open(cell) for cell in inside):
        return math.inf
    cost = {cell: float(lattice.ground[lattice.terrain(cell)].cost or 0) for cell in inside}
    needed = {"never": 2, "one_free": 1, "always": 0}[lattice.corner_cutting]
    for _, *sides, _ in corners:
        if connectivity == 4:
            if not all(lattice.open(one) for one in sides):
                return math.inf
            if {float(lattice.ground[lattice.terrain(one)].cost or 0) for one in sides} != {
                cost[a]
            }:
                return math.inf
        elif sum(lattice.open(one) for one in sides) < needed:
            return math.inf
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    if len(set(cost.values())) == 1:
        return cost[a] * length
    across, down = abs(b[0] - a[0]), abs(b[1] - a[1])
    if across and down and (across != down or connectivity == 4):
        return math.inf
    line = sorted(inside, key=lambda cell: abs(cell[0] - a[0]) + abs(cell[1] - a[1]))
    entered = lattice.cost_rule == "entered"
    one = length / (len(line) - 1)
    return sum(
        one * (cost[there] if entered else (cost[here] + cost[there]) / 2)
        for here, there in itertools.pairwise(line)
    )


def drawn(seed: int, size: int = 13) -> list[list[str]]:
    rng = random.Random(seed)
    names, weights = ("floor", "mud", "road", "wall"), (12, 1 + seed % 3, seed % 2, 2 + seed % 4)
    return [rng.choices(names, weights, k=size) for _ in range(size)]


def check(nav: Navigator, lattice: Lattice, connectivity: int, path: list[Cell]) -> None:
    length = nav.length(path)
    waypoints = nav.plane.smooth(path)
    assert (waypoints[0], waypoints[-1]) == (path[0], path[-1])
    assert set(waypoints) <= set(path)
    lines = [straight_cost(lattice, connectivity, *ends) for ends in itertools.pairwise(waypoints)]
    assert math.isfinite(sum(lines))
    assert nav.plane.any_angle_length(waypoints) == pytest.approx(sum(lines), rel=1e-9)
    assert sum(lines) <= length * (1 + 1e-9)
    place = 0
    walked = 0.0
    while place < len(path) - 1:
        after = nav.plane.furthest_visible(path, place)
        line = straight_cost(lattice, connectivity, path[place], path[after])
        stretch = nav.length(path[place : after + 1])
        assert place < after
        assert line <= stretch * (1 + 1e-9)
        further = [
            other
            for other in range(after + 1, len(path))
            if straight_cost(lattice, connectivity, path[place], path[other])
            < nav.length(path[place : other + 1]) * (1 - 1e-9)
        ]
        assert not further
        walked += line
        place = after
    assert walked <= length * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_smoothed_paths(seed: int, tmp_path: Path) -> None:
    corners = ("never", "one_free", "always")[seed % 3]
    cost_rule = ("mean", "entered")[seed // 6]
    connectivity = (8, 8, 8, 4)[seed % 4]
    grid = drawn(seed)
    recipe = recipe_for(
        GROUND, connectivity=connectivity, corner_cutting=corners, cost_rule=cost_rule
    )
    lattice = Lattice(grid, GROUND, corners, cost_rule)
    rng = random.Random(seed)
    with open_asset(bake(write_grid(tmp_path / "drawn.json", grid), recipe)) as level:
        nav = level.profile()
        cells = lattice.cells()
        found = 0
        for _ in range(25):
            path = nav.path(*rng.choices(cells, k=2))
            if path is not None:
                check(nav, lattice, connectivity, path)
                found += len(path) > 4
        assert found > 3
        for _ in range(400):
            a, b = rng.choices(cells, k=2)
            expected = straight_cost(lattice, connectivity, a, b)
            if math.isinf(expected):
                with pytest.raises(QueryError, match="no straight way"):
                    nav.plane.any_angle_length([a, b])
            else:
                assert nav.plane.any_angle_length([a, b]) == pytest.approx(expected, rel=1e-9)


def test_open_ground_is_one_line(tmp_path: Path) -> None:
    recipe = recipe_for(GROUND, connectivity=8)
    source = write_grid(tmp_path / "open.json", [["floor"] * 7 for _ in range(5)])
    with open_asset(bake(source, recipe)) as level:
        nav = level.profile()
        path = nav.path((0, 0), (6, 3))
        assert path is not None
        assert nav.plane.smooth(path) == [(0, 0), (6, 3)]
        assert nav.plane.furthest_visible(path, 0) == len(path) - 1
        assert nav.plane.furthest_visible(path, len(path) - 1) == len(path) - 1
        assert nav.plane.any_angle_length([(0, 0), (6, 3)]) == pytest.approx(math.hypot(6, 3))
        assert nav.plane.smooth([]) == []
        assert nav.plane.smooth([(3, 3)]) == [(3, 3)]
        assert nav.plane.any_angle_length([]) == nav.plane.any_angle_length([(3, 3)]) == 0


def test_mistakes(tmp_path: Path) -> None:
    with open_asset(bake_grid(tmp_path, rows("...", ".#."), name="a")) as level:
        nav = level.profile()
        with pytest.raises(QueryError, match="no step leads"):
            nav.plane.smooth([(0, 0), (2, 0)])
        with pytest.raises(QueryError, match="no place 3"):
            nav.plane.furthest_visible([(0, 0), (1, 0)], 3)
        with pytest.raises(QueryError, match="cannot stand on"):
            nav.plane.any_angle_length([(0, 0), (1, 1)])
    roads = open_asset(bake(write_graph(tmp_path / "c.json", "ab", [("a", "b", 1.0)]))).profile()
    with pytest.raises(QueryError, match="have no positions"):
        roads.plane.any_angle_length(["a", "b"])


def test_a_jump_stays_in_a_smoothed_path(tmp_path: Path) -> None:
    """A level of two floors of our own: stairs are no line, and no reason to search everywhere."""
    root = Path(__file__).resolve().parents[3]
    source = tmp_path / "bastion.json"
    source.write_bytes((root / "levels_src" / "bastion.json").read_bytes())
    recipe = load_recipe(root / "bake.toml").for_level("bastion")
    with open_asset(bake(source, recipe)) as level:
        nav = level.profile("guard")
        found = nav.search((2, 8, 0), (25, 2, 1))
        assert found.path is not None
        assert found.cost == nav.distance((2, 8, 0), (25, 2, 1))
        assert found.expanded < nav.search((2, 8, 0), (25, 2, 1), "dijkstra").expanded
        waypoints = nav.plane.smooth(found.path)
        assert {(14, 3, 0), (14, 3, 1)} <= set(waypoints)
        assert len(waypoints) < len(found.path)
        assert nav.plane.any_angle_length(waypoints) <= nav.length(found.path) * (1 + 1e-9)
