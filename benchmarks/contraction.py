"""A customizable contraction hierarchy and distance labels: what they take and how they answer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.arrays import Int32Array
from bake.graph import INFINITY, Subgraph
from bake.search.contraction.labels import Labels, distance_labels, label_distances
from bake.search.contraction.metric import Prices, Weights, customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.query import distance, path, room_for, ways_of
from bake.search.contraction.tree import Tree, elimination_tree
from bake.search.contraction.update import lower_arcs, reprice
from bake.tables.labels import stored_labels
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.ground import Ground, ground_of
from benchmarks.section import Section

FULL = ("arena", "lak303d", "den520d", "brc202d", "orz900d", "maze512-4-0")
QUICK = ("arena", "lak303d")
ROUNDS = 3
QUERIES = 2_000
EDITS = 200

#: Sources whose distances to all nodes are compared with scipy's, and paths that are walked.
CHECKED = 4


def run(bench: Bench, section: Section) -> None:
    """Measure every map."""
    names = bench.choose(section, FULL, QUICK)
    section.text(
        "One thread, square grids. *Order*, *contract* and *customize* make the hierarchy from the "
        f"graph alone. *Distance* and *path* are medians of {QUERIES:,} random pairs, called one "
        "by one from Python; *edit* closes all arcs of a random cell, then opens them again: "
        f"median and 95th percentile for {EDITS} cells, after which weights equal those of "
        "customizing everything. *Label* is a distance by labels, many in one call. Distances were "
        "compared with scipy's, and paths were walked."
    )
    rows = []
    for name in names:
        bench.tell(name)
        rows.append(_measure(ground_of(name)))
    section.table(
        (
            *("map", "nodes", "arcs a node", "order ms", "contract ms", "customize ms"),
            *("distance µs", "path µs", "edit ms", "95 %", "labels ms", "label ns", "bytes a node"),
        ),
        rows,
    )


@dataclass(frozen=True)
class Made:
    """A map's hierarchy and labels, and the seconds each step took."""

    tree: Tree
    prices: Prices
    weights: Weights
    labels: Labels
    seconds: tuple[float, float, float, float]


def _make(ground: Ground) -> Made:
    sub, clock = ground.sub, time.perf_counter
    times = [clock()]
    order = dissection_order(sub.graph, ground.cell)
    times.append(clock())
    tree = elimination_tree(sub.graph, order, most_arcs=10**9)
    assert tree is not None
    times.append(clock())
    prices = price_arcs(tree, sub.graph, sub.weight, two_way=True)
    weights = customize(tree, prices)
    times.append(clock())
    labels = distance_labels(tree, weights)
    times.append(clock())
    one, two, three, four = np.diff(times).tolist()
    return Made(tree, prices, weights, labels, (one, two, three, four))


def _measure(ground: Ground) -> tuple[str, ...]:
    _make(ground)  # compiles
    each = [_make(ground) for _ in range(ROUNDS)]
    made, n = each[0], ground.nodes
    spent = [median(times) * 1e3 for times in zip(*(one.seconds for one in each), strict=True)]
    rng = np.random.default_rng(n)
    starts, goals = rng.integers(n, size=(2, QUERIES)).astype(np.int32)
    _check(ground, made.tree.rank, made.labels)
    single, whole = _queries(ground.sub, made, starts, goals)
    label = _label_seconds(made, np.tile(starts, 100), np.tile(goals, 100))
    edits = np.array(_edits(ground.sub, made.tree, made.prices, made.weights, rng)) * 1e3
    stored = stored_labels(ground.sub, ground.cell, two_way=True, budget=2**33)
    assert stored is not None
    return (
        *(ground.name, f"{n:,}", f"{made.tree.arc_count / n:.1f}"),
        *(f"{time:.0f}" for time in spent[:3]),
        *(f"{median(times) * 1e6:.1f}" for times in (single, whole)),
        *(f"{np.percentile(edits, share):.3f}" for share in (50, 95)),
        *(f"{spent[3]:.0f}", f"{label * 1e9:.0f}", f"{stored.size / n:.0f}"),
    )


