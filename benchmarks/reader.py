"""Compare the reader that games ship with bake.play: opening, lookups, and updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bake.play import open_asset
from benchmarks.bench import Bench
from benchmarks.clock import undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.section import Section
from levelbake.level import open_level

PAIRS, PATHS = 10_000, 200

FULL = ("arena", "den312d", "lak303d", "den520d")
QUICK = ("arena", "den312d")

COLUMNS = (
    "open ms",
    "first ms",
    "hop µs",
    "batch ns",
    "path µs",
    "distance µs",
    "update ms",
    "first after ms",
    "again µs",
)
#: The aim for the first next hop after an update on 5,000 cells.
FIRST_AFTER_AIM, CELLS = 5.0, 5_000


def run(bench: Bench, section: Section) -> None:
    """Measure every map."""
    names = bench.choose(section, FULL, QUICK)
    rounds = bench.either(7, 3)
    section.text(
        f"The least of {rounds} rounds for {PAIRS:,} random pairs one by one and in one call, and "
        f"{PATHS} paths and distances. Opening and first answers are those of a newly opened "
        "level; then a place in the middle of a path is blocked."
    )
    rows, slowest = [], 0.0
    for name in names:
        ground = ground_of(name)
        asset = bench.baked(name).asset
        prove_alike(asset, ground)
        for title, opened in (("levelbake", open_level), ("bake.play", open_asset)):
            with undisturbed():
                figures = [measure(opened, asset, ground, turn) for turn in range(rounds)]
            least = [min(column) for column in zip(*figures, strict=True)]
            rows.append((name, f"{ground.nodes:,}", title, *(f"{each:.2f}" for each in least)))
            if title == "levelbake" and ground.nodes <= CELLS:
                slowest = max(slowest, least[7])
    section.table(("map", "nodes", "by", *COLUMNS), rows)
    section.at_most("first next hop after an update", slowest, FIRST_AFTER_AIM, "ms")


def prove_alike(asset: Path, ground: Ground) -> None:
    """Raise if the answers of the two readers differ."""
    starts, goals = ground.pairs(PAIRS, 0)
    with open_level(asset) as ours, open_asset(asset) as theirs:
        for _ in range(2):
            mine, other = ours.profile(), theirs.profile()
            assert (mine.next_hops(starts, goals) == other.next_hops(starts, goals)).all()
            assert (mine.distances(starts, goals) == other.distances(starts, goals)).all()
            path = mine.path(*ends(starts, goals)[0]) or []
            blocked = path[len(path) // 2 :][:1]
            ours.update(blocked)
            theirs.update(blocked)
            stands = np.asarray(mine.can_stand(starts)) & np.asarray(mine.can_stand(goals))
            starts, goals = starts[stands][:PATHS], goals[stands][:PATHS]


def ends(starts: Any, goals: Any) -> list[tuple[Any, Any]]:
    """Return pairs in the form of single queries of a game."""
    each = zip(starts.tolist(), goals.tolist(), strict=True)
    return [(tuple(a), tuple(b)) for a, b in each]


def measure(opened: Callable[[Path], Any], asset: Path, ground: Ground, seed: int) -> list[float]:
    """Measure one round: return a figure for each of COLUMNS."""
    starts, goals = ground.pairs(PAIRS, seed)
    pairs = ends(starts, goals)
    begun = time.perf_counter()
    with opened(asset) as level:
        nav = level.profile()
        found = [(time.perf_counter() - begun) * 1e3]
        found.append(seconds_of(lambda: nav.next_hop(*pairs[0])) * 1e3)
        found.append(seconds_of(lambda: [nav.next_hop(*pair) for pair in pairs]) / PAIRS * 1e6)
        nav.next_hops(starts[:1], goals[:1])
        found.append(seconds_of(lambda: nav.next_hops(starts, goals)) / PAIRS * 1e9)
        nav.distance(*pairs[0])
        some = pairs[:PATHS]
        paths = [nav.path(*pair) for pair in some]
        found.append(seconds_of(lambda: [nav.path(*pair) for pair in some]) / PATHS * 1e6)
        found.append(seconds_of(lambda: [nav.distance(*pair) for pair in some]) / PATHS * 1e6)
        long = int(np.argmax([len(path or ()) for path in paths]))
        path = paths[long]
        found.append(seconds_of(lambda: level.update(blocked=[path[len(path) // 2]])) * 1e3)
        found.append(seconds_of(lambda: nav.next_hop(*some[long])) * 1e3)
        found.append(seconds_of(lambda: [nav.next_hop(*some[long]) for _ in range(100)]) * 1e4)
    return found


def seconds_of(question: Callable[[], object]) -> float:
    """Return the seconds of a query."""
    begun = time.perf_counter()
    question()
    return time.perf_counter() - begun
