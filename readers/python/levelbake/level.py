"""Open baked levels, query their content, and change them while the game runs."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self, overload

import numpy as np

from levelbake.changes import Batch, ChangeLog, Changer, Changes, UpdateReport
from levelbake.errors import (
    AssetError,
    FilePath,
    MissingTableError,
    QueryError,
    UnknownProfileError,
)
from levelbake.file import Closing, File
from levelbake.hops import Arcs, Hops, LevelGround
from levelbake.places import Cell, Coordinates, Name, Place, Places, PlaceT, quoted
from levelbake.profile import Profile
from levelbake.steps import AnyArray, ArrayLike, BoolArray, Float64Array, Int32Array
from levelbake.things import Door, Instance, Link, Region, Spot, ThingTables
from levelbake.toward import ProfileVersion


class OpenLevel(Closing):
    """The properties of an open level that do not depend on its changes; a context manager."""

    def __init__(self, file: File, places: Places) -> None:
        self._file, self._places = file, places
        #: name of the level
        self.name = places.name
        #: names of the agent profiles, sorted
        self.profiles = file.profiles
        #: columns and rows of one floor, in cells; 0 for graph levels
        self.width, self.height = places.width, places.rows
        #: number of floors; with two or more, places are cells (x, y, floor)
        self.floors = places.floors
        #: number of directions that an agent can face, each stored as a floor; None = no headings
        self.headings = places.headings
        #: whether places are cells; otherwise they are node names
        self.is_grid = places.is_grid
        self._points, self._things = places.plane, ThingTables(places)

    def __repr__(self) -> str:
        size = f"{self.width} x {self.height} cells" if self.is_grid else "graph"
        if self.headings is not None:
            size += f" in {self.headings} headings"
        elif self.floors > 1:
            size += f" on {self.floors} floors"
        profiles = ", ".join(map(repr, self.profiles))
        return f"<{type(self).__name__} {self.name!r}: {size}, profiles {profiles}>"

    def _known(self, name: str | None) -> str:
        """Return a valid profile name; None selects the only profile of the level."""
        self._file.check_open()
        if name is None and len(self.profiles) == 1:
            name = self.profiles[0]
        if name is None or name not in self.profiles:
            found = "several profiles, none named" if name is None else f"no profile {quoted(name)}"
            expected = " or ".join(map(repr, self.profiles))
            raise UnknownProfileError(found, file=self._file.path, expected=expected)
        return name

    def _made_of(self) -> tuple[Sequence[str], Any, Float64Array | None]:
        """Return the terrain names, and the current terrain and elevation of each location."""
        raise NotImplementedError

    # -- places -----------------------------------------------------------------------------------

    @property
    def coordinates(self) -> Coordinates:
        """Return the affine transform from cells to points, in the units of the level's source.

        Raises:
            QueryError: the level is a graph.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     scale = level.coordinates
            >>> scale.centres, scale.east, scale.south
            (((0.5, 0.5),), (1.0, 0.0), (0.0, 1.0))
        """
        return self._points.coordinates

    @overload
    def to_cell(self, point: tuple[float, float]) -> tuple[int, int]: ...

    @overload
    def to_cell(self, point: tuple[float, float, float]) -> tuple[int, int, int]: ...

    @overload
    def to_cell(self, point: Sequence[float]) -> Cell: ...

    @overload
    def to_cell(self, point: Sequence[Sequence[float]] | AnyArray) -> Int32Array: ...

    def to_cell(self, point: ArrayLike) -> Any:
        """Return the cell that contains a point, even outside the level; see :meth:`inside`.

        Args:
            point: (x, y) in the units of the level's source, such as pixels of a Tiled map, with y
                to the south; (x, y, floor) with two or more floors. Or an array of points,
                (n, 2) or (n, 3).

        Returns:
            The cell; for an array, (n, 2) or (n, 3) int32.

        Raises:
            QueryError: the level is a graph, the floor does not exist, or a number is not finite or
                gives a cell beyond 32 bits.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     level.to_cell((3.99, 4.0)), level.to_point((3, 4))
            ((3, 4), (3.5, 4.5))
        """
        return self._points.cells(point)

    @overload
    def to_point(self, place: tuple[int, int]) -> tuple[float, float]: ...

    @overload
    def to_point(self, place: tuple[int, int, int]) -> tuple[float, float, float]: ...

    @overload
    def to_point(self, place: Cell) -> tuple[float, ...]: ...

    @overload
    def to_point(self, place: Name) -> tuple[float, float]: ...

    @overload
    def to_point(self, place: ArrayLike) -> Float64Array: ...

    def to_point(self, place: object) -> Any:
        """Return the center of a cell, even outside the level, or the position of a node.

        Args:
            place: a cell, or an array of cells, (n, 2) or (n, 3) integers; on graphs the name of a
                node, or a list of names.

        Returns:
            (x, y), or (x, y, floor) with two or more floors; for several places, (n, 2) or (n, 3)
            float64.

        Raises:
            QueryError: the argument is not a cell, the floor or node does not exist, or the graph
                has no positions.
        """
        return self._points.points(place)

    @overload
    def inside(self, cell: Cell) -> bool: ...

    @overload
    def inside(self, cell: ArrayLike) -> BoolArray: ...

    def inside(self, cell: ArrayLike) -> bool | BoolArray:
        """Return whether a cell lies inside the level, blocked or not; (n) bool for n cells.

        Raises:
            QueryError: the level is a graph, or the argument is not a cell.
        """
        return self._points.inside(cell)

    def node_name(self, text: str) -> Name:
        """Parse a node name of a graph level, such as text that a player typed.

        Returns:
            An int where the level's source numbers its nodes, such as 7; otherwise the text, "7".

        Raises:
            UnknownNodeError: no node has that name.
        """
        return self._places.name_from(text)

    @overload
    def terrain_at(self, places: Place) -> str | None: ...

    @overload
    def terrain_at(self, places: ArrayLike) -> list[str | None]: ...

    def terrain_at(self, places: Place | ArrayLike) -> str | list[str | None] | None:
        """Return the current terrain of one place or of many.

        An obstacle added by :meth:`update` does not change the terrain.

        Returns:
            The name of the terrain, or None for a place that does not exist; a list for many
            places.

        Raises:
            QueryError: ``places`` is neither a place nor a list of places.
        """
        is_one, rows = self._places.as_many(places)
        locations, (names, terrain, _) = self._places.locations(rows, "places"), self._made_of()
        codes = zip(locations.tolist(), terrain[np.maximum(locations, 0)].tolist(), strict=True)
        terrains = [names[code] if location >= 0 else None for location, code in codes]
        return terrains[0] if is_one else terrains

    @overload
    def elevation_at(self, places: Place) -> float | None: ...

    @overload
    def elevation_at(self, places: ArrayLike) -> Float64Array | None: ...

    def elevation_at(self, places: Place | ArrayLike) -> float | Float64Array | None:
        """Return the elevation of one place or of many, in units.

        Returns:
            The elevation, or NaN for a place that does not exist; (m) float64 for many places. None
            if the level has no elevations.

        Raises:
            QueryError: ``places`` is neither a place nor a list of places.
        """
        is_one, rows = self._places.as_many(places)
        locations, (*_, elevation) = self._places.locations(rows, "places"), self._made_of()
        if elevation is None:
            return None
        elevations = np.where(locations < 0, np.nan, elevation[locations])
        return float(elevations[0]) if is_one else elevations

    # -- entities ---------------------------------------------------------------------------------

    @property
    def regions(self) -> Mapping[str, Region]:
        """Return the named areas of the level, by name."""
        return self._things.regions

    @property
    def instances(self) -> tuple[Instance, ...]:
        """Return the prefabs, such as houses, placed in the level, in the order of the level."""
        return self._things.instances

    def spots(self, kind: str | None = None, *, profile: str | None = None) -> tuple[Spot, ...]:
        """Return the named single places, such as spawn points, in the order of the level.

        Args:
            kind: return only spots of this kind, such as "spawn"; None = all.
            profile: return only spots for this agent profile; None = all.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/bastion.h5") as level:
            ...     [spot.place for spot in level.spots("spawn", profile="golem")]
            [(2, 8, 0), (21, 3, 0)]
        """
        return tuple(
            spot
            for spot in self._things.spots.values()
            if kind in (None, spot.kind)
            and (profile is None or spot.profiles is None or profile in spot.profiles)
        )

    # -- the file ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file. Profiles can still use tables already read, but not read new ones."""
        self._file.close()

    # -- copies -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the arguments that reopen the file and apply the changes again."""
        file = self._file
        file.check_open()
        fingerprint, changes = file.header.fingerprint(), self._changes()
        return _reopen, (type(self), file.absolute, file.checked, fingerprint, changes)

    @classmethod
    def _open(cls, path: FilePath, check: bool) -> Self:
        """Open the level stored in a file."""
        raise NotImplementedError

    def _changes(self) -> dict[str, Any] | None:
        """Return the differences from the baked level; None if there are none."""
        raise NotImplementedError

    def _restore(self, changes: dict[str, Any]) -> None:
        """Apply the differences of another copy of the level as one batch."""
        raise NotImplementedError


