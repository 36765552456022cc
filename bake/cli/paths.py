"""The commands that find paths in an asset or draw it: path, eval and render."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bake.cli import completion, mistakes
from bake.cli.options import (
    AssetFile,
    GoalText,
    HeuristicName,
    Json,
    LoneAssetFile,
    Memory,
    MethodName,
    Profile,
    StartText,
    Weight,
    Width,
    asset_of,
    check_search,
    option_values,
    print_json,
    say,
    sizes_of,
    slowness,
    warn,
)
from bake.core.extras import SearchTracer, load_registered
from bake.show import Show

#: The note on a path that need not be optimal.
_UNPROVEN = "not proven to be a shortest path"

#: The most random pairs of one evaluation.
MOST_PAIRS = 1_000_000

if TYPE_CHECKING:
    from bake.play import LevelAsset, Navigator
    from bake.play.plane import Straight
    from bake.play.searching.result import SearchResult
    from bake.show.evaluate import Evaluation
    from levelbake.places import Place


def path(
    asset: AssetFile,
    start: StartText,
    goal: GoalText,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="METHOD",
            autocompletion=completion.complete_path_method,
            help="How the path is found: table (default), astar (with --weight or --trace), hpa, "
            "bfs and others; beam with --width, sma with --memory.",
        ),
    ] = None,
    heuristic: HeuristicName = None,
    weight: Weight = 1.0,
    width: Width = None,
    memory: Memory = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE.json", help="Write a trace of the search."),
    ] = None,
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Print only the waypoints of straight segments.")
    ] = False,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Print a path between two cells, nodes or points.

    It is a shortest path, unless the chosen method guarantees less.
    """
    from bake.play import open_asset

    options: dict[str, Any] = sizes_of(method, width, memory)
    if method not in (None, "funnel", "polyanya"):  # These two search in the plane.
        check_search(method, heuristic, weight, options)
    elif heuristic is not None:
        check_search("astar", heuristic)
    asset = asset_of(asset, silent=as_json)
    if trace is not None:
        tracer: SearchTracer = load_registered("tracer", "search", "--trace")
        if method not in (None, *tracer.methods):
            raise typer.BadParameter(
                f"method {method!r} cannot write a trace; expected {' or '.join(tracer.methods)}"
            )
        tracer.check_file(trace)
    found: Sequence[object] | None
    promise: dict[str, object] = {}
    note = ""
    with open_asset(asset) as level:
        nav = level.profile(profile)
        points = _points(level, start, goal)
        if points is not None:
            if trace is not None or heuristic is not None or weight != 1:
                raise typer.BadParameter(
                    "--trace, --heuristic and --weight apply to searches between nodes; leave "
                    "them out, or name nodes instead of points"
                )
            # The call rejects all other methods.
            found = nav.plane.straight_path(
                points[0], points[1], cast("Straight", method or "funnel")
            )
            cost = (
                math.inf
                if found is None
                else nav.plane.any_angle_length(cast("list[Place]", found))
            )
            if method in (None, "funnel") and not nav._now.has_corners:
                note = f"along a shortest path of the graph: {_UNPROVEN}"
        else:
            if method is None:
                method = "table" if weight == 1 and trace is None else "astar"
            ends = _open_place(asset, level, nav, start), _open_place(asset, level, nav, goal)
            if trace is None:
                searched: SearchResult = nav.search(
                    *ends, method, heuristic, weight=weight, **options
                )
            else:
                searched = tracer.search(trace, level, nav, ends, method, heuristic, weight)
            found, cost = searched.path, searched.cost
            promise, note = _promise(searched), _describe(searched)
            if smooth and searched.path is not None:
                found = nav.plane.smooth(searched.path)
                cost = nav.plane.any_angle_length(found)
    is_reachable = found is not None
    steps = len(found) - 1 if found is not None else None
    if as_json:
        print_json(
            {
                "reachable": is_reachable,
                "cost": cost if is_reachable else None,
                "steps": steps,
                "path": found,
            }
            | promise
        )
    elif found is None:
        say(f"{goal} cannot be reached from {start}")
    else:
        say(" ".join(_text(place) for place in found))
        say(f"{steps} steps, cost {cost:.6g}")
        if note:
            say(note)


