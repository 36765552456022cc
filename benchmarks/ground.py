"""The graph of a map for all contenders, built without the measured tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import DEFAULT_TICKS_PER_UNIT, Subgraph, usable_subgraph
from bake.core.level import GridLevel
from bake.interop import to_scipy
from bake.levels import load
from bake.worlds import AgentProfile, build_world
from benchmarks.levels import level_file
from levelbake.steps import MovementRules


@dataclass(frozen=True)
class Ground:
    """A map's graph and the positions of its nodes.

    Attributes:
        name: of the map.
        sub: n nodes and the arcs between them, with weights in ticks.
        cell: (n, 2) int32, (x, y) of each node.
    """

    name: str
    sub: Subgraph
    cell: Int32Array

    @property
    def nodes(self) -> int:
        return self.sub.graph.node_count

    @cached_property
    def matrix(self) -> csr_array:
        """(n, n) float64 ticks, in the form that scipy solves without conversion."""
        return to_scipy(self.sub.graph, self.sub.weight).astype(np.float64)

    @cached_property
    def node_at(self) -> Int32Array:
        """(height, width) int32, the node of each cell; -1 for blocked cells."""
        width, height = self.cell.max(axis=0) + 1
        node = np.full((height, width), -1, dtype=np.int32)
        node[self.cell[:, 1], self.cell[:, 0]] = np.arange(self.nodes, dtype=np.int32)
        return node

    def sample(self, count: int, seed: int) -> Int64Array:
        """Return random nodes without repetition."""
        count = min(count, self.nodes)
        return np.random.default_rng(seed).choice(self.nodes, count, replace=False)

    def pairs(self, count: int, seed: int) -> tuple[Int32Array, Int32Array]:
        """Return the cells of random starts and goals, (count, 2) each."""
        node = np.random.default_rng(seed).integers(self.nodes, size=(2, count))
        return self.cell[node[0]], self.cell[node[1]]


def ground_of(name: str) -> Ground:
    """Read a map with the rules of the Moving AI benchmark."""
    level = load(level_file(name), {})
    assert isinstance(level, GridLevel)
    profile = AgentProfile("default", level.terrain_rules)
    rules = MovementRules("never", "mean", DEFAULT_TICKS_PER_UNIT)
    world = build_world(level, (profile,), rules, 8)
    sub = usable_subgraph(world.graph, world.metrics["default"])
    assert world.cell is not None
    return Ground(name, sub, world.cell[sub.node])
