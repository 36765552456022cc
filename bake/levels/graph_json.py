"""Read explicit graphs in networkx node-link form, as ``networkx.node_link_data`` writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from bake.arrays import Float64Array, Int32Array, UInt8Array
from bake.level import Colour, GraphLevel, TerrainRule
from bake.levels.reading.files import check_version
from bake.levels.reading.limits import MAX_COST, check_terrain_count
from bake.levels.reading.mistakes import Where, is_plain_text, one_of, shown
from bake.levels.reading.models import (
    SCHEMA_DRAFT,
    TERRAINS,
    terrain_rules,
    tidied,
    validated,
)

GRAPH_FORMAT = "bake-graph"
#: The terrain of nodes that name no terrain.
DEFAULT_TERRAIN = "ground"
VERSION = 1

KEYS = ("format", "version", "directed", "multigraph", "graph", "nodes", "edges", "links")

_MAX_ID = 2**63
_ABSENT = object()


def read_graph(path: Path, document: Mapping[str, object]) -> GraphLevel:
    """Read a graph from a parsed file.

    Of several arcs from one node to another the cheapest is kept, in the place of the first.
    Self-loops shorten no path and are left out. Attributes that mean nothing here are ignored.

    Args:
        path: the file, for names and errors.
        document: its value, an object with "nodes" and "edges" or "links".

    Raises:
        LevelError: there is a mistake in it.
        BakeErrors: there are several mistakes in the costs of terrains.
    """
    return _Reader(path, document).level()


@dataclass(frozen=True)
class _Nodes:
    names: tuple[str, ...] | tuple[int, ...]
    number: dict[str | int, int]
    kind: type
    position: Float64Array | None
    elevation: Float64Array | None
    terrain: UInt8Array
    terrains: tuple[str, ...]
    region: Int32Array
    regions: tuple[str, ...]


class _Reader:
    """Reads one file; every step can say where a mistake is."""

    def __init__(self, path: Path, document: Mapping[str, object]) -> None:
        self.path = path
        self.top = Where(path)
        self.document = document

    def refuse(
        self, found: str, *place: str | int, expected: str, remedy: str | None = None
    ) -> NoReturn:
        self.top.inside(*place).refuse(found, expected, remedy)

    def level(self) -> GraphLevel:
        for key in self.document:
            if key not in KEYS:
                self.refuse("unknown key", key, expected=f"one of {', '.join(KEYS)}")
        if "version" in self.document:
            check_version(self.top, self.document["version"], VERSION)
        directed = self.flag("directed", default=False)
        parallel = self.flag("multigraph", default=True)
        rules, colours, declared = self.terrains()
        nodes = self.nodes(declared)
        if DEFAULT_TERRAIN in nodes.terrains:
            # Ground costs what the arc says unless the file or the recipe says otherwise.
            rules.setdefault(DEFAULT_TERRAIN, TerrainRule(cost=1.0))
        tail, head, length = self.arcs(nodes, directed, parallel)
        return GraphLevel(
            name=self.path.stem,
            source=self.path,
            node_names=nodes.names,
            position=nodes.position,
            tail=tail,
            head=head,
            length=length,
            node_terrain=nodes.terrain,
            terrains=nodes.terrains,
            directed=directed,
            region_names=nodes.regions,
            node_region=nodes.region,
            elevation=nodes.elevation,
            terrain_rules=rules,
            colours=colours,
        )

    def flag(self, key: str, *, default: bool) -> bool:
        value = self.document.get(key, default)
        if not isinstance(value, bool):
            self.refuse(f"found {shown(value)}", key, expected="true or false")
        return value

    def objects(self, key: str) -> list[dict[str, object]]:
        """Return the list of objects under a key."""
        if key not in self.document:
            self.refuse("this key is missing", key, expected="a list of objects")
        items = self.document[key]
        if not isinstance(items, list):
            self.refuse(f"found {shown(items)}", key, expected="a list of objects")
        for at, item in enumerate(items):
            if type(item) is not dict:
                self.refuse(f"found {shown(item)}", key, at, expected="an object")
        return items

    def terrains(self) -> tuple[dict[str, TerrainRule], dict[str, Colour], tuple[str, ...]]:
        attributes = self.document.get("graph", {})
        if not isinstance(attributes, dict):
            self.refuse(f"found {shown(attributes)}", "graph", expected="an object")
        if "terrains" not in attributes:
            return {}, {}, ()
        where = self.top.inside("graph", "terrains")
        terrains = validated(TERRAINS.validate_python, attributes["terrains"], where)
        rules, colours = terrain_rules(terrains, where)
        return rules, colours, tuple(terrains)

    def nodes(self, declared: tuple[str, ...]) -> _Nodes:
        items = self.objects("nodes")
        if not items:
            self.refuse(
                "the level is empty, the graph has no nodes", "nodes", expected="at least one node"
            )
        kind = type(items[0].get("id"))
        number: dict[str | int, int] = {}
        terrain_number = {name: code for code, name in enumerate(declared)}
        terrain: list[int] = []
        regions: dict[str, int] = {}
        region: list[int] = []
        for at, item in enumerate(items):
            name = self.node_id(item, at, kind)
            first = number.setdefault(name, at)
            if first != at:
                self.refuse(
                    f"{shown(name)} is the id of nodes[{first}] already",
                    *("nodes", at, "id"),
                    expected="each id once",
                )
            terrain.append(self.node_terrain(item, at, terrain_number, bool(declared)))
            region.append(self.node_region(item, at, regions))
        check_terrain_count(self.path, len(terrain_number), "nodes")
        return _Nodes(
            names=cast("tuple[str, ...] | tuple[int, ...]", tuple(number)),  # as checked
            number=number,
            kind=kind,
            position=self.positions(items),
            elevation=self.elevations(items),
            terrain=np.array(terrain, dtype=np.uint8),
            terrains=tuple(terrain_number),
            region=np.array(region, dtype=np.int32),
            regions=tuple(regions),
        )

    def node_id(self, item: dict[str, object], at: int, kind: type) -> str | int:
        place = ("nodes", at, "id")
        if "id" not in item:
            self.refuse("this key is missing", *place, expected="a string or a whole number")
        name = item["id"]
        if type(name) is not str and type(name) is not int:
            self.refuse(
                f"found {shown(name)}",
                *place,
                expected="a string or a whole number",
                remedy="relabel the nodes, as networkx.convert_node_labels_to_integers does",
            )
        if type(name) is not kind:
            self.refuse(
                f"found {shown(name)}, though nodes[0] has "
                f"{'a string' if kind is str else 'a whole number'}",
                *place,
                expected="ids that are all strings or all whole numbers",
            )
        if isinstance(name, int) and not -_MAX_ID <= name < _MAX_ID:
            self.refuse(f"found {shown(name)}", *place, expected="a number that fits into 64 bits")
        if isinstance(name, str) and not is_plain_text(name):
            self.refuse(
                f"found {shown(name)}", *place, expected="some text without control characters"
            )
        return name

    def node_terrain(
        self, item: dict[str, object], at: int, number: dict[str, int], declared: bool
    ) -> int:
        """Return the number of a node's terrain, a new one unless the file declares them all."""
        name = item.get("terrain", DEFAULT_TERRAIN)
        place = ("nodes", at, "terrain")
        if not isinstance(name, str) or not is_plain_text(name):
            self.refuse(f"found {shown(name)}", *place, expected="the name of a terrain")
        if declared and name not in number:
            self.refuse(
                f"the terrain {shown(name)} is not among the graph's terrains"
                if "terrain" in item
                else f'the node names no terrain, so it is "{DEFAULT_TERRAIN}", '
                "which is not among the graph's terrains",
                *place,
                expected=one_of(number),
                remedy="add it to graph.terrains",
            )
        # The number is cut to what one byte holds; the count is checked once all nodes are read.
        return min(number.setdefault(name, len(number)), 255)

    def node_region(self, item: dict[str, object], at: int, number: dict[str, int]) -> int:
        """Return the number of a node's region, a new one for a new name; -1 = it names none."""
        if "region" not in item:
            return -1
        name = item["region"]
        if not isinstance(name, str) or not is_plain_text(name):
            self.refuse(
                f"found {shown(name)}", *("nodes", at, "region"), expected="the name of a region"
            )
        return number.setdefault(name, len(number))

    def positions(self, items: list[dict[str, object]]) -> Float64Array | None:
        found = [self.position(item, at) for at, item in enumerate(items)]
        given = [position for position in found if position is not None]
        if not given:
            return None
        if len(given) < len(found):
            missing = found.index(None)
            example = next(at for at, position in enumerate(found) if position is not None)
            self.refuse(
                f"the node has no position, though nodes[{example}] has one",
                *("nodes", missing),
                expected="a position for all nodes or for none",
            )
        return np.array(given, dtype=np.float64)

    def position(self, item: dict[str, object], at: int) -> tuple[float, float] | None:
        by_name: tuple[float, float] | None = None
        if "x" in item or "y" in item:
            by_name = (self.coordinate(item, at, "x"), self.coordinate(item, at, "y"))
        if "pos" not in item:
            return by_name
        place = ("nodes", at, "pos")
        pair = item["pos"]
        if not isinstance(pair, list) or len(pair) not in (2, 3):
            self.refuse(
                f"found a list of {len(pair)}"
                if isinstance(pair, list)
                else f"found {shown(pair)}",
                *place,
                expected="[x, y], or [x, y, z]",
            )
        values = [finite(value) for value in pair]
        for axis, value in enumerate(values):
            if value is None:
                self.refuse(f"found {shown(pair[axis])}", *place, axis, expected="a finite number")
        position = (values[0] or 0.0, values[1] or 0.0)
        if by_name is not None and by_name != position:
            self.refuse("pos differs from x and y", *place, expected="one position")
        return position

    def elevations(self, items: list[dict[str, object]]) -> Float64Array | None:
        """Return z of all nodes; None where no node has one."""
        found = [self.elevation(item, at) for at, item in enumerate(items)]
        given = [z for z in found if z is not None]
        if not given:
            return None
        if len(given) < len(found):
            missing = found.index(None)
            example = next(at for at, z in enumerate(found) if z is not None)
            self.refuse(
                f"the node has no z, though nodes[{example}] has one",
                *("nodes", missing),
                expected="z for all nodes or for none",
            )
        return np.array(given, dtype=np.float64)

    def elevation(self, item: dict[str, object], at: int) -> float | None:
        pair = item.get("pos")
        third = pair[2] if isinstance(pair, list) and len(pair) == 3 else None
        if "z" not in item:
            return None if third is None else finite(third)
        z = finite(item["z"])
        if z is None or abs(z) > MAX_COST:
            self.refuse(
                f"found {shown(item['z'])}",
                *("nodes", at, "z"),
                expected=f"a finite number, at most {MAX_COST:g}",
            )
        if third is not None and finite(third) != z:
            self.refuse("pos differs from z", *("nodes", at, "pos"), expected="one position")
        return z

    def coordinate(self, item: dict[str, object], at: int, axis: str) -> float:
        if axis not in item:
            self.refuse("this key is missing", *("nodes", at, axis), expected="both x and y")
        value = finite(item[axis])
        if value is None:
            self.refuse(
                f"found {shown(item[axis])}", *("nodes", at, axis), expected="a finite number"
            )
        return value

    def arcs(
        self, nodes: _Nodes, directed: bool, parallel: bool
    ) -> tuple[Int32Array, Int32Array, Float64Array]:
        """Return tail, head and length of each arc, in the order of the file's edges."""
        if "edges" in self.document and "links" in self.document:
            self.refuse('both "edges" and "links" are given', "links", expected="one of them")
        key = "links" if "links" in self.document else "edges"
        edges = self.objects(key)
        ends = np.empty((len(edges), 2), dtype=np.int64)
        weight = np.empty(len(edges), dtype=np.float64)
        for at, edge in enumerate(edges):
            ends[at, 0] = self.end(edge, nodes, key, at, "source")
            ends[at, 1] = self.end(edge, nodes, key, at, "target")
            weight[at] = self.weight(edge, key, at)

        kept = np.flatnonzero(ends[:, 0] != ends[:, 1])
        tail, head, length, edge_of = ends[kept, 0], ends[kept, 1], weight[kept], kept
        if not directed:
            tail, head = np.stack((tail, head), 1).ravel(), np.stack((head, tail), 1).ravel()
            length, edge_of = np.repeat(length, 2), np.repeat(edge_of, 2)

        pair, first, which = np.unique(
            tail * len(nodes.names) + head, return_index=True, return_inverse=True
        )
        if len(pair) < len(tail) and not parallel:
            repeated = np.flatnonzero(first[which] != np.arange(len(tail)))[0]
            earlier = edge_of[first[which[repeated]]]
            self.refuse(
                f"this edge joins the same nodes as {key}[{earlier}]",
                *(key, int(edge_of[repeated])),
                expected="each edge once, as multigraph is false",
            )
        cheapest = np.full(len(pair), np.inf)
        np.minimum.at(cheapest, which, length)
        order = np.argsort(first)
        arc = first[order]
        return tail[arc].astype(np.int32), head[arc].astype(np.int32), cheapest[order]

    def end(self, edge: dict[str, object], nodes: _Nodes, key: str, at: int, which: str) -> int:
        name = edge.get(which, _ABSENT)
        # The kind is compared first: true would be found among numbers, lists cannot be looked up.
        if type(name) is nodes.kind and name in nodes.number:
            return nodes.number[name]
        if name is _ABSENT:
            self.refuse("this key is missing", *(key, at, which), expected="the id of a node")
        self.refuse(
            f"{shown(name)} is not the id of a node", *(key, at, which), expected="the id of a node"
        )

    def weight(self, edge: dict[str, object], key: str, at: int) -> float:
        if "weight" not in edge:
            return 1.0
        weight = finite(edge["weight"])
        if weight is None or not 0 < weight <= MAX_COST:
            self.refuse(
                f"the weight is {shown(edge['weight'])}",
                *(key, at, "weight"),
                expected=f"a number above 0, at most {MAX_COST:g}",
            )
        return weight


