"""Compare all searches on four maps: expansions, memory, time and suboptimality.

docs/searches.md shows this table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.arrays import Float64Array
from bake.core.errors import in_units
from bake.core.graph import BLOCKED
from bake.core.processors import processors
from bake.extras.school import Status, search
from bake.levels.movingai import read_scenario
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section
from tests.support.baked import cells_of_nodes

FULL = ("arena", "lak303d", "brc202d", "maze512-4-0")
QUICK = ("arena",)
PROBLEMS = 40
#: The number of problems for plain Python, and its seconds for each.
PLAIN_PROBLEMS = 8
PLAIN_MS = 2000.0
BEAM_WIDTH = 64
SMA_MEMORY = 2000
WEIGHT = 1.5
TABLES = ("components", "next_hops", "hierarchy", "cluster_distances")
PROFILE = "default"

Cell = tuple[int, int]
Ends = list[tuple[Cell, Cell]]

#: Methods of `nav.search`: label, method, and options.
COMPILED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("A*", "astar", {}),
    ("Dijkstra", "dijkstra", {}),
    (f"weighted A*, {WEIGHT:g}", "weighted", {"weight": WEIGHT}),
    ("greedy", "greedy", {}),
    ("from both ends", "bidirectional", {}),
    ("HPA*", "hpa", {}),
    ("clusters, minimum", "clusters", {"price": "minimum"}),
    ("clusters, average", "clusters", {"price": "average"}),
    ("clusters, maximin", "clusters", {"price": "maximin"}),
)

#: Methods of `bake.search`, in plain Python.
PLAIN: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("A*", "astar", {}),
    ("IDA*", "ida", {}),
    (f"beam of {BEAM_WIDTH}", "beam", {"width": BEAM_WIDTH}),
    (f"SMA*, {SMA_MEMORY:,} states", "sma", {"memory": SMA_MEMORY}),
)


class Ground:
    """A level's graph as a search problem: states are node numbers, costs are in ticks."""

    def __init__(self, asset: Path) -> None:
        with Asset(asset) as opened:
            first = opened.graph.first_out.tolist()
            head = opened.graph.head.tolist()
            weight = opened.graph.weight(PROFILE).tolist()
            self.cells = [tuple(cell) for cell in cells_of_nodes(opened).tolist()]
            self.ticks = opened.number("ticks_per_unit") or 1
        self.node = {cell: number for number, cell in enumerate(self.cells)}
        self._arcs: list[list[tuple[int, int]]] = [
            [(head[arc], weight[arc]) for arc in range(a, b) if weight[arc] != BLOCKED]
            for a, b in pairwise(first)
        ]
        # These maps cost 1 a cell, so this is what a diagonal step weighs, rounded as it is.
        self._diagonal = round(math.sqrt(2) * self.ticks)
        self.start = self.goal = 0

    def is_goal(self, state: int) -> bool:
        return state == self.goal

    def successors(self, state: int) -> list[tuple[int, int]]:
        return self._arcs[state]

    def h(self, state: int) -> int:
        """The octile distance."""
        (x, y), (u, v) = self.cells[state], self.cells[self.goal]
        low, high = sorted((abs(x - u), abs(y - v)))
        return int((high - low) * self.ticks + low * self._diagonal)


@dataclass(frozen=True)
class Row:
    """The results of a method: the fraction of solved problems, and averages over these."""

    found: int
    asked: int
    expanded: float
    held: str
    milliseconds: float
    longer: Float64Array

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        if not self.found:
            return (f"0 of {self.asked}", "", "", f"{self.milliseconds:.3f}", "", "")
        return (
            f"{self.found} of {self.asked}",
            f"{self.expanded:,.0f}",
            self.held,
            f"{self.milliseconds:.3f}",
            f"{max(0.0, self.longer.mean()):.2%}",
            f"{max(0.0, self.longer.max()):.1%}",
        )


def run(bench: Bench, section: Section) -> None:
    """Check and measure every method on every map."""
    names = bench.choose(section, FULL, QUICK)
    assert bench.jit_seconds >= 0
    problems, plain = bench.either((PROBLEMS, PLAIN_PROBLEMS), (10, 2))
    budget = bench.either(PLAIN_MS, 300.0)
    section.text(
        f"{problems} problems evenly spread over each map's scenario file; answers were checked "
        "first: a path begins and ends where it should, each of its steps is one of the level's, "
        "it costs what it says, and an exact method's path costs what the table says. *Found* is "
        "how many paths there were; all other columns are averages over those, but time, which is "
        "over all that was asked. *Held* is the places a search reached, or the bytes of what is "
        "baked for it. *Longer* is how much a path costs beyond a shortest one, on average "
        "and at worst. Rows above `bake.search` are "
        "`nav.search`, compiled, and the table; below it are searches in plain Python over the "
        f"same graph with the octile distance, on {plain} of the problems, with "
        f"{budget / 1000:g} s each."
    )
    headings = ("method", "found", "expanded", "held", "ms a path", "longer", "at worst")
    for name in names:
        asset = _baked(bench, name)
        ends = _problems(name, problems)
        with open_asset(asset) as level:
            nav = level.profile()
            best = np.array([nav.distance(*pair) for pair in ends])
            rows = [_table(bench, nav, name, asset, ends, best)]
            rows += list(_compiled(bench, nav, name, asset, ends, best))
            few = np.linspace(0, len(ends) - 1, plain).astype(int)
            rows.append(("**`bake.search`**", "", "", "", "", "", ""))
            rows += list(
                _plain(bench, nav, name, asset, [ends[at] for at in few], best[few], budget)
            )
        section.text(f"**{name}**, {_places(asset):,} places:")
        section.table(headings, rows)


