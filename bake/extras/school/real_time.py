"""Real-time search with lookahead and learned heuristics: RTA* and LRTA*.

    R. E. Korf, "Real-Time Heuristic Search", Artificial Intelligence 42, 1990.

Neither plans a whole path. Each looks at what can be reached in k steps, by *minimin*: a neighbour
is worth the least g + h of where k - 1 further steps may lead. The agent steps to the best
neighbour, and corrects h where it stood. **LRTA*** sets it to what the best neighbour promises. If
h was admissible it stays so, and an agent that makes the same trip again and again ends up on a
shortest path. **RTA*** sets it to the second best, which is what it would cost to come back and
take another way. That is right for one trip, and too much for the next.

*Alpha pruning* leaves out what cannot count: as no node is worth less than its h, a branch ends
where g + h exceeds alpha, the best value so far (the second best for RTA*, which learns it). The
search is depth first, the most promising branch first, and remembers what it proved of each node
for each number of steps. Without pruning it looks at a node once for each number of steps that
leads to it.

What was learned about a place counts on the way through it, too: it is worth
no less than its own h. Without that an agent that looks ahead may go in circles, as ways past what
it has learned look better each time.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int64Array
from bake.core.graph import BLOCKED, INFINITY
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import Estimate, fill_estimates

#: Where a step leads, and what it costs.
_Step = tuple[int, int]


class RealTime:
    """A search for single steps toward a goal, each within its lookahead.

    Attributes:
        arcs: the graph; its weights may change, see :meth:`changed`.
        h: (n) int64 ticks, what the agent thinks is left from each node.
        expanded: nodes whose arcs were looked at so far, each time counted.
    """

    def __init__(
        self,
        arcs: TwinArcs,
        estimate: Estimate,
        goal: int,
        lookahead: int = 1,
        *,
        learn: bool,
        prune: bool = True,
    ) -> None:
        """Begin.

        Args:
            arcs: the graph.
            estimate: the heuristic to begin with; what LRTA* promises needs an admissible one.
            goal: a node.
            lookahead: k, how many steps to look ahead, at least 1.
            learn: whether this is LRTA*; otherwise it is RTA*.
            prune: whether to leave out branches that cannot change the decision.
        """
        self.arcs = arcs
        self.expanded = 0
        self.h: Int64Array = np.empty(arcs.node_count, dtype=np.int64)
        self._terms = estimate.terms()
        self._lookahead = lookahead
        self._learn, self._prune = learn, prune
        self.aim(goal)

    @property
    def nbytes(self) -> int:
        """The bytes of the learned heuristic."""
        return self.h.nbytes

    @property
    def labels(self) -> Int64Array:
        """(n) int64, the learned estimate of each node in ticks."""
        return self.h

    def aim(self, goal: int) -> None:
        """Set another goal, and discard the learned estimates."""
        self._goal = int(goal)
        self.forget()

    def forget(self) -> None:
        """Restore the initial heuristic, as when arcs have become cheaper."""
        fill_estimates(self._terms, self._goal, 0, self.h)
        self.h[self._goal] = 0

    def next_node(self, here: int) -> int:
        """Return the next node, and learn; -1 without a step, the goal at the goal.

        Of equally good neighbours the one with the smallest number counts.
        """
        if here == self._goal:
            return here
        values = self._minimin(here)
        if not values:
            return -1
        best, node = min(values)
        if self._learn:
            self.h[here] = max(int(self.h[here]), best)
        else:
            second = sorted(values)[1][0] if len(values) > 1 else INFINITY
            self.h[here] = second
        return node

    def _minimin(self, here: int) -> list[tuple[int, int]]:
        """Return the least g + h within k steps through each neighbor, and the neighbor.

        Neighbors from where nobody can go on are left out, and where branches are pruned, those
        that neither the step nor what is learned depends on.
        """
        values: list[tuple[int, int]] = []
        alpha = INFINITY - 1
        known: dict[tuple[int, int], tuple[int, bool]] = {}
        for least, head, ticks in self._promising(here):
            if least > alpha:
                break
            value = ticks + self._worth(head, self._lookahead - 1, alpha - ticks, known)
            if value > alpha:
                continue
            values.append((value, head))
            best = sorted(values)[: 1 if self._learn else 2]
            if self._prune and len(best) == (1 if self._learn else 2):
                alpha = best[-1][0]
        return values

    def _worth(
        self, node: int, steps: int, alpha: int, known: dict[tuple[int, int], tuple[int, bool]]
    ) -> int:
        """Return the least g + h within a number of steps from a node, but no less than its h.

        Args:
            node: where the steps begin.
            steps: how many there are.
            alpha: a value that exceeds it may be any lower bound that exceeds it.
            known: the value of nodes and steps, and whether it is exact, not a lower bound.
        """
        if node == self._goal:
            return 0
        h = int(self.h[node])
        if steps == 0 or h > alpha:
            return h
        value, is_exact = known.get((node, steps), (0, False))
        if is_exact or value > alpha:
            return value
        best = INFINITY
        for least, head, ticks in self._promising(node):
            if self._prune and least > min(alpha, best):
                best = min(best, least)
                break
            limit = min(alpha, best) if self._prune else INFINITY
            best = min(best, ticks + self._worth(head, steps - 1, limit - ticks, known))
        value = max(h, best)
        known[node, steps] = value, value <= alpha or not self._prune
        return value

    def _promising(self, node: int) -> list[tuple[int, int, int]]:
        """Return g + h, the node and the ticks of each neighbor, the least g + h first."""
        found = [(ticks + int(self.h[head]), head, ticks) for head, ticks in self._steps(node)]
        return sorted(found)

    def _steps(self, node: int) -> list[_Step]:
        self.expanded += 1
        first, end = self.arcs.first_out[node : node + 2].tolist()
        weights = self.arcs.weight[first:end].tolist()
        heads = self.arcs.head[first:end].tolist()
        blocked = int(BLOCKED)
        return [(h, w) for h, w in zip(heads, weights, strict=True) if w != blocked]
