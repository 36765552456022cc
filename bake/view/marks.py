"""A path, its ends, and rings around what is too small to see."""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array, UInt8Array
from bake.view.ink import Ink
from bake.view.palette import CASING, GOAL, INK, PATH, START

_SMALLEST_MARK = 6.5
_LARGEST_MARK = 15.0


def draw_path(ink: Ink, points: Float64Array, room: float) -> None:
    """A line with a light casing.

    Args:
        ink: drawn with.
        points: (k, 2) pixels.
        room: pixels between neighbouring places.
    """
    width = min(7.0, max(2.5, 0.26 * room))
    if len(points) > 1:
        ink.polyline(points, width + max(2.0, 0.7 * width), CASING)
        ink.polyline(points, width, PATH)


def draw_start(ink: Ink, point: Float64Array, room: float) -> None:
    """A disc; (2,) pixels."""
    size = _mark(room)
    at = point[None]
    ink.discs(at, size + 1.2, INK)
    ink.discs(at, size, CASING)
    ink.discs(at, size * 0.72, START)


def draw_goal(ink: Ink, point: Float64Array, room: float) -> None:
    """A target; (2,) pixels."""
    size = _mark(room) * 1.12
    at = point[None]
    ink.discs(at, size + 1.2, INK)
    ink.discs(at, size, CASING)
    ink.discs(at, size * 0.78, GOAL)
    ink.discs(at, size * 0.48, CASING)
    ink.discs(at, size * 0.24, GOAL)


def rings(centre: Float64Array, radius: Float64Array, corners: int = 40) -> Float64Array:
    """(k * corners, 4) float64 line ends of (k) circles."""
    angle = np.linspace(0, 2 * np.pi, corners + 1)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = centre[:, None] + circle * radius[:, None, None]
    return np.concatenate([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 4)


def draw_rings(ink: Ink, centre: Float64Array, radius: Float64Array, colour: UInt8Array) -> None:
    """Rings of (k, 3) colours around (k, 2) points."""
    ends = rings(centre, radius)
    each = np.repeat(colour, len(ends) // max(1, len(centre)), axis=0)
    ink.lines(ends, 5.0, INK)
    ink.lines(ends, 2.6, each)


def _mark(room: float) -> float:
    return min(_LARGEST_MARK, max(_SMALLEST_MARK, 0.36 * room))
