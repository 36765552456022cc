"""The columns of a flat file, copied from an asset or derived for small readers.

The price of a slope or a turn depends on more than terrain, so a table of classes cannot hold it.
The cells of such a grid become the nodes of a graph, whose arcs state their prices, so that readers
need not know how these are computed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, UInt16Array
from bake.core.movement import step_ticks, whole_ticks
from bake.play.live.rules import LevelRules
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.hops import RunHops
from bake.play.reader.places import NodePlaces
from bake.store import Asset
from bake.store.columns.numbers import LEVEL_NUMBERS, PROFILE_NUMBERS, Number
from bake.store.flat.write import Columns
from bake.store.graph import LevelGraph
from bake.store.records import as_texts
from bake.store.runs import move_type
from bake.store.schema import FLAT
from levelbake.columns import profile_path
from levelbake.errors import OutputError
from levelbake.file import LEVEL
from levelbake.hops import links_for
from levelbake.places import Points

#: The optional parts of a flat file, each with the prefixes of its columns' names. A part is
#: written whole or not at all: readers reject a part with missing columns.
PARTS = {"distances": ("label_", "first_label"), "hierarchy": ("cluster", "layer_")}


def columns_of(asset: Asset, profiles: Sequence[str], parts: Collection[str]) -> Columns:
    """Return all columns of a flat file, by profile and name.

    Args:
        asset: an open asset.
        profiles: names of the profiles to write, sorted.
        parts: the requested parts, "distances" and "hierarchy".

    Raises:
        MissingTableError: the asset lacks a requested part.
        OutputError: a flat file of this level cannot hold it.
    """
    places = NodePlaces(asset)
    all_columns = {(LEVEL, name): array for name, array in _level(places, profiles).items()}
    for number, profile in enumerate(profiles):
        profile_columns = _profile(ProfileColumns(places, profile), parts)
        all_columns |= {(number, name): array for name, array in profile_columns.items()}
    return all_columns


def _copy_columns(asset: Asset, profile: str | None) -> dict[str, AnyArray]:
    """Return the columns of the level, or a profile, that flat files and assets share."""
    graph = asset.graph
    worlds = ("both", "grid" if graph.is_grid and not graph.pays_for_more else "graph")
    paths = {
        column.name: column.path if profile is None else profile_path(profile, column.name)
        for column in FLAT.columns
        if column.own == (profile is not None) and column.world in worlds and column.box == "both"
    }
    return {name: asset.read(path) for name, path in paths.items() if asset.has(path)}


def _numbers(
    asset: Asset, numbers: tuple[Number, ...], group: str, overrides: dict[str, int]
) -> dict[str, AnyArray]:
    """Return column ``numbers``: attributes of the asset, except where ``own`` overrides them."""
    values = [
        overrides[number.name]
        if number.name in overrides
        else _encode(asset, group, number.attribute or number.name)
        for number in numbers
    ]
    return {"numbers": np.array(values, dtype=np.int32)}


def _level(places: NodePlaces, profiles: Sequence[str]) -> dict[str, AnyArray]:
    """Return the columns that all profiles share."""
    asset, graph = places.asset, places.asset.graph
    overrides = {"floors": places.floors, "nodes": places.node_count, "profiles": len(profiles)}
    shared = _copy_columns(asset, None) | {
        "name": as_texts([places.name]),
        "recipe": as_texts([asset.text("recipe") or ""]),
        "profile_name": as_texts(profiles),
        "terrain": graph.terrain,
    }
    if graph.pays_for_more:
        _replace_cells(shared, places)
        overrides["floors"] = 1
        overrides |= dict.fromkeys(("kind", "width", "height", "directions", "hex_layout"), 0)
    elif places.is_grid:
        shared["node_at"] = graph.node_at
    if "link_name" in shared:
        cost = asset.read("/link_cost")[shared["link_number"]]
        shared["link_ticks"] = whole_ticks(cost, places.ticks_per_unit)
    if "price_from" in shared:
        shared["price_ticks"] = whole_ticks(shared["price_units"], places.ticks_per_unit)
    count = np.bincount(shared["terrain"], minlength=len(shared["terrain_name"]))
    costs = [asset.read(profile_path(name, "cost")) for name in profiles]
    count[np.isnan(costs).all(axis=0)] = -1
    overrides |= {"locations": len(shared["terrain"]), "terrains": len(count)}
    overrides["usual_terrain"] = int(count.argmax())
    return shared | _numbers(asset, LEVEL_NUMBERS, "/", overrides)


def _replace_cells(level_columns: dict[str, AnyArray], places: NodePlaces) -> None:
    """Replace cells by nodes, with their positions, names and prices."""
    at, rows = places.flat, places.height // places.floors
    graph = places.asset.graph
    for name in [name for name in level_columns if name.startswith("region_")]:
        del level_columns[name]
    is_real, before = _real_arcs(graph)
    level_columns |= {"first_out": before[graph.first_out]}
    level_columns |= {"head": graph.head[is_real], "length": graph.length[is_real]}
    level_columns |= {
        name: level_columns[name][at] for name in ("terrain", "elevation") if name in level_columns
    }
    x, y = places.cells_of(at).T
    cell = np.stack([x, y % rows, y // rows], axis=1).astype(np.int32)
    asked = cell[:, : places.dimensions]
    level_columns["cell"] = cell
    level_columns["position"] = np.ascontiguousarray(
        np.asarray(Points(places).points(asked))[:, :2]
    )
    level_columns["node_name"] = as_texts([",".join(map(str, place)) for place in asked.tolist()])
    if "price_from" in level_columns:
        node_at = graph.node_at
        begins, leads = node_at[level_columns["price_from"]], node_at[level_columns["price_to"]]
        order = np.lexsort((leads, begins))
        level_columns |= {"price_from": begins[order], "price_to": leads[order]}
        level_columns["price_units"] = level_columns["price_units"][order]


def _profile(columns: ProfileColumns, parts: Collection[str]) -> dict[str, AnyArray]:
    """Return all columns of one profile, by name."""
    asset, graph = columns.places.asset, columns.places.asset.graph
    _check_links(columns)
    own_columns = _copy_columns(asset, columns.profile)
    left_out = [
        name for part in PARTS if part not in parts for name in _columns_in(part, own_columns)
    ]
    cells_are_nodes, layered = graph.pays_for_more, "hierarchy" in parts
    on_cells = graph.is_grid and not cells_are_nodes
    if layered and cells_are_nodes:
        raise OutputError(
            "the cells of this level are nodes in a flat file, which then cannot hold a hierarchy",
            file=asset.path,
            expected="only next hops and distances",
            remedy="leave the hierarchy out, or let the game read the asset",
        )
    if layered and not _columns_in("hierarchy", own_columns):
        raise columns.missing("hierarchy")
    # The weights of arcs include both, and a turn on the spot is possible on any terrain.
    included = ("may_enter", "slope") if cells_are_nodes else ()
    for name in (*included, *left_out):
        own_columns.pop(name, None)
    costs, own_columns["class"] = _cost_classes(graph.mover(columns.profile).cost)
    own_columns["row_at"] = columns.row_at if on_cells else columns.row_at_node
    if cells_are_nodes:
        own_columns["weight"] = columns.weight[_real_arcs(graph)[0]]
    elif on_cells:
        own_columns["step_ticks"] = np.moveaxis(step_ticks(costs, graph.rules), 2, 0)
    if columns.has_hops:
        own_columns |= _hops(columns, own_columns["run_move"], charted=not cells_are_nodes)
    if "distances" in parts:
        own_columns |= _distances(columns)
    overrides = {
        "rows": columns.row_count,
        "components": columns.component_count,
        "says_none": int(columns.one_way and columns.reach is None),
        "classes": len(costs),
        "two_way": int(columns.leads_back),
    }
    overrides |= {} if on_cells else {"size": 1}
    overrides |= {} if layered else {"hierarchy_mode": 0}
    return own_columns | _numbers(asset, PROFILE_NUMBERS, f"/profiles/{columns.profile}", overrides)


def _columns_in(part: str, names: Iterable[str]) -> list[str]:
    """Return the names that belong to a part of :data:`PARTS`."""
    return [name for name in names if name.startswith(PARTS[part])]


def parts_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the parts of :data:`PARTS` that some columns belong to, whole or not."""
    known_names = list(names)
    return tuple(part for part in PARTS if _columns_in(part, known_names))


