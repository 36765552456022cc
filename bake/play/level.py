"""Open an asset, and hand out its profiles; open a pattern database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import overload

import numpy.typing as npt

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array
from bake.asset import Asset
from bake.play.current import Current
from bake.play.live.report import DetailedReport
from bake.play.navigator import Navigator
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from levelbake.changes import Changes
from levelbake.errors import UnknownProfileError
from levelbake.places import Cell, Coordinates, Name, Place, Points, quoted
from levelbake.things import Door, Instance, Link, Region, Spot


class LevelAsset:
    """An open asset, which is a context manager.

    Attributes:
        name: the level's name.
        profiles: names of its agent profiles, sorted.
        width, height: how many cells one floor has in each direction; 0 for graph levels.
        floors: how many floors there are; places are cells (x, y, floor) where there are several.
        is_grid: whether places are cells (x, y); otherwise they are node names.
    """

    def __init__(self, asset: Asset) -> None:
        self._asset = asset
        self._places = NodePlaces(asset)
        self.name = self._places.name
        self.profiles = asset.profiles
        self.width = self._places.width
        self.floors = self._places.floors
        self.height = self._places.height // self.floors
        self.is_grid = self._places.is_grid
        self._points = Points(self._places)
        self._current = Current(self._places, self.profiles)

    @property
    def coordinates(self) -> Coordinates:
        """Return where cells lie: the middle of cell (0, 0), and the steps to the east and south.

        Raises:
            QueryError: the level is a graph.
        """
        return self._points.coordinates

    @overload
    def to_cell(self, point: Sequence[float]) -> Cell: ...
    @overload
    def to_cell(self, point: AnyArray | Sequence[Sequence[float]]) -> Int32Array: ...
    def to_cell(self, point: npt.ArrayLike) -> Cell | Int32Array:
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
    def to_point(self, place: Place) -> tuple[float, ...]: ...
    @overload
    def to_point(self, place: AnyArray | list[Cell] | list[Name]) -> Float64Array: ...
    def to_point(self, place: object) -> tuple[float, ...] | Float64Array:
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
    def inside(self, cell: AnyArray | list[Cell]) -> BoolArray: ...
    def inside(self, cell: npt.ArrayLike) -> bool | BoolArray:
        """Tell whether the level has a cell, blocked or not; for an array of cells (n) bool.

        Raises:
            QueryError: the level is a graph, or something is no cell.
        """
        return self._points.inside(cell)

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the ways between places that need not be neighbours, by name, as they are now.

        They are read when first asked for. Ask for them again when :meth:`update` changed some.
        """
        return self._current.links

    @property
    def regions(self) -> Mapping[str, Region]:
        """Return the named cells, by name; they are read when first asked for."""
        return self._current.things.regions

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the cells that change terrain together, by name, in the states they are in now.

        They are read when first asked for. A door keeps its state when the level changes; ask for
        the doors again then.
        """
        return self._current.doors

    @property
    def instances(self) -> tuple[Instance, ...]:
        """Return the rooms and houses that the level is built of, in the order of the level."""
        return self._current.things.instances

    def spots(self, kind: str | None = None, *, profile: str | None = None) -> tuple[Spot, ...]:
        """Return the named places, in the order of the level; they are read when first asked for.

        Args:
            kind: return only spots of this kind, such as "spawn"; None = all.
            profile: return only spots for this agent profile; None = all.
        """
        return tuple(
            spot
            for spot in self._current.things.spots.values()
            if kind in (None, spot.kind)
            and (profile is None or spot.profiles is None or profile in spot.profiles)
        )

    @property
    def is_divided_plane(self) -> bool:
        """Tell whether there are paths between points: the level has a mesh, or walls to see by."""
        return any(self._places.asset.has(name) for name in ("/mesh_vertex", "/wall_node"))

    @property
    def headings(self) -> int | None:
        """Return how many ways an agent can face, each of them a floor; None = nobody faces any."""
        return self._places.headings

    def terrain_at(self, places: Place | npt.ArrayLike) -> str | list[str | None] | None:
        """Return the terrain of a place as the level is now, or of each of many.

        An obstacle that :meth:`update` put there does not change the terrain.

        Args:
            places: a place, or many: (m, 2) integers (x, y) on grid levels, names on graph levels.

        Returns:
            The name of the terrain, None for a place that does not exist; a list for many places.

        Raises:
            QueryError: ``places`` is neither.
        """
        one, listed = self._places.as_many(places)
        found = self._current.writer.terrain_at(self._places.locations(listed, "places"))
        return found[0] if one else found

    def elevation_at(self, places: Place | npt.ArrayLike) -> float | Float64Array | None:
        """Return how high the ground of a place lies, in units, or of each of many.

        Args:
            places: a place, or many, as for :meth:`terrain_at`.

        Returns:
            The elevation, NaN for a place that does not exist; (m) float64 for many places. None
            where the level's source does not say how high places lie.

        Raises:
            QueryError: ``places`` is neither.
        """
        one, listed = self._places.as_many(places)
        found = self._current.writer.elevation_at(self._places.locations(listed, "places"))
        return float(found[0]) if one and found is not None else found

    def changes_since(self, token: int = 0) -> Changes:
        """Return what has changed since an earlier call, so that agents know whether to look again.

        Args:
            token: the ``token`` of that call's answer; 0 stands for the level as it was baked.

        Returns:
            The places and links that changed, the profiles that may reach other places, and the
            token for the next call.

        Raises:
            QueryError: no call gave out this token.
        """
        return self._current.writer.changes_since(token)

    def node_name(self, text: str) -> Name:
        """Return the name of a graph level's node as its source wrote it, from text: 7 or "7".

        Raises:
            UnknownNodeError: there is no node of that name.
        """
        return self._places.name_from(text)

    def profile(self, name: str | None = None) -> Navigator:
        """Return the lookups for one profile.

        Args:
            name: the name of the profile; it may be left out where the asset holds only one.

        Raises:
            UnknownProfileError: there is no such profile, or there are several and none is named.
            AssetError: the asset is closed.
        """
        return Navigator(self._current, self._known(name))

    def _columns(self, profile: str | None = None) -> ProfileColumns:
        """Return what the asset holds of a profile, even if the level has changed since.

        This is how the rest of this package (views, differences, exports) reads the columns of an
        open level; ``columns.places`` tells where its nodes are. Games have no use for it.

        Raises:
            UnknownProfileError, AssetError: as for :meth:`profile`.
        """
        return self._current.baked[self._known(profile)].columns

    def _known(self, name: str | None) -> str:
        """Return the name of a profile; it may be left out where the asset holds only one."""
        self._asset.check_open()
        if name is None and len(self.profiles) == 1:
            name = self.profiles[0]
        if name not in self.profiles:
            raise UnknownProfileError(
                "several profiles, none named" if name is None else f"no profile {quoted(name)}",
                file=self._asset.path,
                expected=" or ".join(repr(known) for known in self.profiles),
            )
        return name

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[Place, str] | None = None,
        arcs: Mapping[tuple[Place, Place], float | None] | None = None,
        links: Mapping[str, Mapping[str, object] | Link | None] | None = None,
    ) -> dict[str, DetailedReport]:
        """Change the level for every profile at once; all later answers are about the new level.

        One call is one batch: all of it happens, or, where an argument is wrong, nothing.

        Args:
            blocked: places that get an obstacle, on which nobody can stand.
            opened: places that lose their obstacle; where nobody can stand on the terrain there,
                it becomes the level's commonest terrain that somebody can stand on.
            terrain: the new terrain of places, one of the level's names.
            arcs: what single arcs cost from now on, in units, by (from, to): infinity closes an
                arc, None gives it its usual cost. What terrain or a corner forbids stays forbidden.
                Between places that nothing joins, a number adds an arc for every profile, and None
                takes it away again.
            links: the links of these names: what a tile level says of a link ("from", "to", and
                where need be "kind", "cost", "both_ways", "profiles" and "id"), a :class:`Link`,
                or None to take a link away, whether it was baked or added.

        Returns:
            What the update did, by profile.

        Raises:
            QueryError: a place, terrain, arc or link does not exist, a link is none, or a cost is
                not a positive number or does not fit the integer scale. Then nothing has changed.
        """
        writer = self._current.writer
        return writer.update(blocked, opened, terrain, arcs, links)

    def repair(self, budget_ms: float | None = 2) -> int:
        """Make what questions about the changed level would have to wait for.

        These are the contraction hierarchy, where cells were opened that it does not know or nobody
        has asked yet, and the clusters and layers of paths by HPA*.

        Args:
            budget_ms: when to stop, after one of these is made; None = when all are.

        Returns:
            How many of them are left to make.

        Raises:
            QueryError: the budget is not a number of milliseconds.
        """
        return self._current.writer.repair(self.profiles, budget_ms)

    def set_state(self, door: str, state: str) -> dict[str, DetailedReport]:
        """Put a door into one of the states the level gives it; a batch like :meth:`update`.

        Raises:
            QueryError: there is no such door, or it has no such state.
        """
        return self._current.writer.set_state(self._current.things, door, state)

    def save_patch(self, path: str | Path) -> None:
        """Write how the level has changed since it was baked to a small file.

        Raises:
            OutputError: the file cannot be written.
        """
        self._current.writer.save_patch(Path(path))

    def apply_patch(self, path: str | Path) -> dict[str, DetailedReport]:
        """Make the level what it was when a patch was saved, in one batch.

        This overrides whatever has changed since.

        Raises:
            PatchError: the file is no patch, belongs to another asset or version, or is damaged;
                then nothing has changed.
        """
        return self._current.writer.apply_patch(Path(path))

    def journal(self, path: str | Path) -> int:
        """Replay every whole batch of a journal, and write each later batch to it.

        A batch is on the disk before :meth:`update` returns. A batch that a crash tore is dropped.

        Returns:
            How many batches were replayed; 0 where the journal is new.

        Raises:
            PatchError: the file is no journal, is one of another asset, or holds a whole line that
                is damaged.
            OutputError: the file cannot be opened or written, or another open level keeps it.
            QueryError: a journal is being kept already.
        """
        return self._current.writer.keep_journal(Path(path))

    def warm_up(self, *methods: str) -> None:
        """Compile, or load, the kernels that questions to any profile need; see Navigator.warm_up.

        "update" among the methods lays out what :meth:`update` needs.

        Raises:
            QueryError: there is no such method.
        """
        from bake.kernels.jit import waiting

        with waiting():
            self._warm_up(methods)

    def _warm_up(self, methods: tuple[str, ...]) -> None:
        if "update" in methods:
            self._current.writer.warm_up()
            methods = tuple(name for name in methods if name != "update")
            if not methods:
                return
        for name in self.profiles:
            self.profile(name).warm_up(*methods)

    def close(self) -> None:
        """Close the file. Navigators may still use what they have read, but cannot read more."""
        self._current.close()
        self._asset.close()

    def __enter__(self) -> LevelAsset:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_asset(path: str | Path, *, check: bool = True) -> LevelAsset:
    """Open a baked level; arrays are read when a question first needs them.

    Args:
        path: the asset, or a flat file that was exported from it.
        check: whether to compare the whole file with its digest first, which takes about a
            millisecond for each MiB. Without this check, columns are still compared with their
            digests when they are read.

    Raises:
        AssetError: the file is missing, not an asset, too old, too new, or damaged.
    """
    asset = Asset(path, check=check)
    try:
        return LevelAsset(asset)
    except BaseException:
        asset.close()
        raise
