"""Describe builds, plans and assets, in tables for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bake.baking import Outcome
from bake.baking.flat import flat_place
from bake.core.arrays import Int32Array
from bake.core.errors import counted, in_units
from bake.core.graph import BLOCKED
from bake.show.console import console, print_table, shown
from bake.store import Asset
from bake.store.header import PATCH_PREFIX
from bake.store.records import as_names
from bake.store.schema import tables_of
from bake.tables.all_pairs import Algorithm, choose_algorithm
from levelbake.columns import profile_path
from levelbake.errors import printable
from levelbake.file import is_flat
from levelbake.places import Coordinates, Point

if TYPE_CHECKING:
    from rich.text import Text

    from bake.baking.plan import Plan, Total

#: At most this many doors, links, regions or spots are printed.
MOST_THINGS = 20
#: Attributes of the movement rules.
_MOVEMENT = ("connectivity", "corner_cutting", "cost_rule", "ticks_per_unit")
#: The headings of the table of things. The last column is omitted if no thing has an id.
THING_HEADINGS = ("thing", "name", "what it is", "where", "for", "id")

# -- builds ---------------------------------------------------------------------------------------


def line_of(outcome: Outcome) -> str:
    """Return the log line of a finished level; "" if it was up to date."""
    if outcome.baked is None:
        return "failed" if outcome.status == "failed" else ""
    baked = outcome.baked
    return (
        f"baked, {counted(baked.nodes, 'node')}, {in_units(baked.bytes)} in {baked.seconds:.2f} s"
    )


def print_summary(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Print a row for each level, all notes, and a line with totals."""
    output = console()
    headings = ("level", "state", "nodes", "arcs", "profiles", "algorithm", "asset", "time")
    right = [heading for heading in headings[2:] if heading != "algorithm"]
    print_table(output, headings, right, map(_outcome_row, outcomes))
    for outcome in outcomes:
        for note in outcome.baked.notes if outcome.baked is not None else ():
            output.print(f"{shown(outcome.task.name)}: {shown(note)}")
    count = dict.fromkeys(("baked", "fresh", "failed"), 0)
    for outcome in outcomes:
        count[outcome.status] += 1
    states = [f"{number} {status}" for status, number in count.items() if number]
    if flat := sum(outcome.flat is not None for outcome in outcomes):
        states.append(f"{counted(flat, 'flat file')} written")
    output.print(f"{', '.join(states)} in {seconds:.2f} s")


def _outcome_row(outcome: Outcome) -> list[str]:
    colour = {"baked": "green", "fresh": "dim", "failed": "bold red"}[outcome.status]
    row = [shown(outcome.task.name), f"[{colour}]{outcome.status}[/]"]
    baked = outcome.baked
    if baked is not None:
        row += [f"{baked.nodes:,}", f"{baked.arcs:,}", str(len(baked.profiles))]
        row += [name_algorithms(baked.algorithms.values())]
        row += [in_units(baked.bytes), f"{baked.seconds:.2f} s"]
    elif outcome.status == "fresh":
        row += ["", "", "", "", in_units(outcome.task.asset.stat().st_size), ""]
    return row


def as_data(outcomes: Sequence[Outcome], seconds: float) -> dict[str, Any]:
    """Return the data that `bake build --json` prints."""
    return {"levels": list(map(data_of, outcomes)), "seconds": round(seconds, 3)}


def data_of(outcome: Outcome) -> dict[str, Any]:
    """Return the data that `bake build --json` prints about one level."""
    task, baked = outcome.task, outcome.baked
    data = {"level": task.name, "source": task.source, "asset": task.asset}
    data["status"] = outcome.status
    if baked is not None:
        data |= {name: getattr(baked, name) for name in ("nodes", "arcs", "profiles", "bytes")}
        data["algorithms"] = dict(baked.algorithms)
        data |= {name: round(getattr(baked, name), 3) for name in ("seconds", "taken_up")}
    if outcome.flat is not None:
        data |= {"flat": flat_place(task), "flat_bytes": outcome.flat}
    if outcome.error is not None:
        data["error"] = outcome.error
    return data


#: Display names of the algorithms for next hops.
_ALGORITHMS = {"dijkstra": "Dijkstra", "floyd_warshall": "Floyd-Warshall"}


