"""Digests that small levels of our own must bake to, column by column, on every machine.

``python -m tests.support.golden`` renews golden.json; do so only together with BAKE_REVISION, or
where a column is new. Digests are of contents: compressed bytes depend on HDF5's zlib, too.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import h5py

from bake.baking import build, find_tasks
from bake.project.recipe import load_recipe
from bake.store.schema import BAKE_REVISION
from bake.store.write import DESCRIPTIONS

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("golden.json")

#: A square grid, a hexagonal one, one-way terrain and a road graph; two seconds to bake.
LEVELS = ("five", "arcade", "colony", "oneway")


def digests_of(asset: Path) -> dict[str, str]:
    """The digest each column of an asset carries."""
    found: dict[str, str] = {}

    def look(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and name != DESCRIPTIONS:
            found[f"/{name}"] = item.attrs["sha256"].decode()

    with h5py.File(asset) as file:
        file.visititems(look)
    return dict(sorted(found.items()))


def bake_levels(folder: Path) -> dict[str, dict[str, str]]:
    """Bake the levels into a folder, and their columns' digests."""
    recipe = load_recipe(ROOT / "bake.toml")
    tasks = [task for task in find_tasks(recipe, [], folder) if task.name in LEVELS]
    for outcome in build(tasks, jobs=1, force=True, report=lambda *news: None):
        assert outcome.status == "baked", outcome.error
    return {task.name: digests_of(task.asset) for task in tasks}


def main() -> None:
    """Bake, and write down what came out."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"bake_revision": BAKE_REVISION, "columns": bake_levels(Path(folder))}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
