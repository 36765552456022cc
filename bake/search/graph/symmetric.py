"""Whether ways lead back at the same cost."""

from __future__ import annotations

from bake.arrays import Int32Array
from bake.kernels.jit import kernel

_NONE = 2**31 - 1


@kernel
def is_two_way(first_out: Int32Array, head: Int32Array, weight: Int32Array) -> bool:
    """Whether between any two nodes the cheapest arcs there and back weigh the same.

    Args:
        first_out, head, weight: (n + 1), (m), (m) int32.
    """
    for node in range(len(first_out) - 1):
        for arc in range(first_out[node], first_out[node + 1]):
            other = head[arc]
            back = _NONE
            for beside in range(first_out[other], first_out[other + 1]):
                if head[beside] == node:
                    back = min(back, weight[beside])
            if back == weight[arc]:
                # A cheaper arc beside this one will not find its equal.
                continue
            there = _NONE
            for beside in range(first_out[node], first_out[node + 1]):
                if head[beside] == other:
                    there = min(there, weight[beside])
            if there != back:
                return False
    return True