def name_algorithms(algorithms: Iterable[str | None]) -> str:
    """Return the display names of algorithms, without duplicates and None."""
    return ", ".join(
        dict.fromkeys(_ALGORITHMS[algorithm] for algorithm in algorithms if algorithm is not None)
    )


def print_plans(plans: Sequence[Plan], total: Total, *, tables: bool) -> None:
    """Print a row for each level and a total; with ``tables``, also a row for each table."""
    rows = [row for plan in plans for row in _plan_rows(plan, tables=tables)]
    rows.append(["total", "", "", "", f"{total.nodes:,}", "", *_sizes(total)])
    columns = [i for i, heading in enumerate(_PLAN) if tables or heading not in _OF_TABLES]
    rows = [[row[i] for i in columns] for row in rows]
    right = ("nodes", "in the file", "time", "peak memory")
    print_table(console(), [_PLAN[i] for i in columns], right, rows)


#: Columns of plans, and the columns that only rows of tables use.
_PLAN = (
    *("level", "profile", "table", "kind"),
    *("nodes", "algorithm", "in the file", "time", "peak memory"),
)
_OF_TABLES = ("profile", "table", "kind")


def _sizes(cost: Plan | Total) -> tuple[str, str, str]:
    return in_units(cost.bytes), in_time(cost.seconds), in_units(cost.memory)


def _plan_rows(plan: Plan, *, tables: bool) -> Iterator[list[str | Text]]:
    from rich.text import Text

    style = "bold" if tables else ""
    level = Text(printable(plan.level), style=style)
    algorithms = name_algorithms(table.algorithm for table in plan.tables)
    yield [level, "", "", "", f"{plan.nodes:,}", algorithms, *_sizes(plan)]
    for table in plan.tables if tables else ():
        seconds = in_time(table.seconds) if table.seconds else ""
        memory = in_units(table.memory) if table.memory else ""
        kind = ["", shown(table.profile), table.table, table.kind, ""]
        algorithm = name_algorithms([table.algorithm])
        yield [*kind, algorithm, in_units(table.bytes), seconds, memory]
    if plan.cluster is not None:
        memory = "nothing to share"
        if plan.cluster.memory:
            memory = f"{in_units(plan.cluster.memory)} each"
        workers = counted(plan.cluster.workers, "worker")
        yield ["", "", "", "", workers, "", "", in_time(plan.cluster.seconds), memory]


