"""Agents that walk by RTA* or LRTA* on a level that they know in part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bake.core.arrays import Int32Array
from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief, Change
from bake.extras.crowds.plans import Maker, SearchedPlan
from bake.extras.school.real_time import RealTime
from levelbake.errors import QueryError
from levelbake.places import Place, quoted, whole_of

#: The farthest that such agents look ahead.
# limit: a one-line error; tests/extras/school/test_real_time_agent.py
MOST_LOOKAHEAD = 64

#: Whether each method is LRTA*; otherwise it is RTA*.
_LEARNS = {"lrta_star": True, "rta_star": False}


class RealTimeAgent(Agent):
    """An agent that looks some steps ahead and learns estimates of places.

    Its :meth:`path` is one step alone, which is not planned again when it is taken.
    """

    def __init__(
        self,
        belief: Belief,
        place: Place,
        goal: Place,
        method: str = "lrta_star",
        *,
        lookahead: int = 1,
        prune: bool = True,
    ) -> None:
        """Place an agent: see :class:`bake.extras.crowds.agent.Agent`.

        Args:
            belief, place, goal: as for other agents.
            method: "lrta_star" or "rta_star".
            lookahead: how many steps it looks ahead, 1 to 64.
            prune: whether to leave out, by alpha pruning, what cannot change a step.

        Raises:
            QueryError: as for other agents, or ``lookahead`` is no number in range.
        """
        if not 1 <= whole_of(lookahead) <= MOST_LOOKAHEAD:
            raise QueryError(f"lookahead is {quoted(lookahead)}", expected=f"1 to {MOST_LOOKAHEAD}")
        self._lookahead, self._prune = whole_of(lookahead), bool(prune)
        super().__init__(belief, place, goal, method)

    def _methods(self) -> Mapping[str, Maker]:
        return dict.fromkeys(_LEARNS, self._felt)

    def _felt(self, belief: Belief, _: int, goal: int) -> _Felt:
        learn = _LEARNS[self._method]
        return _Felt(belief, goal, self._lookahead, learn=learn, prune=self._prune)


class _Felt(SearchedPlan):
    """A plan of one step, by RTA* or LRTA*."""

    def __init__(
        self, belief: Belief, goal: int, lookahead: int, *, learn: bool, prune: bool
    ) -> None:
        self._search = RealTime(
            belief.arcs, belief.estimate, goal, lookahead, learn=learn, prune=prune
        )
        self._step: tuple[int, int] | None = None

    def learn(self, changes: list[Change]) -> None:
        self._step = None
        if any(change.cheaper for change in changes):
            # What was learned may be too much now.
            self._search.forget()

    def aim(self, here: int, goal: int) -> None:
        self._step = None
        self._search.aim(goal)

    def next_node(self, here: int) -> int:
        if self._step is None or self._step[0] != here:
            self._step = here, self._search.next_node(here)
        return self._step[1]

    def way(self, here: int) -> Int32Array | None:
        ahead = self.next_node(here)
        if ahead < 0:
            return None
        return np.array([here] if ahead == here else [here, ahead], dtype=np.int32)
