"""Label connected components; the labels tell who can reach whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.graph import Subgraph
from bake.search.graph.connectivity import reachable_components, strong_components

#: Largest closure between one-way components that is stored, in bytes (23,168 components).
# limit: no closure; next hops answer reachability; lowered by one_way
MAX_CLOSURE = 64 * 2**20

#: Bits of the closure put into order at a time; each takes a byte meanwhile.
# limit: the work is done in parts; tests/tables/test_components.py
BLOCK_BITS = 2**18


@dataclass(frozen=True)
class Components:
    """Strongly connected components of what a profile can use."""

    #: (n) int32 by node of the full graph, -1 where the profile cannot stand. Labels count up in
    #: order of each component's lowest node.
    component: Int32Array
    count: int  #: how many components there are
    #: (count, ceil(count / 8)) uint8 in numpy.packbits order, which components each one reaches;
    #: None where no arc leads from one to another (then each reaches only itself), or where the
    #: array would exceed MAX_CLOSURE
    reach: UInt8Array | None
    one_way: bool  #: whether arcs lead from one component to another

    @property
    def tells_all(self) -> bool:
        """Tell whether labels and closure alone say what can be reached."""
        return not self.one_way or self.reach is not None


def components(sub: Subgraph, node_count: int) -> Components:
    """Label the components of a profile's part of a graph of ``node_count`` nodes."""
    label, count = strong_components(sub.graph)
    one_way = bool((label[sub.graph.tail()] != label[sub.graph.head]).any())
    reach = None
    _, first_row = np.unique(label, return_index=True)
    order = np.argsort(first_row, kind="stable")
    if one_way and count * ((count + 7) // 8) <= MAX_CLOSURE:
        reach = _in_order(reachable_components(sub.graph, label, count), order)
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    component = np.full(node_count, -1, dtype=np.int32)
    component[sub.node] = rank[label]
    return Components(component, count, reach, one_way)


def _in_order(reach: UInt8Array, order: Int64Array) -> UInt8Array:
    """Permute the rows and bits of a closure: component ``order[i]`` becomes component i."""
    permuted = np.empty_like(reach)
    step = max(1, BLOCK_BITS // len(order))
    for start in range(0, len(order), step):
        bits = np.unpackbits(reach[order[start : start + step]], axis=1, count=len(order))
        permuted[start : start + step] = np.packbits(bits[:, order], axis=1)
    return permuted