def finite(value: object) -> float | None:
    """Return the value as a float, or None where it is not a finite number; true is not one."""
    if type(value) is not int and type(value) is not float:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def graph_schema() -> dict[str, Any]:
    """Make the JSON Schema of explicit graphs, for editors and generators.

    A schema cannot say that ids are unique and that edges join known nodes.
    """
    terrains = tidied(TERRAINS.json_schema())
    definitions = terrains.pop("$defs")
    edges = {
        "type": "array",
        "description": "the edges; of parallel ones the cheapest counts, self-loops never do",
        "items": {"$ref": "#/$defs/Edge"},
    }
    return {
        "$schema": SCHEMA_DRAFT,
        "title": "bake graph level, version 1",
        "description": "An explicit graph in networkx node-link form.",
        "type": "object",
        "additionalProperties": False,
        "required": ["nodes"],
        "oneOf": [{"required": ["edges"]}, {"required": ["links"]}],
        "properties": {
            "format": {"const": GRAPH_FORMAT, "description": "names the format; optional"},
            "version": {"const": VERSION, "description": "version of the format; optional"},
            "directed": {
                "type": "boolean",
                "default": False,
                "description": "whether edges lead one way, from source to target",
            },
            "multigraph": {
                "type": "boolean",
                "default": True,
                "description": "whether several edges may join the same nodes",
            },
            "graph": {
                "type": "object",
                "description": "attributes of the graph; others than these are ignored",
                "properties": {
                    "terrains": {
                        **terrains,
                        "description": "costs by terrain; names every terrain of the nodes",
                    }
                },
            },
            "nodes": {
                "type": "array",
                "minItems": 1,
                "description": "the nodes; their ids are all strings or all whole numbers",
                "items": {"$ref": "#/$defs/Node"},
            },
            "edges": edges,
            "links": edges,
        },
        "$defs": {
            "Node": {
                "type": "object",
                "description": "attributes other than these are ignored",
                "required": ["id"],
                "dependentRequired": {"x": ["y"], "y": ["x"]},
                "properties": {
                    "id": {"$ref": "#/$defs/Id"},
                    "x": {"type": "number", "description": "position to the right"},
                    "y": {"type": "number", "description": "position downwards"},
                    "z": {
                        "type": "number",
                        "minimum": -MAX_COST,
                        "maximum": MAX_COST,
                        "description": "how high the node lies; all nodes have it, or none",
                    },
                    "pos": {
                        "type": "array",
                        "items": {"type": "number"},
                        "minItems": 2,
                        "maxItems": 3,
                        "description": "position as [x, y] or [x, y, z], instead of x, y and z",
                    },
                    "terrain": {
                        "type": "string",
                        "minLength": 1,
                        "default": DEFAULT_TERRAIN,
                        "description": "name of the node's terrain",
                    },
                    "region": {
                        "type": "string",
                        "minLength": 1,
                        "description": "name of the region the node is part of; none without it",
                    },
                },
            },
            "Edge": {
                "type": "object",
                "description": "attributes other than these are ignored",
                "required": ["source", "target"],
                "properties": {
                    "source": {"$ref": "#/$defs/Id"},
                    "target": {"$ref": "#/$defs/Id"},
                    "weight": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "maximum": MAX_COST,
                        "default": 1,
                        "description": "length of the edge in units",
                    },
                },
            },
            "Id": {
                "anyOf": [
                    {"type": "string", "minLength": 1},
                    {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
                ],
                "description": "id of a node",
            },
            **definitions,
        },
    }
