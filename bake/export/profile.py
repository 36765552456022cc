"""Make the columns of a flat file that each profile has of its own."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.asset.column import profile_path
from bake.errors import OutputError
from bake.export.hops import hop_columns
from bake.export.level import Columns, LevelColumns
from bake.flat.schema import COLUMNS, PROFILE_NUMBERS
from bake.movement.prices import cost_classes, step_ticks
from bake.movement.rules import LEVEL_GROUND
from bake.runtime.reader.baked import BakedTables

#: The asset's columns of clusters and hierarchies, which are written as they are.
HIERARCHY = tuple(
    declared.name
    for declared in COLUMNS
    if declared.name == "cluster" or declared.name.startswith("layer_")
)


def profile_columns(level: LevelColumns, name: str, parts: frozenset[str]) -> Columns:
    """Return all columns of one profile, by name.

    Args:
        level: the level.
        name: the profile.
        parts: "distances" and "hierarchy", as far as they are asked for.

    Raises:
        MissingTableError: the asset does not hold what is asked for.
        OutputError: a flat file of this level cannot hold it.
    """
    tables = BakedTables(level.places, name)
    _check_vias(level, name)
    mover = level.movers[name].mover
    costs, classes = cost_classes(mover.cost)
    row_at = np.full(level.location_count, -1, dtype=np.int32)
    row_at[level.at_locations[tables.node]] = np.arange(tables.row_count, dtype=np.int32)
    found: Columns = {
        "numbers": _numbers(level, tables, len(costs), "hierarchy" in parts),
        "cost": mover.cost,
        "class": classes,
        "row_at": row_at,
    }
    # Weights of arcs say it, and a turn on the spot may be made on any terrain.
    if not mover.goes_anywhere and not level.cells_are_nodes:
        found["may_enter"] = mover.allowed.astype(np.uint8)
    if tables.component_count > 1:
        found["component"] = tables.component_of_row
    if tables.reach is not None:
        found["reach"] = tables.reach
    if level.is_grid:
        found["step_ticks"] = step_ticks(costs, level.rules.movement)
        if level.rules.links:
            found["link_open"] = level.movers[name].takes[level.links.link].astype(np.uint8)
    else:
        found["weight"] = tables.weight
    if mover.slope != LEVEL_GROUND and not level.cells_are_nodes:
        found["slope"] = np.array(mover.slope)
    if tables.has_hops:
        found |= hop_columns(tables, level.move_of_arc, level.most_moves, charted=level.is_grid)
    if "distances" in parts:
        found |= _distances(tables)
    if "hierarchy" in parts:
        if level.cells_are_nodes:
            raise OutputError(
                "cells are nodes in the flat file of this level, and it holds no hierarchy then",
                file=level.asset.path,
                expected="next hops and distances alone",
                remedy="leave the hierarchy out, or let the game read the asset",
            )
        found |= _hierarchy(tables)
    return found


def _check_vias(level: LevelColumns, name: str) -> None:
    """Refuse links that something stands in the way of: a flat file holds their ends alone.

    Raises:
        OutputError: there is such a link.
    """
    rules, mover = level.rules, level.movers[name]
    if rules.baked_vias is None:
        return
    closed = mover.takes & ~rules.baked_vias.clear(mover.mover.cost, rules.terrain, None)
    if closed.any():
        raise OutputError(
            f"something stands in the way of link {list(rules.links)[int(closed.argmax())]!r} for "
            f"profile {name!r}, and a flat file cannot say so",
            file=level.asset.path,
            expected="links that lead from end to end",
            remedy="take the link out of the level, or let the game read the asset",
        )


def _numbers(
    level: LevelColumns, tables: BakedTables, classes: int, with_hierarchy: bool
) -> Int32Array:
    mode = level.asset.text("hierarchy_mode", f"/profiles/{tables.profile}")
    said = {
        "rows": tables.row_count,
        "components": tables.component_count,
        "one_way": int(tables.one_way),
        "says_none": int(tables.one_way and tables.reach is None),
        "size": tables.size if level.is_grid else 1,
        "classes": classes,
        "two_way": int(tables.leads_back),
        "hierarchy_mode": int(with_hierarchy and mode is not None),
    }
    return np.array([said[number.name] for number in PROFILE_NUMBERS], dtype=np.int32)


def _distances(tables: BakedTables) -> Columns:
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


def _hierarchy(tables: BakedTables) -> Columns:
    asset = tables.places.asset
    paths = {name: profile_path(tables.profile, name) for name in HIERARCHY}
    found = {name: asset.read(path) for name, path in paths.items() if asset.has(path)}
    if not found:
        raise tables.missing("hierarchy")
    return found