def in_time(seconds: float) -> str:
    """Format a time in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.2f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


# -- assets ---------------------------------------------------------------------------------------


def inspect_asset(
    path: Path, profile: str | None, algorithm: Algorithm | None = None
) -> dict[str, Any]:
    """Describe an asset.

    Args:
        path: the asset.
        profile: the only profile to describe; None = all.
        algorithm: the recipe's choice for next hops, which assets do not store; None = unknown.

    Returns:
        Level, format, sizes, sources, and for each profile its tables with kind, shape, dtype and
        stored bytes, all ready for JSON.

    Raises:
        AssetError: the asset cannot be read.
        UnknownProfileError: there is no such profile.
    """
    from bake.play import LevelAsset
    from bake.play.reader.places import NodePlaces
    from levelbake.places import Points

    with Asset(path) as asset:
        level = LevelAsset(asset)
        if profile is not None:
            level.profile(profile)  # refuses an unknown profile
        points = Points(NodePlaces(asset))
        header = asset.header
        nodes = len(asset.graph.place)
        return {
            "asset": path,
            "flat": is_flat(path),
            "level": asset.name,
            **{name: asset.attribute(name) for name in ("kind", "width", "height")},
            "floors": level.floors,
            "headings": level.headings,
            "hex_layout": asset.text("hex_layout"),
            "coordinates": points.coordinates._asdict() if points.are_stated else None,
            **{name: asset.attribute(name) for name in _MOVEMENT},
            "format_version": header.format_version,
            "bake_revision": header.bake_revision,
            "fingerprint": header.fingerprint(),
            "sources": [{"file": name, "sha256": digest} for name, digest in header.sources],
            "bytes": path.stat().st_size,
            "nodes": nodes,
            "arcs": asset.graph.taken(asset.profiles),
            "terrains": as_names(asset.read("/terrain_name")),
            "doors": [
                {**thing._asdict(), "states": list(thing.states)} for thing in level.doors.values()
            ],
            "links": [thing._asdict() for thing in level.links.values()],
            "regions": [thing._asdict() for thing in level.regions.values()],
            "spots": [thing._asdict() for thing in level.spots()],
            "profiles": {
                name: _profile(asset, name, algorithm)
                for name in asset.profiles
                if profile in (None, name)
            },
        }


def _profile(asset: Asset, name: str, algorithm: Algorithm | None) -> dict[str, Any]:
    rows = int(np.count_nonzero(asset.graph.rows(name) >= 0))
    tables = []
    for table, kind, paths in tables_of(name, asset.has):
        shape, in_runs = list(asset.shape(paths[-1])), paths[-1].endswith("/run_move")
        row: dict[str, Any] = {
            "table": table,
            "kind": kind,
            "shape": [rows, rows] if in_runs else shape,
            "dtype": asset.dtype(paths[-1]),
            "bytes": sum(asset.stored_bytes(path) for path in paths),
        }
        twin = _twin(asset, name, paths)
        if twin is not None:
            row["same_as"] = twin
        if in_runs:
            row["runs"] = shape[0]
            if algorithm is not None:
                arcs = int(np.count_nonzero(asset.graph.weight(name) != BLOCKED))
                row["algorithm"] = choose_algorithm(rows, arcs, algorithm)
                row["chosen_by"] = algorithm
        if table == "clusters":
            labels = asset.read(paths[0])
            row["count"] = int(labels.max()) + 1 if len(labels) else 0
        if table == "hierarchy":
            row["layers"] = asset.shape(paths[0])[0]
        tables.append(row)
    return {
        "nodes": rows,
        "components": asset.number("component_count", f"/profiles/{name}"),
        "one_way": bool(asset.number("one_way", f"/profiles/{name}")),
        "tables": tables,
    }


def _twin(asset: Asset, name: str, paths: Sequence[str]) -> str | None:
    """Return the first earlier profile that shares this table in the file."""
    for other in asset.profiles[: asset.profiles.index(name)]:
        pairs = [(own, profile_path(other, own.rpartition("/")[2])) for own in paths]
        if all(asset.has(path) and asset.is_same(own, path) for own, path in pairs):
            return other
    return None


def print_info(info: dict[str, Any]) -> None:
    """Print the result of :func:`inspect_asset` as text and tables."""
    output = console()
    floors = info["floors"]
    size = f"{info['width']} x {info['height'] // floors} " if info["width"] else ""
    kind = "on {} floors, " if info["headings"] is None else "in {} headings, "
    size += kind.format(floors) if floors > 1 else ""
    layout = f" {info['hex_layout']}" if info["hex_layout"] else ""
    output.print(f"[bold]{shown(info['level'])}[/]: {size}{info['kind']}{layout}")
    lines = {
        "nodes, arcs": f"{info['nodes']:,}, {info['arcs']:,}",
        "terrains": ", ".join(info["terrains"]),
        "movement": (f"{info['connectivity']} neighbours, " if info["connectivity"] else "")
        + f"corner cutting {info['corner_cutting']}, cost rule {info['cost_rule']}, "
        f"{info['ticks_per_unit']:,} ticks a unit",
        "sources": ", ".join(_source_text(source["file"]) for source in info["sources"]),
        "format": ("flat file, " if info["flat"] else "")
        + f"version {info['format_version']}, baked by revision {info['bake_revision']}",
        "fingerprint": info["fingerprint"][:16],
        "file": in_units(info["bytes"]),
    }
    if info["width"]:
        coordinates = info["coordinates"]
        stated = (
            "none stated, one unit a cell"
            if coordinates is None
            else place_of(Coordinates(**coordinates))
        )
        lines = {"coordinates": stated, **lines}
    if info["flat"]:
        del lines["sources"]  # The asset knows them.
    for label, text in lines.items():
        output.print(f"  {label:<12} {printable(text)}", markup=False)
    headings = ("profile", "table", "what it is", "shape", "type", "stored")
    rows = (row for name, profile in info["profiles"].items() for row in _table_rows(name, profile))
    print_table(output, headings, ("shape", "stored"), rows, pad_edge=True)
    things = list(_thing_rows(info))
    if things:
        width = max(map(len, things))
        print_table(output, THING_HEADINGS[:width], (), things, pad_edge=True)


def _explain(table: dict[str, Any]) -> str:
    """Return a description of a table, with its counts and the algorithm behind it."""
    kind: str = table["kind"]
    if "count" in table:
        return f"{table['count']:,} {kind}"
    if "layers" in table:
        return f"HPA*, {counted(table['layers'], 'layer')} over clusters"
    if "algorithm" in table:
        chosen = ' ("auto")' if table["chosen_by"] == "auto" else ""
        return f"{kind}, by {name_algorithms([table['algorithm']])}{chosen}"
    return kind


def _source_text(name: str) -> str:
    patch = name.removeprefix(PATCH_PREFIX)
    return name if patch == name else f"the patch {patch}"


def _thing_rows(found: dict[str, Any]) -> Iterator[list[str]]:
    """Yield a row for each door, link, region and spot, and a row for the omitted ones of a kind.

    A row ends before the id if a thing has none.
    """
    columns_of_kind = {
        "doors": _of_door,
        "links": _of_link,
        "regions": _of_region,
        "spots": _of_spot,
    }
    for kind, columns in columns_of_kind.items():
        things = found[kind]
        shown_ones = things if len(things) <= MOST_THINGS + 1 else things[:MOST_THINGS]
        for number, thing in enumerate(shown_ones):
            takers = ", ".join(thing.get("profiles") or ())
            row = [thing["name"], *columns(thing), takers]
            row += [thing["id"]] if thing["id"] else []
            yield ["" if number else kind, *map(shown, row)]
        if more := len(things) - len(shown_ones):
            yield ["", "...", f"and {more:,} more, see --json"]


def _of_door(door: dict[str, Any]) -> tuple[str, str]:
    others = [state for state in door["states"] if state != door["state"]]
    text = f"{door['state']}, may be {' or '.join(others)}" if others else str(door["state"])
    return text, _area(door["cells"])


def _of_link(link: dict[str, Any]) -> tuple[str, str]:
    way = "both ways" if link["both_ways"] else "one way"
    via = f", through {counted(len(link['via']), 'cell')}" if link["via"] else ""
    return f"{link['kind']}, {way}, cost {link['cost']:g}{via}", (
        f"{_spoken(link['start'])} to {_spoken(link['goal'])}"
    )


def _of_region(region: dict[str, Any]) -> tuple[str, str]:
    nodes = region["nodes"]
    if not nodes:
        return "", _area(region["cells"])
    return "", counted(len(nodes), "node") + f", first {shown(str(nodes[0]))}"


def _of_spot(spot: dict[str, Any]) -> tuple[str, str]:
    return str(spot["kind"]), _spoken(spot["place"])


def _area(cells: Int32Array) -> str:
    if not len(cells):
        return "no cells"
    first = _spoken(cells[0])
    return first if len(cells) == 1 else f"{len(cells):,} cells, first {first}"


def _spoken(place: Iterable[int]) -> str:
    return f"({', '.join(map(str, place))})"


def place_of(coordinates: Coordinates) -> str:
    """Format a level's coordinates: the center of the first cell and the steps to its neighbors."""
    centres = " or ".join(map(_point, coordinates.centres))
    steps = f"{_point(coordinates.east)} and {_point(coordinates.south)}"
    return f"cell (0, 0) at {centres}, the next ones {steps} on"


def _point(point: Point) -> str:
    return f"({point[0]:.12g}, {point[1]:.12g})"


def _table_rows(name: str, profile: dict[str, Any]) -> Iterator[list[str]]:
    parts = f"{counted(profile['components'], 'component')} of {profile['nodes']:,} nodes"
    tables = profile["tables"]
    # A profile with a single component has no column for components.
    if all(table["table"] != "components" for table in tables):
        one = {"table": "components", "shape": [profile["nodes"]], "dtype": "", "bytes": 0}
        tables = [one, *tables]
    for number, table in enumerate(tables):
        yield [
            "" if number else shown(name),
            table["table"],
            parts if table["table"] == "components" else _explain(table),
            " x ".join(f"{length:,}" for length in table["shape"]),
            table["dtype"],
            f"as {shown(table['same_as'])}" if "same_as" in table else in_units(table["bytes"]),
        ]
