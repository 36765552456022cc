"""LDtk projects: layers to terrain, and worlds to one grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.play import open_asset
from tests.support.command import bake
from tests.support.ldtk_projects import (
    SET,
    SIZE,
    drawn,
    entities,
    entity,
    int_grid,
    level,
    project,
    read,
    tile_layer,
    write,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "isle.ldtk"


def test_values_by_their_names(path: Path) -> None:
    found = read(path, project(level("A", int_grid("#.~", "m.#"))))
    assert drawn(found) == ["#.~", "m.#"]
    assert set(found.terrains) == {"walls", "water", "mud", "floor"}
    assert found.terrain_rules["walls"].cost is None
    assert found.terrain_rules["floor"].cost == 1
    assert "water" not in found.terrain_rules
    assert found.colours["water"] == (0, 0, 2)
    assert (found.name, found.floor_height, found.depends_on) == ("isle", None, ())


@pytest.mark.parametrize(
    ("legend", "first"),
    [
        ({"value:Ground:1": "a", "value:Ground:walls": "b", "value:walls": "c"}, "a"),
        ({"value:Ground:walls": "b", "value:walls": "c", "layer:Ground": "d"}, "b"),
        ({"value:walls": "c", "value:1": "e", "layer:Ground": "d"}, "c"),
        ({"value:1": "e", "layer:Ground": "d"}, "e"),
        ({"layer:Ground": "d"}, "d"),
        ({"value:Other:walls": "x", "layer:Other": "x"}, "walls"),
        ({"value:walls": "below"}, "floor"),
    ],
)
def test_precedence_of_values(path: Path, legend: dict[str, str], first: str) -> None:
    found = read(path, project(level("A", int_grid("#"))), legend=legend)
    assert found.terrains == (first,)


@pytest.mark.parametrize(
    ("legend", "terrains"),
    [
        ({}, ["floor", "Rock", "Rock", "Pond"]),
        ({"enum:Pond": "lake"}, ["floor", "Rock", "lake", "lake"]),
        ({"tileset:Forest": "wood"}, ["wood"] * 4),
        ({"enum:Rock": "below", "layer:Tiles": "wood"}, ["wood", "floor", "floor", "wood"]),
        ({"tile:Forest:0-2": "a", "tile:Forest:1": "b"}, ["a", "b", "a", "Pond"]),
        ({"tile:Forest:0,3": "a"}, ["a", "Rock", "Rock", "a"]),
    ],
)
def test_tiles(path: Path, legend: dict[str, str], terrains: list[str]) -> None:
    tiles = tile_layer(4, 1, {(x, 0): x for x in range(4)})
    found = read(path, project(level("A", tiles)), legend=legend)
    assert [found.terrains[code] for code in found.terrain[0]] == terrains


def test_later_tiles_lie_above_earlier_ones(path: Path) -> None:
    tiles = tile_layer(1, 1, {(0, 0): 1})
    tiles["gridTiles"] += [{"px": [0, 0], "t": 3}, {"px": [0, 0], "t": 0}]
    assert read(path, project(level("A", tiles))).terrains == ("Pond",)


def test_upper_layers_win_where_they_say_anything(path: Path) -> None:
    layers = [int_grid("..#"), tile_layer(3, 1, {(1, 0): 1, (2, 0): 1})]
    assert drawn(read(path, project(level("A", *layers)))) == [".R#"]
    assert drawn(read(path, project(level("A", *reversed(layers))))) == [".RR"]
    assert drawn(read(path, project(level("A", *layers)), ignore=("Ground",))) == [".RR"]
    assert drawn(read(path, project(level("A", *layers)), layers=("Ground",))) == ["..#"]
    assert drawn(read(path, project(level("A", *layers)), empty="void")) == [" R#"]


def test_tiles_that_rules_set(path: Path) -> None:
    """They count below the values of their own layer, and where their middle lies."""
    layer = int_grid("#..", __tilesetDefUid=SET)
    layer["autoLayerTiles"] = [
        {"px": [0, 0], "t": 3},
        {"px": [SIZE + 7, -7], "t": 3},
        {"px": [-9, 0], "t": 1},
        {"px": [99 * SIZE, 0], "t": 1},
    ]
    assert drawn(read(path, project(level("A", layer)))) == ["#P."]


def test_grids_of_two_sizes(path: Path) -> None:
    coarse = int_grid("#.", ".~", size=2 * SIZE, uid=10)
    fine = tile_layer(4, 4, {(3, 0): 3})
    found = read(path, project(level("A", fine, coarse, size=(4 * SIZE, 4 * SIZE))))
    assert drawn(found) == ["##.P", "##..", "..~~", "..~~"]


@pytest.mark.parametrize(
    ("offset", "rows"),
    [((1, 0), [".#.", ".#."]), ((-1, 1), ["...", ".#."]), ((0, -5), ["...", "..."])],
)
def test_offsets(path: Path, offset: tuple[int, int], rows: list[str]) -> None:
    layer = int_grid("#.#", "#.~")
    layer["__pxTotalOffsetX"], layer["__pxTotalOffsetY"] = offset[0] * SIZE, offset[1] * SIZE
    assert drawn(read(path, project(level("A", layer)))) == rows


def test_a_level_whose_last_cells_are_cut(path: Path) -> None:
    found = read(path, project(level("A", int_grid("..#", ".~#"), size=(2 * SIZE + 1, 2 * SIZE))))
    assert drawn(found) == ["..#", ".~#"]


def test_levels_side_by_side(path: Path) -> None:
    a = level("A", int_grid("#.", ".."), at=(-3, -1))
    b = level("B", int_grid("~"), at=(-1, 0))
    found = read(path, project(a, b))
    assert drawn(found) == ["#. ", "..~"]
    assert found.terrain_rules["void"].cost is None
    assert drawn(read(path, project(a, b), "B", world="each")) == ["~"]


@pytest.mark.parametrize(
    ("layout", "rows"),
    [("LinearHorizontal", ["#.~", ".. "]), ("LinearVertical", ["#.", "..", "~ "])],
)
def test_levels_in_a_row(path: Path, layout: str, rows: list[str]) -> None:
    levels = level("A", int_grid("#.", "..")), level("B", int_grid("~"))
    assert drawn(read(path, project(*levels, layout=layout))) == rows


def test_depths_are_floors(path: Path) -> None:
    levels = [
        level("Up", int_grid("~"), at=(1, 1), depth=2),
        level("Ground", int_grid("#.", ".."), depth=0),
        level("Cellar", int_grid(".#"), depth=-1),
    ]
    found = read(path, project(*levels))
    assert drawn(found) == [".#", "  ", "#.", "..", "  ", " ~"]
    assert found.floor_height == 2


def test_entities_with_a_terrain(path: Path) -> None:
    things = entities(entity("Hedge", 1, 0, size=(2, 1), pivot=(0.5, 1)), width=4, height=2)
    document = project(level("A", things, int_grid("....", "....")))
    assert drawn(read(path, document, legend={"area:Hedge": "hedge"})) == [".hh.", "...."]
    assert drawn(read(path, document)) == ["....", "...."]


def test_entities_that_say_their_terrain(path: Path) -> None:
    """Legends go before fields; what is a thing, or says no text, has no terrain by its field."""
    things = entities(
        entity("Bush", 0, 0, terrain="hedge"),
        entity("Pool", 1, 0, terrain="hedge"),
        entity("Spawn", 2, 0, terrain="hedge"),
        entity("Coin", 3, 0, terrain=3),
        entity("Mist", 0, 1, terrain="below"),
        entity("Door", 1, 1, terrain="hedge", name="gate"),
        width=4,
        height=2,
    )
    document = project(level("A", things, int_grid("....", "....")))
    assert drawn(read(path, document, legend={"area:Pool": "water"})) == ["h~..", "...."]


def test_areas_of_entities_stay_shapes_where_the_plane_is_divided(path: Path) -> None:
    """They lie where their level and their floor do, and end where their level ends."""
    hedge = entity("Hedge", 1, 0, size=(2, 1), pivot=(0.5, 1))
    hedge["px"][0] += 3
    below = entities(hedge, entity("Bush", 3, 1, size=(4, 1), terrain="bush"), width=4, height=2)
    above = entities(entity("Hedge", 0, 1), width=4, height=2)
    document = project(
        level("A", below, int_grid("....", "...."), at=(2, 1)),
        level("B", above, int_grid("....", "...."), at=(2, 1), depth=1),
    )
    found = read(path, document, legend={"area:Hedge": "hedge"}, keep_shapes=True)
    assert drawn(found) == ["....", "....", "....", "...."]
    assert [(each.terrain, each.floor) for each in found.shapes] == [
        ("hedge", 0),
        ("bush", 0),
        ("hedge", 1),
    ]
    rings = [ring for each in found.shapes for ring in each.rings]
    boxes = [[ring.min(axis=0).tolist(), ring.max(axis=0).tolist()] for ring in rings]
    assert boxes == [[[51, 16], [83, 32]], [[80, 32], [96, 48]], [[32, 32], [48, 48]]]


def test_a_mesh_around_the_areas_of_entities(tmp_path: Path) -> None:
    """A wall of 8 by 8 pixels covers the middle of no cell, and stands in the way all the same."""
    post = entity("Post", 1, 1) | {"width": 8, "height": 8}
    document = project(level("A", entities(post, width=3, height=3), int_grid("...", "...", "...")))
    write(tmp_path / "yard.ldtk", document)
    legend = 'division = "mesh"\n[ldtk.legend]\n"area:Post" = "wall"\n'
    (tmp_path / "bake.toml").write_text(legend, "utf-8")
    recipe = ("--recipe", tmp_path / "bake.toml")
    assert bake("build", tmp_path / "yard.ldtk", "-o", tmp_path, *recipe, "-q").code == 0
    with open_asset(tmp_path / "yard.h5") as opened:
        nav = opened.profile()
        assert nav.plane.place_at((20, 20)) is None
        assert nav.plane.place_at((28, 28)) is not None


def test_level_files(tmp_path: Path, path: Path) -> None:
    whole = level("A", int_grid("#."), at=(5, 5))
    write(tmp_path / "isle" / "A.ldtkl", whole | {"worldX": 0, "identifier": "A"})
    told = whole | {"layerInstances": None, "externalRelPath": "isle/A.ldtkl"}
    found = read(path, project(told, level("B", int_grid("~"), at=(7, 5))))
    assert drawn(found) == ["#.~"]
    assert found.depends_on == (tmp_path / "isle" / "A.ldtkl",)


def test_version_0_9(path: Path) -> None:
    """No ids, no depths, no worlds; tags of entities in their definition alone."""
    old = level("A", entities(entity("Any", 1, 0), width=2, height=1), int_grid("#."))
    for key in ("iid", "worldDepth"):
        del old[key]
    for key in ("iid", "__tags"):
        del old["layerInstances"][0]["entityInstances"][0][key]
    document = project(old, jsonVersion="0.9.3")
    del document["worlds"]
    document["defs"]["entities"][0]["tags"] = ["Spawn"]
    found = read(path, document)
    assert drawn(found) == ["#."]
    assert [(spot.name, spot.kind, spot.cell) for spot in found.things.spots] == [
        ("Any", "spawn", (1, 0))
    ]


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0-beta8", "1.0.0", "1.4.1", "1.5.3", "1.5"])
def test_versions_that_are_read(path: Path, version: str) -> None:
    assert read(path, project(level("A", int_grid("."))) | {"jsonVersion": version}).width == 1


def test_the_same_level_as_every_part(path: Path) -> None:
    """Each level alone is its piece of the whole."""
    rng = np.random.default_rng(7)
    levels: list[dict[str, Any]] = []
    for number in range(6):
        rows = ["".join(rng.choice(list(".#~m"), 5)) for _ in range(4)]
        levels.append(
            level(f"L{number}", int_grid(*rows), at=(5 * (number % 3), 4 * (number // 3)))
        )
    whole = drawn(read(path, project(*levels)))
    for number in range(6):
        x, y = 5 * (number % 3), 4 * (number // 3)
        own = drawn(read(path, project(*levels), f"L{number}", world="each"))
        assert own == [row[x : x + 5] for row in whole[y : y + 4]]
