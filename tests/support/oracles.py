"""Slow and simple answers to compare with: plain Python, nothing from the package.

Graphs are mappings from a node to its arcs, each a (head, weight) pair. Lattices are read off the
rules of movement cell by cell, and hexagons through cube coordinates, not through tables of steps.
"""

import functools
import heapq
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Arcs = Mapping[Node, Sequence[tuple[Node, int]]]
Cell = tuple[int, int]

#: Ticks in one unit of cost, unless a recipe says otherwise.
TICKS = 27720

#: sqrt(2), right to 40 digits: enough to round any product with a tick scale correctly.
ROOT_TWO = Fraction(math.isqrt(2 * 10**80), 10**40)


def arcs_of(
    nodes: Iterable[Node], arcs: Iterable[tuple[Node, Node, int]]
) -> dict[Node, list[tuple[Node, int]]]:
    """Arcs by tail, in the order given."""
    by_tail: dict[Node, list[tuple[Node, int]]] = {node: [] for node in nodes}
    for tail, head, weight in arcs:
        by_tail[tail].append((head, weight))
    return by_tail


def distances_from(arcs: Arcs[Node], source: Node) -> dict[Node, int]:
    """Dijkstra with a binary heap; nodes that cannot be reached are absent."""
    done: dict[Node, int] = {}
    best = {source: 0}
    heap: list[tuple[int, int, Node]] = [(0, 0, source)]
    pushed = 1
    while heap:
        so_far, _, node = heapq.heappop(heap)
        if node in done:
            continue
        done[node] = so_far
        for head, weight in arcs[node]:
            ticks = so_far + weight
            if head not in best or ticks < best[head]:
                best[head] = ticks
                heapq.heappush(heap, (ticks, pushed, head))
                pushed += 1
    return done


def optimal_hops(arcs: Arcs[Node], start: Node, goal: Node) -> set[Node]:
    """Every neighbour that begins a shortest path."""
    return {arcs[start][slot][0] for slot in optimal_slots(arcs, start, goal)}


def lengths_of(arcs: Arcs[Node]) -> dict[Node, dict[Node, int]]:
    """The distances from every node, for those who ask about many pairs."""
    return {node: distances_from(arcs, node) for node in arcs}


def optimal_slots(
    arcs: Arcs[Node],
    start: Node,
    goal: Node,
    lengths: Mapping[Node, dict[Node, int]] | None = None,
) -> list[int]:
    """Places, among the arcs of ``start``, of those that begin a shortest path; ascending.

    Args:
        arcs, start, goal: what to look for.
        lengths: :func:`lengths_of` the arcs, if they are known.
    """
    if start == goal:
        return []
    known = lengths or {head: distances_from(arcs, head) for head, _ in arcs[start]}
    costs = [
        (weight + onward[goal], slot)
        for slot, (head, weight) in enumerate(arcs[start])
        if goal in (onward := known[head])
    ]
    best = min(costs, default=(0, 0))[0]
    return [slot for cost, slot in costs if cost == best]


def floyd_warshall(
    arcs: Arcs[int], intermediate: int | None = None
) -> tuple[list[list[float]], list[list[int | None]]]:
    """Textbook Floyd-Warshall over nodes 0, 1, ...: distances and next hops.

    Args:
        intermediate: stop after this many nodes have served as intermediate ones.
    """
    n = len(arcs)
    dist = [[math.inf] * n for _ in range(n)]
    following: list[list[int | None]] = [[None] * n for _ in range(n)]
    for tail, out in arcs.items():
        for head, weight in out:
            if weight < dist[tail][head]:
                dist[tail][head] = weight
                following[tail][head] = head
    for node in range(n):
        dist[node][node] = 0
        following[node][node] = None
    for via in range(n if intermediate is None else intermediate):
        for source in range(n):
            for target in range(n):
                through = dist[source][via] + dist[via][target]
                if through < dist[source][target]:
                    dist[source][target] = through
                    following[source][target] = following[source][via]
    return dist, following


