"""Draw maps of grid levels, square and hexagonal."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Float64Array, Int32Array, UInt8Array
from bake.core.errors import counted
from bake.show import Show
from bake.show.canvas import ARROW_OUTLINE, Canvas, width_of
from bake.show.cells import DrawnCells
from bake.show.colours import (
    ARROW,
    BLOCKED,
    INK,
    LARGEST,
    OTHERS_STRIPE,
    PAPER,
    UNREACHABLE,
    UNREACHABLE_STRIPE,
    mixed,
)
from bake.show.marks import (
    GridRoutes,
    draw_ends,
    draw_findings,
    draw_layer,
    draw_searched,
    draw_things,
    draw_walked,
    label_floors,
    ring_small_components,
)
from bake.show.page import Map, Swatch, number, page_pixels, ramp_swatches
from bake.show.paint import CellPaint, contour_step, draw_contours, paint_cells
from bake.show.request import MAX_PIXELS, Request, Toward
from bake.show.scene import Scene
from bake.show.views import row_colours
from levelbake.errors import QueryError

#: The most pixels of the longer side of a map, if no scale is given.
_LONGER_SIDE = 1600
_LARGEST_CELL = 120

#: A component whose longer side has fewer pixels gets a ring.
_NOTICED = 26

#: Cells of at least this many pixels show their distance as a number.
_ROOM_FOR_NUMBERS = 44

#: The least pixels of an arrow; blocks of smaller cells share an arrow.
_ROOM_FOR_ARROW = 12
_LONGEST_ARROW = 48.0


def draw_grid(request: Request) -> Map:
    """Draw a grid level.

    Raises:
        QueryError: the picture would have too many pixels at this scale.
    """
    scene, show, toward = request.scene, request.show, request.toward
    cells = fitting_cells(scene, request.scale)
    paint, swatches = _view(request, cells.scale)
    ink = paint_cells(cells, paint)
    point = cells.centre(scene.flat)
    if show is Show.distances and toward is not None:
        step = contour_step(toward.greatest)
        numbered = cells.scale >= _ROOM_FOR_NUMBERS
        swatches += ramp_swatches(toward.greatest, None if numbered else step)
        if numbered:
            _write_distances(ink, scene, cells, toward)
        else:
            _draw_contours(ink, scene, cells, paint.fill, toward, step)
    routes = GridRoutes(scene, cells)
    label_floors(ink, scene, cells)
    if show is Show.hops and toward is not None:
        _draw_flow(ink, scene, cells, toward)
    if show is Show.components:
        ring_small_components(ink, scene, point, cells.scale, noticed=_NOTICED)
    if request.findings is not None:
        swatches += draw_findings(ink, scene, cells, request.findings)
    if show in (Show.terrain, Show.components):
        draw_things(ink, scene, cells, routes)
    if request.layer is not None:
        draw_layer(ink, request.layer, point, cells.scale)
    if request.searched is not None:
        draw_searched(ink, request.searched, point, cells.scale)
    if request.walked is not None:
        draw_walked(ink, request.walked, routes.points, cells.scale)
    if request.path is not None:
        routes.draw_path(ink, request.path)
    draw_ends(ink, request, point, cells.scale)
    return map_of(ink, cells, swatches)


def map_of(ink: Canvas, cells: DrawnCells, swatches: list[Swatch]) -> Map:
    """Return the map of a drawn grid with its legend."""
    scale = counted(cells.scale, "pixel")
    return Map(ink.picture(), swatches, f"{scale} a cell", framed=cells.layout is None)


def fitting_cells(scene: Scene, scale: int | None) -> DrawnCells:
    """Return the layout of the cells in pixels.

    Args:
        scene: the level.
        scale: pixels per cell; None = the longer side fits the default size.

    Raises:
        QueryError: the picture would have too many pixels at this scale, or none.
    """
    largest = _largest_scale(scene)
    if scale is None:
        longest = max(scene.places.width, scene.places.height)
        scale = max(1, min(_LARGEST_CELL, _LONGER_SIDE // longest, largest))
    if scale > largest or scale < 1:
        where = f"level {scene.name!r}, {scene.places.width} x {scene.places.height} cells"
        if largest < 1:
            raise QueryError(
                "the level is too large to be drawn",
                place=where,
                expected=f"a picture of at most {MAX_PIXELS:,} pixels",
            )
        raise QueryError(
            f"--scale {scale} is too {'large' if scale > largest else 'small'}",
            place=where,
            expected=f"1 to {largest} pixels a cell",
        )
    return _cells(scene, scale)


def _cells(scene: Scene, scale: int) -> DrawnCells:
    places = scene.places
    return DrawnCells(places.width, places.height, scale, places.hex_layout)


def _largest_scale(scene: Scene) -> int:
    """Return the largest scale that keeps the page within MAX_PIXELS; 0 without any."""

    def pixels(scale: int) -> int:
        return int(page_pixels(*_cells(scene, scale).size))

    return bisect_right(range(1, 2**13 + 1), MAX_PIXELS, key=pixels)


# -- the colors of cells -------------------------------------------------------------------------


def _view(request: Request, scale: int) -> tuple[CellPaint, list[Swatch]]:
    """Return the paint of all cells in a view, and the legend of its colors."""
    scene, show, toward = request.scene, request.show, request.toward
    terrain_colours = scene.colours[scene.row_terrain]
    grid = _grid_line(scale)
    notes: list[Swatch] = []
    if show is Show.terrain:
        fill = scene.colours[scene.terrain_grid]
        plain, shade = np.zeros(len(fill), dtype=np.uint8), 0.42 if grid else 0.0
        paint = CellPaint(fill, plain, _solid(scene), shade, grid)
    else:
        if show is Show.hops and _cells_per_arrow(scale) > 1:
            grid = 0.0
        paint, notes = _over_blocked(scene, grid, 0.0 if show is Show.distances else 0.22)
    muted = mixed(terrain_colours, LARGEST if show is Show.components else PAPER, 0.8)
    paint.fill[scene.flat], swatches = row_colours(request, muted, LARGEST)
    if show is Show.hops:
        paint.fill[scene.flat] = mixed(terrain_colours, PAPER, 0.66)
    if show is Show.terrain and scene.elevation is not None:
        paint.fill[:], note = _shade_relief(paint.fill, scene.elevation, scene.places.width)
        notes = [*notes, note]
    if show in (Show.distances, Show.hops) and toward is not None:
        lost = scene.flat[~np.isfinite(toward.distance)]
        paint.mark(lost, UNREACHABLE, UNREACHABLE_STRIPE)
    return paint, [*swatches, *notes]


def _shade_relief(
    fill: UInt8Array, elevation: Float64Array, width: int
) -> tuple[UInt8Array, Swatch]:
    """Shade colors by elevation: lighter for high cells, darker on slopes facing south-east.

    Args:
        fill: (c, 3) uint8, colors of the cells.
        elevation: (c) float64.
        width: the width of the level in cells.
    """
    low, high = float(elevation.min()), float(elevation.max())
    share = (elevation - low) / max(high - low, 1e-9)
    ground = share.reshape(-1, width)
    lit = np.zeros_like(ground)
    lit[1:, 1:] = ground[1:, 1:] - ground[:-1, :-1]
    tone = 0.74 + 0.34 * share + np.clip(1.5 * lit, -0.25, 0.25).reshape(-1)
    toned = np.clip(fill * np.clip(tone, 0.45, 1.2)[:, None], 0, 255).astype(np.uint8)
    return toned, Swatch((224, 220, 208), f"lighter is higher: {number(low)} to {number(high)}")


def faded_ground(scene: Scene, scale: int) -> tuple[CellPaint, list[Swatch]]:
    """Return a pale paint of the terrain, on which marks stand out, and its legend."""
    paint, swatches = _over_blocked(scene, _grid_line(scale), 0.22)
    paint.fill[scene.flat] = mixed(scene.colours[scene.row_terrain], PAPER, 0.8)
    return paint, swatches


def _over_blocked(scene: Scene, grid: float, shade: float) -> tuple[CellPaint, list[Swatch]]:
    """Return a paint with dark blocked cells, and its legend.

    Cells on which other profiles can stand are less dark, and striped.
    """
    terrain = scene.colours[scene.terrain_grid]
    fill = mixed(terrain, BLOCKED, 0.86)
    solid = _solid(scene)
    paint = CellPaint(fill, np.zeros(len(fill), dtype=np.uint8), solid, shade, grid)
    blocked_here = scene.places.flat[scene.columns.component < 0]
    paint.mark(blocked_here, mixed(terrain[blocked_here], BLOCKED, 0.7), OTHERS_STRIPE)
    swatches = []
    if solid.sum() > len(blocked_here):
        swatches.append(Swatch(BLOCKED, "blocked"))
    if len(blocked_here):
        swatches.append(Swatch((120, 114, 122), "blocked for this profile", OTHERS_STRIPE))
    return paint, swatches


def _solid(scene: Scene) -> BoolArray:
    """Return (c) bool, True for cells on which the profile cannot stand."""
    solid = np.ones(scene.places.width * scene.places.height, dtype=np.bool_)
    solid[scene.flat] = False
    return solid


def _grid_line(scale: int) -> float:
    """Return the darkness of the lines between cells, 0 to 1."""
    return 0.11 if scale >= 14 else 0.07 if scale >= 8 else 0.0


# -- distances and next hops ----------------------------------------------------------------------


def _draw_contours(
    ink: Canvas, scene: Scene, cells: DrawnCells, fill: UInt8Array, toward: Toward, step: float
) -> None:
    distance = np.full(scene.places.width * scene.places.height, np.nan)
    distance[scene.flat] = toward.distance
    steepest = 2 * float(scene.costs[np.unique(scene.row_terrain)].max())
    light_from = 0.6 * toward.greatest
    draw_contours(ink, cells, fill, distance, step, steepest, light_from)


def _write_distances(ink: Canvas, scene: Scene, cells: DrawnCells, toward: Toward) -> None:
    """Write each cell's distance into it."""
    reached = np.flatnonzero(np.isfinite(toward.distance))
    centres = cells.centre(scene.flat[reached]).tolist()
    size = max(11, cells.scale // 5)
    for centre, units in zip(centres, toward.distance[reached].tolist(), strict=True):
        text = number(round(units, 2 if units < 10 else 1))
        if width_of(text, size) < 0.9 * cells.scale:
            colour = INK if units < 0.55 * toward.greatest else (255, 255, 255)
            ink.text((centre[0], centre[1]), text, size, colour, anchor="mm")


def _cells_per_arrow(scale: int) -> int:
    """Return the side, in cells, of a block of cells that share an arrow."""
    return -(-_ROOM_FOR_ARROW // scale)


def _draw_flow(ink: Canvas, scene: Scene, cells: DrawnCells, toward: Toward) -> None:
    """Draw an arrow along the next hop of each cell, or of one cell per block of small cells."""
    assert toward.next_row is not None
    row = np.flatnonzero(toward.next_row != np.arange(len(toward.next_row)))
    flat = scene.flat
    block = _cells_per_arrow(cells.scale)
    if block > 1:
        row = row[_choose_per_block(flat[row], scene.places.width, block)]
    centre = cells.centre(flat[row])
    direction = cells.centre(flat[toward.next_row[row]]) - centre
    length = min(_LONGEST_ARROW, (0.74 if block == 1 else 0.7) * block * cells.scale)
    ink.arrows(ARROW_OUTLINE, centre, direction, length, ARROW)


def _choose_per_block(flat: Int32Array, width: int, block: int) -> npt.NDArray[np.intp]:
    """Return the indices in ``flat`` of the cells nearest to the middles of square blocks."""
    y, x = np.divmod(flat.astype(np.int64), width)
    away = (y % block - block // 2) ** 2 + (x % block - block // 2) ** 2
    number = (y // block) * (width // block + 1) + x // block
    order = np.lexsort((flat, away, number))
    _, first = np.unique(number[order], return_index=True)
    return order[first]
