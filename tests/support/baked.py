"""Levels written, baked and opened in a folder of the test's own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.level import TerrainRule
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.store import Asset
from tests.support.oracles import Ground

#: One character for each terrain the tests draw.
LETTERS = {"floor": ".", "mud": "m", "road": "=", "water": "~", "ledge": "v", "wall": "#"}
NAMES = {letter: name for name, letter in LETTERS.items()}

GROUND: dict[str, Ground] = {
    "floor": Ground(1),
    "mud": Ground(3),
    "road": Ground(0.5),
    "water": Ground(1.5, ("water", "road")),
    "ledge": Ground(2, ("floor", "mud")),
    "wall": Ground(None),
}


def rows(*lines: str) -> list[list[str]]:
    """A grid of terrain names from lines of letters."""
    return [[NAMES[letter] for letter in line] for line in lines]


def rules_of(ground: Mapping[str, Ground]) -> dict[str, TerrainRule]:
    return {name: TerrainRule(each.cost, each.enter_from) for name, each in ground.items()}


def write_grid(
    path: Path, grid: Sequence[Sequence[str]], hex_layout: str | None = None, **more: object
) -> Path:
    """A tile file that says nothing of costs; `recipe_for` does. Keywords are further keys."""
    document: dict[str, object] = {
        "format": "bake-tiles",
        "version": 1,
        "grid": "square" if hex_layout is None else "hex",
        "terrains": {name: {"cost": 1} for name in LETTERS},
        "legend": NAMES,
        "rows": ["".join(LETTERS[name] for name in row) for row in grid],
        **more,
    }
    if hex_layout is not None:
        document["hex_layout"] = hex_layout
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_graph(
    path: Path,
    nodes: Sequence[str] | Sequence[int],
    edges: Sequence[tuple[str | int, str | int, float]],
    *,
    directed: bool = True,
    positions: Mapping[Any, tuple[float, ...]] | None = None,
    regions: Mapping[str | int, str] | None = None,
) -> Path:
    document = {
        "directed": directed,
        "multigraph": True,
        "graph": {},
        "nodes": [
            {"id": node}
            | ({} if positions is None else dict(zip("xyz", positions[node], strict=False)))
            | ({"region": regions[node]} if regions and node in regions else {})
            for node in nodes
        ],
        "edges": [{"source": a, "target": b, "weight": weight} for a, b, weight in edges],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def recipe_for(ground: Mapping[str, Ground] = GROUND, **settings: object) -> LevelRecipe:
    """A recipe with these costs, and any other setting."""
    return LevelRecipe(terrain=rules_of(ground), **settings)


def profile_for(name: str, ground: Mapping[str, Ground]) -> ProfileRecipe:
    return ProfileRecipe(name, rules_of(ground))


def bake(source: Path, recipe: LevelRecipe | None = None, threads: int = 1) -> Path:
    """Bake a level beside its source."""
    asset = source.with_suffix(".h5")
    bake_level(Task(source, asset, recipe or LevelRecipe()), threads, lambda stage, done: None)
    return asset


def bake_grid(
    folder: Path,
    grid: Sequence[Sequence[str]],
    hex_layout: str | None = None,
    *,
    name: str = "drawn",
    **settings: object,
) -> Path:
    """Bake a drawn grid by a recipe with these settings."""
    return bake(write_grid(folder / f"{name}.json", grid, hex_layout), recipe_for(**settings))


def cells_of_nodes(asset: Asset) -> np.ndarray:
    """(n, 2) x and y of each node of a grid."""
    return np.stack(np.divmod(asset.graph.place, asset.number("width") or 1)[::-1], axis=1)
