"""The lookup table of the lecture notes, and its repair; see docs/school.md.

A row says for each goal which neighbour to step to. After an edit the rows of its two ends are
opened. A row that is taken from the open list is rebuilt and closed; if it changed, the neighbours
that are neither open nor closed are opened. That is not exact, and the page says why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

from levelbake.errors import AssetError, QueryError
from levelbake.places import Name, quoted, whole_of

Row = Mapping[Name, Name]  # the next neighbor, by goal; unreachable goals are missing


class Rebuilt(NamedTuple):
    """One row that a repair has visited."""

    node: Name
    before: Row
    after: Row
    open: tuple[Name, ...]  # what is left to look at afterwards, the next one first
    closed: tuple[Name, ...]  # the visited nodes, this row included

    @property
    def changed(self) -> bool:
        """Whether the first step to any goal has changed."""
        return self.before != self.after


class LookupTable:
    """Next steps between all nodes of an undirected graph.

    Attributes:
        rows: of each node.
    """

    def __init__(self, edges: Iterable[tuple[Name, Name, int]]) -> None:
        """Build the table, by one search from each node.

        Args:
            edges: two ends and a cost, a whole number from 1 on.

        Raises:
            QueryError: a cost is another one.
        """
        self._costs: dict[Name, dict[Name, int]] = {}
        for one, other, cost in edges:
            self._join(one, other, cost)
        self.rows: dict[Name, Row] = {node: self._row(node) for node in self._costs}

    def next_hop(self, start: Name, goal: Name) -> Name | None:
        """Return the next node, the goal at the goal; None if it is unreachable.

        Raises:
            QueryError: there is no such node.
        """
        for node in (start, goal):
            if node not in self._costs:
                raise QueryError(f"no node is named {quoted(node)}")
        return goal if start == goal else self.rows[start].get(goal)

    def add(self, one: Name, other: Name, cost: int) -> list[Rebuilt]:
        """Add an edge, or change its cost, and repair the table.

        Returns:
            The rows that were looked at, in order.

        Raises:
            QueryError: the cost is no whole number from 1 on.
        """
        self._join(one, other, cost)
        return self._repair(one, other)

    def remove(self, one: Name, other: Name) -> list[Rebuilt]:
        """Remove an edge, and repair the table; see :meth:`add`.

        Raises:
            QueryError: there is no such edge.
        """
        if other not in self._costs.get(one, {}):
            raise QueryError(f"no edge joins {quoted(one)} and {quoted(other)}")
        for tail, head in ((one, other), (other, one)):
            self._costs[tail].pop(head, None)
        return self._repair(one, other)

    def wrong(self) -> list[tuple[Name, Name]]:
        """Return all pairs of a start and a goal whose next step begins no shortest path."""
        found = []
        for start in self._costs:
            best = self._first_steps(start)
            found += [
                (start, goal)
                for goal in self._costs
                if goal != start and self.rows[start].get(goal) not in best.get(goal, {None})
            ]
        return found

    def save(self, path: str | Path) -> None:
        """Write graph and table into a file in JSON, as they are."""
        edges = [
            [tail, head, cost] for tail, out in self._costs.items() for head, cost in out.items()
        ]
        rows = [[node, [*row.items()]] for node, row in self.rows.items()]
        Path(path).write_text(json.dumps({"edges": edges, "rows": rows}) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> LookupTable:
        """Return a table that :meth:`save` wrote, without any repair.

        Raises:
            AssetError: the file is none of these.
        """
        try:
            stored = json.loads(Path(path).read_text(encoding="utf-8"))
            table = cls([])
            for tail, head, cost in stored["edges"]:
                table._costs.setdefault(tail, {})[head] = cost
            table.rows = {node: dict(row) for node, row in stored["rows"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AssetError(
                f"cannot be read as a lookup table: {error}",
                file=path,
                expected="a file that LookupTable.save has written",
            ) from None
        return table

    def _join(self, one: Name, other: Name, cost: int) -> None:
        ticks = whole_of(cost)
        if ticks < 1:
            raise QueryError(
                f"the edge from {quoted(one)} to {quoted(other)} costs {quoted(cost)}",
                expected="a whole number from 1 on",
            )
        for tail, head in ((one, other), (other, one)):
            self._costs.setdefault(tail, {})[head] = ticks

    def _repair(self, one: Name, other: Name) -> list[Rebuilt]:
        opened, closed, done = [one, other], list[Name](), list[Rebuilt]()
        while opened:
            node = opened.pop(0)
            closed.append(node)
            before = self.rows.get(node, {})
            self.rows[node] = after = self._row(node, before)
            if before != after:
                near = self._costs[node]
                opened += [each for each in near if each not in opened and each not in closed]
            done.append(Rebuilt(node, before, after, tuple(opened), tuple(closed)))
        return done

    def _row(self, node: Name, before: Row | None = None) -> Row:
        """Return the row of a node; of several best steps the one before, or else the first."""
        row, near = before or {}, self._costs[node]
        return {
            goal: row[goal]
            if row.get(goal) in best
            else next(each for each in near if each in best)
            for goal, best in self._first_steps(node).items()
        }

    def _first_steps(self, start: Name) -> dict[Name, set[Name]]:
        """Return the first steps of all shortest paths from a node, by their goals (Dijkstra)."""
        cost, first = {start: 0}, {start: set[Name]()}
        waiting, numbers = [(0, 0, start)], {start: 0}
        done = set[Name]()
        while waiting:
            so_far, _, node = heappop(waiting)
            if node in done:
                continue
            done.add(node)
            for head, step in self._costs[node].items():
                steps = {head} if node == start else first[node]
                if so_far + step < cost.get(head, so_far + step + 1):
                    cost[head], first[head] = so_far + step, set(steps)
                    number = numbers.setdefault(head, len(numbers))  # Names need not be in order.
                    heappush(waiting, (cost[head], number, head))
                elif so_far + step == cost[head]:
                    first[head] |= steps
        del first[start]
        return first