def evaluate(
    asset: AssetFile,
    scenario: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE.scen", help="A Moving AI scenario file; by default random pairs."
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_PAIRS, metavar="N", help="How many random pairs; 1000 by default."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="The random seed; 0 by default.")
    ] = None,
    method: MethodName = "table",
    heuristic: HeuristicName = None,
    weight: Weight = 1.0,
    width: Width = None,
    memory: Memory = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Solve the problems of a scenario file, or find paths between random pairs.

    The exit code is 1 if a path is missing, or longer than its method guarantees.
    """
    if not as_json:
        for line in slowness():
            warn(line)
    from bake.show.evaluate import Drawn
    from bake.show.evaluate import evaluate as run

    if scenario is not None and (pairs is not None or seed is not None):
        raise typer.BadParameter(
            "--pairs and --seed choose random pairs; leave them out, or leave out FILE.scen"
        )
    options = sizes_of(method, width, memory)
    check_search(method, heuristic, weight, options)
    asset = asset_of(asset, silent=as_json)
    source = scenario or Drawn(1000 if pairs is None else pairs, seed or 0)
    result = run(asset, source, profile, method, heuristic, weight, **options)
    if as_json:
        print_json(result)
    else:
        _print_evaluation(result, searched=method != "table")
    if result.wrong:
        raise typer.Exit(1)


def render(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.png", help="The picture to write.")
    ],
    asset: LoneAssetFile = None,
    show: Annotated[Show, typer.Option(help="What to draw.")] = Show.terrain,
    toward: Annotated[
        str | None, typer.Option(metavar="X,Y", help="The goal of distances and hops.")
    ] = None,
    path: Annotated[
        tuple[str, str] | None,
        typer.Option("--path", metavar="X,Y X,Y", help="Draw the path from one cell to another."),
    ] = None,
    scale: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Pixels per cell; by default what fits a screen."),
    ] = None,
    layer: Annotated[
        int, typer.Option(min=1, metavar="N", help="The layer of clusters; 1 is the lowest.")
    ] = 1,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="How the path is found; by default along the baked next hops.",
            autocompletion=completion.complete_method,
        ),
    ] = None,
    heuristic: HeuristicName = None,
    width: Width = None,
    memory: Memory = None,
    lint: Annotated[bool, typer.Option("--lint", help="Mark the findings of `bake lint`.")] = False,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="FILE.json", help="The recorded search or crowd for --show search."
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The step of the trace; by default the last."),
    ] = None,
    profile: Profile = None,
    as_json: Json = False,
) -> None:
    """Draw an asset as a picture.

    Shows terrain, components, clusters, distances, next hops or a search, and a path on top.
    """
    from bake.play import open_asset
    from bake.show.render import check_view, render_asset

    options = sizes_of(method, width, memory)
    with option_values():
        check_view(show, path or method or heuristic, path, toward, trace, step)
    if method is not None or heuristic is not None:
        check_search(method or "astar", heuristic, options=options)
    asset = asset_of(asset, silent=as_json)
    with open_asset(asset) as level:
        ends = goal = None
        count = len(level.profiles)
        if path is not None or toward is not None:
            nav = level.profile(profile)
            open_place = partial(_open_place, asset, level, nav)
            ends = None if path is None else (open_place(path[0]), open_place(path[1]))
            goal = None if toward is None else open_place(toward)
    drawn = render_asset(
        asset,
        output,
        profile=profile,
        show=show,
        path=ends,
        toward=goal,
        scale=scale,
        layer=layer,
        method=method,
        heuristic=heuristic,
        options=options,
        lint=lint,
        trace=trace,
        step=step,
    )
    if as_json:
        print_json(drawn)
    else:
        first = "" if count == 1 or profile is not None else f", for profile {drawn['profile']!r}"
        say(f"{output}: {drawn['width']} x {drawn['height']} pixels{first}")


def _place(level: LevelAsset, text: str) -> Place:
    """Parse a place: a cell "X,Y" or "X,Y,FLOOR", or the name of a node."""
    if not level.is_grid:
        return level.node_name(text)
    count, form = (2, "X,Y such as 3,4") if level.floors == 1 else (3, "X,Y,FLOOR such as 3,4,0")
    try:
        cell = tuple(int(part) for part in text.split(","))
    except ValueError:
        cell = ()
    if level.headings is not None:
        form = "X,Y,HEADING such as 3,4,0, or X,Y for any heading"
    if len(cell) != count and not (level.headings is not None and len(cell) == 2):
        raise typer.BadParameter(f"{text!r} is not a cell; write {form}")
    return cell


def _open_place(asset: Path, level: LevelAsset, nav: Navigator, text: str) -> Place:
    """Parse a place where a profile can stand.

    Raises:
        BlockedCellError: the profile cannot stand there. The error names the terrain and the
            nearest place where the profile can stand.
    """
    place = _place(level, text)
    terrain = level.terrain_at(place)
    if terrain is None or nav.can_stand(place):
        return place
    remedy = None
    with suppress(mistakes.QueryError):  # Some levels have no positions, or no walkable place.
        near = nav.nearest(level.to_point(place))
        remedy = f"the nearest place where it can is {_text(near)}"
    raise mistakes.BlockedCellError(
        f"{text} is {terrain}, on which profile {nav.name!r} cannot stand",
        file=asset,
        remedy=remedy,
    )


def _points(level: LevelAsset, start: str, goal: str) -> list[tuple[float, ...]] | None:
    """Parse two points of a divided plane; None if the texts are node names."""
    if not level.is_divided_plane:
        return None
    points = []
    for text in (start, goal):
        try:
            level.node_name(text)
        except mistakes.UnknownNodeError:
            pass
        else:
            return None
        try:
            points.append(tuple(float(part) for part in text.split(",")))
        except ValueError:
            return None
    return points if all(len(point) > 1 for point in points) else None


def _promise(result: SearchResult) -> dict[str, object]:
    """Return the JSON keys that describe a search; none for a path from the next-hop table."""
    if result.method == "table":
        return {}
    return {
        "method": result.method,
        "heuristic": result.heuristic,
        "admissible": result.admissible,
        "expanded": result.expanded,
        "generated": result.generated,
        "bound": result.bound if math.isfinite(result.bound) else None,
    }


def _describe(result: SearchResult) -> str:
    """Return a line that describes a search; "" for a path from the next-hop table."""
    if result.method == "table":
        return ""
    known = {True: "admissible", False: "not admissible", None: "perhaps not admissible"}
    heuristic = f" by {result.heuristic}, {known[result.admissible]}" if result.heuristic else ""
    if result.bound == 1:
        proven = "no path costs less"
    elif math.isfinite(result.bound):
        proven = f"a shortest path costs at least 1/{result.bound:.6g} of this"
    else:
        proven = _UNPROVEN
    return f"{result.expanded} expanded, {result.generated} generated{heuristic}: {proven}"


def _text(place: object) -> str:
    if not isinstance(place, tuple):
        return str(place)
    return ",".join(
        f"{number:.10g}" if isinstance(number, float) else str(number) for number in place
    )


def _print_evaluation(result: Evaluation, *, searched: bool) -> None:
    what = "problems" if result.seed is None else f"random pairs (seed {result.seed})"
    say(
        f"{result.solved} of {result.problems} {what} solved at their optimal length, "
        f"largest difference {result.max_error:.2g}, {result.ns_per_step:.1f} ns a step, "
        f"{result.us_per_path:.2f} us a path"
    )
    if searched:
        over = result.suboptimality
        say(
            f"{over.mean:.3%} too long on average, {over.p99:.3%} at the 99th percentile, "
            f"{result.expanded_mean:,.0f} places expanded, {result.median_us:.1f} us a path "
            f"and {result.first_move_us:.1f} us to the first move at the median"
        )
    most = result.overestimate
    if most is not None:
        basis = f"of {most.pairs:,} pairs, {'all there are' if most.every else 'a sample'}"
        statement = "the heuristic never says more than the distance"
        if most.units:
            ends = f"{_text(most.start)} to {_text(most.goal)}"
            statement = (
                f"the heuristic says up to {most.units:.6g} more than the distance, from {ends}"
            )
        again = ", if it opens closed places again," if most.units else ""
        above = f"paths at most {most.units:.6g} above the shortest"
        say(f"{statement} ({basis}), so A*{again} finds {above}")
    if result.first_wrong is not None:
        say(f"first wrong: {result.first_wrong}")
