"""Walks to a goal without a plan, around obstacles, as in early games.

These ways look at the cells around the agent and nothing else. They are here to be compared with,
and for creatures that are not supposed to be clever.

Tracing is the robust one. It goes to neighbours in the four directions alone, each time nearer to
the goal where it can. Where it cannot it follows the obstacle with one hand on it, beginning from
the straight line to the goal, until it is nearer to the goal than where it hit. By the planarity of
grids there is such a place if the goal can be reached by straight steps at all, so it always
arrives, or knows that it cannot once it has been all the way round (M. Fattah et al., "A low-
overhead, fully-distributed, guaranteed-delivery routing algorithm for faulty network-on-chips",
NOCS 2015; in the plane: V. Lumelsky, A. Stepanov, "Path-planning strategies for a point mobile
automaton moving amidst unknown obstacles of arbitrary shape", Algorithmica 2, 1987).

Bouncing and crash-and-turn are described by B. Stout, "Smart Moves: Intelligent Pathfinding", Game
Developer, 1996. Neither promises to arrive.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from bake.play.navigator import Navigator
from levelbake.errors import QueryError
from levelbake.places import Place, quoted, whole_of

Hand = Literal["left", "right"]

#: Eight directions clockwise, as y grows to the south; every second one is straight.
_AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))

#: The default limit of a walk, in steps for each cell of the level.
# limit: the walk ends; tests/extras/school/test_skirting.py
_STEPS_A_CELL = 4

#: How many steps a bounce leads away.
_BOUNCE = 8


@dataclass(frozen=True)
class Walk:
    """A finished walk."""

    path: list[Place]  #: the places, beginning with the start
    arrived: bool  #: whether the last one is the goal


class _Ground:
    """The cells around a walker, and its possible steps.

    Attributes:
        at: the row it stands on.
        goal: the row it heads for.
    """

    def __init__(self, nav: Navigator, start: Place, goal: Place, most_steps: int | None) -> None:
        now = nav._now
        places = now.version.places
        if not places.is_grid or places.hex_layout is not None or places.headings is not None:
            raise QueryError(
                "walks without a plan are for square grids and agents that do not turn",
                place=f"level {places.name!r}",
            )
        cells = now.version.row_count
        self.left = _STEPS_A_CELL * cells if most_steps is None else whole_of(most_steps)
        if self.left < 0:
            raise QueryError(f"most_steps is {quoted(most_steps)}", expected="0 or more")
        self._rows, self._places = now.rows, places
        self._graph = now.version.usable.graph
        self._cell = now.version.cell_of_row
        self.at, self.goal = now.rows.row(start), now.rows.row(goal)
        if places.floor_height is not None:
            floors = {
                int(self._cell[row, 1]) // places.floor_height for row in (self.at, self.goal)
            }
            if len(floors) > 1:
                raise QueryError(
                    "start and goal lie on different floors", expected="places of one floor"
                )
        self._walked = [self.at]

    def away(self, row: int | None = None) -> tuple[int, int]:
        """Return the columns and rows to the goal."""
        dx, dy = (self._cell[self.goal] - self._cell[self.at if row is None else row]).tolist()
        return dx, dy

    def open(self, row: int) -> dict[int, int]:
        """Return the rows beside one, by direction: 0 to 7 clockwise from the east."""
        first, end = self._graph.first_out[row : row + 2].tolist()
        heads = self._graph.head[first:end]
        found = {}
        for step, head in zip((self._cell[heads] - self._cell[row]).tolist(), heads, strict=True):
            if tuple(step) in _AROUND:
                found[_AROUND.index(tuple(step))] = int(head)
        return found

    def go(self, row: int) -> None:
        self.at = row
        self.left -= 1
        self._walked.append(row)

    @property
    def on_the_way(self) -> bool:
        return self.at != self.goal and self.left > 0

    def walk(self) -> Walk:
        rows = np.array(self._walked, dtype=np.int32)
        return Walk(self._rows.places(rows), self.at == self.goal)

    def heading(self) -> float:
        """Return the direction of the goal, in eighths of a turn clockwise from the east."""
        dx, dy = self.away()
        return math.atan2(dy, dx) / (math.pi / 4)


def trace_obstacles(
    nav: Navigator,
    start: Place,
    goal: Place,
    hand: Hand = "left",
    *,
    sight: bool = False,
    most_steps: int | None = None,
) -> Walk:
    """Walk straight toward the goal, and follow the boundary of obstacles.

    Where steps lead both ways it arrives if straight steps alone can get there.

    Args:
        nav: a profile of a square grid.
        start, goal: places of one floor.
        hand: which hand touches the obstacle.
        sight: whether to leave the obstacle as soon as the goal is in sight, that is, as soon as
            heading for it would meet nothing more.
        most_steps: the walk ends after so many; None = four for each cell that can be stood on.

    Raises:
        QueryError: the level is no square grid, a place does not exist or cannot be stood on, or
            there is no such hand.
    """
    if hand not in ("left", "right"):
        raise QueryError(f"no hand {quoted(hand)}", expected="'left' or 'right'")
    ground = _Ground(nav, start, goal, most_steps)
    turn = 1 if hand == "left" else -1
    while ground.on_the_way:
        if (ahead := _nearer(ground, ground.at)) is not None:
            ground.go(ahead)
        elif not _round_obstacle(ground, turn, sight):
            break
    return ground.walk()


def _nearer(ground: _Ground, row: int) -> int | None:
    """Return a straight step toward the goal, along the longer axis first; None without one."""
    dx, dy = ground.away(row)
    across = 0 if dx > 0 else 4, abs(dx)
    down = 2 if dy > 0 else 6, abs(dy)
    beside = ground.open(row)
    for direction, length in sorted((across, down), key=lambda one: -one[1]):
        if length and direction in beside:
            return beside[direction]
    return None


def _round_obstacle(ground: _Ground, turn: int, sight: bool) -> bool:
    """Follow an obstacle until the goal is nearer; return False after a whole turn around it."""
    hit = sum(map(abs, ground.away()))
    heading = ground.heading() * turn
    # The first straight direction on from the line to the goal; both nearer ones are blocked.
    direction = 2 * math.ceil(heading / 2 - 1e-9) * turn
    first: tuple[int, int] | None = None
    while ground.on_the_way:
        beside = ground.open(ground.at)
        options = [(direction + 2 * turn * quarter) % 8 for quarter in range(4)]
        taken = next((each for each in options if each in beside), None)
        if taken is None or (ground.at, taken) == first:
            return False
        first = first or (ground.at, taken)
        ground.go(beside[taken])
        if sum(map(abs, ground.away())) < hit or (sight and _in_sight(ground)):
            return True
        direction = taken - 2 * turn
    return True


def _in_sight(ground: _Ground) -> bool:
    row: int | None = ground.at
    while row is not None and row != ground.goal:
        row = _nearer(ground, row)
    return row is not None


def bounce(
    nav: Navigator, start: Place, goal: Place, seed: int = 0, *, most_steps: int | None = None
) -> Walk:
    """Walk toward the goal, and at obstacles make some steps in a random direction.

    Args:
        nav, start, goal, most_steps: as for :func:`trace_obstacles`.
        seed: the same seed makes the same walk.

    Raises:
        QueryError: as for :func:`trace_obstacles`; the seed is no whole number.
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise QueryError(f"the seed is {quoted(seed)}", expected="a whole number")
    ground = _Ground(nav, start, goal, most_steps)
    chance = random.Random(int(seed))
    while ground.on_the_way:
        beside = ground.open(ground.at)
        ahead = beside.get(round(ground.heading()) % 8)
        if ahead is not None:
            ground.go(ahead)
            continue
        if not beside:
            break
        direction = chance.choice(sorted(beside))
        for _ in range(chance.randint(1, _BOUNCE)):
            onward = ground.open(ground.at).get(direction)
            if onward is None or not ground.on_the_way:
                break
            ground.go(onward)
    return ground.walk()


