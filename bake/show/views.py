"""Choose the colors of places in each view, and the entries of its legend, for grids and graphs."""

from __future__ import annotations

import math

import numpy as np

from bake.core.arrays import Float64Array, UInt8Array
from bake.core.errors import counted
from bake.show import Show
from bake.show.colours import (
    ACROSS,
    INSIDE,
    PATH,
    SEARCHED,
    START,
    TRANSITION,
    UNREACHABLE,
    UNREACHABLE_STRIPE,
    UNSEEN,
    WAYS,
    Colour,
    as_colour,
    cluster_colours,
    component_colours,
    mixed,
    shades,
)
from bake.show.page import Swatch, number, shortened
from bake.show.request import Request, Searched, Walked
from bake.show.scene import LayerScene, Scene, place_text

#: The most arcs inside clusters that are drawn; more would cover everything.
MOST_INSIDE = 60_000

#: The number of bands of f between the start's f and the cost of the path.
CONTOURS = 6

#: The largest difference between equal values of f, due to rounding.
_SAME_F = 1e-6

_TERRAIN_LIMIT = 16
_COMPONENT_LIMIT = 12


def row_colours(
    request: Request, muted: UInt8Array, largest: Colour
) -> tuple[UInt8Array, list[Swatch]]:
    """Return the colors of all rows in a view, and its legend.

    Args:
        request: the view and its contents.
        muted: (r, 3) uint8, muted colors for rows in the background.
        largest: the color of the largest component in the legend; its rows are muted.

    Returns:
        (r, 3) uint8 colors, and the legend.
    """
    scene, toward, layer, searched = request.scene, request.toward, request.layer, request.searched
    if request.show is Show.components:
        ranked = scene.components
        by_rank = component_colours(len(ranked.size), largest)
        return np.where((ranked.rank == 0)[:, None], muted, by_rank[ranked.rank]), (
            _component_swatches(scene, by_rank)
        )
    if request.show is Show.clusters and layer is not None:
        of_cluster = cluster_colours(scene.columns.usable.graph, layer.cluster, layer.clusters)
        return of_cluster[layer.cluster], _layer_swatches(layer, of_cluster)
    if request.show is Show.search and searched is not None:
        colours = muted.copy()
        latest = max(searched.known.max(initial=0), 1.0 if scene.places.is_grid else 1e-9)
        colours[searched.row] = shades(searched.known / latest)
        return colours, _search_swatches(searched)
    if request.show is Show.contours and searched is not None and searched.f is not None:
        return _contour_colours(searched, muted)
    if request.walked is not None:
        return _walked_colours(scene, request.walked, muted)
    if request.show is Show.terrain or toward is None:
        terrain = scene.terrain_grid if scene.places.is_grid else scene.node_terrain
        return scene.colours[scene.row_terrain], _terrain_swatches(scene, terrain)
    reached = np.isfinite(toward.distance)
    colours = np.full((len(reached), 3), UNREACHABLE, dtype=np.uint8)
    colours[reached] = shades(toward.distance[reached] / max(toward.greatest, 1e-9))
    stripe = UNREACHABLE_STRIPE if scene.places.is_grid else None
    lost = [] if reached.all() else [Swatch(UNREACHABLE, "no path to the goal", stripe)]
    return colours, lost


def _walked_colours(
    scene: Scene, walked: Walked, muted: UInt8Array
) -> tuple[UInt8Array, list[Swatch]]:
    """Return colors that mark unseen places and the places that a search visited in a step."""
    colours, swatches = muted.copy(), []
    if walked.seen is not None:
        unseen = ~walked.seen[scene.flat]
        colours[unseen] = mixed(muted[unseen], UNSEEN, 0.7)
        rows = scene.columns.row_at[walked.searched]
        rows = rows[rows >= 0]
        colours[rows] = mixed(colours[rows], SEARCHED, 0.75)
        swatches += [Swatch(UNSEEN, "not seen yet"), Swatch(SEARCHED, "searched at this step")]
    if len(walked.walkers) == 1:
        swatches += [Swatch(START, "where it has been"), Swatch(PATH, "planned")]
    return colours, swatches


