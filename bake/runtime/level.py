"""An open asset, and its profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from bake.asset import Asset
from bake.errors import UnknownProfileError
from bake.runtime.current import Current
from bake.runtime.live.report import UpdateReport
from bake.runtime.navigator import Navigator
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.places import Name, Place, Places
from bake.runtime.reader.things import Door, Link, Region, Spot


class LevelAsset:
    """An open asset, which is a context manager.

    Attributes:
        name: the level's name.
        profiles: names of its agent profiles, sorted.
        width, height: cells, of one floor where there are several; 0 for graph levels.
        floors: how many floors; places are cells (x, y, floor) where there are several.
        is_grid: whether places are cells (x, y); otherwise they are node names.
    """

    def __init__(self, asset: Asset) -> None:
        self._asset = asset
        self._places = Places(asset)
        self.name = self._places.name
        self.profiles = asset.profiles
        self.width = self._places.width
        self.floors = self._places.floors
        self.height = self._places.height // self.floors
        self.is_grid = self._places.is_grid
        self._current = Current(self._places, self.profiles)

    @property
    def links(self) -> Mapping[str, Link]:
        """Ways between cells that need not be neighbours, by name; read when first asked for."""
        return self._current.things.links

    @property
    def regions(self) -> Mapping[str, Region]:
        """Named cells, by name; read when first asked for."""
        return self._current.things.regions

    @property
    def doors(self) -> Mapping[str, Door]:
        """Cells that change terrain together, by name; read when first asked for."""
        return self._current.things.doors

    def spots(self, kind: str | None = None, *, profile: str | None = None) -> tuple[Spot, ...]:
        """Named places, in the order of the level; read when first asked for.

        Args:
            kind: only those of this kind, such as "spawn"; None = all.
            profile: only those for this agent profile; None = all.
        """
        return tuple(
            spot
            for spot in self._current.things.spots.values()
            if kind in (None, spot.kind)
            and (profile is None or spot.profiles is None or profile in spot.profiles)
        )

    def node_name(self, text: str) -> Name:
        """The name of a graph level's node as its source wrote it, from text: 7 or "7".

        Raises:
            UnknownNodeError: no node of that name.
        """
        return self._places.name_from(text)

    def profile(self, name: str | None = None) -> Navigator:
        """Lookups for one profile.

        Args:
            name: may be left out where the asset holds only one.

        Raises:
            UnknownProfileError: no such profile, or several and none named.
            AssetError: the asset is closed.
        """
        return Navigator(self._current, self._known(name))

    def _tables(self, profile: str | None = None) -> BakedTables:
        """The tables of a profile as they were baked, whatever has become of the level since.

        This is how the rest of this package (views, differences, exports) reads the columns of an
        open level; ``tables.places`` tells where its nodes are. Games have no use for it.

        Raises:
            UnknownProfileError, AssetError: as for :meth:`profile`.
        """
        return self._current.tables[self._known(profile)]

    def _known(self, name: str | None) -> str:
        """The name of a profile, which may be left out where the asset holds only one."""
        self._asset.check_open()
        if name is None and len(self.profiles) == 1:
            name = self.profiles[0]
        if name not in self.profiles:
            raise UnknownProfileError(
                "several profiles, none named" if name is None else f"no profile {name!r}",
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
    ) -> dict[str, UpdateReport]:
        """Change the level for every profile at once; from then on all answers are of the new one.

        One call is one batch: all of it happens, or, where an argument is wrong, nothing.

        Args:
            blocked: places that get an obstacle, on which nobody can stand.
            opened: places that lose theirs; where terrain that nobody can stand on is left, it
                becomes the level's commonest terrain that somebody can.
            terrain: new terrain by place; of one of the level's names.
            arcs: what single arcs cost from now on, in units, by (from, to): infinity closes one,
                None gives it its usual cost. What terrain or a corner forbids stays forbidden.

        Returns:
            What it did, by profile.

        Raises:
            QueryError: a place, terrain or arc does not exist, or a cost is no positive number or
                does not fit the integer scale. Then nothing has changed.
        """
        from bake.runtime.live.edits import edit_of

        writer = self._current.writer
        return writer.apply(edit_of(writer.rules, blocked, opened, terrain, arcs))

    def repair(self, budget_ms: float | None = 2) -> int:
        """Make next hops that updates put in doubt anew, before anybody asks for them.

        Args:
            budget_ms: when to stop, after a slice of 16 rows or flow fields; None = when all is
                done.

        Returns:
            How many rows and flow fields are left to make.

        Raises:
            QueryError: a budget that is no number of milliseconds.
        """
        return self._current.writer.repair(self.profiles, budget_ms)

    def set_state(self, door: str, state: str) -> dict[str, UpdateReport]:
        """Put a door into one of the states the level gives it; a batch like :meth:`update`.

        Raises:
            QueryError: no such door, or no such state of it.
        """
        from bake.runtime.live.edits import door_edit

        writer = self._current.writer
        return writer.apply(door_edit(writer.rules, self._current.things, door, state))

    def save_patch(self, path: str | Path) -> None:
        """Write what has become of the level since it was baked to a small file.

        Raises:
            OutputError: it cannot be written.
        """
        self._current.writer.save_patch(Path(path))

    def apply_patch(self, path: str | Path) -> dict[str, UpdateReport]:
        """Make the level what it was when a patch was saved, whatever it is by now; one batch.

        Raises:
            PatchError: no patch, one of another asset or version, or a damaged one; then nothing
                has changed.
        """
        return self._current.writer.apply_patch(Path(path))

    def journal(self, path: str | Path) -> int:
        """Replay every whole batch of a journal, and write down each one from now on.

        A batch is on the disk before :meth:`update` returns. One that a crash tore is dropped.

        Returns:
            How many batches were replayed; 0 where the journal is new.

        Raises:
            PatchError: another file, a journal of another asset, or one damaged before its end.
            OutputError: it cannot be opened or written.
            QueryError: a journal is being kept already.
        """
        return self._current.writer.keep_journal(Path(path))

    def warm_up(self, *methods: str) -> None:
        """Compile, or load, the kernels that questions to any profile need; see Navigator.warm_up.

        "update" among the methods lays out what :meth:`update` needs.

        Raises:
            QueryError: no such method.
        """
        if "update" in methods:
            self._current.writer.warm_up()
            methods = tuple(name for name in methods if name != "update")
            if not methods:
                return
        for name in self.profiles:
            self.profile(name).warm_up(*methods)

    def close(self) -> None:
        """Close the file. Navigators may go on with what they have read, but read no more."""
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
    """Open a baked level; arrays are read, or mapped, when a question first needs them.

    Args:
        path: the asset.
        check: compare the whole file with its digest first, about a millisecond a MiB. Without,
            columns are still compared with theirs when they are read, but those that are mapped
            are not: for large dense tables in a file the game has checked by other means.

    Raises:
        AssetError: missing, not an asset, too old, too new, or damaged.
    """
    asset = Asset(path, check=check)
    try:
        return LevelAsset(asset)
    except BaseException:
        asset.close()
        raise