def _queries(
    sub: Subgraph, made: Made, starts: Int32Array, goals: Int32Array
) -> tuple[list[float], list[float]]:
    """Seconds of single distances and paths."""
    tree = made.tree
    ways = ways_of(tree, made.weights)
    room, ranks = room_for(ways), np.empty(len(tree.order), dtype=np.int32)
    ticks = np.empty(len(starts), dtype=np.int64)
    label_distances(made.labels, tree.rank[starts], tree.rank[goals], ticks)
    single, whole = [], []
    distance(*ways, room.climb, 0, 0)  # compiles
    path(*ways, *room, ranks, 0, 0)
    ends = zip(tree.rank[starts].tolist(), tree.rank[goals].tolist(), strict=True)
    for turn, (start, goal) in enumerate(ends):
        begun = time.perf_counter()
        found = distance(*ways, room.climb, start, goal)
        between = time.perf_counter()
        count = path(*ways, *room, ranks, start, goal)
        whole.append(time.perf_counter() - between)
        single.append(between - begun)
        assert found == ticks[turn], "labels and the hierarchy tell different distances"
        if turn < 100 and count:
            walked = _walked(sub, tree.order[ranks[:count]])
            assert walked == found, "a path is not as long as its distance"
    return single, whole


def _label_seconds(made: Made, starts: Int32Array, goals: Int32Array) -> float:
    """Seconds of one distance by labels."""
    ticks, rank = np.empty(len(starts), dtype=np.int64), made.tree.rank
    each = [
        seconds(lambda: label_distances(made.labels, rank[starts], rank[goals], ticks))
        for _ in range(ROUNDS)
    ]
    return median(each) / len(ticks)


def _walked(sub: Subgraph, nodes: Int32Array) -> int:
    total = 0
    first, head, weight = sub.graph.first_out, sub.graph.head, sub.weight
    for a, b in zip(nodes[:-1].tolist(), nodes[1:].tolist(), strict=True):
        arcs = slice(first[a], first[a + 1])
        total += int(weight[arcs][head[arcs] == b].min())
    return total


def _check(ground: Ground, rank: Int32Array, labels: Labels) -> None:
    """Compare distances from a few nodes to all with scipy's."""
    n = ground.nodes
    goals, ticks = np.arange(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    for source in ground.sample(CHECKED, 1).tolist():
        label_distances(labels, rank[np.full(n, source)], rank[goals], ticks)
        truth = dijkstra(ground.matrix, indices=source)
        reached = np.isfinite(truth)
        assert (ticks[reached] == truth[reached]).all(), f"{ground.name}: a distance is wrong"
        assert (ticks[~reached] >= INFINITY).all(), f"{ground.name}: a way that is not there"


def _edits(
    sub: Subgraph, tree: Tree, prices: Prices, weights: Weights, rng: np.random.Generator
) -> list[float]:
    """Close and open the arcs of random cells; return the seconds each of the two takes."""
    lower, spent = lower_arcs(tree), []
    graph = sub.graph
    for turn, node in enumerate(rng.integers(graph.node_count, size=EDITS + 1).tolist()):
        arcs = slice(graph.first_out[node], graph.first_out[node + 1])
        near, weight = graph.head[arcs], sub.weight[arcs]
        here = np.full(len(near), node, dtype=np.int32)
        tail, head = np.concatenate([here, near]), np.concatenate([near, here])
        for ticks in (np.full(2 * len(near), INFINITY, dtype=np.int32), np.tile(weight, 2)):
            begun = time.perf_counter()
            changed = reprice(tree, lower, prices, weights, tail, head, ticks, True)
            if turn:  # the first one compiles
                spent.append(time.perf_counter() - begun)
            assert changed >= 0
    same = (weights.up == customize(tree, prices).up).all()
    assert same, "weights after edits differ from those of customizing anew"
    return spent
