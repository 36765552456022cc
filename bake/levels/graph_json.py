"""Read explicit graphs in networkx node-link form, as ``networkx.node_link_data`` writes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, cast

import numpy as np
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    SkipValidation,
    WithJsonSchema,
)

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.core.level import GraphLevel, TerrainRule
from bake.levels.reading.files import check_version
from bake.levels.reading.limits import MAX_COST, check_terrain_count
from bake.levels.reading.mistakes import Mistake, Where, is_plain_text, one_of, shown
from bake.levels.reading.models import (
    StrictModel,
    Terrains,
    build_schema,
    terrain_rules,
    validated,
)

#: The terrain of nodes that name no terrain.
_DEFAULT_TERRAIN = "ground"
VERSION = 1

_MAX_ID = 2**63
_T = TypeVar("_T")


def _validate_id(value: object) -> str | int:
    if type(value) is not str and type(value) is not int:
        raise Mistake(
            f"found {shown(value)}",
            "a string or a whole number",
            "relabel the nodes, as networkx.convert_node_labels_to_integers does",
        )
    if isinstance(value, int) and not -_MAX_ID <= value < _MAX_ID:
        raise Mistake(f"found {shown(value)}", "a number that fits into 64 bits")
    if isinstance(value, str) and not is_plain_text(value):
        raise Mistake(f"found {shown(value)}", "some text without control characters")
    return value


def _check_finite(value: Any) -> float:
    """Return a number as a float; reject booleans and numbers that are not finite."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise Mistake(f"found {shown(value)}", "a finite number")
    return number


def _check_height(value: Any) -> float:
    number = _check_finite(value)
    if abs(number) > MAX_COST:
        raise Mistake(f"found {shown(value)}", f"a finite number, at most {MAX_COST:g}")
    return number


def _check_pair_or_triple(value: object) -> object:
    if not isinstance(value, list) or len(value) not in (2, 3):
        text = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
        raise Mistake(f"found {text}", "[x, y], or [x, y, z]")
    return value


def _check_weight(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MAX_COST:
        raise Mistake(f"the weight is {shown(value)}", f"a number from 0 to {MAX_COST:g}")
    return float(value)


def _check_text(noun: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or not is_plain_text(value):
            raise Mistake(f"found {shown(value)}", f"the name of a {noun}")
        return value

    return check


_ID_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "integer", "minimum": -_MAX_ID, "maximum": _MAX_ID - 1},
    ],
    "description": "id of a node",
}
_NAME_SCHEMA = {"type": "string", "minLength": 1}
_NUMBER_SCHEMA = {"type": "number"}
_Number = Annotated[float, PlainValidator(_check_finite), WithJsonSchema(_NUMBER_SCHEMA)]
_Coordinate = Annotated[float | None, PlainValidator(_check_finite), WithJsonSchema(_NUMBER_SCHEMA)]
#: An end of an edge; `_end` checks that it is the id of a node.
_End = Annotated[Any, WithJsonSchema(_ID_SCHEMA)]


class _Part(BaseModel):
    """A model that ignores unknown attributes."""

    model_config = ConfigDict(strict=True, frozen=True)


class Node(_Part):
    """A node; unknown attributes are ignored."""

    model_config = ConfigDict(
        json_schema_extra={"dependentRequired": {"x": ["y"], "y": ["x"]}},
    )

    id: Annotated[str | int, PlainValidator(_validate_id), WithJsonSchema(_ID_SCHEMA)]
    x: _Coordinate = Field(default=None, description="position to the right")
    y: _Coordinate = Field(default=None, description="position downwards")
    z: Annotated[
        float | None,
        PlainValidator(_check_height),
        WithJsonSchema({"type": "number", "minimum": -MAX_COST, "maximum": MAX_COST}),
    ] = Field(default=None, description="elevation of the node; all nodes have it, or none")
    pos: Annotated[list[_Number], BeforeValidator(_check_pair_or_triple)] = Field(
        default=[],
        min_length=2,
        max_length=3,
        description="position as [x, y] or [x, y, z], instead of x, y and z",
    )
    terrain: Annotated[
        str, PlainValidator(_check_text("terrain")), WithJsonSchema(_NAME_SCHEMA)
    ] = Field(
        default=_DEFAULT_TERRAIN,
        description=f'name of the node\'s terrain; "{_DEFAULT_TERRAIN}" without it',
    )
    region: Annotated[
        str | None, PlainValidator(_check_text("region")), WithJsonSchema(_NAME_SCHEMA)
    ] = Field(default=None, description="name of the region the node is part of; none without it")


class Edge(_Part):
    """An edge; unknown attributes are ignored."""

    source: _End
    target: _End
    weight: Annotated[
        float,
        PlainValidator(_check_weight),
        WithJsonSchema({"type": "number", "minimum": 0, "maximum": MAX_COST}),
    ] = Field(
        default=1.0, description="length of the edge in units; 1 without it, and 0 is one tick"
    )


