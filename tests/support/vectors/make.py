"""Make the vectors: ``python -m tests.support.vectors.make``.

Each level is baked and exported to NAME.bake, and NAME.json has questions about it. Answers come
from the models, in plain Python. Only which of several shortest ways the tables take is asked of
the reader, and the model says whether it is one.
"""

import json
import math
import random
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bake.export.export import export_asset
from bake.play import LevelAsset, open_asset
from bake.play.reader.engine import Baked
from bake.store import Asset
from levelbake.file import LEVEL, FlatFile
from tests.support.rule import baked_hops
from tests.support.vectors.damaged import damaged_files
from tests.support.vectors.levels import Vector, every_vector
from tests.support.vectors.oracle import (
    Answers,
    ArcsModel,
    GraphModel,
    GridModel,
    Model,
    copy_of,
)

FOLDER = Path(__file__).parents[2] / "vectors"

#: The most questions about one profile, as baked and after each batch of changes.
QUESTIONS, AFTER = 80, 18
#: What each batch of changes consists of; None: of anything. The first two make nothing cheaper,
#: and "fresh" is the level as it was baked.
BATCHES = (None, None, "open", None, "price", "fresh", "open")


def make(folder: Path = FOLDER) -> None:
    """Write all files of the vectors into a folder."""
    with tempfile.TemporaryDirectory() as made:
        for vector in every_vector():
            asset = vector.write(Path(made))
            flat = folder / f"{vector.name}.bake"
            with Asset(asset) as opened:
                export_asset(opened, flat, None, vector.parts)
            # Where cells are nodes, places are those of the file.
            with open_asset(flat if isinstance(vector.model, ArcsModel) else asset) as level:
                told = _told(vector, level, _numbers(flat))
            _write(folder / f"{vector.name}.json", told)
    _write(folder / "damaged.json", damaged_files(folder))


def _write(path: Path, told: dict[str, Any]) -> None:
    """Write JSON with a line for each element of the lists and objects at the top."""
    path.write_text(_laid_out(told, 2) + "\n", "utf-8")


def _laid_out(value: object, depth: int) -> str:
    if depth and isinstance(value, dict) and value:
        inner = ",\n".join(f"{json.dumps(k)}: {_laid_out(v, depth - 1)}" for k, v in value.items())
        return "{\n" + inner + "\n}"
    if depth and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(_laid_out(each, 0) for each in value) + "\n]"
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _numbers(flat: Path) -> dict[tuple[int, int], int]:
    """The number in a flat file of each arc that is no step, by (from, to) location."""
    file = FlatFile(flat)
    if (LEVEL, "head") in file.entries:
        first, head = file.read(LEVEL, "first_out"), file.read(LEVEL, "head")
        tail = [at for at, end in enumerate(first[1:]) for _ in range(first[at], end)]
    elif (LEVEL, "link_from") in file.entries:
        tail, head = file.read(LEVEL, "link_from").tolist(), file.read(LEVEL, "link_to")
    else:
        return {}
    return {ends: number for number, ends in enumerate(zip(tail, head.tolist(), strict=True))}


def _told(vector: Vector, level: LevelAsset, number: dict[tuple[int, int], int]) -> dict[str, Any]:
    rng = random.Random(vector.name)
    model = replace(_by_location(vector, level), number=number)
    profiles = {name: _questions(Answers(model, name), level, name, rng) for name in level.profiles}
    return {
        "file": f"{vector.name}.bake",
        "level": _level(level),
        "profiles": profiles,
        "things": _things(level),
        "points": _points(level),
        # Where cells are nodes, readers refuse changes.
        "updates": []
        if isinstance(model, ArcsModel)
        else _updates(vector, copy_of(model), level, rng),
    }


def _by_location(vector: Vector, level: LevelAsset) -> Model:
    """The model with its nodes numbered as in the file."""
    model = vector.model
    if not isinstance(model, GraphModel | ArcsModel):
        return model
    names = level._columns(level.profiles[0]).places.names
    number = {name: place for place, name in enumerate(names)}
    order = [number[name] for name in vector.names]
    if isinstance(model, ArcsModel):
        assert sorted(order) == list(range(len(names)))
        return model.numbered(order)
    terrain = [""] * len(order)
    for place, name in zip(order, model.terrain, strict=True):
        terrain[place] = name
    edges = [(order[a], order[b], length) for a, b, length in model.edges]
    return replace(model, terrain=terrain, edges=edges)


