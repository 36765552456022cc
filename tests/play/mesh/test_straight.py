"""Straight paths against brute force in exact arithmetic: visibility, and every pair of portals."""

import math
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from bake.core.level import GeometryLevel, GridLevel, Mesh, Shape
from bake.geometry import GRID, Geometry, geometry_of, grown
from bake.geometry.convex import convex_polygons
from bake.play.mesh.funnel import string_through
from bake.play.mesh.polyanya import shortest
from bake.play.mesh.polygons import MeshPolygons, Step
from bake.worlds.mesh import join_meshes, mesh_graph
from tests.support.plane import (
    Point,
    Ring,
    apart,
    around,
    crossings,
    inside,
    on_segment,
    shortest_by_sight,
    turn,
)

pytestmark = [
    pytest.mark.note(72, "brute force in exact arithmetic"),
    pytest.mark.note(101, "every pair of portals"),
]


def yard(rings: list[Ring], radius: float = 0.0) -> tuple[Geometry, Mesh]:
    """A square of 8 x 8 units with walls in it, as a mesh for points or round agents."""
    box: Ring = [(0, 0), (8, 0), (8, 8), (0, 8)]
    shapes = [Shape("floor", (np.array(box),))]
    if rings:
        shapes.append(
            Shape("wall", tuple(np.array(ring, dtype=float) for ring in rings), "nonzero")
        )
    level = GeometryLevel("yard", Path("yard.json"), tuple(shapes), ("floor", "wall"))
    geometry = grown(geometry_of(level), {"floor"}, radius)
    if not geometry.floors[0].areas:
        reject()
    mesh = join_meshes([convex_polygons(geometry, geometry.floors[0])], [0], [[0, 1]])
    _, first_node, node = mesh_graph(mesh, "centre")
    return geometry, Mesh(*mesh_columns(mesh).values(), first_node, node)  # type: ignore[arg-type]


def mesh_columns(mesh: Mesh) -> dict[str, np.ndarray]:
    names = ("vertex", "first_corner", "corner", "neighbour", "terrain", "floor")
    return {name: getattr(mesh, name) for name in names}


def read(mesh: Mesh) -> MeshPolygons:
    """The mesh as the reader of games holds it."""
    columns: dict[str, Any] = mesh_columns(mesh) | {
        "first_node": mesh.first_node,
        "node": mesh.node,
    }
    asset = SimpleNamespace(
        has=lambda path: True,
        read=lambda path: columns[path.removeprefix("/mesh_")],
        damaged=ValueError,
    )
    places = SimpleNamespace(asset=asset, node_count=len(mesh.terrain), name="yard")
    return MeshPolygons(cast("Any", places))


def walls(polygons: MeshPolygons) -> list[tuple[Step, Step]]:
    return [
        (polygons.point[a], polygons.point[b])
        for polygon in range(len(polygons))
        for a, b, behind in polygons.edges(polygon)
        if behind < 0
    ]


def corners(polygons: MeshPolygons) -> list[bool]:
    at = {point for edge in walls(polygons) for point in edge}
    return [point in at for point in polygons.point]


def has_pinch(polygons: MeshPolygons) -> bool:
    """Whether two parts of the area meet in a point, where the oracle would walk through."""
    begins = [a for a, _ in walls(polygons)]
    return len(set(begins)) < len(begins)


def measured(path: list[Step]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(path))


def polyanya(polygons: MeshPolygons, start: Step, goal: Step) -> list[Step] | None:
    begins, ends = polygons.holding(start, 0), polygons.holding(goal, 0)
    opened = [True] * len(polygons)
    return shortest(polygons, start, goal, begins, set(ends), opened, corners(polygons))


