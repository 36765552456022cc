"""Copy the columns of an asset into those of a flat file, and add what spares small readers work.

A price that follows from more than terrain is in no table of classes: that of a slope, and of a
turn. The cells of such a grid become the nodes of a graph, whose arcs state their prices, so no
reader has to know what these are made of.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.asset import Asset
from bake.asset.column import profile_path
from bake.errors import OutputError
from bake.export.hops import hop_columns
from bake.flat.schema import COLUMNS, LEVEL_NUMBERS, PROFILE_NUMBERS, texts
from bake.hexagons import HEX_LAYOUTS
from bake.movement.prices import cost_classes, step_ticks, ticks_of
from bake.movement.rules import CORNER_CUTTING, COST_RULES
from bake.runtime.live.rules import LevelRules, ProfileRules
from bake.runtime.reader.columns import ProfileColumns
from bake.runtime.reader.places import Places
from bake.runtime.reader.points import Points

Columns = dict[str, AnyArray]

#: Columns of profiles that are written where they are asked for, and then may not be missing.
_HIERARCHY = ("cluster", "layer_")


def level_columns(asset: Asset, profiles: Sequence[str]) -> Columns:
    """Return the columns that all profiles share.

    Args:
        profiles: names of the profiles to write, sorted.
    """
    graph, places = asset.graph, Places(asset)
    found: Columns = {
        "name": texts([places.name]),
        "recipe": texts([asset.text("recipe") or ""]),
        "profile_name": texts(list(profiles)),
    }
    world = "graph" if graph.is_listed else "grid"
    for declared in COLUMNS:
        if declared.own or declared.world not in ("both", world):
            continue
        if asset.has(declared.path):
            found[declared.name] = _copied(asset.read(declared.path))
    if not graph.is_listed:
        found |= {"terrain": graph.terrain, "node_at": graph.node_at}
    elif places.is_grid:
        _as_nodes(found, places)
    if "link_name" in found:
        cost = asset.read("/link_cost")[found["link_number"]]
        found["link_ticks"] = ticks_of(cost, places.ticks_per_unit)
    if "price_from" in found:
        found["price_ticks"] = ticks_of(found["price_units"], places.ticks_per_unit)
    return found | {"numbers": _level_numbers(asset, places, found, profiles)}


def _copied(stored: AnyArray) -> AnyArray:
    """Return a column as flat files have it."""
    if stored.dtype.kind == "S":
        return texts([each.decode() for each in stored.tolist()])
    return stored


def _as_nodes(found: Columns, places: Places) -> None:
    """Put nodes into the place of cells: where they lie, what they are called, and their prices."""
    at = places.flat
    for name in ("terrain", "elevation"):
        if name in found:
            found[name] = found[name][at]
    for name in [name for name in found if name.startswith(("region_", "arc_"))]:
        del found[name]
    floor_rows = places.floor_height or max(1, places.height)
    x, y = places.cells_of(at).T
    cell: Int32Array = np.stack([x, y % floor_rows, y // floor_rows], axis=1).astype(np.int32)
    asked = cell[:, : places.dimensions]
    found["cell"] = cell
    found["position"] = np.ascontiguousarray(np.asarray(Points(places).points(asked))[:, :2])
    found["node_name"] = texts([",".join(map(str, each)) for each in asked.tolist()])
    if "price_from" in found:
        node_at = places.asset.graph.node_at
        begins, leads = node_at[found["price_from"]], node_at[found["price_to"]]
        order = np.lexsort((leads, begins))
        found |= {"price_from": begins[order], "price_to": leads[order]}
        found["price_units"] = found["price_units"][order]


def _level_numbers(
    asset: Asset, places: Places, found: Columns, profiles: Sequence[str]
) -> Int32Array:
    grid = not asset.graph.is_listed
    layout = places.hex_layout if grid else None
    count = np.bincount(found["terrain"], minlength=len(found["terrain_name"]))
    costs = [asset.read(profile_path(name, "cost")) for name in profiles]
    count[np.isnan(costs).all(axis=0)] = -1
    said = {
        "kind": {"graph": 0, "square": 1, "hex": 2}[asset.text("kind") or ""] if grid else 0,
        "width": places.width if grid else 0,
        "height": places.height if grid else 0,
        "floors": places.floors if grid else 1,
        "directions": len(asset.graph.lattice.heading) if grid and asset.graph.lattice else 0,
        "hex_layout": 0 if layout is None else 1 + HEX_LAYOUTS.index(layout),
        "corner_cutting": CORNER_CUTTING.index(asset.graph.rules.corner_cutting),
        "cost_rule": COST_RULES.index(asset.graph.rules.cost_rule),
        "ticks_per_unit": places.ticks_per_unit,
        "locations": len(found["terrain"]),
        "nodes": places.node_count,
        "terrains": len(count),
        "profiles": len(profiles),
        "usual_terrain": int(count.argmax()),
    }
    return np.array([said[number.name] for number in LEVEL_NUMBERS], dtype=np.int32)


def profile_columns(asset: Asset, name: str, parts: frozenset[str]) -> Columns:
    """Return all columns of one profile, by name.

    Args:
        name: the profile.
        parts: "distances" and "hierarchy", as far as they are asked for.

    Raises:
        MissingTableError: the asset does not hold what is asked for.
        OutputError: a flat file of this level cannot hold it.
    """
    graph, tables = asset.graph, ProfileColumns(Places(asset), name)
    _check_links(tables)
    cells_are_nodes = graph.is_grid and graph.is_listed
    costs, classes = cost_classes(graph.mover(name).cost)
    row = graph.rows(name)
    row_at = row
    if not graph.is_listed:
        row_at = np.full(len(graph.terrain), -1, dtype=np.int32)
        row_at[graph.place] = row
    found: Columns = {}
    world = "graph" if graph.is_listed else "grid"
    for declared in COLUMNS:
        copied = declared.own and declared.world in ("both", world)
        # Weights of arcs say it, and a turn on the spot may be made on any terrain.
        copied &= not (cells_are_nodes and declared.name in ("may_enter", "slope"))
        copied &= not declared.name.startswith("label_")
        copied &= "hierarchy" in parts or not declared.name.startswith(_HIERARCHY)
        if copied and tables.has(declared.name):
            found[declared.name] = asset.read(profile_path(name, declared.name))
    found |= {"class": classes, "row_at": row_at}
    if not graph.is_listed:
        found["step_ticks"] = step_ticks(costs, graph.rules)
    if tables.has_hops:
        found |= hop_columns(tables, found["run_move"], charted=not cells_are_nodes)
    if "distances" in parts:
        found |= _distances(tables)
    if "hierarchy" in parts and cells_are_nodes:
        raise OutputError(
            "cells are nodes in the flat file of this level, and it holds no hierarchy then",
            file=asset.path,
            expected="next hops and distances alone",
            remedy="leave the hierarchy out, or let the game read the asset",
        )
    if "hierarchy" in parts and not any(each.startswith(_HIERARCHY) for each in found):
        raise tables.missing("hierarchy")
    return found | {"numbers": _profile_numbers(tables, len(costs), "hierarchy" in parts)}


def _check_links(tables: ProfileColumns) -> None:
    """Refuse links that something stands in the way of: a flat file holds their ends alone.

    Raises:
        OutputError: there is such a link.
    """
    rules = LevelRules(tables.places)
    if rules.baked_vias is None:
        return
    mover = ProfileRules(rules, tables.profile)
    closed = mover.takes & ~rules.baked_vias.clear(mover.mover.cost, rules.terrain, None)
    if closed.any():
        raise OutputError(
            f"something stands in the way of link {list(rules.links)[int(closed.argmax())]!r} for "
            f"profile {tables.profile!r}, and a flat file cannot say so",
            file=tables.places.asset.path,
            expected="links that lead from end to end",
            remedy="take the link out of the level, or let the game read the asset",
        )


def _profile_numbers(tables: ProfileColumns, classes: int, with_hierarchy: bool) -> Int32Array:
    asset = tables.places.asset
    mode = asset.text("hierarchy_mode", f"/profiles/{tables.profile}")
    said = {
        "rows": tables.row_count,
        "components": tables.component_count,
        "one_way": int(tables.one_way),
        "says_none": int(tables.one_way and tables.reach is None),
        "size": 1 if asset.graph.is_listed else tables.size,
        "classes": classes,
        "two_way": int(tables.leads_back),
        "hierarchy_mode": int(with_hierarchy and mode is not None),
    }
    return np.array([said[number.name] for number in PROFILE_NUMBERS], dtype=np.int32)


def _distances(tables: ProfileColumns) -> Columns:
    labels = tables.labels
    if labels is None:
        raise tables.missing("distances")
    found: Columns = {
        "label_parent": labels.parent,
        "label_top": labels.chain,
        "first_label": labels.first.astype(np.uint32),
        "label_away": labels.away,
    }
    if labels.toward is not labels.away:
        found["label_toward"] = labels.toward
    return found
