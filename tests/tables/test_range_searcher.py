"""Ranges searched by the entries of stretches: run for run what whole batches give."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from bake.core.arrays import Int32Array
from bake.core.errors import CostError
from bake.core.graph import INFINITY, Subgraph
from bake.search.all_pairs.batch import LANES, BatchSearch
from bake.search.all_pairs.entries import count_entries, find_entries
from bake.tables import range_searcher, run_writer
from bake.tables.compressed import compressed_next_hops
from bake.tables.run_writer import RunTable
from benchmarks.ground import ground_of
from levelbake.steps import chart
from tests.support.compare import same_runs, subgraph
from tests.support.levels import shared_level
from tests.support.strategies import FAMILIES, Arc
from tests.support.worlds import OPEN, part_of, random_lattice, world_of


class Told:
    """What searches by entries came across."""

    rows = changing = stretches = longest = 0


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    """Look at entries wherever that is right, and count."""
    found, find = Told(), range_searcher.find_changing

    def find_changing(*args: Any) -> int:
        count = find(*args)
        found.rows += len(args[-1])
        found.changing += count
        found.stretches += 1
        found.longest = max(found.longest, args[2].batches)
        return count

    monkeypatch.setattr(range_searcher, "find_changing", find_changing)
    return found


@pytest.fixture
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges and pieces a quarter as long, so that a level of 1,500 nodes has several of both."""
    monkeypatch.setattr(run_writer, "RANGE_ROWS", run_writer.RANGE_ROWS // 4)
    monkeypatch.setattr(range_searcher, "PIECE", range_searcher.PIECE // 4)


def runs_of(sub: Subgraph, at: Int32Array | None, threads: int = 1) -> RunTable:
    return compressed_next_hops(
        sub,
        at,
        unreachable_fits=True,
        algorithm="dijkstra",
        budget=2**30,
        threads=threads,
        progress=lambda done: None,
    )


@cache
def drawn(names: tuple[str, ...], connectivity: int) -> tuple[Subgraph, Int32Array]:
    """A random level of two ranges, and its chart."""
    lattice = random_lattice(f"entries {connectivity}", 45, 35, names)
    sub, cell = part_of(world_of(lattice, connectivity))
    return sub, chart(cell, None)


@cache
def drawn_whole(names: tuple[str, ...], connectivity: int, *, charted: bool) -> RunTable:
    """The table of such a level by whole batches."""
    sub, at = drawn(names, connectivity)
    return by_whole_batches(sub, at if charted else None)


def by_whole_batches(sub: Subgraph, at: Int32Array | None) -> RunTable:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(range_searcher, "FEWEST_ROWS", 10**9)
        return runs_of(sub, at)


def both_ways(
    monkeypatch: pytest.MonkeyPatch,
    sub: Subgraph,
    at: Int32Array | None,
    cost: float = 10**6,
    whole: RunTable | None = None,
) -> None:
    """Compare tables by entries and by whole batches.

    Args:
        cost: what a batch search is believed to take; by 10^6 entries are always looked at.
        whole: the table by whole batches, where it is known.
    """
    whole = by_whole_batches(sub, at) if whole is None else whole
    monkeypatch.setattr(range_searcher, "FEWEST_ROWS", 0)
    monkeypatch.setattr(range_searcher, "SEARCHED", cost)
    same_runs(whole, runs_of(sub, at, threads=2))


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("names", [OPEN, ("floor",)], ids=["walls", "open"])
@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("cost", [10**6, 40])
def test_lattices(
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, ...],
    connectivity: int,
    cost: float,
) -> None:
    sub, at = drawn(names, connectivity)
    for charted in (True, False):
        whole = drawn_whole(names, connectivity, charted=charted)
        both_ways(monkeypatch, sub, at if charted else None, cost, whole)
    assert told.longest > 1
    assert told.changing < told.rows


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
    family: Callable[[random.Random, int], list[Arc]],
) -> None:
    n = 3 * LANES + 5
    sub = subgraph(n, family(random.Random(5), n)[: 12 * n])
    both_ways(monkeypatch, sub, None)


def corridor(length: int, one_way: bool) -> list[Arc]:
    """Nodes in a row, each joined to the next two."""
    forward = [
        (a, a + step, 3 + step) for a in range(length) for step in (1, 2) if a + step < length
    ]
    return forward if one_way else [*forward, *((b, a, w) for a, b, w in forward)]


@pytest.mark.parametrize("one_way", [False, True])
def test_a_corridor_is_entered_at_its_ends(
    told: Told, monkeypatch: pytest.MonkeyPatch, one_way: bool
) -> None:
    sub = subgraph(9 * LANES, corridor(9 * LANES, one_way))
    arcs = BatchSearch.build(sub.graph, sub.weight).arcs
    count = np.empty(3, dtype=np.int32)
    count_entries(arcs, 2 * LANES, 5 * LANES, count)
    assert count.tolist() == [2 if one_way else 4] * 3
    entry = np.empty(count[0], dtype=np.int32)
    find_entries(arcs, 2 * LANES, 3 * LANES, entry)
    ends = [2 * LANES, 2 * LANES + 1, 3 * LANES - 2, 3 * LANES - 1]
    assert entry.tolist() == ends[: len(entry)]
    monkeypatch.setattr(range_searcher, "LONGEST", 3)
    both_ways(monkeypatch, sub, None)
    assert 0 < told.changing < told.rows


@pytest.mark.parametrize("too_long", [False, True])
def test_ways_inside_a_stretch_may_be_too_long(
    told: Told, monkeypatch: pytest.MonkeyPatch, too_long: bool
) -> None:
    """Distances to all entries are on the scale there, and only some beyond them are off it."""
    monkeypatch.setattr(range_searcher, "LONGEST", 3)
    n = 6 * LANES
    step = INFINITY // n + 1
    last = INFINITY - (n - 1) * step - (not too_long)
    arcs = [(a, a + 1, step if a < n - 2 else last) for a in range(n - 1)]
    assert 0 < last <= step
    sub = subgraph(n, [*arcs, *((b, a, w) for a, b, w in arcs)])
    if not too_long:
        both_ways(monkeypatch, sub, None)
        return
    for fewest in (10**9, 0):
        monkeypatch.setattr(range_searcher, "FEWEST_ROWS", fewest)
        with pytest.raises(CostError, match="ticks"):
            runs_of(sub, None)


def test_entries_of_longer_stretches() -> None:
    rng = random.Random(3)
    n = 5 * LANES + 17
    arcs = [(a, max(0, min(n - 1, a + rng.randint(-150, 150))), 1) for a in range(n)]
    sub = subgraph(n, [(a, b, w) for a, b, w in arcs if a != b])
    search = BatchSearch.build(sub.graph, sub.weight)
    pairs = list(zip(sub.graph.tail().tolist(), sub.graph.head.tolist(), strict=True))
    for begin in (0, LANES, 4 * LANES):
        count = np.empty(-(-(n - begin) // LANES), dtype=np.int32)
        count_entries(search.arcs, begin, n, count)
        for batches, found in enumerate(count.tolist(), 1):
            stop = min(begin + batches * LANES, n)
            inside = range(begin, stop)
            wanted = sorted({b for a, b in pairs if b in inside and a not in inside})
            assert found == len(wanted)
            entry = np.empty(found, dtype=np.int32)
            find_entries(search.arcs, begin, stop, entry)
            assert entry.tolist() == wanted


def test_a_shared_map(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    shared_level("movingai/den312d.map")
    ground = ground_of("den312d")
    both_ways(monkeypatch, ground.sub, chart(ground.cell, None), 40)
    assert told.stretches