def _check_links(columns: ProfileColumns) -> None:
    """Raise on links with an obstacle on them: a flat file stores only their ends.

    Raises:
        OutputError: there is such a link.
    """
    rules = LevelRules(columns.places)
    if rules.baked_vias is None:
        return
    cost = columns.places.asset.graph.mover(columns.profile).cost
    closed = links_for(columns.profile, rules.links.values())
    closed &= ~rules.baked_vias.clear(cost, rules.terrain, None)
    if closed.any():
        raise OutputError(
            f"an obstacle is on link {list(rules.links)[int(closed.argmax())]!r} for "
            f"profile {columns.profile!r}, which a flat file cannot express",
            file=columns.places.asset.path,
            expected="links without obstacles",
            remedy="remove the link from the level, or let the game read the asset",
        )


def _distances(columns: ProfileColumns) -> dict[str, AnyArray]:
    """Return distances by labels, with differences resolved."""
    labels = columns.labels
    if labels is None:
        raise columns.missing("distances")
    first = labels.first.astype(np.uint32)
    arrays = {"label_top": labels.chain, "first_label": first, "label_away": labels.away}
    return arrays if labels.toward is labels.away else arrays | {"label_toward": labels.toward}


def _hops(columns: ProfileColumns, move: AnyArray, *, charted: bool) -> dict[str, AnyArray]:
    """Return next hops in the form for small readers: offsets of runs, moves, and compass moves.

    Args:
        columns: the columns of the asset.
        move: (k) the move of each run.
        charted: whether readers know the coordinates of locations, which compass moves need.
    """
    hops, dtype = columns.hops, move.dtype
    first, start = hops.first_run, hops.start
    greedy: dict[str, AnyArray] = {}
    if len(hops.at) and charted:
        # Each combination of 18 moves is stored once.
        slot = np.where(hops.greedy_slot < 0, dtype.type(hops.none), hops.greedy_slot.astype(dtype))
        packed = slot.view(f"V{slot.itemsize * slot.shape[1]}").reshape(-1)
        _, at, kind = np.unique(packed, return_index=True, return_inverse=True)
        greedy = {"greedy_kind": kind.astype(move_type(len(at))), "greedy_move": slot[at]}
    elif len(hops.at):
        first, start, move = _expand_compass_runs(hops, _real_arcs(columns.places.asset.graph)[1])
    start = start.astype(np.uint16 if columns.row_count <= 2**16 else np.uint32)
    runs = {"first_run": first.astype(np.uint32), "run_start": start}
    return runs | {"run_move": move.astype(dtype)} | greedy


