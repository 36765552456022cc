"""Validate convex polygons from a file, and join those that share an edge."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
import shapely

from bake.core.arrays import Float64Array, Int64Array
from bake.core.errors import LevelError
from bake.core.level import Polygons
from bake.geometry.area import GRID, Geometry, on_grid
from bake.geometry.convex import Convex, twins

#: The largest overlap of polygons, in square steps of the grid for each step of their outlines,
#: since corners were snapped to the grid.
_SNAPPED = 1.0


def given_polygons(geometry: Geometry, polygons: Polygons, floor: int) -> Convex:
    """Return the polygons of one floor of a mesh from another tool.

    Corners are snapped to the grid, so vertices that a file repeats become one. Polygons are joined
    if they share a whole edge, as in Recast's meshes.

    Raises:
        LevelError: a polygon has no area or is not convex, two overlap, or three share an edge.
    """
    polygon_ids = np.flatnonzero(polygons.floor == floor)
    count = np.diff(polygons.first_corner)[polygon_ids]
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    which = np.repeat(polygons.first_corner[polygon_ids] - first[:-1], count) + np.arange(first[-1])
    points = on_grid(polygons.vertex[polygons.corner[which]], geometry.source, "its vertices")
    vertex, corner = np.unique(points.astype(np.int64), axis=0, return_inverse=True)
    corner = corner.reshape(-1).astype(np.int64)
    after = np.arange(1, len(corner) + 1)
    after[first[1:] - 1] = first[:-1]
    places = [polygons.places[at] for at in polygon_ids.tolist()]
    corner = _orient_left(geometry, vertex, first, corner, places)
    twin = twins(corner, after)
    _check_edges(geometry, corner, after, first, places)
    owner = np.repeat(np.arange(len(polygon_ids)), count)
    behind = np.where(twin >= 0, owner[twin], -1)
    _check_overlaps(geometry, vertex[corner].astype(np.float64), first, places)
    return Convex(
        vertex,
        first.astype(np.int32),
        corner.astype(np.int32),
        behind.astype(np.int32),
        polygons.terrain[polygon_ids].astype(np.int32),
    )


def _reject(geometry: Geometry, place: str, shapes: str, expected: str, remedy: str) -> NoReturn:
    raise LevelError(shapes, file=geometry.source, place=place, expected=expected, remedy=remedy)


def _orient_left(
    geometry: Geometry, vertex: Int64Array, first: Int64Array, corner: Int64Array, places: list[str]
) -> Int64Array:
    """Return corners so that every polygon turns from x toward y; raise unless all are convex."""
    oriented = corner.copy()
    for at, place in enumerate(places):
        begin, end = int(first[at]), int(first[at + 1])
        ring = vertex[corner[begin:end]]
        side = np.roll(ring, -1, axis=0) - ring
        onward = np.roll(side, -1, axis=0)
        cross = side[:, 0] * onward[:, 1] - side[:, 1] * onward[:, 0]
        back = (side * onward).sum(axis=1) < 0
        beyond = np.roll(ring, -1, axis=0)
        area = int((ring[:, 0] * beyond[:, 1] - ring[:, 1] * beyond[:, 0]).sum())
        if area == 0 or not side.any(axis=1).all():
            _reject(
                geometry,
                place,
                "the polygon has no area, or a corner twice",
                f"corners at least 1/{GRID} of a unit apart",
                "remove it, or scale the mesh",
            )
        if area < 0:
            oriented[begin:end] = corner[begin:end][::-1]
            cross = -cross
        # A star turns in one direction at every corner, but more than once around.
        turns = int(((side[:, 1] < 0) != (onward[:, 1] < 0)).sum())
        if (cross < 0).any() or ((cross == 0) & back).any() or turns > 2:
            _reject(
                geometry,
                place,
                "the polygon is not convex",
                "convex polygons",
                "cut it into convex ones, or draw the outline as a shape of bake-geometry",
            )
    return oriented


def _check_edges(
    geometry: Geometry,
    corner: Int64Array,
    after: Int64Array,
    first: Int64Array,
    places: list[str],
) -> None:
    """Raise LevelError on an edge that two polygons have on the same side."""
    key = np.stack([corner, corner[after]])
    order = np.lexsort(key)
    ranked = key[:, order]
    twice = np.flatnonzero((ranked[:, 1:] == ranked[:, :-1]).all(axis=0))
    if len(twice):
        at = np.searchsorted(first, order[twice[0] + 1], side="right") - 1
        _reject(
            geometry,
            places[at],
            "the polygon overlaps another one that has the same edge",
            "polygons beside one another",
            "remove one of them, or put them on different floors",
        )


def _check_overlaps(
    geometry: Geometry, ring: Float64Array, first: Int64Array, places: list[str]
) -> None:
    """Raise LevelError if the interiors of two polygons overlap."""
    number = np.repeat(np.arange(len(places)), np.diff(first))
    shapes = shapely.polygons(shapely.linearrings(ring, indices=number))
    tree = shapely.STRtree(shapes)
    one, other = tree.query(shapes, predicate="intersects")
    one, other = one[one < other], other[one < other]
    common = shapely.area(shapely.intersection(shapes[one], shapes[other]))
    tolerance = _SNAPPED * (shapely.length(shapes[one]) + shapely.length(shapes[other]))
    for at in np.flatnonzero(common > tolerance)[:1].tolist():
        _reject(
            geometry,
            places[int(other[at])],
            f"the polygon overlaps that of {places[int(one[at])]}",
            "polygons beside one another",
            "remove one of them, or put them on different floors",
        )