corner = st.integers(0, 16).map(lambda step: step / 2)
ring = st.lists(st.tuples(corner, corner), min_size=3, max_size=6)
free = st.integers(0, 8 * GRID)
fine = st.tuples(free, free)
coarse = st.tuples(st.integers(0, 16), st.integers(0, 16)).map(
    lambda at: (at[0] * GRID // 2, at[1] * GRID // 2)
)
point = st.one_of(fine, coarse)


@given(
    rings=st.lists(ring, max_size=3),
    radius=st.sampled_from([0.0, 0.0, 0.3]),
    start=point,
    goal=point,
)
def test_polyanya_is_as_short_as_visibility(
    rings: list[Ring], radius: float, start: Step, goal: Step
) -> None:
    _, mesh = yard(rings, radius)
    polygons = read(mesh)
    edges = cast("list[tuple[Point, Point]]", walls(polygons))
    assume(not has_pinch(polygons))
    there = [inside(cast("Any", each), edges) for each in (start, goal)]
    assert [bool(polygons.holding(each, 0)) for each in (start, goal)] == there
    assume(all(there))
    wanted = shortest_by_sight(start, goal, edges)
    found = polyanya(polygons, start, goal)
    if found is None:
        assert wanted == math.inf
        return
    assert (found[0], found[-1]) == (start, goal)
    assert measured(found) == pytest.approx(wanted, abs=1e-6)
    # The same way back.
    back = polyanya(polygons, goal, start)
    assert back is not None
    assert measured(back) == pytest.approx(wanted, abs=1e-6)


def test_polyanya_by_hand() -> None:
    # A wall from above with its lower corners at (3, 6) and (5, 6).
    _, mesh = yard([[(3, 0), (5, 0), (5, 6), (3, 6)]])
    path = polyanya(read(mesh), (GRID, GRID), (7 * GRID, GRID))
    assert path == [(GRID, GRID), (3 * GRID, 6 * GRID), (5 * GRID, 6 * GRID), (7 * GRID, GRID)]
    _, mesh = yard([[(3, -1), (5, -1), (5, 9), (3, 9)]])
    assert polyanya(read(mesh), (GRID, GRID), (7 * GRID, GRID)) is None
    assert polyanya(read(mesh), (GRID, GRID), (GRID, GRID)) == [(GRID, GRID)]


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        # From the middle of a wall's side along it: the edge there is seen from its own line.
        ([[1, 0, 0], [0, 0, 1], [1, 0, 0]], [(2.5, 1), (2, 1), (1.5, 1.5)]),
        ([[0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], [(1, 2.5), (1, 3), (3, 5)]),
        ([[0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 1, 0]], [(1, 0.5), (1, 1), (1.5, 2.5)]),
        # Past a corner on the line, and on to the next one.
        (
            [[0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 1], [0, 1, 0, 0, 1, 1]],
            [(4, 0.5), (4, 1), (3, 2), (3, 3)],
        ),
    ],
)
def test_polyanya_goes_along_walls_of_cells(rows: list[list[int]], path: list[Point]) -> None:
    """Outlines of cells have many corners on one line; these ways were not found, or too long."""
    terrain = np.array(rows, dtype=np.uint8)
    level = GridLevel("cells", Path("cells.json"), terrain, ("floor", "wall"))
    geometry = grown(geometry_of(level), {"floor"}, 0.0)
    mesh = join_meshes([convex_polygons(geometry, geometry.floors[0])], [0], [[0, 1]])
    _, first_node, node = mesh_graph(mesh, "centre")
    polygons = read(Mesh(*mesh_columns(mesh).values(), first_node, node))  # type: ignore[arg-type]
    steps = [(round(x * GRID), round(y * GRID)) for x, y in path]
    found, back = polyanya(polygons, steps[0], steps[-1]), polyanya(polygons, steps[-1], steps[0])
    assert found == steps
    assert back == steps[::-1]


def crosses_in_order(a: Step, b: Step, portals: list[tuple[Step, Step]]) -> bool:
    """Tell whether a segment meets portals one after another, each from its right side on."""
    reached = Fraction(0)
    for left, right in portals:
        if not turn(a, b, left) >= 0 >= turn(a, b, right):
            return False
        met = [
            part
            for part in crossings(a, b, [(left, right)])
            if on_segment(along(a, b, part), left, right) and part >= reached
        ]
        if not met:
            return False
        reached = met[0]
    return True


def along(a: Step, b: Step, part: Fraction) -> tuple[Fraction, Fraction]:
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])


def by_every_portal(start: Step, goal: Step, portals: list[tuple[Step, Step]]) -> float:
    """The shortest way through portals in order, over all pairs of their ends."""
    stops = [(start, -1), *((end, at) for at, gate in enumerate(portals) for end in gate)]
    stops.append((goal, len(portals)))
    best = [0.0] + [math.inf] * (len(stops) - 1)
    for here, (a, first) in enumerate(stops):
        for there in range(here + 1, len(stops)):
            b, last = stops[there]
            if last <= first and a != b and last != first:
                continue
            between = portals[first + 1 : last]
            if a == b:
                at = along(a, a, Fraction(0))
                crosses = all(on_segment(at, *gate) for gate in between)
            else:
                crosses = crosses_in_order(a, b, between)
            if crosses:
                best[there] = min(best[there], best[here] + math.dist(a, b))
    return best[-1]