def _real_arcs(graph: LevelGraph) -> tuple[BoolArray, Int32Array]:
    """Return (m) bool, True for arcs that are not loops, and their count before each arc."""
    is_real = np.repeat(np.arange(len(graph.place)), np.diff(graph.first_out)) != graph.head
    return is_real, np.append(0, np.cumsum(is_real)).astype(np.int32)


def _expand_compass_runs(hops: RunHops, before: Int32Array) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return runs without compass moves: offsets of rows, starts of runs, and moves.

    Args:
        before: (m + 1) int32, the number of arcs of the file before each of those of the asset.
    """
    every = np.arange(hops.rows, dtype=np.int32)
    starts: list[AnyArray] = [every[:0]]
    moves: list[AnyArray] = [every[:0]]
    for row in every.tolist():
        slot, arc = hops.slots(np.full_like(every, row), every), hops.first_arc[row]
        move = np.where(slot < 0, slot, before[arc + slot] - before[arc])
        # A row's move toward itself is meaningless, so it may continue the run before it.
        move[row] = move[max(row - 1, 0)]
        starts.append(np.flatnonzero(np.diff(move, prepend=-2)))
        moves.append(move[starts[-1]])
    first = np.cumsum([len(row_starts) for row_starts in starts])
    return first, np.concatenate(starts), np.concatenate(moves)


def _encode(asset: Asset, group: str, name: str) -> int:
    """Return the number that encodes an attribute."""
    declared, value = asset.schema.attribute(group, name), asset.attribute(name, group)
    if declared.kind == "text":
        return [*[None] * declared.optional, *declared.values].index(value)
    return int((declared.absent or 0) if value is None else value)


# -- prices by class ------------------------------------------------------------------------------

#: The class of terrain on which a profile cannot stand.
_NO_CLASS = np.iinfo(np.uint16).max


def _cost_classes(cost: Float64Array) -> tuple[Float64Array, UInt16Array]:
    """Return a profile's distinct costs, ascending, and (terrains) uint16 indices into them.

    Args:
        cost: (terrains) float64 units, NaN where the profile cannot stand: _NO_CLASS.
    """
    costs = np.unique(cost[~np.isnan(cost)])
    classes = np.searchsorted(costs, cost).astype(np.uint16)
    classes[np.isnan(cost)] = _NO_CLASS
    return costs, classes