def crash_and_turn(
    nav: Navigator, start: Place, goal: Place, *, most_steps: int | None = None
) -> Walk:
    """Walk toward the goal, and at obstacles turn as little as possible.

    The walker keeps to the side it has turned to until the direct way is free again. It gives up
    where it has been before in the same way, as it would walk in a circle for ever.

    Args:
        nav, start, goal, most_steps: as for :func:`trace_obstacles`.

    Raises:
        QueryError: as for :func:`trace_obstacles`.
    """
    ground = _Ground(nav, start, goal, most_steps)
    side = 0
    been: set[tuple[int, int]] = set()
    while ground.on_the_way and (ground.at, side) not in been:
        been.add((ground.at, side))
        beside = ground.open(ground.at)
        if not beside:
            break
        heading = ground.heading()
        straight = round(heading) % 8
        if straight in beside:
            side = 0
            ground.go(beside[straight])
            continue
        if not side:
            side = _easier_side(heading, beside)
        options = ((straight + side * turn) % 8 for turn in range(8))
        ground.go(next(beside[each] for each in options if each in beside))
    return ground.walk()


def _easier_side(heading: float, beside: dict[int, int]) -> int:
    """Return 1 if the clockwise side is shorter, otherwise -1."""
    right = min((each - heading) % 8 for each in beside)
    left = min((heading - each) % 8 for each in beside)
    return 1 if right <= left else -1
