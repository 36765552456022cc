"""Entities of LDtk: spots, regions, doors and links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bake.core.errors import LevelError
from bake.core.level import Things
from levelbake.steps import EAST, NORTH, WEST
from tests.support.ldtk_projects import entities, entity, int_grid, level, project, read, refer

GRASS = int_grid(*["........"] * 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "isle.ldtk"


def things(path: Path, *found: dict[str, Any], **settings: Any) -> Things:
    return read(path, project(level("A", entities(*found), GRASS)), **settings).things


def test_spots_by_identifier_tag_and_legend(path: Path) -> None:
    found = things(
        path,
        entity("Spawn", 1, 2, pivot=(0.5, 1)),
        entity("Player", 3, 0, tags=["Actor", "SPAWN"], name="hero"),
        entity("Ladder", 5, 5, tags=["exit"], profiles="walker, boat"),
        entity("Chest", 6, 6),
        entity("Spawn", 7, 7, profiles=["walker"]),
        legend={"entity:Chest": "loot"},
    )
    assert [(s.name, s.kind, s.cell, s.profiles) for s in found.spots] == [
        ("Spawn_1", "spawn", (1, 2), None),
        ("hero", "spawn", (3, 0), None),
        ("Ladder", "exit", (5, 5), ("walker", "boat")),
        ("Chest", "loot", (6, 6), None),
        ("Spawn_2", "spawn", (7, 7), ("walker",)),
    ]
    assert [spot.place for spot in found.spots[:2]] == [
        "levels[0].layerInstances[0].entityInstances[0] (Spawn)",
        "levels[0].layerInstances[0].entityInstances[1] (Player)",
    ]


def test_what_is_not_named_is_nothing(path: Path) -> None:
    found = things(
        path, entity("Chest", 1, 1), entity("Door", 1, 1), legend={"entity:Door": "ignore"}
    )
    assert found == Things()
    assert things(path, entity("Spawn", 1, 1), ignore=("Things",)) == Things()


def test_regions_cover_the_middles_of_cells(path: Path) -> None:
    # 1.4 cells wide from 0.3: the middles of cells 0 and 1 at 0.5 and 1.5 lie inside.
    odd = entity("Region", 0, 1) | {"px": [5, 16], "width": 22, "height": 16}
    tiny = entity("Region", 3, 3) | {"width": 2, "height": 2}
    whole = entity("Region", 6, 6, size=(4, 4), name="corner")
    found = things(path, odd, tiny, whole)
    assert [(region.name, region.cells.tolist()) for region in found.regions] == [
        ("Region_1", [[0, 1], [1, 1]]),
        ("Region_2", [[3, 3]]),
        ("corner", [[6, 6], [7, 6], [6, 7], [7, 7]]),
    ]


def test_doors(path: Path) -> None:
    document = project(
        level(
            "A",
            entities(
                entity("Door", 1, 1, size=(1, 2)),
                entity("Door", 3, 3, name="gate", states="up=wall;down;stuck=mud", state="stuck"),
            ),
            GRASS,
        )
    )
    level_ = read(path, document)
    first, second = level_.things.doors
    assert (first.name, first.states, first.state) == (
        "Door_1",
        (("open", None), ("shut", "wall")),
        "open",
    )
    assert first.cells.tolist() == [[1, 1], [1, 2]]
    assert (second.name, second.states, second.state) == (
        "gate",
        (("up", "wall"), ("down", None), ("stuck", "mud")),
        "stuck",
    )
    # What a door may turn into is a terrain of the level, though no cell has it yet.
    assert {"wall", "mud"} <= set(level_.terrains)


def test_links(path: Path) -> None:
    found = things(
        path,
        entity("Stairs", 0, 0, iid="s1", to=["s2"]),
        entity("Stairs", 4, 4, iid="s2", to=["s1"]),
        entity("Teleporter", 1, 1, iid="t1", to=["s2", "t2"], cost=2.5, name="hop"),
        entity("Teleporter", 6, 6, iid="t2"),
        entity("SecretDoor", 2, 2, iid="d", to=["t2"], one_way=False, profiles=["ghost"]),
        legend={"entity:SecretDoor": "link"},
    )
    assert [
        (x.name, x.kind, x.start, x.goal, x.cost, x.both_ways, x.profiles) for x in found.links
    ] == [
        ("Stairs_1", "stairs", (0, 0), (4, 4), None, True, None),
        ("hop_1", "teleporter", (1, 1), (4, 4), 2.5, False, None),
        ("hop_2", "teleporter", (1, 1), (6, 6), 2.5, False, None),
        ("SecretDoor", "secret_door", (2, 2), (6, 6), None, True, ("ghost",)),
    ]


def two_floors(reference: object) -> dict[str, Any]:
    up = entity("Stairs", 1, 1, iid="up", to=[])
    up["fieldInstances"][0] |= {"__type": "EntityRef", "__value": reference}
    return project(
        level("A", entities(up), GRASS, at=(0, 0)),
        level("B", entities(entity("Stairs", 2, 3, iid="down")), GRASS, at=(0, 0), depth=1),
    )


def test_links_between_levels(path: Path) -> None:
    document = two_floors(refer("down", "level-B"))
    (link,) = read(path, document).things.links
    assert (link.start, link.goal) == ((1, 1), (2, 8 + 3))
    # Alone, the other level is another asset.
    assert read(path, document, "A", world="each").things.links == ()
    assert read(path, two_floors(None)).things.links == ()


def test_ledges(path: Path) -> None:
    document = project(
        level(
            "A",
            entities(
                entity("Ledge", 1, 2, size=(2, 1), one_way="South"),
                entity("Ledge", 2, 2, barred=["east", "west"]),
            ),
            GRASS,
        )
    )
    barred = read(path, document).barred
    assert barred is not None
    assert (barred[2, 1], barred[2, 2]) == (NORTH, NORTH | EAST | WEST)
    assert (barred > 0).sum() == 2
    assert read(path, document, ignore=("Things",)).barred is None


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (entity("Ledge", 1, 1), "bars no heading"),
        (entity("Ledge", 1, 1, one_way="down"), 'the field "one_way" is "down"'),
        (entity("Ledge", 1, 1, barred="north, up"), "north, east, south, west"),
        (entity("Stairs", 1, 1, to=["nobody"]), 'the entity "nobody"'),
        (entity("Stairs", 1, 1, iid="me", to=["me"]), 'link "Stairs" starts and ends'),
        (entity("Stairs", 1, 1, cost=-1), 'the field "cost" is -1'),
        (entity("Stairs", 1, 1, cost=True), 'the field "cost" is true'),
        (entity("Stairs", 1, 1, one_way="no"), 'the field "one_way" is "no"'),
        (entity("Stairs", 1, 1, one_way=True, both_ways=True), 'the field "one_way" is true'),
        (entity("Door", 1, 1, states="open"), 'the field "states" is "open"'),
        (entity("Door", 1, 1, states="a;a=wall"), "at least two states"),
        (entity("Door", 1, 1, state="ajar"), "open, shut"),
        (entity("Spawn", 1, 1, name="a\nb"), 'the field "name" is'),
        (entity("Spawn", 1, 1, profiles=[1]), 'field "profiles" is a list'),
        (entity("Spawn", 9, 1), "outside its level"),
        (entity("Region", -9, 1, size=(2, 2)), "outside its level"),
    ],
)
def test_mistakes(path: Path, thing: dict[str, Any], told: str) -> None:
    with pytest.raises(LevelError) as caught:
        things(path, thing)
    assert told in str(caught.value)
    assert "levels[0].layerInstances[0].entityInstances[0]" in str(caught.value)


def test_names_given_twice(path: Path) -> None:
    with pytest.raises(LevelError, match='second spot named "x"'):
        things(path, entity("Spawn", 1, 1, name="x"), entity("Exit", 2, 2, name="x"))
    with pytest.raises(LevelError, match='"i" is given twice'):
        things(path, entity("Spawn", 1, 1, iid="i"), entity("Exit", 2, 2, iid="i"))
