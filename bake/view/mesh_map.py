"""Draw the polygons of a navigation mesh below its nodes and arcs."""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array
from bake.play.mesh.polygons import GRID, MeshPolygons
from bake.view.canvas import Canvas
from bake.view.colours import PAPER, as_colour, mixed
from bake.view.scene import Scene

#: The share of a terrain's colour in that of its polygons; the rest is paper.
_STRENGTH = 0.45
_PORTAL = (255, 255, 255)
_WALL = (70, 66, 78)


def draw_polygons(
    canvas: Canvas, scene: Scene, low: Float64Array, per_unit: float, border: float
) -> None:
    """Draw the polygons in which a profile can stand, their walls and their portals.

    Args:
        canvas: the empty map.
        scene: what is drawn.
        low: (2) float64 units, the corner of the plane that lies at ``border`` pixels.
        per_unit: pixels of a unit.
        border: pixels that stay free.
    """
    mesh = MeshPolygons(scene.places)
    place = (np.array(mesh.point) / GRID - low) * per_unit + border
    colours = mixed(scene.places.asset.read("/terrain_colour"), PAPER, 1 - _STRENGTH)
    stands = scene.columns.component >= 0
    drawn = [bool(stands[mesh.nodes(polygon)].any()) for polygon in range(len(mesh))]
    portals: list[tuple[int, int]] = []
    walls: list[tuple[int, int]] = []
    for polygon in np.flatnonzero(drawn).tolist():
        edges = mesh.edges(polygon)
        ring = place[[begin for begin, _, _ in edges]]
        canvas.polygons(ring[None], as_colour(colours[int(mesh.terrain[polygon])]))
        for begin, end, behind in edges:
            (portals if behind >= 0 and drawn[behind] else walls).append((begin, end))
    for lines, width, colour in ((portals, 1.0, _PORTAL), (walls, 2.0, _WALL)):
        if lines:
            canvas.lines(place[np.array(lines)].reshape(-1, 4), width, colour)
