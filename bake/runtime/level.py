"""An open asset, and its profiles."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from bake.asset import Asset
from bake.errors import UnknownProfileError
from bake.runtime.navigator import Navigator
from bake.runtime.places import Name, Places


class LevelAsset:
    """An open asset; a context manager.

    Attributes:
        name: the level's name.
        profiles: names of its agent profiles, sorted.
        width, height: cells; 0 for graph levels.
        is_grid: whether places are cells (x, y); otherwise they are node names.
    """

    def __init__(self, asset: Asset) -> None:
        self._asset = asset
        self._places = Places(asset)
        self.name = self._places.name
        self.profiles = asset.profiles
        self.width = self._places.width
        self.height = self._places.height
        self.is_grid = self._places.is_grid

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
        """
        if name is None and len(self.profiles) == 1:
            name = self.profiles[0]
        if name not in self.profiles:
            raise UnknownProfileError(
                "several profiles, none named" if name is None else f"no profile {name!r}",
                file=self._asset.path,
                expected=" or ".join(repr(known) for known in self.profiles),
            )
        return Navigator(self._places, name)

    def close(self) -> None:
        """Close the file. A navigator that was used before may go on; a new one may not."""
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
