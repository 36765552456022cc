"""Tables of `bake.toml` about what is baked: next hops, clusters, hierarchy, heuristic."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainValidator, WithJsonSchema

from bake.recipe import (
    MAX_CLUSTER_SIZE,
    MAX_HEURISTIC_BYTES,
    MAX_LEVELS,
    MAX_SPACING,
    MIN_CLUSTER_SIZE,
    MIN_HEURISTIC_BYTES,
    Algorithm,
    HeuristicKind,
    HierarchyMode,
    Storage,
    values,
)
from bake.recipe.shapes import Flag, Table, chosen, whole


class NextHopsTable(Table):
    """How next hops are computed and kept; every choice gives the same answers."""

    algorithm: Annotated[Algorithm | None, chosen(Algorithm)] = Field(
        default=None, description='Default: "auto", by size and density.'
    )
    storage: Annotated[Storage | None, chosen(Storage)] = Field(
        default=None,
        description='Default: "auto", which keeps tables of at most 64 KiB dense and others '
        "compressed into runs.",
    )


class ClustersTable(Table):
    """How places are grouped into clusters."""

    size: Annotated[
        int | None,
        PlainValidator(values.whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE)),
        WithJsonSchema(whole(MIN_CLUSTER_SIZE, MAX_CLUSTER_SIZE)),
    ] = Field(
        default=None,
        description="Side of a cluster in cells; on graphs one has about its square of nodes. "
        "Default: 32.",
    )
    regions: Flag = Field(
        default=None,
        description="Whether regions drawn in a level are clusters; cells outside of them fall "
        "to squares. Default: false.",
    )


class HierarchyTable(Table):
    """Layers of transitions between clusters, for paths by HPA*."""

    mode: Annotated[HierarchyMode | None, chosen(HierarchyMode)] = Field(
        default=None,
        description='"hpa": a few transitions an entrance; "exact": all of them, for shortest '
        'paths; "none". Default: "hpa".',
    )
    spacing: Annotated[
        int | None,
        PlainValidator(values.whole(1, MAX_SPACING)),
        WithJsonSchema(whole(1, MAX_SPACING)),
    ] = Field(
        default=None,
        description="Most steps from one transition of an entrance to the next. Default: 8.",
    )
    levels: Annotated[
        int | str | None,
        PlainValidator(values.whole(1, MAX_LEVELS, "auto")),
        WithJsonSchema({"anyOf": [{"const": "auto"}, whole(1, MAX_LEVELS)]}),
    ] = Field(
        default=None,
        description='Layers, each of clusters twice as wide. Default: "auto", until the last is '
        "small enough for a table.",
    )
    keep_paths: Flag = Field(
        default=None,
        description="Whether ways inside clusters are kept; else they are searched for. "
        "Default: true.",
    )


class HeuristicTable(Table):
    """Lower bounds of distances that guide searches."""

    kind: Annotated[HeuristicKind | None, chosen(HeuristicKind)] = Field(
        default=None,
        description='"field": a table between basins, corrected by fields, and a few pivots; '
        '"landmark": pivots alone, faster to bake. Default: "auto", which is "field" where '
        'tables names "heuristic", and no heuristic where tables is "auto".',
    )
    bytes_per_node: Annotated[
        int | None,
        PlainValidator(values.whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES)),
        WithJsonSchema(whole(MIN_HEURISTIC_BYTES, MAX_HEURISTIC_BYTES)),
    ] = Field(
        default=None,
        description="What the heuristic may take for each place, tables included. Default: 20.",
    )
