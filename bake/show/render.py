"""Draw a baked level as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

from bake.core.errors import counted
from bake.show import Show
from bake.show.grid_map import draw_grid
from bake.show.marks import findings_of
from bake.show.page import check_output, lay_out, number, write_png
from bake.show.request import (
    Request,
    Searched,
    Walked,
    all_toward,
    path_by_hops,
    search_path,
    with_contours,
)
from bake.show.road_map import draw_roads
from bake.show.scene import Scene, place_data, place_text, read_layer, read_scene
from bake.show.trace_file import TraceFile
from bake.store import Asset
from levelbake.errors import OutputError, QueryError
from levelbake.places import Place

_TITLES = {
    Show.terrain: "Terrain",
    Show.components: "Connected components",
    Show.distances: "Distances",
    Show.hops: "Next hops",
    Show.clusters: "Clusters",
    Show.search: "Search",
    Show.contours: "Contours of f",
}

#: Views of searches.
_OF_SEARCHES = (Show.search, Show.contours)


def render_asset(
    asset: Path,
    output: Path,
    *,
    profile: str | None = None,
    show: Show | str = Show.terrain,
    path: tuple[Place, Place] | None = None,
    toward: Place | None = None,
    scale: int | None = None,
    layer: int = 1,
    method: str | None = None,
    heuristic: str | None = None,
    options: Mapping[str, int] | None = None,
    lint: bool = False,
    trace: Path | None = None,
    step: int | None = None,
) -> dict[str, object]:
    """Draw a baked level.

    Args:
        asset: the baked level.
        output: the .png file, which is written atomically.
        profile: the profile to draw for. None is allowed if the asset has only one profile, and for
            plain terrain, which is then drawn for the first profile.
        show: "terrain" (in the designer's colors), "components", "distances" or "hops" (toward one
            goal), "clusters" (and the graph between them), "search" (the places that a search for
            the path visited), or "contours" (the same in order of f).
        path: start and goal of a path to draw on top; without a path between them, only the ends
            are drawn. A search needs both.
        toward: the goal, which distances and hops need.
        scale: pixels per cell, or per unit of a graph's positions; None = the longer side gets up
            to 1,600 pixels.
        layer: the layer whose clusters are drawn; 1 is the lowest.
        method, heuristic: how the path is found, see :meth:`bake.play.Navigator.search`; None = by
            next hops, or by A* if a search is shown.
        options: further options of the method: "width" of "beam", "memory" of "sma".
        lint: whether to mark the findings of `bake lint` about reachability.
        trace: a trace of a search or of agents to show instead of a path; see docs/traces.md.
        step: the step of the trace to show, from 1; None = the last one.

    Returns:
        A description of the picture, ready for JSON. It always has output, width, height (pixels),
        profile and show. A path adds reachable, path_steps and path_cost (None if unreachable). A
        goal adds farthest (place), farthest_distance (units) and unreachable (the number of places
        without a path to the goal). Clusters add layer, layers, clusters and transitions. A search
        adds method, heuristic and expanded. A trace adds steps and step.

    Raises:
        OutputError: the picture cannot be written there.
        AssetError: the asset cannot be read.
        QueryError: the place, profile, view, method or layer does not exist, or the scale is
            invalid.
        MissingTableError: the asset lacks a table that the view needs.
        TraceError: the trace cannot be read, is damaged, or belongs to another level.
    """
    asset, output = Path(asset), Path(output)
    if trace is not None and output.suffix.lower() == ".gif":
        raise OutputError(
            "a picture shows one step of a trace",
            file=output,
            expected="a name that ends in .png",
            remedy="play back the steps with `bake view --trace`",
        )
    check_output(output)
    if show not in list(Show):
        raise QueryError(f"there is no view {str(show)!r}", expected=", ".join(Show))
    show = Show(show)
    check_view(show, path or method or heuristic, path, toward, trace, step)
    trace_file = None if trace is None else TraceFile(Path(trace))
    with Asset(asset) as opened:
        if trace_file is not None:
            scene = read_scene(opened, trace_file.profile if profile is None else profile)
            step_number = trace_file.count if step is None else step
            request = _of_trace(scene, trace_file, show, step_number, scale)
            summary: dict[str, object] = {"profile": scene.profile, "show": str(show)}
            summary |= {"steps": trace_file.count, "step": step_number}
        else:
            if show is Show.terrain and path is None and toward is None and not lint:
                profile = profile or opened.profiles[0]
            scene = read_scene(opened, profile)
            if lint and not scene.places.is_grid:
                raise QueryError(
                    "findings are marked on cells, and this level is a graph",
                    place=f"level {scene.name!r}",
                    remedy="`bake lint` lists them",
                )
            route, searched = None, None
            if path is not None and (show in _OF_SEARCHES or method is not None):
                route, searched = search_path(
                    scene, path, method or "astar", heuristic, options or {}
                )
                if show is Show.contours:
                    searched = with_contours(scene, searched, route)
            elif path is not None:
                route = path_by_hops(scene, path)
            request = Request(
                scene,
                show,
                route,
                None if toward is None else all_toward(scene, toward, need_hops=show is Show.hops),
                scale,
                read_layer(scene, layer) if show is Show.clusters else None,
                searched,
                findings_of(scene) if lint else None,
            )
            summary = _summary(request)
        page = _draw(request)
    write_png(page, output)
    return {"output": str(output), "width": page.width, "height": page.height, **summary}


def _draw(request: Request) -> Image.Image:
    scene = request.scene
    drawn = draw_grid(request) if scene.places.is_grid else draw_roads(request)
    return lay_out(drawn, scene.name, _facts(scene), _note(request))


def check_view(
    show: Show,
    other: object,
    path: object,
    toward: object,
    trace: Path | None,
    step: int | None,
) -> None:
    """Check the arguments of a view as far as possible without a level.

    Args:
        show: the view.
        other: a true value if an argument was given that cannot be combined with a trace.
        path, toward, trace, step: as for :func:`render_asset`.

    Raises:
        QueryError: an argument is missing, or cannot be combined with the view.
    """
    if show in (Show.distances, Show.hops) and toward is None:
        raise QueryError(f"{show} need a goal", expected="--toward X,Y", remedy="add a goal")
    if trace is not None or step is not None:
        _check_trace(show, trace, other)
    elif show in _OF_SEARCHES and path is None:
        raise QueryError(
            "a search needs two places", expected="--path X,Y X,Y", remedy="add a start and a goal"
        )


def _check_trace(show: Show, trace: Path | None, other: object) -> None:
    """Raise on options that cannot be combined with a trace."""
    if trace is None:
        raise QueryError("--step needs a trace", remedy="add --trace, or leave --step out")
    if show not in _OF_SEARCHES:
        raise QueryError(f"{show} cannot show a trace", expected="--show search or --show contours")
    if other:
        raise QueryError(
            "a trace contains its own path",
            remedy="leave --path, --method and --heuristic out",
        )


def _of_trace(scene: Scene, trace: TraceFile, show: Show, step: int, scale: int | None) -> Request:
    """Return the request for one step of a trace.

    Raises:
        QueryError: the step does not exist, or contours of a trace of agents are requested.
    """
    (moment,) = trace.moments(scene, [step])
    shown = moment.shown
    if show is Show.contours and not isinstance(shown, Searched):
        raise QueryError("a trace of agents has no contours", expected="--show search")
    return Request(
        scene,
        show,
        moment.path,
        None,
        scale,
        searched=shown if isinstance(shown, Searched) else None,
        walked=shown if isinstance(shown, Walked) else None,
        note=moment.note,
    )


def _facts(scene: Scene) -> str:
    facts = [f"profile {scene.profile}"]
    places = scene.places
    if places.is_grid:
        what = "hexagons" if places.hex_layout else "cells"
        kind = "floors" if places.headings is None else "headings"
        several = f"{places.floors} {kind} of " if places.floors > 1 else ""
        facts.append(f"{several}{places.width} x {places.height // places.floors} {what}")
    facts.append(counted(scene.columns.row_count, "node"))
    return " · ".join(facts)


def _note(request: Request) -> str:
    place = request.scene.rows.place
    notes = [_TITLES[request.show]]
    toward, path = request.toward, request.path
    if toward is not None:
        notes[0] += f" toward {place_text(place(toward.goal))}"
        far = place_text(place(toward.farthest))
        notes.append(f"farthest {far} at {number(toward.greatest)}")
    if request.layer is not None:
        notes[0] += f" of layer {request.layer.number} of {max(1, request.layer.layers)}"
    if request.note is not None:
        return " · ".join([*notes, request.note])
    if request.searched is not None:
        notes.append(_search_note(request.searched))
    if path is not None:
        ends = f"{place_text(place(path.start))} to {place_text(place(path.goal))}"
        if path.rows is None or path.cost is None:
            notes.append(f"no path from {ends}")
        else:
            steps = counted(len(path.rows) - 1, "step")
            notes.append(f"path {ends}: cost {number(path.cost)}, {steps}")
    return " · ".join(notes)


def _search_note(searched: Searched) -> str:
    name = " ".join(filter(None, (searched.method, searched.heuristic)))
    what = "transition" if searched.method == "hpa" else "place"
    return f"{name}: {counted(searched.expanded, what)} expanded"


def _summary(request: Request) -> dict[str, object]:
    scene, path, toward = request.scene, request.path, request.toward
    summary: dict[str, object] = {"profile": scene.profile, "show": str(request.show)}
    if path is not None:
        summary["reachable"] = path.rows is not None
        summary["path_steps"] = None if path.rows is None else len(path.rows) - 1
        summary["path_cost"] = path.cost
    layer, searched = request.layer, request.searched
    if layer is not None:
        summary["layer"], summary["layers"] = layer.number, layer.layers
        summary["clusters"], summary["transitions"] = layer.clusters, len(layer.transition)
    if searched is not None:
        summary["method"], summary["heuristic"] = searched.method, searched.heuristic
        summary["expanded"] = searched.expanded
    if toward is not None:
        summary["farthest"] = place_data(scene.rows.place(toward.farthest))
        summary["farthest_distance"] = toward.greatest
        summary["unreachable"] = int(np.isinf(toward.distance).sum())
    return summary
