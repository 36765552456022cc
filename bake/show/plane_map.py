"""Draw the divided plane below nodes and arcs: areas between walls, domains, or mesh polygons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PIL import Image

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import Graph
from bake.play.mesh.polygons import GRID, MeshPolygons
from bake.play.nearest import NearestPlaces
from bake.show.canvas import Canvas
from bake.show.colours import PAPER, PORTAL, WALL, as_colour, cluster_colours, mixed
from bake.show.scene import Scene

#: The opacity of a terrain's color in areas and polygons, and of a domain's own color, over paper.
_STRENGTH, _TINT = 0.45, 0.55
#: The most pairs of a pixel and a weighted point that are compared; above, samples are coarser.
_MOST = 2 * 10**9


def has_domains(scene: Scene) -> bool:
    """Return whether the nodes of a level represent Dirichlet domains."""
    return scene.places.asset.has("/domain_weight")


@dataclass(frozen=True)
class PlaneOutlines:
    """The outlines of the areas or polygons in which a profile can stand."""

    point: Float64Array  #: (k, 2) float64 units, the corners
    rings: list[list[int]]  #: corners of each ring; later rings are drawn above earlier ones
    terrain: list[int]  #: terrain of each ring; -1 = a hole
    walls: list[tuple[int, int]]  #: corners at the two ends of each wall
    portals: list[tuple[int, int]]  #: corners at the two ends of each edge between two polygons


def plane_outlines(scene: Scene) -> PlaneOutlines | None:
    """Return the outlines of a profile's part of the plane; None = the level divides no plane."""
    if scene.places.asset.has("/mesh_vertex"):
        return _polygon_outlines(scene)
    return _area_outlines(scene) if scene.places.asset.has("/wall_corner") else None


def plane_colours(scene: Scene) -> UInt8Array:
    """Return (t, 3) uint8, the color of areas and polygons of each terrain."""
    return mixed(scene.places.asset.read("/terrain_colour"), PAPER, 1 - _STRENGTH)


def draw_areas(
    canvas: Canvas, scene: Scene, low: Float64Array, per_unit: float, border: float
) -> None:
    """Draw the areas that a profile can stand in, the domains in them, and their walls.

    Args:
        canvas: the empty map.
        scene: the level and profile.
        low: (2) float64 units, the corner of the plane that is drawn at ``border`` pixels.
        per_unit: pixels per unit.
        border: the margin in pixels.
    """
    outlines = _area_outlines(scene)
    place = (outlines.point - low) * per_unit + border
    rings = [place[ring] for ring in outlines.rings]
    colours = plane_colours(scene)
    within = Canvas(*canvas.size, (0, 0, 0))
    for ring, code in zip(rings, outlines.terrain, strict=True):
        canvas.polygons(ring[None], PAPER if code < 0 else as_colour(colours[code]))
        within.polygons(ring[None], (0, 0, 0) if code < 0 else (1, 1, 1))
    if has_domains(scene) and scene.columns.row_count:
        drawn, inside = np.array(canvas.image), np.asarray(within.image)[..., 0] > 0
        _draw_domains(drawn, inside, canvas.fine, scene, (low, per_unit, border))
        canvas.image.paste(Image.fromarray(drawn))
    for ring in rings:
        canvas.polyline(np.vstack([ring, ring[:1]]), 2.0, WALL)


def _area_outlines(scene: Scene) -> PlaneOutlines:
    """Return the rings of walls around areas, the largest ring first."""
    asset = scene.places.asset
    corner, after = asset.read("/wall_corner"), asset.read("/wall_after").tolist()
    first, area = asset.read("/wall_first_corner").tolist(), asset.read("/wall_area")
    node = scene.columns.node
    terrain: dict[int, int] = {}
    for number, code in zip(area[node].tolist(), scene.row_terrain.tolist(), strict=True):
        terrain.setdefault(number, code)
    rings: list[tuple[float, list[int], int]] = []
    for number in sorted(terrain):
        left = set(range(first[number], first[number + 1]))
        while left:
            begin = min(left)
            ring, current = [], begin
            while current in left:
                left.remove(current)
                ring.append(current)
                current = after[current]
            extent = _extent(corner[ring].astype(np.int64))
            rings.append((abs(extent), ring, -1 if extent < 0 else terrain[number]))
    # A hole is smaller than the area around it, and an island in the hole is smaller still.
    rings.sort(key=lambda ring: -ring[0])
    return PlaneOutlines(
        point=corner / GRID,
        rings=[ring for _, ring, _ in rings],
        terrain=[code for _, _, code in rings],
        walls=[(begin, after[begin]) for _, ring, _ in rings for begin in ring],
        portals=[],
    )


