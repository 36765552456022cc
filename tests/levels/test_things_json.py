"""Links, regions, spots, doors, ledges and floors of tile levels, and every mistake in them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.level import Door, GridLevel, Link, Region, Spot, Things
from bake.levels import load
from bake.levels.reading.things import check_things
from levelbake.errors import BakeError
from levelbake.steps import EAST, NORTH

PLAIN: dict[str, Any] = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor", "#": "wall"},
    "rows": ["....", ".##.", "....", "...."],
}


def read(tmp_path: Path, **more: object) -> GridLevel:
    file = tmp_path / "tower.json"
    file.write_text(json.dumps({**PLAIN, **more}), encoding="utf-8")
    level = load(file, {})
    assert isinstance(level, GridLevel)
    return level


def mistakes(tmp_path: Path, **more: object) -> list[str]:
    with pytest.raises(BakeError) as caught:
        read(tmp_path, **more)
    return [
        line.removeprefix(f"{tmp_path / 'tower.json'}: ") for line in str(caught.value).split("\n")
    ]


def test_everything_at_once(tmp_path: Path) -> None:
    level = read(
        tmp_path,
        floor_height=2,
        links=[
            {"name": "stairs", "kind": "stairs", "from": [0, 1, 0], "to": [0, 0, 1]},
            {
                "name": "jump",
                "from": [3, 1, 1],
                "to": [3, 1, 0],
                "cost": 2,
                "both_ways": True,
                "profiles": ["cat"],
            },
        ],
        regions=[
            {"name": "hall", "rect": [1, 0, 2, 2, 1]},
            {"name": "nook", "cells": [[3, 0, 0], [0, 0, 0], [3, 0, 0]]},
        ],
        spots=[{"name": "start", "kind": "spawn", "at": [0, 0, 0], "profiles": ["cat"]}],
        doors=[
            {
                "name": "gate",
                "cells": [[3, 1, 0]],
                "states": {"open": None, "shut": "bars"},
                "state": "shut",
            }
        ],
        ledges=[{"rect": [0, 0, 2, 1, 1], "bars": ["north", "east"]}],
    )
    assert level.floor_height == 2
    assert level.terrains == ("floor", "wall", "bars")
    assert level.things.links == (
        Link("stairs", "stairs", (0, 1), (0, 2), None, False, None, "links[0]"),
        Link("jump", "link", (3, 3), (3, 1), 2.0, True, ("cat",), "links[1]"),
    )
    hall, nook = level.things.regions
    assert hall.cells.tolist() == [[1, 2], [2, 2], [1, 3], [2, 3]]
    assert nook.cells.tolist() == [[0, 0], [3, 0]]
    assert level.things.spots == (Spot("start", "spawn", (0, 0), ("cat",), "spots[0]"),)
    (gate,) = level.things.doors
    assert (gate.states, gate.state) == ((("open", None), ("shut", "bars")), "shut")
    assert level.barred is not None
    assert level.barred.tolist() == [[0] * 4, [0] * 4, [NORTH | EAST] * 2 + [0, 0], [0] * 4]


def test_a_plain_level_has_none(tmp_path: Path) -> None:
    level = read(tmp_path)
    assert level.things == Things()
    assert level.barred is None
    assert level.floor_height is None


LINK = {"name": "a", "from": [0, 0], "to": [3, 0]}
DOOR = {
    "name": "d",
    "cells": [[0, 0]],
    "states": {"open": "floor", "shut": "wall"},
    "state": "shut",
}

ONE_MISTAKE: list[tuple[dict[str, object], str]] = [
    (
        {"links": [{**LINK, "to": [4, 0]}]},
        "links[0].to: [4, 0] lies outside the level; expected x from 0 to 3, y from 0 to 3",
    ),
    (
        {"links": [{**LINK, "from": [0, -1]}]},
        "links[0].from: [0, -1] lies outside the level; expected x from 0 to 3, y from 0 to 3",
    ),
    (
        {"links": [{**LINK, "to": [0, 0]}]},
        'links[0]: link "a" starts and ends at (0, 0); expected two cells',
    ),
    (
        {"links": [LINK, {**LINK, "to": [1, 0]}]},
        'links[1]: there is a second link named "a"; expected each name once; links[0] has it; '
        "rename one of them",
    ),
    (
        {"links": [{**LINK, "cost": 0}]},
        "links[0].cost: the cost is 0.0; expected a number above 0, at most 1e+09",
    ),
    ({"links": [{**LINK, "cost": "dear"}]}, 'links[0].cost: found "dear"; expected a number'),
    (
        {"links": [{**LINK, "profiles": []}]},
        'links[0]: link "a" is for the profiles none; expected at least one, each once; none '
        "named means all",
    ),
    ({"links": [{**LINK, "both_ways": 1}]}, "links[0].both_ways: found 1; expected true or false"),
    (
        {"links": [{**LINK, "goal": [0, 0]}]},
        "links[0].goal: unknown key; expected one of name, id, kind, from, to, cost, "
        "both_ways, profiles, via, over",
    ),
    (
        {"links": [{**LINK, "via": [[1, 0], [4, 0]]}]},
        "links[0].via[1]: [4, 0] lies outside the level; expected x from 0 to 3, y from 0 to 3",
    ),
    (
        {"links": [{**LINK, "via": [[1, 0], [3, 0]]}]},
        'links[0]: link "a" passes through (3, 0), one of its ends; expected cells '
        "between its ends",
    ),
    (
        {"links": [{**LINK, "via": [[1, 0], [1, 0]]}]},
        'links[0]: link "a" passes through (1, 0) twice in a row; expected each cell once, then '
        "another",
    ),
    (
        {"links": [{**LINK, "via": [[1.5, 0]]}]},
        "links[0].via[0][0]: found 1.5; expected a whole number",
    ),
    (
        {"links": [{**LINK, "via": [[1, 0]], "over": ["lava"]}]},
        'links[0]: link "a" leads over "lava"; expected "floor" or "wall"',
    ),
    (
        {"links": [{**LINK, "over": ["wall"]}]},
        "links[0].over: found over without via; expected cells to pass over, in via",
    ),
    (
        {"links": [{"name": "a", "from": [0, 0]}]},
        "links[0].to: this key is missing; expected a value for it",
    ),
    (
        {"links": [{**LINK, "to": [3, 0, 0]}]},
        "links[0].to: found [3, 0, 0]; expected [x, y]; floors are for levels with floor_height",
    ),
    (
        {"floor_height": 2, "links": [{**LINK, "from": [0, 0, 0]}]},
        "links[0].to: found [3, 0]; expected [x, y, floor]; add the floor",
    ),
    (
        {"floor_height": 2, "links": [{**LINK, "from": [0, 0, 0], "to": [0, 2, 0]}]},
        "links[0].to: [0, 2, 0] lies outside the level; expected x from 0 to 3, y from 0 to 1, "
        "floor from 0 to 1",
    ),
    (
        {"floor_height": 3},
        "floor_height: floors of 3 rows do not fit into a level of 4; expected floors of equal "
        "height",
    ),
    (
        {"regions": [{"name": "r", "rect": [2, 2, 3, 1]}]},
        "regions[0].rect: [4, 2] lies outside the level; expected x from 0 to 3, y from 0 to 3",
    ),
    (
        {"regions": [{"name": "r", "rect": [2, 2, 0, 1]}]},
        "regions[0].rect: the rectangle has 0 x 1 cells; expected at least one cell, inside the "
        "level",
    ),
    (
        {"regions": [{"name": "r", "cells": []}]},
        'regions[0]: region "r" has no cells; expected at least one',
    ),
    (
        {"regions": [{"name": "r"}]},
        "regions[0]: found neither cells nor rect; expected one of the two",
    ),
    (
        {"spots": [{"name": "s", "kind": "spawn", "at": [9, 9]}]},
        "spots[0].at: [9, 9] lies outside the level; expected x from 0 to 3, y from 0 to 3",
    ),
    (
        {"doors": [{**DOOR, "state": "ajar"}]},
        'doors[0]: door "d" is to be in state "ajar"; expected one of its states, "open", "shut"',
    ),
    (
        {"doors": [DOOR, {**DOOR, "name": "e"}]},
        'doors[1]: door "e" has the cell (0, 0), which door "d" has; expected doors without '
        "common cells; separate the doors, or merge them",
    ),
    (
        {"ledges": [{"cells": [[0, 0]], "bars": ["up"]}]},
        "ledges[0].bars[0]: found \"up\"; expected 'north', 'east', 'south' or 'west'",
    ),
]


@pytest.mark.parametrize(("more", "line"), ONE_MISTAKE, ids=[line for _, line in ONE_MISTAKE])
def test_one_mistake(tmp_path: Path, more: dict[str, object], line: str) -> None:
    assert mistakes(tmp_path, **more) == [line]


def test_several_mistakes_are_told_together(tmp_path: Path) -> None:
    doors = [{**DOOR, "state": "ajar"}, {**DOOR, "cells": [[1, 0]]}]
    assert mistakes(tmp_path, doors=doors, links=[LINK, LINK]) == [
        'links[1]: there is a second link named "a"; expected each name once; links[0] has it; '
        "rename one of them",
        'doors[1]: there is a second door named "d"; expected each name once; doors[0] has it; '
        "rename one of them",
        'doors[0]: door "d" is to be in state "ajar"; expected one of its states, "open", "shut"',
    ]


# -- what only readers of other formats can get wrong ---------------------------------------------

GRID = GridLevel("drawn", Path("drawn.tmx"), np.zeros((4, 6), np.uint8), ("floor",))


@pytest.mark.parametrize(
    ("things", "line"),
    [
        (
            Things(spots=(Spot("a", "spawn", (6, 0), None, "object 7"),)),
            'drawn.tmx: object 7: spot "a" lies at (6, 0), outside the level; expected x from 0 '
            "to 5, y from 0 to 3",
        ),
        (
            Things(regions=(Region("r", np.array([[0, 0], [0, 4]], np.int32), "object 8"),)),
            'drawn.tmx: object 8: region "r" has a cell at (0, 4), outside the level; expected x '
            "from 0 to 5, y from 0 to 3",
        ),
        (
            Things(links=(Link("l", "", (0, 0), (1, 0), float("nan"), False, None, "object 9"),)),
            'drawn.tmx: object 9: link "l": "" is not a name; expected some text without control '
            "characters\n"
            'drawn.tmx: object 9: link "l" costs nan; expected a cost above 0, at most 1e+09',
        ),
        (
            Things(
                doors=(Door("d", np.array([[0, 0]], np.int32), (("a", None),), "a", "object 1"),)
            ),
            'drawn.tmx: object 1: door "d" has the states "a"; expected at least two, each name '
            "once",
        ),
        (
            Things(spots=(Spot("", "spawn", (0, 0), None, "object 7"),)),
            'drawn.tmx: object 7: "" cannot name a spot; expected some text without control '
            "characters",
        ),
    ],
)
def test_checked(things: Things, line: str) -> None:
    with pytest.raises(BakeError) as caught:
        check_things(replace(GRID, things=things))
    assert str(caught.value) == line


def test_checked_floors() -> None:
    with pytest.raises(BakeError, match=r"4 rows.*floors of 3"):
        check_things(replace(GRID, floor_height=3))
    odd = replace(GRID, terrain=np.zeros((6, 6), np.uint8), floor_height=3, hex_layout="odd-r")
    with pytest.raises(BakeError, match=r"3 rows each.*odd-r"):
        check_things(odd)
    check_things(replace(odd, hex_layout="odd-q"))
    with pytest.raises(BakeError, match="the same shape"):
        check_things(replace(GRID, barred=np.zeros((1, 1), np.uint8)))
    outside = Things(spots=(Spot("a", "spawn", (6, 3), None, "object 7"),))
    with pytest.raises(BakeError, match=r"at \(6, 1, 1\), outside"):
        check_things(replace(GRID, floor_height=2, things=outside))
