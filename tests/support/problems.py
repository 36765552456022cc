"""Problems of states and steps: graphs by their arcs, a road map, and sliding tiles."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

#: The road map of the lecture notes, and how far its towns are from B.
ROADS = (
    "A-S 140, A-T 118, A-Z 75, S-R 80, S-F 99, S-O 151, Z-O 71, T-L 111, L-M 70, M-D 75, D-C 120, "
    "C-R 146, C-P 138, R-P 97, P-B 101, F-B 211, B-G 90, B-U 85, U-H 98, H-E 86, U-V 142, V-I 92, "
    "I-N 87"
)
TO_B = {
    **{"A": 366, "B": 0, "C": 160, "D": 242, "E": 161, "F": 176, "G": 77, "H": 151, "I": 226},
    **{"L": 244, "M": 241, "N": 234, "O": 380, "P": 100, "R": 193, "S": 253, "T": 329, "U": 80},
    **{"V": 199, "Z": 374},
}
EDGES = [(road[0], road[2], int(road[4:])) for road in ROADS.split(", ")]


@dataclass
class Network:
    """A graph of arcs, with an estimate for each node."""

    arcs: Mapping[Hashable, Sequence[tuple[Hashable, float]]]
    start: Hashable
    goal: Hashable
    estimate: Mapping[Hashable, float] = field(default_factory=dict)

    def is_goal(self, state: Hashable) -> bool:
        return state == self.goal

    def successors(self, state: Hashable) -> Sequence[tuple[Hashable, float]]:
        return self.arcs.get(state, ())

    def h(self, state: Hashable) -> float:
        return self.estimate.get(state, 0)


Tiles = tuple[int, ...]


@dataclass(frozen=True)
class Sliding:
    """Tiles on a board of width cells a row; 0 is the empty one. Tiles are named row by row."""

    start: Tiles
    goal: Tiles
    width: int

    def is_goal(self, state: Tiles) -> bool:
        return state == self.goal

    def successors(self, state: Tiles) -> Iterator[tuple[Tiles, int]]:
        """The gap moves up, left, right and down."""
        gap = state.index(0)
        x, y = gap % self.width, gap // self.width
        for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1)):
            other = (y + dy) * self.width + x + dx
            if 0 <= x + dx < self.width and 0 <= other < len(state):
                moved = list(state)
                moved[gap], moved[other] = moved[other], 0
                yield tuple(moved), 1

    def misplaced(self, state: Tiles) -> int:
        return sum(tile not in (0, wanted) for tile, wanted in zip(state, self.goal, strict=True))

    def manhattan(self, state: Tiles) -> int:
        total = 0
        for cell, tile in enumerate(state):
            if tile:
                wanted = self.goal.index(tile)
                total += abs(cell % self.width - wanted % self.width)
                total += abs(cell // self.width - wanted // self.width)
        return total

    def nilsson(self, state: Tiles) -> int:
        """Three times the sequence score, and the Manhattan distance; for three by three tiles."""
        ring = (0, 1, 2, 5, 8, 7, 6, 3)
        after = {self.goal[a]: self.goal[b] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)}
        score = 1 if state[4] else 0
        for here, there in zip(ring, ring[1:] + ring[:1], strict=True):
            if state[here] and state[there] != after[state[here]]:
                score += 2
        return 3 * score + self.manhattan(state)
