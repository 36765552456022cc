"""Lead an agent to a goal while it learns what arcs cost: D* Lite.

    S. Koenig, M. Likhachev, "D* Lite", AAAI 2002 (the second version, which adds km to keys).

The search runs from the goal toward the agent, so that its labels outlive the agent's moves; what
the agent learns lies near it, where the search ends, so repairs are short.
"""

from __future__ import annotations

from bake.search.incremental.lifelong import LifelongPlanning


class DStarLite(LifelongPlanning):
    """A shortest path from where an agent is to a goal that stays."""

    _forward = False

    def move(self, start: int) -> None:
        """Say where the agent is now."""
        self._course = self._course._replace(target=int(start))

    def next_node(self) -> int:
        """Return the node to step to; -1 where no path is left, the goal itself when there."""
        if self.ticks() is None:
            return -1
        _, root, target = self._course
        return root if target == root else int(self._labels.parent[target])
