"""Open an asset, and hand out its profiles; open a pattern database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from bake.core.arrays import Float64Array
from bake.core.kernels.jit import load, waiting
from bake.play.current import Current
from bake.play.navigator import Navigator
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from bake.play.report import DetailedReport
from bake.search.all_pairs.follow import (
    follow_run,
    follow_runs,
    in_order,
    look_up_rows,
    look_up_runs,
    measure_runs,
)
from bake.search.contraction.labels import add_up, label_distances, ticks_between
from bake.search.point.kd_tree import nearest_row
from bake.search.point.nearest_cell import nearest_cell, nearest_hexagon
from bake.store import Asset
from levelbake.changes import Changes
from levelbake.errors import FilePath
from levelbake.level import OpenLevel
from levelbake.places import NameT, Place, PlaceT
from levelbake.things import Door, Link

#: Cells of a grid, or nodes of a graph, from which on opening a level loads compiled code ...
# limit: opening loads compiled code; tests/play/test_warm.py
LARGE = 2**13

#: ... of what a game asks often.
LOOKUPS = (
    follow_run,
    follow_runs,
    in_order,
    look_up_rows,
    look_up_runs,
    measure_runs,
    add_up,
    label_distances,
    ticks_between,
    nearest_cell,
    nearest_hexagon,
    nearest_row,
)


class LevelAsset(OpenLevel):
    """An open asset; :class:`levelbake.level.OpenLevel` has its places, points and things."""

    def __init__(self, asset: Asset) -> None:
        super().__init__(asset, places := NodePlaces(asset))
        self._current = Current(places, self._things, self.profiles)
        self._current.level = self
        self._current.watch(self, LevelAsset._superseded)

    @classmethod
    def _open(cls, path: FilePath, check: bool) -> Self:
        asset = Asset(Path(path), check=check)
        try:
            level = cls(asset)
            if _extent(level) >= LARGE:
                load(LOOKUPS)
            return level
        except BaseException:
            asset.close()
            raise

    def _changes(self) -> dict[str, Any] | None:
        return self._current.changes

    def _restore(self, changes: dict[str, Any]) -> None:
        self._current.writer.restore(changes)

    def _superseded(self) -> None:
        """Take the places of the level as it is now."""
        if self._places is not self._current.places:
            self._places = self._current.places
            self._points = self._places.plane

    @property
    def links(self) -> Mapping[str, Link]:
        """Return the ways between places that need not be neighbours, by name, as they are now.

        They are read when first asked for. Ask for them again when :meth:`update` changed some.
        """
        return self._current.links

    @property
    def doors(self) -> Mapping[str, Door]:
        """Return the cells that change terrain together, by name, in the states they are in now.

        They are read when first asked for. A door keeps its state when the level changes; ask for
        the doors again then.
        """
        return self._current.doors

    @property
    def is_divided_plane(self) -> bool:
        """Tell whether there are paths between points: the level has a mesh, or walls to see by."""
        return any(self._file.has(name) for name in ("/mesh_vertex", "/wall_node"))

    def _made_of(self) -> tuple[Sequence[str], Any, Float64Array | None]:
        return self._current.made_of()

    @property
    def changed(self) -> bool:
        """Return whether the level differs from the baked one.

        This is terrain, obstacles and prices of single arcs, and the links, arcs, nodes and
        obstacles that the game added or removed.
        """
        return self._current.changes is not None

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

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[PlaceT, str] | None = None,
        arcs: Mapping[tuple[PlaceT, PlaceT], float | None] | None = None,
        links: Mapping[str, Mapping[str, object] | Link | None] | None = None,
        nodes: Mapping[NameT, Mapping[str, object] | None] | None = None,
        obstacles: Mapping[str, Sequence[Sequence[float]] | None] | None = None,
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
            nodes: of graphs and meshes, nodes that come, by name: "at" says where (x, y), unless
                the level's nodes have no positions, "z" how high, if it says that of nodes, and
                "terrain" may name one, otherwise it is the commonest that somebody can stand on.
                One that came is moved by this, and None takes it away again, with its arcs and
                links. What else the batch says, it says of the level with these nodes.
            obstacles: of meshes with a node in the centre of each polygon, what stands on them, by
                name: the corners (x, y) of a convex polygon, on several floors (x, y, floor), or
                None for one that goes. Polygons that one touches are blocked, and what it leaves
                of them comes as pieces, nodes named after the polygon's: 17/0, 17/1 and so on.

        Returns:
            What the update did, by profile.

        Raises:
            QueryError: a place, terrain, arc or link does not exist, a link, node or obstacle is
                none, a node of this name was baked, or a cost is not a positive number or does not
                fit the integer scale. Then nothing has changed.
        """
        writer = self._current.writer
        return writer.update(blocked, opened, terrain, arcs, links, nodes, obstacles)

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

    def reset(self) -> dict[str, DetailedReport]:
        """Restore the baked level, in one batch."""
        return self._current.writer.reset()

    def save_patch(self, path: FilePath) -> None:
        """Write how the level has changed since it was baked to a small file.

        Raises:
            OutputError: the file cannot be written.
        """
        self._current.writer.save_patch(Path(path))

    def apply_patch(self, path: FilePath) -> dict[str, DetailedReport]:
        """Make the level what it was when a patch was saved, in one batch.

        This overrides whatever has changed since.

        Raises:
            PatchError: the file is no patch, belongs to another asset or version, or is damaged;
                then nothing has changed.
        """
        return self._current.writer.apply_patch(Path(path))

    def journal(self, path: FilePath) -> int:
        """Replay every whole batch of a journal, and write each later batch to it.

        A batch is on the disk before :meth:`update` returns. A batch that a crash tore is dropped.

        Returns:
            How many batches were replayed; 0 where the journal is new.

        Raises:
            PatchError: the file is no journal, is one of another asset, or holds a whole line that
                is damaged.
            OutputError: the file cannot be opened or written, or another open level keeps it.
            QueryError: a journal is being kept already. Another program may have removed, replaced
                or resized it, which the next :meth:`update` raises as an OutputError; then another
                journal may be kept.
        """
        return self._current.writer.keep_journal(Path(path))

    @waiting()
    def warm_up(self, *methods: str) -> None:
        """Compile, or load, the kernels that questions to any profile need; see Navigator.warm_up.

        "update" among the methods lays out what :meth:`update` needs.

        Raises:
            QueryError: there is no such method.
        """
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
        super().close()


def _extent(level: LevelAsset) -> int:
    """Return how many cells a level has, or nodes if it is a graph."""
    if level.is_grid:
        return level.width * level.height * level.floors
    return level._file.shape("/node_number" if level._file.has("/node_number") else "/node_name")[0]


def open_asset(path: FilePath, *, check: bool = True) -> LevelAsset:
    """Open a baked level; arrays are read when a question first needs them.

    Compiled code for lookups is loaded here where the level is large and the code is there. In a
    process that opens small levels alone nothing is, until ``warm_up``.

    Args:
        path: the asset, or a flat file that was exported from it.
        check: whether to compare the whole file with its digest first, which takes about a
            millisecond for each MiB. Without this check, columns are still compared with their
            digests when they are read.

    Raises:
        AssetError: the file is missing, not an asset, too old, too new, or damaged.
    """
    return LevelAsset._open(path, check)
