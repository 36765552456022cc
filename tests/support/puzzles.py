"""Puzzles for tests, and what their pattern databases must hold, found slowly."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from itertools import permutations, product
from math import inf
from pathlib import Path
from typing import Any

import networkx as nx

from bake.extras.school.pattern_tables import pattern_tables
from bake.extras.school.patterns.database import Patterns
from bake.extras.school.puzzle import Action, Planning, Puzzle, Tiles

EIGHT: dict[str, Any] = {
    "kind": "tiles",
    "goal": [[1, 2, 3], [8, 0, 4], [7, 6, 5]],
    "patterns": [[1, 2, 3, 4], [5, 6, 7, 8]],
}

#: A porter fetches two crates; the fragile one is carried slowly.
PORTER: dict[str, Any] = {
    "kind": "planning",
    "variables": {
        "porter": ["yard", "hall", "attic"],
        "crate": ["yard", "hall", "attic", "carried"],
        "vase": ["yard", "hall", "attic", "carried"],
    },
    "actions": [
        *(
            {"name": f"walk {a} {b}", "needs": {"porter": a}, "sets": {"porter": b}, "cost": 2}
            for a, b in (("yard", "hall"), ("hall", "yard"), ("hall", "attic"), ("attic", "hall"))
        ),
        *(
            {
                "name": f"take {thing} {place}",
                "needs": {"porter": place, thing: place},
                "sets": {thing: "carried"},
                "cost": cost,
            }
            for thing, cost in (("crate", 1), ("vase", 3))
            for place in ("yard", "hall", "attic")
        ),
        *(
            {
                "name": f"leave {thing} {place}",
                "needs": {"porter": place, thing: "carried"},
                "sets": {thing: place},
                "cost": 0,
            }
            for thing in ("crate", "vase")
            for place in ("yard", "hall", "attic")
        ),
    ],
    "goal": {"crate": "attic", "vase": "hall"},
    "start": {"porter": "hall", "crate": "yard", "vase": "attic"},
    "patterns": [["porter", "crate"], ["porter", "vase"]],
}


def write_puzzle(path: Path, puzzle: dict[str, Any], **changed: Any) -> Path:
    """Write a puzzle's file, with other values for some keys; None leaves a key out."""
    keys = {"format": "bake-puzzle", "version": 1, **puzzle, **changed}
    told = {key: value for key, value in keys.items() if value is not None}
    path.write_text(json.dumps(told), "utf-8")
    return path


def baked(puzzle: Puzzle) -> Patterns:
    """Bake a puzzle's tables without a file."""
    return Patterns(puzzle, pattern_tables(puzzle, 2**30, lambda done: None))


def least_moves(tiles: Tiles, pattern: tuple[int, ...]) -> list[float]:
    """What a table of tiles must hold: moves are searched with the gap, one state at a time."""
    goal = (tuple(tiles.goal.index(tile) for tile in pattern), tiles.goal.index(0))
    least = {goal: 0}
    ahead = deque([goal])
    while ahead:
        placed, gap = state = ahead.popleft()
        for beside in neighbours(tiles, gap):
            moves = least[state]
            if beside in placed:
                moves += 1
                after = (tuple(gap if cell == beside else cell for cell in placed), beside)
            else:
                after = (placed, beside)
            if moves < least.get(after, inf):
                least[after] = moves
                (ahead.append if beside in placed else ahead.appendleft)(after)
    best = dict[tuple[int, ...], float]()
    for (placed, _), moves in least.items():
        best[placed] = min(moves, best.get(placed, inf))
    every = permutations(range(tiles.width * tiles.height), len(pattern))
    return [best.get(placed, inf) for placed in every]


def neighbours(tiles: Tiles, cell: int) -> Iterator[int]:
    """Cells beside a cell."""
    for other in range(tiles.width * tiles.height):
        (y, x), (v, u) = divmod(cell, tiles.width), divmod(other, tiles.width)
        if abs(x - u) + abs(y - v) == 1:
            yield other


def least_costs(planning: Planning, pattern: tuple[int, ...]) -> list[float]:
    """What a table of a planning space must hold, by networkx."""
    graph = nx.MultiDiGraph()
    states = list(product(*(range(len(planning.values[variable])) for variable in pattern)))
    graph.add_nodes_from(states)
    for state, action in product(states, planning.actions):
        known = dict(zip(pattern, state, strict=True))
        if all(known.get(variable, value) == value for variable, value in action.needs.items()):
            after = tuple(action.sets.get(variable, known[variable]) for variable in pattern)
            graph.add_edge(after, state, weight=action.cost)
    goals = {
        state
        for state in states
        if all(
            planning.goal.get(variable, value) == value
            for variable, value in zip(pattern, state, strict=True)
        )
    }
    found = nx.multi_source_dijkstra_path_length(graph, goals) if goals else {}
    return [found.get(state, inf) for state in states]


def small_planning(sizes: list[int], actions: list[Action], goal: dict[int, int]) -> Planning:
    """A planning space whose names do not matter."""
    names = tuple(f"v{number}" for number in range(len(sizes)))
    values = tuple(tuple(f"x{value}" for value in range(size)) for size in sizes)
    return Planning(names, values, tuple(actions), goal)
