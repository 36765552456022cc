"""State spaces of puzzles: sliding tiles, and plans of actions on variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from bake.extras.school.puzzle import Planning, Tiles
from levelbake.errors import QueryError
from levelbake.places import whole_of

#: Tile on each cell, row by row; 0 is the gap.
Board = tuple[int, ...]

#: The cells around the middle of three by three, clockwise.
_RING = (0, 1, 2, 5, 8, 7, 6, 3)

#: Name of the value of each variable.
Plan = tuple[str, ...]


class SlidingTiles:
    """A board of sliding tiles; a state is a tuple of the tile on each cell, row by row, 0 the gap.

    Every move costs 1. Successors come in the order in which the gap moves up, to the left, to the
    right and down.
    """

    def __init__(self, tiles: Tiles, start: Sequence[int]) -> None:
        """Describe the problem.

        Args:
            tiles: the board and its goal.
            start: tile on each cell.

        Raises:
            QueryError: the start is no board of these tiles.
        """
        self.tiles = tiles
        self.start: Board = checked_board(tiles, start)

    def is_goal(self, state: Board) -> bool:
        return state == self.tiles.goal

    def successors(self, state: Board) -> Iterator[tuple[Board, int]]:
        gap = state.index(0)
        for cell in self.tiles.neighbours[gap]:
            moved = list(state)
            moved[gap], moved[cell] = moved[cell], 0
            yield tuple(moved), 1

    def misplaced(self, state: Board) -> int:
        """Return the number of misplaced tiles, a lower bound."""
        return sum(tile not in (0, own) for tile, own in zip(state, self.tiles.goal, strict=True))

    def manhattan(self, state: Board) -> int:
        """Return the sum of the tiles' Manhattan distances, a lower bound."""
        away = self._away
        return sum(away[tile][cell] for cell, tile in enumerate(state) if tile)

    @cached_property
    def _away(self) -> tuple[tuple[int, ...], ...]:
        """The Manhattan distance from each cell to the goal of each tile."""
        width = self.tiles.width
        at = [divmod(cell, width) for cell in range(self.tiles.cells)]
        goal = [at[self.tiles.goal.index(tile)] for tile in range(self.tiles.cells)]
        return tuple(tuple(abs(y - row) + abs(x - column) for y, x in at) for row, column in goal)

    def nilsson(self, state: Board) -> int:
        """Return Nilsson's sequence score, which is no lower bound but soon leads to some goal.

        A tile in the middle counts 1, and 2 each tile around it that is not followed, clockwise,
        by the one that should follow it; three times the sum, and the Manhattan distance
        (N. Nilsson, "Problem-Solving Methods in Artificial Intelligence", 1971, section 3).

        Raises:
            QueryError: the board is not three by three cells, or its gap should not be in the
                middle.
        """
        goal = self.tiles.goal
        if (self.tiles.width, self.tiles.height) != (3, 3) or goal[4]:
            raise QueryError(
                "Nilsson's score is for three by three cells whose gap should be in the middle",
                remedy="take misplaced or manhattan",
            )
        should, follows = ([each[cell] for cell in _RING] for each in (goal, state))
        after = dict(zip(should, should[1:] + should[:1], strict=True))
        pairs = zip(follows, follows[1:] + follows[:1], strict=True)
        astray = sum(tile != 0 and after[tile] != other for tile, other in pairs)
        return 3 * (2 * astray + (state[4] != 0)) + self.manhattan(state)


class PlanSpace:
    """A planning space; a state is a tuple of the names of the variables' values.

    Successors come in the order of the actions; one that changes nothing leads nowhere.
    """

    def __init__(self, planning: Planning, start: Sequence[str] | Mapping[str, str]) -> None:
        """Describe the problem.

        Args:
            planning: variables, actions and goal.
            start: value of each variable, in order or by name.

        Raises:
            QueryError: the start is no state of these variables.
        """
        self.planning = planning
        if isinstance(start, Mapping):
            strange = [name for name in start if name not in planning.variables]
            if strange or len(start) < len(planning.variables):
                missing = [name for name in planning.variables if name not in start]
                odd = f"no variable {strange[0]!r}" if strange else f"no value for {missing[0]!r}"
                raise QueryError(
                    f"the start has {odd}", expected=f"values of {', '.join(planning.variables)}"
                )
            start = [start[name] for name in planning.variables]
        self.start: Plan = tuple(start)
        numbers_of(planning, self.start)
        self._actions = [
            (
                tuple((v, planning.values[v][value]) for v, value in action.needs.items()),
                tuple((v, planning.values[v][value]) for v, value in action.sets.items()),
                action,
            )
            for action in planning.actions
        ]
        self._goal = [(v, planning.values[v][value]) for v, value in planning.goal.items()]

    def is_goal(self, state: Plan) -> bool:
        return all(state[variable] == value for variable, value in self._goal)

    def successors(self, state: Plan) -> Iterator[tuple[Plan, int]]:
        for _, after, cost in self._steps(state):
            yield after, cost

    def actions(self, path: Sequence[Plan]) -> list[str]:
        """Return the names of the actions along a path, of equal ones the cheapest and first.

        Raises:
            QueryError: no action leads from one state of the path to the next.
        """
        names = []
        for state, after in pairwise(path):
            fitting = [(cost, name) for name, other, cost in self._steps(state) if other == after]
            if not fitting:
                raise QueryError(f"no action leads from {state!r} to {after!r}")
            names.append(min(fitting, key=lambda each: each[0])[1])
        return names

    def _steps(self, state: Plan) -> Iterator[tuple[str, Plan, int]]:
        for needs, sets, action in self._actions:
            if all(state[variable] == value for variable, value in needs):
                changed = list(state)
                for variable, value in sets:
                    changed[variable] = value
                if (after := tuple(changed)) != state:
                    yield action.name, after, action.cost


def checked_board(tiles: Tiles, board: Sequence[int]) -> Board:
    """Return the tile on each cell as plain integers.

    Raises:
        QueryError: it is no board of these tiles.
    """
    found = tuple(map(whole_of, board))
    if sorted(found) != list(range(tiles.cells)):
        raise QueryError(
            f"{board!r} is no board",
            expected=f"each of 0 to {tiles.cells - 1} once, row by row, 0 the gap",
        )
    return found


def numbers_of(planning: Planning, state: Sequence[str]) -> list[int]:
    """Return the number of each variable's value.

    Raises:
        QueryError: the state does not give every variable one of its values.
    """
    if len(state) != len(planning.variables):
        raise QueryError(
            f"{state!r} has {len(state)} values", expected=f"{len(planning.variables)}, one each"
        )
    numbers = []
    for name, own, value in zip(planning.variables, planning.values, state, strict=True):
        if value not in own:
            raise QueryError(
                f"the variable {name!r} has no value {value!r}", expected=" or ".join(own)
            )
        numbers.append(own.index(value))
    return numbers
