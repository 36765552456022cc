"""Keep the versions of one profile, and make the next one when an edit comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.graph import BLOCKED, Graph
from bake.runtime.live.clusters import ClusterLine, ClusterVersion
from bake.runtime.live.edits import LevelState
from bake.runtime.live.fields import ROOM, Change, FlowFields, RepairedRow
from bake.runtime.live.pricing import STEP, Pricing
from bake.runtime.live.rules import LevelRules
from bake.runtime.reader.baked import BakedTables

if TYPE_CHECKING:
    from bake.search.live.affected import LaneScratch
    from bake.search.live.graph import LiveGraph

ArcKey = tuple[int, int, int]


@dataclass(frozen=True)
class ProfileState:
    """One version of a profile. Baked rows keep their numbers; rows that opened follow them.

    Attributes:
        graph: arcs by row.
        location: (r) int32, the location of each row.
        known_row: (locations) int32, the row of a location that has ever been one, else -1.
        row_at: (locations) int32, the row where the profile can stand now, else -1.
        standing: (r) bool, True where the profile can stand on the row.
        source, goal: (r) uint8; the baked tables answer for a pair where the sum is below 2.
        differs: the baked ticks of every arc that costs something else now, by (tail, head, label).
        fields: flow fields of goals asked for.
        rows: rows made again, by source; they do not answer for goals marked in ``since``.
        since: (r) uint8, 1 for goals near a change that came after the first of those rows.
        clusters: the clusters and the layers above them; None where the asset has none.
    """

    graph: LiveGraph
    location: Int32Array
    known_row: Int32Array
    row_at: Int32Array
    standing: BoolArray
    source: UInt8Array
    goal: UInt8Array
    differs: Mapping[ArcKey, int]
    fields: FlowFields
    rows: dict[int, RepairedRow]
    since: UInt8Array
    clusters: ClusterVersion | None

    @property
    def row_count(self) -> int:
        """Return how many rows there are, with those that nobody can stand on any more."""
        return len(self.location)


@dataclass(frozen=True)
class Edited:
    """The version after an edit, and what the edit changed.

    Attributes:
        state: the version.
        arcs: how many arcs changed.
        near: int32, rows around those arcs; the baked next hops toward them are void.
        ends: int32, rows at the ends of changed arcs, and rows that opened.
        rerouted: whether an arc opened or closed, or rows without arcs came or went.
    """

    state: ProfileState
    arcs: int
    near: Int32Array
    ends: Int32Array
    rerouted: bool


class ProfileWriter:
    """A maker of the versions of one profile.

    Attributes:
        tables: the profile as it was baked.
        pricing: prices of the steps of the profile.
    """

    def __init__(self, rules: LevelRules, tables: BakedTables, pricing: Pricing) -> None:
        from bake.search.live.affected import LaneScratch

        self.tables = tables
        self.pricing = pricing
        self._rules = rules
        self._scratch: LaneScratch = LaneScratch()

    def initial(self) -> ProfileState:
        """Return the first version: the profile as it was baked."""
        from bake.search.live.graph import LiveGraph

        tables, rules = self.tables, self._rules
        self._check_standing()
        row = tables.row_at_node
        graph = rules.graph
        inside = np.flatnonzero((row[rules.tail] >= 0) & (row[graph.head] >= 0))
        label: Int32Array = inside.astype(np.int32)
        if tables.places.is_grid:
            label[rules.link[inside] < 0] = STEP
        local, order = Graph.from_arcs(
            tables.row_count, row[rules.tail[inside]], row[graph.head[inside]]
        )
        live = LiveGraph.of(local, tables.weight[inside][order], label[order])
        fresh = np.zeros(tables.row_count, dtype=np.uint8)
        standing = np.ones(tables.row_count, dtype=np.bool_)
        return ProfileState(
            live,
            tables.location,
            tables.row_at,
            tables.row_at,
            standing,
            fresh,
            fresh,
            {},
            FlowFields(live, ROOM),
            {},
            fresh,
            self._baked_clusters(live, standing),
        )

    def _check_standing(self) -> None:
        """Refuse an asset whose profile stands elsewhere than terrain, costs and size say."""
        location = self._rules.location_of_node.astype(np.int64)
        stands = self.pricing.standing(LevelState.baked(self._rules), location)
        if (stands != (self.tables.component >= 0)).any():
            raise self.tables.damaged("components do not fit terrain, costs and size")

    def _baked_clusters(self, graph: LiveGraph, standing: BoolArray) -> ClusterVersion | None:
        if not self.tables.has("cluster"):
            return None
        none = np.empty(0, dtype=np.int32)
        return ClusterVersion(ClusterLine(self.tables, graph), graph, standing, none, None, none)

    def after(self, state: ProfileState, level: LevelState, changed: Int64Array) -> Edited:
        """Return the version after an edit.

        Args:
            state: the version before.
            level: what the level is made of afterwards.
            changed: locations where it changed, and both ends of arcs whose own price did.

        Raises:
            QueryError: a price, or a distance, does not fit the integer scale.
        """
        edited = self._without_clusters(state, level, changed)
        if state.clusters is None:
            return edited
        return replace(edited, state=self._with_clusters(state, state.clusters, edited))

    def _with_clusters(
        self, before: ProfileState, clusters: ClusterVersion, edited: Edited
    ) -> ProfileState:
        """Return the next version with the clusters that belong to it."""
        state, baked = edited.state, self.tables.row_count
        stood = np.zeros(state.row_count, dtype=np.bool_)
        stood[: len(before.standing)] = before.standing
        others = np.flatnonzero(stood != state.standing)
        changed = np.union1d(edited.ends, others).astype(np.int32)
        if not len(changed):
            return state
        whole = state.standing[:baked].all() and not state.standing[baked:].any()
        as_baked = whole and not state.differs
        clusters = ClusterVersion(
            clusters.line,
            state.graph,
            state.standing,
            state.location[baked:],
            None if as_baked else clusters,
            changed[:0] if as_baked else changed,
        )
        return replace(state, clusters=clusters)

    def _without_clusters(
        self, state: ProfileState, level: LevelState, changed: Int64Array
    ) -> Edited:
        near = self.pricing.touched(changed)
        stands = self.pricing.standing(level, near)
        state, near_row = _with_rows(state, near, stands)
        has_row = near_row >= 0
        standing = state.standing.copy()
        standing[near_row[has_row]] = stands[has_row]
        gone = np.flatnonzero(state.standing & ~standing).astype(np.int32)
        come = np.flatnonzero(~state.standing & standing).astype(np.int32)
        arcs = self.pricing.arcs_at(level, changed)
        tail, head = state.known_row[arcs.tail], state.known_row[arcs.head]
        inside = np.flatnonzero((tail >= 0) & (head >= 0))
        tail, head, label = tail[inside], head[inside], arcs.label[inside]
        new = arcs.weight[inside]
        place = state.graph.out.find(tail, head, label)
        old = np.where(place >= 0, state.graph.out.weight[np.maximum(place, 0)], BLOCKED)
        at = np.flatnonzero(old != new)
        change = Change(tail[at], head[at], old[at], new[at], gone)
        row_at = state.row_at
        if len(gone) or len(come):
            row_at = row_at.copy()
            row_at[state.location[gone]] = -1
            row_at[state.location[come]] = come
        state = replace(state, standing=standing, row_at=row_at)
        if not len(at):
            nobody = np.empty(0, dtype=np.int32)
            rerouted = len(gone) + len(come) > 0
            return Edited(self._settled(state, gone), 0, nobody, come, rerouted)
        return self._repriced(state, change, label[at], come)

    def _settled(self, state: ProfileState, gone: Int32Array) -> ProfileState:
        """Return the version after an edit of no arc; rows without arcs may have come or gone."""
        none = np.empty(0, dtype=np.int32)
        fields = state.fields.carried(state.graph, Change(none, none, none, none, gone))
        return replace(state, fields=fields)

    def _repriced(
        self, state: ProfileState, change: Change, label: Int32Array, come: Int32Array
    ) -> Edited:
        from bake.search.live.affected import AFFECTED, affected_by

        rows = state.row_count
        graph = state.graph.edited(rows, change.tail, change.head, label, change.new)
        ends = np.unique(np.concatenate([change.tail, change.head, come])).astype(np.int32)
        found = affected_by(state.graph, graph, ends, self._scratch)
        differs = _differences(state.differs, change, label)
        source = np.maximum(state.source, found.source)
        goal = np.maximum(state.goal, found.goal)
        kept = {row: each for row, each in state.rows.items() if not found.source[row]}
        since = state.since | (found.goal == AFFECTED)
        if not differs:
            kept = {}
            # Everything costs what it did when the tables were baked.
            source[: self.tables.row_count] = 0
            goal[: self.tables.row_count] = 0
        edited = replace(
            state,
            graph=graph,
            source=source,
            goal=goal,
            differs=differs,
            fields=state.fields.carried(graph, change),
            rows=kept,
            since=since.astype(np.uint8) if kept else np.zeros(rows, dtype=np.uint8),
        )
        rerouted = bool(((change.old == BLOCKED) != (change.new == BLOCKED)).any())
        rerouted = rerouted or len(change.gone) + len(come) > 0
        return Edited(edited, len(change.tail), found.surroundings, ends, rerouted)


def _with_rows(
    state: ProfileState, near: Int64Array, stands: BoolArray
) -> tuple[ProfileState, Int32Array]:
    """Add a row for every one of these locations that the profile can stand on and has no row.

    Returns:
        The version with these rows, and the row of each location, -1 where it has none.
    """
    row = state.known_row[near]
    fresh = near[stands & (row < 0)]
    if not len(fresh):
        return state, row
    from bake.search.live.affected import AFFECTED

    rows = state.row_count + len(fresh)
    known = state.known_row.copy()
    known[fresh] = np.arange(state.row_count, rows, dtype=np.int32)
    none = np.empty(0, dtype=np.int32)
    graph = state.graph.edited(rows, none, none, none, none)
    affected = np.full(len(fresh), AFFECTED, dtype=np.uint8)
    widened = replace(
        state,
        graph=graph,
        known_row=known,
        location=np.concatenate([state.location, fresh.astype(np.int32)]),
        standing=np.concatenate([state.standing, np.zeros(len(fresh), dtype=np.bool_)]),
        source=np.concatenate([state.source, affected]),
        goal=np.concatenate([state.goal, affected]),
        since=np.concatenate([state.since, np.ones(len(fresh), dtype=np.uint8)]),
    )
    return widened, known[near]


def _differences(
    before: Mapping[ArcKey, int], change: Change, label: Int32Array
) -> dict[ArcKey, int]:
    """Return the baked ticks of every arc that costs something else after a change."""
    differs = dict(before)
    keys = zip(change.tail.tolist(), change.head.tolist(), label.tolist(), strict=True)
    for key, old, new in zip(keys, change.old.tolist(), change.new.tolist(), strict=True):
        baked = differs.pop(key, old)
        if baked != new:
            differs[key] = baked
    return differs
