"""Describe pattern databases: in tables for people, as data for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bake.core.errors import counted, in_units
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.puzzle import Planning
from bake.show.console import console, print_table, shown
from levelbake.errors import printable


def inspect_patterns(path: Path) -> dict[str, Any]:
    """Describe a pattern database: the puzzle, and for each pattern its members and its table.

    Raises:
        AssetError: the file is no pattern database, or is damaged.
    """
    with PatternAsset(path) as asset:
        puzzle, distance = asset.puzzle(), asset.read("/patterns_distance")
        header, moves = asset.header, puzzle.moves
        none, patterns, begin = int(np.iinfo(distance.dtype).max), [], 0
        for pattern, size in zip(puzzle.patterns, puzzle.sizes, strict=True):
            table = distance[begin : begin + size]
            named = (
                [moves.variables[one] for one in pattern] if isinstance(moves, Planning) else None
            )
            patterns.append(
                {
                    "members": [*(named or pattern)],
                    "entries": size,
                    "largest": int(table.max(initial=0, where=table != none)),
                    "without_a_way": int(np.count_nonzero(table == none)),
                }
            )
            begin += size
        return {
            "asset": str(path),
            "puzzle": puzzle.name,
            "kind": asset.text("puzzle"),
            "width": asset.number("width"),
            "height": asset.number("height"),
            "variables": len(moves.variables) if isinstance(moves, Planning) else None,
            "actions": len(moves.actions) if isinstance(moves, Planning) else None,
            "combine": puzzle.combine,
            "dtype": str(distance.dtype),
            "stored": asset.stored_bytes("/patterns_distance"),
            "format_version": header.format_version,
            "bake_revision": header.bake_revision,
            "fingerprint": header.fingerprint(),
            "sources": [{"file": name, "sha256": digest} for name, digest in header.sources],
            "bytes": path.stat().st_size,
            "patterns": patterns,
        }


def print_patterns(found: dict[str, Any]) -> None:
    """Print what :func:`inspect_patterns` found, for people."""
    output = console()
    what = f"{found['width']} x {found['height']} sliding tiles"
    if found["kind"] == "planning":
        what = f"{counted(found['variables'], 'variable')}, {counted(found['actions'], 'action')}"
    output.print(f"[bold]{shown(found['puzzle'])}[/]: {what}")
    for label, text in {
        "patterns": f"{len(found['patterns'])}, of whose values the {found['combine']} is taken",
        "tables": f"{found['dtype']}, stored in {in_units(found['stored'])}",
        "sources": ", ".join(source["file"] for source in found["sources"]),
        "format": f"version {found['format_version']}, baked by revision {found['bake_revision']}",
        "fingerprint": found["fingerprint"][:16],
        "file": in_units(found["bytes"]),
    }.items():
        output.print(f"  {label:<12} {printable(text)}", markup=False)
    headings = ("pattern", "entries", "largest", "without a way")
    rows = [
        [
            shown(" ".join(map(str, each["members"]))),
            f"{each['entries']:,}",
            f"{each['largest']:,}",
            f"{each['without_a_way']:,}",
        ]
        for each in found["patterns"]
    ]
    print_table(output, headings, headings[1:], rows, pad_edge=True)
