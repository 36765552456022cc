"""Time next hops one at a time, and ten thousand in one call."""

from __future__ import annotations

import time
from statistics import median

import numpy as np

from bake.play import open_asset
from bake.play.navigator import Navigator
from benchmarks.bench import Bench
from benchmarks.clock import seconds, undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.proof import prove_hops
from benchmarks.section import Section

PAIRS = 10_000

FULL = ("arena", "den312d", "lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("arena", "den312d", "lak303d")

#: Aims for a median lookup in microseconds, and one of a batch in nanoseconds.
SINGLE_AIM, BATCH_AIM = 4.0, 100.0


def run(bench: Bench, section: Section) -> None:
    """Measure every map."""
    names = bench.choose(section, FULL, QUICK)
    rounds = bench.either(15, 5)
    section.text(
        f"`nav.next_hop(a, b)` called {PAIRS:,} times with random places, each call timed alone "
        f"(the clock's own {_clock_cost():.0f} ns included), and `nav.next_hops(starts, goals)` "
        f"for {PAIRS:,} random pairs at a time; new pairs each round, medians of {rounds} rounds."
    )
    rows = []
    slowest = {"single": 0.0, "batch": 0.0}
    for name in names:
        ground = ground_of(name)
        percentiles, batch = _measure(bench, ground, rounds)
        cells = [f"{value / 1000:.2f}" for value in percentiles]
        rows.append((name, f"{ground.nodes:,}", *cells, f"{batch:.0f}"))
        slowest["single"] = max(slowest["single"], percentiles[0] / 1000)
        slowest["batch"] = max(slowest["batch"], batch)
    section.table(("map", "nodes", "median µs", "p90 µs", "p99 µs", "batch ns per lookup"), rows)
    section.at_most("single lookup: slowest median", slowest["single"], SINGLE_AIM, "µs")
    section.at_most("batch: slowest median", slowest["batch"], BATCH_AIM, "ns")


def _measure(bench: Bench, ground: Ground, rounds: int) -> tuple[list[float], float]:
    """Return percentiles of single lookups, and the time per lookup of a batch, in nanoseconds."""
    with open_asset(bench.baked(ground.name).asset) as level:
        nav = level.profile()
        prove_hops(nav, ground, 8)
        _check_single(nav, ground)
        with undisturbed():
            singles = [_single(nav, ground, turn) for turn in range(rounds)]
            batch = median(_batch(nav, ground, 100 + turn) for turn in range(rounds))
    return [median(row) for row in zip(*singles, strict=True)], batch


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


def _batch(nav: Navigator, ground: Ground, seed: int) -> float:
    starts, goals = ground.pairs(PAIRS, seed)
    return seconds(lambda: nav.next_hops(starts, goals)) * 1e9 / PAIRS


def _check_single(nav: Navigator, ground: Ground) -> None:
    """Check that single lookups and a batch give the same next hops."""
    starts, goals = ground.pairs(500, seed=9)
    hops = nav.next_hops(starts, goals).tolist()
    for start, goal, hop in zip(starts.tolist(), goals.tolist(), hops, strict=True):
        one = nav.next_hop(tuple(start), tuple(goal))
        assert (one or (-1, -1)) == tuple(hop), f"{ground.name}: {start} to {goal}: {one}, {hop}"


def _clock_cost() -> float:
    clock = time.perf_counter_ns
    return float(median(-clock() + clock() for _ in range(1000)))
