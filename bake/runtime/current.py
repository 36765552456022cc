"""Keep the snapshots that hold now: those of the level as it was baked, or those of an update.

A reader takes one snapshot for each question, and a batch of changes replaces all snapshots by a
single assignment; so an answer is from before a batch or from after it, never from between.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bake.runtime.bare import BareTables
from bake.runtime.hierarchy.lattice import LatticeTables
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.places import Place, Places
from bake.runtime.snapshot import Snapshot
from bake.runtime.things import Door, Link, ThingTables

if TYPE_CHECKING:
    from bake.runtime.live.writer import LevelWriter
    from bake.runtime.searching.context import SearchContext

T = TypeVar("T")


class Current:
    """The snapshots of a level's profiles, replaced when it changes; threads may share it.

    Attributes:
        places: the places of the level.
        things: links, regions, spots and doors of the level.
        tables: each profile's tables as they were baked, even if the level has changed since.
    """

    def __init__(self, places: Places, profiles: tuple[str, ...]) -> None:
        self.places = places
        self.things = ThingTables(places)
        self.tables = {name: self._tables_of(name) for name in profiles}
        self._snapshots: Mapping[str, Snapshot] = {
            name: Snapshot(tables, partial(self._next_hop, name), partial(self._searches, tables))
            for name, tables in self.tables.items()
        }
        self._doors: tuple[Mapping[str, Snapshot], Mapping[str, Door]] | None = None
        self._watching: weakref.WeakKeyDictionary[Any, Callable[[Any], None]] = (
            weakref.WeakKeyDictionary()
        )
        self._watched = threading.Lock()
        self._making = threading.Lock()
        self._writer: LevelWriter | None = None

    def _tables_of(self, name: str) -> BakedTables:
        tables = BakedTables(self.places, name)
        if tables.has_hops:
            return tables
        kind = BareTables if self.places.asset.implied is None else LatticeTables
        return kind(self.places, name, lambda: self.writer.unchanged(name))

    def now(self, name: str) -> Snapshot:
        """Return the newest snapshot of a profile."""
        return self._snapshots[name]

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the links by name, as they are now."""
        changed = next(iter(self._snapshots.values())).tables.changed_links
        return self.things.links if changed is None else changed

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the doors by name, in the states they are in now."""
        snapshots, known = self._snapshots, self._doors
        if known is None or known[0] is not snapshots:
            terrain = next(iter(snapshots.values())).tables.changed_terrain
            doors = self.things.doors if terrain is None else self.things.doors_on(terrain)
            self._doors = known = snapshots, doors
        return known[1]

    def _searches(self, tables: BakedTables) -> SearchContext:
        from bake.runtime.searching.context import baked_context

        return baked_context(
            tables, lambda *asked: self.writer.unchanged(tables.profile).searched(*asked)
        )

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
        """
        from bake.runtime.live.writer import LevelWriter

        with self._making:
            if self._writer is None:
                self._writer = LevelWriter(self.tables, self._snapshots, self.publish)
            return self._writer

    def close(self) -> None:
        """Close the files that the writer keeps open."""
        if self._writer is not None:
            self._writer.close()


class Questions:
    """One profile of an open level, as the parts of :class:`bake.runtime.Navigator` ask it.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, current: Current, name: str) -> None:
        self.name = name
        self._current = current
        self._units = current.places.ticks_per_unit

    @property
    def _now(self) -> Snapshot:
        """Return the newest snapshot. Every method takes it once, so that no answer mixes two."""
        return self._current.now(self.name)
