"""The report of `bake info` on a pattern database, as a table and as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.core.errors import counted, in_units
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.puzzle import Planning
from bake.show.console import console, print_table, shown
from levelbake.errors import printable


@dataclass(frozen=True)
class PatternReport:
    """One pattern and its table."""

    members: list[str | int]  #: names of variables, or numbers of tiles
    entries: int
    largest: int  #: the largest finite distance
    without_a_way: int  #: how many entries are infinite


@dataclass(frozen=True)
class PuzzleReport:
    """A pattern database; the fields are the keys of `bake info --json`."""

    asset: Path
    puzzle: str
    kind: str | None  #: "tiles" or "planning"
    width: int | None  #: width, height: of a board; None for planning
    height: int | None
    variables: int | None  #: variables, actions: their number; None for tiles
    actions: int | None
    combine: str  #: how the values of patterns are combined
    dtype: str
    stored: int  #: bytes of the tables in the file
    format_version: int
    bake_revision: int
    fingerprint: str
    sources: list[dict[str, str]]  #: file and sha256 of each
    bytes: int  #: size of the file
    patterns: list[PatternReport]


def inspect_patterns(path: Path) -> PuzzleReport:
    """Return the report on a pattern database.

    Raises:
        AssetError: the file is no pattern database, or is damaged.
    """
    with PatternAsset(path) as asset:
        puzzle, distance, header = asset.puzzle(), asset.read("/patterns_distance"), asset.header
        planning = puzzle.moves if isinstance(puzzle.moves, Planning) else None
        infinite, patterns, start = np.iinfo(distance.dtype).max, [], 0
        for pattern, size in zip(puzzle.patterns, puzzle.sizes, strict=True):
            table = distance[start : start + size]
            start += size
            finite = table != infinite
            patterns.append(
                PatternReport(
                    [planning.variables[i] for i in pattern] if planning else [*pattern],
                    size,
                    largest=int(table.max(initial=0, where=finite)),
                    without_a_way=int(np.count_nonzero(~finite)),
                )
            )
        return PuzzleReport(
            asset=path,
            puzzle=puzzle.name,
            kind=asset.text("puzzle"),
            width=asset.number("width"),
            height=asset.number("height"),
            variables=len(planning.variables) if planning else None,
            actions=len(planning.actions) if planning else None,
            combine=puzzle.combine,
            dtype=str(distance.dtype),
            stored=asset.stored_bytes("/patterns_distance"),
            format_version=header.format_version,
            bake_revision=header.bake_revision,
            fingerprint=header.fingerprint(),
            sources=[{"file": name, "sha256": digest} for name, digest in header.sources],
            bytes=path.stat().st_size,
            patterns=patterns,
        )


def print_patterns(report: PuzzleReport) -> None:
    """Print the report on a pattern database."""
    output = console()
    size = f"{report.width} x {report.height} sliding tiles"
    if report.variables is not None:
        size = f"{counted(report.variables, 'variable')}, {counted(report.actions or 0, 'action')}"
    output.print(f"[bold]{shown(report.puzzle)}[/]: {size}")
    for label, text in {
        "patterns": f"{len(report.patterns)}, of whose values the {report.combine} is taken",
        "tables": f"{report.dtype}, stored in {in_units(report.stored)}",
        "sources": ", ".join(source["file"] for source in report.sources),
        "format": f"version {report.format_version}, baked by revision {report.bake_revision}",
        "fingerprint": report.fingerprint[:16],
        "file": in_units(report.bytes),
    }.items():
        output.print(f"  {label:<12} {printable(text)}", markup=False)
    headings = ("pattern", "entries", "largest", "without a way")
    rows = [
        [
            shown(" ".join(map(str, pattern.members))),
            *(f"{n:,}" for n in (pattern.entries, pattern.largest, pattern.without_a_way)),
        ]
        for pattern in report.patterns
    ]
    print_table(output, headings, headings[1:], rows, pad_edge=True)
