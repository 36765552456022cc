"""Wrap A* of other libraries: a path between two cells of a map."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bake.interop import to_networkx
from benchmarks.ground import Ground
from benchmarks.packages import Package
from levelbake.steps import SQUARE_8

Cell = tuple[int, int]

STRAIGHT, DIAGONAL = 27720, 39202


@dataclass(frozen=True)
class SearchPeer(Package):
    """A library, and the call that finds a path.

    Attributes:
        asks: what of it is used.
        problems: how many make a sample that takes a second or so.
        prepare: lays a map out; the function it returns finds the cells of a path.
    """

    asks: str
    problems: int
    prepare: Callable[[Ground], Callable[[Cell, Cell], Any]]


def _networkx(ground: Ground) -> Callable[[Cell, Cell], Any]:
    import networkx

    graph = to_networkx(ground.sub.graph, ground.sub.weight)
    cell = [tuple(one) for one in ground.cell.tolist()]
    node = {one: number for number, one in enumerate(cell)}

    def octile(a: int, b: int) -> Any:
        dx, dy = abs(cell[a][0] - cell[b][0]), abs(cell[a][1] - cell[b][1])
        return STRAIGHT * max(dx, dy) + (DIAGONAL - STRAIGHT) * min(dx, dy)

    def find(start: Cell, goal: Cell) -> Any:
        path = networkx.astar_path(graph, node[start], node[goal], octile, "weight")
        return [cell[one] for one in path]

    return find


def _tcod(ground: Ground) -> Callable[[Cell, Cell], Any]:
    import tcod.path

    height, width = ground.node_at.shape
    graph = tcod.path.CustomGraph((height, width), order="C")
    tail = ground.cell[ground.sub.graph.tail()]
    head = ground.cell[ground.sub.graph.head]
    step = head - tail
    for dx, dy in SQUARE_8:
        # Steps are given by the cell they enter, one array a direction: its own rules for corners.
        enters = np.zeros((height, width), dtype=np.int32)
        mine = head[(step == (dx, dy)).all(axis=1)]
        enters[mine[:, 1], mine[:, 0]] = 1
        price = DIAGONAL if dx and dy else STRAIGHT
        graph.add_edge(edge_dir=(dy, dx), edge_cost=price, cost=enters)
    graph.set_heuristic(cardinal=STRAIGHT, diagonal=DIAGONAL)

    def find(start: Cell, goal: Cell) -> Any:
        finder = tcod.path.Pathfinder(graph)
        finder.add_root(start[::-1])
        return finder.path_to(goal[::-1])[:, ::-1]

    return find


def _pathfinding(ground: Ground) -> Callable[[Cell, Cell], Any]:
    from pathfinding.core.diagonal_movement import DiagonalMovement
    from pathfinding.core.grid import Grid
    from pathfinding.finder.a_star import AStarFinder

    grid = Grid(matrix=(ground.node_at >= 0).astype(int).tolist())

    def find(start: Cell, goal: Cell) -> Any:
        grid.cleanup()
        finder = AStarFinder(diagonal_movement=DiagonalMovement.only_when_no_obstacle)
        path, _ = finder.find_path(grid.node(*start), grid.node(*goal), grid)
        return [(one.x, one.y) for one in path]

    return find


SEARCH_PEERS = (
    SearchPeer("networkx", "`astar_path`, octile heuristic", 3, _networkx),
    SearchPeer("tcod", "`Pathfinder` on a `CustomGraph`, its own heuristic", 60, _tcod),
    SearchPeer("pathfinding", "`AStarFinder`, its own heuristic", 3, _pathfinding),
)


def length_of(path: Any) -> float:
    """Return the length of a path over neighboring cells.

    Raises:
        AssertionError: a step that is none.
    """
    cells = np.asarray(path, dtype=np.int64).reshape(-1, 2)
    step = np.abs(np.diff(cells, axis=0))
    assert len(cells), "no path"
    assert not len(step) or (step.max(axis=1) == 1).all(), "a step that is no step"
    diagonal = int((step.sum(axis=1) == 2).sum())
    return len(step) - diagonal + diagonal * math.sqrt(2)
