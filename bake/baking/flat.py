"""Write the flat file of an asset: the last step of a build, if the recipe requests it."""

from __future__ import annotations

from pathlib import Path

from bake.baking.sources import Task
from bake.levels import is_puzzle
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.store.flat.schema import is_of
from bake.store.header import read_header
from levelbake.errors import AssetError
from levelbake.file import FlatFile

FLAT_SUFFIX = ".bake"


def flat_place(task: Task) -> Path:
    """Return the path of a level's flat file, which is beside its asset."""
    return task.asset.with_suffix(FLAT_SUFFIX)


def parts_wanted(recipe: LevelRecipe) -> tuple[str, ...]:
    """Return the tables that a recipe exports in addition to next hops."""
    requests = {"distances": recipe.export_distances, "hierarchy": recipe.export_hierarchy}
    return tuple(part for part, is_requested in requests.items() if is_requested)


def reasons_to_export(task: Task) -> list[str]:
    """Return why the flat file of a fresh asset must be written; empty if it is up to date."""
    if not task.recipe.export_flat or is_puzzle(task.source):
        return []
    # Import the exporter late: a build with nothing to do need not load the reader.
    from bake.export.columns import parts_of

    path = flat_place(task)
    if not path.exists():
        return ["its flat file is missing"]
    try:
        flat = FlatFile(path, check=False)
        names = flat.profiles()
        fingerprint = read_header(task.asset).fingerprint()
    except AssetError as error:
        return [f"its flat file: {error.found}"]
    if not is_of(flat, fingerprint):
        return ["its flat file was exported from another asset"]
    parts = parts_of(name for _, name in flat.entries)
    if names != sorted(task.profiles) or parts != parts_wanted(task.recipe):
        return ["its flat file holds other tables than the recipe requests"]
    return []


def write_flat_file(task: Task, *, force: bool) -> int:
    """Export the asset of a level, and return the size of the flat file in bytes.

    Args:
        task: a level with an asset.
        force: whether a file that is not a flat file may be overwritten.

    Raises:
        BakeError: the asset is damaged or lacks a requested table, or the file cannot be written.
    """
    from bake.export.export import export_asset

    with Asset(task.asset) as asset:
        parts = parts_wanted(task.recipe)
        return export_asset(asset, flat_place(task), None, parts, force=force)
