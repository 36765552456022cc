"""Lead a hunter to a target that moves, while it learns what arcs cost: Moving Target D* Lite.

    X. Sun, W. Yeoh, S. Koenig, "Moving Target D* Lite", AAMAS 2010.

The search runs from the hunter to the target. When the hunter has moved on, the part of the search
tree below it is kept and the rest forgotten, as far as it does not follow from what was kept. When
the target moves, keys are made for its new place as D* Lite makes them for the agent's.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.search.incremental.lifelong import LifelongPlanning
from bake.search.incremental.repair import MOST_LATE, cut_loose


class MovingTargetDStarLite(LifelongPlanning):
    """A shortest path from a hunter to its target, both of which move."""

    _hunter: int | None = None
    _way: Int32Array | None = None

    def move(self, hunter: int, target: int) -> None:
        """Say where hunter and target are now."""
        self._hunter = int(hunter)
        self._course = self._course._replace(target=int(target))

    def next_node(self) -> int:
        """Return the node to step to; -1 where no path is left, the target itself when there."""
        path = self.path()
        if path is None:
            return -1
        return int(path[min(1, len(path) - 1)])

    def ticks(self) -> int | None:
        """Return what a shortest path costs as weights are now; None where there is none."""
        found = super().ticks()
        # Labels count from where the hunter began, and what lies too far from there counts as none.
        if found is None and self._labels.rhs[self._course.root] > 0:
            self._anew()
            found = super().ticks()
        return found

    def _repair(self) -> None:
        root, hunter = self._course.root, self._hunter
        self._hunter = None
        if hunter is not None and hunter != root:
            labels = self._labels
            self._course = self._course._replace(root=hunter)
            # Only a node whose label is final can be a root.
            if labels.g[hunter] == labels.rhs[hunter] < MOST_LATE // 2:
                cut = np.empty(self.arcs.node_count, dtype=np.int32)
                size = cut_loose(self.arcs, labels, root, hunter, cut)
                self._note(cut[:size].astype(np.int64))
            else:
                self._anew()
        super()._repair()
