"""One next hop at a time, and ten thousand in a call, from dense and from compressed tables."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from statistics import median

import numpy as np

from bake.runtime import open_asset
from bake.runtime.navigator import Navigator
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.proof import prove_hops
from benchmarks.section import Section

PAIRS = 10_000

#: Dense tables of more pairs are not made: they take longer to write than to measure.
MOST_DENSE_PAIRS = 10**9

FULL = ("arena", "den312d", "lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("arena", "den312d", "lak303d")

#: Aims for a median lookup in microseconds, and one of a batch in nanoseconds.
SINGLE_AIM = {"dense": 1.5, "compressed": 4.0}
BATCH_AIM = {"dense": 60.0, "compressed": 100.0}
#: The aims for dense tables are about maps of this size; larger tables leave the caches.
DENSE_AIM_NODES = 3_000


def run(bench: Bench, section: Section) -> None:
    """Measure both kinds of table on every map."""
    names = bench.choose(section, FULL, QUICK)
    rounds = bench.either(15, 5)
    section.text(
        f"`nav.next_hop(a, b)` called {PAIRS:,} times with random places, each call timed alone "
        f"(the clock's own {_clock_cost():.0f} ns included), and `nav.next_hops(starts, goals)` "
        f"for {PAIRS:,} random pairs at a time; new pairs each round, medians of {rounds} rounds."
    )
    rows = []
    worst = {(kind, way): 0.0 for kind in SINGLE_AIM for way in ("single", "batch")}
    for name in names:
        ground = ground_of(name)
        dense = ground.nodes**2 <= MOST_DENSE_PAIRS
        for kind, row in _measure(bench, ground, rounds, dense=dense).items():
            percentiles, batch = row
            cells = [f"{value / 1000:.2f}" for value in percentiles]
            rows.append((name, f"{ground.nodes:,}", kind, *cells, f"{batch:.0f}"))
            if kind == "compressed" or ground.nodes <= DENSE_AIM_NODES:
                worst[kind, "single"] = max(worst[kind, "single"], percentiles[0] / 1000)
                worst[kind, "batch"] = max(worst[kind, "batch"], batch)
    section.table(
        ("map", "nodes", "table", "median µs", "p90 µs", "p99 µs", "batch ns per lookup"), rows
    )
    for kind, bound in SINGLE_AIM.items():
        of = "all maps" if kind == "compressed" else "arena, den312d"
        if worst[kind, "single"]:
            what = f"single lookup, {kind}, {of}: slowest median"
            section.at_most(what, worst[kind, "single"], bound, "µs")
            what = f"batch, {kind}, {of}: slowest median"
            section.at_most(what, worst[kind, "batch"], BATCH_AIM[kind], "ns")


def _measure(
    bench: Bench, ground: Ground, rounds: int, *, dense: bool
) -> dict[str, tuple[list[float], float]]:
    """By kind of table: percentiles of single lookups, and a batch's lookup, in nanoseconds."""
    kinds = ("dense", "compressed") if dense else ("compressed",)
    levels = {kind: open_asset(bench.baked(ground.name, kind).asset) for kind in kinds}
    try:
        navs = {kind: level.profile() for kind, level in levels.items()}
        for nav in navs.values():
            prove_hops(nav, ground, 8)
            _check_single(nav, ground)
        singles: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
        with undisturbed():
            for turn in range(rounds):
                for kind, nav in navs.items():
                    singles[kind].append(_single(nav, ground, turn))
            turns = {kind: iter(range(100, 100 + rounds)) for kind in kinds}
            batch = in_turns(
                {
                    kind: partial(_next_batch, nav, ground, turns[kind])
                    for kind, nav in navs.items()
                },
                rounds,
            )
    finally:
        for level in levels.values():
            level.close()
    return {kind: ([median(row) for row in zip(*singles[kind])], batch[kind]) for kind in kinds}  # noqa: B905


def _single(nav: Navigator, ground: Ground, seed: int) -> list[float]:
    starts, goals = (
        [tuple(cell) for cell in cells.tolist()] for cells in ground.pairs(PAIRS, seed)
    )
    clock, hop = time.perf_counter_ns, nav.next_hop
    taken = []
    for start, goal in zip(starts, goals, strict=True):
        begun = clock()
        hop(start, goal)
        taken.append(clock() - begun)
    return [float(share) for share in np.percentile(taken, [50, 90, 99])]


def _next_batch(nav: Navigator, ground: Ground, seeds: Iterator[int]) -> float:
    return _batch(nav, ground, next(seeds))


def _batch(nav: Navigator, ground: Ground, seed: int) -> float:
    starts, goals = ground.pairs(PAIRS, seed)
    return seconds(lambda: nav.next_hops(starts, goals)) * 1e9 / PAIRS


def _check_single(nav: Navigator, ground: Ground) -> None:
    """One at a time says the same as all at once."""
    starts, goals = ground.pairs(500, seed=9)
    hops = nav.next_hops(starts, goals).tolist()
    for start, goal, hop in zip(starts.tolist(), goals.tolist(), hops, strict=True):
        one = nav.next_hop(tuple(start), tuple(goal))
        assert (one or (-1, -1)) == tuple(hop), f"{ground.name}: {start} to {goal}: {one}, {hop}"


def _clock_cost() -> float:
    clock = time.perf_counter_ns
    return float(median(-clock() + clock() for _ in range(1000)))
