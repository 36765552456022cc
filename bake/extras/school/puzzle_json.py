"""Read puzzles: sliding tiles and planning spaces, with the patterns of their database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from bake.extras.school.puzzle import Action, Combine, Planning, Puzzle, Tiles, is_additive
from bake.levels.formats import PUZZLE_FORMAT
from bake.levels.reading.files import check_version, read_document
from bake.levels.reading.limits import allowance
from bake.levels.reading.mistakes import Mistake, Where, one_of, refuse, shown
from bake.levels.reading.models import (
    FIRST_ONLY,
    SCHEMA_DRAFT,
    DistinctNames,
    StrictModel,
    TerrainName,
    tidied,
    validated,
)

VERSION = 1
#: Boards are kept as bits of 32 by the search for the table.
# limit: a one-line error; tests/extras/school/test_puzzle_json.py
MAX_TILE_CELLS = 32
# limit: a one-line error; tests/extras/school/test_puzzle_json.py
MAX_ACTION_COST = 1_000_000
#: Actions are kept as a table of actions by variables.
# limit: a one-line error; tests/extras/school/test_puzzle_json.py
MAX_ACTION_ENTRIES = 10_000_000

_SOME: dict[str, Any] = {"minItems": 1}


def _action_cost(cost: int) -> int:
    if not 0 <= cost <= MAX_ACTION_COST:
        raise Mistake(f"the cost is {shown(cost)}", f"a whole number from 0 to {MAX_ACTION_COST:,}")
    return cost


Name = TerrainName
ActionCost = Annotated[
    int,
    AfterValidator(_action_cost),
    Field(json_schema_extra={"minimum": 0, "maximum": MAX_ACTION_COST}),
]
Combined = Annotated[
    Combine | None,
    Field(
        default=None,
        description="how values of the patterns become one; else sum where that is a lower bound",
    ),
]


class _PuzzleFile(StrictModel):
    schema_reference: str = Field(default="", alias="$schema", description="not used")
    format: Literal["bake-puzzle"] = Field(description="names the format")
    version: Literal[1] = Field(description="version of the format")
    description: str = Field(default="", description="a note for people; not used")


Board = Annotated[list[list[int]], FIRST_ONLY]


class TileFile(_PuzzleFile):
    """Sliding tiles."""

    kind: Literal["tiles"] = Field(description="what kind of puzzle this is")
    goal: Board = Field(description="rows of tiles as they should lie; 0 is the gap")
    start: Board = Field(default=[], description="rows of tiles as they lie at first")
    patterns: list[list[int]] = Field(
        description="groups of tiles, each tile in one of them at most", json_schema_extra=_SOME
    )


class ActionTable(StrictModel):
    """One action."""

    name: Name = Field(description="its name")
    needs: dict[Name, Name] = Field(default={}, description="value by variable that must hold")
    sets: dict[Name, Name] = Field(description="value by variable that holds afterwards")
    cost: ActionCost = Field(default=1, description="what it costs, a whole number")


class PlanningFile(_PuzzleFile):
    """A planning space."""

    kind: Literal["planning"] = Field(description="what kind of puzzle this is")
    variables: dict[Name, DistinctNames] = Field(
        description="values by variable, each variable with one at least",
        json_schema_extra={"minProperties": 1},
    )
    actions: Annotated[list[ActionTable], FIRST_ONLY] = Field(description="what can be done")
    goal: dict[Name, Name] = Field(description="wanted value by variable")
    start: dict[Name, Name] = Field(default={}, description="value of every variable at first")
    patterns: list[DistinctNames] = Field(
        description="groups of variables", json_schema_extra=_SOME
    )
    combine: Combined


def read_puzzle(path: Path, memory_budget: int | None = None) -> Puzzle:
    """Read a puzzle.

    Args:
        path: the file.
        memory_budget: bytes; bounds what reading may take. None = 2 GiB.

    Raises:
        LevelError: there is a mistake in it.
        BakeErrors: there are several.
    """
    with allowance(memory_budget):
        document = read_document(path)
    top = Where(path)
    if not isinstance(document, dict) or document.get("format") != PUZZLE_FORMAT:
        top.refuse("this is no puzzle", f'"format": "{PUZZLE_FORMAT}"')
    check_version(top, document.get("version"), VERSION)
    kind = document.get("kind")
    if kind == "tiles":
        return _tiles(path, validated(TileFile, document, top))
    if kind == "planning":
        return _planning(path, validated(PlanningFile, document, top))
    found = "this key is missing" if "kind" not in document else f"found {shown(kind)}"
    top.inside("kind").refuse(found, '"tiles" or "planning"')


def puzzle_schema() -> dict[str, Any]:
    """Return the JSON Schema of puzzles, for editors and generators.

    A schema cannot say that each tile is there once, or that names are those of variables.
    """
    kinds = {
        model.__name__: tidied(model.model_json_schema()) for model in (TileFile, PlanningFile)
    }
    definitions = {
        name: one for each in kinds.values() for name, one in each.pop("$defs", {}).items()
    }
    return {
        "$schema": SCHEMA_DRAFT,
        "title": "bake puzzle, version 1",
        "oneOf": list(kinds.values()),
        "$defs": definitions,
    }


# -- sliding tiles --------------------------------------------------------------------------------


def _tiles(path: Path, file: TileFile) -> Puzzle:
    top = Where(path)
    width, height = len(file.goal[0]) if file.goal else 0, len(file.goal)
    if not (width and height and 2 <= width * height <= MAX_TILE_CELLS):
        top.inside("goal").refuse(
            f"the board is {width} x {height}", f"2 to {MAX_TILE_CELLS} cells"
        )
    tiles = Tiles(width, height, _board(top.inside("goal"), file.goal, width, height))
    start = None
    if "start" in file.model_fields_set:
        start = _board(top.inside("start"), file.start, width, height)
    if not file.patterns:
        top.inside("patterns").refuse("there are no patterns", "at least one")
    owner: dict[int, int] = {}
    for number, pattern in enumerate(file.patterns):
        where = top.inside("patterns", number)
        if not pattern:
            where.refuse("the pattern is empty", "at least one tile")
        for at, tile in enumerate(pattern):
            if not 1 <= tile < tiles.cells:
                where.inside(at).refuse(
                    f"there is no tile {shown(tile)}", f"1 to {tiles.cells - 1}"
                )
            if tile in owner:
                where.inside(at).refuse(
                    f"tile {tile} is in patterns[{owner[tile]}] already",
                    "each tile in one pattern at most, so that their moves add up",
                )
            owner[tile] = number
    patterns = tuple(tuple(pattern) for pattern in file.patterns)
    return Puzzle(path.stem, path, tiles, patterns, "sum", start)


def _board(where: Where, rows: list[list[int]], width: int, height: int) -> tuple[int, ...]:
    if len(rows) != height:
        where.refuse(f"found {len(rows)} rows", f"{height}, as the goal has")
    seen: dict[int, str] = {}
    for y, row in enumerate(rows):
        if len(row) != width:
            where.inside(y).refuse(f"this row has {len(row)} tiles", f"{width}")
        for x, tile in enumerate(row):
            place = where.inside(y, x)
            if not 0 <= tile < width * height:
                place.refuse(f"found {shown(tile)}", f"a tile from 0 to {width * height - 1}")
            if tile in seen:
                place.refuse(f"tile {tile} lies at {seen[tile]} already", "each tile once")
            seen[tile] = str(place)
    return tuple(tile for row in rows for tile in row)


# -- planning spaces ------------------------------------------------------------------------------


def _planning(path: Path, file: PlanningFile) -> Puzzle:
    top = Where(path)
    variables = tuple(file.variables)
    values = tuple(tuple(each) for each in file.variables.values())
    for name, own in file.variables.items():
        if not own:
            top.inside("variables", name).refuse("the variable has no values", "at least one")
    for key, given in (("variables", variables), ("patterns", file.patterns)):
        if not given:
            top.inside(key).refuse(f"there are no {key}", "at least one")
    if len(variables) * len(file.actions) > MAX_ACTION_ENTRIES:
        top.inside("actions").refuse(
            f"there are {len(file.actions):,} actions on {len(variables):,} variables",
            f"at most {MAX_ACTION_ENTRIES:,} entries in a table of both",
        )
    numbers = _Numbers(variables, values)
    actions = []
    names: dict[str, int] = {}
    for at, table in enumerate(file.actions):
        where = top.inside("actions", at)
        if names.setdefault(table.name, at) != at:
            where.inside("name").refuse(
                f"actions[{names[table.name]}] is called {shown(table.name)} already",
                "each name once",
            )
        if not table.sets:
            where.inside("sets").refuse("the action sets nothing", "at least one variable")
        needs = numbers.convert(table.needs, where.inside("needs"))
        sets = numbers.convert(table.sets, where.inside("sets"))
        actions.append(Action(table.name, needs, sets, table.cost))
    planning = Planning(
        variables, values, tuple(actions), numbers.convert(file.goal, top.inside("goal"))
    )
    start = None
    if "start" in file.model_fields_set:
        found = numbers.convert(file.start, top.inside("start"))
        missing = [name for number, name in enumerate(variables) if number not in found]
        if missing:
            top.inside("start").refuse(
                f"{shown(missing[0])} has no value", "a value for every variable"
            )
        start = tuple(found[number] for number in range(len(variables)))
    patterns = _patterns(path, file.patterns, variables)
    additive = is_additive(planning, patterns)
    if file.combine == "sum" and not additive:
        top.inside("combine").refuse(
            "an action sets variables of several patterns, so their sum is no lower bound",
            '"max"',
        )
    combine: Combine = file.combine or ("sum" if additive else "max")
    return Puzzle(path.stem, path, planning, patterns, combine, start)


def _patterns(
    path: Path, given: Sequence[Sequence[str]], variables: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    number = {name: at for at, name in enumerate(variables)}
    found = []
    for at, pattern in enumerate(given):
        if not pattern:
            refuse(path, f"patterns[{at}]", "the pattern is empty", "at least one variable")
        for place, name in enumerate(pattern):
            if name not in number:
                refuse(
                    path,
                    f"patterns[{at}][{place}]",
                    f"there is no variable {shown(name)}",
                    one_of(variables),
                )
        found.append(tuple(number[name] for name in pattern))
    return tuple(found)


class _Numbers:
    """Converts names of variables and values to numbers."""

    def __init__(self, variables: tuple[str, ...], values: tuple[tuple[str, ...], ...]) -> None:
        self._variable = {name: number for number, name in enumerate(variables)}
        self._value = [{name: number for number, name in enumerate(own)} for own in values]

    def convert(self, stated: Mapping[str, str], where: Where) -> dict[int, int]:
        """Return the values by variable, in the order of the variables."""
        found = {}
        for name, value in stated.items():
            number = self._variable.get(name)
            if number is None:
                where.inside(name).refuse(
                    f"there is no variable {shown(name)}", one_of(self._variable)
                )
            if value not in self._value[number]:
                where.inside(name).refuse(
                    f"the variable has no value {shown(value)}", one_of(self._value[number])
                )
            found[number] = self._value[number][value]
        return dict(sorted(found.items()))
