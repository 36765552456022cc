"""Benchmark contraction hierarchies and distance labels: build time, memory and queries."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY, Subgraph
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.labels import Labels, distance_labels, label_distances
from bake.search.contraction.metric import Prices, Weights, customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.query import allocate_chains, build_query_tree, clear_chains, distances
from bake.search.contraction.tree import Tree, elimination_tree
from bake.search.contraction.update import lower_arcs, reprice
from bake.search.live.baked_hops import no_hops
from bake.search.live.graph import Adjacency
from bake.search.live.next_hops import NextHops
from bake.tables.labels import stored_labels
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.contraction_peer import Edit, ask
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
    rows, beside = [], []
    for name in names:
        bench.tell(name)
        measured = _measure(ground_of(name))
        rows.append(measured.row())
        if bench.peer is not None:
            bench.tell(f"{name} by {bench.peer}")
            beside += [measured.beside(), _by_peer(bench.peer, measured)]
    section.table(
        (
            *("map", "nodes", "arcs a node", "order ms", "contract ms", "customize ms"),
            *("distance µs", "path µs", "edit ms", "95 %", "labels ms", "label ns", "bytes a node"),
        ),
        rows,
    )
    if beside:
        section.text(
            "The same graphs, pairs and edits, given to another program: distances are equal, also "
            f"while arcs are closed, and so is what its paths cost. Medians of {QUERIES:,} pairs "
            f"and {EDITS} cells."
        )
        columns = ("distance µs", "path µs", "edit ms", "95 %")
        steps = ("order ms", "contract ms", "customize ms", "arcs a node")
        section.table(("map", "by", *steps, *columns), beside)


@dataclass(frozen=True)
class Measured:
    """The results of one map; times are in seconds."""

    ground: Ground
    made: Made
    pairs: list[tuple[int, int]]
    ticks: Int64Array
    single: list[float]
    whole: list[float]
    label: float
    bytes_a_node: float
    edits: list[Edit]
    edited: list[float]
    closed_ticks: list[int]

    def row(self) -> tuple[str, ...]:
        """Return the map's row of the table."""
        return (
            *(self.ground.name, f"{self.ground.nodes:,}"),
            f"{self.made.tree.arc_count / self.ground.nodes:.1f}",
            *(f"{time * 1e3:.0f}" for time in self.made.seconds[:3]),
            *(f"{median(times) * 1e6:.1f}" for times in (self.single, self.whole)),
            *(f"{np.percentile(self.edited, share) * 1e3:.3f}" for share in (50, 95)),
            *(f"{self.made.seconds[3] * 1e3:.0f}", f"{self.label * 1e9:.0f}"),
            f"{self.bytes_a_node:.0f}",
        )

    def beside(self) -> tuple[str, ...]:
        """Return the map's row for the comparison with another program."""
        arcs, times = self.made.tree.arc_count, self.made.seconds[:3]
        return _compared(self.ground, "bake", times, arcs, self.single, self.whole, self.edited)


def _compared(
    ground: Ground,
    who: str,
    made: tuple[float, ...],
    arcs: int,
    single: list[float],
    whole: list[float],
    edited: list[float],
) -> tuple[str, ...]:
    return (
        *(ground.name, who, *(f"{time * 1e3:.0f}" for time in made), f"{arcs / ground.nodes:.1f}"),
        *(f"{median(times) * 1e6:.1f}" for times in (single, whole)),
        *(f"{np.percentile(edited, share) * 1e3:.3f}" for share in (50, 95)),
    )


def _by_peer(program: str, own: Measured) -> tuple[str, ...]:
    """Run another program on the same queries, and compare its answers."""
    told = ask(program, own.ground, own.pairs, own.edits)
    wanted = np.where(own.ticks >= INFINITY, -1, own.ticks).tolist()
    assert told.ticks == wanted, f"{own.ground.name}: {program} tells other distances"
    assert told.closed_ticks == own.closed_ticks, f"{own.ground.name}: other ones after an edit"
    for ticks, nodes in zip(told.ticks[:100], told.nodes[:100], strict=True):
        assert ticks < 0 or _walked(own.ground.sub, nodes) == ticks, f"{program}: a path"
    times = told.closing + told.opening
    who = Path(shlex.split(program)[0]).name
    return _compared(own.ground, who, told.made, told.arc_count, told.distance, told.path, times)


@dataclass(frozen=True)
class Made:
    """Return a map's hierarchy and labels, and the seconds of each step."""

    tree: Tree
    prices: Prices
    weights: Weights
    labels: Labels
    seconds: tuple[float, float, float, float]


@dataclass(frozen=True)
class Contracted:
    """Return a map's hierarchy, and the seconds of ordering, contracting and customizing."""

    tree: Tree
    prices: Prices
    weights: Weights
    seconds: tuple[float, float, float]


def contract(ground: Ground) -> Contracted:
    """Build a map's hierarchy from its graph alone."""
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
    one, two, three = np.diff(times).tolist()
    return Contracted(tree, prices, weights, (one, two, three))


