"""The baked heuristic beside octile: expansions and time of A*, and that it is never too large."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.arrays import Float64Array, Int64Array
from bake.asset.column import profile_path
from bake.errors import QueryError
from bake.levels.movingai import Scenario, read_scenario
from bake.pipeline.level import bake_level
from bake.pipeline.sources import Task
from bake.processors import processors
from bake.recipe import LevelRecipe
from bake.runtime import Navigator, open_asset
from bake.runtime.searching.heuristics import HEURISTICS, heuristic_for, stored_guide
from bake.search.point.guide import Guide
from bake.search.point.space import Found
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.levels import every_level, level_file, scenario_file
from benchmarks.section import Section

DRAGON_AGE = ("lak303d", "den520d", "brc202d", "orz900d")
FULL = (*DRAGON_AGE, "AR0011SR", "AcrosstheCape", "maze512-4-0", "32room_000", "random512-25-0")
QUICK = ("lak303d", "den520d")
BYTES = 20
PROBLEMS = 100
TURNS = 3
#: Maps of at most this many nodes are checked for every pair.
EVERY_PAIR = 5000
FEWER_AIM = 25.0
FASTER_AIM = 10.0
PERFECT_AIM = 1.2


@dataclass(frozen=True)
class _Measured:
    """Of the same problems: nodes expanded and microseconds a problem, nodes on their paths."""

    octile: float
    baked: float
    on_path: float
    octile_us: float
    baked_us: float

    @property
    def fewer(self) -> float:
        return self.octile / self.baked

    @property
    def faster(self) -> float:
        return self.octile_us / self.baked_us

    @property
    def beyond_perfect(self) -> float:
        return self.baked / self.on_path


def run(bench: Bench, section: Section) -> None:
    """Measure A* on every map, then check every pair on the small ones."""
    names = bench.choose(section, FULL, QUICK)
    assert bench.jit_seconds >= 0
    problems = bench.either(PROBLEMS, 30)
    section.text(
        f"A* by the baked heuristic (`maximum`, at most {BYTES} bytes a node with its tables) and "
        f"by octile distance, compiled, both with bucket queues: {problems} problems at most, "
        "evenly spread over the longest third of the map's scenario file. Nodes expanded, a node "
        "taken twice counted twice, and microseconds a problem, all that depends on the goal "
        f"included, medians of {TURNS} turns. All paths were checked first: of equal cost, and of "
        "the file's length. A perfect heuristic expands the nodes of the path alone; the last "
        "column says how many times as many the baked one does."
    )
    rows, found = [], []
    for name in names:
        bench.tell(f"{name}: baking")
        begun = time.perf_counter()
        asset = _baked(bench, name)
        spent = time.perf_counter() - begun
        bench.tell(f"{name}: searching")
        with open_asset(asset) as level:
            nav = level.profile()
            size = _bytes_a_node(nav)
            assert size <= BYTES or name not in FULL, f"{name}: {size} bytes a node"
            measured = _measure(nav, name, problems)
        found.append(measured)
        rows.append((name, f"{size:.1f}", f"{spent:.1f}", *_cells(measured)))
    section.table(
        (
            *("map", "bytes a node", "bake, s", "octile: expanded", "µs"),
            *("baked: expanded", "µs", "fewer", "faster", "of perfect"),
        ),
        rows,
    )
    fewer, faster = (_mean([getattr(one, what) for one in found]) for what in ("fewer", "faster"))
    section.text(f"Geometric means: {fewer:.1f} times fewer, {faster:.1f} times faster.")
    section.at_least("times fewer expansions, geometric mean", fewer, FEWER_AIM, "x", 1)
    section.at_least("times faster, geometric mean", faster, FASTER_AIM, "x", 1)
    section.at_least("times faster, worst map", min(o.faster for o in found), FASTER_AIM, "x", 1)
    for name, one in zip(names, found, strict=True):
        if name in DRAGON_AGE:
            what = f"{name}: expansions beside a perfect heuristic"
            section.at_most(what, one.beyond_perfect, PERFECT_AIM, "x", 3)
    _every_pair(bench, section)


def _baked(bench: Bench, name: str) -> Path:
    """A map with its heuristic, baked by all processors."""
    asset = bench.scratch / f"{name}-heuristic.h5"
    recipe = LevelRecipe(tables=("components", "heuristic"), heuristic_bytes=BYTES)
    bake_level(Task(level_file(name), asset, recipe), processors(), lambda stage, done: None)
    return asset


def _guide(nav: Navigator) -> Guide:
    guide = stored_guide(nav._now.searches)
    assert guide is not None, "no table between basins"
    return guide


def _bytes_a_node(nav: Navigator) -> float:
    tables = nav._now.searches.tables
    names = ("pivot_distance", "basin", "basin_anchor", "basin_distance", "basin_fields", "field")
    read = tables.places.asset.read
    stored = sum(read(profile_path(tables.profile, name)).nbytes for name in names)
    return float(stored / tables.row_count)


def _measure(nav: Navigator, name: str, problems: int) -> _Measured:
    searches, guide = nav._now.searches, _guide(nav)
    space = searches.space
    scenario = read_scenario(scenario_file(name))
    chosen = _longest(scenario, problems)
    ends = [
        (nav._now.rows.row(tuple(start)), nav._now.rows.row(tuple(goal)))
        for start, goal in zip(
            scenario.start[chosen].tolist(), scenario.goal[chosen].tolist(), strict=True
        )
    ]

    def by_octile() -> list[Found]:
        return [space.astar(heuristic_for(searches, "octile", b), a, b) for a, b in ends]

    octile = by_octile()
    baked = [guide.astar(space, start, goal) for start, goal in ends]
    units = nav._now.tables.places.ticks_per_unit
    for problem, one, other in zip(chosen.tolist(), octile, baked, strict=True):
        what = f"{name}: line {scenario.line[problem]}"
        assert one.ticks == other.ticks, f"{what}: {other.ticks} ticks, octile {one.ticks}"
        slack = 1e-4 + 1e-5 * scenario.optimal[problem] + scenario.rounding[problem]
        assert abs(one.ticks / units - scenario.optimal[problem]) <= slack, f"{what}: wrong length"
    with undisturbed():
        taken = in_turns(
            {
                "octile": lambda: seconds(by_octile),
                "baked": lambda: seconds(lambda: [guide.astar(space, s, g) for s, g in ends]),
            },
            TURNS,
        )
    on_path = [0 if one.rows is None else len(one.rows) for one in octile]
    return _Measured(
        float(np.mean([one.expanded for one in octile])),
        float(np.mean([one.expanded for one in baked])),
        float(np.mean(on_path)),
        taken["octile"] / len(ends) * 1e6,
        taken["baked"] / len(ends) * 1e6,
    )


def _longest(scenario: Scenario, problems: int) -> Int64Array:
    third = scenario.optimal.argsort(kind="stable")[2 * len(scenario) // 3 :]
    chosen: Int64Array = third[
        np.linspace(0, len(third) - 1, min(problems, len(third))).astype(int)
    ]
    return chosen


def _cells(one: _Measured) -> list[str]:
    return [
        *(f"{one.octile:,.0f}", f"{one.octile_us:,.0f}"),
        *(f"{one.baked:,.0f}", f"{one.baked_us:,.1f}"),
        *(f"{one.fewer:.1f}", f"{one.faster:.1f}", f"{one.beyond_perfect:.3f}"),
    ]


def _mean(values: Sequence[float]) -> float:
    """Geometric."""
    return float(prod(values) ** (1 / len(values)))


def _every_pair(bench: Bench, section: Section) -> None:
    """Check every heuristic there is, for every pair, against scipy's distances."""
    rows = []
    too_large = broken = 0
    for name in every_level():
        ground = ground_of(name)
        if ground.nodes > EVERY_PAIR or (bench.maps and name not in bench.maps):
            continue
        bench.tell(f"{name}: every pair")
        true = dijkstra(ground.matrix)
        asset = bench.scratch / f"{name}-every.h5"
        tables = ("components", "clusters", "cluster_distances", "heuristic")
        recipe = LevelRecipe(tables=tables, heuristic_bytes=BYTES, cluster_size=8)
        bake_level(Task(level_file(name), asset, recipe), processors(), lambda stage, done: None)
        with open_asset(asset) as level:
            for heuristic in HEURISTICS:
                told = _check_pairs(level.profile(), ground, true, heuristic)
                if told is None:
                    continue
                admissible, consistent, larger, arcs, share = told
                too_large += larger if admissible else 0
                broken += arcs if consistent else 0
                rows.append(
                    (
                        *(f"{name}: {heuristic}", f"{ground.nodes**2:,}"),
                        *("yes" if admissible else "no", f"{larger:,}"),
                        *("yes" if consistent else "no", f"{arcs:,}", f"{share:.3f}"),
                    )
                )
    if not rows:
        return
    section.text(
        f"Maps of at most {EVERY_PAIR:,} nodes: every heuristic, every pair, beside scipy's "
        "distances; and for every goal every arc, h(tail) <= weight + h(head). What is claimed, "
        "how many values are larger than the distance, how many arcs are not consistent, and the "
        "mean share of the distance that is told."
    )
    section.table(
        ("map", "pairs", "admissible", "too large", "consistent", "arcs that are not", "share"),
        rows,
    )
    section.at_most("values too large where admissible is claimed", too_large, 0, "values", 0)
    section.at_most("arcs that break a consistency claimed", broken, 0, "arcs", 0)


def _check_pairs(
    nav: Navigator, ground: Ground, true: Float64Array, heuristic: str
) -> tuple[bool, bool, int, int, float] | None:
    """What is claimed, how often each claim fails, the mean of h / d; None where it cannot be."""
    searches = nav._now.searches
    row = np.array([nav._now.rows.row(tuple(cell)) for cell in ground.cell.tolist()])
    graph, weight = ground.sub.graph, ground.sub.weight
    tail, head = graph.tail(), graph.head
    larger = arcs = 0
    shares = []
    for goal in range(ground.nodes):
        try:
            estimate = heuristic_for(searches, heuristic, int(row[goal]))
        except QueryError:
            return None
        told = searches.space.estimates(estimate, int(row[goal]))[row]
        distance = true[:, goal]
        larger += int((told > distance).sum())
        arcs += int((told[tail] > weight + told[head]).sum())
        apart = np.isfinite(distance) & (distance > 0)
        shares.append(float((told[apart] / distance[apart]).mean()) if apart.any() else 1.0)
    admissible, consistent = bool(estimate.admissible), bool(estimate.consistent)
    return admissible, consistent, larger, arcs, float(np.mean(shares))
