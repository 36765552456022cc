"""Levels written, baked and opened in a folder of the test's own."""

import functools
import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import currently_in_test_context

from bake.asset.header import read_header
from bake.level import TerrainRule
from bake.pipeline.level import bake_level
from bake.pipeline.sources import Task
from bake.recipe import LevelRecipe, ProfileRecipe
from tests.support import stored
from tests.support.oracles import Ground
from tests.support.untouched import USUAL, untouched

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
    positions: Mapping[str | int, tuple[float, float]] | None = None,
    regions: Mapping[str | int, str] | None = None,
) -> Path:
    document = {
        "directed": directed,
        "multigraph": True,
        "graph": {},
        "nodes": [
            {"id": node}
            | ({} if positions is None else dict(zip("xy", positions[node], strict=True)))
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


@functools.cache
def drawn() -> Path:
    """The folder of drawn levels that this code has baked."""
    stored.sweep()
    folder = stored.STORE / f"drawn.{stored.CODE}"
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


def put(file: Path, data: bytes) -> Path:
    """Write a file, which is whole at any time."""
    file.parent.mkdir(exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}-{threading.get_ident()}")
    part.write_bytes(data)
    return part.replace(file)


def bake(source: Path, recipe: LevelRecipe | None = None) -> Path:
    """Bake a level beside its source, or take what the same code made of the same source and rules.

    Nothing is taken or kept of levels that lie there already, that a property draws, that are made
    of several files, and of those that are baked while a test has changed the code.
    """
    asset, recipe, kept = source.with_suffix(".h5"), recipe or LevelRecipe(), None
    shared = USUAL and not (asset.exists() or currently_in_test_context()) and untouched()
    if shared and source.is_file():
        kept = drawn() / stored.digest([repr(recipe), source.name, source])
        data = kept.read_bytes() if kept.exists() else b""
        if data[:32] == hashlib.sha256(data[32:]).digest():
            return put(asset, data[32:])
    bake_anew(source, recipe)
    if kept and len(read_header(asset).sources) == 1:
        data = asset.read_bytes()
        put(kept, hashlib.sha256(data).digest() + data)
    return asset


def bake_anew(source: Path, recipe: LevelRecipe | None = None, threads: int = 1) -> Path:
    """Bake a level beside its source whatever was baked before, for tests of how that is done."""
    task = Task(source, source.with_suffix(".h5"), recipe or LevelRecipe())
    bake_level(task, threads, lambda stage, done: None)
    return task.asset


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
