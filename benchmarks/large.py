"""Benchmark levels of millions of cells without lists of arcs: bakes, readers and updates.

Every bake and every reader is a process of its own, whose peak the system tells.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from bake.core.arrays import BoolArray
from bake.core.graph import BLOCKED, Graph
from bake.interop import to_scipy
from bake.store import Asset
from benchmarks import child
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file
from benchmarks.section import Section
from tests.support.baked import cells_of_nodes

MIB = 2**20

RECIPE = 'tables = ["components", "clusters", "hierarchy"]\nmemory_budget = "8 GiB"\n'

#: Side lengths in cells of open squares with walls between: 10 million places, and a tenth of that.
FULL_SIDE, QUICK_SIDE = 4096, 1408

#: The side length of the smallest level that is baked without a list of arcs, to compile kernels.
SMALL = 1408

#: Pairs queried, updates with a query after each, and updates in a row.
PAIRS, ASKED, ALONE = 60, 60, 240

#: Levels of more places are not compared with shortest paths, nor with a bake of the changed level.
MOST_COMPARED = 2_000_000

_READER = """
import gc, json, resource, sys, time
import numpy as np
from levelbake.errors import QueryError
from bake.core.kernels.jit import waiting
from bake.play import open_asset
from tests.support.baked import cells_of_nodes
small, large = sys.argv[1:3]
pairs, asked, alone = map(int, sys.argv[3:6])
plans = json.loads(sys.argv[6])
clock, unit = time.perf_counter, 2**10 if sys.platform != "darwin" else 1
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
def resident():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return peak()
rng = np.random.default_rng(5)
def place():
    while True:
        at = tuple(int(each) for each in rng.integers((level.width, level.height)))
        try:
            nav.path(at, at, "hpa")
            return at
        except QueryError:
            continue
with open_asset(small) as level:  # loads the kernels, as a game does while it shows its logo
    nav = level.profile()
    with waiting():
        for _ in range(4):
            ends = place(), place()
            nav.path(*ends, "hpa"), list(nav.search.walk(*ends) or ())
        if asked:
            for _ in range(3):
                at = place()
                nav.update(blocked=[at])
                nav.path(place(), place(), "hpa")
                nav.update(opened=[at])
                nav.path(place(), place(), "hpa")
del level, nav
gc.collect()
before = resident()
begun = clock()
level = open_asset(large)
nav = level.profile()
start, goal = place(), place()
way = nav.path(start, goal, "hpa")
first = clock() - begun
after = resident()
chosen = [(place(), place()) for _ in range(pairs)]
moves, paths, steps, ways = [], [], [], []
for start, goal in chosen:
    nav.path(start, goal, "hpa")  # the processor has seen these cells
for start, goal in chosen:
    begun = clock()
    walk = nav.search.walk(start, goal)
    move = None if walk is None else next(walk, None)
    moves += [] if move is None else [clock() - begun]
    del walk
    begun = clock()
    way = nav.path(start, goal, "hpa")
    paths.append(clock() - begun)
    steps.append(0 if way is None else len(way))
    ways.append([start, goal, None if way is None else [way[0], way[-1], len(way)],
                 None if way is None else sum(abs(a - c) + abs(b - d) == 1 or 1.4142135623730951
                     for (a, b), (c, d) in zip(way, way[1:]))])
over = resident()
def planned(start, goal):
    rows = nav._now.rows
    return nav._now.searches.hierarchy.find(rows.row(start), rows.row(goal)).ticks
ends = {each for pair in chosen for each in pair}
cells = [at for at in (place() for _ in range(asked + alone)) if at not in ends]
spent, hops, later, blocked = [], [], [], []
for number, at in enumerate(cells[:asked]):
    back = blocked.pop(0) if len(blocked) > 8 else None
    begun = clock()
    nav.update(blocked=[at], opened=[] if back is None else [back])
    spent.append(clock() - begun)
    blocked.append(at)
    start, goal = chosen[number % len(chosen)]
    begun = clock()
    walk = nav.search.walk(start, goal)
    None if walk is None else next(walk, None)
    hops.append(clock() - begun)
    begun = clock()
    nav.path(start, goal, "hpa")
    later.append(clock() - begun)
changed = resident()
for at in cells[asked:]:
    begun = clock()
    nav.update(blocked=[at])
    spent.append(clock() - begun)
    blocked.append(at)
begun = clock()
nav.path(*chosen[0], "hpa")
batch = clock() - begun
if plans is None:
    plans = chosen[:8] if asked else []
found = [[start, goal, planned(tuple(start), tuple(goal))] for start, goal in plans]
print(json.dumps(dict(before=before, after=after, over=over, changed=changed, end=peak(),
                      first=first, moves=moves, paths=paths, steps=steps, ways=ways, spent=spent,
                      hops=hops, later=later, batch=batch, blocked=blocked, plans=found)))
