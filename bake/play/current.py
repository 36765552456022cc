"""Keep the snapshots that hold now: those of the level as it was baked, or those of an update.

A reader takes one snapshot for each question, and a batch of changes replaces all snapshots by a
single assignment; so an answer is from before a batch or from after it, never from between.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bake.core.arrays import Float64Array
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.engine import Baked, Engine
from bake.play.reader.places import NodePlaces
from bake.play.reader.version import Version
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import Place
from levelbake.things import Door, Link, ThingTables

if TYPE_CHECKING:
    from bake.play.live.writer import LevelWriter
    from bake.play.searching.context import SearchContext

T = TypeVar("T")


class Current:
    """The snapshots of a level's profiles, replaced when it changes; threads may share it.

    Attributes:
        things: links, regions, spots and doors of the level.
        baked: what answers for each profile as it was baked, even if the level has changed since.
    """

    def __init__(self, places: NodePlaces, things: ThingTables, profiles: tuple[str, ...]) -> None:
        self.things = things
        columns = {name: ProfileColumns(places, name) for name in profiles}
        self.baked = {name: Baked(each, _version_of(each)) for name, each in columns.items()}
        self._snapshots: Mapping[str, Snapshot] = {name: self._first(name) for name in profiles}
        self._doors: tuple[Mapping[str, Snapshot], Mapping[str, Door]] | None = None
        self._watching: weakref.WeakKeyDictionary[Any, Callable[[Any], None]] = (
            weakref.WeakKeyDictionary()
        )
        self._watched = threading.Lock()
        self._making = threading.Lock()
        self._writer: LevelWriter | None = None
        self._is_frozen = False
        #: the level, for copies of its profiles
        self.level: object = None

    def frozen(self) -> Current:
        """Return a copy that holds the current snapshots, whatever is published later."""
        frozen = copy(self)
        frozen._watching, frozen._watched = weakref.WeakKeyDictionary(), threading.Lock()
        frozen._doors, frozen._is_frozen, frozen.level = None, True, None
        frozen._snapshots = {
            name: each.detached(partial(frozen._next_hop, name))
            for name, each in frozen._snapshots.items()
        }
        return frozen

    def _first(self, name: str) -> Snapshot:
        """Return the snapshot of a profile as it was baked."""
        baked = self.baked[name]
        engine: Engine = baked
        if not baked.version.has_hops:
            from bake.play.live.changed import Changed

            engine = Changed(baked.version, baked, lambda: self.writer.first(name), as_baked=True)

        def searched(*asked: Any) -> Any:
            first = self.writer.first(name)
            return first.hierarchy.searched(first.state, *asked)

        def searches() -> SearchContext:
            from bake.play.searching.context import SearchContext

            return SearchContext(engine, baked.columns, searched)

        return Snapshot(engine, partial(self._next_hop, name), searches)

    def now(self, name: str) -> Snapshot:
        """Return the newest snapshot of a profile."""
        return self._snapshots[name]

    @property
    def _version(self) -> Version:
        """Return what is known of some profile now."""
        return next(iter(self._snapshots.values())).version

    @property
    def places(self) -> NodePlaces:
        """Return the places of the level, as they are now."""
        return self._version.places

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the links by name, as they are now."""
        level = self._version.level
        return self.things.links if level is None else level.links.now

    def made_of(self) -> tuple[Sequence[str], Any, Float64Array | None]:
        """Return names of terrains, the terrain of each location now, and how high it lies."""
        level, graph, names = self._version.level, self.places.asset.graph, self.places.terrains
        if level is None:
            return names, graph.terrain, graph.elevation
        return names, level.terrain, level.rules.elevation

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the doors by name, in the states they are in now."""
        snapshots, known = self._snapshots, self._doors
        if known is None or known[0] is not snapshots:
            level = next(iter(snapshots.values())).version.level
            doors = self.things.doors if level is None else self.things.doors_on(level.terrain)
            self._doors = known = snapshots, doors
        return known[1]

    def _next_hop(self, name: str, start: Place, goal: Place) -> Place | None:
        return self._snapshots[name].next_hop(start, goal)

    def watch(self, watcher: T, superseded: Callable[[T], None]) -> None:
        """Call ``superseded(watcher)`` whenever the level changes, as long as the watcher lives."""
        with self._watched:
            self._watching[watcher] = superseded

    def publish(self, snapshots: Mapping[str, Snapshot]) -> None:
        """Make these the newest snapshots, and revoke the fast lookups of the earlier ones."""
        before, self._snapshots = self._snapshots, snapshots
        for snapshot in before.values():
            snapshot.revoke()
        with self._watched:  # A thread may ask for another navigator meanwhile.
            watching = list(self._watching.items())
        for watcher, superseded in watching:
            superseded(watcher)

    @property
    def writer(self) -> LevelWriter:
        """Return the writer that changes the level.

        It is made at the first change, since most games make none.

        Raises:
            QueryError: the snapshots are frozen.
        """
        if self._is_frozen:
            remedy = "update the level, or a profile of it that is not frozen"
            raise QueryError("a frozen profile cannot change the level", remedy=remedy)
        from bake.play.live.writer import LevelWriter

        with self._making:
            if self._writer is None:
                self._writer = LevelWriter(self.baked, self._snapshots, self.publish)
            return self._writer

    @property
    def changes(self) -> dict[str, Any] | None:
        """Return the difference from the baked level, or None."""
        return None if self._writer is None else self._writer.changes

    def close(self) -> None:
        """Close the files that the writer keeps open."""
        if self._writer is not None:
            self._writer.close()


def _version_of(columns: ProfileColumns) -> Version:
    """Return what is known of a profile as it was baked: sheet by sheet, if that can be."""
    if columns.places.asset.implied is None or columns.has_hops:
        return columns.version
    from bake.play.hierarchy.lattice import sheet_version

    return sheet_version(columns)


class Questions:
    """One profile of an open level, as the parts of :class:`bake.play.Navigator` ask it.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, current: Current, name: str) -> None:
        self.name = name
        self._current = current
        self._units = current.places.ticks_per_unit

    def __reduce__(self) -> tuple[Any, ...]:
        kind = "a frozen profile" if self._current.level is None else type(self).__name__
        found = f"{kind} cannot be copied or pickled: {self.name!r}"
        raise QueryError(found, remedy="copy the level, and begin with a profile of the copy")

    @property
    def _now(self) -> Snapshot:
        """Return the newest snapshot. Every method takes it once, so that no answer mixes two."""
        return self._current.now(self.name)
