"""A baked level as a picture, drawn from the asset alone."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from bake.asset import Asset
from bake.errors import QueryError
from bake.runtime.reader.places import Place
from bake.view.component_colours import place_text
from bake.view.grid_map import draw_grid
from bake.view.layer_scene import read_layer
from bake.view.legend import number
from bake.view.lint_marks import find
from bake.view.output import check_output, write_png
from bake.view.page import lay_out
from bake.view.request import Request, Show, Way
from bake.view.road_map import draw_roads
from bake.view.scene import Scene, read_scene
from bake.view.searched import Searched, search_for
from bake.view.toward import Toward, all_toward


def render_asset(
    asset: Path,
    output: Path,
    *,
    profile: str | None = None,
    show: Show = "terrain",
    path: tuple[Place, Place] | None = None,
    toward: Place | None = None,
    scale: int | None = None,
    layer: int = 1,
    method: str | None = None,
    heuristic: str | None = None,
    lint: bool = False,
) -> dict[str, object]:
    """Draw a baked level.

    Args:
        asset: the baked level.
        output: a .png; replaced whole or not at all.
        profile: whose view; may be left out where the asset holds only one.
        show: "terrain" (the designer's colours), "components" (what is cut off from what),
            "distances" or "hops" (toward one goal), "clusters" (and the graph between them),
            "search" (what a search for the path looked at).
        path: start and goal of a path to draw over it; where there is none, the ends alone. A
            search needs one.
        toward: the goal; distances and hops need one.
        scale: pixels from cell to cell, or a unit of a graph's positions; None = what makes the
            longer side up to 1,600 pixels long.
        layer: which clusters, 1 for the lowest.
        method, heuristic: how the path is found, see :meth:`bake.runtime.Navigator.search`; None =
            by next hops, or by A* where a search is shown.

        lint: mark what `bake lint` finds in the profile's ways.

    Returns:
        What was drawn, ready for JSON: output, width, height (pixels), profile, show; with a path
        reachable, path_steps and path_cost (None where unreachable); with a goal farthest (place),
        farthest_distance (units) and unreachable (places that have no way to the goal); with
        clusters layer, layers, clusters and transitions; with a search method, heuristic and
        expanded.

    Raises:
        OutputError: the picture cannot be written there.
        AssetError: the asset cannot be read.
        QueryError: a place, profile, option or scale that is none.
        MissingTableError: the asset was baked without what the view needs.
    """
    asset, output = Path(asset), Path(output)
    check_output(output)
    if show not in get_args(Show):
        raise QueryError(f"there is no view {show!r}", expected=", ".join(get_args(Show)))
    if show in ("distances", "hops") and toward is None:
        raise QueryError(
            f"{show} need a goal", expected="--toward X,Y", remedy="say toward which place"
        )
    if show == "search" and path is None:
        raise QueryError(
            "a search needs two places", expected="--path X,Y X,Y", remedy="say from where to where"
        )
    with Asset(asset) as opened:
        scene = read_scene(opened, profile)
        searched = None
        if path is not None and (show == "search" or method is not None):
            searched = search_for(scene, path, method or "astar", heuristic)
        request = Request(
            scene,
            show,
            None if path is None else _way(scene, path, searched),
            None if toward is None else all_toward(scene, toward, need_hops=show == "hops"),
            scale,
            read_layer(scene, layer) if show == "clusters" else None,
            searched,
            find(scene) if lint else None,
        )
        drawn = draw_grid(request) if scene.places.is_grid else draw_roads(request)
        page = lay_out(drawn, scene.name, _facts(scene), _note(request))
        summary = _summary(request)
    write_png(page, output)
    return {"output": str(output), "width": page.width, "height": page.height, **summary}


def _way(scene: Scene, ends: tuple[Place, Place], searched: Searched | None) -> Way:
    start, goal = ends
    if searched is not None:
        found = searched.places
        return Way(start, goal, found, None if found is None else searched.cost)
    places = scene.navigator.path(start, goal)
    if places is None:
        return Way(start, goal, None, None)
    return Way(start, goal, tuple(places), scene.navigator.distance(start, goal))


def _facts(scene: Scene) -> str:
    facts = [f"profile {scene.profile}"]
    if scene.places.is_grid:
        hexes = "hexagons" if scene.hex_layout else "cells"
        floors = scene.places.floors
        several = f"{floors} floors of " if floors > 1 else ""
        rows = scene.places.height // floors
        facts.append(f"{several}{scene.places.width} x {rows} {hexes}")
    count = scene.tables.row_count
    facts.append(f"{count:,} node" + ("" if count == 1 else "s"))
    return " · ".join(facts)


_VIEWS: dict[Show, str] = {
    "terrain": "Terrain",
    "components": "Connected components",
    "distances": "Distances",
    "hops": "Next hops",
    "clusters": "Clusters",
    "search": "Search",
}


def _note(request: Request) -> str:
    notes = [_VIEWS[request.show]]
    toward = request.toward
    if toward is not None:
        notes[0] += f" toward {place_text(toward.goal)}"
        far = place_text(request.scene.place_of_row(toward.farthest))
        notes.append(f"farthest {far} at {number(toward.greatest)}")
    if request.layer is not None:
        notes[0] += f" of layer {request.layer.number} of {max(1, request.layer.layers)}"
    if request.searched is not None:
        notes.append(_said(request.searched))
    way = request.way
    if way is not None:
        ends = f"{place_text(way.start)} to {place_text(way.goal)}"
        if way.places is None or way.cost is None:
            notes.append(f"no path from {ends}")
        else:
            steps = len(way.places) - 1
            plural = "" if steps == 1 else "s"
            notes.append(f"path {ends}: cost {number(way.cost)}, {steps:,} step{plural}")
    return " · ".join(notes)


def _said(searched: Searched) -> str:
    by = " ".join(filter(None, (searched.method, searched.heuristic)))
    what = "transition" if searched.method == "hpa" else "place"
    return f"{by}: {searched.expanded:,} {what}{'' if searched.expanded == 1 else 's'} expanded"


def _summary(request: Request) -> dict[str, object]:
    scene = request.scene
    summary: dict[str, object] = {"profile": scene.profile, "show": request.show}
    way, toward = request.way, request.toward
    if way is not None:
        summary["reachable"] = way.places is not None
        summary["path_steps"] = None if way.places is None else len(way.places) - 1
        summary["path_cost"] = way.cost
    layer, searched = request.layer, request.searched
    if layer is not None:
        summary["layer"], summary["layers"] = layer.number, layer.layers
        summary["clusters"], summary["transitions"] = layer.clusters, len(layer.transition)
    if searched is not None:
        summary["method"], summary["heuristic"] = searched.method, searched.heuristic
        summary["expanded"] = searched.expanded
    if toward is not None:
        summary["farthest"] = _plain_place(scene.place_of_row(toward.farthest))
        summary["farthest_distance"] = toward.greatest
        summary["unreachable"] = _unreachable(toward)
    return summary


def _unreachable(toward: Toward) -> int:
    return int((toward.distance == float("inf")).sum())


def _plain_place(place: Place) -> object:
    return list(place) if isinstance(place, tuple) else place