def _reopen(
    kind: type[OpenLevel],
    path: str,
    check: bool,
    fingerprint: str,
    changes: dict[str, Any] | None,
) -> OpenLevel:
    """Open a level that was pickled or copied.

    Raises:
        AssetError: the file cannot be read, or was baked again since the copy.
    """
    level = kind._open(path, check)
    try:
        if level._file.header.fingerprint() != fingerprint:
            found = "was baked again since the level was copied"
            raise AssetError(found, file=path, remedy="open the level again, then copy it")
        if changes is not None:
            level._restore(changes)
    except BaseException:
        level.close()
        raise
    return level


class Level(OpenLevel):
    """An open level. Open it with :func:`open_level`; close it with `close` or a `with` block.

    Threads may share a level. An update publishes new versions of all profiles in one assignment,
    so each query reads one consistent version.

    Example:
        >>> from levelbake import open_level
        >>> with open_level("baked/keep.h5") as level:
        ...     nav = level.profile()
        ...     level.name, level.profiles, nav.path((3, 4), (6, 6))
        ('keep', ('default',), [(3, 4), (4, 5), (5, 6), (6, 6)])
    """

    def __init__(self, file: File) -> None:
        """Create a level from an open file.

        Raises:
            MissingTableError: the level is a large grid that only bake.play can read.
        """
        if file.number("block") is not None:
            found = "this large lattice has no table that holds all next hops"
            raise MissingTableError(found, file=file.path, remedy="open it with bake.play")
        super().__init__(file, Places(file))
        self._arcs = Arcs(self._things)
        self._versions = {name: ProfileVersion(Hops(self._arcs, name)) for name in self.profiles}
        self._baked, self._ground = dict(self._versions), self._arcs.baked
        self._changing, self._log = threading.RLock(), ChangeLog(self._arcs.count)
        #: by profile, a list that is empty while the baked tables are valid; see Profile
        self._changed: dict[str, list[bool]] = {name: [] for name in self.profiles}

    def profile(self, name: str | None = None) -> Profile:
        """Return the queries for one agent profile.

        Args:
            name: the name of the profile; optional if the level has only one.

        Raises:
            UnknownProfileError: no profile has that name, or the level has several and ``name`` is
                None.
            AssetError: the level is closed.
        """
        known = self._known(name)
        newest, changed = lambda: self._versions[known], self._changed[known]
        return Profile(known, self._places, newest, changed, self)

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the connections between places that need not be adjacent, by name."""
        return self._things.links

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the doors by name, in their current states."""
        return self._things.doors_on(self._ground.terrain)

    @classmethod
    def _open(cls, path: FilePath, check: bool) -> Self:
        file = File(path, check=check)
        try:
            return cls(file)
        except BaseException:
            file.close()
            raise

    def _changes(self) -> dict[str, Any] | None:
        ground = self._ground
        return None if ground is self._arcs.baked else self._changer.changes_of(ground)

    def _restore(self, changes: dict[str, Any]) -> None:
        with self._changing:
            self._become(self._changer.ground_of(changes))

    def _made_of(self) -> tuple[Sequence[str], Any, Float64Array | None]:
        arcs = self._arcs
        return arcs.places.terrains, self._ground.terrain, arcs.elevation

    # -- changes ----------------------------------------------------------------------------------

    @cached_property
    def _changer(self) -> Changer:
        if self._file.has("/cell"):
            found = "in this flat file cells are nodes, without movement rules"
            remedy = "open the asset to change the level"
            raise QueryError(found, file=self._file.path, remedy=remedy)
        return Changer(self._arcs, self._baked)

    @property
    def changed(self) -> bool:
        """Return whether any terrain, obstacle or arc cost differs from the baked level."""
        ground, baked = self._ground, self._arcs.baked
        return ground is not baked and len(self._changer.differing(baked, ground)) > 0

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[PlaceT, str] | None = None,
        arcs: Mapping[tuple[PlaceT, PlaceT], float | None] | None = None,
    ) -> dict[str, UpdateReport]:
        """Change cells, nodes or arcs of the level for all profiles in one batch.

        After the call returns, every answer matches a fresh bake of the changed level. If an
        argument is wrong, the level stays unchanged.

        Args:
            blocked: places to block with an obstacle, for all profiles.
            opened: places to remove the obstacle from. If no profile can stand on the terrain of
                such a place, the terrain becomes the level's most common walkable one.
            terrain: new terrain by place, each one of the level's terrain names.
            arcs: new costs of single arcs in units, by (from, to). ``math.inf`` closes an arc, None
                restores its usual cost. An arc forbidden by terrain or corners stays forbidden.

        Returns:
            One report by profile name.

        Raises:
            QueryError: a place, terrain or arc does not exist, or a cost is not positive or does
                not fit the integer scale.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/bastion.h5") as level:
            ...     level.update(blocked=[(3, 8, 0)])["guard"].closed
            ((3, 8, 0),)
        """
        return self._apply(self._changer.asked.batch(blocked, opened, terrain, arcs))

    def set_state(self, door: str, state: str) -> dict[str, UpdateReport]:
        """Change the state of a door, in one batch like :meth:`update`.

        Args:
            door: the name of the door.
            state: one of the names in its :attr:`Door.states`.

        Returns:
            One report by profile name.

        Raises:
            QueryError: the door does not exist, or has no such state.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/bastion.h5") as level:
            ...     level.set_state("gate", "shut")["guard"].closed
            ((12, 7, 0), (12, 8, 0))
        """
        return self._apply(self._changer.asked.door(self._things, door, state))

    def reset(self) -> dict[str, UpdateReport]:
        """Restore the baked level in one batch, and return one report by profile name."""
        with self._changing:
            return self._become(self._arcs.baked)

    def changes_since(self, token: int = 0) -> Changes:
        """Return the changes since an earlier call, for agents that cache paths.

        Args:
            token: the ``token`` that the earlier call returned; 0 = the baked level.

        Raises:
            QueryError: no call returned this token.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/bastion.h5") as level:
            ...     _ = level.update(blocked=[(3, 8, 0)])
            ...     level.changes_since(0).places.tolist()
            [[3, 8, 0]]
        """
        with self._changing:
            return self._log.since(token, self._places, self.links)

    def save_patch(self, path: FilePath) -> None:
        """Write the changes since the bake to a small file, for example with a saved game.

        Raises:
            OutputError: the file cannot be written.
        """
        self._changer.save_patch(path, self._ground)

    def apply_patch(self, path: FilePath) -> dict[str, UpdateReport]:
        """Restore the level that :meth:`save_patch` saved, in one batch.

        This replaces all other changes. Patches with links or arcs that a game added need
        bake.play. If the patch cannot be applied, the level stays unchanged.

        Returns:
            One report by profile name.

        Raises:
            PatchError: the file is not a patch, belongs to another level, contains added links, or
                is damaged.
        """
        with self._changing:
            return self._become(self._changer.read_patch(path))

    def _apply(self, edit: Batch) -> dict[str, UpdateReport]:
        with self._changing:
            return self._become(self._changer.edited(self._ground, edit))

    def _become(self, ground: LevelGround) -> dict[str, UpdateReport]:
        """Replace the level state, and publish new versions of all profiles."""
        changed, baked = self._changer.differing(self._ground, ground), self._baked
        versions, reports, rerouted = dict(self._versions), {}, []
        for name in self.profiles:
            after = self._changer.after(versions[name], ground, changed)
            versions[name], reports[name], is_rerouted = after
            if versions[name].as_baked:
                versions[name] = baked[name]
            if is_rerouted:
                rerouted.append(name)
        self._log.note(changed, rerouted)
        for name, version in versions.items():
            if not version.as_baked:
                self._changed[name][:] = [True]  # Fast lookups stop before the versions change.
        self._ground, self._versions = ground, versions
        for name, version in versions.items():
            if version.as_baked:
                self._changed[name].clear()
        return reports


def open_level(path: FilePath, *, check: bool = True) -> Level:
    """Open a baked level: an HDF5 asset (.h5) or a flat file (.bake).

    Tables are read from the file on first use.

    Args:
        path: the file.
        check: whether to verify the digest of the whole file first, which takes about a millisecond
            per MiB. Without it, each column of an HDF5 asset is still verified when it is read.

    Raises:
        AssetError: the file is missing, not a level, too old, too new, or damaged.

    Example:
        >>> level = open_level("baked/keep.h5")
        >>> level.profile().next_hop((3, 4), (50, 41))
        (3, 5)
        >>> level.close()
    """
    return Level._open(path, check)
