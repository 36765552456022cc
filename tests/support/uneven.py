"""Levels whose ground costs differ, drawn by a seed, and how much longer their paths are.

Tests and benchmarks share them. Python's own generator draws, so they are the same everywhere.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.core.arrays import Float64Array, Int32Array
from bake.interop import to_scipy
from bake.play import Navigator

#: Units that a step over each cell costs, 0 for walls; by row and column.
Costs = list[list[float]]

LETTERS = "abcdefghijklmnopqrst"


def write_costs(path: Path, costs: Costs) -> Path:
    """Write a tile file with a terrain for each cost."""
    different = sorted({cost for row in costs for cost in row if cost})
    letter = dict(zip(different, LETTERS[: len(different)], strict=True))
    terrains: dict[str, object] = {each: cost for cost, each in letter.items()}
    document = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {**terrains, "wall": "blocked"},
        "legend": {**{each: each for each in letter.values()}, "#": "wall"},
        "rows": ["".join(letter.get(cost, "#") for cost in row) for row in costs],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def hills(rng: random.Random, size: int, wide: int) -> Costs:
    """Draw smooth noise from 0 to 1, with features of several sizes, the widest so wide."""
    total = [[0.0] * size for _ in range(size)]
    share = 1.0
    while wide >= 2:
        corners = size // wide + 2
        height = [[rng.random() for _ in range(corners)] for _ in range(corners)]
        for y in range(size):
            j, v = divmod(y, wide)
            v = (v / wide) ** 2 * (3 - 2 * v / wide)
            for x in range(size):
                i, u = divmod(x, wide)
                u = (u / wide) ** 2 * (3 - 2 * u / wide)
                above = height[j][i] * (1 - u) + height[j][i + 1] * u
                below = height[j + 1][i] * (1 - u) + height[j + 1][i + 1] * u
                total[y][x] += share * (above * (1 - v) + below * v)
        wide, share = wide // 2, share / 2
    low, high = min(map(min, total)), max(map(max, total))
    return [[(each - low) / (high - low) for each in row] for row in total]


def patches(seed: int, size: int, cost: float, *, share: float = 0.4, wide: int = 12) -> Costs:
    """Draw ground of cost 1 with dearer patches that cover such a share of it."""
    height = hills(random.Random(seed), size, wide)
    limit = sorted(each for row in height for each in row)[int((1 - share) * size * size)]
    return [[cost if each >= limit else 1.0 for each in row] for row in height]


def roads(seed: int, size: int, road: float, bog: float, *, walls: float = 0.0) -> Costs:
    """Draw patches of bog, if it costs more than 1, single walls, and eight winding roads."""
    costs = patches(seed, size, bog, share=0.3, wide=16)
    rng = random.Random(seed)
    for row in costs:
        row[:] = [0.0 if rng.random() < walls else each for each in row]
    for _ in range(8):
        x, y, way = rng.random() * size, rng.random() * size, rng.random() * math.tau
        for _ in range(3 * size):
            way += rng.gauss(0, 0.35)
            x, y = x + math.cos(way), y + math.sin(way)
            if not (0 <= x < size and 0 <= y < size):
                break
            costs[int(y)][int(x)] = road
    return costs


def specks(seed: int, size: int, cost: float) -> Costs:
    """Draw single cells of dearer ground, a third of all, and a few walls."""
    rng = random.Random(seed)
    drawn = rng.choices((1.0, cost, 0.0), (0.65, 0.3, 0.05), k=size * size)
    return [drawn[begin : begin + size] for begin in range(0, size * size, size)]


def slopes(seed: int, size: int, most: float) -> Costs:
    """Draw ground of twelve costs that rise smoothly from 1 to the most, by equal factors."""
    height = hills(random.Random(seed), size, 24)
    steps = [round(most ** (step / 11), 3) for step in range(12)]
    return [[steps[min(11, int(12 * each))] for each in row] for row in height]


#: Draws a level of a size by a seed; and cells along one side of a cluster.
DRAWN: dict[str, tuple[Callable[[int, int], Costs], int]] = {
    "road 0.25": (lambda seed, size: roads(seed, size, 0.25, 1), 32),
    "road 0.25, clusters of 16": (lambda seed, size: roads(seed, size, 0.25, 1), 16),
    "road 0.5, bog 3": (lambda seed, size: roads(seed, size, 0.5, 3), 32),
    "road 0.5, bog 3, walls": (lambda seed, size: roads(seed, size, 0.5, 3, walls=0.1), 32),
    "road 0.1, bog 10": (lambda seed, size: roads(seed, size, 0.1, 10), 32),
    "bog 3": (lambda seed, size: patches(seed, size, 3), 32),
    "bog 10": (lambda seed, size: patches(seed, size, 10), 32),
    "mud 3, clusters of 16": (lambda seed, size: patches(seed, size, 3), 16),
    "mud 3, clusters of 8": (lambda seed, size: patches(seed, size, 3, wide=8), 8),
    "mud 5, clusters of 4": (lambda seed, size: patches(seed, size, 5), 4),
    "specks of 3": (lambda seed, size: specks(seed, size, 3), 32),
    "specks of 3, clusters of 8": (lambda seed, size: specks(seed, size, 3), 8),
    "slopes to 4": (lambda seed, size: slopes(seed, size, 4), 32),
    "slopes to 20": (lambda seed, size: slopes(seed, size, 20), 32),
}


def random_pairs(
    nav: Navigator, seed: int, starts: int, goals: int
) -> tuple[Int32Array, Int32Array, Float64Array]:
    """Draw rows that paths lead between, and the ticks of shortest paths, by scipy."""
    space, rng = nav._now.searches.space, random.Random(seed)
    rows = range(space.graph.node_count)
    begin = rng.sample(rows, starts)
    far = dijkstra(to_scipy(space.graph, space.weight).astype(float), indices=begin)
    pairs = [
        (start, goal, far[i, goal])
        for i, start in enumerate(begin)
        for goal in rng.sample(rows, goals)
        if 0 < far[i, goal] < math.inf
    ]
    ends = np.array([pair[:2] for pair in pairs], dtype=np.int32).T
    return *np.ascontiguousarray(ends), np.array([pair[2] for pair in pairs])


def excess(
    nav: Navigator, starts: Int32Array, goals: Int32Array, best: Float64Array
) -> Float64Array:
    """Check paths by HPA* step by step; return how much longer they are, as shares of the best."""
    space = nav._now.searches.space
    first, rows = nav._now.searches.hierarchy.many(starts, goals)
    assert (rows[first[:-1]] == starts).all()
    assert (rows[first[1:] - 1] == goals).all()
    price: dict[tuple[int, int], int] = {}
    arcs = zip(space.graph.tail().tolist(), space.graph.head.tolist(), strict=True)
    for arc, ticks in zip(arcs, space.weight.tolist(), strict=True):
        price[arc] = min(ticks, price.get(arc, ticks))
    # The step from one path to the next is none.
    steps = [price.get(arc, 0) for arc in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True)]
    within = np.ones(len(steps), dtype=np.bool_)
    within[first[1:-1] - 1] = False
    taken = np.array(steps)
    assert (taken[within] > 0).all()
    so_far = np.concatenate([[0], np.cumsum(np.where(within, taken, 0))])
    ticks = so_far[first[1:] - 1] - so_far[first[:-1]]
    assert (ticks >= best).all()
    return ticks / best - 1
