"""Random projects of LDtk, with levels inside or in files of their own, and their meaning.

The meaning is computed by plain Python from the drawing alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.support import ldtk_projects as projects
from tests.support.tiled_corners import Meaning, joined, names_in

#: Values of the layer "Ground", and tiles of the layer "Tiles", by their tags in the tileset.
VALUES = {0: None, 1: "walls", 2: "water", 3: "mud"}
TAGS = {0: None, 1: "Rock", 2: "Rock", 3: "Pond"}
LETTERS = {0: ".", 1: "#", 2: "~", 3: "m"}
BUILT_IN: dict[str, float | None] = {"floor": 1.0, "wall": None, "walls": None, "void": None}


@dataclass
class Thing:
    identifier: str  #: as the project has it
    iid: str
    cell: tuple[int, int]
    fields: dict[str, Any]
    meant: dict[str, Any]  #: the same by plain names
    tags: list[str]


@dataclass
class Level:
    name: str
    at: tuple[int, int]
    values: list[list[int]]
    tiles: dict[tuple[int, int], int]
    tiles_on_top: bool
    things: list[Thing]


@dataclass
class Drawing:
    levels: list[Level]
    external: bool
    backslash: bool
    newline: str
    mark: bytes
    version: str


def spelled(random: Random, name: str) -> str:
    return random.choice([str, str.upper, str.title, str.swapcase])(name)


def draw(random: Random) -> Drawing:
    """Draw a project whose levels lie in a row with gaps, at any height."""
    levels, x = [], random.randint(-9, 9)
    for number in range(random.randint(1, 3)):
        width, height = random.randint(2, 8), random.randint(2, 6)
        cells = [(u, v) for v in range(height) for u in range(width)]
        values = [[random.choice(list(VALUES)) for _ in range(width)] for _ in range(height)]
        tiles = {cell: random.choice(list(TAGS)) for cell in cells if random.random() < 0.4}
        level = Level(
            f"Level_{number}",
            (x, random.randint(-9, 9)),
            values,
            tiles,
            random.random() < 0.5,
            draw_things(random, number, cells),
        )
        levels.append(level)
        x += width + random.randint(0, 3)
    return Drawing(
        levels,
        random.random() < 0.5,
        random.random() < 0.5,
        random.choice(["\n", "\r\n"]),
        random.choice([b"", b"\xef\xbb\xbf"]),
        random.choice(["0.9.3", "1.1.3", "1.5.3"]),
    )


def draw_things(random: Random, number: int, cells: list[tuple[int, int]]) -> list[Thing]:
    free = random.sample(cells, len(cells))
    things: list[Thing] = []
    while len(free) > 1 and len(things) < 6:
        kind = random.choice(["spawn", "exit", "ladder", "teleporter"])
        meant: dict[str, Any] = {"name": f"{kind} {number} {len(things)}"}
        if random.random() < 0.5:
            names = random.sample(["cat", "dog", "owl"], random.randint(1, 3))
            meant["profiles"] = random.choice([names, ", ".join(names)])
        if kind in ("ladder", "teleporter"):
            if random.random() < 0.5:
                meant["cost"] = random.choice([2, 3.5])
            if random.random() < 0.5:
                meant[random.choice(["one_way", "both_ways"])] = random.random() < 0.5
            goal = Thing("Mark", f"mark-{number}-{len(things)}", free.pop(), {}, {}, [])
            things.append(goal)
            meant["to"] = [goal.iid]
        tags = [kind] if random.random() < 0.3 else []
        identifier = "Other" if tags else random.choice([kind.capitalize(), kind.upper()])
        fields = {
            spelled(random, name) if name != "to" else name: value for name, value in meant.items()
        }
        iid = f"thing-{number}-{len(things)}"
        things.append(Thing(identifier, iid, free.pop(), fields, {**meant, "kind": kind}, tags))
    return things


def write(folder: Path, drawing: Drawing) -> Path:
    """Write the project, and the files of its levels if they have some."""
    levels = []
    for each in drawing.levels:
        rows = ["".join(LETTERS[value] for value in row) for row in each.values]
        ground = projects.int_grid(*rows)
        tiles = projects.tile_layer(len(rows[0]), len(rows), each.tiles)
        entities = projects.entities(
            *(
                projects.entity(one.identifier, *one.cell, iid=one.iid, tags=one.tags, **one.fields)
                for one in each.things
            ),
            width=len(rows[0]),
            height=len(rows),
        )
        order = [tiles, ground] if each.tiles_on_top else [ground, tiles]
        level = projects.level(each.name, entities, *order, at=each.at)
        if drawing.external:
            file = f"world/{each.name}.ldtkl"
            save(folder / file, level, drawing)
            path = file.replace("/", "\\") if drawing.backslash else file
            level = {**level, "layerInstances": None, "externalRelPath": path}
        levels.append(level)
    document = projects.project(*levels, jsonVersion=drawing.version)
    return save(folder / "world.ldtk", document, drawing)


def save(path: Path, document: object, drawing: Drawing) -> Path:
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(document, indent=1).replace("\n", drawing.newline)
    path.write_bytes(drawing.mark + text.encode())
    return path


def meanings(drawing: Drawing) -> dict[str, Meaning]:
    """Return what the world means, as "", and what each of its levels means alone."""
    alone = {level.name: meaning(level) for level in drawing.levels}
    parts = [("", alone[level.name], *level.at) for level in drawing.levels]
    whole = joined(parts)
    whole.spots = [(name.removeprefix("/"), *more) for name, *more in whole.spots]  # type: ignore[misc]
    whole.links = [(name.removeprefix("/"), *more) for name, *more in whole.links]
    return {"": whole, **alone}


def meaning(level: Level) -> Meaning:
    terrain = [["floor"] * len(row) for row in level.values]
    for y, row in enumerate(level.values):
        for x, value in enumerate(row):
            said = [VALUES[value], TAGS[level.tiles.get((x, y), 0)]]
            upper_last = said if level.tiles_on_top else said[::-1]
            for name in upper_last:
                terrain[y][x] = name or terrain[y][x]
    spots, links = [], []
    cell_of = {each.iid: each.cell for each in level.things}
    for each in level.things:
        kind = each.meant.get("kind")
        profiles = names_in(each.meant.get("profiles"))
        if kind in ("spawn", "exit"):
            spots.append((each.meant["name"], kind, each.cell, profiles))
        elif kind is not None:
            both = kind == "ladder"
            both = each.meant.get("both_ways", both)
            if "one_way" in each.meant:
                both = not each.meant["one_way"]
            goal = cell_of[each.meant["to"][0]]
            cost = each.meant.get("cost")
            links.append((each.meant["name"], kind, each.cell, goal, cost, both, profiles))
    barred = [[frozenset[str]()] * len(row) for row in terrain]
    return Meaning(terrain, barred, {}, spots, links)
