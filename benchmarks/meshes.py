"""Compare cells and navigation meshes: size, bake time, straight paths, and point location."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from bake.baking.level import BakedLevel, bake_level
from bake.baking.sources import Task
from bake.core.level import Division, MeshNodes
from bake.play import LevelAsset, Navigator, open_asset
from bake.project.recipe.rules import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.levels import level_file
from benchmarks.section import Section
from levelbake.places import Cell

FULL = ("arena", "den312d", "den520d", "brc202d")
QUICK = ("arena",)
#: Divisions: the label in the table, and the value in the recipe.
WAYS: tuple[tuple[str, Division, MeshNodes], ...] = (
    ("cells, 8 neighbours", "cells", "centre"),
    ("mesh, centres", "mesh", "centre"),
    ("mesh, edges", "mesh", "edge"),
    ("mesh, portals", "mesh", "portal"),
)
PAIRS = 100

Point = tuple[float, float]


def run(bench: Bench, section: Section) -> None:
    """Bake each level with every division, and compare paths with the shortest in the plane."""
    section.text(
        f"Path lengths are means over {PAIRS} random pairs of cells, as multiples of the shortest "
        "path in the plane (Polyanya on the mesh). *Graph*: the path along arcs, from node to "
        "node; *string*: `straight_path` between the points themselves. *Point*: microseconds to "
        "find the place of a random point."
    )
    for name in bench.choose(section, FULL, QUICK):
        bench.tell(f"{name}: {len(WAYS)} divisions")
        rows = _rows(level_file(name), bench.scratch / "meshes")
        section.table(
            (name, "nodes", "arcs", "bytes", "bake s", "graph", "string", "point µs"), rows
        )


def _rows(source: Path, folder: Path) -> list[tuple[str, ...]]:
    folder.mkdir(parents=True, exist_ok=True)
    assets: dict[str, tuple[Path, BakedLevel, float]] = {}
    for what, division, nodes in WAYS:
        asset = folder / f"{source.stem}-{len(assets)}.h5"
        recipe = LevelRecipe(division=division, mesh_nodes=nodes)
        begun = time.perf_counter()
        baked = bake_level(Task(source, asset, recipe), 2, lambda stage, done: None)
        assets[what] = asset, baked, time.perf_counter() - begun
    with open_asset(assets["mesh, edges"][0]) as level:
        points = _points(assets["cells, 8 neighbours"][0])
        truth = [_length(level.profile().plane.straight_path(a, b, "polyanya")) for a, b in points]
    rows: list[tuple[str, ...]] = []
    for what, (asset, baked, seconds) in assets.items():
        with open_asset(asset) as level:
            graph, string = _stretch(level, points, truth)
            rows.append(
                (
                    what,
                    f"{baked.nodes:,}",
                    f"{baked.arcs:,}",
                    f"{baked.bytes:,}",
                    f"{seconds:.2f}",
                    f"{graph:.3f}",
                    "" if string is None else f"{string:.3f}",
                    f"{_microseconds(level, points):.1f}",
                )
            )
    return rows


def _points(asset: Path) -> list[tuple[Point, Point]]:
    """Return pairs of centers of cells in the largest component."""
    rng = np.random.default_rng(1)
    with open_asset(asset) as level:
        tables = level._columns()
        component = tables.component_of_row
        largest = np.flatnonzero(component == np.bincount(component).argmax())
        cells = tables.version.cell_of_row[rng.choice(largest, (PAIRS, 2))]
    middles = (cells + 0.5).tolist()
    return [((a[0], a[1]), (b[0], b[1])) for a, b in middles if a != b]


def _length(path: Sequence[Sequence[float]] | None) -> float:
    assert path is not None, "both points lie in one component"
    return sum(math.dist(a, b) for a, b in pairwise(path))


def _stretch(
    level: LevelAsset, points: list[tuple[Point, Point]], truth: list[float]
) -> tuple[float, float | None]:
    """Return the ratios of path length to shortest length, along arcs and as straight paths."""
    nav = level.profile()
    if level.is_grid:
        cells = [[cast("Cell", level.to_cell(each)) for each in pair] for pair in points]
        graph = [nav.distance(*pair) for pair in cells]
        return _mean(graph, truth), None
    graph, strings = [], []
    for a, b in points:
        start, goal = nav.plane.place_at(a), nav.plane.place_at(b)
        assert start is not None
        assert goal is not None
        ends = math.dist(a, level.to_point(start)), math.dist(level.to_point(goal), b)
        graph.append(math.dist(a, b) if start == goal else nav.distance(start, goal) + sum(ends))
        strings.append(_length(nav.plane.straight_path(a, b)))
    short = [one / best for one, best in zip(strings, truth, strict=True)]
    assert min(short) > 1 - 1e-9, "a string is shorter than the shortest path"
    return _mean(graph, truth), _mean(strings, truth)


def _mean(lengths: list[float], truth: list[float]) -> float:
    return float(np.mean(np.array(lengths) / np.array(truth)))


def _microseconds(level: LevelAsset, points: list[tuple[Point, Point]]) -> float:
    nav: Navigator = level.profile()
    find: Callable[[Point], object] = level.to_cell if level.is_grid else nav.plane.place_at
    everywhere = [point for pair in points for point in pair]
    find(everywhere[0])
    begun = time.perf_counter()
    for point in everywhere:
        find(point)
    return (time.perf_counter() - begun) / len(everywhere) * 1e6
