"""This module checks one profile's graph for islands, spawns without an exit, and traps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.errors import counted
from bake.core.graph import BLOCKED, Graph, Metric, Subgraph, positions
from bake.project.lint.findings import Rule
from bake.search.graph.connectivity import strong_components
from bake.search.graph.partition import connected_parts

#: At most this many findings of one rule and profile are listed one by one; one line has the rest.
MOST_TOLD = 12


@dataclass(frozen=True)
class SpawnOrExit:
    """A spawn or an exit."""

    name: str  #: name of the spot
    row: int  #: row of the spot's place; -1 where the profile cannot stand there
    #: whether a finding is due for this profile when it cannot stand there. `bake lint` sets it
    #: where the spot is for named profiles, including this one, and where no profile can stand.
    own: bool


@dataclass(frozen=True)
class Ways:
    """One profile's graph, with its spawns and exits."""

    graph: Graph  #: rows as nodes, with the arcs the profile may take
    #: the same nodes, then places in doors as further nodes, with the arcs the profile could take
    #: if all doors stood open
    opened: Graph
    #: spawns, exits: spots of the level that are for the profile
    spawns: Sequence[SpawnOrExit]
    exits: Sequence[SpawnOrExit]


@dataclass(frozen=True)
class Problem:
    """What a check found: the rule, the rows concerned and what is wrong with them."""

    rule: Rule
    rows: Int64Array
    message: str


def check_profile(ways: Ways) -> Iterator[Problem]:
    """Find everything wrong with the ways of one profile."""
    rows = ways.graph.node_count
    none = np.empty(0, dtype=np.int64)
    for spawn in ways.spawns:
        if spawn.row < 0 and spawn.own:
            yield Problem("spawns", none, f"spawn {spawn.name!r} lies where it cannot stand")
    for spot in ways.exits:
        if spot.row < 0 and spot.own:
            yield Problem("exits", none, f"exit {spot.name!r} lies where it cannot stand")
    if not rows:
        yield Problem("islands", none, "there is nowhere to stand")
        return
    spawns = _rows(ways.spawns)
    exits = _rows(ways.exits)
    source = spawns
    if not len(spawns):
        component, _ = strong_components(ways.graph)
        largest = component == np.bincount(component).argmax()
        source = np.flatnonzero(largest)[:1].astype(np.int32)
    back, _ = ways.opened.reverse()
    reached, homeward = _reached_from(ways.opened, source), _reached_from(back, source)
    said = "from any spawn" if len(spawns) else "from the largest part of the level"
    yield from _grouped("islands", ways.graph, ~reached[:rows], f"cannot be reached {said}")
    if len(exits):
        leaves = _reached_from(back, exits)
        for spawn in ways.spawns:
            if spawn.row >= 0 and not leaves[spawn.row]:
                at = np.array([spawn.row], dtype=np.int64)
                yield Problem("exits", at, f"no way leads from spawn {spawn.name!r} to any exit")
        homeward = homeward | leaves
    goal = "to a spawn or an exit" if len(exits) else "to where it came from"
    trapped = (reached & ~homeward)[:rows]
    trapped[spawns] = False  # a spawn without an exit already has a finding
    yield from _grouped("traps", ways.graph, trapped, f"can be entered, but no way leads {goal}")


def _rows(places: Sequence[SpawnOrExit]) -> Int32Array:
    return np.array([place.row for place in places if place.row >= 0], dtype=np.int32)


def _grouped(rule: Rule, graph: Graph, chosen: BoolArray, said: str) -> Iterator[Problem]:
    if not chosen.any():
        return
    groups = _groups(graph, chosen)
    told = len(groups) if len(groups) <= MOST_TOLD + 1 else MOST_TOLD
    for group in groups[:told]:
        yield Problem(rule, group, f"{counted(len(group), 'place')} {said}")
    if rest := groups[told:]:
        rows = np.concatenate(rest)
        parts = f"{len(rest):,} other parts"
        yield Problem(rule, rows, f"{counted(len(rows), 'place')} in {parts} {said}")


# -- what can be reached ---------------------------------------------------------------------------


def _reached_from(graph: Graph, source: Int32Array) -> BoolArray:
    """Return (n) bool, True where a node can be reached from a source; searches breadth first."""
    seen = np.zeros(graph.node_count, dtype=np.bool_)
    seen[source] = True
    front = source
    while len(front):
        begin = graph.first_out[front].astype(np.int64)
        count = graph.first_out[front + 1] - begin
        ends = np.cumsum(count)
        arc = np.arange(int(ends[-1])) + np.repeat(begin - (ends - count), count)
        head = graph.head[arc]
        front = np.unique(head[~seen[head]])
        seen[front] = True
    return seen


def opened_graph(graph: Graph, metric: Metric, sub: Subgraph, at_door: BoolArray) -> Graph:
    """Build a profile's graph as if all doors stood open.

    Args:
        graph: the graph of all profiles.
        metric: the profile's metric.
        sub: the profile's part of the graph.
        at_door: (n) bool, nodes whose footprint covers a cell of a door.

    Returns:
        A graph of the rows of ``sub``, then of the nodes at doors where the profile cannot stand
        now. Every arc that touches a door counts as open.
    """
    if not at_door.any():
        return sub.graph
    tail, head = graph.tail(), graph.head
    open_node = metric.passable | at_door
    usable = (metric.weight != BLOCKED) | at_door[tail] | at_door[head]
    usable &= open_node[tail] & open_node[head]
    extra = np.flatnonzero(at_door & ~metric.passable)
    row = positions(np.concatenate([sub.node, extra]), graph.node_count)
    opened, _ = Graph.from_arcs(len(sub.node) + len(extra), row[tail[usable]], row[head[usable]])
    return opened


def _groups(graph: Graph, chosen: BoolArray) -> list[Int64Array]:
    """Split the chosen rows into groups joined by arcs of either direction, largest first."""
    part, _ = connected_parts(graph.first_out, graph.head, chosen.astype(np.int32))
    rows = np.flatnonzero(chosen)
    order = np.argsort(part[rows], kind="stable")
    label = part[rows][order]
    cuts = np.flatnonzero(np.diff(label)) + 1
    groups = [group for group in np.split(rows[order], cuts) if len(group)]
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))