def _baked(bench: Bench, name: str) -> Path:
    bench.tell(f"baking {name}")
    asset = bench.scratch / f"{name}-searches.h5"
    task = Task(level_file(name), asset, LevelRecipe(tables=TABLES))
    bake_level(task, processors(), lambda stage, done: None)
    return asset


def _places(asset: Path) -> int:
    with Asset(asset) as opened:
        return int(opened.graph.place.size)


def _problems(name: str, count: int) -> Ends:
    scenario = read_scenario(scenario_file(name))
    apart = np.flatnonzero(scenario.optimal > 0)
    chosen = apart[np.linspace(0, len(apart) - 1, min(count, len(apart))).astype(int)]
    starts, goals = scenario.start[chosen].tolist(), scenario.goal[chosen].tolist()
    return [(tuple(a), tuple(b)) for a, b in zip(starts, goals, strict=True)]


def _check(
    nav: Navigator, where: str, pair: tuple[Cell, Cell], path: list[Any], cost: float
) -> None:
    assert (path[0], path[-1]) == pair, f"{where}: {pair} begins or ends elsewhere"
    assert math.isclose(nav.length(path), cost, rel_tol=1e-4), f"{where}: {pair} costs another sum"


def _longer(where: str, costs: list[float], best: Float64Array, *, exact: bool) -> Float64Array:
    longer = np.array(costs) / best - 1
    assert longer.min(initial=0.0) > -1e-4, f"{where}: shorter than a shortest path"
    assert not exact or longer.max(initial=0.0) < 1e-4, f"{where}: no shortest path"
    return longer


def _table(
    bench: Bench, nav: Navigator, name: str, asset: Path, ends: Ends, best: Float64Array
) -> tuple[str, ...]:
    """Measure paths of the table, which need no search."""
    bench.tell(f"{name}: the table")
    for pair, cost in zip(ends, best, strict=True):
        path = nav.path(*pair)
        assert path is not None, f"{name}: {pair}"
        _check(nav, f"{name}, table", pair, path, float(cost))
    took = seconds(lambda: [nav.path(*pair) for pair in ends])
    row = Row(
        len(ends),
        len(ends),
        0,
        _stored(asset, "run_count", "run_start", "run_move", "hop"),
        took / len(ends) * 1e3,
        np.zeros(len(ends)),
    )
    return ("the table", *row.cells())


def _compiled(
    bench: Bench, nav: Navigator, name: str, asset: Path, ends: Ends, best: Float64Array
) -> Iterator[tuple[str, ...]]:
    for label, method, given in COMPILED:
        bench.tell(f"{name}: {label}")
        held_is_told = method not in ("hpa", "clusters")
        found = [nav.search(*pair, method, looked_at=held_is_told, **given) for pair in ends]
        for pair, one in zip(ends, found, strict=True):
            assert one.path is not None, f"{name}, {label}: {pair}"
            _check(nav, f"{name}, {label}", pair, one.path, one.cost)
        exact = method in ("astar", "dijkstra", "bidirectional")
        longer = _longer(f"{name}, {label}", [one.cost for one in found], best, exact=exact)
        bound = max(one.bound for one in found)
        assert longer.max() <= bound - 1 + 1e-4, f"{name}, {label}: beyond its bound"
        took = seconds(partial(_measure_method, nav, ends, method, given))
        if method == "hpa":
            held = _stored(asset, "layer_", "cluster")
        elif method == "clusters":
            held = _stored(asset, "cluster")
        else:
            held = f"{np.mean([len(one.looked_at or ()) for one in found]):,.0f} places"
        expanded = float(np.mean([one.expanded for one in found]))
        row = Row(len(ends), len(ends), expanded, held, took / len(ends) * 1e3, longer)
        yield (label, *row.cells())


def _measure_method(nav: Navigator, ends: Ends, method: str, given: dict[str, Any]) -> None:
    for pair in ends:
        nav.search(*pair, method, **given)


def _plain(
    bench: Bench,
    nav: Navigator,
    name: str,
    asset: Path,
    ends: Ends,
    best: Float64Array,
    budget_ms: float,
) -> Iterator[tuple[str, ...]]:
    ground = Ground(asset)
    for label, method, given in PLAIN:
        bench.tell(f"{name}: {label}, plain")
        costs, wanted, took, expanded, held = [], [], 0.0, [], []
        for pair, least in zip(ends, best, strict=True):
            ground.start, ground.goal = ground.node[pair[0]], ground.node[pair[1]]
            one = search(ground, method, **given)  # type: ignore[arg-type]
            took += seconds(partial(one.run, budget_ms=budget_ms))
            if one.status is not Status.FOUND:
                continue
            assert one.path is not None
            path = [ground.cells[node] for node in one.path]
            cost = one.cost / ground.ticks
            _check(nav, f"{name}, {label}", pair, path, cost)
            costs.append(cost)
            wanted.append(least)
            expanded.append(one.expanded)
            held.append(one.most_held)
        longer = _longer(
            f"{name}, {label}", costs, np.array(wanted), exact=method in ("astar", "ida", "sma")
        )
        mean = float(np.mean(expanded)) if expanded else 0.0
        places = f"{np.mean(held):,.0f} places" if held else ""
        row = Row(len(costs), len(ends), mean, places, took / len(ends) * 1e3, longer)
        yield (label, *row.cells())


def _stored(asset: Path, *begin: str) -> str:
    """Return the stored bytes of a profile's columns with these names or prefixes."""
    with Asset(asset) as opened:
        paths = [path for path in opened.columns() if path.startswith(f"/profiles/{PROFILE}/")]
        mine = [
            path
            for path in paths
            for name in (path.rsplit("/", 1)[1],)
            if any(name.startswith(one) if one.endswith("_") else name == one for one in begin)
        ]
        return in_units(sum(opened.stored_bytes(path) for path in mine))
