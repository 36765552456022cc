"""The levels of the vectors: what is baked, and the model that answers questions about it."""

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bake.apply import apply_patch
from bake.play import open_asset
from bake.project.recipe import LevelRecipe, ProfileRecipe
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    recipe_for,
    rows,
    rules_of,
    write_graph,
    write_grid,
)
from tests.support.oracles import TICKS, Cell, Ground, Lattice
from tests.support.slope_and_turn_oracles import sloped_arcs, turning_arcs
from tests.support.strategies import random_grid
from tests.support.vectors.oracle import ArcsModel, GraphModel, GridModel, Link, Model

#: What agents make of terrain, without walls.
WALKER = GROUND
BOAT = {
    "floor": Ground(None),
    "mud": Ground(5),
    "road": Ground(None),
    "water": Ground(1),
    "ledge": Ground(1),
    "wall": Ground(None),
}
#: Someone who can stand nowhere.
GHOST = dict.fromkeys(LETTERS, Ground(None))


#: The name of a door, its cells, and the terrain that each state gives them.
Door = tuple[str, tuple[Cell, ...], tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Vector:
    """A level of the vectors.

    Attributes:
        name: of its files.
        write: bakes it into a folder and returns the asset.
        model: what answers questions; of a graph, places are its names in order.
        parts: what is written beside next hops.
        doors: cells of each door, and the terrain of its states.
        names: of a graph's nodes, in the order of the model.
    """

    name: str
    write: Callable[[Path], Path]
    model: Model
    parts: tuple[str, ...] = ()
    doors: tuple[Door, ...] = ()
    names: tuple[str | int, ...] = ()


def _profiles(
    ground: dict[str, dict[str, Ground]], size: dict[str, int]
) -> tuple[ProfileRecipe, ...]:
    return tuple(
        ProfileRecipe(name, rules_of(each), size.get(name, 1)) for name, each in ground.items()
    )


def _drawn(
    name: str,
    model: GridModel,
    *,
    parts: tuple[str, ...] = (),
    doors: tuple[Door, ...] = (),
    document: dict[str, object] | None = None,
    **settings: object,
) -> Vector:
    """A grid level; the document has keys of tile levels beside rows and terrains."""
    if model.hex_layout is None:
        settings["connectivity"] = model.connectivity
    recipe = recipe_for(
        WALKER,
        corner_cutting=model.corner_cutting,
        cost_rule=model.cost_rule,
        profiles=_profiles(dict(model.ground), dict(model.size)),  # type: ignore[arg-type]
        **settings,
    )
    grid = [list(row) for row in model.grid]
    model.usual = _usual(model)

    def write(folder: Path) -> Path:
        path = write_grid(folder / f"{name}.json", grid, model.hex_layout, **(document or {}))
        return bake(path, recipe)

    return Vector(name, write, model, parts, doors)


def _usual(model: GridModel) -> str:
    """The commonest terrain that somebody can stand on; of several the first one."""
    passable = [
        name
        for name in LETTERS
        if any(ground[name].cost is not None for ground in model.ground.values())
    ]
    count = {name: sum(row.count(name) for row in model.grid) for name in passable}
    return max(passable, key=lambda name: count[name])


def _grid(seed: int, width: int, height: int, walls: float) -> list[list[str]]:
    return random_grid(seed, width, height, walls)


def _squares() -> list[Vector]:
    both = {"boat": BOAT, "walker": WALKER}
    one = {"walker": WALKER}
    return [
        _drawn("squares-4", GridModel(_grid(3, 9, 7, 0.2), both, 4)),
        _drawn("corners-never", GridModel(_grid(4, 8, 8, 0.25), both, 8, "never", "entered")),
        _drawn("corners-one-free", GridModel(_grid(5, 8, 8, 0.25), one, 8, "one_free")),
        _drawn("corners-always", GridModel(_grid(6, 8, 8, 0.3), one, 8, "always")),
    ]


def _hexagons() -> list[Vector]:
    return [
        _drawn(
            f"hex-{layout}",
            GridModel(_grid(seed, 7, 6, 0.15), {"walker": WALKER}, 6, hex_layout=layout),
        )
        for seed, layout in enumerate(("odd-r", "even-r", "odd-q", "even-q"), 11)
    ]


def _rooms() -> Vector:
    """Rooms large enough for runs and greedy moves, with distances as labels."""
    rng = random.Random("rooms")
    grid = [["floor"] * 16 for _ in range(13)]
    for y in range(13):
        if y not in (2, 10):
            grid[y][7] = "wall"
    for x in range(16):
        if x not in (2, 10, 14):
            grid[6][x] = "wall"
    for _ in range(16):
        grid[rng.randrange(13)][rng.randrange(16)] = rng.choice(["wall", "mud", "road"])
    model = GridModel(grid, {"walker": WALKER})
    return _drawn(
        "rooms",
        model,
        parts=("distances",),
        tables=("components", "next_hops", "distances"),
        distance_storage="labels",
    )


def _one_way() -> Vector:
    """Ledges of terrain that lead one way, so that components reach each other."""
    grid = rows(
        "....#....", ".vv.#.vv.", ".vv.#.vv.", "....v....", "~~~~~~~~~", "....=....", "####....."
    )
    model = GridModel(grid, {"boat": BOAT, "walker": WALKER}, 8, "one_free")
    return _drawn(
        "one-way",
        model,
        parts=("distances",),
        tables=("components", "next_hops", "distances"),
    )


def _tower() -> Vector:
    """Two floors with links, doors, ledges, large agents, spots and regions."""
    lines = [
        "......#..",
        "......#..",
        ".mm...#..",
        ".mm......",
        "......#..",
        "...v.....",
        "..#####..",
        "..#......",
        "..#......",
        ".........",
    ]
    grid = rows(*lines)
    ground = {"cat": WALKER, "ogre": {**WALKER, "mud": Ground(5)}, "walker": WALKER}
    links = (
        Link("stairs", (7, 0), (7, 5), None, True),
        Link("jump", (0, 9), (0, 4), 0.5, False, ("cat",)),
        Link("rift", (0, 0), (8, 9), 2.25),
    )
    doors = (
        ("gate", ((6, 3),), (("open", "floor"), ("shut", "wall"))),
        ("hatch", ((5, 5), (6, 5)), (("shut", "wall"), ("open", "road"))),
    )
    document: dict[str, object] = {
        "floor_height": 5,
        "cell_size": [16, 12],
        "origin": [100, -40.5],
        "links": [
            {
                "name": "stairs",
                "kind": "stairs",
                "from": [7, 0, 0],
                "to": [7, 0, 1],
                "both_ways": True,
            },
            {
                "name": "jump",
                "from": [0, 4, 1],
                "to": [0, 4, 0],
                "cost": 0.5,
                "profiles": ["cat"],
                "id": "17",
            },
            {
                "name": "rift",
                "kind": "teleporter",
                "from": [0, 0, 0],
                "to": [8, 4, 1],
                "cost": 2.25,
            },
        ],
        "regions": [
            {"name": "yard", "rect": [0, 0, 6, 5, 0], "id": "6e9f"},
            {"name": "loft", "cells": [[7, 2, 1], [8, 2, 1]]},
        ],
        "spots": [
            {"name": "start", "kind": "spawn", "at": [0, 0, 0], "id": "18"},
            {"name": "lair", "kind": "spawn", "at": [0, 1, 0], "profiles": ["ogre"]},
            {"name": "größer", "kind": "exit", "at": [8, 4, 0]},
        ],
        "doors": [
            {
                "name": "gate",
                "id": "gate-1",
                "cells": [[6, 3, 0]],
                "states": {"open": "floor", "shut": "wall"},
                "state": "open",
            },
            {
                "name": "hatch",
                "rect": [5, 0, 2, 1, 1],
                "states": {"shut": "wall", "open": "road"},
                "state": "shut",
            },
        ],
        "ledges": [{"rect": [7, 2, 2, 1, 0], "bars": ["north"]}],
    }
    baked = [list(row) for row in grid]
    for x in (5, 6):
        baked[5][x] = "wall"
    model = GridModel(
        baked,
        ground,
        floor_height=5,
        size={"ogre": 2},
        ledges={(7, 2): "n", (8, 2): "n"},
        links=links,
    )
    model.usual = _usual(model)
    drawn = [list(row) for row in grid]
    recipe = recipe_for(
        WALKER,
        connectivity=8,
        corner_cutting="never",
        cost_rule="mean",
        profiles=_profiles(ground, {"ogre": 2}),
    )

    def write(folder: Path) -> Path:
        return bake(write_grid(folder / "tower.json", drawn, None, **document), recipe)

    return Vector("tower", write, model, (), doors)


def _priced() -> Vector:
    """A level into which a patch was folded, so that some arcs have prices of their own."""
    model = GridModel(_grid(21, 7, 6, 0.2), {"boat": BOAT, "walker": WALKER})
    plain = _drawn("priced", model)
    arcs = sorted({(a, b) for a, b, _ in model.usual_arcs("walker")})
    model.prices = dict(zip(arcs[::17], [0.25, 7.5, math.inf] * len(arcs), strict=False))

    def write(folder: Path) -> Path:
        asset, patch = plain.write(folder), folder / "priced.patch"
        with open_asset(asset) as level:
            cells = {location: (location % 7, location // 7) for location in range(42)}
            level.update(
                arcs={(cells[a], cells[b]): units for (a, b), units in model.prices.items()}
            )
            level.save_patch(patch)
        applied = folder / "priced-anew.h5"
        apply_patch(asset, patch, applied, 1, lambda stage, done: None)
        return applied

    return Vector("priced", write, model)


def _small() -> list[Vector]:
    walker, ghost = {"walker": WALKER}, {"ghost": GHOST, "walker": WALKER}
    return [
        _drawn("one-cell", GridModel(rows("#.", "##"), walker)),
        _drawn("nobody", GridModel(rows("..#", "#.."), ghost)),
        _drawn("islands", GridModel(rows(".#.", "###", ".#."), walker)),
        _drawn(
            "isometric",
            GridModel(rows("...", ".#.", "..."), walker, 4),
            document={},
            cell_size=(64.0, 32.0),
            origin=(-3.5, 7.0),
        ),
    ]


def _graphs() -> list[Vector]:
    names = ["mill", "ford", "inn", "keep", "tower", "cave", "isle"]
    places = {name: (float(3 * i % 7), float(i * i % 5)) for i, name in enumerate(names)}
    edges = [
        ("mill", "ford", 3.5),
        ("ford", "mill", 3.5),
        ("ford", "inn", 4.0),
        ("inn", "keep", 1.25),
        ("keep", "mill", 9.0),
        ("mill", "inn", 7.5),
        ("inn", "mill", 7.75),
        ("keep", "tower", 2.0),
        ("tower", "keep", 2.0),
        ("tower", "cave", 1.0),
    ]
    number = {name: i for i, name in enumerate(names)}
    ground = {"default": {"ground": Ground(1)}}
    plain = GraphModel(
        ["ground"] * len(names), [(number[a], number[b], c) for a, b, c in edges], ground
    )

    def write(folder: Path) -> Path:
        return bake(write_graph(folder / "roads.json", names, edges, positions=places))

    terrain = ["road", "track", "road", "track", "river", "road"]
    numbers = [10, 7, -3, 42, 2**40, 0]
    paths = [
        (0, 1, 1.0),
        (1, 2, 1.5),
        (2, 3, 1.0),
        (3, 0, 4.0),
        (1, 4, 0.3),
        (4, 5, 1.0),
        (5, 2, 2.0),
    ]
    told = {"road": Ground(1), "track": Ground(2.5), "river": Ground(4, ("track", "river"))}
    two_way = [*paths, *((b, a, c) for a, b, c in paths)]
    # Nothing can be entered from a road but a road, so some ways lead one way.
    model = GraphModel(terrain, two_way, {"default": told})

    def write_terrain(folder: Path) -> Path:
        document = {
            "directed": False,
            "multigraph": True,
            "graph": {
                "terrains": {
                    "road": 1,
                    "track": 2.5,
                    "river": {"cost": 4, "enter_from": ["track", "river"]},
                }
            },
            "nodes": [{"id": i, "terrain": t} for i, t in zip(numbers, terrain, strict=True)],
            "edges": [
                {"source": numbers[a], "target": numbers[b], "weight": c} for a, b, c in paths
            ],
        }
        path = folder / "rivers.json"
        path.write_text(json.dumps(document), "utf-8")
        return bake(path, LevelRecipe())

    region = {"tower": "hill", "mill": "vale", "keep": "hill", "inn": "vale", "isle": "sea"}

    def write_regions(folder: Path) -> Path:
        path = folder / "regions.json"
        return bake(write_graph(path, names, edges, positions=places, regions=region))

    return [
        Vector("regions", write_regions, plain, names=tuple(names)),
        Vector("roads", write, plain, names=tuple(names)),
        Vector("rivers", write_terrain, model, names=tuple(numbers)),
    ]


def _cells_as_nodes() -> list[Vector]:
    """Grids that flat files hold as graphs: their prices follow from slopes, or from turns."""
    rng = random.Random("hills")
    grid = _grid(31, 9, 7, 0.15)
    heights = [[rng.choice([0.0, 0.0, 0.5, 1.0, 2.5]) for _ in row] for row in grid]
    slopes = {"sledge": {"up": 3.0, "drop": 2.0}, "walker": {"up": 1.5, "down": 0.25, "climb": 1.0}}
    steps = {
        name: sloped_arcs(grid, heights, slope, 8, "never", "mean", None)
        for name, slope in slopes.items()
    }
    lattice = Lattice(grid, WALKER, "never")

    def hills(folder: Path) -> Path:
        profiles = tuple(
            ProfileRecipe(name, rules_of(WALKER), slopes=slope) for name, slope in slopes.items()
        )
        recipe = recipe_for(WALKER, connectivity=8, profiles=profiles)
        return bake(write_grid(folder / "hills.json", grid, None, elevation=heights), recipe)

    yard = _grid(32, 4, 3, 0.15)
    turns = {"jeep": 0.25, "tank": 2.0}
    faced = {
        name: turning_arcs(Lattice(yard, WALKER, "one_free"), 8, None, round(turn * TICKS))
        for name, turn in turns.items()
    }

    def turning(folder: Path) -> Path:
        profiles = tuple(
            ProfileRecipe(name, rules_of(WALKER), turn=turn) for name, turn in turns.items()
        )
        recipe = recipe_for(WALKER, headings=8, corner_cutting="one_free", profiles=profiles)
        return bake(write_grid(folder / "turns.json", yard, None), recipe)

    return [
        _of_places(
            "hills",
            hills,
            lambda place: grid[place[1]][place[0]],
            lattice.cells(),
            {
                name: [(a, b, ticks) for (a, b), ticks in arcs.items()]
                for name, arcs in steps.items()
            },
        ),
        _of_places(
            "turns",
            turning,
            lambda place: yard[place[1]][place[0]],
            list(faced["tank"]),
            {
                name: [(a, b, ticks) for a, out in arcs.items() for b, ticks in out]
                for name, arcs in faced.items()
            },
        ),
    ]


def _of_places(
    name: str,
    write: Callable[[Path], Path],
    terrain: Callable[[tuple[int, ...]], str],
    places: Sequence[tuple[int, ...]],
    arcs: Mapping[str, Sequence[tuple[tuple[int, ...], tuple[int, ...], int]]],
) -> Vector:
    """A vector whose nodes are cells, or cells and headings; all profiles stand on all nodes."""
    number = {place: at for at, place in enumerate(places)}
    model = ArcsModel(
        [terrain(place) for place in places],
        {profile: frozenset(range(len(places))) for profile in arcs},
        {
            profile: [(number[a], number[b], ticks) for a, b, ticks in own]
            for profile, own in arcs.items()
        },
    )
    return Vector(name, write, model, names=tuple(",".join(map(str, each)) for each in places))


def every_vector() -> list[Vector]:
    """All levels, in the order of their names."""
    found = [
        *_squares(),
        *_hexagons(),
        _rooms(),
        _priced(),
        _one_way(),
        _tower(),
        *_small(),
        *_graphs(),
        *_cells_as_nodes(),
    ]
    return sorted(found, key=lambda vector: vector.name)
