"""Opens a baked level, hands out its profiles, and changes it while the game runs."""

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
    """What does not change of an open level: its places, points and things; a context manager.

    Attributes:
        name: the level's name.
        profiles: names of its agent profiles, sorted.
        width, height: how many cells one floor has in each direction; 0 for graph levels.
        floors: how many floors there are; places are cells (x, y, floor) where there are several.
        headings: how many ways an agent can face, each of them a floor; None = nobody faces any.
        is_grid: whether places are cells; otherwise they are node names.
    """

    def __init__(self, file: File, places: Places) -> None:
        self._file, self._places = file, places
        self.name, self.profiles = places.name, file.profiles
        self.width, self.height, self.floors = places.width, places.rows, places.floors
        self.headings, self.is_grid = places.headings, places.is_grid
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
        """Return the name of a profile; it may be left out where the level holds only one."""
        self._file.check_open()
        if name is None and len(self.profiles) == 1:
            name = self.profiles[0]
        if name is None or name not in self.profiles:
            said = "several profiles, none named" if name is None else f"no profile {quoted(name)}"
            known = " or ".join(map(repr, self.profiles))
            raise UnknownProfileError(said, file=self._file.path, expected=known)
        return name

    def _made_of(self) -> tuple[Sequence[str], Any, Float64Array | None]:
        """Return names of terrains, the terrain of each location now, and how high it lies."""
        raise NotImplementedError

    # -- places -----------------------------------------------------------------------------------

    @property
    def coordinates(self) -> Coordinates:
        """Return where cells lie: the middle of cell (0, 0), and the steps to the east and south.

        Raises:
            QueryError: the level is a graph.
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
        """Return the cell that a point lies in, whether or not the level has it: see `inside`.

        Args:
            point: (x, y), in pixels of the editor or whatever the level's source counts in, y to
                the south; on levels of several floors (x, y, floor). Or an array of such points,
                (n, 2) or (n, 3).

        Returns:
            The cell; for an array (n, 2) or (n, 3) int32.

        Raises:
            QueryError: the level is a graph; there is no such floor; or a number is not finite, or
                leads to a cell beyond 32 bits.
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
        """Return the point in the middle of a cell, whether or not the level has the cell.

        Args:
            place: a cell, or an array of cells, (n, 2) or (n, 3) integers; on graphs the name of a
                node, or a list of names.

        Returns:
            (x, y), or on levels of several floors (x, y, floor); for several places (n, 2) or
            (n, 3) float64. On graphs it is where the node lies.

        Raises:
            QueryError: something is no cell, there is no such floor or node, or the graph has no
                positions.
        """
        return self._points.points(place)

    @overload
    def inside(self, cell: Cell) -> bool: ...

    @overload
    def inside(self, cell: ArrayLike) -> BoolArray: ...

    def inside(self, cell: ArrayLike) -> bool | BoolArray:
        """Tell whether the level has a cell, blocked or not; for an array of cells (n) bool.

        Raises:
            QueryError: the level is a graph, or something is no cell.
        """
        return self._points.inside(cell)

    def node_name(self, text: str) -> Name:
        """Return the name of a graph level's node as its source wrote it, from text: 7 or "7".

        Raises:
            UnknownNodeError: there is no node of that name.
        """
        return self._places.name_from(text)

    @overload
    def terrain_at(self, places: Place) -> str | None: ...

    @overload
    def terrain_at(self, places: ArrayLike) -> list[str | None]: ...

    def terrain_at(self, places: Place | ArrayLike) -> str | list[str | None] | None:
        """Return the terrain of a place as the level is now, or of each of many.

        An obstacle that :meth:`update` put there does not change the terrain.

        Returns:
            The name of the terrain, None for a place that does not exist; a list for many places.

        Raises:
            QueryError: ``places`` is neither.
        """
        one, listed = self._places.as_many(places)
        at, (names, terrain, _) = self._places.locations(listed, "places"), self._made_of()
        each = zip(at.tolist(), terrain[np.maximum(at, 0)].tolist(), strict=True)
        found = [names[code] if at >= 0 else None for at, code in each]
        return found[0] if one else found

    @overload
    def elevation_at(self, places: Place) -> float | None: ...

    @overload
    def elevation_at(self, places: ArrayLike) -> Float64Array | None: ...

    def elevation_at(self, places: Place | ArrayLike) -> float | Float64Array | None:
        """Return how high the ground of a place lies, in units, or of each of many.

        Returns:
            The elevation, NaN for a place that does not exist; (m) float64 for many places. None
            where the level's source does not say how high places lie.

        Raises:
            QueryError: ``places`` is neither.
        """
        one, listed = self._places.as_many(places)
        at, (*_, elevation) = self._places.locations(listed, "places"), self._made_of()
        if elevation is None:
            return None
        found = np.where(at < 0, np.nan, elevation[at])
        return float(found[0]) if one else found

    # -- things ----------------------------------------------------------------------------------

    @property
    def regions(self) -> Mapping[str, Region]:
        """Return the named cells, by name."""
        return self._things.regions

    @property
    def instances(self) -> tuple[Instance, ...]:
        """Return the rooms and houses that the level is built of, in the order of the level."""
        return self._things.instances

    def spots(self, kind: str | None = None, *, profile: str | None = None) -> tuple[Spot, ...]:
        """Return the named places, in the order of the level.

        Args:
            kind: return only spots of this kind, such as "spawn"; None = all.
            profile: return only spots for this agent profile; None = all.
        """
        return tuple(
            spot
            for spot in self._things.spots.values()
            if kind in (None, spot.kind)
            and (profile is None or spot.profiles is None or profile in spot.profiles)
        )

    # -- the file ---------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file. Profiles may still use what they have read, but cannot read more."""
        self._file.close()

    # -- copies -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the path and the changes, by which a copy opens the file again."""
        file = self._file
        file.check_open()
        fingerprint, changes = file.header.fingerprint(), self._changes()
        return _reopen, (type(self), file.absolute, file.checked, fingerprint, changes)

    @classmethod
    def _open(cls, path: FilePath, check: bool) -> Self:
        """Open the level of a file."""
        raise NotImplementedError

    def _changes(self) -> dict[str, Any] | None:
        """Return how the level differs from the baked one; None where it does not."""
        raise NotImplementedError

    def _restore(self, changes: dict[str, Any]) -> None:
        """Apply changes of another copy of the level, in one batch."""
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
        AssetError: the file cannot be read, or is another one than the copied level had.
    """
    level = kind._open(path, check)
    try:
        if level._file.header.fingerprint() != fingerprint:
            found = "was baked again since the level was copied"
            raise AssetError(found, file=path, remedy="open the level anew before it is copied")
        if changes is not None:
            level._restore(changes)
    except BaseException:
        level.close()
        raise
    return level


class Level(OpenLevel):
    """An open level. Open it with :func:`open_level`.

    Threads may share it. Each change makes new versions of all profiles, which are published by one
    assignment; whoever asks takes the version of its profile once.
    """

    def __init__(self, file: File) -> None:
        """Take an open file.

        Raises:
            MissingTableError: it is a lattice so large that only bake.play reads it.
        """
        if file.number("block") is not None:
            said = "this large lattice has no table that holds all next hops"
            raise MissingTableError(said, file=file.path, remedy="open it with bake.play")
        super().__init__(file, Places(file))
        self._arcs = Arcs(self._things)
        self._versions = {name: ProfileVersion(Hops(self._arcs, name)) for name in self.profiles}
        self._baked, self._ground = dict(self._versions), self._arcs.baked
        self._changing, self._log = threading.RLock(), ChangeLog(self._arcs.count)
        #: by profile, a list with an element while its tables do not answer: see Profile
        self._changed: dict[str, list[bool]] = {name: [] for name in self.profiles}

    def profile(self, name: str | None = None) -> Profile:
        """Return the lookups for one profile.

        Args:
            name: the name of the profile; it may be left out where the level holds only one.

        Raises:
            UnknownProfileError: there is no such profile, or there are several and none is named.
            AssetError: the level is closed.
        """
        known = self._known(name)
        newest, changed = lambda: self._versions[known], self._changed[known]
        return Profile(known, self._places, newest, changed, self)

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the ways between places that need not be neighbours, by name."""
        return self._things.links

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the cells that change terrain together, by name, in the states they are in now."""
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
            found = "cells are nodes in this flat file, which has no rules of their steps"
            remedy = "open the asset to follow changes"
            raise QueryError(found, file=self._file.path, remedy=remedy)
        return Changer(self._arcs, self._baked)

    @property
    def changed(self) -> bool:
        """Tell whether any terrain, obstacle or price is another than when the level was baked."""
        ground, baked = self._ground, self._arcs.baked
        return ground is not baked and len(self._changer.differing(baked, ground)) > 0

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[PlaceT, str] | None = None,
        arcs: Mapping[tuple[PlaceT, PlaceT], float | None] | None = None,
    ) -> dict[str, UpdateReport]:
        """Change the level for every profile at once; all later answers are about the new level.

        One call is one batch: all of it happens, or, where an argument is wrong, nothing.

        Args:
            blocked: places that get an obstacle, on which nobody can stand.
            opened: places that lose their obstacle; where nobody can stand on the terrain there,
                it becomes the level's commonest terrain that somebody can stand on.
            terrain: the new terrain of places, one of the level's names.
            arcs: what single arcs cost from now on, in units, by (from, to): infinity closes an
                arc, None gives it its usual cost. What terrain or a corner forbids stays forbidden.

        Returns:
            What the update did, by profile.

        Raises:
            QueryError: a place, terrain or arc does not exist, or a cost is not a positive number
                or does not fit the integer scale. Then nothing has changed.
        """
        return self._apply(self._changer.asked.batch(blocked, opened, terrain, arcs))

    def set_state(self, door: str, state: str) -> dict[str, UpdateReport]:
        """Put a door into one of the states the level gives it; a batch like :meth:`update`.

        Raises:
            QueryError: there is no such door, or it has no such state.
        """
        return self._apply(self._changer.asked.door(self._things, door, state))

    def reset(self) -> dict[str, UpdateReport]:
        """Make the level what it was when it was baked, in one batch."""
        with self._changing:
            return self._become(self._arcs.baked)

    def changes_since(self, token: int = 0) -> Changes:
        """Return what has changed since an earlier call, so that agents know whether to look again.

        Args:
            token: the ``token`` of that call's answer; 0 stands for the level as it was baked.

        Raises:
            QueryError: no call gave out this token.
        """
        with self._changing:
            return self._log.since(token, self._places, self.links)

    def save_patch(self, path: FilePath) -> None:
        """Write how the level has changed since it was baked to a small file.

        Raises:
            OutputError: the file cannot be written.
        """
        self._changer.save_patch(path, self._ground)

    def apply_patch(self, path: FilePath) -> dict[str, UpdateReport]:
        """Make the level what it was when a patch was saved, in one batch.

        This overrides whatever has changed since. Patches that hold links or arcs which a game
        added are for bake.play.

        Raises:
            PatchError: the file is no patch, belongs to another level, holds links, or is damaged;
                then nothing has changed.
        """
        with self._changing:
            return self._become(self._changer.read_patch(path))

    def _apply(self, edit: Batch) -> dict[str, UpdateReport]:
        with self._changing:
            return self._become(self._changer.edited(self._ground, edit))

    def _become(self, ground: LevelGround) -> dict[str, UpdateReport]:
        """Make the level another one, and publish the versions of its profiles."""
        changed, baked = self._changer.differing(self._ground, ground), self._baked
        versions, reports, rerouted = dict(self._versions), {}, []
        for name in self.profiles:
            after = self._changer.after(versions[name], ground, changed)
            versions[name], reports[name], other = after
            if versions[name].as_baked:
                versions[name] = baked[name]
            if other:
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
    """Open a baked level, an HDF5 asset or a flat file; columns are read when first needed.

    Args:
        path: the file.
        check: whether to compare the whole file with its digest first, which takes about a
            millisecond for each MiB. Without this check, columns of assets are still compared with
            their digests when they are read.

    Raises:
        AssetError: the file is missing, not a level, too old, too new, or damaged.
    """
    return Level._open(path, check)
