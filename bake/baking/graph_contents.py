"""Convert the nodes, arcs and next hops of a world to columns of an asset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Int32Array
from bake.core.level import GraphLevel, GridLevel, Region
from bake.store.columns.things import REGIONS
from bake.store.records import Frame, as_texts, pack
from bake.store.runs import run_lengths
from bake.tables.run_writer import RunTable
from bake.worlds import World, link_moves, link_vias, locations
from levelbake.columns import profile_path

Columns = dict[str, npt.NDArray[np.generic]]


def graph_columns(world: World) -> Columns:
    """Return the columns of a world's nodes and arcs, without costs."""
    columns: Columns = {"/terrain": world.node_terrain}
    level = world.level
    if isinstance(level, GridLevel):
        columns = {"/node_location": locations(world)}
        if world.link is not None:
            tail, head, link = link_moves(world)
            columns |= {"/link_from": tail, "/link_to": head, "/link_number": link}
    else:
        columns |= {
            "/first_out": world.graph.first_out,
            "/head": world.graph.head,
            "/length": world.length,
        }
        if world.elevation is not None:
            columns["/elevation"] = world.elevation
    if world.own_price is not None:
        columns |= _prices(world)
    if world.node_names is not None:
        columns |= _names(world.node_names)
    if world.position is not None:
        columns["/position"] = world.position
    if world.node_region is not None and isinstance(level, GraphLevel):
        columns |= _regions_of_nodes(level, world.node_region)
    return columns


def weight_columns(world: World, profile: str) -> Columns:
    """Return the columns of the arcs that one profile may take."""
    if not isinstance(world.level, GridLevel):
        return {profile_path(profile, "weight"): world.metrics[profile].weight}
    if world.link is None:
        return {}
    open_to = _open_links(world, profile)[link_moves(world).link]
    return {profile_path(profile, "link_open"): open_to.astype(np.uint8)}


def run_columns(runs: RunTable) -> Columns:
    """Return the columns of next hops."""
    return {"run_length": run_lengths(runs.run_start), "run_move": runs.run_slot}


def _open_links(world: World, profile: str) -> BoolArray:
    """Return (links) bool, True for links open to a profile whose intermediate cells are clear."""
    level = world.level
    assert isinstance(level, GridLevel)
    links, vias = level.things.links, link_vias(level)
    taken = np.array([link.profiles is None or profile in link.profiles for link in links])
    if vias is None:
        return taken
    cost = world.movers[profile].cost
    return np.asarray(taken & vias.clear(cost, level.terrain.reshape(-1), None))


def _prices(world: World) -> Columns:
    """Return the columns of the arcs whose prices a patch has set."""
    assert world.own_price is not None
    location, priced = locations(world), np.flatnonzero(~np.isnan(world.own_price))
    begins, leads = location[world.graph.tail()[priced]], location[world.graph.head[priced]]
    order = np.lexsort((leads, begins))
    begins, leads = begins[order], leads[order]
    # Of parallel arcs the last one counts.
    last = np.ones(len(order), dtype=np.bool_)
    last[:-1] = (np.diff(begins) != 0) | (np.diff(leads) != 0)
    units = world.own_price[priced][order]
    return {
        "/price_from": begins[last],
        "/price_to": leads[last],
        "/price_units": units[last],
    }


def _names(names: tuple[str, ...] | tuple[int, ...]) -> Columns:
    if all(isinstance(name, int) for name in names):
        return {"/node_number": np.array(names, dtype=np.int64)}
    return {"/node_name": as_texts([str(name) for name in names])}


def _regions_of_nodes(level: GraphLevel, node_region: Int32Array) -> Columns:
    nodes = Frame(level.terrains, np.asarray, np.asarray)
    regions = [
        Region(name, np.flatnonzero(node_region == number).astype(np.int32), "")
        for number, name in enumerate(level.region_names)
    ]
    return pack(REGIONS, regions, nodes)
