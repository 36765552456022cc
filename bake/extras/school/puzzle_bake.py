"""Bake one puzzle: read it, compute its pattern database, and write the asset."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from bake.baking.level import BakedLevel, errors_name
from bake.baking.plan import BASE_BYTES, Plan, TablePlan
from bake.baking.profile import Report
from bake.baking.sources import Task
from bake.baking.staleness import NO_RECIPE, source_digests
from bake.core.arrays import AnyArray, Int32Array
from bake.core.errors import LevelError
from bake.core.kernels.jit import waiting
from bake.extras.school.pattern_asset import PATTERNS
from bake.extras.school.pattern_tables import pattern_memory, pattern_tables
from bake.extras.school.puzzle import Planning, Puzzle, Tiles
from bake.extras.school.puzzle_json import read_puzzle
from bake.store import header_for
from bake.store.partial import make_folder
from bake.store.read import PATTERNS_KIND
from bake.store.write import Contents, Scalar, write_asset
from levelbake.file import Header

#: Seconds the search takes for one entry; of tiles for each tile and cell besides.
SECONDS_PER_ENTRY = 200e-9


@waiting()
def bake_puzzle(task: Task, report: Report) -> BakedLevel:
    """Bake a puzzle's pattern database and put its asset into place.

    Args:
        task: what to bake, and where to.
        report: called with the stage and the fraction of it that is done.

    Raises:
        BakeError: something is wrong that the user can mend; the error names the file.
    """
    begun = time.perf_counter()
    with errors_name(task.source):
        report("read", 0)
        puzzle, header = _prepared(task)
        tables = pattern_tables(
            puzzle, task.recipe.memory_budget, lambda done: report("patterns", done)
        )
        report("write", 0)
        make_folder(task.asset.parent, "the output folder")
        size = write_asset(task.asset, header, _contents(puzzle, tables), PATTERNS)
    return BakedLevel(len(tables), 0, (), size, time.perf_counter() - begun, 0.0, ())


def _prepared(task: Task) -> tuple[Puzzle, Header]:
    """Return a puzzle, and the header of its asset.

    Raises:
        BakeError: there are mistakes in the file.
    """
    before = source_digests(task.source, ())
    puzzle = read_puzzle(task.source, task.recipe.memory_budget)
    if source_digests(task.source, ()) != before:
        raise LevelError("changed while it was being read", file=task.source, remedy="build again")
    return puzzle, header_for(task.name, before, NO_RECIPE)


def plan_puzzle(task: Task) -> Plan:
    """Predict the bake of a puzzle.

    Raises:
        BakeError: there are mistakes in the file.
    """
    puzzle, _ = _prepared(task)
    tables = [
        TablePlan("", "patterns", _members(puzzle, pattern), size, SECONDS_PER_ENTRY * size, 0)
        for pattern, size in zip(puzzle.patterns, puzzle.sizes, strict=True)
    ]
    return Plan(
        task.name,
        sum(puzzle.sizes),
        0,
        tuple(tables),
        sum(puzzle.sizes),
        sum(table.seconds for table in tables),
        BASE_BYTES + pattern_memory(puzzle),
    )


def _members(puzzle: Puzzle, pattern: tuple[int, ...]) -> str:
    if isinstance(puzzle.moves, Tiles):
        return "tiles " + " ".join(map(str, pattern))
    return " ".join(puzzle.moves.variables[number] for number in pattern)


def _contents(puzzle: Puzzle, distance: AnyArray) -> Contents:
    """Return the contents of a puzzle's asset, with the tables of all patterns in one array."""
    moves, columns = puzzle.moves, dict[str, AnyArray]()
    attributes: dict[tuple[str, str], Scalar] = {
        ("/", "kind"): PATTERNS_KIND,
        ("/", "puzzle"): "tiles" if isinstance(moves, Tiles) else "planning",
        ("/", "combine"): puzzle.combine,
    }
    if isinstance(moves, Tiles):
        attributes |= {("/", "width"): moves.width, ("/", "height"): moves.height}
        columns["/tiles_goal"] = np.array(moves.goal, dtype=np.int32)
    else:
        columns |= _planning_columns(moves)
    if puzzle.start is not None:
        group = "tiles" if isinstance(moves, Tiles) else "variables"
        columns[f"/{group}_start"] = np.array(puzzle.start, dtype=np.int32)
    columns["/patterns_first_member"] = _first(puzzle.patterns)
    members = [member for pattern in puzzle.patterns for member in pattern]
    columns["/patterns_member"] = np.array(members, dtype=np.int32)
    columns["/patterns_distance"] = distance
    return Contents(attributes, columns)


def _planning_columns(planning: Planning) -> dict[str, AnyArray]:
    count, actions = len(planning.variables), planning.actions
    return {
        "/variables_name": _texts(planning.variables),
        "/variables_first_value": _first(planning.values),
        "/variables_value": _texts([value for own in planning.values for value in own]),
        "/variables_goal": _rows([planning.goal], count)[0],
        "/actions_name": _texts([action.name for action in actions]),
        "/actions_cost": np.array([action.cost for action in actions], dtype=np.int32),
        "/actions_needs": _rows([action.needs for action in actions], count),
        "/actions_sets": _rows([action.sets for action in actions], count),
    }


def _rows(stated: Sequence[Mapping[int, int]], count: int) -> Int32Array:
    """Return (rows, count) int32, the value of each variable, or -1 for none."""
    rows = np.full((len(stated), count), -1, dtype=np.int32)
    for row, values in zip(rows, stated, strict=True):
        for variable, value in values.items():
            row[variable] = value
    return rows


def _texts(names: Sequence[str]) -> AnyArray:
    return np.array([name.encode() for name in names], dtype=np.bytes_)


def _first(parts: Sequence[Sequence[object]]) -> Int32Array:
    return np.cumsum([0, *map(len, parts)]).astype(np.int32)