class GraphTable(_Part):
    """The attributes of the graph; unknown ones are ignored."""

    terrains: Terrains = Field(
        default={}, description="costs by terrain; names every terrain of the nodes"
    )


#: Nodes and edges are validated one by one: a file may have millions, and models take memory.
_Edges = Annotated[
    SkipValidation[list[Edge]],
    Field(
        default=[],
        description="the edges; the cheapest of parallel edges is used, self-loops are ignored",
    ),
]


class _GraphFile(StrictModel):
    """An explicit graph in networkx node-link form."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["edges"]}, {"required": ["links"]}]}
    )

    format: Literal["bake-graph"] = Field(
        default="bake-graph", description="names the format; optional"
    )
    version: Literal[1] = Field(default=1, description="version of the format; optional")
    directed: bool = Field(
        default=False,
        description="whether edges are directed from source to target; false without it",
    )
    multigraph: bool = Field(
        default=True,
        description="whether several edges may join the same nodes; true without it",
    )
    graph: GraphTable = Field(default=GraphTable(), description="attributes of the graph")
    nodes: SkipValidation[list[Node]] = Field(
        min_length=1, description="the nodes; their ids are all strings or all whole numbers"
    )
    edges: _Edges
    links: _Edges


def read_graph(path: Path, document: dict[str, object]) -> GraphLevel:
    """Read a graph from a parsed file.

    Of parallel arcs only the cheapest remains, in the position of the first one. Self-loops shorten
    no path and are dropped. Unknown attributes are ignored.

    Args:
        path: the file, for names and errors.
        document: the parsed JSON, an object with "nodes" and "edges" or "links".

    Raises:
        LevelError: the document has one mistake.
        BakeErrors: it has several mistakes, each with its own line.
    """
    top = Where(path)
    if "version" in document:
        check_version(top, document["version"], VERSION)
    file = validated(_GraphFile, document, top)
    where = top.inside("graph", "terrains")
    rules, colors = terrain_rules(file.graph.terrains, where)
    nodes = _read_nodes(top, file.nodes, tuple(file.graph.terrains))
    if _DEFAULT_TERRAIN in nodes.terrains:
        # By default, an arc over ground costs its length.
        rules.setdefault(_DEFAULT_TERRAIN, TerrainRule(cost=1.0))
    tail, head, length = _build_arcs(top, file, nodes)
    return GraphLevel(
        name=path.stem,
        source=path,
        node_names=cast("tuple[str, ...] | tuple[int, ...]", tuple(nodes.number)),  # as checked
        position=nodes.position,
        tail=tail,
        head=head,
        length=length,
        node_terrain=nodes.terrain,
        terrains=nodes.terrains,
        directed=file.directed,
        region_names=nodes.regions,
        node_region=nodes.region,
        elevation=nodes.elevation,
        terrain_rules=rules,
        colours=colors,
    )


@dataclass(frozen=True)
class _Nodes:
    number: dict[str | int, int]
    kind: type
    position: Float64Array | None
    elevation: Float64Array | None
    terrain: UInt8Array
    terrains: tuple[str, ...]
    region: Int32Array
    regions: tuple[str, ...]


def _check_list(items: object, where: Where) -> list[Any]:
    if not isinstance(items, list):
        where.refuse(f"found {shown(items)}", "a list of objects")
    return items


def _read_nodes(top: Where, items: object, declared: tuple[str, ...]) -> _Nodes:
    nodes = _check_list(items, top.inside("nodes"))
    if not nodes:
        top.inside("nodes").refuse(
            "the level is empty, the graph has no nodes", "at least one node"
        )
    kind: type = str
    number: dict[str | int, int] = {}
    terrains = {name: code for code, name in enumerate(declared)}
    regions: dict[str, int] = {}
    terrain, region = [], []
    positions: list[tuple[float, float] | None] = []
    heights: list[float | None] = []
    for row, item in enumerate(nodes):
        where = top.inside("nodes", row)
        node = validated(Node, item, where)
        kind = kind if row else type(node.id)
        _check_id(node, kind, number.setdefault(node.id, row), where)
        if declared and node.terrain not in terrains:
            where.inside("terrain").refuse(
                f"the terrain {shown(node.terrain)} is not among the graph's terrains"
                if "terrain" in node.model_fields_set
                else f'the node names no terrain, so it is "{_DEFAULT_TERRAIN}", '
                "which is not among the graph's terrains",
                one_of(terrains),
                "add it to graph.terrains",
            )
        # A terrain number must fit a byte; the count is checked after all nodes are read.
        terrain.append(min(terrains.setdefault(node.terrain, len(terrains)), 255))
        region.append(-1 if node.region is None else regions.setdefault(node.region, len(regions)))
        positions.append(_read_position(node, where))
        heights.append(_read_elevation(node, where))
    check_terrain_count(top.file, len(terrains), "nodes")
    return _Nodes(
        number=number,
        kind=kind,
        position=_build_column(top, positions, "position", "a position"),
        elevation=_build_column(top, heights, "z", "z"),
        terrain=np.array(terrain, dtype=np.uint8),
        terrains=tuple(terrains),
        region=np.array(region, dtype=np.int32),
        regions=tuple(regions),
    )


def _check_id(node: Node, kind: type, first: int, where: Where) -> None:
    """Raise if an id is repeated, or if its type differs from the first id."""
    if type(node.id) is not kind:
        where.inside("id").refuse(
            f"found {shown(node.id)}, though nodes[0] has "
            f"{'a string' if kind is str else 'a whole number'}",
            "ids that are all strings or all whole numbers",
        )
    if first != where.steps[-1]:
        problem = f"{shown(node.id)} is the id of nodes[{first}] already"
        where.inside("id").refuse(problem, "each id once")


def _build_column(
    top: Where, values: Sequence[_T | None], noun: str, expected: str
) -> Float64Array | None:
    """Return the values of all nodes as a float64 array, or None if no node has a value."""
    rows = [row for row, value in enumerate(values) if value is not None]
    if not rows:
        return None
    if len(rows) < len(values):
        top.inside("nodes", values.index(None)).refuse(
            f"the node has no {noun}, though nodes[{rows[0]}] has one",
            f"{expected} for all nodes or for none",
        )
    return np.array(values, dtype=np.float64)


def _read_position(node: Node, where: Where) -> tuple[float, float] | None:
    if node.x is None and node.y is None:
        return (node.pos[0], node.pos[1]) if node.pos else None
    if node.x is None or node.y is None:
        missing = where.inside("x" if node.x is None else "y")
        missing.refuse("this key is missing", "both x and y")
    if node.pos and [node.x, node.y] != node.pos[:2]:
        where.inside("pos").refuse("pos differs from x and y", "one position")
    return node.x, node.y


def _read_elevation(node: Node, where: Where) -> float | None:
    third = node.pos[2] if len(node.pos) == 3 else None
    if node.z is not None and third is not None and third != node.z:
        where.inside("pos").refuse("pos differs from z", "one position")
    return third if node.z is None else node.z


def _build_arcs(
    top: Where, file: _GraphFile, nodes: _Nodes
) -> tuple[Int32Array, Int32Array, Float64Array]:
    """Return tail, head and length of each arc, in the order of the file's edges."""
    keys = [key for key in ("edges", "links") if key in file.model_fields_set]
    if not keys:
        top.inside("edges").refuse("this key is missing", "a list of objects")
    if len(keys) > 1:
        top.inside("links").refuse('both "edges" and "links" are given', "one of them")
    key = keys[0]
    edges = _check_list(getattr(file, key), top.inside(key))
    ends = np.empty((len(edges), 2), dtype=np.int64)
    weight = np.empty(len(edges), dtype=np.float64)
    for row, item in enumerate(edges):
        where = top.inside(key, row)
        edge = validated(Edge, item, where)
        ends[row] = _find_end(edge, "source", nodes, where), _find_end(edge, "target", nodes, where)
        weight[row] = edge.weight

    proper = np.flatnonzero(ends[:, 0] != ends[:, 1])
    tail, head, length, edge_of = ends[proper, 0], ends[proper, 1], weight[proper], proper
    if not file.directed:
        tail, head = np.stack((tail, head), 1).ravel(), np.stack((head, tail), 1).ravel()
        length, edge_of = np.repeat(length, 2), np.repeat(edge_of, 2)

    pair, first, group = np.unique(
        tail * len(nodes.number) + head, return_index=True, return_inverse=True
    )
    if len(pair) < len(tail) and not file.multigraph:
        repeated = np.flatnonzero(first[group] != np.arange(len(tail)))[0]
        earlier = edge_of[first[group[repeated]]]
        top.inside(key, int(edge_of[repeated])).refuse(
            f"this edge joins the same nodes as {key}[{earlier}]",
            "each edge once, as multigraph is false",
        )
    cheapest = np.full(len(pair), np.inf)
    np.minimum.at(cheapest, group, length)
    order = np.argsort(first)
    arc = first[order]
    return tail[arc].astype(np.int32), head[arc].astype(np.int32), cheapest[order]


def _find_end(edge: Edge, which: str, nodes: _Nodes, where: Where) -> int:
    name = getattr(edge, which)
    # Compare the type first: True equals 1, and a list is not hashable.
    if type(name) is not nodes.kind or name not in nodes.number:
        where.inside(which).refuse(f"{shown(name)} is not the id of a node", "the id of a node")
    return nodes.number[name]


def graph_schema() -> dict[str, Any]:
    """Return the JSON Schema of explicit graphs, for editors and generators.

    A schema cannot say that ids are unique and that edges join known nodes.
    """
    return build_schema(_GraphFile, "bake graph level, version 1")