def _level(level: LevelAsset) -> dict[str, Any]:
    places = level._columns(level.profiles[0]).places
    names = places.asset.read("/terrain_name").tolist()
    return {
        "name": level.name,
        "kind": places.asset.text("kind"),
        "profiles": list(level.profiles),
        "width": level.width,
        "height": level.height,
        "floors": level.floors,
        "terrains": [bytes(name).decode() for name in names],
        "node_names": None if level.is_grid else list(places.names),
    }


def _questions(
    answers: Answers, level: LevelAsset, profile: str, rng: random.Random
) -> dict[str, Any]:
    """Where a profile stands, and [from, to, next hop, ticks] of some pairs; -1 = none."""
    columns, nav = level._columns(profile), level.profile(profile)
    baked = Baked(columns)
    places = columns.places
    row_of = {place: row for row, place in enumerate(columns.location.tolist())}
    assert sorted(row_of) == answers.standing
    found = []
    for start, goal in _pairs(answers.standing, QUESTIONS, rng):
        row = start if start == goal else baked.hop(row_of[start], row_of[goal])
        hop = row if start == goal else int(columns.location[row]) if row >= 0 else -1
        ticks = answers.ticks(start, goal)
        assert hop == -1 if ticks < 0 else hop in answers.hops(start, goal), (start, goal, hop)
        found.append([start, goal, hop, ticks])
    nearest = []
    if answers.standing and (level.is_grid or places.position is not None):
        for _ in range(8):
            x, y, floor = rng.uniform(-2, 11), rng.uniform(-2, 11), rng.randrange(level.floors)
            point = (*_in_plane(level, x, y, floor), floor)
            place = _nearest(answers.standing, places, point, level)
            if place is None:
                continue
            asked = point if level.floors > 1 else point[:2]
            assert places.location(nav.nearest(asked)) == place
            nearest.append([*point, place])
    return {"standing": answers.standing, "questions": found, "nearest": nearest}


def _pairs(standing: list[int], most: int, rng: random.Random) -> list[tuple[int, int]]:
    if len(standing) ** 2 <= most:
        return [(a, b) for a in standing for b in standing]
    return [(rng.choice(standing), rng.choice(standing)) for _ in range(most)]


def _in_plane(level: LevelAsset, x: float, y: float, floor: int) -> tuple[float, float]:
    """The point at some columns and rows from the middle of cell (0, 0); on graphs (x, y)."""
    if not level.is_grid:
        return x, y
    where = level.coordinates
    left, top = where.centres[floor % len(where.centres)]
    (ax, ay), (bx, by) = where.east, where.south
    return left + x * ax + y * bx, top + x * ay + y * by


def _nearest(
    standing: list[int], places: Any, point: tuple[float, float, int], level: LevelAsset
) -> int | None:
    """The place that a point lies in, or else the nearest one, in plain Python."""
    x, y, floor = point
    away = []
    if level.is_grid:
        asked = point if level.floors > 1 else point[:2]
        cell = level.to_cell(asked)
        if level.inside(cell) and places.location(cell) in standing:
            return int(places.location(cell))
        if places.hex_layout is None:
            where = level.coordinates
            left, top = where.centres[floor % len(where.centres)]
            steps = np.array([where.east, where.south]).T
            x, y = np.linalg.solve(steps, [x - left, y - top]).tolist()
    for place in standing:
        if level.is_grid:
            row, column = divmod(place, level.width)
            its_floor, row = divmod(row, level.height)
            if its_floor != floor:
                continue
            middle: tuple[float, ...] = (column, row)
            if places.hex_layout is not None:
                middle = level.to_point((column, row, floor)[: places.dimensions])
            away.append(((middle[0] - x) ** 2 + (middle[1] - y) ** 2, place))
        else:
            px, py = places.position[place].tolist()
            away.append(((px - x) ** 2 + (py - y) ** 2, place))
    return min(away)[1] if away else None


# -- things and points ----------------------------------------------------------------------------


def _things(level: LevelAsset) -> dict[str, Any]:
    places = level._columns(level.profiles[0]).places
    return {
        "spots": [
            [spot.name, spot.kind, places.location(spot.place), spot.profiles, spot.id]
            for spot in level.spots()
        ],
        "regions": [
            [
                region.name,
                [
                    places.location(place)
                    for place in region.nodes or map(tuple, region.cells.tolist())
                ],
                region.id,
            ]
            for region in level.regions.values()
        ],
        "doors": [
            [
                door.name,
                [places.location(tuple(cell)) for cell in door.cells.tolist()],
                door.state,
                {name: list(terrains) for name, terrains in door.states.items()},
                door.id,
            ]
            for door in level.doors.values()
        ],
        "links": [
            [
                link.name,
                link.kind,
                places.location(link.start),
                places.location(link.goal),
                link.cost,
                link.both_ways,
                link.profiles,
                link.id,
            ]
            for link in level.links.values()
        ],
    }


