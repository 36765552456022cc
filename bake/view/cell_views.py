"""How each view colours the cells of a grid level."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.view.cell_paint import CellPaint
from bake.view.cluster_colours import cluster_colours
from bake.view.colourmap import mixed, shades
from bake.view.component_colours import colours_by_rank, component_swatches, rank_of_row
from bake.view.layer_marks import layer_swatches, search_swatches
from bake.view.layer_scene import LayerScene
from bake.view.legend import Swatch, number, shortened
from bake.view.palette import (
    BLOCKED,
    LARGEST,
    OTHERS_STRIPE,
    PAPER,
    UNREACHABLE,
    UNREACHABLE_STRIPE,
)
from bake.view.scene import Scene
from bake.view.searched import Searched
from bake.view.toward import Toward

_PLAIN, _OTHERS, _CUT_OFF = 0, 1, 2
_TERRAIN_LIMIT = 16


def terrain_view(scene: Scene, grid_line: float) -> tuple[CellPaint, list[Swatch]]:
    """The designer's colours."""
    terrain = scene.terrain_grid()
    fill = _with_outside(scene.colours[terrain])
    solid = _solid(scene)
    paint = CellPaint(fill, np.zeros(len(fill), dtype=np.uint8), solid, shade=0.42, grid=grid_line)
    return paint, terrain_swatches(scene, terrain)


def terrain_swatches(scene: Scene, terrain: UInt8Array) -> list[Swatch]:
    """One swatch for each terrain there is, the most common first, with its cost."""
    count = np.bincount(terrain, minlength=len(scene.terrains))
    swatches = []
    for code in np.lexsort((np.arange(len(count)), -count)).tolist():
        if count[code]:
            cost = scene.costs[code]
            price = "blocked" if np.isnan(cost) else number(cost)
            red, green, blue = scene.colours[code].tolist()
            swatches.append(Swatch((red, green, blue), f"{scene.terrains[code]} {price}"))
    return shortened(swatches, _TERRAIN_LIMIT, "terrains")


def components_view(scene: Scene, grid_line: float) -> tuple[CellPaint, list[Swatch]]:
    """Every component its own colour."""
    rank, places, first = rank_of_row(scene)
    paint, swatches = _over_blocked(scene, grid_line, 0.22)
    by_rank = colours_by_rank(len(places))
    colours = by_rank[rank]
    largest = rank == 0
    colours[largest] = mixed(_own_terrain(scene)[largest], LARGEST, 0.8)
    paint.fill[_cells_of_rows(scene)] = colours
    return paint, [*component_swatches(scene, places, first, "cells", by_rank), *swatches]


def distances_view(
    scene: Scene, toward: Toward, grid_line: float
) -> tuple[CellPaint, list[Swatch]]:
    """Near cells pale, far cells deep; cells that cannot reach the goal striped."""
    paint, swatches = _over_blocked(scene, grid_line, 0.0)
    reached = np.isfinite(toward.distance)
    cells = _cells_of_rows(scene)
    fraction = toward.distance[reached] / max(toward.greatest, 1e-9)
    paint.fill[cells[reached]] = shades(fraction)
    return paint, _cut_off(paint, cells[~reached]) + swatches


def hops_view(scene: Scene, toward: Toward, grid_line: float) -> tuple[CellPaint, list[Swatch]]:
    """Faded terrain, for arrows to be drawn on."""
    paint, swatches = _over_blocked(scene, grid_line, 0.22)
    cells = _cells_of_rows(scene)
    paint.fill[cells] = mixed(_own_terrain(scene), PAPER, 0.66)
    return paint, _cut_off(paint, cells[~np.isfinite(toward.distance)]) + swatches


def clusters_view(
    scene: Scene, layer: LayerScene, grid_line: float
) -> tuple[CellPaint, list[Swatch]]:
    """Every cluster in a colour its neighbours do not have."""
    paint, swatches = _over_blocked(scene, grid_line, 0.22)
    colours = cluster_colours(scene, layer.cluster, layer.clusters)
    paint.fill[_cells_of_rows(scene)] = colours[layer.cluster]
    return paint, [*layer_swatches(layer, colours), *swatches]


def faded_ground(scene: Scene, grid_line: float) -> tuple[CellPaint, list[Swatch]]:
    """Pale terrain, for marks to stand out from."""
    paint, swatches = _over_blocked(scene, grid_line, 0.22)
    paint.fill[_cells_of_rows(scene)] = mixed(_own_terrain(scene), PAPER, 0.8)
    return paint, swatches


def search_view(
    scene: Scene, searched: Searched, grid_line: float
) -> tuple[CellPaint, list[Swatch]]:
    """What was looked at, early places pale and late ones deep; all other ground faded."""
    paint, swatches = faded_ground(scene, grid_line)
    cells = _cells_of_rows(scene)
    paint.fill[cells[searched.row]] = shades(searched.known / max(searched.known.max(initial=0), 1))
    return paint, [*search_swatches(searched), *swatches]


def _cut_off(paint: CellPaint, cells: Int32Array) -> list[Swatch]:
    if not len(cells):
        return []
    paint.fill[cells] = UNREACHABLE
    paint.stripe[cells] = _CUT_OFF
    return [Swatch(UNREACHABLE, "no way to the goal", UNREACHABLE_STRIPE)]


def _over_blocked(scene: Scene, grid_line: float, shade: float) -> tuple[CellPaint, list[Swatch]]:
    """Paint with blocked cells dark, those that only others can stand on less so, and striped."""
    terrain = scene.colours[scene.terrain_grid()]
    fill = _with_outside(mixed(terrain, BLOCKED, 0.86))
    solid = _solid(scene)
    stripe = np.zeros(len(fill), dtype=np.uint8)
    others = scene.places.flat[scene.tables.component < 0]
    fill[others] = mixed(terrain[others], BLOCKED, 0.7)
    stripe[others] = _OTHERS
    swatches = []
    if solid[:-1].sum() > len(others):
        swatches.append(Swatch(BLOCKED, "blocked"))
    if len(others):
        swatches.append(Swatch((120, 114, 122), "blocked for this profile", OTHERS_STRIPE))
    paint = CellPaint(
        fill, stripe, solid, (OTHERS_STRIPE, UNREACHABLE_STRIPE), shade=shade, grid=grid_line
    )
    return paint, swatches


def _solid(scene: Scene) -> BoolArray:
    solid = np.ones(scene.places.width * scene.places.height + 1, dtype=np.bool_)
    solid[_cells_of_rows(scene)] = False
    solid[-1] = False
    return solid


def _cells_of_rows(scene: Scene) -> Int32Array:
    return scene.places.flat[scene.tables.node]


def _own_terrain(scene: Scene) -> UInt8Array:
    """(r, 3) uint8 terrain colour of every row."""
    return scene.colours[scene.node_terrain()[scene.tables.node]]


def _with_outside(cells: UInt8Array) -> UInt8Array:
    return np.vstack([cells, np.array([PAPER], dtype=np.uint8)])
