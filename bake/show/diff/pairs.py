"""Match the assets of many levels before and after a change, by level name."""

from __future__ import annotations

import filecmp
from dataclasses import dataclass
from pathlib import Path

from bake.store import is_pattern_database
from levelbake.errors import AssetError


@dataclass(frozen=True)
class LevelPair:
    """One level in two bakes."""

    name: str  #: name of the level in the newer bake
    #: old, new: the assets
    old: Path
    new: Path
    origin: str  #: path of the old level in messages
    renamed_from: str | None = None  #: name in the older bake; None = the same name


@dataclass(frozen=True)
class LevelPairs:
    """The levels of two bakes, and the levels that cannot be compared."""

    base: str  #: the revision or folder of the older bake
    changed: tuple[LevelPair, ...] = ()  #: levels in both whose assets differ
    unchanged: tuple[str, ...] = ()  #: names of levels in both whose assets are equal
    added: tuple[str, ...] = ()  #: names of levels only in the newer bake
    removed: tuple[str, ...] = ()  #: names of levels only in the older bake
    skipped: tuple[str, ...] = ()  #: names of levels that cannot be compared
    assets: tuple[Path, ...] = ()  #: assets of all levels in the newer bake
    warnings: tuple[str, ...] = ()  #: lines about levels of the base that could not be baked


def pair_folders(old: Path, new: Path) -> LevelPairs:
    """Match the assets of two folders by their names.

    Args:
        old: folder of the older assets, which may be empty.
        new: folder of the newer assets.

    Raises:
        AssetError: ``new`` has no asset, or a folder cannot be read.
    """
    before, after = _assets_by_name(old), _assets_by_name(new)
    if not after:
        raise AssetError(
            "there is no baked level in this folder", file=new, remedy="run `bake build` first"
        )
    pairs = [
        LevelPair(name, before[name], after[name], str(before[name]))
        for name in after
        if name in before
    ]
    changed, unchanged = split_pairs(pairs)
    return LevelPairs(
        str(old),
        changed,
        unchanged,
        added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after),
        assets=tuple(after.values()),
    )


def split_pairs(pairs: list[LevelPair]) -> tuple[tuple[LevelPair, ...], tuple[str, ...]]:
    """Return the pairs whose files differ, and the names of the levels whose files are equal."""
    changed = []
    unchanged = []
    for pair in pairs:
        try:
            same = pair.old == pair.new or filecmp.cmp(pair.old, pair.new, shallow=False)
        except OSError as error:
            raise AssetError(
                f"cannot be read: {error.strerror or error}", file=error.filename or pair.new
            ) from None
        if same and pair.renamed_from is None:
            unchanged.append(pair.name)
        else:
            changed.append(pair)
    return tuple(changed), tuple(unchanged)


def _assets_by_name(folder: Path) -> dict[str, Path]:
    """Return the assets of levels in a folder, in the order of their names."""
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix == ".h5")
        return {
            file.stem: file for file in files if file.is_file() and not is_pattern_database(file)
        }
    except OSError as error:
        raise AssetError(f"cannot be read: {error.strerror or error}", file=folder) from None
