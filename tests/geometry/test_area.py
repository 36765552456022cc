"""Areas from shapes and cells, against windings and counts in plain Python."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import LevelError
from bake.core.level import FillRule, GeometryLevel, GridLevel, Shape, upright
from bake.core.movement import HEX_LAYOUTS
from bake.geometry import GRID, Geometry, geometry_of, grown
from bake.geometry.area import FARTHEST
from bake.geometry.convex import convex_polygons
from bake.geometry.grow import growth_steps
from tests.support.plane import Ring, apart, around, shoelace, turn, winding

SOURCE = Path("yard.json")


def drawn(*shapes: Shape) -> GeometryLevel:
    return GeometryLevel("yard", SOURCE, shapes, tuple({shape.terrain: 0 for shape in shapes}))


def shape(terrain: str, *rings: Ring, fill: FillRule = "evenodd") -> Shape:
    return Shape(terrain, tuple(np.array(ring, dtype=np.float64) for ring in rings), fill)


def box(x: float, y: float, width: float, height: float) -> Ring:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def sizes(geometry: Geometry, floor: int = 0) -> dict[str, float]:
    return {area.terrain: area.region.area / GRID**2 for area in geometry.floors[floor].areas}


def test_later_shapes_lie_over_those_before() -> None:
    level = drawn(
        shape("floor", box(0, 0, 4, 4)),
        shape("wall", box(1, 1, 2, 2)),
        shape("mud", box(2, 2, 3, 3)),
    )
    assert sizes(geometry_of(level)) == {"floor": 9, "wall": 3, "mud": 9}


@pytest.mark.parametrize(("fill", "area"), [("evenodd", 12.0), ("nonzero", 16.0)])
def test_fill_rule_of_a_ring_inside_another(fill: FillRule, area: float) -> None:
    # Both rings run the same way, so the inner one is wound around twice.
    level = drawn(shape("floor", box(0, 0, 4, 4), box(1, 1, 2, 2), fill=fill))
    assert sizes(geometry_of(level)) == {"floor": area}


def test_a_bow_tie_is_two_triangles() -> None:
    level = drawn(shape("floor", [(0, 0), (2, 2), (2, 0), (0, 2)]))
    assert sizes(geometry_of(level)) == {"floor": 2.0}


@pytest.mark.parametrize(
    "ring", [[(0, 0)], [(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (0, 0)], []]
)
def test_what_has_no_area_vanishes(ring: Ring) -> None:
    level = drawn(shape("floor", box(0, 0, 1, 1)), shape("wall", ring))
    assert sizes(geometry_of(level)) == {"floor": 1.0}


def test_a_line_is_a_wall_of_two_steps() -> None:
    wall = Shape("wall", (np.array([[2.0, 0], [2, 4]]),), closed=False)
    level = drawn(shape("floor", box(0, 0, 4, 4)), wall)
    found = sizes(geometry_of(level))
    assert found["floor"] == 16 - 2 / GRID * (4)
    floor = geometry_of(level).floors[0].areas[0].region
    assert len(floor.geoms) == 2


def test_corners_beyond_the_grid_are_refused() -> None:
    level = drawn(shape("floor", box(0, 0, FARTHEST + 1, 1)))
    with pytest.raises(LevelError, match=r"yard\.json: .*too far away"):
        geometry_of(level)
    with pytest.raises(LevelError, match="radius is nan"):
        grown(geometry_of(drawn(shape("floor", box(0, 0, 1, 1)))), {"floor"}, math.nan)


corner = st.integers(0, 24).map(lambda step: step / 4)
rings = st.lists(
    st.lists(st.tuples(corner, corner), min_size=3, max_size=7), min_size=1, max_size=3
)


@given(rings=rings, fill=st.sampled_from(["evenodd", "nonzero"]))
def test_random_rings_cover_what_they_wind_around(rings: list[Ring], fill: FillRule) -> None:
    floors = geometry_of(drawn(shape("floor", *rings, fill=fill))).floors
    region = shapely.union_all([area.region for area in floors[0].areas])
    # Points off the lattice of corners; those next to an edge may be snapped across it.
    for x in np.arange(0.137, 6, 0.741).tolist():
        for y in np.arange(0.093, 6, 0.689).tolist():
            edges = [pair for ring in rings for pair in around(ring)]
            if min(apart((x, y), (x, y), a, b) for a, b in edges) < 4 / GRID:
                continue
            wound = sum(winding(ring, (x, y)) for ring in rings)
            inside = wound % 2 == 1 if fill == "evenodd" else wound != 0
            assert shapely.contains_xy(region, x * GRID, y * GRID) == inside


grids = st.integers(1, 7).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 2), min_size=width, max_size=width), min_size=1, max_size=7
    )
)


def grid_level(rows: list[list[int]], **more: object) -> GridLevel:
    terrain = np.array(rows, dtype=np.uint8)
    return GridLevel("yard", SOURCE, terrain, ("a", "b", "c"), **more)  # type: ignore[arg-type]


@given(rows=grids)
def test_cells_become_their_outlines(rows: list[list[int]]) -> None:
    level = grid_level(rows, coordinates=upright((2.0, 3.0), (5.0, -7.0)))
    geometry = geometry_of(level)
    count = np.bincount(level.terrain.ravel(), minlength=3)
    assert sizes(geometry) == {
        name: 6 * n for name, n in zip("abc", count.tolist(), strict=True) if n
    }
    for y, row in enumerate(rows):
        for x, code in enumerate(row):
            middle = ((5 + 2 * x + 1) * GRID, (-7 + 3 * y + 1.5) * GRID)
            areas = geometry.floors[0].areas
            on = [each.terrain for each in areas if shapely.contains_xy(each.region, *middle)]
            assert on == ["abc"[code]]


def test_floors_lie_above_one_another() -> None:
    level = grid_level([[0, 0], [1, 1], [2, 0], [0, 0]], floor_height=2)
    geometry = geometry_of(level)
    assert sizes(geometry) == {"a": 2, "b": 2}
    assert sizes(geometry, 1) == {"a": 3, "c": 1}
    assert geometry.floors[1].areas[1].region.bounds == (0, 0, GRID, GRID)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_cover_the_plane_without_gaps(layout: str) -> None:
    level = grid_level([[0, 0, 1], [0, 2, 1], [0, 0, 0]], hex_layout=layout)
    areas = geometry_of(level).floors[0].areas
    whole = shapely.union_all([area.region for area in areas])
    assert isinstance(whole, shapely.Polygon)
    assert not whole.interiors
    one = sizes(geometry_of(level))["c"]
    assert one == pytest.approx(math.sqrt(3) / 2, abs=0.002)


@given(rings=rings, radius=st.sampled_from([0.05, 0.3, 0.75]))
def test_agents_keep_away_from_obstacles(rings: list[Ring], radius: float) -> None:
    level = drawn(shape("floor", box(-1, -1, 8, 8)), shape("wall", *rings))
    geometry = geometry_of(level)
    free = geometry.floors[0].areas[0].region
    left = grown(geometry, {"floor"}, radius).floors[0].areas
    if not left:
        return
    clear = shapely.distance(left[0].region.boundary, free.boundary) / GRID
    assert radius <= clear <= radius * 1.02 + 4 / GRID
    assert shapely.covers(free, left[0].region)
    # Nothing is lost that is further away than promised.
    room = shapely.buffer(free, -growth_steps(radius) - 4, quad_segs=32)
    assert shapely.difference(room, shapely.buffer(left[0].region, 2)).area == 0


def test_a_corridor_narrower_than_the_agent_is_closed() -> None:
    level = drawn(shape("floor", box(0, 0, 3, 3), box(3, 1, 4, 1), box(7, 0, 3, 3)))
    assert len(grown(geometry_of(level), {"floor"}, 0.45).floors[0].areas[0].region.geoms) == 1
    assert len(grown(geometry_of(level), {"floor"}, 0.55).floors[0].areas[0].region.geoms) == 2
    assert not grown(geometry_of(level), {"floor"}, 2.0).floors[0].areas


# -- convex polygons ------------------------------------------------------------------------------


@given(floor=rings, mud=rings)
def test_convex_polygons_are_a_mesh(floor: list[Ring], mud: list[Ring]) -> None:
    geometry = geometry_of(drawn(shape("floor", *floor), shape("mud", *mud, fill="nonzero")))
    mesh = convex_polygons(geometry, geometry.floors[0])
    areas = [Fraction(0)] * len(geometry.floors[0].areas)
    edges: dict[tuple[int, int], int] = {}
    for at in range(len(mesh.area)):
        corners = mesh.corner[mesh.first_corner[at] : mesh.first_corner[at + 1]].tolist()
        ring = [tuple(point) for point in mesh.vertex[corners].tolist()]
        twice = shoelace(ring)
        assert twice > 0
        areas[mesh.area[at]] += twice / 2
        assert len(set(ring)) == len(ring)
        for a, b, c in zip(ring, ring[1:] + ring[:1], ring[2:] + ring[:2], strict=True):
            assert turn(a, b, c) >= 0
        for a, b in around(corners):
            assert (a, b) not in edges
            edges[a, b] = at
    for area, total in zip(geometry.floors[0].areas, areas, strict=True):
        # Where outlines cross, corners are snapped to the grid once more.
        assert abs(float(total) - area.region.area) <= area.region.length
    at = 0
    for polygon in range(len(mesh.area)):
        corners = mesh.corner[mesh.first_corner[polygon] : mesh.first_corner[polygon + 1]].tolist()
        for a, b in around(corners):
            assert mesh.neighbour[at] == edges.get((b, a), -1)
            at += 1


def test_triangles_are_merged() -> None:
    geometry = geometry_of(drawn(shape("floor", box(0, 0, 4, 4)), shape("wall", box(1, 1, 2, 2))))
    mesh = convex_polygons(geometry, grown(geometry, {"floor"}, 0).floors[0])
    assert len(mesh.vertex) == 8
    assert len(mesh.area) == 4
