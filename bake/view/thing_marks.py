"""Links as curves with arrowheads, spots as dots, and where one floor ends and the next begins."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from bake.arrays import Float64Array, UInt8Array
from bake.runtime.reader.places import Cell
from bake.runtime.reader.things import ThingTables
from bake.view.cell_paint import Cells
from bake.view.ink import Ink
from bake.view.lettering import font, width_of
from bake.view.palette import CASING, GOAL, INK, START
from bake.view.scene import Scene

#: Curves bend aside by this share of their length, so that links there and back lie apart.
_BEND = 0.14
_POINTS = 24


def draw_things(ink: Ink, scene: Scene, cells: Cells) -> None:
    """Links the profile may take, and its spots.

    Raises:
        CorruptAssetError: columns of things contradict each other.
    """
    things = ThingTables(scene.places)
    for link in things.links.values():
        if link.profiles is None or scene.profile in link.profiles:
            ends = np.concatenate([_at(scene, cells, link.start), _at(scene, cells, link.goal)])
            _draw_link(ink, ends, cells.scale, both_ways=link.both_ways)
    size = min(7.0, max(2.5, 0.24 * cells.scale))
    for spot in things.spots.values():
        if spot.profiles is None or scene.profile in spot.profiles:
            at = _at(scene, cells, spot.place)
            ink.discs(at, size + 1, INK)
            ink.discs(at, size, GOAL if spot.kind == "exit" else START)


def _at(scene: Scene, cells: Cells, place: Cell) -> Float64Array:
    """(1, 2) float64 pixels of a place's middle."""
    x, y = place[0], place[1]
    if len(place) == 3:
        y += place[2] * (scene.places.floor_height or 0)
    return cells.centre(np.array([y * scene.places.width + x], dtype=np.int32))


def _draw_link(ink: Ink, ends: Float64Array, scale: int, *, both_ways: bool) -> None:
    along = ends[1] - ends[0]
    across = np.array([-along[1], along[0]])
    middle = ends.mean(axis=0) + _BEND * across
    t = np.linspace(0, 1, _POINTS)[:, None]
    curve = (1 - t) ** 2 * ends[0] + 2 * t * (1 - t) * middle + t**2 * ends[1]
    width = min(3.0, max(1.4, 0.1 * scale))
    ink.polyline(curve, width + 1.6, CASING)
    ink.polyline(curve, width, INK)
    head = min(0.45 * float(np.hypot(*along)), max(5.0, 0.4 * scale))
    for tip, behind in [(-1, -4), (0, 3)] if both_ways else [(-1, -4)]:
        _draw_head(ink, curve[tip], curve[tip] - curve[behind], head)
    ink.discs(curve[:1], width * 1.2, INK)


def _draw_head(ink: Ink, tip: Float64Array, along: Float64Array, size: float) -> None:
    ahead = along / max(1e-9, float(np.hypot(*along)))
    aside = np.array([-ahead[1], ahead[0]])
    back = tip - size * ahead
    corners = np.stack([tip, back + 0.45 * size * aside, back - 0.45 * size * aside])
    ink.polygons(corners[None], INK)


def label_floors(pixels: UInt8Array, scene: Scene, cells: Cells) -> UInt8Array:
    """A light bar where one floor ends and the next begins, and the number of each."""
    rows, floors = scene.places.floor_height, scene.places.floors
    if rows is None:
        return pixels
    picture = Image.fromarray(pixels)
    pen = ImageDraw.Draw(picture)
    size = min(22, max(10, cells.scale))
    bar = max(2, cells.scale // 6)
    for floor in range(floors):
        first = np.array([floor * rows * scene.places.width], dtype=np.int32)
        # Half a cell above the middle of its first cell: on hexagons rows overlap a little.
        top = int(cells.centre(first)[0, 1] - cells.scale / 2)
        if floor:
            pen.rectangle((0, top - bar, pixels.shape[1], top + bar), fill=CASING)
            pen.line((0, top, pixels.shape[1], top), fill=INK)
        text = f"floor {floor}"
        box = (2, top + bar + 2, 10 + width_of(text, size), top + bar + 6 + size)
        pen.rectangle(box, fill=CASING, outline=INK)
        pen.text((6, (box[1] + box[3]) / 2), text, fill=INK, font=font(size), anchor="lm")
    return np.array(picture)
