"""Where LDtk's levels lie: pixels of the world, by hand, and the iids of entities."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.level import GridLevel
from bake.levels import LdtkReading, load, parts
from tests.support.ldtk_projects import entities, entity, int_grid, level, project, read
from tests.support.levels import shared_level


def two(layout: str = "Free") -> dict[str, object]:
    return project(
        level("A", int_grid("...", "..."), at=(-3, 5)),
        level("B", int_grid(".."), at=(4, 6)),
        layout=layout,
    )


def test_levels_of_a_world_share_its_pixels(tmp_path: Path) -> None:
    whole = read(tmp_path / "w.ldtk", two())
    assert whole.coordinates is not None
    assert whole.coordinates.centres == ((-3 * 16 + 8, 5 * 16 + 8),)
    # Cell (7, 1) of the whole is the first of B, which begins at pixel (64, 96).
    place = whole.coordinates.points(np.array([(7, 1)]), np.array([0]), None)
    assert place.tolist() == [[64 + 8, 96 + 8]]


def test_single_levels_lie_in_their_world(tmp_path: Path) -> None:
    for name, centre in (("A", (-40, 88)), ("B", (72, 104))):
        own = read(tmp_path / "w.ldtk", two(), name, world="each")
        assert own.coordinates is not None
        assert own.coordinates.centres == (centre,)
        assert own.coordinates.east == (16, 0)


def test_a_single_level_need_not_lie_on_the_grid(tmp_path: Path) -> None:
    document: Any = two()
    document["levels"][0]["worldX"] = -45
    own = read(tmp_path / "w.ldtk", document, "A", world="each")
    assert own.coordinates is not None
    assert own.coordinates.centres == ((-37, 88),)


@pytest.mark.parametrize("layout", ["LinearHorizontal", "LinearVertical"])
def test_linear_worlds_begin_at_zero(tmp_path: Path, layout: str) -> None:
    for settings in ({}, {"world": "each"}):
        names = [""] if not settings else ["A", "B"]
        for name in names:
            own = read(tmp_path / "w.ldtk", two(layout), name, **settings)
            assert own.coordinates is not None
            assert own.coordinates.centres == ((8, 8),)


def test_cells_are_those_of_the_smallest_grid(tmp_path: Path) -> None:
    fine = int_grid("....", "....", size=8, name="Ground")
    own = read(tmp_path / "w.ldtk", project(level("A", fine, at=(1, 1), size=(32, 16))))
    assert own.coordinates is not None
    assert own.coordinates.east == (8, 0)
    assert own.coordinates.centres == ((20, 20),)


def test_iids_of_entities(tmp_path: Path) -> None:
    things = entities(
        entity("Spawn", 0, 0, iid="a-1"),
        entity("Region", 0, 0, iid="b-2"),
        entity("Door", 1, 0, iid="c-3"),
        entity("Teleporter", 2, 0, iid="d-4", to=["a-1", "c-3"]),
        width=4,
        height=1,
    )
    found = read(tmp_path / "w.ldtk", project(level("A", things, int_grid("....")))).things
    assert [each.id for each in (*found.spots, *found.regions, *found.doors)] == [
        *("a-1", "b-2", "c-3")
    ]
    assert [link.id for link in found.links] == ["d-4", "d-4"]


def test_an_id_of_any_length_is_refused(tmp_path: Path) -> None:
    from bake.core.errors import LevelError

    things = entities(entity("Spawn", 0, 0, iid="x" * 5000), width=4, height=1)
    with pytest.raises(LevelError, match="is not an id") as caught:
        read(tmp_path / "w.ldtk", project(level("A", things, int_grid("...."))))
    assert len(str(caught.value)) < 400


def test_samples() -> None:
    """worldX and worldY as they stand in the files."""
    path = shared_level("ldtk/WorldMap_Free_layout.ldtk")
    reading = LdtkReading(world="each")
    assert "Top" in parts(path, ldtk=reading)
    for name, corner in (("Top", (80, -640)), ("Cliff_cave", (656, -416))):
        own = load(path, {}, part=name, ldtk=reading)
        assert own.coordinates.centres == ((corner[0] + 8, corner[1] + 8),)


@pytest.mark.parametrize("name", ["Typical_TopDown_example", "WorldMap_Free_layout"])
def test_entities_of_the_samples_stand_where_the_editor_says(name: str) -> None:
    """LDtk writes the pixel of each pivot in the world; a pixel inside of it is in the cell."""
    path = shared_level(f"ldtk/{name}.ldtk")
    found = {
        each["iid"]: each
        for one in json.loads(path.read_text("utf-8"))["levels"]
        for layer in one["layerInstances"]
        for each in layer["entityInstances"]
    }
    kinds = {f"entity:{each['__identifier']}": "thing" for each in found.values()}
    own = load(path, {}, ldtk=LdtkReading(legend={"value:walls": "wall", **kinds}))
    assert isinstance(own, GridLevel)
    assert own.coordinates is not None
    assert len(own.things.spots) == len(found) > 20
    for spot in own.things.spots:
        entity = found[spot.id]
        point = [
            entity[f"__world{axis}"] + (1 if pivot < 0.75 else -1)
            for axis, pivot in zip("XY", entity["__pivot"], strict=True)
        ]
        cell = own.coordinates.cells(np.array([point], dtype=np.float64), np.array([0]), None)
        x, y = spot.cell
        assert tuple(cell[0].tolist()) == (x, y % (own.floor_height or own.height))
