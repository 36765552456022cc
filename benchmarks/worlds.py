"""Compare all divisions of one level: nodes, arcs, bytes, bake time, path lengths, point location.

The truth is the shortest way in the plane, as `nav.distance` tells it over points of visibility;
the tests hold it against Polyanya, and against GEOS and scipy.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from bake.baking.level import agent_profiles, bake_level, read_drawn
from bake.baking.sources import Task
from bake.core.level import GraphLevel
from bake.geometry import GRID, geometry_of, walkable
from bake.play import LevelAsset, Navigator, open_asset
from bake.project.recipe import load_recipe
from bake.search.plane.sight import Outline, holds, sees
from bake.store import Asset
from bake.worlds.division import kinds_of
from bake.worlds.visibility import outline_of
from benchmarks.bench import Bench, Skip
from benchmarks.clock import seconds
from benchmarks.levels import level_file
from benchmarks.section import Section

DIVISIONS = {
    "cells": 'division = "cells"',
    "mesh, centres": 'division = "mesh"',
    "mesh, edges": 'division = "mesh"\n[mesh]\nnodes = "edge"',
    "mesh, portals": 'division = "mesh"\n[mesh]\nnodes = "portal"',
    "visibility": 'division = "visibility"',
    "Dirichlet": 'division = "dirichlet"',
}
RECIPE = 'tables = ["components", "next_hops", "distances"]\n{division}\n'
PAIRS, ASKED = 200, 20_000

Point = tuple[float, float]


def run(bench: Bench, section: Section) -> None:
    """Measure each division of a map, and point location among 240,000 places."""
    source = level_file("arena" if bench.quick else "den520d")
    if not source.exists():
        raise Skip(f"{source.name} is not here")
    section.text(
        f"`{source.stem}` divided in every way, with next hops and distances. *Longer* is by how "
        f"much a path between the nodes nearest to {PAIRS} random pairs of points is longer than "
        "the shortest way in the plane, with the straight ways to and from these nodes, where they "
        "see them; nothing is pulled straight. *Nearest* is one `nav.nearest`, and one of many in "
        "a call."
    )
    baked = {name: _baked(bench, source, name) for name in DIVISIONS}
    outline = _outline(source)
    pairs = _pairs(outline, np.random.default_rng(7))
    with open_asset(baked["visibility"][0]) as level:
        nav = level.profile()
        truth = [_truth(nav, outline, *pair) for pair in pairs]
        joined = _from_point_to_point(nav, pairs)
    rows = []
    for name, (asset, took) in baked.items():
        bench.tell(name)
        with open_asset(asset) as level:
            longer = _longer(level, pairs, truth, outline)
            one, many = _nearest(level.profile(), pairs)
        with Asset(asset) as stored:
            nodes = stored.graph.place.size
            counts = f"{nodes:,}", f"{stored.shape('/head')[0]:,}"
        size = f"{asset.stat().st_size:,}"
        rows.append(
            (name, *counts, size, f"{took:.2f}", f"{longer:.2f}", f"{one:.2f}", f"{many:.2f}")
        )
    section.table(
        ("division", "nodes", "arcs", "bytes", "bake s", "longer %", "nearest µs", "of many µs"),
        rows,
    )
    section.text(
        f"Over points of visibility `nav.path` from point to point is the truth: {joined:,.0f} µs, "
        "in which both ends are joined to the corners that they see."
    )
    one, many = _among_many(bench)
    section.text(
        f"Among 240,000 nodes of a graph that lie anywhere: {one:.2f} µs, and {many:.2f} µs each "
        "of many in a call."
    )
    section.at_most("nearest of 240,000 places", one, 5, "µs")


def _baked(bench: Bench, source: Path, name: str) -> tuple[Path, float]:
    folder = bench.scratch / "worlds" / name.replace(", ", "-")
    folder.mkdir(parents=True)
    file = folder / "bake.toml"
    file.write_text(RECIPE.format(division=DIVISIONS[name]), encoding="utf-8")
    recipe = load_recipe(file).for_level(source.stem)
    task = Task(source, folder / f"{source.stem}.h5", recipe)
    bake_level(task, 1, _silent)  # compiles what it needs
    return task.asset, seconds(lambda: bake_level(task, 1, _silent))


def _silent(stage: str, done: float) -> None:
    pass


def _outline(source: Path) -> Outline:
    recipe = load_recipe(None).for_level(source.stem)
    level = read_drawn(Task(source, source, recipe))
    assert not isinstance(level, GraphLevel)
    geometry = geometry_of(level)
    (kind,) = kinds_of(geometry, agent_profiles(level, recipe), apart=True)
    return outline_of(walkable(geometry.floors[0], kind.terrains))


def _pairs(outline: Outline, rng: np.random.Generator) -> list[tuple[Point, Point]]:
    """Draw pairs of points of the area, on its grid."""
    low = np.array([outline.x.min(), outline.y.min()])
    high = np.array([outline.x.max(), outline.y.max()])

    def draw_pair() -> Point:
        while True:
            x, y = rng.integers(low, high).tolist()
            if holds(outline, x, y):
                return x / GRID, y / GRID

    return [(draw_pair(), draw_pair()) for _ in range(PAIRS)]


def _truth(nav: Navigator, outline: Outline, start: Point, goal: Point) -> float:
    """Return the length of the shortest path in the plane; inf if there is no path."""
    told = nav.distance(start, goal)
    straight = sees(outline, *(round(axis * GRID) for axis in (*start, *goal)))
    assert not straight or abs(told - math.dist(start, goal)) < 1e-6
    return told


def _from_point_to_point(nav: Navigator, pairs: list[tuple[Point, Point]]) -> float:
    """Return the microseconds of one path over points of visibility, including joining its ends."""
    for pair in pairs:
        nav.path(*pair)
    begun = time.perf_counter()
    for pair in pairs:
        nav.path(*pair)
    return (time.perf_counter() - begun) / len(pairs) * 1e6


def _longer(
    level: LevelAsset,
    pairs: list[tuple[Point, Point]],
    truth: list[float],
    outline: Outline,
) -> float:
    """Return the percentage by which paths over nodes are longer than shortest paths, in total."""
    nav = level.profile()
    ours, best = 0.0, 0.0
    for (start, goal), shortest in zip(pairs, truth, strict=True):
        ends = [nav.nearest(point) for point in (start, goal)]
        where = [level.to_point(end) for end in ends]
        clear = all(
            sees(outline, *(round(axis * GRID) for axis in (*point, *node)))
            for point, node in zip((start, goal), where, strict=True)
        )
        between = nav.distance(*ends)
        if math.isinf(shortest) or math.isinf(between) or not clear:
            continue
        walked = math.dist(start, where[0]) + between + math.dist(where[1], goal)
        assert walked >= shortest - 1e-3, f"{walked} from {start} to {goal} beats {shortest}"
        ours, best = ours + walked, best + shortest
    return 100 * (ours / best - 1)


def _nearest(nav: Navigator, pairs: list[tuple[Point, Point]]) -> tuple[float, float]:
    points = [point for pair in pairs for point in pair]
    return _timed(nav, points * (ASKED // len(points)))


def _timed(nav: Navigator, points: list[Point]) -> tuple[float, float]:
    """Return the microseconds of a single query, and of a query in a batch."""
    array = np.array(points)
    singles = [nav.nearest(point) for point in points]
    assert nav.nearest(array).tolist() == [
        list(each) if isinstance(each, tuple) else each for each in singles
    ]
    begun = time.perf_counter()
    for point in points:
        nav.nearest(point)
    one = time.perf_counter() - begun
    return one / len(points) * 1e6, seconds(lambda: nav.nearest(array)) / len(points) * 1e6


def _among_many(bench: Bench) -> tuple[float, float]:
    rng = np.random.default_rng(3)
    position = rng.uniform(0, 1000, (240_000, 2))
    nodes = [{"id": at, "x": x, "y": y} for at, (x, y) in enumerate(position.tolist())]
    source = bench.scratch / "worlds" / "anywhere.json"
    source.write_text(json.dumps({"nodes": nodes, "edges": [{"source": 0, "target": 1}]}))
    recipe = load_recipe(None).for_level("anywhere")
    task = Task(source, source.with_suffix(".h5"), replace(recipe, tables=("components",)))
    bake_level(task, 1, _silent)
    asked = rng.uniform(0, 1000, (ASKED, 2))
    with open_asset(task.asset) as level:
        nav = level.profile()
        for x, y in asked[:50].tolist():
            away = ((position - (x, y)) ** 2).sum(axis=1)
            assert nav.nearest((x, y)) == int(away.argmin())
        return _timed(nav, [(x, y) for x, y in asked.tolist()])