@given(rings=st.lists(ring, min_size=1, max_size=4), seed=st.integers(0, 2**32))
def test_strings_are_as_short_as_any_way_through_the_portals(rings: list[Ring], seed: int) -> None:
    polygons = read(yard(rings)[1])
    rng = np.random.default_rng(seed)
    here = int(rng.integers(len(polygons)))
    row, portals = [here], []
    while len(row) < 12:
        onward = [edge for edge in polygons.edges(row[-1]) if edge[2] >= 0 and edge[2] not in row]
        if not onward:
            break
        a, b, behind = onward[int(rng.integers(len(onward)))]
        portals.append((polygons.point[b], polygons.point[a]))
        row.append(behind)
    start, goal = (middle(polygons, row[at], rng) for at in (0, -1))
    found = string_through(start, goal, portals)
    assert (found[0], found[-1]) == (start, goal)
    assert set(found[1:-1]) <= {end for gate in portals for end in gate}
    assert measured(found) == pytest.approx(by_every_portal(start, goal, portals), abs=1e-6)


@pytest.mark.parametrize(
    ("start", "goal", "portals", "path"),
    [
        # The second portal is seen from its own line, so the string turns at its nearer end.
        (
            (6, 12),
            (0, 9),
            [
                ((16, 0), (13, 2)),
                ((7, 5), (11, 3)),
                ((4, 9), (11, 3)),
                ((4, 9), (1, 12)),
                ((3, 7), (1, 12)),
                ((0, 0), (1, 12)),
            ],
            [(6, 12), (13, 2), (11, 3), (4, 9), (0, 9)],
        ),
        # Who stands on a portal sees to both of its ends, and straight on.
        ((1, 0), (3, 3), [((0, 0), (2, 0)), ((0, 4), (2, 0))], [(1, 0), (3, 3)]),
        ((1, 0), (-1, 3), [((0, 0), (2, 0)), ((0, 0), (2, 4))], [(1, 0), (-1, 3)]),
    ],
)
def test_strings_by_hand(
    start: Step, goal: Step, portals: list[tuple[Step, Step]], path: list[Step]
) -> None:
    assert string_through(start, goal, portals) == path
    assert by_every_portal(start, goal, portals) == pytest.approx(measured(path))


def middle(polygons: MeshPolygons, polygon: int, rng: np.random.Generator) -> Step:
    """A random point of a polygon, one of its corners, or the middle of a side."""
    ring = np.array([polygons.point[a] for a, _, _ in polygons.edges(polygon)])
    where = rng.integers(5)
    at = rng.integers(len(ring))
    if where == 0:
        x, y = ring[at].tolist()
        return x, y
    if where == 1 and not ((ring[at] + ring[at - 1]) % 2).any():
        x, y = ((ring[at] + ring[at - 1]) // 2).tolist()
        return x, y
    weight = rng.dirichlet(np.ones(len(ring)))
    x, y = np.rint(weight @ ring).astype(int).tolist()
    return (x, y) if polygons.holds(polygon, (x, y)) else middle(polygons, polygon, rng)


def test_agents_with_a_radius_keep_it_all_the_way() -> None:
    obstacle: Ring = [(3, 0), (5, 0), (5, 5), (4, 6), (3, 5)]
    _, mesh = yard([obstacle], 0.75)
    path = polyanya(read(mesh), (GRID, GRID), (7 * GRID, GRID))
    assert path is not None
    near = min(
        apart((a[0] / GRID, a[1] / GRID), (b[0] / GRID, b[1] / GRID), c, d)
        for a, b in pairwise(path)
        for c, d in around(obstacle)
    )
    assert 0.75 <= near <= 0.75 * 1.02 + 4 / GRID


@given(rings=st.lists(ring, max_size=4), points=st.lists(point, min_size=1, max_size=12))
def test_points_are_found_in_their_polygons(rings: list[Ring], points: list[Step]) -> None:
    polygons = read(yard(rings)[1])
    for each in points:
        everywhere = [at for at in range(len(polygons)) if polygons.holds(at, each)]
        assert polygons.holding(each, 0) == everywhere
        for at in everywhere:
            ring = [polygons.point[a] for a, _, _ in polygons.edges(at)]
            assert all(turn(a, b, each) >= 0 for a, b in around(ring))
