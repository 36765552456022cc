"""A colour for each component: the largest muted, all others vivid, so that islands stand out."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.view.colourmap import vivid
from bake.view.legend import Swatch, shortened
from bake.view.palette import LARGEST, Colour
from bake.view.scene import Scene

#: Hues come near each other beyond this many, so they are used again.
_HUES = 24

_LEGEND_LIMIT = 12


def colours_by_rank(count: int, largest: Colour = LARGEST) -> UInt8Array:
    """(count, 3) uint8, the largest component first."""
    bright = vivid(min(_HUES, max(0, count - 1)))
    others = bright[np.arange(max(0, count - 1)) % max(1, len(bright))]
    return np.vstack([np.array([largest], dtype=np.uint8), others])[:count]


def rank_of_row(scene: Scene) -> tuple[Int32Array, Int64Array, Int32Array]:
    """(r) int32 rank of each row's component, and by rank its places and its first row."""
    rank, places, first = scene.component_order()
    tables = scene.tables
    return rank[tables.component[tables.node]], places, first


def component_swatches(
    scene: Scene,
    places: Int64Array,
    first: Int32Array,
    what: str,
    colours: UInt8Array,
) -> list[Swatch]:
    """One swatch a component; where one-way arcs join it to the largest, it says so.

    Args:
        scene: level and profile.
        places: by rank, how many.
        first: by rank, the first row.
        what: what places are called, in the plural.
        colours: by rank, (components, 3) uint8.
    """
    swatches = []
    for rank, count in enumerate(places.tolist()[: _LEGEND_LIMIT + 1]):
        where = scene.place_of_row(int(first[rank]))
        called = what if count != 1 else what.removesuffix("s")
        text = f"{count:,} {called}"
        text += f" at {place_text(where)}" if rank else " in the largest"
        text += _one_way_note(scene, int(first[rank]), int(first[0])) if rank else ""
        red, green, blue = colours[rank].tolist()
        swatches.append(Swatch((red, green, blue), text))
    rest = len(places) - len(swatches)
    swatches += [swatches[-1]] * rest  # only counted, never shown
    return shortened(swatches, _LEGEND_LIMIT, "components")


def _one_way_note(scene: Scene, row: int, largest: int) -> str:
    tables = scene.tables
    if not tables.one_way or (tables.reach is None and not tables.has_hops):
        return ""
    here, there = scene.place_of_row(row), scene.place_of_row(largest)
    if scene.navigator.reachable(here, there):
        return " (way out only)"
    return " (way in only)" if scene.navigator.reachable(there, here) else " (cut off)"


def place_text(place: object) -> str:
    """A place as people write it."""
    return f"({', '.join(map(str, place))})" if isinstance(place, tuple) else str(place)
