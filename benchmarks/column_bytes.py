"""Compare the bytes of assets in two folders by group of columns.

``python -m benchmarks.column_bytes BEFORE AFTER`` prints a table; assets of any version will do.
"""

from __future__ import annotations

import sys
from pathlib import Path

import h5py

#: Groups of columns, with the prefixes of their names in all versions.
GROUPS = {
    "arcs and cells": ("first_out", "head", "length", "cell", "node_location", "node_terrain"),
    "prices": ("weight", "cost", "step"),
    "next hops": ("run_", "greedy"),
    "hierarchy": ("layer_", "cluster", "square_", "top_"),
    "order": ("cut_height",),
}


def bytes_of(asset: Path) -> dict[str, int]:
    """Return the stored bytes of each group, of all other columns, and of the rest of the file."""
    found = dict.fromkeys([*GROUPS, "distances of clusters", "others"], 0)

    def look(path: str, item: object) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        name = path.rpartition("/")[2]
        group = next((one for one, names in GROUPS.items() if name.startswith(names)), "others")
        if name == "cluster_distance" or path.endswith("clusters/distance"):
            group = "distances of clusters"
        found[group] += item.id.get_storage_size()

    with h5py.File(asset) as file:
        file.visititems(look)
    around = asset.stat().st_size - sum(found.values())
    return {**found, "around them": around, "file": asset.stat().st_size}


def main(before: Path, after: Path) -> None:
    """Print the bytes of both folders, for each asset and in total."""
    names = sorted(path.name for path in before.glob("*.h5") if (after / path.name).exists())
    pairs = [(bytes_of(before / name), bytes_of(after / name)) for name in names]
    total = [
        {key: sum(pair[side][key] for pair in pairs) for key in pairs[0][0]} for side in (0, 1)
    ]
    rows = []
    whole = (total[0], total[1])
    for name, (old, new) in zip([*names, "in all"], [*pairs, whole], strict=True):
        each = [f"{old[key]:,}, {new[key]:,}" for key in old]
        rows.append((name.removesuffix(".h5"), *each, f"{new['file'] / old['file']:.2f}"))
    heads = ("asset", *pairs[0][0], "ratio")
    for row in (heads, ("---", *["---:"] * (len(heads) - 1)), *rows):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
