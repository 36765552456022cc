"""All-pairs shortest paths with negative arcs; see docs/school.md.

R. Floyd, "Algorithm 97: Shortest Path", Communications of the ACM 5, 1962, with the next node of
each path in a second table. A path may lead over arcs below nothing, such as a spring that heals,
as long as no cycle gains by being walked again and again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import pairwise
from numbers import Integral
from typing import Generic, TypeVar

import numpy as np

from bake.core.arrays import Float64Array, Int32Array
from levelbake.errors import QueryError
from levelbake.places import quoted

N = TypeVar("N", bound=Hashable)


class PathTable(Generic[N]):
    """Shortest paths between all nodes of a directed graph.

    Attributes:
        nodes: in the order of rows and columns.
        distance: (n, n) float64, what a path costs; inf where there is none.
        hop: (n, n) int32, the node to step to; -1 where there is no path, and at the goal.
    """

    def __init__(self, arcs: Iterable[tuple[N, N, int]], nodes: Iterable[N] = ()) -> None:
        """Solve a graph.

        Args:
            arcs: tail, head and cost of each, a whole number; of parallel arcs the least counts.
            nodes: further nodes, or all of them in another order than that in which arcs name them.

        Raises:
            QueryError: a cost is no whole number, or a cycle costs less than nothing.
        """
        listed = list(arcs)
        self.nodes: tuple[N, ...] = tuple(
            dict.fromkeys([*nodes, *(end for arc in listed for end in arc[:2])])
        )
        self._number = {node: number for number, node in enumerate(self.nodes)}
        n = len(self.nodes)
        self.distance: Float64Array = np.full((n, n), np.inf)
        self.hop: Int32Array = np.full((n, n), -1, dtype=np.int32)
        np.fill_diagonal(self.distance, 0)
        self._arcs: dict[tuple[int, int], int] = {}
        for tail, head, cost in listed:
            if isinstance(cost, bool) or not isinstance(cost, Integral) or abs(int(cost)) > 10**9:
                raise QueryError(
                    f"the arc from {quoted(tail)} to {quoted(head)} costs {quoted(cost)}",
                    expected="a whole number, at most a billion from 0, so that sums are exact",
                )
            arc = self._number[tail], self._number[head]
            self._arcs[arc] = min(int(cost), self._arcs.get(arc, int(cost)))
        for (row, column), cost in self._arcs.items():
            if row != column:
                self.distance[row, column], self.hop[row, column] = cost, column
            elif cost < 0:
                raise self._gaining([row, row])
        for middle in range(n):
            self._go_by(middle)

    def _go_by(self, middle: int) -> None:
        """Allow one more node on paths."""
        distance, hop = self.distance, self.hop
        out_and_back = distance[:, middle] + distance[middle]
        if len(gains := np.flatnonzero(out_and_back < 0)):
            # No earlier cycle gains, so the tables still contain both paths of this one.
            node = int(gains[0])
            raise self._gaining([*self._steps(node, middle), *self._steps(middle, node)[1:]])
        by = distance[:, middle, None] + distance[middle]
        shorter = by < distance
        np.copyto(distance, by, where=shorter)
        np.copyto(hop, np.broadcast_to(hop[:, middle, None], hop.shape), where=shorter)

    def cost(self, start: N, goal: N) -> float:
        """Return the cost of a shortest path; inf if the goal is unreachable.

        Raises:
            QueryError: there is no such node.
        """
        return float(self.distance[self._row(start), self._row(goal)])

    def next_hop(self, start: N, goal: N) -> N | None:
        """Return the next node, the goal at the goal; None if it is unreachable.

        Raises:
            QueryError: there is no such node.
        """
        row, column = self._row(start), self._row(goal)
        hop = column if row == column else int(self.hop[row, column])
        return None if hop < 0 else self.nodes[hop]

    def path(self, start: N, goal: N) -> list[N] | None:
        """Return the nodes of a shortest path, both ends included; None if unreachable.

        Raises:
            QueryError: there is no such node.
        """
        row, column = self._row(start), self._row(goal)
        if self.distance[row, column] == np.inf:
            return None
        return [self.nodes[each] for each in self._steps(row, column)]

    def _steps(self, row: int, column: int) -> list[int]:
        steps = [row]
        while steps[-1] != column:
            steps.append(int(self.hop[steps[-1], column]))
        return steps

    def _row(self, node: N) -> int:
        if node not in self._number:
            raise QueryError(f"no node is named {quoted(node)}")
        return self._number[node]

    def _gaining(self, walk: list[int]) -> QueryError:
        """Return the error that names a cycle which gains, on a closed walk that does."""
        begun: list[int] = []
        for node in walk:
            if node in begun:
                cycle = [*begun[begun.index(node) :], node]
                if (cost := sum(self._arcs[arc] for arc in pairwise(cycle))) < 0:
                    break
                begun = begun[: begun.index(node)]
            begun.append(node)
        names = " to ".join(quoted(self.nodes[each]) for each in cycle)
        return QueryError(
            f"the cycle from {names} costs {cost}",
            expected="no cycle that costs less than nothing, or paths would go round for ever",
        )
