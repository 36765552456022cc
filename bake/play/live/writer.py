"""Change a level, and publish the snapshots that readers answer from."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from bake.core.arrays import BoolArray, Int64Array
from bake.core.errors import CostError
from bake.play.hierarchy.lattice import LatticeHierarchy
from bake.play.live.changed import Followed
from bake.play.live.ground import (
    Edit,
    LevelState,
    changes_of,
    edit_from,
    edit_record,
    level_from,
    level_of_patch,
    version_of,
    write_patch,
)
from bake.play.live.journal import Journal
from bake.play.live.known import ReaderVersions
from bake.play.live.lattice import LatticeWriter
from bake.play.live.links import NameLog, link_of
from bake.play.live.nodes import asked_nodes, with_nodes
from bake.play.live.obstacles import AskedObstacles, asked_obstacles
from bake.play.live.pricing import Pricing
from bake.play.live.rules import LevelRules
from bake.play.live.searches import ChangedContext
from bake.play.live.versions import Edited, ProfileWriter
from bake.play.reader.engine import Baked
from bake.play.reader.version import Version
from bake.play.report import DetailedReport
from bake.play.searching.context import SearchContext
from bake.play.snapshot import Snapshot
from levelbake.changes import SAYS_NOTHING, WRONG, ChangeLog, Changes, UpdateReport, items_of
from levelbake.errors import PatchError, QueryError
from levelbake.places import Name, Place, number_of, quoted, whole_of
from levelbake.things import Link, ThingTables

_Snapshots = Mapping[str, Snapshot]

#: Cells whose terrain is counted at a time, as counting takes eight bytes for each.
# limit: the work is done in parts; lowered by changes
_COUNTED = 2**20


class LevelWriter:
    """The keeper of a level as it is now; nothing else changes the level.

    Attributes:
        rules: the rules that decide the price of a step.
    """

    def __init__(
        self,
        engines: Mapping[str, Baked],
        baked: _Snapshots,
        publish: Callable[[_Snapshots], None],
    ) -> None:
        """Make the writer of a level that nobody has changed yet.

        Args:
            engines: what answers for each profile as it was baked.
            baked: the snapshots of the level as it was baked.
            publish: called after each batch, with the snapshots that hold from then on.
        """
        self.rules = LevelRules(next(iter(engines.values())).version.places)
        self._engines = engines
        self._baked = self._snapshots = baked
        self._publish = publish
        self._writing = threading.RLock()
        self._level: LevelState | None = None
        self._baked_level: LevelState | None = None
        self._states: dict[str, Any] = {}
        self._first: dict[str, Any] = {}
        self._journal: Journal | None = None
        self._links, self._gone = NameLog[str](), NameLog[Name]()

    @cached_property
    def _log(self) -> ChangeLog:
        return ChangeLog(self.rules.span)

    @cached_property
    def _reader(self) -> ReaderVersions:
        return ReaderVersions(self.rules, self._engines)

    @cached_property
    def _profiles(self) -> dict[str, ProfileWriter | LatticeWriter]:
        return {name: self._maker(name, engine) for name, engine in self._engines.items()}

    def _maker(self, name: str, engine: Baked) -> ProfileWriter | LatticeWriter:
        pricing = Pricing(self.rules, name)
        listing = ProfileWriter(self.rules, engine, pricing, self._reader)
        if not engine.version.by_sheet:
            return listing
        baked = self._baked[name]

        def layers() -> LatticeHierarchy:
            found = baked.searches.hierarchy.tables
            assert isinstance(found, LatticeHierarchy)
            return found

        return LatticeWriter(self.rules, listing, layers)

    @cached_property
    def _passable(self) -> BoolArray:
        """Return (terrain) bool, True where some profile can stand on the terrain."""
        costs = [profile.pricing.mover.cost for profile in self._profiles.values()]
        return np.asarray(~np.isnan(costs).all(axis=0))

    @cached_property
    def _usual(self) -> int:
        """Return the commonest terrain that some profile can stand on; opened walls become it."""
        terrain, kinds = self.rules.terrain, len(self._passable)
        count = np.zeros(kinds, dtype=np.int64)
        for begin in range(0, len(terrain), _COUNTED):
            count += np.bincount(terrain[begin : begin + _COUNTED], minlength=kinds)
        count[~self._passable] = -1
        return int(count.argmax())

    # -- changes ----------------------------------------------------------------------------------

    def load(self) -> LevelState:
        """Read and lay out what updates need: the graph, prices, room to search in.

        Raises:
            QueryError: the level is a flat file in which cells are nodes.
        """
        if self.rules.asset.cells_are_nodes:
            raise QueryError(
                "in this flat file cells are nodes, and it does not hold the rules of their steps",
                file=self.rules.asset.path,
                remedy="open the asset to follow changes",
            )
        with self._writing:
            if self._level is None:
                self._states = {name: each.begin() for name, each in self._profiles.items()}
                self._first, self._level = self._states, LevelState.baked(self.rules)
                self._baked_level = self._level
            return self._level

    def first(self, name: str) -> Followed:
        """Return the engine of an unchanged profile."""
        with self._writing:
            self.load()
            assert self._baked_level is not None
            return self._profiles[name].followed(self._first[name], self._baked_level)

    def warm_up(self) -> None:
        """Load the level, and compile or load the kernels of a first update and first answer."""
        with self._writing:
            self.load()
            for name, state in self._states.items():
                self._profiles[name].warm_up(state)

    def update(
        self,
        blocked: Iterable[Place],
        opened: Iterable[Place],
        terrain: Mapping[Any, str] | None,
        arcs: Mapping[Any, float | None] | None,
        links: Mapping[str, Mapping[str, object] | Link | None] | None,
        nodes: Mapping[Any, Mapping[str, object] | None] | None,
        obstacles: Mapping[str, Sequence[Sequence[float]] | None] | None,
    ) -> dict[str, DetailedReport]:
        """Check and apply one batch: see :meth:`bake.play.LevelAsset.update`."""
        with self._writing:
            rules = self._rules_now
            asked = asked_nodes(rules, nodes, self._usual if nodes else 0)
            rules = with_nodes(rules, asked.nodes)
            cuts = self._cuts(rules, obstacles)
            rules = with_nodes(rules, cuts.nodes)
            batch = rules.asked.batch(blocked, opened, terrain, arcs)
            new = (*cuts.opened, *asked.new)
            batch = batch._replace(
                blocked=(*cuts.blocked, *batch.blocked, *asked.gone),
                opened=(*batch.opened, *(at for at in new if at not in batch.blocked)),
                terrain={**cuts.terrain, **asked.terrain, **batch.terrain},
            )
            said = cast("list[tuple[str, object]]", items_of(links, "links"))
            changed = {name: link_of(rules, name, each) for name, each in said}
            every = {**asked.nodes, **cuts.nodes}
            return self._apply(Edit(batch, changed, every, cuts.obstacles))

    def _cuts(self, rules: LevelRules, obstacles: object) -> AskedObstacles:
        if not obstacles:
            items_of(obstacles, "obstacles")
            return AskedObstacles()
        level = self.load()
        return asked_obstacles(rules, level.terrain, level.obstacle, obstacles)

    @property
    def _rules_now(self) -> LevelRules:
        """Return the rules of the level, with the nodes that there are."""
        return self.rules if self._level is None else self._level.rules

    def set_state(self, things: ThingTables, door: str, state: str) -> dict[str, DetailedReport]:
        """Put a door into a state: see :meth:`bake.play.LevelAsset.set_state`."""
        return self._apply(Edit(self.rules.asked.door(things, door, state), {}))

    def reset(self) -> dict[str, DetailedReport]:
        """Restore the baked level: see :meth:`bake.play.LevelAsset.reset`."""
        return self.restore(changes_of(LevelState.baked(self.rules)))

    @property
    def changes(self) -> dict[str, Any] | None:
        """Return the difference from the baked level, as a patch holds it, or None."""
        level = self._level
        if level is None:
            return None
        changes = changes_of(level)
        return None if changes == changes_of(LevelState.baked(self.rules)) else changes

    def restore(self, changes: dict[str, Any]) -> dict[str, DetailedReport]:
        """Apply what :attr:`changes` returned, in one batch."""
        with self._writing:
            self.load()
            return self._replace(level_from(self._rules_now, changes))

    def _replace(self, level: LevelState) -> dict[str, DetailedReport]:
        """Replace all that the level is made of, in one batch."""
        changed = self.load().changed(level)
        return self._become(level, changed, lambda: {"ground": changes_of(level)})

    def _apply(self, edit: Edit) -> dict[str, DetailedReport]:
        with self._writing:
            level = self.load()
            if edit.batch.opened and not self._passable.any():
                raise QueryError("no profile can stand on any terrain")
            after = level.edited(edit, self._passable, self._usual)
            changed = level.changed(after, edit.locations)
            return self._become(after, changed, partial(edit_record, after.rules, edit))

    def changes_since(self, token: int) -> Changes:
        """Return what has changed: see :meth:`bake.play.LevelAsset.changes_since`."""
        with self._writing:
            links = self.rules.links if self._level is None else self._level.links.now
            found = self._log.since(token, self._rules_now.places, links)
            token = whole_of(token)
            names = dict.fromkeys((*found.links, *sorted(self._links.since(token))))
            if gone := self._gone.since(token):
                every = dict.fromkeys((*found.places.tolist(), *gone))
                found = found._replace(places=np.array([*every, None], dtype=object)[:-1])
        return found._replace(links=tuple(names))

    def repair(self, names: Iterable[str], budget_ms: float | None) -> int:
        """Make ready what later questions need: see :meth:`bake.play.LevelAsset.repair`."""
        budget = float("inf") if budget_ms is None else number_of(budget_ms)
        if not 0 <= budget < float("inf") and budget_ms is not None:
            raise QueryError(f"budget_ms is {quoted(budget_ms)}", expected="milliseconds, or None")
        until = time.perf_counter() + budget / 1000
        with self._writing:
            known = [name for name in names if name in self._states]
            work = [
                part for name in known for part in self._profiles[name].unready(self._states[name])
            ]
            for done, part in enumerate(work, 1):
                part()
                if time.perf_counter() >= until:
                    return len(work) - done
            return 0

    def _become(
        self, level: LevelState, changed: Int64Array, record: Callable[[], dict[str, Any]]
    ) -> dict[str, DetailedReport]:
        """Make another level the current one, and publish snapshots of it.

        Args:
            level: what the level is made of from now on.
            changed: see :meth:`LevelState.changed`.
            record: makes the record of the change for the journal.
        """
        with self._writing:
            before = self.load()
            try:
                edited = {
                    name: profile.after(self._states[name], level, changed, before.links)
                    for name, profile in self._profiles.items()
                }
            except CostError as error:
                raise QueryError(
                    error.found, place=error.place, expected=error.expected, remedy=error.remedy
                ) from None
            snapshots = self._snapshots
            after = {name: self._snapshot(name, each.state, level) for name, each in edited.items()}
            if self._journal is not None:
                both = max(version_of(before.links), version_of(level.links))
                self._journal.append(record(), both)
            rerouted = [name for name, each in edited.items() if each.rerouted]
            self._log.note(changed, rerouted)
            self._links.note(self._log.batch, before.links.unlike(level.links))
            here, there = before.rules.places.added, level.rules.places.added
            self._gone.note(self._log.batch, [name for name in here if name not in there])
            self._level, self._snapshots = level, after
            self._states = {name: each.state for name, each in edited.items()}
            for name, each in edited.items():
                self._profiles[name].follow(each)
            self._publish(after)
            return {
                name: _report(each, snapshots[name].version, after[name].version)
                for name, each in edited.items()
            }

    def _snapshot(self, name: str, state: Any, level: LevelState) -> Snapshot:
        baked, maker = self._baked[name], self._profiles[name]
        engine = maker.engine(state, level)

        def searches() -> SearchContext:
            lattice = maker.lattice(state, engine.version)
            return ChangedContext(engine, lattice, baked.searches)

        return Snapshot(engine, baked.newest, searches, baked)

    # -- files ------------------------------------------------------------------------------------

    def save_patch(self, path: Path) -> None:
        """Write how the level differs from the bake: see :meth:`LevelAsset.save_patch`."""
        with self._writing:
            level = self._level or LevelState.baked(self.rules)
        write_patch(path, level)

    def apply_patch(self, path: Path) -> dict[str, DetailedReport]:
        """Make the level as a patch says: see :meth:`LevelAsset.apply_patch`."""
        with self._writing:
            return self._replace(level_of_patch(path, self._rules_now))

    def keep_journal(self, path: Path) -> int:
        """Replay a journal and continue it: see :meth:`LevelAsset.journal`."""
        with self._writing:
            if self._journal is not None and not self._journal.is_lost:
                raise QueryError("a journal is being kept already", place=str(self._journal.path))
            journal = Journal(path, self.rules.asset)
            lost, self._journal = self._journal, None
            try:
                for place, record in enumerate(journal.records):
                    self._replay(record, path, place + 2)
            except BaseException:
                journal.close()
                self._journal = lost
                raise
            if lost is not None:
                lost.close()
            self._journal = journal
            return len(journal.records)

    def _replay(self, record: dict[str, Any], path: Path, line: int) -> None:
        try:
            if record.keys() == {"ground"}:
                level = level_from(self._rules_now, record["ground"])
                self._become(level, self.load().changed(level), dict)
            else:
                self._apply(edit_from(self._rules_now, record))
        except WRONG as error:
            said = SAYS_NOTHING.partition(": ")[2]
            said = error.found if isinstance(error, QueryError) else said
            raise PatchError(f"damaged: line {line}: {said}", file=path) from None

    def close(self) -> None:
        """Close the journal."""
        with self._writing:
            if self._journal is not None:
                self._journal.close()
                self._journal = None


def _report(edited: Edited, before: Version, after: Version) -> DetailedReport:
    """Report what an edit did for one profile; some of it is worked out when the game asks.

    Args:
        edited: the profile afterwards.
        before, after: the profile before and afterwards.
    """
    report = UpdateReport(
        after.profile,
        edited.arcs,
        edited.state.as_baked,
        tuple(after.places.place_at(at) for at in edited.opened.tolist()),
        tuple(before.places.place_at(at) for at in edited.closed.tolist()),
    )
    return DetailedReport.of(
        report, lambda: (before.component_count, after.component_count), edited.clusters
    )
