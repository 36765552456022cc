"""Draw the polygons of a navigation mesh below its nodes and arcs."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.runtime.mesh.polygons import GRID, MeshPolygons
from bake.view.colours import PAPER
from bake.view.scene import Scene

#: How many times larger polygons are drawn, to be scaled down with smooth edges.
_FINER = 2
#: The share of a terrain's colour in that of its polygons; the rest is paper.
_STRENGTH = 0.45
_PORTAL = (255, 255, 255)
_WALL = (70, 66, 78)


def mesh_points(scene: Scene) -> Float64Array | None:
    """Return (v, 2) float64 units, the corners of a level's polygons; None where it has none."""
    if not scene.places.asset.has("/mesh/vertex"):
        return None
    points: Float64Array = scene.places.asset.read("/mesh/vertex") / GRID
    return points


def draw_polygons(
    pixels: UInt8Array, scene: Scene, low: Float64Array, per_unit: float, border: float
) -> UInt8Array:
    """Draw the polygons in which a profile can stand, their walls and their portals.

    Args:
        pixels: (height, width, 3) uint8 of the empty map.
        scene: what is drawn.
        low: (2) float64 units, the corner of the plane that lies at ``border`` pixels.
        per_unit: pixels of a unit.
        border: pixels that stay free.

    Returns:
        The map with polygons.
    """
    mesh = MeshPolygons(scene.places)
    height, width = pixels.shape[:2]
    image = Image.new("RGB", (width * _FINER, height * _FINER), tuple(PAPER))
    draw = ImageDraw.Draw(image)
    at = (np.array(mesh.point) / GRID - low) * per_unit + border
    place = [(x, y) for x, y in (at * _FINER).tolist()]
    colour = scene.places.asset.read("/terrain/colour").astype(np.float64)
    mixed = np.rint(colour * _STRENGTH + np.array(PAPER) * (1 - _STRENGTH)).astype(int).tolist()
    stands = scene.tables.component >= 0
    drawn = [bool(stands[mesh.nodes(polygon)].any()) for polygon in range(len(mesh))]
    for polygon in np.flatnonzero(drawn).tolist():
        ring = [place[begin] for begin, _, _ in mesh.edges(polygon)]
        draw.polygon(ring, fill=tuple(mixed[int(mesh.terrain[polygon])]))
    for walls in (False, True):
        for polygon in np.flatnonzero(drawn).tolist():
            for begin, end, behind in mesh.edges(polygon):
                if (behind < 0 or not drawn[behind]) == walls:
                    line, thick = (_WALL, 2 * _FINER) if walls else (_PORTAL, _FINER)
                    draw.line((place[begin], place[end]), fill=line, width=thick)
    return np.array(image.resize((width, height), Image.Resampling.LANCZOS), dtype=np.uint8)