# -- lattices -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ground:
    """What a terrain means: its cost (None = blocked), where it is entered from (None = any)."""

    cost: float | None
    enter_from: tuple[str, ...] | None = None


Grid = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Lattice:
    """A grid of terrain names, and the rules of moving on it."""

    grid: Grid
    ground: Mapping[str, Ground]
    corner_cutting: str = "never"
    cost_rule: str = "mean"
    ticks_per_unit: int = 27720

    def cells(self) -> list[Cell]:
        """Cells that can be stood on, in reading order."""
        return [
            (x, y)
            for y, row in enumerate(self.grid)
            for x, _ in enumerate(row)
            if self.open((x, y))
        ]

    def inside(self, cell: Cell) -> bool:
        x, y = cell
        return 0 <= y < len(self.grid) and 0 <= x < len(self.grid[y])

    def terrain(self, cell: Cell) -> str:
        x, y = cell
        return self.grid[y][x]

    def open(self, cell: Cell) -> bool:
        return self.inside(cell) and self.ground[self.terrain(cell)].cost is not None

    def may_step(self, here: Cell, there: Cell) -> bool:
        """Whether both cells are open and the terrains let one pass from here to there."""
        if not (self.open(here) and self.open(there)):
            return False
        sources = self.ground[self.terrain(there)].enter_from
        return sources is None or self.terrain(here) in sources

    def ticks(self, here: Cell, there: Cell, length: Fraction) -> int:
        """The step's cost as a whole number, ties to even."""
        entered = self.ground[self.terrain(there)].cost or 0
        left = entered if self.cost_rule == "entered" else self.ground[self.terrain(here)].cost or 0
        return _price(entered, left, length, self.ticks_per_unit)


@functools.cache
def _price(entered: float, left: float, length: Fraction, ticks_per_unit: int) -> int:
    """The mean of two costs, times a length in units, as whole ticks."""
    return round((Fraction(entered) + Fraction(left)) / 2 * length * ticks_per_unit)


def square_arcs(lattice: Lattice, connectivity: int) -> dict[tuple[Cell, Cell], int]:
    """Ticks by (from, to) of every step on a square grid."""
    steps = {}
    for here in lattice.cells():
        x, y = here
        for there in [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            if not lattice.may_step(here, there):
                continue
            if there[0] == x or there[1] == y:
                steps[here, there] = lattice.ticks(here, there, Fraction(1))
                continue
            if connectivity == 4:
                continue
            corners = [(x, there[1]), (there[0], y)]
            free = [
                lattice.may_step(here, corner) and lattice.may_step(corner, there)
                for corner in corners
            ]
            needed = {"never": 2, "one_free": 1, "always": 0}[lattice.corner_cutting]
            if sum(free) >= needed:
                steps[here, there] = lattice.ticks(here, there, ROOT_TWO)
    return steps


def offset_to_cube(layout: str, cell: Cell) -> tuple[int, int, int]:
    """Cube coordinates q, r, s (their sum is 0) of an offset cell."""
    x, y = cell
    if layout == "odd-r":
        q, r = x - (y - (y & 1)) // 2, y
    elif layout == "even-r":
        q, r = x - (y + (y & 1)) // 2, y
    elif layout == "odd-q":
        q, r = x, y - (x - (x & 1)) // 2
    else:
        q, r = x, y - (x + (x & 1)) // 2
    return q, r, -q - r


def hex_distance(layout: str, a: Cell, b: Cell) -> int:
    """Steps between two cells with nothing in the way."""
    ends = zip(offset_to_cube(layout, a), offset_to_cube(layout, b), strict=True)
    return max(abs(here - there) for here, there in ends)


def hex_arcs(lattice: Lattice, layout: str) -> dict[tuple[Cell, Cell], int]:
    """Ticks by (from, to) of every step on a hexagonal grid."""
    steps = {}
    for here in lattice.cells():
        x, y = here
        for there in [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]:
            if hex_distance(layout, here, there) == 1 and lattice.may_step(here, there):
                steps[here, there] = lattice.ticks(here, there, Fraction(1))
    return steps
