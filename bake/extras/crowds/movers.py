"""What the agents of one profile share: the arcs they may take, the cells they cover, their fields.

A field is the distance from everywhere to one target, on the level without its agents. It is the
estimate that the hierarchical cooperative search of D. Silver ("Cooperative Pathfinding", AIIDE
2005) works out while it searches; here it is read from what is baked.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.core.graph import UNREACHABLE, Graph
from bake.play import LevelAsset
from levelbake.errors import BlockedCellError
from levelbake.places import Place

if TYPE_CHECKING:
    from bake.search.point.astar_buckets import PackedArcs

#: Fields of one profile are kept up to this many bytes; the one not asked for the longest goes.
# limit: the oldest results are dropped and recomputed; lowered by crowds
FIELD_BYTES = 2**28


class Field:
    """The distances of all rows to one target.

    Attributes:
        target: the row.
        ticks: (r) int32, UNREACHABLE where there is no path.
    """

    def __init__(self, target: int, ticks: Float64Array) -> None:
        self.target = target
        self.ticks: Int32Array = np.where(np.isfinite(ticks), ticks, UNREACHABLE).astype(np.int32)

    def reaches(self, row: int) -> bool:
        """Return True if a path leads from a row to the target."""
        return bool(self.ticks[row] != UNREACHABLE)

    @cached_property
    def nearest_first(self) -> Int32Array:
        """(k) int32, the rows that reach the target, by distance and then by number.

        The target is the first of them.
        """
        order = np.argsort(self.ticks, kind="stable")
        reached = int((self.ticks != UNREACHABLE).sum())
        return order[:reached].astype(np.int32)


class Mover:
    """One profile of one version of a level. Create another when the level changes.

    Attributes:
        profile: the profile's name.
        size: the side of the agent's footprint, in cells.
        graph: rows and arcs.
        cell: (r) int32, the north-west cell of the footprint on each row, or its node.
        offset: (size * size) int32, the offset from that cell to each covered cell.
        width: the cells of a row of the grid where steps may be diagonal, otherwise 0.
        cell_count: the number of cells, or nodes, of the level.
        units: ticks in a unit.
        lightest: ticks of the cheapest arc.
    """

    def __init__(self, level: LevelAsset, profile: str) -> None:
        self.profile = profile
        baked, self._nav = level._columns(profile), level.profile(profile)
        self.snapshot = self._nav._now
        self._rows = self.snapshot.rows
        version, places = self.snapshot.version, baked.places
        self.size = baked.size
        space = self.snapshot.searches.space
        self.graph: PackedArcs = space.packed
        self.lightest = int(space.weight.min(initial=places.ticks_per_unit))
        self.cell = np.ascontiguousarray(version.location)
        if places.headings is not None:  # An agent covers its cell in any heading.
            assert places.floor_height is not None
            self.cell = self.cell % np.int32(places.floor_height * places.width)
        side = np.arange(self.size, dtype=np.int32)
        self.offset: Int32Array = (side[:, None] * np.int32(places.width) + side).reshape(-1)
        self._offsets: list[int] = self.offset.tolist()
        self.width = places.width if places.is_grid and places.hex_layout is None else 0
        self.units = places.ticks_per_unit
        self.cell_count = len(version.known_row)
        self._fields: OrderedDict[int, Field] = OrderedDict()

    def holds(self) -> bool:
        """Return whether the level has not changed since."""
        return self._nav._now is self.snapshot

    def row(self, place: Place) -> int:
        """Return the row of a place.

        Raises:
            QueryError: there is no such place, or the profile cannot stand on it.
        """
        return self._rows.row(place)

    def row_or_none(self, place: Place) -> int | None:
        """Return the row of a place; None if the profile can no longer stand there."""
        try:
            return self._rows.row(place)
        except BlockedCellError:
            return None

    def place(self, row: int) -> Place:
        """Return the place of a row."""
        return self._rows.place(row)

    def places(self, rows: Int32Array) -> list[Place]:
        """Return the places of some rows."""
        return self._rows.places(rows)

    def covered(self, rows: Int32Array) -> Int32Array:
        """Return (k, size * size) int32, the cells that an agent covers on each of k rows."""
        return np.asarray(self.cell[rows][:, None] + self.offset)

    def cells(self, row: int) -> list[int]:
        """Return the cells that an agent covers on one row."""
        first = int(self.cell[row])
        return [first + each for each in self._offsets]

    def reaches(self, row: int, goal: int) -> bool:
        """Return True if a path leads from one row to another."""
        return row == goal or self.snapshot.engine.reaches(row, goal)

    # -- fields -----------------------------------------------------------------------------------

    def field(self, target: int) -> Field:
        """Return the distances to a row."""
        known = self._fields.pop(target, None)
        if known is None:
            known = Field(target, self.snapshot.ticks_toward(target))
        self._fields[target] = known
        most = max(1, FIELD_BYTES // (4 * max(1, len(self.cell))))
        while len(self._fields) > most:
            self._fields.popitem(last=False)
        return known

    def field_around(self, target: int, covered: BoolArray) -> Field:
        """Return the distances to a row on paths that avoid some cells.

        Args:
            target: the row.
            covered: (cells) bool, True on cells to avoid.
        """
        from bake.search.live.flow_field import as_ticks, flow_field
        from bake.search.live.graph import Adjacency

        usable = self.snapshot.version.usable
        rows = np.arange(len(self.cell), dtype=np.int32)
        shut: BoolArray = np.asarray(covered[self.covered(rows)].any(axis=1))
        # An agent may leave a covered row, which may be its own, but not enter one.
        keep = np.flatnonzero(~shut[usable.graph.head])
        tail, head = usable.graph.tail()[keep], usable.graph.head[keep]
        into, order = Graph.from_arcs(len(self.cell), head, tail)
        weight = usable.weight[keep][order]
        none = np.zeros(len(weight), dtype=np.int32)
        dist = flow_field(Adjacency.of(into, weight, none), target, self._shift)
        return Field(target, as_ticks(dist))

    @cached_property
    def _shift(self) -> int:
        from bake.search.graph.label_correcting import shift_for

        return shift_for(self.snapshot.version.usable.weight)


#: Rows that are checked at once.
# limit: the work is done in parts; lowered by crowds
_PART = 256


def free_row(mover: Mover, row: int, goal: int, taken: BoolArray) -> int | None:
    """Return the goal if it is free, else the free row nearest to it.

    Args:
        mover: the agent's profile.
        row: the row of the agent.
        goal: the row to go to.
        taken: (cells) bool, True on cells of other agents and their targets.

    Returns:
        A row that the agent can reach; of several at the same distance from the goal the lowest.
        None if there is none, or no path to the goal.
    """
    if not mover.reaches(row, goal):
        return None
    nearest = mover.field(goal).nearest_first
    for first in range(0, len(nearest), _PART):
        part = nearest[first : first + _PART]
        free = part[~taken[mover.covered(part)].any(axis=1)]
        for found in free.tolist():
            if mover.reaches(row, found):
                return int(found)
    return None
