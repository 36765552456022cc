"""The canvas of pictures: twice the size where memory allows it, and every shape in its place."""

from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import UInt8Array
from bake.show import canvas
from bake.show.canvas import Canvas
from tests.support.drawings import graph, grid, picture

WHITE, BLACK = (255, 255, 255), (0, 0, 0)


def drawn(width: int, height: int) -> UInt8Array:
    """A canvas with a slanted line, a disc, a square and a word."""
    made = Canvas(width, height, WHITE)
    made.lines(np.array([[2.0, 2.0, 30.0, 11.0]]), 2, BLACK)
    made.discs(np.array([[40.0, 20.0]]), 8, BLACK)
    made.polygons(np.array([[(60.0, 10.0), (80.0, 10.0), (80.0, 30.0), (60.0, 30.0)]]), BLACK)
    made.text((90, 20), "word", 12)
    pixels = np.asarray(made.picture())
    assert pixels.shape == (height, width, 3)
    return pixels


@pytest.mark.parametrize("beyond", [0, 1])
def test_large_pictures_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch, beyond: int) -> None:
    monkeypatch.setattr(canvas, "MOST_FINE", 150 * 40 - beyond)
    assert Canvas(150, 40).fine == 2 - beyond
    pixels = drawn(150, 40)[..., 0]
    assert pixels[20, 40] == pixels[20, 70] == 0
    assert pixels[20, 50] == pixels[5, 70] == 255
    grey = (pixels[:, :55] > 0) & (pixels[:, :55] < 255)
    assert grey.any() == (not beyond)
    assert (pixels[:, 90:] < 200).any()


def test_a_picture_needs_memory_for_its_samples_at_most() -> None:
    """Four bytes a sample, which are no more than those of the largest picture there may be."""
    from bake.show.request import MAX_PIXELS

    assert 4 * canvas.MOST_FINE <= MAX_PIXELS


@pytest.mark.parametrize("fine", [1, 2])
def test_every_kind_of_level_is_drawn_either_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fine: int
) -> None:
    monkeypatch.setattr(canvas, "MOST_FINE", 0 if fine == 1 else 2**23)
    rows = ["..m#....", "..m#....", "..mm...."]
    for layout in (None, "odd-r", "even-q"):
        asset = grid(tmp_path, *rows, hex_layout=layout)
        for show in ("terrain", "components", "distances", "hops", "clusters"):
            goal = (0, 0) if show in ("distances", "hops") else None
            shown = picture(asset, show=show, toward=goal, scale=24)
            assert shown.at(3, 0) != shown.at(0, 2), (layout, show)
    from bake.show.render import render_asset

    ways = graph(tmp_path, {"A": (0, 0), "B": (4, 0)}, [("A", "B")])
    assert render_asset(ways, tmp_path / "ways.png")["width"] == 692


@pytest.mark.parametrize("count", [1, 2**16 - 1, 2**16, 2**16 + 1])
def test_many_shapes_are_handed_over_in_parts(count: int) -> None:
    made = Canvas(300, 300, WHITE)
    number = np.arange(count)
    at = np.stack([number % 300, number // 300], axis=1) + 0.5
    colour = np.stack([number % 251, number // 251 % 251, number % 13], axis=1).astype(np.uint8)
    made.lines(np.hstack([at, at]), 1, colour)
    pixels = np.asarray(made.image)[1::2, 1::2].reshape(-1, 3)
    assert (pixels[:count] == colour).all()
    assert (pixels[count:] == 255).all()
