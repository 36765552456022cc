"""Where the page and `bake render` draw the same thing, colours and words agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bake.core.arrays import UInt8Array
from bake.show import Show
from bake.show.colours import LARGEST, LARGEST_ON_PAPER, Colour, mixed
from bake.show.page import Swatch
from bake.show.request import Request
from bake.show.scene import LayerScene, Scene, read_layer, read_scene
from bake.show.viewer.bundle import page_html
from bake.show.views import row_colours
from bake.store import Asset
from levelbake.errors import MissingTableError
from tests.support.page_view import ask_view, shown_once
from tests.support.stored import stored_pair

#: Several profiles and floors, hexagons, one-way ledges with several components, many terrains.
LEVELS = ["bastion.json", "colony.json", "marsh.png", "oneway.json", "keep.png"]


def css(colour: Colour) -> str:
    return "rgb({} {} {})".format(*colour)


def told(swatches: list[Swatch]) -> list[tuple[str, str]]:
    return [(css(each.colour), each.text) for each in swatches]


def shown(entries: list[Any]) -> list[tuple[str, str]]:
    return [(each["colour"], each["text"]) for each in entries if "colour" in each]


def colours_of(scene: Scene, show: Show, layer: LayerScene | None = None) -> tuple[UInt8Array, Any]:
    """What a picture shows: on grids the terrain shows through the largest component."""
    on_grid = scene.places.is_grid
    largest = LARGEST if on_grid else LARGEST_ON_PAPER
    muted = mixed(scene.colours[scene.row_terrain], largest, 0.8 if on_grid else 1.0)
    return row_colours(Request(scene, show, None, None, None, layer=layer), muted, largest)


def packed(colours: UInt8Array) -> list[int]:
    """Colours as canvases hold them in memory: red, green, blue, opaque."""
    channels = colours.astype(np.int64)
    whole = channels[:, 0] | channels[:, 1] << 8 | channels[:, 2] << 16 | 255 << 24
    numbers: list[int] = whole.tolist()
    return numbers


@pytest.mark.parametrize("source", LEVELS)
def test_colours_and_words_agree(source: str) -> None:
    pair = stored_pair(source)
    level = shown_once(source)
    with Asset(pair.asset) as asset:
        for profile in asset.profiles:
            scene = read_scene(asset, profile)
            asked = [["profile", profile]]
            for id in ("terrain", "components", "clusters", "layer-1"):
                asked += [["legend", id], ["paint", id]] if id != "layer-1" else [["legend", id]]
            _, *answers = ask_view(level, asked)
            for show, legend, paint in (
                (Show.terrain, answers[0], answers[1]),
                (Show.components, answers[2], answers[3]),
            ):
                colours, swatches = colours_of(scene, show)
                assert shown(legend)[: len(swatches)] == told(swatches)
                assert [paint["fill"][at] for at in scene.flat.tolist()] == packed(colours)
            try:
                layer = read_layer(scene, 1)
            except MissingTableError:
                assert answers[4:] == [None, None, None]
                continue
            colours, swatches = colours_of(scene, Show.clusters, layer)
            assert shown(answers[4])[:1] + shown(answers[6] or []) == told(swatches)
            assert [answers[5]["fill"][at] for at in scene.flat.tolist()] == packed(colours)


def test_regions_of_a_graph_have_nodes() -> None:
    shown = shown_once("station.json")
    legend, facts = ask_view(shown, [["legend", "regions"], ["facts", 0]])
    told = ["hub (5 nodes)", "labs (5 nodes)", "quarters (10 nodes)"]
    assert [each["text"] for each in legend][:3] == told
    assert ["regions", "hub"] in facts


def test_the_castle_takes_less_than_500_kb() -> None:
    level = shown_once("keep.png")
    assert len(page_html([level]).encode()) <= 500_000
