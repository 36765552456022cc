"""What is drawn over clusters and searches: transitions, the graph between them, ways by layer."""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.view.colourmap import shades
from bake.view.ink import Ink
from bake.view.layer_scene import LayerScene
from bake.view.legend import Swatch
from bake.view.palette import ACROSS, CASING, INK, INSIDE, TRANSITION, WAYS, Colour
from bake.view.searched import Searched

#: More arcs inside clusters than this would cover everything else.
_MOST_INSIDE = 60_000


def draw_layer(ink: Ink, layer: LayerScene, point: Float64Array, room: float) -> None:
    """Transitions and the arcs between them.

    Args:
        point: (r, 2) pixels of every row.
        room: pixels between neighbouring places.
    """
    thin = min(1.6, max(0.6, 0.08 * room))
    if len(layer.inside) <= _MOST_INSIDE:
        ink.lines(_ends(point, layer.inside), thin, INSIDE)
    ink.lines(_ends(point, layer.across), min(5.0, max(1.5, 0.3 * room)), ACROSS)
    size = min(6.0, max(1.4, 0.3 * room))
    ink.discs(point[layer.transition], size + 0.8, INK)
    ink.discs(point[layer.transition], size, TRANSITION)


def draw_searched(ink: Ink, searched: Searched, point: Float64Array, room: float) -> None:
    """Transitions an HPA* search expanded, and its way as each layer knows it, highest widest."""
    size = min(7.0, max(2.0, 0.42 * room))
    expanded = searched.transition
    ink.discs(point[expanded], size + 1.0, INK)
    ink.discs(point[expanded], size, shades(np.linspace(0, 1, len(expanded))))
    for number in range(len(searched.plan), 0, -1):
        rows, colour = searched.plan[number - 1], way_colour(number)
        width = 2.0 + 2.2 * number
        ink.polyline(point[rows], width + 2.0, CASING)
        ink.polyline(point[rows], width, colour)
        ink.discs(point[rows], width * 0.9, colour)


def way_colour(layer: int) -> Colour:
    """Colour of the way over a layer."""
    return WAYS[(layer - 1) % len(WAYS)]


def layer_swatches(layer: LayerScene, colours: UInt8Array) -> list[Swatch]:
    """What the colours of a layer mean."""
    first = colours[0].tolist() if len(colours) else (255, 255, 255)
    swatches = [Swatch((first[0], first[1], first[2]), f"{_count(layer.clusters, 'cluster')}")]
    if layer.layers:
        swatches.append(Swatch(TRANSITION, _count(len(layer.transition), "transition"), round=True))
        swatches.append(Swatch(ACROSS, _count(len(layer.across), "crossing")))
        hidden = "" if len(layer.inside) <= _MOST_INSIDE else " (not drawn)"
        swatches.append(Swatch(INSIDE, f"{_count(len(layer.inside), 'way')} inside{hidden}"))
    return swatches


def search_swatches(searched: Searched) -> list[Swatch]:
    """What the colours of a search mean."""
    swatches = []
    if len(searched.row):
        for fraction, text in ((0.0, "looked at early"), (1.0, "looked at late")):
            red, green, blue = shades(np.array([fraction]))[0].tolist()
            swatches.append(Swatch((red, green, blue), text))
    if len(searched.transition):
        red, green, blue = shades(np.array([0.5]))[0].tolist()
        swatches.append(Swatch((red, green, blue), "transition expanded", round=True))
    swatches += [
        Swatch(way_colour(number), f"the way over layer {number}")
        for number in range(1, len(searched.plan) + 1)
    ]
    return swatches


def _ends(point: Float64Array, pairs: Int32Array) -> Float64Array:
    return np.hstack([point[pairs[:, 0]], point[pairs[:, 1]]])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
