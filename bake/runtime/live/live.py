"""A level that changes: the one writer, who publishes what many readers answer from."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bake.arrays import BoolArray
from bake.errors import CostError, PatchError, QueryError
from bake.runtime.live.arguments import edit_of, place_of
from bake.runtime.live.ground import Edit, Ground
from bake.runtime.live.journal import Journal
from bake.runtime.live.moment import Moment
from bake.runtime.live.patch import (
    WRONG,
    changes_of,
    edit_from,
    edit_record,
    ground_of,
    read_patch,
    write_patch,
)
from bake.runtime.live.pricing import Pricing
from bake.runtime.live.profile_state import Moved, ProfileLine, ProfileState
from bake.runtime.live.repairs import repair
from bake.runtime.live.report import UpdateReport
from bake.runtime.live.rules import LevelRules, ProfileRules
from bake.runtime.reader.places import Place

if TYPE_CHECKING:
    from bake.runtime.current import Current


class Live:
    """What has become of a level since it was baked, and the only one to change it."""

    def __init__(self, current: Current) -> None:
        self._current = current
        self._profiles = tuple(current.baked)
        self._writing = threading.RLock()
        self._ground: Ground | None = None
        self._states: dict[str, ProfileState] = {}
        self._journal: Journal | None = None

    @cached_property
    def rules(self) -> LevelRules:
        return LevelRules(self._current.places)

    @cached_property
    def _pricing(self) -> dict[str, Pricing]:
        return {
            name: Pricing(self.rules, ProfileRules(self.rules, name)) for name in self._profiles
        }

    @cached_property
    def _lines(self) -> dict[str, ProfileLine]:
        return {
            name: ProfileLine(self.rules, self._current.baked[name].tables, self._pricing[name])
            for name in self._profiles
        }

    @cached_property
    def floor(self) -> BoolArray:
        """(terrain) bool, what some profile can stand on."""
        costs = [pricing.profile.mover.cost for pricing in self._pricing.values()]
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

    def warm_up(self) -> None:
        """:meth:`load`, and compile or load the kernels of a first update and first answer."""
        from bake.search.live.affected import LaneScratch, affected_by
        from bake.search.live.flow_field import flow_field

        with self._writing:
            self.load()
            for state in self._states.values():
                if state.row_count > 1:
                    graph, scratch = state.graph, LaneScratch()
                    affected_by(graph, graph, np.zeros(1, dtype=np.int32), scratch)
                    flow_field(graph.into, 0, graph.shift)
                if state.clusters is not None and state.clusters.line.has_hierarchy:
                    state.clusters.warm_up()

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[Place, str] | None = None,
        arcs: Mapping[tuple[Place, Place], float | None] | None = None,
    ) -> dict[str, UpdateReport]:
        """Apply one batch: see :meth:`bake.runtime.LevelAsset.update`."""
        with self._writing:
            return self.apply(edit_of(self.rules, blocked, opened, terrain, arcs))

    def apply(self, edit: Edit) -> dict[str, UpdateReport]:
        """Apply one batch of checked changes."""
        with self._writing:
            self.load()
            assert self._ground is not None
            if edit.opened and not self.floor.any():
                raise QueryError("no profile can stand on any terrain")
            after = self._ground.edited(edit, self.floor, self.usual)
            return self._become(after, lambda: edit_record(edit))

    def repair(self, names: Iterable[str], budget_ms: float | None) -> int:
        """Make stale rows of some profiles anew: see :meth:`bake.runtime.LevelAsset.repair`."""
        if budget_ms is not None and not (
            isinstance(budget_ms, int | float) and 0 <= budget_ms < float("inf")
        ):
            raise QueryError(f"budget_ms is {budget_ms!r}", expected="milliseconds, or None")
        until = float("inf") if budget_ms is None else time.perf_counter() + budget_ms / 1000
        with self._writing:
            return sum(repair(self._states[name], until) for name in names if name in self._states)

    def set_state(self, door: str, state: str) -> dict[str, UpdateReport]:
        """Put a door into one of its states: see :meth:`bake.runtime.LevelAsset.set_state`."""
        found = self._current.things.doors.get(door)
        where = f"level {self._current.places.name!r}"
        if found is None:
            known = " or ".join(repr(name) for name in self._current.things.doors)
            raise QueryError(
                f"no door is named {door!r}", place=where, expected=known or "there are none"
            )
        if state not in found.states:
            raise QueryError(
                f"door {door!r} has no state {state!r}",
                place=where,
                expected=" or ".join(repr(name) for name in found.states),
            )
        cells = [tuple(cell) for cell in found.cells.tolist()]
        return self.update(terrain=dict(zip(cells, found.states[state], strict=True)))

    def save_patch(self, path: Path) -> None:
        """Write down what has become of the level: see :meth:`LevelAsset.save_patch`."""
        with self._writing:
            ground = self._ground or Ground.baked(self.rules)
        write_patch(path, self.rules, ground)

    def apply_patch(self, path: Path) -> dict[str, UpdateReport]:
        """Make the level what a patch says: see :meth:`LevelAsset.apply_patch`."""
        ground = read_patch(path, self.rules)
        return self._become(ground, lambda: {"ground": changes_of(self.rules, ground)})

    def keep_journal(self, path: Path) -> int:
        """Replay a journal and go on with it: see :meth:`LevelAsset.journal`."""
        with self._writing:
            if self._journal is not None:
                raise QueryError("a journal is being kept already", place=str(self._journal.path))
            journal = Journal(path, self.rules)
            try:
                for place, record in enumerate(journal.records):
                    self._replay(record, path, place + 2)
            except BaseException:
                journal.close()
                raise
            self._journal = journal
            return len(journal.records)

    def _replay(self, record: dict[str, Any], path: Path, line: int) -> None:
        try:
            if "ground" in record:
                ground = ground_of(self.rules, record["ground"])
                self._become(ground, dict)
            else:
                self.apply(edit_from(self.rules, record))
        except WRONG as error:
            said = error.found if isinstance(error, QueryError) else "it says nothing of this level"
            raise PatchError(f"damaged: line {line}: {said}", file=path) from None

    def close(self) -> None:
        """Close the journal."""
        with self._writing:
            if self._journal is not None:
                self._journal.close()
                self._journal = None

    def _become(
        self, ground: Ground, record: Callable[[], dict[str, Any]]
    ) -> dict[str, UpdateReport]:
        """Make this the ground, and publish answers for it.

        Args:
            ground: from now on.
            record: what a journal is to say of it.
        """
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
            before, after = self._current.moments, self._moments(states, ground)
            if self._journal is not None:
                self._journal.append(record())
            self._ground, self._states = ground, states
            self._current.publish(after)
            return {name: self._report(name, moved[name], before, after) for name in after}

    def _moments(self, states: dict[str, ProfileState], ground: Ground) -> dict[str, Moment]:
        return {
            name: Moment(
                self._current, self._current.baked[name], line.pricing, states[name], ground
            )
            for name, line in self._lines.items()
        }

    def _report(
        self,
        name: str,
        moved: Moved,
        before: Mapping[str, Moment],
        after: Mapping[str, Moment],
    ) -> UpdateReport:
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
            tuple(moved.changed.tolist()),
        )