"""


@dataclass(frozen=True)
class Ground:
    """A large level: its name, its file, and which of its cells are open."""

    name: str
    file: Path
    open: BoolArray


def run(bench: Bench, section: Section) -> None:
    """Bake, query and update levels of a million nodes and more."""
    command = child.bake_command()
    if command is None or not child.can_measure_memory():
        raise Skip("the bake command is not installed, or this system tells no peak memory")
    folder = bench.scratch / "large"
    folder.mkdir()
    (folder / "bake.toml").write_text(RECIPE, encoding="utf-8")
    levels = [_rooms(folder, QUICK_SIDE if bench.quick else FULL_SIDE)]
    for times in () if bench.quick else (2, 4):
        levels += _tiled(folder, "AcrosstheCape", times)
    small = _build(command, _rooms(folder, SMALL, "small"))[0]
    section.text(
        "Components, clusters and HPA\\* by `bake build`, processes of their own, two cores, wall "
        "time. The reader has loaded its kernels by a level of a million nodes before; *first "
        "path* opens the asset and finds a path between two random places; *memory* is by how much "
        "the reader grew by then, for each node, and *all over* once it has found all paths. "
        "*Move* is the first step of `nav.search.walk` where there is a way, *path* a whole "
        "path for each 1,000 of its steps, medians of random pairs asked before. Costs of "
        "paths were compared with scipy's shortest ones on the listed arcs of the smaller levels."
    )
    rows, changes = [], []
    for ground in levels:
        bench.tell(ground.name)
        asset, built = _build(command, ground)
        with Asset(asset) as opened:
            nodes = len(opened.graph.place)
        asked = _ask(small, asset, (PAIRS, 0, 0))
        updated = _ask(small, asset, (PAIRS // 4, ASKED, ALONE))
        if nodes < MOST_COMPARED:
            _check(asset, asked["ways"])
            _check_changed(command, folder, small, ground, updated)
        steps = np.array(asked["steps"])
        far = steps > 200
        each = np.array(asked["paths"])[far] / steps[far] * 1e6
        grown = (asked["after"] - asked["before"]) / nodes
        rows.append(
            (
                *(ground.name, f"{nodes:,}", f"{built.seconds:.1f}", f"{built.peak / 2**30:.2f}"),
                f"{asset.stat().st_size:,}",
                f"{grown:.0f}",
                f"{(asked['over'] - asked['before']) / nodes:.0f}",
                f"{asked['first'] * 1e3:.0f}",
                f"{np.median(asked['moves']) * 1e3:.2f}",
                f"{np.median(each):.2f}" if len(each) else "",
            )
        )
        changes.append((ground.name, *_after_updates(updated, nodes)))
        spent = float(np.median(updated["spent"][1:])) * 1e3
        section.at_most(f"update of {ground.name}", spent, 2, "ms")
        if ground is levels[0] and not bench.quick:
            section.at_most("bake of 10 million nodes", built.seconds, 60, "s")
            section.at_most("its peak", built.peak / 2**30, 4, "GiB")
            section.at_most("reader", grown, 60, "bytes a node")
            section.at_most("first path", asked["first"] * 1e3, 300, "ms")
            section.at_most("first move", float(np.median(asked["moves"])) * 1e3, 1, "ms")
            section.at_most("1,000 steps", float(np.median(each)), 1, "ms")
    section.table(
        (
            *("level", "nodes", "bake s", "bake GiB", "file, bytes", "memory, bytes a node"),
            *("all over, bytes a node", "first path ms", "move ms", "path ms"),
        ),
        rows,
    )
    section.text(
        f"Updates close a cell anywhere, {ASKED} with questions after each, where one that was "
        f"closed before opens as well, and {ALONE} one after another. *First update* reads the "
        "terrain. *Hop* is the first step of `nav.search.walk` after an update, *path* a whole "
        "path then, and *after all* the first path after those without questions. *Memory* is by "
        "how much the reader grew from its paths to the questions after updates, *all* since it "
        "opened. Plans on the changed level cost what those of its own bake cost on the smaller "
        "levels."
    )
    section.table(
        (
            *("level", "first update ms", "update ms", "95 % ms", "hop ms", "95 % ms", "path ms"),
            *("95 % ms", "after all ms", "memory, bytes a node", "all, bytes a node", "peak GiB"),
        ),
        changes,
    )


def _after_updates(updated: dict[str, Any], nodes: int) -> tuple[str, ...]:
    times = []
    for name in ("spent", "hops", "later"):
        each = np.array(updated[name][1:]) * 1e3
        times += [f"{np.median(each):.2f}", f"{np.percentile(each, 95):.2f}"]
    return (
        f"{updated['spent'][0] * 1e3:.0f}",
        *times,
        f"{updated['batch'] * 1e3:.0f}",
        f"{(updated['changed'] - updated['over']) / nodes:.0f}",
        f"{(updated['changed'] - updated['before']) / nodes:.0f}",
        f"{updated['end'] / 2**30:.2f}",
    )


def _build(command: str, ground: Ground) -> tuple[Path, child.Usage]:
    folder = ground.file.parent
    where = ["--recipe", str(folder / "bake.toml"), "-o", str(folder)]
    usage = child.run_measured([command, "build", str(ground.file), "--force", "--json", *where])
    return folder / f"{ground.name}.h5", usage


def _ask(
    small: Path, large: Path, counts: tuple[int, int, int], plans: object = None
) -> dict[str, Any]:
    """Query a reader in a process of its own.

    Args:
        counts: pairs, updates with questions, and updates one after another.
        plans: pairs whose plans are to be told; None = some of those asked, if there are updates.
    """
    done = subprocess.run(
        [
            *(sys.executable, "-c", _READER, str(small), str(large)),
            *map(str, counts),
            json.dumps(plans),
        ],
        capture_output=True,
        text=True,
        check=False,
        env=child.environment(),
    )
    assert done.returncode == 0, done.stderr.strip()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _check_changed(
    command: str, folder: Path, small: Path, ground: Ground, updated: dict[str, Any]
) -> None:
    """Compare plans on a changed level with those on a bake of it."""
    drawn = ground.open.copy()
    for x, y in updated["blocked"]:
        drawn[y, x] = False
    asset, _ = _build(command, _written(folder, f"{ground.name}-changed", drawn))
    pairs = [plan[:2] for plan in updated["plans"]]
    fresh = _ask(small, asset, (4, 0, 0), pairs)
    assert fresh["plans"] == updated["plans"], "a plan on a changed level costs something else"


def _check(asset: Path, ways: list[Any]) -> None:
    """Compare the costs of paths with scipy's on the listed arcs."""
    with Asset(asset) as opened:
        graph = Graph(opened.graph.first_out, opened.graph.head)
        weight = opened.graph.weight("default")
        cell = cells_of_nodes(opened)
    node = {(x, y): number for number, (x, y) in enumerate(cell.tolist())}
    taken = np.flatnonzero(weight != BLOCKED)
    listed, order = Graph.from_arcs(graph.node_count, graph.tail()[taken], graph.head[taken])
    matrix: csr_array = to_scipy(listed, weight[taken][order]).astype(np.float64)
    for start, goal, ends, cost in ways[:12]:
        source: Any = node[start[0], start[1]]
        ticks = dijkstra(matrix, indices=source)
        truth = ticks[node[goal[0], goal[1]]] / 27720
        assert (ends is None) == np.isinf(truth), "a path that is not there, or one that is missing"
        if ends is not None:
            assert ends[:2] == [start, goal], "a path leads elsewhere"
            assert truth - 1e-3 <= cost <= 1.1 * truth + 1, f"{cost} where {truth} is shortest"