def _points(level: LevelAsset) -> dict[str, Any]:
    """Some cells with the points in their middles, and some points with their cells."""
    rng = random.Random("points")
    middles: list[list[float]] = []
    cells: list[list[float]] = []
    for _ in range(6 if level.is_grid else 0):
        cell = [
            rng.randrange(level.width),
            rng.randrange(level.height),
            rng.randrange(level.floors),
        ]
        asked = cell if level.floors > 1 else cell[:2]
        middle = level.to_point(tuple(asked))
        middles.append([*cell, *middle[:2]])
        near = [middle[0] + rng.uniform(-9, 9), middle[1] + rng.uniform(-9, 9), *middle[2:]]
        found = level.to_cell(tuple(near))
        cells.append([near[0], near[1], cell[2], *found[:2]])
    return {"middles": middles, "cells": cells}


# -- updates --------------------------------------------------------------------------------------


def _updates(
    vector: Vector, model: Model, level: LevelAsset, rng: random.Random
) -> list[dict[str, Any]]:
    """Batches of changes, each on top of those before, and what holds after each of them."""
    terrains = _level(level)["terrains"]
    found, as_baked = [], copy_of(model)
    for number, kind in enumerate(BATCHES):
        if kind == "fresh":
            model, changes = copy_of(as_baked), [[kind]]
        else:
            count = 1 + number % 3
            changes = [_change(vector, model, terrains, number, kind, rng) for _ in range(count)]
        after = {}
        for name in level.profiles:
            answers, baked = Answers(model, name), baked_hops(level, name)
            questions = []
            for a, b in _pairs_after(answers, as_baked.standing(name), rng):
                hops, ahead = answers.hops(a, b), baked(a, b)
                hop = ahead if ahead in hops else next(iter(hops), -1)
                questions.append([a, b, hop, answers.ticks(a, b)])
            after[name] = {"standing": answers.standing, "questions": questions}
        found.append({"changes": changes, "profiles": after})
    return found


def _pairs_after(
    answers: Answers, standing: list[int], rng: random.Random
) -> list[tuple[int, int]]:
    """Some pairs, many of them with several shortest paths, or with places that are new."""
    new = sorted({*answers.standing} - {*standing})
    drawn = _pairs(answers.standing, 4 * AFTER, rng)
    rng.shuffle(drawn)
    first = [(rng.choice(answers.standing), goal) for goal in new[:3]]
    first += [(start, rng.choice(answers.standing)) for start in new[:3]]
    first += drawn[: AFTER // 3]
    tied = [pair for pair in drawn if len(answers.hops(*pair)) > 1]
    return list(dict.fromkeys(first + tied + drawn))[:AFTER]


def _change(
    vector: Vector,
    model: Model,
    terrains: list[str],
    number: int,
    kind: str | None,
    rng: random.Random,
) -> list[Any]:
    """Draw a change, of a kind if that is said, make it in the model, and say it."""
    assert isinstance(model, GridModel | GraphModel)
    count = sum(map(len, model.grid)) if isinstance(model, GridModel) else len(model.terrain)
    place = rng.randrange(count)
    profile = rng.choice(model.profiles())
    kind = kind or rng.choice(["block", "block", "open", "terrain", "price", "door"])
    if kind == "door" and vector.doors and isinstance(model, GridModel):
        name, cells, states = rng.choice(vector.doors)
        state, terrain = rng.choice(states)
        for cell in cells:
            model.set_terrain(model.location(cell), terrain)
        return ["door", name, state]
    arcs = sorted(model.usual_arcs(profile)) if kind in ("price", "door") else []
    if arcs:
        a, b, _ = rng.choice(arcs)
        # The first two batches make nothing cheaper, so that tables may still be right.
        units = rng.choice([9.5, 40.0, math.inf] if number < 2 else [0.25, 5.5, math.inf, None])
        model.prices.pop((a, b), None)
        if units is not None:
            model.prices[a, b] = units
        return ["price", a, b, "closed" if units == math.inf else units]
    if kind == "open":
        shut = sorted(model.obstacles)
        if isinstance(model, GridModel):
            shut += [
                model.location((x, y))
                for y, row in enumerate(model.grid)
                for x, name in enumerate(row)
                if name == "wall"
            ]
        if shut:
            place = rng.choice(shut)
            model.open(place)
            return ["open", place]
    if kind == "terrain":
        name = rng.choice(terrains)
        model.set_terrain(place, name)
        return ["terrain", place, terrains.index(name)]
    model.obstacles.add(place)
    return ["block", place]


if __name__ == "__main__":
    make()
