"""Check the graph of one profile for islands, traps, and spawns that cannot reach an exit."""

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

#: The most findings of one rule and profile that are listed one by one.
MOST_TOLD = 12


@dataclass(frozen=True)
class SpawnOrExit:
    """A spawn or exit, with its row in the graph of a profile."""

    name: str  #: name
    row: int  #: row of its cell; -1 if the profile cannot stand there
    #: whether to report that the profile cannot stand there: if the spot lists the profile, or if
    #: no profile can stand there
    own: bool


@dataclass(frozen=True)
class Ways:
    """The graph of a profile, with its spawns and exits."""

    graph: Graph  #: the rows and usable arcs of the profile
    #: the graph with all doors open; nodes at closed doors come after the rows
    opened: Graph
    #: spawns, exits: spots of the profile
    spawns: Sequence[SpawnOrExit]
    exits: Sequence[SpawnOrExit]


@dataclass(frozen=True)
class Problem:
    """A mistake: the violated rule, the rows concerned and the message."""

    rule: Rule
    rows: Int64Array
    message: str


def check_profile(ways: Ways) -> Iterator[Problem]:
    """Yield the mistakes in the connectivity of a profile."""
    rows = ways.graph.node_count
    no_rows = np.empty(0, dtype=np.int64)
    for spawn in ways.spawns:
        if spawn.row < 0 and spawn.own:
            yield Problem("spawns", no_rows, f"spawn {spawn.name!r} lies where it cannot stand")
    for spot in ways.exits:
        if spot.row < 0 and spot.own:
            yield Problem("exits", no_rows, f"exit {spot.name!r} lies where it cannot stand")
    if not rows:
        yield Problem("islands", no_rows, "there is nowhere to stand")
        return
    spawns = _list_rows(ways.spawns)
    exits = _list_rows(ways.exits)
    source = spawns
    if not len(spawns):
        component, _ = strong_components(ways.graph)
        largest = component == np.bincount(component).argmax()
        source = np.flatnonzero(largest)[:1].astype(np.int32)
    back, _ = ways.opened.reverse()
    reached, homeward = _find_reachable(ways.opened, source), _find_reachable(back, source)
    predicate = "from any spawn" if len(spawns) else "from the largest part of the level"
    yield from _report_groups(
        "islands", ways.graph, ~reached[:rows], f"cannot be reached {predicate}"
    )
    if len(exits):
        leaves = _find_reachable(back, exits)
        for spawn in ways.spawns:
            if spawn.row >= 0 and not leaves[spawn.row]:
                row = np.array([spawn.row], dtype=np.int64)
                yield Problem("exits", row, f"no path leads from spawn {spawn.name!r} to any exit")
        homeward = homeward | leaves
    goal = "to a spawn or an exit" if len(exits) else "to where it came from"
    trapped = (reached & ~homeward)[:rows]
    trapped[spawns] = False  # a spawn without an exit already has a finding
    yield from _report_groups(
        "traps", ways.graph, trapped, f"can be entered, but no path leads {goal}"
    )


def _list_rows(places: Sequence[SpawnOrExit]) -> Int32Array:
    return np.array([place.row for place in places if place.row >= 0], dtype=np.int32)


def _report_groups(
    rule: Rule, graph: Graph, chosen: BoolArray, predicate: str
) -> Iterator[Problem]:
    if not chosen.any():
        return
    groups = _find_groups(graph, chosen)
    listed = len(groups) if len(groups) <= MOST_TOLD + 1 else MOST_TOLD
    for group in groups[:listed]:
        yield Problem(rule, group, f"{counted(len(group), 'place')} {predicate}")
    if rest := groups[listed:]:
        rows = np.concatenate(rest)
        parts = f"{len(rest):,} other parts"
        yield Problem(rule, rows, f"{counted(len(rows), 'place')} in {parts} {predicate}")


# -- what can be reached ---------------------------------------------------------------------------


def _find_reachable(graph: Graph, source: Int32Array) -> BoolArray:
    """Return an (n) bool mask of nodes that can be reached from the sources (breadth first)."""
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
    """Return the graph of a profile with all doors open.

    Args:
        graph: the graph of all profiles.
        metric: the profile's metric.
        sub: the subgraph of the profile.
        at_door: (n) bool mask of nodes whose footprint covers a cell of a door.

    Returns:
        A graph with the rows of ``sub``, then the nodes at closed doors. All arcs that touch a door
        are open.
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


def _find_groups(graph: Graph, chosen: BoolArray) -> list[Int64Array]:
    """Return the connected groups of the chosen rows, ignoring directions, largest first."""
    part, _ = connected_parts(graph.first_out, graph.head, chosen.astype(np.int32))
    rows = np.flatnonzero(chosen)
    order = np.argsort(part[rows], kind="stable")
    label = part[rows][order]
    cuts = np.flatnonzero(np.diff(label)) + 1
    groups = [group for group in np.split(rows[order], cuts) if len(group)]
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))
