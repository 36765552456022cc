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
    schema_of,
    terrain_rules,
    validated,
)

#: The terrain of nodes that name no terrain.
_DEFAULT_TERRAIN = "ground"
VERSION = 1

_MAX_ID = 2**63
_T = TypeVar("_T")


def _id(value: object) -> str | int:
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


def _finite(value: Any) -> float:
    """Return a number as a float; true is none, and neither is one of a thousand digits."""
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise Mistake(f"found {shown(value)}", "a finite number")
    return number


def _height(value: Any) -> float:
    number = _finite(value)
    if abs(number) > MAX_COST:
        raise Mistake(f"found {shown(value)}", f"a finite number, at most {MAX_COST:g}")
    return number


def _two_or_three(value: object) -> object:
    if not isinstance(value, list) or len(value) not in (2, 3):
        found = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
        raise Mistake(f"found {found}", "[x, y], or [x, y, z]")
    return value


def _weight(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MAX_COST:
        raise Mistake(f"the weight is {shown(value)}", f"a number from 0 to {MAX_COST:g}")
    return float(value)


def _called(what: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or not is_plain_text(value):
            raise Mistake(f"found {shown(value)}", f"the name of a {what}")
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
_Number = Annotated[float, PlainValidator(_finite), WithJsonSchema(_NUMBER_SCHEMA)]
_Coordinate = Annotated[float | None, PlainValidator(_finite), WithJsonSchema(_NUMBER_SCHEMA)]
#: The end of an edge, which is looked up among the nodes.
_End = Annotated[Any, WithJsonSchema(_ID_SCHEMA)]


class _Part(BaseModel):
    """Attributes other than these are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)


class Node(_Part):
    """Attributes other than these are ignored."""

    model_config = ConfigDict(
        json_schema_extra={"dependentRequired": {"x": ["y"], "y": ["x"]}},
    )

    id: Annotated[str | int, PlainValidator(_id), WithJsonSchema(_ID_SCHEMA)]
    x: _Coordinate = Field(default=None, description="position to the right")
    y: _Coordinate = Field(default=None, description="position downwards")
    z: Annotated[
        float | None,
        PlainValidator(_height),
        WithJsonSchema({"type": "number", "minimum": -MAX_COST, "maximum": MAX_COST}),
    ] = Field(default=None, description="how high the node lies; all nodes have it, or none")
    pos: Annotated[list[_Number], BeforeValidator(_two_or_three)] = Field(
        default=[],
        min_length=2,
        max_length=3,
        description="position as [x, y] or [x, y, z], instead of x, y and z",
    )
    terrain: Annotated[str, PlainValidator(_called("terrain")), WithJsonSchema(_NAME_SCHEMA)] = (
        Field(
            default=_DEFAULT_TERRAIN,
            description=f'name of the node\'s terrain; "{_DEFAULT_TERRAIN}" without it',
        )
    )
    region: Annotated[
        str | None, PlainValidator(_called("region")), WithJsonSchema(_NAME_SCHEMA)
    ] = Field(default=None, description="name of the region the node is part of; none without it")


class Edge(_Part):
    """Attributes other than these are ignored."""

    source: _End
    target: _End
    weight: Annotated[
        float,
        PlainValidator(_weight),
        WithJsonSchema({"type": "number", "minimum": 0, "maximum": MAX_COST}),
    ] = Field(
        default=1.0, description="length of the edge in units; 1 without it, and 0 is one tick"
    )


class GraphTable(_Part):
    """Attributes of the graph; others than these are ignored."""

    terrains: Terrains = Field(
        default={}, description="costs by terrain; names every terrain of the nodes"
    )


#: Nodes and edges are checked one by one: a file may have millions, and their models take memory.
_Edges = Annotated[
    SkipValidation[list[Edge]],
    Field(
        default=[],
        description="the edges; of parallel ones the cheapest counts, self-loops never do",
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
        description="whether edges lead one way, from source to target; false without it",
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

    Of several arcs from one node to another the cheapest is kept, in the place of the first.
    Self-loops shorten no path and are left out. Attributes that mean nothing here are ignored.

    Args:
        path: the file, for names and errors.
        document: its value, an object with "nodes" and "edges" or "links".

    Raises:
        LevelError: there is a mistake in it.
        BakeErrors: there are several mistakes, each with its own line.
    """
    top = Where(path)
    if "version" in document:
        check_version(top, document["version"], VERSION)
    file = validated(_GraphFile, document, top)
    where = top.inside("graph", "terrains")
    rules, colours = terrain_rules(file.graph.terrains, where)
    nodes = _nodes(top, file.nodes, tuple(file.graph.terrains))
    if _DEFAULT_TERRAIN in nodes.terrains:
        # Ground costs what the arc says unless the file or the recipe says otherwise.
        rules.setdefault(_DEFAULT_TERRAIN, TerrainRule(cost=1.0))
    tail, head, length = _arcs(top, file, nodes)
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
        colours=colours,
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


def _listed(items: object, where: Where) -> list[Any]:
    if not isinstance(items, list):
        where.refuse(f"found {shown(items)}", "a list of objects")
    return items


def _nodes(top: Where, items: object, declared: tuple[str, ...]) -> _Nodes:
    nodes = _listed(items, top.inside("nodes"))
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
    for at, item in enumerate(nodes):
        where = top.inside("nodes", at)
        node = validated(Node, item, where)
        kind = kind if at else type(node.id)
        _check_id(node, kind, number.setdefault(node.id, at), where)
        if declared and node.terrain not in terrains:
            where.inside("terrain").refuse(
                f"the terrain {shown(node.terrain)} is not among the graph's terrains"
                if "terrain" in node.model_fields_set
                else f'the node names no terrain, so it is "{_DEFAULT_TERRAIN}", '
                "which is not among the graph's terrains",
                one_of(terrains),
                "add it to graph.terrains",
            )
        # The number is cut to what one byte holds; the count is checked once all nodes are read.
        terrain.append(min(terrains.setdefault(node.terrain, len(terrains)), 255))
        region.append(-1 if node.region is None else regions.setdefault(node.region, len(regions)))
        positions.append(_position(node, where))
        heights.append(_elevation(node, where))
    check_terrain_count(top.file, len(terrains), "nodes")
    return _Nodes(
        number=number,
        kind=kind,
        position=_all_or_none(top, positions, "position", "a position"),
        elevation=_all_or_none(top, heights, "z", "z"),
        terrain=np.array(terrain, dtype=np.uint8),
        terrains=tuple(terrains),
        region=np.array(region, dtype=np.int32),
        regions=tuple(regions),
    )


def _check_id(node: Node, kind: type, first: int, where: Where) -> None:
    """Refuse an id of another kind than the first node's, and one that an earlier node has."""
    if type(node.id) is not kind:
        where.inside("id").refuse(
            f"found {shown(node.id)}, though nodes[0] has "
            f"{'a string' if kind is str else 'a whole number'}",
            "ids that are all strings or all whole numbers",
        )
    if first != where.steps[-1]:
        found = f"{shown(node.id)} is the id of nodes[{first}] already"
        where.inside("id").refuse(found, "each id once")


def _all_or_none(
    top: Where, found: Sequence[_T | None], what: str, expected: str
) -> Float64Array | None:
    """Return what all nodes have as float64; None where no node has it."""
    given = [at for at, each in enumerate(found) if each is not None]
    if not given:
        return None
    if len(given) < len(found):
        top.inside("nodes", found.index(None)).refuse(
            f"the node has no {what}, though nodes[{given[0]}] has one",
            f"{expected} for all nodes or for none",
        )
    return np.array(found, dtype=np.float64)


def _position(node: Node, where: Where) -> tuple[float, float] | None:
    if node.x is None and node.y is None:
        return (node.pos[0], node.pos[1]) if node.pos else None
    if node.x is None or node.y is None:
        missing = where.inside("x" if node.x is None else "y")
        missing.refuse("this key is missing", "both x and y")
    if node.pos and [node.x, node.y] != node.pos[:2]:
        where.inside("pos").refuse("pos differs from x and y", "one position")
    return node.x, node.y


def _elevation(node: Node, where: Where) -> float | None:
    third = node.pos[2] if len(node.pos) == 3 else None
    if node.z is not None and third is not None and third != node.z:
        where.inside("pos").refuse("pos differs from z", "one position")
    return third if node.z is None else node.z


def _arcs(
    top: Where, file: _GraphFile, nodes: _Nodes
) -> tuple[Int32Array, Int32Array, Float64Array]:
    """Return tail, head and length of each arc, in the order of the file's edges."""
    given = [key for key in ("edges", "links") if key in file.model_fields_set]
    if not given:
        top.inside("edges").refuse("this key is missing", "a list of objects")
    if len(given) > 1:
        top.inside("links").refuse('both "edges" and "links" are given', "one of them")
    key = given[0]
    edges = _listed(getattr(file, key), top.inside(key))
    ends = np.empty((len(edges), 2), dtype=np.int64)
    weight = np.empty(len(edges), dtype=np.float64)
    for at, item in enumerate(edges):
        where = top.inside(key, at)
        edge = validated(Edge, item, where)
        ends[at] = _end(edge, "source", nodes, where), _end(edge, "target", nodes, where)
        weight[at] = edge.weight

    kept = np.flatnonzero(ends[:, 0] != ends[:, 1])
    tail, head, length, edge_of = ends[kept, 0], ends[kept, 1], weight[kept], kept
    if not file.directed:
        tail, head = np.stack((tail, head), 1).ravel(), np.stack((head, tail), 1).ravel()
        length, edge_of = np.repeat(length, 2), np.repeat(edge_of, 2)

    pair, first, which = np.unique(
        tail * len(nodes.number) + head, return_index=True, return_inverse=True
    )
    if len(pair) < len(tail) and not file.multigraph:
        repeated = np.flatnonzero(first[which] != np.arange(len(tail)))[0]
        earlier = edge_of[first[which[repeated]]]
        top.inside(key, int(edge_of[repeated])).refuse(
            f"this edge joins the same nodes as {key}[{earlier}]",
            "each edge once, as multigraph is false",
        )
    cheapest = np.full(len(pair), np.inf)
    np.minimum.at(cheapest, which, length)
    order = np.argsort(first)
    arc = first[order]
    return tail[arc].astype(np.int32), head[arc].astype(np.int32), cheapest[order]


def _end(edge: Edge, which: str, nodes: _Nodes, where: Where) -> int:
    name = getattr(edge, which)
    # The kind is compared first: true would be found among numbers, lists cannot be looked up.
    if type(name) is not nodes.kind or name not in nodes.number:
        where.inside(which).refuse(f"{shown(name)} is not the id of a node", "the id of a node")
    return nodes.number[name]


def graph_schema() -> dict[str, Any]:
    """Return the JSON Schema of explicit graphs, for editors and generators.

    A schema cannot say that ids are unique and that edges join known nodes.
    """
    return schema_of(_GraphFile, "bake graph level, version 1")
