"""Change a large lattice where it changes: what an update touches is a few squares of clusters.

An update prices the cells near a change, before and after, and notes the squares they lie in. What
those squares hold, and the clusters and transitions there, is made when a question first needs it.
A list of all arcs is made where a question needs one that does, or where steps do not say what the
level is: after links, own prices of arcs, and steps that do not lead back at the same cost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.errors import CostError
from bake.core.graph import BLOCKED
from bake.play.hierarchy.lattice import LatticeHierarchy
from bake.play.hierarchy.sheets import LatticeSheets, WornSheets
from bake.play.live.cells import Cells
from bake.play.live.changed import Changed, Followed
from bake.play.live.clusters import SPACING, BakedRecipe, OnDemand
from bake.play.live.ground import LevelState
from bake.play.live.lattice_version import LiveLattice, sheet_fields
from bake.play.live.links import LinkState
from bake.play.live.pricing import Arcs
from bake.play.live.rules import LevelRules
from bake.play.live.state import Differences, ProfileState
from bake.play.live.versions import Edited, ProfileWriter, with_rows
from bake.play.reader.version import Version
from bake.search.hierarchy.sheets import Squares
from bake.search.live.lattice import LatticeLayer, SquareNow, around
from bake.search.live.lattice_builder import REACH, Ground, build
from levelbake.errors import QueryError


class Listed(NamedTuple):
    """A version with its arcs listed."""

    state: ProfileState  #: the version
    links: LinkState  #: those of the level then
    edited: Edited | None  #: how it came from the one that was listed before; None = as baked


@dataclass(frozen=True, eq=False)
class LatticeState:
    """One version of a profile of a large lattice."""

    level: LevelState  #: what the level is made of
    squares: frozenset[int]  #: those in which something may differ from the bake
    differs: Differences  #: the arcs that cost something else, by the locations of their ends
    opened: int  #: at how many places the profile can stand where it could not
    fresh: int  #: how many rows there are that were not baked
    odd: frozenset[tuple[int, int]]  #: the ends of steps that do not lead back at the same cost
    layers: OnDemand[LatticeLayer]  #: the first layer, made when asked for
    lists: OnDemand[Listed]  #: the version with its arcs listed, made when asked for

    @property
    def by_sheet(self) -> bool:
        """Tell whether steps say all there is to say of the level."""
        return not self.odd and not self.level.prices and self.level.links.as_baked

    @property
    def as_baked(self) -> bool:
        """Tell whether every arc costs what it did, and no row is new."""
        plain = not self.level.prices and self.level.links.as_baked
        return plain and not self.differs and not self.opened


class LatticeWriter:
    """A maker of the versions of one profile of a large lattice.

    Attributes:
        listing: makes the listed versions.
        pricing: prices of the steps of the profile.
    """

    def __init__(
        self,
        rules: LevelRules,
        listing: ProfileWriter,
        layers: Callable[[], LatticeHierarchy],
    ) -> None:
        """Make nothing yet.

        Args:
            layers: gives the layers as they were baked.
        """
        self.listing = listing
        self.pricing = listing.pricing
        self._rules, self._layers = rules, layers
        self._columns, self._baked = listing.columns, listing.baked.version
        self._lock, self._list_lock = threading.RLock(), threading.RLock()
        self._fresh: dict[int, int] = {}
        self._fresh_cells: Int32Array = np.zeros(0, dtype=np.int32)

    @cached_property
    def _baked_level(self) -> LevelState:
        return LevelState.baked(self._rules)

    @property
    def _squares(self) -> Squares:
        return self._sheets.squares

    @property
    def _sheets(self) -> LatticeSheets:
        sheets: LatticeSheets = self._baked.worn.sheets
        return sheets

    def begin(self) -> LatticeState:
        """Return the first version."""
        nothing = np.zeros(0, dtype=np.int32)
        return LatticeState(
            self._baked_level,
            frozenset(),
            Differences(),
            0,
            0,
            frozenset(),
            OnDemand(None, nothing),
            OnDemand(None, nothing),
        )

    # -- updates ----------------------------------------------------------------------------------

    def after(
        self, state: LatticeState, level: LevelState, changed: Int64Array, before: LinkState
    ) -> Edited:
        """Return the version after an edit: see :meth:`ProfileWriter.after`.

        Raises:
            QueryError: a price, or a distance, does not fit the integer scale.
        """
        patch, was = (self.pricing.patch(each, changed) for each in (level, state.level))
        come = patch.near[patch.stands & ~was.stands]
        gone = patch.near[was.stands & ~patch.stands]
        steps, old = patch.steps, was.steps.weight
        differ = np.flatnonzero(old != steps.weight)
        tail, head, new = steps.tail[differ], steps.head[differ], steps.weight[differ]
        at = np.concatenate([tail, head, come, gone])
        touched: Int32Array = np.unique(self._square_of(at))
        squares = state.squares.difference(touched.tolist()).union(
            square for square in touched.tolist() if self._differs(level, square)
        )
        opened = self._opened(come) - int(np.count_nonzero(~self._stood(gone)))
        ends = tail.astype(np.int32), head.astype(np.int32), steps.label[differ]
        nothing = np.zeros(0, dtype=np.int32)
        layers = OnDemand(state.layers if squares else None, touched if squares else nothing)
        after = LatticeState(
            level,
            squares,
            state.differs.edited(*ends, old[differ], new),
            state.opened + opened,
            len(self._fresh),
            _odd(state.odd, steps, differ),
            layers,
            OnDemand(state.lists, changed.astype(np.int32)),
        )
        if not (state.by_sheet and after.by_sheet):
            # Steps are not all that changed, so lists tell what did.
            self.listed(state)
            edited = self._lists(after).edited
            assert edited is not None
            return replace(edited, state=after, changed=None)
        rerouted = bool(
            len(come) or len(gone) or ((old == BLOCKED) != (steps.weight == BLOCKED)).any()
        )
        return Edited(
            after,
            len(differ),
            None,
            come.astype(np.int32),
            gone.astype(np.int32),
            rerouted,
            partial(self._clusters_near, after, np.concatenate([tail, head, come])),
        )

    def _square_of(self, locations: Int64Array) -> Int32Array:
        squares = self._squares
        y, x = np.divmod(locations, self._columns.places.width)
        found: Int64Array = y // squares.side * squares.across + x // squares.side
        return found.astype(np.int32)

    def _stood(self, locations: Int64Array) -> BoolArray:
        """Return (k) bool, True where the profile could stand when the level was baked."""
        return self.pricing.standing(self._baked_level, locations)

    def _opened(self, come: Int64Array) -> int:
        """Number the rows that were not baked, and return at how many of some places there are."""
        fresh = come[~self._stood(come)].tolist()
        new = [location for location in fresh if location not in self._fresh]
        if new:
            for location in new:
                self._fresh[location] = len(self._fresh)
            self._fresh_cells = np.array(list(self._fresh), dtype=np.int32)
        return len(fresh)

    def _differs(self, level: LevelState, square: int) -> bool:
        """Tell whether anything near a square is not as baked, on which its steps depend."""
        side, across, size = (
            self._squares.side,
            self._squares.across,
            self.pricing.mover.size,
        )
        y, x = divmod(square, across)
        assert isinstance(level.terrain, Cells)
        assert isinstance(level.obstacle, Cells)
        known = level.terrain.squares.keys() | level.obstacle.squares.keys()
        reach = range(-1, (side + size) // side + 1)
        return any(
            (y + down) * across + x + along in known
            for down in reach
            for along in reach
            if 0 <= x + along < across
        )

    def _clusters_near(self, state: LatticeState, locations: Int64Array) -> tuple[int, ...]:
        """Return the clusters of some places, as far as somebody can stand there."""
        if not len(locations):
            return ()
        version = self.version_of(state)
        lattice = LiveLattice(version, partial(self.layer, state))
        rows = version.rows_of(np.unique(locations).astype(np.int32))
        return tuple(sorted({lattice.cluster_of(row) for row in rows[rows >= 0].tolist()}))

    # -- versions ---------------------------------------------------------------------------------

    def version_of(self, state: LatticeState) -> Version:
        """Return what is known in a version."""
        columns = self._columns
        made = self.listing.fields(partial(self.listed, state), state.level)
        if state.by_sheet:
            fresh = self._fresh_cells[: state.fresh]
            made |= sheet_fields(self._baked, fresh, partial(self.layer, state))
        return Version(columns.places, columns.profile, made, state.level, by_sheet=state.by_sheet)

    def engine(self, state: LatticeState, level: LevelState) -> Changed:
        """Return what answers for a version."""
        return Changed(
            self.version_of(state),
            self.listing.baked,
            partial(self.followed, state, level),
            as_baked=state.as_baked,
        )

    def lattice(self, state: LatticeState, version: Version) -> LiveLattice | None:
        """Return the layers of a version; None where its arcs are listed."""
        return LiveLattice(version, partial(self.layer, state)) if state.by_sheet else None

    def follow(self, edited: Edited) -> None:
        """Do nothing: what is asked of a version is made then."""

    def unready(self, state: LatticeState) -> Iterator[Callable[[], object]]:
        """Give what makes a version ready for questions, as far as it is not."""
        if state.by_sheet and not state.layers.is_made:
            yield partial(self.layer, state)

    def warm_up(self, state: LatticeState) -> None:
        """Compile or load the kernels of a first answer after an update."""
        if state.by_sheet and self._baked.row_count:
            base = self.layer(state)
            self._built(state, base, np.zeros(1, dtype=np.int32))

    def layer(self, state: LatticeState) -> LatticeLayer:
        """Return the first layer of a version.

        Raises:
            CorruptAssetError: columns contradict each other.
            CostError: a distance inside a cluster is too long for the scale.
        """
        return state.layers.get(self._lock, self._baked_layer, partial(self._built, state))

    def _baked_layer(self) -> LatticeLayer:
        found = self._kept_layer
        if found.pool.is_wasteful:
            del self._kept_layer
            found = self._kept_layer
        return found

    @cached_property
    def _kept_layer(self) -> LatticeLayer:
        baked = self._layers()
        return LatticeLayer.of(baked.layers[0], baked.landmark, self._sheets.baked)

    def _built(self, state: LatticeState, base: LatticeLayer, changed: Int32Array) -> LatticeLayer:
        """Make the first layer of a version from that of another one.

        Args:
            changed: squares that differ.
        """
        if base.pool.is_wasteful:
            # All that differs from the bake is built in fresh memory.
            base, changed = self._baked_layer(), np.array(sorted(state.squares), dtype=np.int32)
        some, sheets, squares = changed.tolist(), self._sheets, self._squares
        now = {
            square: self._square_now(state.level, square) if square in state.squares else None
            for square in some
        }
        fresh, lattice = self._fresh_cells[: state.fresh], sheets.graph.lattice
        dress, numbered = base.dressed(now, fresh, lattice, squares)
        y, x = np.divmod(np.array(around(some, REACH, squares), dtype=np.int64), squares.across)
        first = y * squares.side * self._columns.places.width + x * squares.side
        worn = WornSheets(sheets, dress)
        with worn.reading(np.unique(worn.sheets_of_cells(first.astype(np.int32)))):
            ground = Ground(
                sheets.graph,
                squares,
                self._columns.places.hex_layout,
                self._spacing,
                base.bits,
                sheets.fresh_flow,
            )
            return build(base, dress, numbered, some, ground)

    @cached_property
    def _spacing(self) -> int:
        return BakedRecipe(self._columns.places).number("hierarchy", "spacing", SPACING)

    def _square_now(self, level: LevelState, square: int) -> SquareNow:
        """Work out what a square holds in a version."""
        squares, places = self._squares, self._columns.places
        y, x = divmod(square, squares.across)
        down = np.arange(y * squares.side, min((y + 1) * squares.side, places.height))
        along = np.arange(x * squares.side, min((x + 1) * squares.side, places.width))
        cells = (down[:, None] * places.width + along).astype(np.int64)
        flat = cells.reshape(-1)
        stands, price, steps = self.pricing.steps_of(level, flat)
        baked = self._stood(flat)
        first, last = squares.first_row[square : square + 2].tolist()
        if int(np.count_nonzero(baked)) != last - first:
            raise self._columns.damaged("cluster_rows does not fit terrain, costs and size")
        row = np.where(baked, first + np.cumsum(baked) - 1, -1)
        count = self._baked.row_count
        for at in np.flatnonzero(stands & ~baked).tolist():
            row[at] = count + self._fresh[int(flat[at])]
        return SquareNow(
            cells.astype(np.int32),
            stands.reshape(cells.shape),
            steps.reshape(cells.shape),
            price.reshape(cells.shape),
            row[stands].astype(np.int32),
        )

    # -- lists of arcs ----------------------------------------------------------------------------

    def followed(self, state: LatticeState, _level: LevelState) -> Followed:
        """Return the engine of a version with listed arcs; the reader lists no such arcs."""
        return Followed(self.listed(state), self.listing.hierarchy, lambda: None)

    def listed(self, state: LatticeState) -> ProfileState:
        """Return a version with its arcs listed, which takes a while the first time.

        Raises:
            QueryError: a distance does not fit the integer scale.
        """
        return self._lists(state).state

    def _lists(self, state: LatticeState) -> Listed:
        make = partial(self._list_again, state)
        return state.lists.get(self._list_lock, lambda: self._first_list, make)

    @cached_property
    def _first_list(self) -> Listed:
        return Listed(self.listing.begin(), self._baked_level.links, None)

    def _list_again(self, state: LatticeState, base: Listed, changed: Int32Array) -> Listed:
        """Make the listed version from another one.

        Args:
            changed: locations that differ.
        """
        # Rows have the numbers that they have in the sheets.
        fresh = self._fresh_cells[: state.fresh].astype(np.int64)
        known, _ = with_rows(base.state, fresh, np.ones(len(fresh), dtype=np.bool_))
        try:
            edited = self.listing.after(known, state.level, changed.astype(np.int64), base.links)
        except CostError as error:
            raise QueryError(
                error.found, place=error.place, expected=error.expected, remedy=error.remedy
            ) from None
        if self.listing.hierarchy.answers_for(base.state):
            self.listing.follow(edited)
        else:
            self.listing.hierarchy.begin(edited.state)
        return Listed(edited.state, state.level.links, edited)


def _odd(
    before: frozenset[tuple[int, int]], steps: Arcs, differ: Int64Array
) -> frozenset[tuple[int, int]]:
    """Return the ends of the steps that do not lead back at the same cost.

    Args:
        before: those of the version before.
        steps: the steps near a change, and differ: which of them cost something else now.
    """
    if not len(differ):
        return before
    tail, head, weight = steps.tail, steps.head, steps.weight
    count = int(max(tail.max(), head.max())) + 1
    keys = tail * count + head
    order = np.argsort(keys)
    back = head[differ] * count + tail[differ]
    place = order[np.minimum(np.searchsorted(keys, back, sorter=order), len(keys) - 1)]
    same = (keys[place] == back) & (weight[place] == weight[differ])
    ends = list(zip(tail[differ].tolist(), head[differ].tolist(), strict=True))
    odd = {pair for pair, fine in zip(ends, same.tolist(), strict=True) if not fine}
    if not odd and not before:
        return before
    both = {*ends, *((there, here) for here, there in ends)}
    return frozenset((before - both) | odd)
