"""Levels, links and doors drawn in memory, and the worlds they make."""

import random
from pathlib import Path

import numpy as np

from bake.core.graph import Subgraph, usable_subgraph
from bake.core.level import Door, GridLevel, Link
from bake.worlds import AgentProfile, World, build_world
from levelbake.steps import CornerCutting, CostRule, HexLayout, MovementRules
from tests.support.baked import GROUND, rules_of
from tests.support.oracles import Cell, Lattice
from tests.support.strategies import TERRAINS

CORNERS: tuple[CornerCutting, ...] = ("never", "one_free", "always")
COST_RULES: tuple[CostRule, ...] = ("mean", "entered")


#: Open ground with few walls (long runs, greedy moves), and everything at once (short ones).
OPEN = ("floor",) * 12 + ("wall",)
CROWDED = TERRAINS + ("floor",) * 3


def random_lattice(seed: str, width: int, height: int, names: tuple[str, ...]) -> Lattice:
    rng = random.Random(seed)
    grid = [[rng.choice(names) for _ in range(width)] for _ in range(height)]
    return Lattice(
        grid, GROUND, corner_cutting=rng.choice(CORNERS), cost_rule=rng.choice(COST_RULES)
    )


def level_of(grid: list[list[str]], layout: HexLayout | None = None) -> GridLevel:
    terrain = np.array([[TERRAINS.index(name) for name in row] for row in grid], dtype=np.uint8)
    return GridLevel("drawn", Path("drawn.json"), terrain, TERRAINS, hex_layout=layout)


def world_of(lattice: Lattice, connectivity: int, layout: HexLayout | None = None) -> World:
    rules = MovementRules(lattice.corner_cutting, lattice.cost_rule, lattice.ticks_per_unit)
    profile = AgentProfile("default", rules_of(lattice.ground))
    return build_world(level_of(lattice.grid, layout), [profile], rules, connectivity)


def part_of(world: World) -> tuple[Subgraph, np.ndarray]:
    assert world.cell is not None
    sub = usable_subgraph(world.graph, world.metrics["default"])
    return sub, world.cell[sub.node]


def link(start: Cell, goal: Cell, cost: float | None = None, **more: object) -> Link:
    told = {"both_ways": False, "profiles": None, "place": f"links {start} {goal}", **more}
    return Link(f"{start}-{goal}", "link", start, goal, cost, **told)


def door(name: str, cells: list[Cell], state: str, **states: str | None) -> Door:
    return Door(name, np.array(cells, dtype=np.int32), tuple(states.items()), state, "doors")