def _extent(ring: Float64Array | Int64Array) -> float:
    """Return twice the signed area of a ring; negative = a hole."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _draw_domains(
    drawn: UInt8Array,
    inside: BoolArray,
    fine: int,
    scene: Scene,
    placed: tuple[Float64Array, float, float],
) -> None:
    """Draw each domain in a color that differs from its neighbors, and the borders between them."""
    height, width = inside.shape
    low, per_unit, border = placed
    coarse = max(1, math.ceil(math.sqrt(inside.sum() * scene.columns.row_count / _MOST)))
    x, y = np.arange(coarse / 2, width, coarse), np.arange(coarse / 2, height, coarse)
    plane = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    points = (plane / fine - border) / per_unit + low
    domain = NearestPlaces(scene.columns.version).many(points).reshape(len(y), len(x))
    domain = np.repeat(np.repeat(domain, coarse, axis=0), coarse, axis=1)[:height, :width]
    row_colours = _domain_colours(scene, domain, inside)
    drawn[inside] = np.rint(
        drawn[inside] * (1 - _TINT) + row_colours[domain[inside]].astype(np.float64) * _TINT
    ).astype(np.uint8)
    edge = np.zeros_like(inside)
    for line in range(fine):  # As wide as a pixel of the map.
        edge[:, 1 + line :] |= domain[:, 1 + line :] != domain[:, : -1 - line]
        edge[1 + line :] |= domain[1 + line :] != domain[: -1 - line]
    drawn[edge & inside] = PORTAL


class DomainSamples(NamedTuple):
    """The colors of domains at points of a grid over the plane."""

    low: Float64Array  #: (2) float64 units, the corner of the first square around a point
    step: float  #: units between two points
    colour: UInt8Array  #: (height, width, 3) uint8


def sample_domains(scene: Scene, longer: int) -> DomainSamples | None:
    """Sample the colors of domains in `bake render` on a grid of points.

    The grid has ``longer`` points along the longer side of the plane. Return None if the level has
    no domains, or the profile has none.
    """
    if not has_domains(scene) or not scene.columns.row_count:
        return None
    outlines = _area_outlines(scene)
    corners = outlines.point[np.concatenate([np.array(ring) for ring in outlines.rings])]
    low, extent = corners.min(axis=0), np.ptp(corners, axis=0)
    step = float(extent.max()) / longer
    width, height = np.maximum(1, np.ceil(extent / step)).astype(int).tolist()
    x, y = (
        low[axis] + (np.arange(count) + 0.5) * step for axis, count in ((0, width), (1, height))
    )
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    domain = NearestPlaces(scene.columns.version).many(points).reshape(height, width)
    colours = _domain_colours(scene, domain, np.ones_like(domain, dtype=np.bool_))
    return DomainSamples(low, step, colours[domain])


def _domain_colours(scene: Scene, domain: Int32Array, inside: BoolArray) -> UInt8Array:
    """Return (r, 3) uint8, a color for each row, such that adjacent domains differ."""
    pairs = np.concatenate(
        [
            np.stack([domain[:, :-1], domain[:, 1:]], axis=-1)[inside[:, :-1] & inside[:, 1:]],
            np.stack([domain[:-1], domain[1:]], axis=-1)[inside[:-1] & inside[1:]],
        ]
    )
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    count = scene.columns.row_count
    graph, _ = Graph.from_arcs(count, *np.concatenate([pairs, pairs[:, ::-1]]).T)
    return cluster_colours(graph, np.arange(count, dtype=np.int32), count)


def draw_polygons(
    canvas: Canvas, scene: Scene, low: Float64Array, per_unit: float, border: float
) -> None:
    """Draw the polygons in which a profile can stand, their walls and their portals.

    Args:
        canvas: the empty map.
        scene: the level and profile.
        low: (2) float64 units, the corner of the plane that is drawn at ``border`` pixels.
        per_unit: pixels per unit.
        border: the margin in pixels.
    """
    outlines = _polygon_outlines(scene)
    place = (outlines.point - low) * per_unit + border
    colours = plane_colours(scene)
    for ring, code in zip(outlines.rings, outlines.terrain, strict=True):
        canvas.polygons(place[ring][None], as_colour(colours[code]))
    for lines, width, colour in ((outlines.portals, 1.0, PORTAL), (outlines.walls, 2.0, WALL)):
        if lines:
            canvas.lines(place[np.array(lines)].reshape(-1, 4), width, colour)


def _polygon_outlines(scene: Scene) -> PlaneOutlines:
    """Return the outlines of the polygons of a mesh."""
    mesh = MeshPolygons(scene.places)
    stands = scene.columns.component >= 0
    drawn = [bool(stands[mesh.nodes(polygon)].any()) for polygon in range(len(mesh))]
    outlines = PlaneOutlines(np.array(mesh.point) / GRID, [], [], [], [])
    for polygon in np.flatnonzero(drawn).tolist():
        edges = mesh.edges(polygon)
        outlines.rings.append([begin for begin, _, _ in edges])
        outlines.terrain.append(int(mesh.terrain[polygon]))
        for begin, end, behind in edges:
            is_portal = behind >= 0 and drawn[behind]
            (outlines.portals if is_portal else outlines.walls).append((begin, end))
    return outlines
