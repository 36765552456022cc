"""Random small levels with all that flat files can hold, baked and exported, each by its number.

Every 12 numbers go through all kinds of levels: squares with 4 and 8 neighbors, hexagons in four
layouts, several floors, graphs named by text and by numbers, and levels whose flat files hold cells
as nodes. Rules of corners and prices, profiles, footprints, ledges, links, doors, slopes, scales,
folded prices and which tables are baked and exported are drawn.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any, get_args

from bake.apply import apply_patch
from bake.export.export import export_asset
from bake.play import open_asset
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.store import Asset
from levelbake.errors import BakeError
from levelbake.steps import CornerCutting, CostRule, HexLayout
from tests.support.baked import GROUND, bake, recipe_for, rules_of, write_grid
from tests.support.oracles import Ground
from tests.support.stored import ROOT, Pair, code, opens, stored

KINDS = ("squares-8", "squares-4", *get_args(HexLayout), "floors", "names", "numbers", "heights")
KINDS += ("slopes", "headings")
#: Tables to bake, parts to export and storage of distances; None = the default tables.
TABLES: tuple[tuple[tuple[str, ...] | None, tuple[str, ...], str], ...] = (
    (None, (), "auto"),
    (("components",), (), "auto"),
    (("components", "next_hops"), (), "auto"),
    (("components", "distances"), ("distances",), "auto"),
    (None, ("distances",), "labels"),
    (None, (), "labels"),
    (("next_hops", "distances"), ("distances",), "auto"),
)
#: Numbers of nodes, some of which no float64 holds.
NUMBERS = [0, -1, 7, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]


def random_level(seed: int) -> Pair:
    """Return the asset and the flat file of a level."""

    def make(folder: Path) -> None:
        rng = random.Random(f"level {seed}")
        tables, parts, storage = rng.choice(TABLES)
        settings: dict[str, Any] = {"tables": tables, "distance_storage": storage}
        source, recipe = _write_source(folder, KINDS[seed % len(KINDS)], settings, rng)
        asset = bake(source, recipe)
        if rng.random() < 0.4:
            asset = _fold_prices(asset, rng)
        asset = asset.rename(folder / "level.h5")
        with Asset(asset) as opened:
            export_asset(opened, folder / "level.bake", None, parts)

    parts = [code(), Path(__file__), ROOT / "tests" / "support" / "baked.py", str(seed)]
    folder = stored("random-level", parts, make, lambda one: opens(one / "level.bake"))
    return Pair(folder / "level.h5", folder / "level.bake")


def _fold_prices(asset: Path, rng: random.Random) -> Path:
    """Fold prices of some arcs into an asset, as well as obstacles."""
    patch, output = asset.with_suffix(".patch"), asset.with_name("folded.h5")
    with open_asset(asset) as level:
        nav = level.profile(level.profiles[0])
        places = nav.places()
        for _ in range(12 if len(places) > 1 else 0):
            start, goal = rng.sample(places, 2)
            hop = nav.next_hop(start, goal)
            if hop not in (None, start):
                level.update(arcs={(start, hop): rng.choice([0.25, 4.5, math.inf])})
        level.save_patch(patch)
    try:
        apply_patch(asset, patch, output, 1, lambda stage, done: None)
    except BakeError:  # The patch leaves no walkable cell, or breaks a link.
        return asset
    return output


def _write_source(
    folder: Path, kind: str, settings: dict[str, Any], rng: random.Random
) -> tuple[Path, LevelRecipe]:
    """Write the source of a level, and return it and its recipe."""
    settings |= {
        "cost_rule": rng.choice(get_args(CostRule)),
        "ticks_per_unit": rng.choice([27720, 27720, 1000, 17]),
        "narrowed": True,  # allows links with blocked ends
    }
    if kind in ("names", "numbers", "heights"):
        return _write_graph(folder, kind, settings, rng)
    layout = kind if kind in get_args(HexLayout) else None
    floors = 2 if kind == "floors" else 1
    width, rows = rng.randint(4, 11), rng.randint(4, 8)
    letters = ["floor"] * rng.randint(4, 12) + [*GROUND] + ["wall"] * rng.randint(0, 3)
    grid = [[rng.choice(letters) for _ in range(width)] for _ in range(rows * floors)]
    grid[0][0] = "floor"  # The first profile has size 1, so the level has a walkable cell.
    if layout is None:
        settings["connectivity"] = 4 if kind == "squares-4" else rng.choice([4, 8, 8])
        settings["connectivity"] = 8 if kind == "squares-8" else settings["connectivity"]
        settings["corner_cutting"] = rng.choice(get_args(CornerCutting))
    more = _draw_things(width, rows, floors, rng)
    if kind == "headings":
        settings["headings"] = settings["connectivity"]
        more.pop("links", None)
    heights = [[rng.choice([0.0, 0.0, 0.5, 1.0, 2.5]) for _ in row] for row in grid]
    if kind == "slopes" or rng.random() < 0.1:
        more["elevation"] = heights
    sized = layout is None and kind != "headings"
    profiles = [
        ProfileRecipe(
            name,
            rules_of(_draw_ground(rng)),
            size=rng.choice([1, 2, 3]) if name != "ant" and sized else 1,
            slopes=_draw_slopes(rng) if kind == "slopes" else {},
            turn=rng.choice([0.25, 1.0, 2.0]),
        )
        for name in ("ant", "bee", "cow")[: rng.randint(1, 3)]
    ]
    source = write_grid(folder / "level.json", grid, layout, **more)
    return source, recipe_for(GROUND, profiles=tuple(profiles), **settings)


def _draw_ground(rng: random.Random) -> dict[str, Ground]:
    """Costs of terrains for one profile, which can stand on floor."""
    found = dict(GROUND)
    for name in rng.sample([*GROUND], rng.randint(0, 3)):
        cost = rng.choice([None, 0.5, 1, 2, 3.7])
        found[name] = Ground(cost, rng.choice([None, None, ("floor", "mud")]) if cost else None)
    return {**found, "floor": Ground(rng.choice([1, 1, 0.75]))}


def _draw_slopes(rng: random.Random) -> dict[str, float]:
    every = {"up": 1.5, "down": 0.25, "climb": 1.0, "drop": 2.0}
    return {name: every[name] for name in rng.sample([*every], rng.randint(1, 4))}


def _draw_things(width: int, rows: int, floors: int, rng: random.Random) -> dict[str, Any]:
    """What a tile level has beside its cells."""

    def cell() -> list[int]:
        found = [rng.randrange(width), rng.randrange(rows)]
        return found + [rng.randrange(floors)] * (floors > 1)

    def apart(count: int) -> list[list[int]]:
        return [list(each) for each in dict.fromkeys(tuple(cell()) for _ in range(count))]

    ways = ["north", "east", "south", "west"]
    links = [
        {"name": f"link {i}", "from": a, "to": b, "cost": rng.choice([0.5, 2, 9])}
        | {"both_ways": rng.random() < 0.5}
        | ({"profiles": ["ant"]} if rng.random() < 0.3 else {})
        for i, (a, b) in enumerate((cell(), cell()) for _ in range(rng.choice([0, 0, 2, 5])))
        if a != b
    ]
    doors = [
        {
            "name": f"door “{i}”",
            "cells": cells,
            "states": {"open": None, "shut": "wall", "wet": "water"},
            "state": rng.choice(["open", "shut", "wet"]),
        }
        for i, cells in enumerate(_deal_cells(apart(6), rng.choice([0, 1, 2])))
    ]
    ledges = [
        {"cells": apart(3), "bars": rng.sample(ways, rng.randint(1, 3))}
        for _ in range(rng.choice([0, 0, 2]))
    ]
    spots = [{"name": "start", "kind": "spawn", "at": cell()}] * rng.randint(0, 1)
    found: dict[str, Any] = {"links": links, "doors": doors, "ledges": ledges, "spots": spots}
    found = {name: every for name, every in found.items() if every}
    return found | ({"floor_height": rows} if floors > 1 else {})


def _deal_cells(cells: list[list[int]], hands: int) -> list[list[list[int]]]:
    """Deal cells out, one by one."""
    return [cells[i::hands] for i in range(min(hands, len(cells)))]


def _write_graph(
    folder: Path, kind: str, settings: dict[str, Any], rng: random.Random
) -> tuple[Path, LevelRecipe]:
    count = rng.randint(5, 30)
    ids: list[Any] = [f"node {i} “ü”" for i in range(count)]
    if kind == "numbers":
        ids = rng.sample([*NUMBERS, *range(100, 100 + count)], count)
    terrains = ["floor", "floor", "mud", "road", "water", "wall"]
    placed, high = rng.random() < 0.7, kind == "heights"
    nodes = [
        {"id": each, "terrain": rng.choice(terrains)}
        | ({"x": rng.uniform(0, 9), "y": rng.uniform(0, 9)} if placed else {})
        | ({"z": rng.choice([0.0, 0.5, 1.0, 3.0])} if high else {})
        for each in ids
    ]
    ends = [rng.sample(ids, 2) for _ in range(rng.randint(count, 3 * count))]
    edges = [
        {"source": a, "target": b, "weight": rng.choice([1, 1, 2, 0.7, rng.uniform(0.1, 5)])}
        for a, b in ends
    ]
    document = {
        "directed": rng.random() < 0.6,
        "multigraph": True,
        "graph": {"terrains": dict.fromkeys(GROUND, 1)},
        "nodes": nodes,
        "edges": edges,
    }
    nodes[0]["terrain"] = "floor"
    source = folder / "level.json"
    source.write_text(json.dumps(document), encoding="utf-8")
    profiles = [
        ProfileRecipe(name, rules_of(_draw_ground(rng)), slopes=_draw_slopes(rng) if high else {})
        for name in ("ant", "bee")[: rng.randint(1, 2)]
    ]
    return source, recipe_for(GROUND, profiles=tuple(profiles), **settings)
