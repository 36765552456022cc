"""This module draws a baked level as a picture, from the asset alone."""

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
        output: the .png file to write; it is replaced whole or not at all.
        profile: the profile to draw for; it may be left out where the asset holds only one, and
            where terrain alone is drawn, which is then as the first profile sees it.
        show: "terrain" (the designer's colours), "components" (what is cut off from what),
            "distances" or "hops" (toward one goal), "clusters" (and the graph between them),
            "search" (what a search for the path looked at), "contours" (in which order of f).
        path: start and goal of a path to draw over it; where there is no path, only the ends are
            drawn. A search needs both.
        toward: the goal, which distances and hops need.
        scale: pixels from cell to cell, or of a unit of a graph's positions; None = what makes the
            longer side up to 1,600 pixels long.
        layer: the layer whose clusters are drawn; 1 is the lowest.
        method, heuristic: how the path is found, see :meth:`bake.play.Navigator.search`; None =
            by next hops, or by A* where a search is shown.
        options: what the method needs besides: "width" of "beam", "memory" of "sma".
        lint: whether to mark what `bake lint` finds in the profile's ways.
        trace: a trace of a search or of agents, to show in place of a path; see docs/traces.md.
        step: which step of the trace to show, from 1; None = the last one.

    Returns:
        What was drawn, ready for JSON. It always has output, width, height (pixels), profile and
        show. A path adds reachable, path_steps and path_cost (None where unreachable). A goal adds
        farthest (place), farthest_distance (units) and unreachable (how many places have no way to
        the goal). Clusters add layer, layers, clusters and transitions. A search adds method,
        heuristic and expanded. A trace adds steps and step.

    Raises:
        OutputError: the picture cannot be written there.
        AssetError: the asset cannot be read.
        QueryError: there is no such place, profile, view, method or layer, or the scale does not
            fit.
        MissingTableError: the asset was baked without what the view needs.
        TraceError: the trace cannot be read, is damaged, or is one of another level.
    """
    asset, output = Path(asset), Path(output)
    if trace is not None and output.suffix.lower() == ".gif":
        raise OutputError(
            "a picture shows one step of a trace",
            file=output,
            expected="a name that ends in .png",
            remedy="play the steps with `bake view --trace`",
        )
    check_output(output)
    if show not in list(Show):
        raise QueryError(f"there is no view {str(show)!r}", expected=", ".join(Show))
    show = Show(show)
    check_view(show, path or method or heuristic, path, toward, trace, step)
    told = None if trace is None else TraceFile(Path(trace))
    with Asset(asset) as opened:
        if told is not None:
            scene = read_scene(opened, told.profile if profile is None else profile)
            shown = told.count if step is None else step
            request = _of_trace(scene, told, show, shown, scale)
            summary: dict[str, object] = {"profile": scene.profile, "show": str(show)}
            summary |= {"steps": told.count, "step": shown}
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
            found, searched = None, None
            if path is not None and (show in _OF_SEARCHES or method is not None):
                found, searched = search_path(
                    scene, path, method or "astar", heuristic, options or {}
                )
                if show is Show.contours:
                    searched = with_contours(scene, searched, found)
            elif path is not None:
                found = path_by_hops(scene, path)
            request = Request(
                scene,
                show,
                found,
                None if toward is None else all_toward(scene, toward, need_hops=show is Show.hops),
                scale,
                read_layer(scene, layer) if show is Show.clusters else None,
                searched,
                findings_of(scene) if lint else None,
            )
            summary = _summary(request)
        page = _drawn(request)
    write_png(page, output)
    return {"output": str(output), "width": page.width, "height": page.height, **summary}


def _drawn(request: Request) -> Image.Image:
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
    """Check that a view has the arguments that it needs, as far as no level is needed.

    Args:
        show: the view.
        other: what does not go with a trace; anything false = nothing.
        path, toward, trace, step: as for :func:`render_asset`.

    Raises:
        QueryError: an argument is missing, or does not go with the view.
    """
    if show in (Show.distances, Show.hops) and toward is None:
        raise QueryError(
            f"{show} need a goal", expected="--toward X,Y", remedy="say toward which place"
        )
    if trace is not None or step is not None:
        _check_trace(show, trace, other)
    elif show in _OF_SEARCHES and path is None:
        raise QueryError(
            "a search needs two places", expected="--path X,Y X,Y", remedy="say from where to where"
        )


def _check_trace(show: Show, trace: Path | None, other: object) -> None:
    """Refuse options that do not go with a trace."""
    if trace is None:
        raise QueryError("--step is of a trace", remedy="name one by --trace, or leave --step out")
    if show not in _OF_SEARCHES:
        raise QueryError(f"{show} show no trace", expected="--show search or --show contours")
    if other:
        raise QueryError(
            "a trace holds its own path",
            remedy="leave --path, --method and --heuristic out",
        )


def _of_trace(scene: Scene, trace: TraceFile, show: Show, step: int, scale: int | None) -> Request:
    """Return the request for one step of a trace.

    Raises:
        QueryError: there is no such step, or agents are to be shown as contours.
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
    by = " ".join(filter(None, (searched.method, searched.heuristic)))
    what = "transition" if searched.method == "hpa" else "place"
    return f"{by}: {counted(searched.expanded, what)} expanded"


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
