"""Connected components of a profile; their labels answer reachability queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array
from bake.core.graph import Subgraph
from bake.search.graph.connectivity import reachable_components, strong_components

#: Largest closure between one-way components that is stored, in bytes (23,168 components).
# limit: no closure; next hops answer reachability; lowered by one_way
MAX_CLOSURE = 64 * 2**20

#: Bits of the closure that are permuted at a time; each takes one byte.
# limit: the work is done in parts; tests/tables/test_components.py
BLOCK_BITS = 2**18


@dataclass(frozen=True)
class Components:
    """The strongly connected components of a profile's graph."""

    #: (n) int32 by node of the full graph, -1 where the profile cannot stand. Labels count up in
    #: order of each component's lowest node.
    component: Int32Array
    count: int  #: the number of components
    #: (count, ceil(count / 8)) uint8 in numpy.packbits order, the components that each one reaches;
    #: None if no arc leads from one component to another (then each reaches only itself), or if the
    #: array would exceed MAX_CLOSURE
    reach: UInt8Array | None
    one_way: bool  #: whether any arc leads from one component to another

    @property
    def tells_all(self) -> bool:
        """Whether labels and closure alone decide reachability."""
        return not self.one_way or self.reach is not None


def components(sub: Subgraph, node_count: int) -> Components:
    """Label the components of a profile's subgraph of a graph of ``node_count`` nodes."""
    label, count = strong_components(sub.graph)
    one_way = bool((label[sub.graph.tail()] != label[sub.graph.head]).any())
    reach = None
    _, first_row = np.unique(label, return_index=True)
    order = np.argsort(first_row, kind="stable")
    if one_way and count * ((count + 7) // 8) <= MAX_CLOSURE:
        reach = _permute_closure(reachable_components(sub.graph, label, count), order)
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count, dtype=np.int32)
    component = np.full(node_count, -1, dtype=np.int32)
    component[sub.node] = rank[label]
    return Components(component, count, reach, one_way)


def _permute_closure(reach: UInt8Array, order: Int64Array) -> UInt8Array:
    """Permute the rows and bits of a closure: component ``order[i]`` becomes component i."""
    permuted = np.empty_like(reach)
    step = max(1, BLOCK_BITS // len(order))
    for start in range(0, len(order), step):
        bits = np.unpackbits(reach[order[start : start + step]], axis=1, count=len(order))
        permuted[start : start + step] = np.packbits(bits[:, order], axis=1)
    return permuted
