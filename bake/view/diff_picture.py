"""What changed between two bakes, drawn over the new one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bake.arrays import Int32Array
from bake.asset import Asset
from bake.diff import Difference, ProfileDifference
from bake.errors import QueryError
from bake.view.cell_paint import CellPaint, paint_cells
from bake.view.cell_views import faded_ground
from bake.view.grid_map import fitting_cells, grid_line
from bake.view.legend import Legend, Swatch
from bake.view.output import check_output, write_png
from bake.view.page import Map, lay_out
from bake.view.palette import Colour
from bake.view.scene import Scene, read_scene

OPENED: Colour = (60, 170, 100)
CLOSED: Colour = (214, 48, 66)
DEARER: Colour = (240, 170, 60)
CHEAPER: Colour = (92, 160, 226)
CUT_OFF: Colour = (236, 186, 222)
CUT_OFF_STRIPE: Colour = (160, 52, 138)
JOINED: Colour = (190, 230, 222)
JOINED_STRIPE: Colour = (30, 130, 116)


def draw_difference(difference: Difference, new: Asset, output: Path, scale: int | None) -> None:
    """Draw a grid level's difference.

    Args:
        difference: of one profile; with several, name one.
        new: the newer asset, open.
        output: a .png.
        scale: pixels a cell; None = what fits.

    Raises:
        QueryError: a graph level, or several profiles.
        OutputError: the picture cannot be written there.
    """
    check_output(output)
    if len(difference.profiles) != 1:
        raise QueryError(
            f"a picture shows one profile, these assets share {len(difference.profiles)}",
            expected=" or ".join(repr(one.name) for one in difference.profiles) or "one",
            remedy="name it: --profile NAME",
        )
    profile = difference.profiles[0]
    scene = read_scene(new, profile.name)
    if not scene.places.is_grid:
        raise QueryError(
            "differences of graphs are not drawn",
            place=f"level {scene.name!r}",
            remedy="leave -o out",
        )
    cells = fitting_cells(scene, scale)
    paint, ground = faded_ground(scene, grid_line(cells.scale))
    paint = CellPaint(
        paint.fill,
        paint.stripe,
        paint.solid,
        (*paint.stripe_colours, CUT_OFF_STRIPE, JOINED_STRIPE),
        shade=paint.shade,
        grid=paint.grid,
    )
    swatches = _mark(paint, scene, profile)
    pixels = paint_cells(cells, paint)
    legend = Legend((*swatches, *ground), cells.scale, "cell")
    framed = scene.hex_layout is None
    facts = f"profile {profile.name} · since {difference.old.name}"
    page = lay_out(Map(pixels, legend, framed=framed), scene.name, facts, _note(profile))
    write_png(page, output)


def _mark(paint: CellPaint, scene: Scene, profile: ProfileDifference) -> list[Swatch]:
    matched, reach = profile.matched, profile.reachability
    rows = matched.new_row
    layers: list[tuple[Int32Array, Colour, str, Colour | None, int]] = []
    stripes = len(paint.stripe_colours)
    if reach is not None:
        cut_off, joined = (_cells(scene, rows[marked]) for marked in (reach.cut_off, reach.joined))
        layers.append(
            (cut_off, CUT_OFF, "lost its way to or from the rest", CUT_OFF_STRIPE, stripes - 1)
        )
        layers.append(
            (joined, JOINED, "has a way to and from the rest now", JOINED_STRIPE, stripes)
        )
    layers += [
        (_cells(scene, rows[matched.dearer]), DEARER, "costs more", None, 0),
        (_cells(scene, rows[matched.cheaper]), CHEAPER, "costs less", None, 0),
        (_cells(scene, matched.opened), OPENED, "opened", None, 0),
        (_closed(scene, profile), CLOSED, "closed", None, 0),
    ]
    swatches = []
    for cells, colour, text, stripe, number in layers:
        if len(cells):
            paint.fill[cells] = colour
            paint.stripe[cells] = number
            swatches.append(Swatch(colour, f"{len(cells):,} {text}", stripe))
    return swatches or [Swatch((228, 223, 212), "nothing changed")]


def _cells(scene: Scene, rows: Int32Array) -> Int32Array:
    return scene.places.flat[scene.tables.node[rows]]


def _closed(scene: Scene, profile: ProfileDifference) -> Int32Array:
    """Cells of the new map; those that lay outside it are not drawn."""
    old = profile.matched.old
    y, x = np.divmod(old.places.flat[old.node[profile.matched.closed]], np.int32(old.places.width))
    inside = (x < scene.places.width) & (y < scene.places.height)
    cells: Int32Array = (y * np.int32(scene.places.width) + x)[inside]
    return cells


def _note(profile: ProfileDifference) -> str:
    notes = [f"{profile.cells_changed:,} places opened, closed or repriced"]
    reach = profile.reachability
    if reach is not None and (reach.lost or reach.gained):
        notes.append(f"{reach.lost:,} pairs lost their way, {reach.gained:,} gained one")
    return " · ".join(notes)