def _make(ground: Ground) -> Made:
    made = contract(ground)
    begun = time.perf_counter()
    labels = distance_labels(made.tree, made.weights)
    spent = time.perf_counter() - begun
    return Made(made.tree, made.prices, made.weights, labels, (*made.seconds, spent))


def _measure(ground: Ground) -> Measured:
    _make(ground)  # compiles
    each = [_make(ground) for _ in range(ROUNDS)]
    n = ground.nodes
    one, two, three, four = (median(t) for t in zip(*(one.seconds for one in each), strict=True))
    made = replace(each[0], seconds=(one, two, three, four))
    rng = np.random.default_rng(n)
    starts, goals = rng.integers(n, size=(2, QUERIES)).astype(np.int32)
    _check(ground, made.tree.rank, made.labels)
    ticks, single, whole = _queries(ground.sub, made, starts, goals)
    label = _label_seconds(made, np.tile(starts, 100), np.tile(goals, 100))
    pairs = list(zip(starts.tolist(), goals.tolist(), strict=True))
    drawn = rng.integers(n, size=EDITS).tolist()
    edits = [_edit(ground.sub, node, pair) for node, pair in zip(drawn, pairs, strict=False)]
    edited, closed_ticks = _edits(ground.sub, made, edits)
    stored = stored_labels(ground.sub, ground.cell, two_way=True, budget=2**33)
    assert stored is not None
    return Measured(
        *(ground, made, pairs, ticks, single, whole, label, stored.size / n),
        *(edits, edited, closed_ticks),
    )


def query_engine(sub: Subgraph, made: Made | Contracted) -> NextHops:
    """Return an object that answers queries with a hierarchy, without any asset."""
    hierarchy = ContractionHierarchy(made.tree, made.prices)
    none = np.zeros(len(sub.weight), dtype=np.int32)
    hops = NextHops(hierarchy, Adjacency.of(sub.graph, sub.weight, none), no_hops())
    hierarchy.distance(0, 0)  # compiles
    hops.paths(none[:1], none[:1])
    return hops


def _queries(
    sub: Subgraph, made: Made, starts: Int32Array, goals: Int32Array
) -> tuple[Int64Array, list[float], list[float]]:
    """Return ticks, and seconds of single distances and paths, each the first to its goal."""
    hops, rank = query_engine(sub, made), made.tree.rank
    ticks = np.empty(len(starts), dtype=np.int64)
    label_distances(made.labels, rank[starts], rank[goals], ticks)
    single, whole = [], []
    for turn, (start, goal) in enumerate(zip(starts.tolist(), goals.tolist(), strict=True)):
        clear_chains(hops.hierarchy.chains)
        begun = time.perf_counter()
        found = hops.hierarchy.distance(start, goal)
        single.append(time.perf_counter() - begun)
        clear_chains(hops.hierarchy.chains)
        begun = time.perf_counter()
        _, nodes = hops.paths(starts[turn : turn + 1], goals[turn : turn + 1])
        whole.append(time.perf_counter() - begun)
        assert found == ticks[turn], "labels and the hierarchy tell different distances"
        if turn < 100 and len(nodes):
            assert _walked(sub, nodes) == found, "a path is not as long as its distance"
    return ticks, single, whole


def _label_seconds(made: Made, starts: Int32Array, goals: Int32Array) -> float:
    """Return the seconds of one distance query with labels."""
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


def _edit(sub: Subgraph, node: int, pair: tuple[int, int]) -> Edit:
    """Return all arcs from and to a node."""
    graph = sub.graph
    out = np.arange(graph.first_out[node], graph.first_out[node + 1], dtype=np.int64)
    return Edit(pair, np.concatenate([out, np.flatnonzero(graph.head == node)]))


def _edits(sub: Subgraph, made: Made, edits: list[Edit]) -> tuple[list[float], list[int]]:
    """Close and open arcs; return the seconds of each, and the ticks between while closed."""
    tree, prices, weights = made.tree, made.prices, made.weights
    lower, spent, between = lower_arcs(tree), [], []
    query, tails = build_query_tree(tree, weights), sub.graph.tail()
    chains = allocate_chains(query)
    for turn, edit in enumerate([edits[0], *edits]):
        tail, head, weight = tails[edit.arcs], sub.graph.head[edit.arcs], sub.weight[edit.arcs]
        for ticks in (np.full(len(tail), INFINITY, dtype=np.int32), weight):
            begun = time.perf_counter()
            changed = reprice(tree, lower, prices, weights, tail, head, ticks, True)
            if turn:  # the first one compiles
                spent.append(time.perf_counter() - begun)
            assert changed >= 0
            if turn and ticks is not weight:
                start, goal = tree.rank[np.array(edit.pair)].reshape(2, 1)
                found = np.empty(1, dtype=np.int64)
                clear_chains(chains)
                distances(*query, *chains, start, goal, found)
                between.append(-1 if found[0] >= INFINITY else int(found[0]))
    same = (weights.up == customize(tree, prices).up).all()
    assert same, "weights after edits differ from those of customizing anew"
    return spent, between
