"""Find the level files of assets that no source of the recipe accounts for.

A level that was baked by name, as with `bake build cave.json`, belongs to the project as long as
its asset is in the output folder. The asset holds the name and not the folder of its level file, so
the file is searched for in the project.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bake.asset.header import read_header
from bake.levels.reading.names import fold_file_name
from bake.recipe import RECIPE_NAME
from levelbake.errors import AssetError

#: A folder with more folders in it is not that of one project.
MOST_FOLDERS = 10_000
#: Folders whose files belong to other programs.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True)
class LostLevel:
    """An asset whose level file is not in the project, or not the only file of its name."""

    asset: Path
    why: str


def find_baked_sources(
    project: Path, output: Path, known: Collection[str], lost: list[LostLevel]
) -> list[Path]:
    """Return the level files of the assets in a folder, without those of known levels.

    Copies of assets under names of their own are ignored, and so are damaged ones.

    Args:
        project: the folder to search. Hidden folders and those with a recipe of their own are left
            out.
        output: the folder of the assets.
        known: names of levels whose files need no search.
        lost: takes the assets whose file is not found.
    """
    taken = set(map(fold_file_name, known))
    assets = defaultdict[str, list[Path]](list)
    for asset in sorted(output.glob("*.h5")) if output.is_dir() else ():
        name = None if fold_file_name(asset.stem) in taken else _source_name(asset)
        if name is not None:
            assets[name].append(asset)
    files = _find_files(project, output, assets)
    found = []
    for name, of_one_file in assets.items():
        paths = files[name]
        if len(paths) == 1:
            found += paths
            continue
        why = f"its level file {name} is not in this project"
        if paths:
            why = f"several files are called {name}: {', '.join(map(str, sorted(paths)))}"
        lost += [LostLevel(asset, why) for asset in of_one_file]
    return found


def _source_name(asset: Path) -> str | None:
    """Return the name of the file that an asset was baked from, if the asset is named after it."""
    try:
        sources = read_header(asset).sources
    except AssetError:
        return None
    if not sources:
        return None
    file = Path(sources[0][0])
    stem, own = fold_file_name(file.stem), fold_file_name(asset.stem)
    return file.name if own == stem or own.startswith(f"{stem}-") else None


def _find_files(
    project: Path, output: Path, names: Collection[str]
) -> defaultdict[str, list[Path]]:
    """Return the paths of the files in a project that have one of some names, by name."""
    found = defaultdict[str, list[Path]](list)
    if not names:
        return found
    place = output.resolve()
    for number, (here, folders, files) in enumerate(os.walk(project)):
        if number >= MOST_FOLDERS:
            break
        folder = Path(here)
        for name in set(names).intersection(files):
            found[name].append(folder / name)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (folder / name / RECIPE_NAME).exists()
            and (folder / name).resolve() != place
        )
    return found
