"""The kernels of hierarchies that follow changes, and of flow fields."""

from __future__ import annotations

from bake.search.contraction import hierarchy, metric, order, query, sweep, tree, update
from bake.search.graph import label_correcting
from bake.search.live import descent, flow_field, graph, next_hops

#: Kernels that build, change and query a hierarchy, or make and follow flow fields.
KERNELS = (
    *label_correcting.KERNELS,
    *order.KERNELS,
    *tree.KERNELS,
    *metric.KERNELS,
    *hierarchy.KERNELS,
    *query.KERNELS,
    *update.KERNELS,
    *sweep.KERNELS,
    *graph.KERNELS,
    *flow_field.KERNELS,
    *descent.KERNELS,
    *next_hops.KERNELS,
)
