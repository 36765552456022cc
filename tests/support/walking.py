"""Agents walking over a level in plain Python: the steps there are, and who gets in whose way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations, pairwise

from bake.play import Navigator
from levelbake.errors import QueryError

Cell = tuple[int, ...]
#: The units of each step out of a cell, waiting not among them.
Steps = Mapping[Cell, Mapping[Cell, float]]


def steps_of(nav: Navigator) -> Steps:
    """The steps of a small square level, each asked for by itself."""
    cells = [cell for cell in nav.places() if isinstance(cell, tuple)]
    found: dict[Cell, dict[Cell, float]] = {cell: {} for cell in cells}
    for a in cells:
        for b in cells:
            if a != b and abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1:
                try:
                    found[a][b] = nav.length([a, b])
                except QueryError:
                    continue
    return found


def covered(place: Cell, size: int) -> set[Cell]:
    x, y = place
    return {(x + i, y + j) for i in range(size) for j in range(size)}


def moves_meet(one: tuple[Cell, Cell], other: tuple[Cell, Cell]) -> bool:
    """Whether two moves meet in the middle, on an edge or on a corner, so that one must wait."""
    if one[0] == one[1] or other[0] == other[1]:
        return False
    return all(one[0][i] + one[1][i] == other[0][i] + other[1][i] for i in (0, 1))


def in_conflict(
    one: tuple[Cell, Cell], other: tuple[Cell, Cell], sizes: tuple[int, int] = (1, 1)
) -> bool:
    """Whether two agents that step from a cell to another get in each other's way."""
    if sizes == (1, 1):
        return one[1] == other[1] or moves_meet(one, other)
    return bool(covered(one[1], sizes[0]) & covered(other[1], sizes[1]))


def conflicts_along(ways: Sequence[Sequence[Cell]], sizes: Sequence[int]) -> int:
    """How often two of some agents are in conflict; each way has a place for each step."""
    return sum(
        in_conflict((a[i], a[i + 1]), (b[i], b[i + 1]), (sizes[m], sizes[n]))
        for (m, a), (n, b) in combinations(enumerate(ways), 2)
        for i in range(len(a) - 1)
    )


#: For how many agents there is room on each cell; on one that is left out for one.
Room = Mapping[Cell, int]


def is_hindered(move: tuple[Cell, Cell], others: Sequence[tuple[Cell, Cell]], room: Room) -> bool:
    """Whether others leave no room for a move, where some cells have room for several."""
    if sum(other[1] == move[1] for other in others) >= room.get(move[1], 1):
        return True
    return any(
        moves_meet(move, other) and any(room.get(cell, 1) < 2 for cell in (*move, *other))
        for other in others
    )


def hindered_along(ways: Sequence[Sequence[Cell]], room: Room) -> int:
    """How many moves along some ways are hindered by the others."""
    found = 0
    for step in range(len(ways[0]) - 1):
        moves = [(way[step], way[step + 1]) for way in ways]
        found += sum(
            is_hindered(move, [*moves[:number], *moves[number + 1 :]], room)
            for number, move in enumerate(moves)
        )
    return found


def crosses(move: tuple[Cell, Cell], way: Sequence[Cell]) -> bool:
    """Whether a move leads onto a cell that a way leads to from elsewhere."""
    here, to = move
    return here != to and any(b == to and a not in (here, to) for a, b in pairwise(way))


def crossings_along(ways: Sequence[Sequence[Cell]]) -> int:
    """How many moves along some ways cross the way of another one, whenever that was made."""
    return sum(
        any(crosses(move, other) for other in ways if other is not way)
        for way in ways
        for move in pairwise(way)
    )


@dataclass
class Window:
    """What one agent may do among others for some steps.

    Attributes:
        others: the places of each other agent at each step.
        room: for how many agents there is room.
        wait: the cost of waiting anywhere but at the target.
        crossing: the cost of a move that crosses the way of another one.
    """

    steps: Steps
    others: Sequence[Sequence[Cell]]
    room: Room
    wait: float
    crossing: float = 0
    _known: dict[tuple[int, Cell], list[tuple[Cell, float]]] = field(default_factory=dict)

    def moves(self, step: int, cell: Cell) -> list[tuple[Cell, float]]:
        """The moves that nobody hinders, waiting among them, and what they cost."""
        if (step, cell) not in self._known:
            there = [(way[step], way[step + 1]) for way in self.others]
            found = self._known[step, cell] = []
            for to, price in {**self.steps[cell], cell: self.wait}.items():
                if not is_hindered((cell, to), there, self.room):
                    dear = self.crossing and any(crosses((cell, to), way) for way in self.others)
                    found.append((to, price + (self.crossing if dear else 0)))
        return self._known[step, cell]

    def cheapest(self, start: Cell, target: Cell, left: Mapping[Cell, float]) -> float | None:
        """The least cost of a way through the window, by Dijkstra's algorithm over cells and steps.

        Args:
            left: the cost from each cell to the target, added at the end of the window.
        """
        end = len(self.others[0]) - 1
        heap: list[tuple[float, int, Cell]] = [(0.0, 0, start)]
        done = set[tuple[int, Cell]]()
        best: float | None = None
        while heap:
            g, step, cell = heappop(heap)
            if (step, cell) in done:
                continue
            done.add((step, cell))
            if step == end:
                if cell in left:
                    best = g + left[cell] if best is None else min(best, g + left[cell])
                continue
            for to, cost in self.moves(step, cell):
                waits_there = cell == to == target
                heappush(heap, (g + (0 if waits_there else cost), step + 1, to))
        return best


def fewest_steps(steps: Steps, starts: Sequence[Cell], goals: Sequence[Cell]) -> int | None:
    """How few steps two agents need, by a breadth-first search over both of their places."""
    layer, known, count = {tuple(starts)}, {tuple(starts)}, 0
    while layer:
        if tuple(goals) in layer:
            return count
        ahead = {
            (a, b)
            for one, other in layer
            for a in (one, *steps[one])
            for b in (other, *steps[other])
            if not in_conflict((one, a), (other, b))
        }
        layer = ahead - known
        known |= layer
        count += 1
    return None
