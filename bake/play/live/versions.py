"""Make the next version of a profile when an edit comes, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED, INFINITY, Graph, Subgraph
from bake.play.live.changed import Changed, Followed
from bake.play.live.clusters import ClusterLine, ClusterVersion
from bake.play.live.exact import ExactHierarchy
from bake.play.live.fields import FlowFields
from bake.play.live.ground import LevelState
from bake.play.live.known import ReaderVersions
from bake.play.live.links import LinkState
from bake.play.live.pricing import Pricing
from bake.play.live.rules import LevelRules
from bake.play.live.state import ChangedArcs, Differences, GraphVersion, ProfileState
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.engine import Baked
from bake.play.reader.places import NodePlaces
from bake.play.reader.version import Make, Priced, Version
from bake.search.all_pairs.batch import too_long
from bake.search.graph.connectivity import reachable_components, strong_components
from bake.search.live.baked_hops import BakedHops, no_hops
from bake.search.live.flow_field import flow_field
from bake.search.live.graph import LiveGraph
from levelbake.steps import chart
from levelbake.things import ThingTables

#: Rows that opened since the bake and are in no door. With more of them the baked dissection might
#: leave large parts uncut, and the level is cut anew.
# limit: the level is cut again, not as it was baked; lowered by contracted_changes
MOST_NEW_ROWS = 64


@dataclass(frozen=True)
class Edited:
    """The version after an edit, and what the edit changed."""

    state: Any  #: the version
    arcs: int  #: how many arcs changed
    changed: ChangedArcs | None  #: these arcs; None where arcs are not listed
    #: opened, closed: int32, locations where the profile can stand from now on, and no longer can
    opened: Int32Array
    closed: Int32Array
    rerouted: bool  #: whether an arc opened or closed, or rows without arcs came or went
    #: tells the clusters in which, or on the border of which, an arc changed
    clusters: Callable[[], tuple[int, ...]]


class ProfileWriter:
    """A maker of the versions of one profile.

    Attributes:
        baked: what answers for the profile as it was baked, and columns: what the asset holds.
        pricing: prices of the steps of the profile.
        hierarchy: what answers for the newest version.
    """

    def __init__(
        self, rules: LevelRules, baked: Baked, pricing: Pricing, reader: ReaderVersions
    ) -> None:
        self.baked, self.columns = baked, baked.columns
        self.pricing = pricing
        self._rules, self._reader = rules, reader
        self.hierarchy = ExactHierarchy(self._lattice, self._heights, lambda: self.baked_hops)
        self._cells: tuple[Int32Array, Int32Array] | None = None

    def _lattice(self, location: Int32Array) -> Int32Array | None:
        places = self.columns.places
        return chart(places.cells_of(location), places.hex_layout) if places.is_grid else None

    def _heights(self, state: ProfileState) -> UInt8Array | None:
        new_rows = state.row_count - state.arcs.baked.row_count
        if new_rows > MOST_NEW_ROWS or not self.columns.has("cut_height"):
            return None
        baked = self.columns.column("cut_height", np.uint8)
        node = np.full(self._rules.span, -1, dtype=np.int32)
        node[self._rules.location_of_node] = np.arange(len(baked), dtype=np.int32)
        place = node[state.location]
        return np.where(place >= 0, baked[place], 0).astype(np.uint8)

    @cached_property
    def baked_hops(self) -> BakedHops:
        """Return the next hops of the asset, as kernels take them beside other searches."""
        if not self.columns.has_hops:
            return no_hops()
        hops, index = self.columns.hops, self.columns.steps.index
        row_data = index.row_data.copy()
        row_data[:-1, 1] = 0 if hops.stores_none else hops.component
        reach = np.empty((0, 0), dtype=np.uint8) if hops.reach is None else np.array(hops.reach)
        return BakedHops(row_data, index.run, index.greedy_row, reach)

    def cells_of(self, location: Int32Array) -> Int32Array:
        """Return (r, 2) int32, the cell of each row; kept, as rows seldom come."""
        kept = self._cells
        if kept is None or kept[0] is not location:
            kept = self._cells = location, self.columns.places.cells_of(location)
        return kept[1]

    def initial(self) -> ProfileState:
        """Return the first version: the profile as it was baked.

        Where doors may open there are rows on which nobody can stand yet, so that the contraction
        hierarchy knows the arcs through them from the beginning; but not where rows are numbered
        by sheets.
        """
        columns, rules = self.columns, self._rules
        self._check_standing()
        baked = columns.row_count
        row = columns.row_at_node.copy()
        doors = self._nodes_of_doors(row)
        row[doors] = np.arange(baked, baked + len(doors), dtype=np.int32)
        location = np.concatenate([columns.location, rules.location_of_node[doors]])
        known = columns.row_at.copy()
        known[location[baked:]] = row[doors]
        graph = rules.graph
        # Steps that do not exist lead to where they begin.
        joined = (row[rules.tail] >= 0) & (row[graph.head] >= 0) & (rules.tail != graph.head)
        inside = np.flatnonzero(joined)
        local, order = Graph.from_arcs(
            len(location), row[rules.tail[inside]], row[graph.head[inside]]
        )
        live = LiveGraph.of(local, columns.weight[inside][order], rules.label[inside][order])
        standing = np.zeros(len(location), dtype=np.bool_)
        standing[:baked] = True
        return ProfileState(
            GraphVersion(live, len(location), Differences()),
            baked,
            location.astype(np.int32),
            known,
            standing,
            live.heaviest,
            self._baked_clusters(live, standing[:baked]),
        )

    def _nodes_of_doors(self, row: Int32Array) -> Int64Array:
        """Find the nodes in doors, or beside them for large agents, that are no rows."""
        columns, rules, size = self.columns, self._rules, self.pricing.mover.size
        places = columns.places
        if not places.is_grid:
            return np.empty(0, dtype=np.int64)
        if self.baked.version.by_sheet:
            return np.empty(0, dtype=np.int64)
        near = np.zeros((places.height, places.width), dtype=np.bool_)
        for door in ThingTables(places).doors.values():
            x, y = places.cells_of(places.locations(door.cells, "a door")).T
            for up, left in np.ndindex(size, size):
                near[np.maximum(y - up, 0), np.maximum(x - left, 0)] = True
        return np.flatnonzero(near.reshape(-1)[rules.location_of_node] & (row < 0))

    def _check_standing(self) -> None:
        """Refuse an asset whose profile stands elsewhere than terrain, costs and size say."""
        location = self._rules.location_of_node.astype(np.int64)
        stands = self.pricing.standing(LevelState.baked(self._rules), location)
        if (stands != (self.columns.component >= 0)).any():
            raise self.columns.damaged("components do not fit terrain, costs and size")

    def _baked_clusters(self, graph: LiveGraph, standing: BoolArray) -> ClusterVersion | None:
        if not self.columns.has("cluster"):
            return None
        none = np.empty(0, dtype=np.int32)
        return ClusterVersion(
            ClusterLine(self.columns, graph),
            lambda: graph,
            standing,
            none,
            None,
            none,
            self.columns.places,
        )

    def after(
        self, state: ProfileState, level: LevelState, changed: Int64Array, before: LinkState
    ) -> Edited:
        """Return the version after an edit.

        Args:
            state: the version before.
            level: what the level is made of afterwards.
            changed: locations where it changed, and both ends of arcs and links that did.
            before: the links before.

        Raises:
            QueryError: a price, or a distance, does not fit the integer scale.
        """
        patch = self.pricing.patch(level, changed)
        state, row = with_rows(state, patch.near, patch.stands, level.rules.location_count)
        here = row >= 0
        row, stands = row[here], patch.stands[here]
        other = level.rules.named_otherwise(before.rules, patch.near)[here]
        stood = state.standing[row]
        gone, come = row[stood & (~stands | other)], row[stands & (~stood | other)]
        standing = state.standing
        if len(gone) or len(come):
            standing = standing.copy()
            standing[gone], standing[come] = False, True
        arcs = self.pricing.arcs_at(level, changed, patch, before)
        # An arc from or to a place that was never a row is blocked, as it always was.
        tail, head = state.known_row.take(arcs.tail), state.known_row.take(arcs.head)
        old = state.arcs.weights(tail, head, arcs.label)
        at = np.flatnonzero(old != arcs.weight)
        tail, head, label, old = tail[at], head[at], arcs.label[at], old[at]
        new = arcs.weight[at]
        differs = state.arcs.differs.edited(tail, head, label, old, new)
        ends = np.concatenate([tail, head, come, gone])
        graph = GraphVersion(state.arcs.baked, state.row_count, differs)
        after = ProfileState(
            graph,
            state.baked_rows,
            state.location,
            state.known_row,
            standing,
            max(state.heaviest, int(new[new != BLOCKED].max(initial=0))),
            self._clusters(state, graph, standing, ends, before.rules.places, level.rules.places),
        )
        if after.heaviest > state.heaviest:
            self._check_scale(after, head[new == after.heaviest])
        rerouted = len(gone) + len(come) > 0 or bool(((old == BLOCKED) != (new == BLOCKED)).any())
        return Edited(
            after,
            len(at),
            ChangedArcs(tail, head, label, new),
            state.location[come],
            state.location[gone],
            rerouted,
            partial(_clusters_of, after, ends),
        )

    def engine(self, state: ProfileState, level: LevelState) -> Changed:
        """Return what answers for a version."""
        made = self.fields(lambda: state, level)
        version = Version(level.rules.places, self.columns.profile, made, level)
        followed = partial(self.followed, state, level)
        return Changed(version, self.baked, followed, as_baked=state.as_baked)

    def fields(self, state: Callable[[], ProfileState], level: LevelState) -> dict[str, Make]:
        """Return what makes the fields of a version: see :func:`fields_of`."""
        return fields_of(state, self.columns, self.pricing, level, self.cells_of)

    def followed(self, state: ProfileState, level: LevelState) -> Followed:
        """Return the engine of a version of the profile."""
        solver = partial(self._reader.solver, self.columns.profile, state, level)
        return Followed(state, self.hierarchy, solver)

    def lattice(self, _state: ProfileState, _version: Version) -> None:
        """Return no layers by sheet, as arcs are listed."""

    def begin(self) -> ProfileState:
        """Return the first version, and answer for it from now on."""
        state = self.initial()
        self.hierarchy.begin(state)
        return state

    def follow(self, edited: Edited) -> None:
        """Answer for a version from now on."""
        assert edited.changed is not None
        self.hierarchy.follow(edited.state, edited.changed)

    def unready(self, state: ProfileState) -> Iterator[Callable[[], object]]:
        """Give what makes a version ready for questions, as far as it is not."""
        clusters = state.clusters
        if not state.as_baked and not self.hierarchy.is_ready(state):
            yield partial(self.hierarchy.prepare, state)
        if clusters is not None and clusters.line.has_hierarchy and not clusters.is_made:
            yield clusters.made
            yield clusters.runs

    def warm_up(self, state: ProfileState) -> None:
        """Compile or load the kernels of a first update and of the first answer after it."""
        if state.row_count > 1:
            rows, goals = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
            state.arcs.weights(rows, goals, rows)
            fields = FlowFields(state.arcs, self.hierarchy.baked_hops)
            fields.next_rows(rows, goals)
            fields.walk(rows, goals)
            self.hierarchy.warm_up(state)
        if state.clusters is not None and state.clusters.line.has_hierarchy:
            state.clusters.warm_up()

    def _clusters(
        self,
        state: ProfileState,
        graph: GraphVersion,
        standing: BoolArray,
        changed: Int32Array,
        before: NodePlaces,
        places: NodePlaces,
    ) -> ClusterVersion | None:
        """Begin the next version of the clusters.

        Args:
            state: the version before, with the rows of the next one.
            graph: the next version's arcs.
            standing: (r) bool, where the profile can stand then.
            changed: rows that differ, or at the ends of arcs that do.
            before, places: those of the level before, and then.
        """
        clusters, baked = state.clusters, self.columns.row_count
        last = clusters
        if clusters is None or (not len(changed) and before is places):
            return clusters
        if not graph.differs and not standing[baked:].any() and standing[:baked].all():
            last, changed = None, changed[:0]
        elif before is not places:
            # Rows may lie elsewhere now, so all that differ from the bake are laid out anew.
            ends = np.array(list(graph.differs.all()), dtype=np.int32).reshape(-1, 3)[:, :2]
            stood = np.arange(len(standing)) < baked
            unlike = np.union1d(ends, np.flatnonzero(standing != stood))
            last, changed = None, unlike.astype(np.int32)
        own = state.location[baked:]
        return ClusterVersion(
            clusters.line, lambda: graph.graph, standing, own, last, changed, places
        )

    def _check_scale(self, state: ProfileState, dearest: Int32Array) -> None:
        """Refuse an arc so dear that paths over it cannot be told from no path.

        Raises:
            CostError: a distance comes too near the end of the integer scale.
        """
        if state.row_count * state.heaviest < INFINITY:
            return
        graph = state.graph
        for adjacency in (graph.into, graph.out):
            dist = flow_field(adjacency, int(dearest[0]), graph.shift)
            longest = int(dist[dist < INFINITY].max(initial=0))
            if longest >= INFINITY - state.heaviest:
                raise too_long(longest, state.heaviest, "lower the costs, or ticks_per_unit")


def _clusters_of(state: ProfileState, rows: Int32Array) -> tuple[int, ...]:
    """Return the clusters of some rows."""
    if state.clusters is None or not len(rows):
        return ()
    label = state.clusters.made().partition.label
    return tuple(sorted(set(label[rows].tolist()) - {-1}))


def with_rows(
    state: ProfileState, near: Int64Array, stands: BoolArray, locations: int = 0
) -> tuple[ProfileState, Int32Array]:
    """Add a row for every one of these locations that the profile can stand on and has no row.

    Args:
        near, stands: (k) int64 and (k) bool, some locations, and whether it can stand there.
        locations: how many there are by now; 0 = no more than before.

    Returns:
        The version with these rows, and the row of each location, -1 where it has none.
    """
    if locations > len(state.known_row):
        none = np.full(locations - len(state.known_row), -1, dtype=np.int32)
        state = replace(state, known_row=np.concatenate([state.known_row, none]))
    row = state.known_row[near]
    fresh = near[stands & (row < 0)]
    if not len(fresh):
        return state, row
    rows = state.row_count + len(fresh)
    known = state.known_row.copy()
    known[fresh] = np.arange(state.row_count, rows, dtype=np.int32)
    arcs = state.arcs
    widened = replace(
        state,
        arcs=GraphVersion(arcs.baked, rows, arcs.differs),
        known_row=known,
        location=np.concatenate([state.location, fresh.astype(np.int32)]),
        standing=np.concatenate([state.standing, np.zeros(len(fresh), dtype=np.bool_)]),
    )
    return widened, known[near]


# -- what is known of a version ------------------------------------------------------------------

#: The largest closure between one-way components that is worth making, in bytes.
# limit: no closure; searches answer reachability; lowered by changes
_MAX_CLOSURE = 2**20


def fields_of(
    state: Callable[[], ProfileState],
    columns: ProfileColumns,
    pricing: Pricing,
    level: LevelState,
    cells_of: Callable[[Int32Array], Int32Array],
) -> dict[str, Make]:
    """Return what makes the fields of a version.

    Args:
        state: gives the version of the profile.
        columns: the profile as it was baked.
        level: what the level is made of.
        cells_of: gives the cells (x, y) of locations.
    """
    return {
        "row_count": lambda _: state().row_count,
        "location": lambda _: state().location,
        "known_row": lambda _: state().known_row,
        "standing": lambda _: state().standing,
        "cell_of_row": lambda version: cells_of(version.location),
        "usable": lambda _: _usable(state()),
        "priced": partial(_priced, pricing, level),
        "row_cost": lambda version: pricing.cost_at(level, version.location.astype(np.int64)),
        "component_of_row": _component_of_row,
        "component_count": lambda version: len(
            np.unique(version.component_of_row[version.standing])
        ),
        "one_way": _one_way,
        "reach": _reach,
        "has_hops": lambda _: columns.has_hops,
        "has_distances": lambda _: columns.has_distances,
        "step_costs": lambda version: partial(_step_costs, pricing, level, version),
    }


def _usable(state: ProfileState) -> Subgraph:
    graph, weight = state.graph.out.compact()
    return Subgraph(graph, weight, state.location, np.zeros(graph.arc_count, dtype=np.int32))


def _component_of_row(version: Version) -> Int32Array:
    return strong_components(version.usable.graph)[0]


def _one_way(version: Version) -> bool:
    label, graph = version.component_of_row, version.usable.graph
    return bool((label[graph.tail()] != label[graph.head]).any())


def _reach(version: Version) -> AnyArray | None:
    label = version.component_of_row
    count = int(label.max(initial=-1)) + 1
    if not version.one_way or count * ((count + 7) // 8) > _MAX_CLOSURE:
        return None
    return reachable_components(version.usable.graph, label, count)


def _priced(pricing: Pricing, level: LevelState, version: Version) -> Priced:
    """Price the arcs that may be taken."""
    assert version.standing is not None
    rows = np.flatnonzero(version.standing)
    arcs = pricing.arcs_out_of(level, version.location[rows].astype(np.int64))
    usable = np.isfinite(arcs.units)
    row = version.known_row
    graph, order = Graph.from_arcs(
        version.row_count, row[arcs.tail[usable]], row[arcs.head[usable]]
    )
    return Priced(graph.first_out[:-1], graph.first_out[1:], graph.head, arcs.units[usable][order])


def _step_costs(
    pricing: Pricing, level: LevelState, version: Version, rows: Int32Array
) -> Float64Array:
    """Return (k - 1) float64 units of each step between k rows; inf where no arc leads."""
    if len(rows) < 2:
        return np.empty(0)
    along = version.locations_of(rows)
    arcs = pricing.arcs_out_of(level, np.unique(along).astype(np.int64))
    usable = arcs.weight != BLOCKED
    ends = zip(arcs.tail[usable].tolist(), arcs.head[usable].tolist(), strict=True)
    costs = zip(arcs.weight[usable].tolist(), arcs.units[usable].tolist(), strict=True)
    cheapest: dict[tuple[int, int], tuple[int, float]] = {}
    for key, cost in zip(ends, costs, strict=True):
        cheapest[key] = min(cheapest.get(key, cost), cost)
    none = BLOCKED, np.inf
    return np.array([cheapest.get(step, none)[1] for step in pairwise(along.tolist())])
