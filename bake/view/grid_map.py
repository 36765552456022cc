"""Maps of grid levels, square and hexagonal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.errors import QueryError
from bake.runtime.reader.floors import grid_cell
from bake.runtime.reader.places import Place
from bake.view.cell_paint import CellPaint, Cells, paint_cells
from bake.view.cell_views import (
    clusters_view,
    components_view,
    distances_view,
    hops_view,
    search_view,
    terrain_view,
)
from bake.view.contours import contour_step, draw_contours
from bake.view.flow import cells_per_arrow, draw_flow
from bake.view.hex_cells import HexCells
from bake.view.ink import Ink
from bake.view.layer_marks import draw_layer, draw_searched
from bake.view.legend import ColourBar, Legend, Swatch, number
from bake.view.lettering import font, width_of
from bake.view.lint_marks import draw_findings
from bake.view.marks import draw_goal, draw_path, draw_start
from bake.view.page import Map, page_pixels
from bake.view.palette import INK
from bake.view.request import LONGER_SIDE, MAX_PIXELS, Request
from bake.view.scene import Scene
from bake.view.small_components import ring_small_components
from bake.view.square_cells import SquareCells
from bake.view.thing_marks import draw_things, label_floors
from bake.view.toward import Toward

_LARGEST_CELL = 120

#: Components whose longer side has fewer pixels get a ring.
_NOTICED = 26

#: Cells of at least this many pixels have their distance written into them.
_ROOM_FOR_NUMBERS = 44


def draw_grid(request: Request) -> Map:
    """Draw a grid level.

    Raises:
        QueryError: at this scale the picture would have too many pixels.
    """
    scene = request.scene
    cells = fitting_cells(scene, request.scale)
    shared_arrows = request.show == "hops" and cells_per_arrow(cells) > 1
    paint, swatches = _view(request, 0.0 if shared_arrows else grid_line(cells.scale))
    pixels = paint_cells(cells, paint)
    ink = Ink()
    bar = None
    toward = request.toward
    if request.show == "distances" and toward is not None:
        step = contour_step(toward.greatest)
        numbered = cells.scale >= _ROOM_FOR_NUMBERS
        bar = ColourBar(toward.greatest, step, lined=not numbered)
        if numbered:
            pixels = _numbered(pixels, scene, cells, toward)
        else:
            _contours(pixels, scene, cells, toward, step)
    if request.show == "hops" and toward is not None:
        draw_flow(ink, scene, cells, toward)
    if request.show == "components":
        point = cells.centre(scene.places.flat[scene.tables.node])
        ring_small_components(ink, scene, point, cells.scale, noticed=_NOTICED)
    if request.findings is not None:
        swatches += draw_findings(ink, scene, cells, request.findings)
    if request.show in ("terrain", "components"):
        draw_things(ink, scene, cells)
    _draw_layers(ink, request, cells)
    _draw_marks(ink, request, cells)
    pixels = label_floors(pixels, scene, cells)
    ink.draw_on(pixels)
    shown_bar = bar if bar and bar.greatest > 0 else None
    legend = Legend(tuple(swatches), cells.scale, "cell", shown_bar)
    return Map(pixels, legend, framed=scene.hex_layout is None)


def fitting_cells(scene: Scene, scale: int | None) -> Cells:
    """Where the cells lie in pixels.

    Args:
        scene: the level.
        scale: pixels a cell; None = what makes the longer side fit.
    """
    largest = _largest_scale(scene)
    if scale is None:
        longest = max(scene.places.width, scene.places.height)
        scale = max(1, min(_LARGEST_CELL, LONGER_SIDE // longest, largest))
    if scale > largest or scale < 1:
        where = f"level {scene.name!r}, {scene.places.width} x {scene.places.height} cells"
        if largest < 1:
            raise QueryError(
                "too large to draw",
                place=where,
                expected=f"a picture of at most {MAX_PIXELS:,} pixels",
            )
        raise QueryError(
            f"--scale {scale} is too {'large' if scale > largest else 'small'}",
            place=where,
            expected=f"1 to {largest} pixels a cell",
        )
    return _cells(scene, scale)


def _cells(scene: Scene, scale: int) -> Cells:
    width, height = scene.places.width, scene.places.height
    if scene.hex_layout is None:
        return SquareCells(width, height, scale)
    return HexCells(width, height, scale, scene.hex_layout)


def _largest_scale(scene: Scene) -> int:
    """The largest scale whose page has few enough pixels; 0 where none has."""
    low, high = 0, 2**13
    while low < high:
        middle = (low + high + 1) // 2
        cells = _cells(scene, middle)
        if page_pixels(cells.pixel_width, cells.pixel_height) <= MAX_PIXELS:
            low = middle
        else:
            high = middle - 1
    return low


def grid_line(scale: int) -> float:
    """How dark lines between cells are."""
    return 0.11 if scale >= 14 else 0.07 if scale >= 8 else 0.0


def _view(request: Request, grid_line: float) -> tuple[CellPaint, list[Swatch]]:
    scene, toward = request.scene, request.toward
    if request.show == "components":
        return components_view(scene, grid_line)
    if request.show == "distances" and toward is not None:
        return distances_view(scene, toward, grid_line)
    if request.show == "hops" and toward is not None:
        return hops_view(scene, toward, grid_line)
    if request.layer is not None:
        return clusters_view(scene, request.layer, grid_line)
    if request.show == "search" and request.searched is not None:
        return search_view(scene, request.searched, grid_line)
    paint, swatches = terrain_view(scene, grid_line)
    return (paint if grid_line else replace(paint, shade=0.0)), swatches


def _contours(pixels: UInt8Array, scene: Scene, cells: Cells, toward: Toward, step: float) -> None:
    distance = np.full(scene.places.width * scene.places.height, np.nan)
    distance[scene.places.flat[scene.tables.node]] = toward.distance
    costs = scene.costs[np.unique(scene.node_terrain()[scene.tables.node])]
    slopes = float(costs.min()), float(costs.max())
    draw_contours(pixels, cells, distance, step, slopes, light_from=0.6 * toward.greatest)


def _draw_layers(ink: Ink, request: Request, cells: Cells) -> None:
    scene = request.scene
    point = cells.centre(scene.places.flat[scene.tables.node])
    if request.layer is not None:
        draw_layer(ink, request.layer, point, cells.scale)
    if request.searched is not None:
        draw_searched(ink, request.searched, point, cells.scale)


def _draw_marks(ink: Ink, request: Request, cells: Cells) -> None:
    width = request.scene.places.width

    def points(places: Sequence[Place]) -> Float64Array:
        known = request.scene.places
        cells_of = [grid_cell(known, place, repr(place)) for place in places]
        x, y = np.array(cells_of, dtype=np.int32).T
        return cells.centre(y * np.int32(width) + x)

    if request.toward is not None:
        draw_goal(ink, points([request.toward.goal])[0], cells.scale)
    if request.way is not None:
        if request.way.places is not None:
            draw_path(ink, points(request.way.places), cells.scale)
        ends = points([request.way.start, request.way.goal])
        draw_goal(ink, ends[1], cells.scale)
        draw_start(ink, ends[0], cells.scale)


def _numbered(pixels: UInt8Array, scene: Scene, cells: Cells, toward: Toward) -> UInt8Array:
    """Write each cell's distance into it."""
    picture = Image.fromarray(pixels)
    pen = ImageDraw.Draw(picture)
    reached = np.flatnonzero(np.isfinite(toward.distance))
    centres = cells.centre(scene.places.flat[scene.tables.node[reached]])
    size = max(11, cells.scale // 5)
    for (x, y), units in zip(centres.tolist(), toward.distance[reached].tolist(), strict=True):
        text = number(round(units, 2 if units < 10 else 1))
        if width_of(text, size) < 0.9 * cells.scale:
            dark = units < 0.55 * toward.greatest
            pen.text(
                (x, y), text, fill=INK if dark else (255, 255, 255), font=font(size), anchor="mm"
            )
    return np.array(picture)
