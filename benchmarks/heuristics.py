"""Compare exact, pivot and octile heuristics in A*, and check that all are admissible."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import dijkstra

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.arrays import Float64Array, Int64Array
from bake.core.processors import processors
from bake.levels.movingai import Scenario, read_scenario
from bake.play import Navigator, open_asset
from bake.play.searching.heuristics import HEURISTICS, heuristic_for
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.clock import seconds, undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.levels import every_level, level_file, scenario_file
from benchmarks.section import Section
from levelbake.errors import QueryError

FULL = ("lak303d", "den520d", "brc202d", "maze512-4-0")
QUICK = ("lak303d",)
NAMES = ("octile", "landmark", "exact")
BYTES = 20
PROBLEMS = 100
TURNS = 5
#: Cells that are blocked in the middle of paths.
BLOCKED = 30
#: Maps of at most this many nodes are checked for every pair.
EVERY_PAIR = 5000

Ends = list[tuple[tuple[int, int], tuple[int, int]]]


def run(bench: Bench, section: Section) -> None:
    """Measure A* on every map, then check every pair on the small ones."""
    names = bench.choose(section, FULL, QUICK)
    assert bench.jit_seconds >= 0
    problems = bench.either(PROBLEMS, 30)
    section.text(
        "`nav.search` by A* with the octile norm, with pivots "
        f"(`landmark`, {BYTES} bytes a place) and with the distance itself (`exact`), compiled, "
        f"with bucket queues: {problems} problems at most, evenly spread over the longest half of "
        "the map's scenario file, on the level as it was baked and with "
        f"{BLOCKED} cells blocked in the middle of their paths. Places expanded, and microseconds "
        f"a problem for the whole call: of each problem the least of {TURNS} turns. All costs were "
        "checked to be equal first. What the first search of a level lays out, and the contraction "
        "hierarchy, were made before."
    )
    rows = []
    for name in names:
        bench.tell(f"{name}: baking")
        with open_asset(_baked(bench, name)) as level:
            nav = level.profile()
            ends = _longest(read_scenario(scenario_file(name)), problems)
            rows.append((f"{name}, as baked", *_measured(bench, nav, name, ends)))
            paths = [path for each in ends[:BLOCKED] if (path := nav.path(*each)) is not None]
            outer = {place for each in ends for place in each}
            middle = {path[len(path) // 2] for path in paths} - outer
            nav.update(blocked=sorted(middle))
            rows.append((f"{name}, changed", *_measured(bench, nav, name, ends)))
    heads = [head for name in NAMES for head in (f"{name}: expanded", "µs")]
    section.table(("map", "places on a path", *heads), rows)
    _every_pair(bench, section)


def _baked(bench: Bench, name: str) -> Path:
    """Return a map with its heuristic, baked by all processors."""
    asset = bench.scratch / f"{name}-heuristic.h5"
    recipe = LevelRecipe(tables=("components", "heuristic"), heuristic_bytes=BYTES)
    bake_level(Task(level_file(name), asset, recipe), processors(), lambda stage, done: None)
    return asset


def _measured(bench: Bench, nav: Navigator, name: str, ends: Ends) -> list[str]:
    """Return places per path, and for each heuristic expansions and microseconds per problem."""
    bench.tell(f"{name}: searching")
    found = {each: [nav.search(*one, "astar", each) for one in ends] for each in NAMES}
    costs = [one.cost for one in found["octile"]]
    for each in NAMES:
        assert [one.cost for one in found[each]] == costs, f"{name}: {each}"
    least = dict.fromkeys(NAMES, 0.0)
    with undisturbed():
        for one in ends:
            for each in NAMES:
                search = partial(nav.search, *one, "astar", each)
                least[each] += min(seconds(search) for _ in range(TURNS))
    cells = [f"{np.mean([len(one.path or ()) for one in found['exact']]):,.0f}"]
    for each in NAMES:
        cells.append(f"{np.mean([one.expanded for one in found[each]]):,.0f}")
        cells.append(f"{least[each] / len(ends) * 1e6:,.0f}")
    return cells


def _longest(scenario: Scenario, problems: int) -> Ends:
    half = scenario.optimal.argsort(kind="stable")[len(scenario) // 2 :]
    chosen: Int64Array = half[np.linspace(0, len(half) - 1, min(problems, len(half))).astype(int)]
    starts, goals = scenario.start[chosen].tolist(), scenario.goal[chosen].tolist()
    return [(tuple(start), tuple(goal)) for start, goal in zip(starts, goals, strict=True)]


def _every_pair(bench: Bench, section: Section) -> None:
    """Check every heuristic for every pair against scipy's distances."""
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
    """Return the claims, the violations of each, and the mean of h / d; None if not applicable."""
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
