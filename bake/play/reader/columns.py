"""Read the columns of one profile: when first needed, checked against each other, and then kept."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array
from bake.core.graph import (
    BLOCKED,
    Graph,
    Metric,
    Subgraph,
    leads_back,
    positions,
    usable_subgraph,
)
from bake.core.movement import SECTORS, greedy_slots, greedy_steps
from bake.play.reader.hops import DistanceLabels, RunHops
from bake.play.reader.places import NodePlaces
from bake.play.reader.version import Make, Priced, Version
from bake.play.reader.walk import Steps
from levelbake.columns import profile_path
from levelbake.errors import CorruptAssetError, MissingTableError
from levelbake.file import run_starts
from levelbake.steps import chart, unit_cost


class ProfileColumns:
    """What an asset holds of one profile; arcs are those of the whole graph.

    Columns are checked against each other as they are loaded: any of them may raise a
    CorruptAssetError.

    Attributes:
        places: the places of the level.
        profile: the name of the profile.
    """

    def __init__(self, places: NodePlaces, profile: str) -> None:
        self.places = places
        self.profile = profile
        self._asset = places.asset

    def damaged(self, found: str) -> CorruptAssetError:
        """Return the error for columns that contradict each other."""
        return self._asset.damaged(found)

    def missing(self, table: str) -> MissingTableError:
        """Return the error for a table that the asset was baked without."""
        return self.version.missing(table)

    @cached_property
    def version(self) -> Version:
        """Return what is known of the profile as it was baked."""
        return Version(self.places, self.profile, self.fields)

    @property
    def fields(self) -> dict[str, Make]:
        """Return what makes each field of that."""
        own = "row_count location usable row_cost component_of_row component_count one_way reach"
        names = (*own.split(), "has_hops", "has_distances", "step_costs")
        made: dict[str, Make] = {name: partial(_own, self, name) for name in names}
        return made | {
            "known_row": lambda _: self.row_at,
            "standing": lambda _: None,
            "cell_of_row": lambda version: self.places.cells_of(version.location),
            "priced": lambda _: Priced(
                self.first_arc, self.end_arc, self.head_row, self.exact_cost
            ),
        }

    # -- columns ----------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Tell whether the asset holds this column of the profile."""
        return self._asset.has(profile_path(self.profile, name))

    def column(self, name: str, kind: type[np.generic]) -> AnyArray:
        """Return one of the profile's columns, as an array of this type."""
        return self._asset.read(profile_path(self.profile, name)).astype(kind, copy=False)

    @cached_property
    def component(self) -> Int32Array:
        """Return (n) int32, the component of each node; -1 where the profile cannot stand."""
        return self._asset.graph.component(self.profile)

    @cached_property
    def node(self) -> Int32Array:
        """Return (r) int32, the node of each row."""
        return np.flatnonzero(self.row_at_node >= 0).astype(np.int32)

    @property
    def row_count(self) -> int:
        """Return how many rows there are."""
        return len(self.location)

    @cached_property
    def location(self) -> Int32Array:
        """Return (r) int32, the location of each row."""
        if self._asset.implied:
            return self._asset.implied.cells(self.profile)
        return self.places.flat[self.node] if self.places.is_grid else self.node

    @cached_property
    def row_at_node(self) -> Int32Array:
        """Return (n) int32, the row of each node; -1 where the profile cannot stand."""
        return self._asset.graph.rows(self.profile)

    @cached_property
    def row_at(self) -> Int32Array:
        """Return (locations) int32, the row at each; -1 where the profile cannot stand."""
        if not self.places.is_grid:
            return self.row_at_node
        return positions(self.location, self.places.width * self.places.height)

    @cached_property
    def component_of_row(self) -> Int32Array:
        """Return (r) int32, the component of each row."""
        return self.component[self.node]

    @cached_property
    def component_count(self) -> int:
        """Return how many components there are."""
        return int(self.component.max(initial=-1)) + 1

    @cached_property
    def first_arc(self) -> Int32Array:
        """Return (r) int32, the first arc out of each row."""
        return self.places.first_out[self.node]

    @cached_property
    def end_arc(self) -> Int32Array:
        """Return (r) int32, one past the last arc out of each row."""
        return self.places.first_out[self.node + 1]

    @cached_property
    def head_row(self) -> Int32Array:
        """Return (m) int32, the row each arc leads to; -1 where the profile may not take it."""
        return np.where(self._opened, self.row_at_node[self.places.head], np.int32(-1))

    @cached_property
    def _opened(self) -> BoolArray:
        """Return (m) bool, True where the profile may take an arc, whatever it weighs."""
        opened = self._asset.graph.opened(self.profile)
        stands = self.row_at_node >= 0
        ends = np.repeat(stands, np.diff(self.places.first_out)) & stands[self.places.head]
        if (opened & ~ends).any():
            raise self.damaged("an arc can be taken from or to where the profile cannot stand")
        return opened

    @cached_property
    def weight(self) -> Int32Array:
        """Return (m) int32 ticks, the weight of each arc."""
        weight = self._asset.graph.weight(self.profile)
        if not np.array_equal(weight != BLOCKED, self._opened):
            raise self.damaged("terrain says otherwise than weights which arcs can be taken")
        return weight

    @cached_property
    def _node_cost(self) -> Float64Array:
        """Return (n) float64 units of crossing each node; NaN where the profile cannot go."""
        graph = self._asset.graph
        return graph.footprints(self.profile).cost_at(graph.place.astype(np.int64))

    @cached_property
    def row_cost(self) -> Float64Array:
        """Return (r) float64 units of crossing each row's place."""
        return self._node_cost[self.node]

    @cached_property
    def exact_cost(self) -> Float64Array:
        """Return (m) float64 units of each arc before rounding to ticks; inf where blocked."""
        graph = self._asset.graph
        before = np.repeat(self._node_cost, np.diff(graph.first_out))
        exact = unit_cost(before, self._node_cost[graph.head], graph.rules.cost_rule)
        exact = exact * graph.length + graph.paid_for_slopes(self.profile, self.weight)
        if self.places.headings is not None:
            exact.reshape(-1, graph.slots)[:, 1:] = graph.mover(self.profile).turn
        links = graph.link >= 0
        exact[links] = graph.length[links]
        exact = np.where(np.isnan(graph.own_price), exact, graph.own_price)
        exact[self.weight == BLOCKED] = np.inf
        return exact

    @cached_property
    def size(self) -> int:
        """Return how many cells long one side of the agent's footprint is."""
        return self._asset.graph.mover(self.profile).size

    @cached_property
    def usable(self) -> Subgraph:
        """Return the arcs the profile may take, numbered by rows."""
        metric = Metric(self.weight, self.component >= 0, self.places.ticks_per_unit)
        found = usable_subgraph(Graph(self.places.first_out, self.places.head), metric)
        self._check_one_way()
        return found

    @cached_property
    def one_way(self) -> bool:
        """Tell whether a path may lead from one component into another."""
        return bool(self._asset.number("one_way", f"/profiles/{self.profile}"))

    def _check_one_way(self) -> None:
        """Compare what the asset says of arcs from one component to another with the arcs."""
        crosses = False
        if self.component_count > 1:
            before = np.repeat(self.component, np.diff(self.places.first_out))
            crosses = bool((self._opened & (before != self.component[self.places.head])).any())
        if crosses != self.one_way:
            raise self.damaged(f"one_way is {int(self.one_way)}, and arcs say otherwise")

    @cached_property
    def leads_back(self) -> bool:
        """Tell whether every arc that the profile may take leads back at the same weight."""
        return leads_back(self.usable.graph, self.usable.weight)

    def two_way(self, name: str) -> bool:
        """Return an attribute that says whether every arc leads back at the same weight.

        Searches that believe it take arcs backwards, so it is compared with the arcs.

        Raises:
            CorruptAssetError: it says so, and some arc does not.
        """
        said = self._asset.number(name, f"/profiles/{self.profile}") == 1
        if said and not self.leads_back:
            raise self.damaged(f"{name} is 1, and arcs say otherwise")
        return said

    @cached_property
    def reach(self) -> AnyArray | None:
        """Return (components, bytes) uint8 in numpy.packbits order; None where not known."""
        # Where it is not there, next hops or a search have to say.
        return self._asset.get(profile_path(self.profile, "reach"))

    # -- next hops --------------------------------------------------------------------------------

    @cached_property
    def has_hops(self) -> bool:
        """Tell whether the asset holds next hops for the profile."""
        return self.has("run_move")

    @cached_property
    def has_distances(self) -> bool:
        """Tell whether the asset holds distances for the profile."""
        return self.has("label_away")

    @cached_property
    def hops(self) -> RunHops:
        """Return the next hops."""
        if not self.has_hops:
            raise self.missing("next_hops")
        symbol = self._asset.read(profile_path(self.profile, "run_move"))
        count, start = run_starts(self._asset, self.profile, self.row_count, len(symbol))
        self._check_one_way()
        self._check_symbols(count, symbol)
        cell = self.places.cell
        if cell is None:
            at = np.empty((0, 2), dtype=np.int32)
            greedy: AnyArray = np.empty((0, SECTORS), dtype=np.int8)
        else:
            at = np.ascontiguousarray(chart(cell[self.node], self.places.hex_layout))
            greedy = self._greedy_slots(at)
        return RunHops(
            count,
            self.first_arc,
            start,
            symbol,
            at,
            greedy,
            self.component_of_row,
            self.reach,
            stores_none=self.one_way and self.reach is None,
        )

    def _greedy_slots(self, at: Int32Array) -> AnyArray:
        """Return (r, SECTORS) integers, the greedy move of each row in each direction."""
        lattice, slots = self._asset.graph.lattice, self._asset.graph.slots
        if lattice is not None and lattice.headings is None and not self._has_near_links(at):
            arcs = self.first_arc[:, None] + np.arange(slots, dtype=np.int32)
            step = chart(np.array([(0, 0), *lattice.moves(0)], np.int32), self.places.hex_layout)
            return greedy_steps(self._opened[arcs], step[1:] - step[0])
        usable = self.usable
        local = greedy_slots(usable.graph.first_out, usable.graph.head, at)
        if not usable.graph.arc_count:
            return local
        arc = usable.graph.first_out[:-1, None] + np.maximum(local, 0)
        return np.where(local < 0, -1, usable.slot[np.minimum(arc, usable.graph.arc_count - 1)])

    def _has_near_links(self, at: Int32Array) -> bool:
        """Tell whether a link leads to a neighbour, so that it may be the greedy move."""
        if not self._asset.has("/link_from"):
            return False
        links = np.flatnonzero((self._asset.graph.link >= 0) & (self.head_row >= 0))
        tail = np.searchsorted(self.first_arc, links, side="right") - 1
        away = at[self.head_row[links]] - at[tail]
        return bool((np.abs(away) <= 1).all(axis=1).any())

    def _check_symbols(self, count: AnyArray, symbol: AnyArray) -> None:
        """Check that runs take arcs the profile may take."""
        special = np.iinfo(symbol.dtype).max - 1
        if self.places.cell is None and (symbol == special).any():
            raise self.damaged("run_move says greedy on a graph")
        moves = np.flatnonzero(symbol < special)
        row = np.repeat(np.arange(self.row_count, dtype=np.int32), count)[moves]
        arc = self.first_arc[row].astype(np.int64) + symbol[moves]
        wrong = arc >= self.end_arc[row]
        wrong |= self.head_row.take(arc, mode="clip") < 0 if len(self.head_row) else True
        # A run may say anything if it covers only the row itself and unreachable rows.
        for each in np.unique(row[wrong]):
            if (self.head_row[self.first_arc[each] : self.end_arc[each]] >= 0).any():
                raise self.damaged("run_move takes an arc the profile may not")

    @cached_property
    def labels(self) -> DistanceLabels | None:
        """Return the distances by labels; None where none were baked."""
        if not self.has("label_away"):
            return None
        labels = DistanceLabels(self._asset, self.profile)
        if labels.toward is labels.away and not self.leads_back:
            raise self.damaged("label_toward is missing, and some arc does not lead back")
        return labels

    @cached_property
    def steps(self) -> Steps:
        """Return the next hops and the arcs they take."""
        arcs = self.first_arc, self.end_arc, self.head_row
        return Steps(self.hops, *arcs, lambda: self.weight, self.damaged)

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""
        if self.has_hops or self.labels is None:
            return self.steps.toward(goal)[1]
        return self.labels.ticks_toward(goal)

    # -- steps ------------------------------------------------------------------------------------

    def step_costs(self, rows: Int32Array) -> Float64Array:
        """Return (k - 1) float64 units of each step between k rows; inf where no arc leads."""
        arcs = [self._arc_between(a, b) for a, b in pairwise(rows.tolist())]
        return np.array([np.inf if arc < 0 else self.exact_cost[arc] for arc in arcs])

    def _arc_between(self, row: int, next_row: int) -> int:
        """Return the cheapest arc between two rows, the first of equals; -1 if there is none."""
        arcs = np.arange(self.first_arc[row], self.end_arc[row])
        arcs = arcs[self.head_row[arcs] == next_row]
        return int(arcs[self.weight[arcs].argmin()]) if len(arcs) else -1


def _own(columns: ProfileColumns, name: str, _version: Version) -> Any:
    return getattr(columns, name)