def _rooms(folder: Path, side: int, name: str = "rooms") -> Ground:
    """Generate rooms of many sizes with doors and pillars, three fifths of the cells open."""
    rng = np.random.default_rng(side)
    drawn = np.zeros((side, side), dtype=np.bool_)
    noise = rng.random((side // 16, side // 16)) < 0.5
    drawn[: noise.shape[0] * 16, : noise.shape[1] * 16] = noise.repeat(16, 0).repeat(16, 1)
    drawn[rng.integers(side, size=side // 8), :] = True
    drawn[:, rng.integers(side, size=side // 8)] = True
    drawn &= rng.random((side, side)) < 0.998
    drawn[:3, :3] = drawn[-5:, -5:] = True
    return _written(folder, name, drawn)


def _tiled(folder: Path, name: str, times: int) -> list[Ground]:
    """Tile a map of the Moving AI benchmark in both directions; return [] if it is missing."""
    if not (file := level_file(name)).exists():
        return []
    lines = file.read_text().split("\n")
    height, width = int(lines[1].split()[1]), int(lines[2].split()[1])
    one = np.array([list(line[:width]) for line in lines[4 : 4 + height]]) == "."
    return [_written(folder, f"{name}-{times}x{times}", np.tile(one, (times, times)))]


def _written(folder: Path, name: str, drawn: BoolArray) -> Ground:
    height, width = drawn.shape
    text = np.where(drawn, b".", b"@")
    rows = b"\n".join(row.tobytes() for row in text)
    file = folder / f"{name}.map"
    file.write_bytes(b"type octile\nheight %d\nwidth %d\nmap\n%s\n" % (height, width, rows))
    return Ground(name, file, drawn)
