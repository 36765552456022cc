"""Columns of each profile's clusters, of the layers of a hierarchy, and of lower bounds."""

from __future__ import annotations

from functools import partial

from bake.core.graph import MAX_WEIGHT
from bake.store.columns.declared import column

_column = partial(column, own=True)

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
COLUMNS = (
    _column("cluster", "uint16 int32", "row", "cluster",
        "cluster of the row, from 0; rows of one are connected", optional=True, order="numbered"),
    _column("square_clusters", "int32", "square", "clusters",
        "clusters in each square of the grid, in reading order; only where block is there",
        box="asset", world="lattice", optional=True, needs="layer_nodes", sums="first cluster"),
    _column("cluster_rows", "uint16 int32", "first cluster", "rows",
        "rows of each cluster; only where block is there",
        box="asset", world="lattice", optional=True, needs="layer_nodes", least=1, sums="row"),
    _column("cluster_transitions", "uint16 int32", "first cluster", "transitions",
        "transitions of the first layer in each cluster; only where block is there",
        box="asset", world="lattice", optional=True, needs="layer_nodes", least=0),
    _column("step_range", "int32", "slant, bound", "ticks",
        "cost of the cheapest and of the most expensive step, straight and diagonal (on hexagonal "
        "grids: in the coordinates in which runs are straight); 0 = there is none; only where "
        "block is there",
        box="asset", world="lattice", optional=True, needs="layer_nodes", least=0, most=MAX_WEIGHT),
    _column("layer_nodes", "int32", "layer", "transitions",
        "transitions of each layer, lowest layer first; columns by transition or layer arc hold"
        " those of one layer after another", optional=True, sums="transition"),
    _column("layer_clusters", "int32", "layer", "clusters",
        "clusters of each layer; the first layer's are those of column cluster",
        optional=True, least=0),
    _column("layer_bits", "uint8", "layer", "bits",
        "bits of a slot in the first layer's fields: 4, 8 or 16; 0 = it has none, as all other "
        "layers have", optional=True, one_of=(0, 4, 8, 16)),
    _column("layer_parent", "uint16 int32", "lower cluster", "cluster",
        "cluster of the next layer that each cluster of all layers but the last is part of",
        optional=True, least=0),
    _column("layer_node", "uint16 int32", "transition", "row or transition",
        "row of a transition of the first layer; of any other layer its number in the layer "
        "below, from 0. By cluster, within one ascending", optional=True, least=0),
    _column("layer_degree", "uint16 int32", "transition", "arcs",
        "arcs that leave the transition in its layer", optional=True, sums="layer arc"),
    _column("layer_head", "uint16 int32", "layer arc", "transition",
        "transition the arc leads to, numbered from 0 in its layer; ascending. An arc inside a "
        "cluster stands for a shortest path in there, one between clusters for an arc below",
        optional=True, least=0),
    _column("layer_weight", "int32", "layer arc", "ticks",
        "cost of the arc", optional=True, least=1, most=MAX_WEIGHT),
    _column("layer_field", "uint8", "field byte", "slots",
        "slot of the arc to take toward a transition of the first layer, for each transition and "
        "each row of its cluster in order; all ones = no path or already there. Fields begin at "
        "whole bytes, lower bits first", optional=True, shuffle=False, encoding="packed slots"),
    _column("layer_landmark", "int32", "first transition, landmark", "ticks",
        "cost of the way to every transition of the first layer from each landmark of the "
        "connected part that it lies in; 2147483647 where there is none", optional=True, least=0),
    _column("cluster_distance", "uint32", "cluster pair", "folded differences in ticks",
        "smallest distance d[i, j] from a row of cluster i to one of cluster j, 2147483647 where "
        "there is no path; stored for each is d[i, j] - d[i - 1, j] - d[i, j - 1] + "
        "d[i - 1, j - 1], absent ones 0, modulo 2^32: 2e for a difference e, -2e - 1 where it is "
        "negative. Row after row; where all are alike both ways only j <= i",
        box="asset", optional=True, needs="cluster", encoding="folded second differences"),
    _column("pivot_distance", "int32", "row, pivot column", "ticks",
        "distance between the row and a pivot; where pivot_two_way is 0 the first half of the "
        "columns are distances to pivots, the second half distances from the same pivots. Where"
        " there is no path stands the largest distance of the column",
        box="asset", optional=True, least=0),
)
# fmt: on
