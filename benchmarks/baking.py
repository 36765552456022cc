"""Bake maps in this process with a recipe that a user could write."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.play import open_asset
from bake.project.recipe import load_recipe
from benchmarks.levels import level_file, small_level

RECIPE = """\
tables = ["components", "next_hops"]
memory_budget = "{budget}"
"""


@dataclass(frozen=True)
class BakedMap:
    """A baked map.

    Attributes:
        name: of the map.
        asset: the file.
        nodes: of its graph.
        size: bytes of the file.
        seconds: from reading the map to the file in its place.
    """

    name: str
    asset: Path
    nodes: int
    size: int
    seconds: float

    @property
    def ns_per_pair(self) -> float:
        """The nanoseconds per (source, target) pair."""
        return self.seconds * 1e9 / self.nodes**2


def write_recipe(folder: Path, budget: str = "2 GiB") -> Path:
    """Return a recipe for components and next hops."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bake.toml"
    file.write_text(RECIPE.format(budget=budget), encoding="utf-8")
    return file


def bake_map(name: str, folder: Path, threads: int = 1, budget: str = "2 GiB") -> BakedMap:
    """Bake a shared map into a folder, even if its asset exists."""
    return bake_file(level_file(name), folder, threads, budget)


def bake_file(source: Path, folder: Path, threads: int = 1, budget: str = "2 GiB") -> BakedMap:
    """Bake a level file into a folder."""
    recipe = load_recipe(write_recipe(folder, budget))
    asset = folder / f"{source.stem}.h5"
    task = Task(source, asset, recipe.for_level(source.stem))
    begun = time.perf_counter()
    baked = bake_level(task, threads, lambda stage, done: None)
    seconds = time.perf_counter() - begun
    return BakedMap(source.stem, asset, baked.nodes, baked.bytes, seconds)


def warm_up(folder: Path) -> float:
    """Bake a small level and query it, so that every kernel is compiled or loaded.

    Returns:
        Seconds it took.
    """
    source = folder / "warm.map"
    source.write_text(small_level(24), encoding="utf-8")
    begun = time.perf_counter()
    with open_asset(bake_file(source, folder / "warm", threads=2).asset) as level:
        nav = level.profile()
        cells = np.array([[0, 0], [5, 0], [23, 23]])
        nav.next_hops(cells, cells[::-1])
        nav.paths(cells, cells[::-1])
        nav.path((0, 0), (23, 23))
    return time.perf_counter() - begun
