"""Lines of sight and the sweep for bends, beside plain Python in fractions."""

import heapq
import math
import random

import numpy as np
import pytest
import shapely

from bake.search.plane.sight import (
    Outline,
    SweepRoom,
    corners_seen,
    holds,
    reflex_corners,
    sees,
)
from tests.support import sight_oracle as oracle
from tests.support.sight_oracle import areas, rings_of

pytestmark = pytest.mark.note(68, "lines of sight in fractions")

Cell = tuple[int, int]


def outline_of(rings: list[list[Cell]]) -> Outline:
    return Outline.from_rings([np.array(ring, dtype=np.int64) for ring in rings])


def drawn(seed: int) -> list[list[Cell]]:
    """A room with obstacles: boxes and triangles on a coarse grid, so that much of it touches."""
    rng = random.Random(seed)
    size = rng.choice((6, 9, 14))
    room = shapely.box(0, 0, size, size)
    for _ in range(rng.randint(1, 7)):
        if rng.random() < 0.6:
            x, y = rng.randint(0, size), rng.randint(0, size)
            cut = shapely.box(x, y, x + rng.randint(1, 3), y + rng.randint(1, 3))
        else:
            points = [(rng.randint(0, size), rng.randint(0, size)) for _ in range(3)]
            cut = shapely.Polygon(points)
            if cut.area == 0:
                continue
        room = areas(shapely.difference(room, cut, grid_size=1.0))
    return rings_of(room)


def swept(outline: Outline, at: Cell, own: int) -> list[int]:
    seen = np.empty(len(outline.x), dtype=np.int32)
    room = SweepRoom.of(len(outline.x))
    return seen[: corners_seen(outline, at[0], at[1], own, room, seen)].tolist()


@pytest.mark.parametrize("seed", range(25))
def test_lines_of_sight(seed: int) -> None:
    rings = drawn(seed)
    if not rings:
        return
    outline, rng = outline_of(rings), random.Random(seed)
    grid = [(x, y) for x in range(15) for y in range(15)]
    inside = [point for point in grid if oracle.inside(rings, point)]
    assert inside == [point for point in grid if holds(outline, *point)]
    for _ in range(150):
        one, other = rng.choice(inside), rng.choice(inside)
        if one != other:
            assert sees(outline, *one, *other) == oracle.sees(rings, one, other), (one, other)


def walked(points: list[Cell], arcs: dict[Cell, set[Cell]], start: Cell) -> dict[Cell, float]:
    """Dijkstra's method."""
    far, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        so_far, here = heapq.heappop(queue)
        if so_far > far[here]:
            continue
        for there in arcs[here]:
            new = so_far + math.dist(here, there)
            if new < far.get(there, math.inf):
                far[there] = new
                heapq.heappush(queue, (new, there))
    return far


@pytest.mark.parametrize("seed", range(40))
def test_ways_over_bends_are_shortest(seed: int) -> None:
    """Ways by the bends that sweeps find, beside ways over all corners that see each other."""
    rings = drawn(seed)
    if not rings:
        return
    outline, rng = outline_of(rings), random.Random(seed)
    reflex = np.zeros(len(outline.x), dtype=np.bool_)
    reflex_corners(outline, reflex)
    point = list(zip(outline.x.tolist(), outline.y.tolist(), strict=True))
    touching = len(set(point)) < len(point)
    bends = {point[corner] for corner in np.flatnonzero(reflex)}
    assert bends == oracle.bends(rings) or (touching and bends < oracle.bends(rings))
    grid = [(x, y) for x in range(15) for y in range(15) if oracle.inside(rings, (x, y))]
    ends = [rng.choice(grid) for _ in range(3)]
    # Points where walls touch are ways for none, so corners are told apart by their numbers.
    corners = [int(corner) for corner in np.flatnonzero(reflex)]
    arcs: dict[object, dict[object, float]] = {each: {} for each in [*corners, *"abc"]}
    for corner in corners:
        for other in swept(outline, point[corner], corner):
            assert oracle.sees(rings, point[corner], point[other])
            arcs[corner][other] = math.dist(point[corner], point[other])
    for name, at in zip("abc", ends, strict=True):
        for other in swept(outline, at, -1):
            assert at == point[other] or oracle.sees(rings, at, point[other])
            arcs[name][other] = arcs[other][name] = math.dist(at, point[other])
        for other_name, there in zip("abc", ends, strict=True):
            if there != at and oracle.sees(rings, at, there):
                arcs[name][other_name] = math.dist(at, there)
    places = sorted({*point, *ends})
    everything = {
        one: {other for other in places if other != one and oracle.sees(rings, one, other)}
        for one in places
    }
    for corner in corners:
        for other in arcs[corner]:
            if isinstance(other, int):
                assert corner in arcs[other], "what leads there leads back"
    for name, at in zip("abc", ends, strict=True):
        told = _dijkstra(arcs, name)
        expected = walked(places, everything, at)
        for other_name, there in zip("abc", ends, strict=True):
            if there == at:
                continue
            one, two = told.get(other_name, math.inf), expected.get(there, math.inf)
            if touching:
                assert one >= two - 1e-9
            else:
                assert one == pytest.approx(two), (at, there)


def _dijkstra(arcs: dict[object, dict[object, float]], start: object) -> dict[object, float]:
    far, queue, done = {start: 0.0}, [(0.0, 0, start)], set()
    while queue:
        so_far, _, here = heapq.heappop(queue)
        if here in done:
            continue
        done.add(here)
        for there, length in arcs[here].items():
            if so_far + length < far.get(there, math.inf):
                far[there] = so_far + length
                heapq.heappush(queue, (far[there], len(far) + len(queue) * 1000, there))
    return far


def test_nothing_slips_through_where_walls_touch() -> None:
    """Two boxes that touch in a corner, in a room."""
    rings = rings_of(
        shapely.difference(
            shapely.difference(shapely.box(0, 0, 8, 8), shapely.box(2, 2, 4, 4), grid_size=1.0),
            shapely.box(4, 4, 6, 6),
            grid_size=1.0,
        )
    )
    outline = outline_of(rings)
    assert not sees(outline, 3, 5, 5, 3)
    assert not sees(outline, 2, 6, 6, 2)
    assert sees(outline, 2, 4, 4, 4)
    assert sees(outline, 0, 4, 4, 4)
    # Along one box, past the touching corner and along the other there is a wall in the way.
    assert not sees(outline, 2, 4, 6, 4)
    assert sees(outline, 1, 7, 7, 7)
