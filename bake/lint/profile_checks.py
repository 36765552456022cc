"""Checks of one profile's graph: islands, spawns without an exit, one-way traps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import Graph
from bake.lint.findings import Rule
from bake.lint.reach import largest_part, patches, reach, reached_from

#: Findings of one rule and profile told one by one; the rest in one line.
MOST_TOLD = 12


@dataclass(frozen=True)
class Place:
    """A spawn or an exit.

    Attributes:
        name: of the spot.
        row: where; -1 where the profile cannot stand there.
        own: whether the spot is for named profiles, this one among them.
    """

    name: str
    row: int
    own: bool


@dataclass(frozen=True)
class Walks:
    """One profile's graph.

    Attributes:
        graph: rows as nodes, arcs the profile may take.
        opened: the same, then as more nodes places in doors, and arcs as if all doors stood open.
        spawns, exits: spots of the level that are for the profile.
    """

    graph: Graph
    opened: Graph
    spawns: Sequence[Place]
    exits: Sequence[Place]


@dataclass(frozen=True)
class Spotted:
    """What a check found: the rule, the rows concerned and what is wrong with them."""

    rule: Rule
    rows: Int64Array
    message: str


def check_profile(walks: Walks) -> Iterator[Spotted]:
    """Everything wrong with the ways of one profile."""
    rows = walks.graph.node_count
    none = np.empty(0, dtype=np.int64)
    for spawn in walks.spawns:
        if spawn.row < 0 and spawn.own:
            yield Spotted("spawns", none, f"spawn {spawn.name!r} lies where it cannot stand")
    for spot in walks.exits:
        if spot.row < 0 and spot.own:
            yield Spotted("exits", none, f"exit {spot.name!r} lies where it cannot stand")
    if not rows:
        yield Spotted("islands", none, "there is nowhere to stand")
        return
    spawns = _rows(walks.spawns)
    exits = _rows(walks.exits)
    source = spawns if len(spawns) else largest_part(walks.graph)
    found = reach(walks.opened, source)
    said = "from any spawn" if len(spawns) else "from the largest part of the level"
    yield from _grouped("islands", walks.graph, ~found.reached[:rows], f"cannot be reached {said}")
    homeward = found.returns
    if len(exits):
        back, _ = walks.opened.reverse()
        leaves = reached_from(back, exits)
        for spawn in walks.spawns:
            if spawn.row >= 0 and not leaves[spawn.row]:
                at = np.array([spawn.row], dtype=np.int64)
                yield Spotted("exits", at, f"no way leads from spawn {spawn.name!r} to any exit")
        homeward = homeward | leaves
    goal = "to a spawn or an exit" if len(exits) else "to where it came from"
    trapped = (found.reached & ~homeward)[:rows]
    trapped[spawns] = False  # a spawn without an exit has been told of
    yield from _grouped("traps", walks.graph, trapped, f"can be entered, but no way leads {goal}")


def _rows(places: Sequence[Place]) -> Int32Array:
    return np.array([place.row for place in places if place.row >= 0], dtype=np.int32)


def _grouped(rule: Rule, graph: Graph, chosen: BoolArray, said: str) -> Iterator[Spotted]:
    if not chosen.any():
        return
    groups = patches(graph, chosen)
    told = len(groups) if len(groups) <= MOST_TOLD + 1 else MOST_TOLD
    for group in groups[:told]:
        yield Spotted(rule, group, f"{_counted(len(group))} {said}")
    if rest := groups[told:]:
        rows = np.concatenate(rest)
        yield Spotted(rule, rows, f"{_counted(len(rows))} in {len(rest):,} other parts {said}")


def _counted(count: int) -> str:
    return f"{count:,} place{'' if count == 1 else 's'}"
