"""Problems of states and steps: graphs by their arcs, a road map, and sliding tiles."""

import math
import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import networkx as nx
from hypothesis import strategies as st

from bake.extras.school import Search, Status

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


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """A small directed graph, with estimates that are admissible and seldom consistent."""
    nodes = draw(st.integers(2, 9))
    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1), st.integers(0, 6))
    arcs: dict[Hashable, list[tuple[Hashable, float]]] = {}
    for tail, head, cost in draw(st.lists(pair, max_size=25)):
        arcs.setdefault(tail, []).append((head, cost))
    shares = draw(st.lists(st.sampled_from((0, 0.5, 1)), min_size=nodes, max_size=nodes))
    estimate: dict[Hashable, float] = {}
    for node, share in enumerate(shares):
        away = truth(Network(arcs, node, nodes - 1))
        estimate[node] = away if share == 1 else 0 if away == math.inf else int(away * share)
    return Network(arcs, 0, nodes - 1, estimate)


def truth(space: Network, states: int | None = None) -> float:
    """The cost of a cheapest path, of so many states at most."""
    if states is None:
        graph = nx.DiGraph()
        graph.add_nodes_from((space.start, space.goal))
        for tail, out in space.arcs.items():
            for head, cost in out:
                if not graph.has_edge(tail, head) or cost < graph[tail][head]["weight"]:
                    graph.add_edge(tail, head, weight=cost)
        try:
            return nx.dijkstra_path_length(graph, space.start, space.goal)
        except nx.NetworkXNoPath:
            return math.inf
    best: dict[Hashable, float] = {space.start: 0}
    for _ in range(states - 1):
        for state, g in list(best.items()):
            for other, cost in space.arcs.get(state, ()):
                best[other] = min(best.get(other, math.inf), g + cost)
    return best.get(space.goal, math.inf)


def cost_of(space: Network, path: list[Hashable]) -> float:
    assert (path[0], path[-1]) == (space.start, space.goal)
    steps = pairwise(path)
    return sum(min(cost for head, cost in space.arcs[a] if head == b) for a, b in steps)


def finished(under_way: Search[Hashable]) -> Search[Hashable]:
    """Run a search to its end, which every search of a small graph reaches soon."""
    assert under_way.run(steps=200_000) is not Status.RUNNING
    return under_way


Cell = tuple[int, int]


class Cells:
    """Cells of two costs among walls, with steps in four or eight directions, and many ties."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.diagonal = rng.random() < 0.5
        width, height = rng.randint(4, 9), rng.randint(4, 9)
        cells = [(x, y) for x in range(width) for y in range(height)]
        self.cost = {cell: rng.choice((1, 1, 1, 3)) for cell in cells if rng.random() > 0.2}
        self.start, self.goal = rng.sample(sorted(self.cost), 2)

    def is_goal(self, cell: Cell) -> bool:
        return cell == self.goal

    def successors(self, cell: Cell) -> Iterator[tuple[Cell, int]]:
        x, y = cell
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                other = x + dx, y + dy
                if other in self.cost and other != cell and (self.diagonal or not dx * dy):
                    yield other, (self.cost[cell] + self.cost[other]) * (3 if dx * dy else 2)

    def h(self, cell: Cell) -> int:
        dx, dy = abs(cell[0] - self.goal[0]), abs(cell[1] - self.goal[1])
        return 4 * max(dx, dy) + 2 * min(dx, dy) if self.diagonal else 4 * (dx + dy)

    def least(self, states: int) -> float:
        """The cost of a cheapest path of so many states at most, layer by layer."""
        best = layer = {self.start: 0}
        for _ in range(states - 1):
            reached: dict[Cell, int] = {}
            for cell, g in layer.items():
                for other, cost in self.successors(cell):
                    reached[other] = min(g + cost, reached.get(other, g + cost))
            layer = {cell: g for cell, g in reached.items() if g < best.get(cell, math.inf)}
            best = best | layer
        return best.get(self.goal, math.inf)
