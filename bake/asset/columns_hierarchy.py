"""The columns and attributes of a hierarchy: layers of transitions, lowest first, one by one."""

from __future__ import annotations

from bake.asset.columns import PROFILE, Attribute, Column

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute(
        f"/profiles/{PROFILE}",
        "hierarchy_mode",
        "text",
        "hpa: crossings thinned out; exact: every crossing is a transition",
        optional=True,
    ),
    Attribute(
        f"/profiles/{PROFILE}",
        "two_way",
        "flag",
        "1 where every arc leads back at the same weight, else 0",
        optional=True,
    ),
)

COLUMNS: tuple[Column, ...] = (
    Column(
        f"/profiles/{PROFILE}/layer_nodes",
        ("int32",),
        ("layer",),
        "transitions",
        "transitions of each layer, lowest layer first; columns by transition or layer arc hold "
        "those of one layer after another",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_clusters",
        ("int32",),
        ("layer",),
        "clusters",
        "clusters of each layer; the first layer's are those of column cluster",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_bits",
        ("uint8",),
        ("layer",),
        "bits",
        "bits of a slot in the layer's fields: 4, 8 or 16; 0 = it has none",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_parent",
        ("uint16", "int32"),
        ("lower cluster",),
        "cluster",
        "cluster of the next layer that each cluster of all layers but the last is part of",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_node",
        ("uint16", "int32"),
        ("transition",),
        "row or transition",
        "row of a transition of the first layer; of any other layer its number in the layer below, "
        "from 0. By cluster, within one ascending",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_degree",
        ("uint16", "int32"),
        ("transition",),
        "arcs",
        "arcs that leave the transition in its layer",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_head",
        ("uint16", "int32"),
        ("layer arc",),
        "transition",
        "transition the arc leads to, numbered from 0 in its layer; ascending. An arc inside a "
        "cluster stands for a shortest path in there, one between clusters for an arc below",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_weight",
        ("int32",),
        ("layer arc",),
        "ticks",
        "cost of the arc",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_field",
        ("uint8",),
        ("field byte",),
        "slots",
        "for each transition of a layer with fields, for each node below in its cluster in order: "
        "slot of the arc to take toward it, all ones = no way or there. Fields begin at whole "
        "bytes, lower bits first",
        optional=True,
        shuffle=False,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_landmark",
        ("int32",),
        ("first transition", "landmark"),
        "ticks",
        "cost of the way from each landmark to every transition of the first layer; "
        "2147483647 where there is none",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_hop",
        ("uint8", "uint16", "uint32"),
        ("top transition", "top transition"),
        "slot",
        "[from, to] of the last layer: slot of the layer arc to take; all ones: no way. "
        "Empty where the layer is too large for a table",
        optional=True,
    ),
    Column(
        f"/profiles/{PROFILE}/layer_distance",
        ("int32",),
        ("top transition", "top transition"),
        "ticks",
        "[from, to] of the last layer: cost of a shortest way; 2147483647 where there is none",
        optional=True,
    ),
)

TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "hierarchy",
        "layers of transitions between clusters",
        (
            "layer_nodes",
            "layer_clusters",
            "layer_bits",
            "layer_parent",
            "layer_head",
            "layer_weight",
            "layer_landmark",
            "layer_degree",
            "layer_field",
            "layer_hop",
            "layer_distance",
            "layer_node",
        ),
    ),
)
