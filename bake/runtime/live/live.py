"""A level that changes: one writer, any number of readers.

Everything a reader needs of one moment hangs on ``moments``, which a batch replaces by a single
assignment; so an answer is from before a batch or from after it, never from between.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bake.errors import CostError, QueryError
from bake.runtime.live.ground import Edit, Ground
from bake.runtime.live.report import UpdateReport
from bake.runtime.live.rules import LevelRules, ProfileRules
from bake.runtime.places import Place, Places

if TYPE_CHECKING:
    from bake.runtime.live.moment import Moment
    from bake.runtime.live.pricing import Pricing
    from bake.runtime.live.profile_state import ProfileLine, ProfileState
    from bake.runtime.navigator import Navigator


class Live:
    """What has become of a level since it was baked.

    Attributes:
        moments: answers of each profile now; empty while nothing has changed.
    """

    def __init__(self, places: Places, profiles: tuple[str, ...]) -> None:
        self.moments: Mapping[str, Moment] = {}
        self._places = places
        self._profiles = profiles
        self._writing = threading.RLock()
        self._watching: weakref.WeakSet[Navigator] = weakref.WeakSet()
        self._ground: Ground | None = None
        self._states: dict[str, ProfileState] = {}

    def watch(self, navigator: Navigator) -> None:
        """Tell this navigator when the level changes."""
        self._watching.add(navigator)

    @cached_property
    def rules(self) -> LevelRules:
        return LevelRules(self._places)

    @cached_property
    def _pricing(self) -> dict[str, Pricing]:
        from bake.runtime.live.pricing import Pricing

        return {
            name: Pricing(self.rules, ProfileRules(self.rules, name)) for name in self._profiles
        }

    @cached_property
    def _baked(self) -> dict[str, Navigator]:
        """Navigators of the level as it was baked, whatever has become of it."""
        from bake.runtime.navigator import Navigator

        return {name: Navigator(self._places, name) for name in self._profiles}

    @cached_property
    def _lines(self) -> dict[str, ProfileLine]:
        from bake.runtime.live.profile_state import ProfileLine

        return {
            name: ProfileLine(self.rules, self._baked[name]._tables, self._pricing[name])
            for name in self._profiles
        }

    @cached_property
    def floor(self) -> npt.NDArray[np.bool_]:
        """(terrain) bool, what some profile can stand on."""
        costs = [pricing.profile.cost for pricing in self._pricing.values()]
        return np.asarray(~np.isnan(costs).all(axis=0))

    @cached_property
    def usual(self) -> int:
        """The commonest terrain someone can stand on, the first of several: what walls open to."""
        count = np.bincount(self.rules.terrain, minlength=len(self.floor))
        count[~self.floor] = -1
        return int(count.argmax())

    def load(self) -> None:
        """Read and lay out what updates need: the graph, prices, room to search in."""
        with self._writing:
            if self._ground is None:
                states = {name: line.baked() for name, line in self._lines.items()}
                self._states, self._ground = states, Ground.baked(self.rules)

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[Place, str] | None = None,
        arcs: Mapping[tuple[Place, Place], float | None] | None = None,
    ) -> dict[str, UpdateReport]:
        """Apply one batch: see :meth:`bake.runtime.LevelAsset.update`."""
        from bake.runtime.live.arguments import edit_of

        with self._writing:
            return self.apply(edit_of(self.rules, blocked, opened, terrain, arcs))

    def apply(self, edit: Edit) -> dict[str, UpdateReport]:
        """Apply one batch of checked changes."""
        with self._writing:
            self.load()
            assert self._ground is not None
            if edit.opened and not self.floor.any():
                raise QueryError("no profile can stand on any terrain")
            return self.become(self._ground.edited(edit, self.floor, self.usual))

    def become(self, ground: Ground) -> dict[str, UpdateReport]:
        """Make this the ground, and publish answers for it."""
        with self._writing:
            self.load()
            assert self._ground is not None
            spots = self._ground.changed_spots(ground)
            prices = self._ground.changed_prices(ground)
            if prices:
                ends = np.array(sorted(prices), dtype=np.int64).reshape(-1)
                spots = np.union1d(spots, ends)
            try:
                moved = {
                    name: line.after(self._states[name], ground, spots)
                    for name, line in self._lines.items()
                }
            except CostError as error:
                raise QueryError(
                    error.found, place=error.place, expected=error.expected, remedy=error.remedy
                ) from None
            states = {name: each.state for name, each in moved.items()}
            before, after = self.moments, self._moments(states, ground)
            self._before_publishing(ground)
            self._ground, self._states = ground, states
            self.moments = after
            self._announce(before)
            return {name: self._report(name, moved[name], before, after) for name in after}

    def _before_publishing(self, ground: Ground) -> None:
        """Where a journal writes a batch down; what it raises leaves everything as it was."""

    def _moments(self, states: dict[str, ProfileState], ground: Ground) -> dict[str, Moment]:
        from bake.runtime.live.moment import Moment

        return {
            name: Moment(self, self._baked[name], line.pricing, states[name], ground)
            for name, line in self._lines.items()
        }

    def _announce(self, before: Mapping[str, Moment]) -> None:
        for moment in before.values():
            moment._superseded()
        for navigator in list(self._watching):
            navigator._superseded()

    def _report(
        self,
        name: str,
        moved: object,
        before: Mapping[str, Moment],
        after: Mapping[str, Moment],
    ) -> UpdateReport:
        from bake.runtime.live.arguments import place_of
        from bake.runtime.live.profile_state import Moved

        assert isinstance(moved, Moved)
        state = moved.state
        old = before[name].state if name in before else None
        was = np.zeros(state.row_count, dtype=np.bool_)
        was[: len(old.standing) if old else self._lines[name].tables.row_count] = (
            old.standing if old else True
        )
        come = np.flatnonzero(state.standing & ~was)
        gone = np.flatnonzero(was & ~state.standing)
        rules = self.rules
        return UpdateReport(
            name,
            moved.arcs,
            len(moved.patch),
            int(np.count_nonzero(state.source)),
            int(np.count_nonzero(state.goal)),
            len(state.columns.by_goal),
            tuple(place_of(rules, spot) for spot in state.spot_of_row[come].tolist()),
            tuple(place_of(rules, spot) for spot in state.spot_of_row[gone].tolist()),
            before.get(name),
            after[name],
        )
