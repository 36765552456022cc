"""Small valid assets as originals of forgeries; together they have every column and attribute."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bake.apply import apply_patch
from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.level import TerrainRule
from bake.play import open_asset
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.project.recipe.rules import TABLE_NAMES
from tests.support.lattices import on_cells

_TERRAIN = {
    "floor": TerrainRule(1.0),
    "mud": TerrainRule(3.0),
    "road": TerrainRule(0.5),
    "water": TerrainRule(1.5, ("road", "water")),
    "ledge": TerrainRule(2.0, ("floor", "mud")),
    "wall": TerrainRule(None),
}
_LEGEND = {".": "floor", "m": "mud", "=": "road", "~": "water", "v": "ledge", "#": "wall"}
_BOAT = {"water": TerrainRule(1.0), "floor": TerrainRule(None), "road": TerrainRule(2.0)}


def _recipe(**settings: object) -> LevelRecipe:
    defaults: dict[str, Any] = {
        "tables": tuple(TABLE_NAMES),
        "cluster_size": 4,
        "levels": 2,
        "terrain": _TERRAIN,
        "heuristic_kind": "landmark",
    }
    return LevelRecipe(**{**defaults, **settings})


def _tiles(*lines: str, **more: object) -> dict[str, object]:
    return {
        "format": "bake-tiles",
        "version": 1,
        "terrains": dict.fromkeys(_LEGEND.values(), 1),
        "legend": _LEGEND,
        "rows": list(lines),
        **more,
    }


def _graph(nodes: Mapping[str | int, tuple[int, int] | None], **more: object) -> dict[str, object]:
    names = list(nodes)
    return {
        "directed": True,
        "multigraph": True,
        "nodes": [
            {"id": name} if place is None else {"id": name, "x": place[0], "y": place[1]}
            for name, place in nodes.items()
        ],
        "edges": [
            {"source": names[a], "target": names[b], "weight": weight}
            for a, b, weight in (
                *((a, (a + 1) % len(names), 1 + a % 3) for a in range(len(names))),
                *((a, (a + 5) % len(names), 6) for a in range(0, len(names), 2)),
                *((b, a, 2) for a, b in ((0, 1), (3, 4), (5, 6))),
                (2, 3, 2.5),
            )
        ],
        **more,
    }


#: One-way terrain, so that there are several components; two profiles.
_RIVER = _tiles(
    "....v==~~.",
    ".#..v==~~.",
    ".#mmv===#.",
    "..mm..==..",
    "......==..",
)
#: The same costs in both directions everywhere.
_MAZE = _tiles(
    ".........m",
    ".###.##.#m",
    ".#....#..m",
    ".#.##.##..",
    "......#...",
)
_HOUSE = _tiles(
    "......#..",
    ".mm...#..",
    ".mm......",
    "......#..",
    ".........",
    "..####...",
    "..#......",
    ".........",
    floor_height=4,
    cell_size=[16, 16],
    origin=[8, -4],
    links=[
        {"name": "stairs", "kind": "stairs", "from": [7, 0, 0], "to": [7, 0, 1], "both_ways": True},
        {
            "name": "jump",
            "id": "7",
            "from": [0, 3, 1],
            "to": [0, 3, 0],
            "cost": 0.5,
            "profiles": ["cat"],
        },
        {
            "name": "rift",
            "kind": "teleporter",
            "from": [0, 0, 0],
            "to": [8, 3, 1],
            "cost": 2.25,
            "via": [[0, 1, 0], [4, 1, 1]],
        },
    ],
    regions=[
        {"name": "yard", "id": "r1", "rect": [0, 0, 6, 4, 0]},
        {"name": "loft", "cells": [[7, 2, 1], [8, 2, 1]]},
    ],
    spots=[
        {"name": "start", "id": "s-1", "kind": "spawn", "at": [0, 0, 0]},
        {"name": "out", "kind": "exit", "at": [8, 3, 0], "profiles": ["cat"]},
    ],
    doors=[
        {
            "name": "gate",
            "id": "g",
            "cells": [[6, 2, 0]],
            "states": {"open": None, "shut": "wall"},
            "state": "open",
        },
        {
            "name": "hatch",
            "rect": [5, 0, 2, 1, 1],
            "states": {"shut": "wall", "open": "floor"},
            "state": "shut",
        },
    ],
    ledges=[{"rect": [7, 1, 2, 1, 0], "bars": ["north"]}],
)
_CATS = (ProfileRecipe("cat"), ProfileRecipe("ogre", {"mud": TerrainRule(5)}, 2))
#: The house without links, which need a list of arcs.
_HALLS = {key: value for key, value in _HOUSE.items() if key != "links"}
_LATTICE_TABLES = ("components", "clusters", "hierarchy")
_HIVE = _tiles("..m...", ".#..#.", "...#..", ".m..v=", grid="hex", hex_layout="even-q")
_ROADS = _graph({f"n{node}": (node % 3, node // 3) for node in range(9)})
_STATION: dict[str, Any] = _graph({f"n{node}": (node % 3, node // 3) for node in range(9)})
for _place, _node in enumerate(_STATION["nodes"]):
    _node.update(z=_place % 4, **({"region": "ab"[_place // 5]} if _place < 8 else {}))
_NUMBERS = _graph(dict.fromkeys((7, -3, 12, 0, 99, 5, 41)))

#: Two rooms, a wall with a gap between them, mud in one, and a loft that a ladder leads to.
_YARD: dict[str, object] = {
    "format": "bake-geometry",
    "version": 1,
    "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
    "shapes": [
        {"terrain": "floor", "rect": [0, 0, 12, 6]},
        {"terrain": "mud", "rect": [8, 0, 4, 6]},
        {"terrain": "wall", "rect": [5, 0, 1, 4]},
        {"terrain": "floor", "rect": [0, 0, 3, 3], "floor": 1},
    ],
    "links": [{"start": [1, 1], "goal": [1, 1], "goal_floor": 1, "both_ways": True}],
}

#: Corners that see each other, a tower above them, and a ladder up to it.
_SQUARE: dict[str, object] = {
    "format": "bake-geometry",
    "version": 1,
    "terrains": {"floor": 1, "wall": "blocked"},
    "shapes": [
        {"terrain": "floor", "rect": [0, 0, 12, 8]},
        {"terrain": "wall", "rect": [2, 2, 2, 4]},
        {"terrain": "wall", "rings": [[[7, 1], [10, 4], [7, 7]]]},
        {"terrain": "floor", "rect": [1, 1, 5, 4], "floor": 1},
        {"terrain": "wall", "rect": [2, 2, 2, 1], "floor": 1},
    ],
    "links": [{"start": [1, 1], "goal": [1, 1], "goal_floor": 1, "both_ways": True}],
}
#: Points that a designer placed, with different ranges.
_GLADES: dict[str, object] = {
    "format": "bake-geometry",
    "version": 1,
    "terrains": {"grass": 1, "pond": "blocked"},
    "shapes": [
        {"terrain": "grass", "rect": [0, 0, 12, 8]},
        {"terrain": "pond", "rect": [5, 2, 2, 3]},
    ],
    "points": [
        {"at": [2, 2], "weight": 2},
        {"at": [9, 2], "domain": [[8, 1], [12, 1], [12, 5], [8, 3]]},
        {"at": [9, 7], "weight": 0.5, "domain": [[8, 6], [12, 6], [12, 8], [8, 8]]},
        {"at": [3, 7]},
        {"at": [6, 6]},
    ],
}

#: A level with elevation and a cliff.
_HILL = _tiles(
    "....m..",
    ".#..m..",
    "......=",
    elevation=[[0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 2, 4, 4], [0, 0.5, 1, 1.5, 2, 4, 3.5]],
    links=[{"name": "lift", "from": [0, 2], "to": [6, 0], "cost": 3, "both_ways": True}],
)
_SLOPES = {"up": 1.5, "down": 0.25, "climb": 1, "drop": 2}

#: A village of two kinds of houses, some of them turned; mud and a ledge in one kind.
_VILLAGE = _tiles(
    *["....=" + "." * 8] * 4,
    *["." * 13] * 5,
    prototypes={
        "hut": {"rows": ["####", "#m.#", "#..v", "####"]},
        "hall": {"rows": ["#.#", "#.#"]},
    },
    instances=[
        {"of": "hut", "at": [0, 0]},
        {"of": "hut", "at": [5, 4], "turned": 90},
        {"of": "hut", "at": [8, 0], "turned": 180, "mirrored": True},
        {"of": "hall", "at": [1, 6]},
    ],
)

#: The source and the recipe of each original.
ORIGINALS: dict[str, tuple[dict[str, object], Callable[[], LevelRecipe]]] = {
    "river": (_RIVER, _recipe),
    "runs": (
        _RIVER,
        lambda: _recipe(
            profiles=(ProfileRecipe("boat", _BOAT), ProfileRecipe("cat")),
        ),
    ),
    "two-way": (_MAZE, lambda: _recipe(cost_rule="mean")),
    "straight": (
        _MAZE,
        lambda: _recipe(
            connectivity=4,
            cost_rule="entered",
            tables=("components", "next_hops", "clusters", "hierarchy"),
        ),
    ),
    "distances": (_MAZE, lambda: _recipe(tables=("components", "distances"))),
    "labels": (_MAZE, lambda: _recipe(distance_storage="labels")),
    "one-way labels": (_RIVER, lambda: _recipe(distance_storage="labels")),
    "house": (
        _HOUSE,
        lambda: _recipe(profiles=_CATS, cluster_regions=True, corner_cutting="one_free"),
    ),
    "hive": (_HIVE, _recipe),
    "roads": (_ROADS, _recipe),
    "yard": (_YARD, _recipe),
    "square": (_SQUARE, lambda: _recipe(division="visibility")),
    "glades": (_GLADES, lambda: _recipe(division="dirichlet")),
    "station": (_STATION, lambda: _recipe(cluster_regions=True)),
    "hill": (
        _HILL,
        lambda: _recipe(
            slopes=_SLOPES,
            profiles=(ProfileRecipe("cat"), ProfileRecipe("goat", slopes={"climb": 3.0})),
        ),
    ),
    "tanks": (
        _tiles(".m..", ".#..", "...="),
        lambda: _recipe(
            headings=4,
            profiles=(ProfileRecipe("tank", turn=2.0), ProfileRecipe("truck", turn=0.5)),
        ),
    ),
    "village": (
        _VILLAGE,
        lambda: _recipe(
            profiles=(ProfileRecipe("cat"), ProfileRecipe("ogre", {"ledge": TerrainRule(1)}, 2)),
        ),
    ),
    "patched": (_MAZE, _recipe),
    "numbers": (_NUMBERS, lambda: _recipe(heuristic_kind="landmark")),
    "cells": (_HALLS, lambda: _recipe(tables=_LATTICE_TABLES, profiles=_CATS)),
    "cells of hexagons": (_HIVE, lambda: _recipe(tables=_LATTICE_TABLES)),
}

#: Originals that are baked without a list of arcs, like large levels.
_ON_CELLS = frozenset({"cells", "cells of hexagons"})


#: Arcs whose prices a patch sets, by original.
_PRICES = {
    "patched": {((0, 0), (1, 0)): 2.5, ((1, 0), (0, 0)): float("inf"), ((4, 0), (5, 0)): 0.5}
}


def baked(folder: Path, name: str) -> Path:
    """Bake an original into a folder, and return its asset."""
    asset = _bake(folder, name)
    if name not in _PRICES:
        return asset
    with open_asset(asset) as level:
        level.update(arcs=_PRICES[name])
        level.save_patch(folder / "saved.patch")
    output = folder / "folded.h5"
    apply_patch(asset, folder / "saved.patch", output, 1, lambda stage, done: None)
    return output


def _bake(folder: Path, name: str) -> Path:
    document, recipe = ORIGINALS[name]
    source = folder / f"{name}.json"
    source.write_text(json.dumps(document), "utf-8")
    task = Task(source, source.with_suffix(".h5"), recipe())
    with on_cells() if name in _ON_CELLS else nullcontext():
        bake_level(task, 1, lambda stage, done: None)
    return task.asset
