"""Graphs whose nodes have clusters: the figure of the lecture notes, and any other."""

import numpy as np
from hypothesis import strategies as st

from bake.tables.clusters import clusters
from tests.support.compare import subgraph
from tests.support.strategies import Arc, arc_lists, seeded

#: How many nodes, their arcs, and the cluster of each.
Clustered = tuple[int, list[Arc], list[int]]


def figure_of_the_notes() -> Clustered:
    """C is entered at C1 from A and at C6 from B; D is entered from C5 and from C7."""
    names = ["A1", "B1", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "D1", "D2"]
    edges = [
        *(("A1", "C1", 1), ("B1", "C6", 1), ("C5", "D1", 1), ("C7", "D2", 2), ("D1", "D2", 1)),
        *(("C1", "C2", 1), ("C2", "C3", 1), ("C3", "C4", 1), ("C4", "C5", 1)),
        *(("C6", "C7", 1), ("C1", "C7", 9), ("C6", "C5", 9)),
    ]
    at = {name: node for node, name in enumerate(names)}
    arcs = [(at[a], at[b], w) for x, y, w in edges for a, b in ((x, y), (y, x))]
    return len(names), arcs, ["ABCD".index(name[0]) for name in names]


@st.composite
def any_clustered(draw: st.DrawFn) -> Clustered:
    n, arcs = draw(arc_lists(largest=10))
    label = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return n, arcs, np.unique(label, return_inverse=True)[1].tolist() if n else []


def clustered_family(family: str) -> Clustered:
    n, arcs = seeded(family, 3, 40)
    return n, arcs, clusters(subgraph(n, arcs), size=2).label.tolist()
