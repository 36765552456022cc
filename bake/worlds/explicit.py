"""Explicit graphs are worlds already; they only need sorting into rows."""

from __future__ import annotations

import numpy as np

from bake.graph import Graph
from bake.level import GraphLevel
from bake.metric import NO_FLANK, Topology


def explicit_topology(level: GraphLevel) -> Topology:
    """The level's own nodes and arcs, nodes in file order."""
    graph, order = Graph.from_arcs(len(level.node_names), level.tail, level.head)
    return Topology(
        graph,
        level.node_terrain,
        level.terrains,
        level.length[order],
        np.full((graph.arc_count, 2), NO_FLANK, dtype=np.int32),
    )
