"""The functions for puzzles and their pattern databases."""

from __future__ import annotations

from pathlib import Path

from bake.core.extras import FileKind
from bake.extras.school.pattern_asset import PatternAsset
from bake.extras.school.pattern_proof import prove_patterns
from bake.extras.school.pattern_report import inspect_patterns, print_patterns
from bake.extras.school.puzzle_bake import bake_puzzle, plan_puzzle
from bake.extras.school.puzzle_json import puzzle_schema, read_puzzle


def _size(asset: Path) -> tuple[int, int, tuple[str, ...]]:
    """Return the entries of a pattern database, which has no arcs and profiles."""
    with PatternAsset(asset) as opened:
        return opened.shape("/patterns_distance")[0], 0, ()


PUZZLES = FileKind(
    read=read_puzzle,
    bake=bake_puzzle,
    plan=plan_puzzle,
    size=_size,
    prove=prove_patterns,
    inspect=inspect_patterns,
    show=print_patterns,
    schema=puzzle_schema,
)
