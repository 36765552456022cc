"""Solve the first ten of R. Korf's 15-puzzles with Manhattan distance and pattern databases."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bake.baking.sources import Task
from bake.core.errors import in_units
from bake.extras.school import Patterns, SlidingTiles, Status, open_patterns, search, tile_search
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.patterns.deepening import manhattan
from bake.extras.school.puzzle import Tiles
from bake.extras.school.puzzle_bake import bake_puzzle
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.section import Section

BOARD = Tiles(4, 4, tuple(range(16)))

#: R. Korf, "Depth-First Iterative-Deepening", 1985, table 1: tile on each cell, and the length of a
#: shortest solution.
INSTANCES: tuple[tuple[str, int], ...] = (
    ("14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", 57),
    ("13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", 55),
    ("14 7 8 2 13 11 10 4 9 12 5 0 3 6 1 15", 59),
    ("5 12 10 7 15 11 14 0 8 2 1 13 3 4 9 6", 56),
    ("4 7 14 13 10 3 9 12 11 5 6 15 1 2 8 0", 56),
    ("14 7 1 9 12 3 6 15 8 11 2 5 10 0 4 13", 52),
    ("2 11 15 5 13 4 6 7 12 8 10 1 9 3 14 0", 52),
    ("12 11 15 3 8 0 4 2 6 13 9 5 14 1 10 7", 50),
    ("3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0", 46),
    ("13 11 8 9 0 15 7 10 4 3 6 14 5 12 2 1", 59),
)

#: Patterns by name: groups of adjacent tiles.
GROUPS: dict[str, list[list[int]]] = {
    "5-5-5": [[1, 2, 3, 4, 5], [6, 7, 9, 10, 13], [8, 11, 12, 14, 15]],
    "6-6-3": [[1, 4, 5, 8, 9, 12], [6, 7, 10, 11, 13, 14], [2, 3, 15]],
}

#: The number of instances in a quick run, and the seconds for plain Python.
FEW = (8,)
WATCHED_MS = 5000.0


@dataclass(frozen=True)
class Guide:
    """A lower bound with its source and the cost of building it."""

    name: str
    patterns: Patterns
    file_bytes: int
    bake_seconds: float


def run(bench: Bench, section: Section) -> None:
    """Bake the tables, solve the instances, and compare with plain Python."""
    assert bench.jit_seconds >= 0
    chosen = [*range(len(INSTANCES))] if not bench.quick else [*FEW]
    groups = bench.either(GROUPS, {"5-5-5": GROUPS["5-5-5"]})
    tile_search(SlidingTiles(BOARD, BOARD.goal)).run()  # Compiles.
    guides = [Guide("Manhattan", manhattan(BOARD), 0, 0.0)]
    for name, tiles in groups.items():
        bench.tell(f"baking {name}")
        guides.append(_baked(bench.scratch, name, tiles))
    section.text(
        "IDA* by `bake.search.tile_search` on the first ten of R. Korf's hundred instances of the "
        "15-puzzle (1985), one thread. Every solution was checked first: each step is one "
        "of the puzzle's, it ends at the goal, and it is as long as the paper says. "
        "*Expanded* counts states asked for their successors, each time anew."
    )
    section.table(
        ("patterns", "entries", "asset", "seconds to bake"),
        [
            (
                guide.name,
                f"{len(guide.patterns.distance):,}",
                in_units(guide.file_bytes),
                f"{guide.bake_seconds:.1f}",
            )
            for guide in guides[1:]
        ],
    )
    rows, totals = [], {guide.name: [0, 0.0] for guide in guides}
    for number in chosen:
        text, length = INSTANCES[number]
        cells = [f"{number + 1}", f"{length}"]
        for guide in guides:
            bench.tell(f"instance {number + 1}: {guide.name}")
            expanded, took = _solved(text, length, guide)
            totals[guide.name][0] += expanded
            totals[guide.name][1] += took
            cells += [f"{expanded:,}", f"{took:.3f}"]
        rows.append(tuple(cells))
    sums = [
        f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
        for guide in guides
        for value in totals[guide.name]
    ]
    rows.append(("all", "", *sums))
    headings = [part for guide in guides for part in (f"{guide.name}, expanded", "seconds")]
    section.table(("instance", "length", *headings), rows)
    _plain(section, guides, totals, bench.either(WATCHED_MS, 500.0))


def _baked(folder: Path, name: str, tiles: list[list[int]]) -> Guide:
    source = folder / f"fifteen-{name}.json"
    told: dict[str, Any] = {"format": "bake-puzzle", "version": 1, "kind": "tiles"}
    goal = [[4 * y + x for x in range(4)] for y in range(4)]
    source.write_text(json.dumps({**told, "goal": goal, "patterns": tiles}), "utf-8")
    asset = source.with_suffix(".h5")
    baked = bake_puzzle(Task(source, asset, LevelRecipe()), lambda stage, done: None)
    with PatternAsset(asset) as opened:
        assert opened.puzzle().sizes == tuple(map(_placements, tiles))
    return Guide(name, open_patterns(asset), baked.bytes, baked.seconds)


def _placements(tiles: list[int]) -> int:
    count = 1
    for place in range(len(tiles)):
        count *= BOARD.cells - place
    return count


def _solved(text: str, length: int, guide: Guide) -> tuple[int, float]:
    """Solve an instance, check the solution, and return states expanded and seconds."""
    space = SlidingTiles(BOARD, [*map(int, text.split())])
    found = tile_search(space, guide.patterns)
    took = seconds(found.run)
    assert found.status is Status.FOUND, f"{text}: {found.status}"
    assert found.path is not None
    assert (found.path[0], found.path[-1]) == (space.start, BOARD.goal), text
    for state, after in zip(found.path, found.path[1:], strict=False):
        assert after in [each for each, _ in space.successors(state)], f"{text}: no such step"
    assert len(found.path) - 1 == found.cost == length, f"{text}: {found.cost}, not {length}"
    return found.expanded, took


def _plain(
    section: Section, guides: list[Guide], totals: dict[str, list[Any]], budget_ms: float
) -> None:
    """Return the progress of the generic `search(space, "ida")` in plain Python in its time."""
    space = SlidingTiles(BOARD, [*map(int, INSTANCES[0][0].split())])
    rows = []
    for guide in guides:
        plain = search(space, "ida", h=guide.patterns.h)
        took = seconds(partial(plain.run, budget_ms=budget_ms))
        each = took / plain.expanded
        fast = totals[guide.name][1] / totals[guide.name][0]
        rows.append(
            (
                guide.name,
                f"{each * 1e6:.1f}",
                f"{fast * 1e9:.0f}",
                f"{each / fast:,.0f}x",
                f"{each * totals[guide.name][0]:,.0f}",
            )
        )
    section.text(
        '`search(space, "ida", h=...)` expands the same states in the same order, in plain Python '
        f"for states of any kind. It was watched for {budget_ms / 1000:g} s on the first instance; "
        "from that follows what all instances of the table would take it."
    )
    section.table(
        ("guide", "plain, µs a state", "compiled, ns a state", "ratio", "plain, seconds for all"),
        rows,
    )