def _contour_colours(searched: Searched, muted: UInt8Array) -> tuple[UInt8Array, list[Swatch]]:
    """Return colors of a search by bands of f, up to the cost of the path and beyond."""
    assert searched.f is not None
    limits = contour_limits(searched.f, searched.best)
    by_band = shades(np.linspace(0, 1, len(limits)))
    band = np.searchsorted(limits, searched.f - _SAME_F)
    colours = muted.copy()
    inside = band < len(limits)
    colours[searched.row[inside]] = by_band[band[inside]]
    colours[searched.row[~inside]] = SEARCHED
    swatches = [
        Swatch(as_colour(colour), f"f up to {number(limit)}")
        for colour, limit in zip(by_band, limits.tolist(), strict=True)
    ]
    if not inside.all():
        swatches.append(Swatch(SEARCHED, "f is larger: seen, and not expanded"))
    return colours, swatches


def contour_limits(f: Float64Array, best: float) -> Float64Array:
    """Return the largest f of each band, ascending; the last one is the cost of the path.

    Args:
        f: (k) float64, the f of the places that a search visited.
        best: cost of the path; inf = there is no path, and the last limit is the largest f.
    """
    if not len(f):
        return np.empty(0)
    least = float(f.min())
    most = max(least, best if math.isfinite(best) else float(f.max()))
    if most - least <= _SAME_F:
        return np.array([most])
    return least + (most - least) * np.arange(1, CONTOURS + 1) / CONTOURS


def route_colour(layer: int) -> Colour:
    """Return the color of the route over a layer."""
    return WAYS[(layer - 1) % len(WAYS)]


def _terrain_swatches(scene: Scene, terrain: UInt8Array) -> list[Swatch]:
    """Return the legend of the terrains in use, with costs, the most common first."""
    count = np.bincount(terrain, minlength=len(scene.terrains))
    swatches = []
    for code in np.lexsort((np.arange(len(count)), -count)).tolist():
        if count[code]:
            cost = scene.costs[code]
            price = "blocked" if np.isnan(cost) else number(cost)
            colour = as_colour(scene.colours[code])
            swatches.append(Swatch(colour, f"{scene.terrains[code]} {price}"))
    return shortened(swatches, _TERRAIN_LIMIT, "terrains")


def _component_swatches(scene: Scene, colours: UInt8Array) -> list[Swatch]:
    """Return the legend of components, and whether one-way arcs join each to the largest."""
    what = "cell" if scene.places.is_grid else "node"
    first = scene.components.first.tolist()
    swatches = []
    for rank, size in enumerate(scene.components.size.tolist()[:_COMPONENT_LIMIT]):
        text = f"{counted(size, what)} in the largest"
        if rank:
            where = place_text(scene.rows.place(first[rank]))
            text = f"{counted(size, what)} at {where}{_one_way_note(scene, first[rank], first[0])}"
        swatches.append(Swatch(as_colour(colours[rank]), text))
    return shortened(swatches, _COMPONENT_LIMIT, "components", len(first))


def _one_way_note(scene: Scene, row: int, largest: int) -> str:
    columns = scene.columns
    if not columns.one_way or (columns.reach is None and not columns.has_hops):
        return ""
    place, largest_place = scene.rows.place(row), scene.rows.place(largest)
    if scene.navigator.reachable(place, largest_place):
        return " (path out only)"
    return " (path in only)" if scene.navigator.reachable(largest_place, place) else " (cut off)"


def _layer_swatches(layer: LayerScene, colours: UInt8Array) -> list[Swatch]:
    first = as_colour(colours[0]) if len(colours) else (255, 255, 255)
    swatches = [Swatch(first, counted(layer.clusters, "cluster"))]
    if layer.layers:
        hidden = "" if len(layer.inside) <= MOST_INSIDE else " (not drawn)"
        swatches += [
            Swatch(TRANSITION, counted(len(layer.transition), "transition")),
            Swatch(ACROSS, counted(len(layer.across), "crossing")),
            Swatch(INSIDE, f"{counted(len(layer.inside), 'way')} inside{hidden}"),
        ]
    return swatches


def _search_swatches(searched: Searched) -> list[Swatch]:
    early, between, late = (as_colour(colour) for colour in shades(np.array([0.0, 0.5, 1.0])))
    swatches = []
    if len(searched.row):
        swatches += [Swatch(early, "looked at early"), Swatch(late, "looked at late")]
    if len(searched.transition):
        swatches.append(Swatch(between, "transition expanded"))
    layers = range(1, len(searched.plan) + 1)
    return swatches + [Swatch(route_colour(i), f"the way over layer {i}") for i in layers]
