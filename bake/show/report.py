"""This module describes builds, plans and assets: in tables for people, as data for programs."""

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
#: Attributes that say how agents move.
_MOVEMENT = ("connectivity", "corner_cutting", "cost_rule", "ticks_per_unit")
#: The last column is left out where no thing has an id.
THING_HEADINGS = ("thing", "name", "what it is", "where", "for", "id")

# -- builds ---------------------------------------------------------------------------------------


def line_of(outcome: Outcome) -> str:
    """Return what a log says of a level that is done; nothing of one that was up to date."""
    if outcome.baked is None:
        return "failed" if outcome.status == "failed" else ""
    baked = outcome.baked
    return (
        f"baked, {counted(baked.nodes, 'node')}, {in_units(baked.bytes)} in {baked.seconds:.2f} s"
    )


def print_summary(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Print a row for each level, all notes, and a line that counts the levels."""
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
    """Return what `bake build --json` prints of builds."""
    return {"levels": list(map(data_of, outcomes)), "seconds": round(seconds, 3)}


def data_of(outcome: Outcome) -> dict[str, Any]:
    """Return what `bake build --json` prints of one level."""
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


#: Names of the algorithms that find next hops.
_ALGORITHMS = {"dijkstra": "Dijkstra", "floyd_warshall": "Floyd-Warshall"}


def name_algorithms(algorithms: Iterable[str | None]) -> str:
    """Return the names of algorithms for a person, each once and without None."""
    return ", ".join(dict.fromkeys(_ALGORITHMS[each] for each in algorithms if each is not None))


def print_plans(plans: Sequence[Plan], total: Total, *, tables: bool) -> None:
    """Print a row for each level, for each of its tables where wanted, and one for all levels."""
    rows = [row for plan in plans for row in _plan_rows(plan, tables=tables)]
    rows.append(["total", "", "", "", f"{total.nodes:,}", "", *_sizes(total)])
    columns = [i for i, heading in enumerate(_PLAN) if tables or heading not in _OF_TABLES]
    rows = [[row[i] for i in columns] for row in rows]
    right = ("nodes", "in the file", "time", "peak memory")
    print_table(console(), [_PLAN[i] for i in columns], right, rows)


#: Columns of plans, and those that only tables fill.
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
    algorithms = name_algorithms(each.algorithm for each in plan.tables)
    yield [level, "", "", "", f"{plan.nodes:,}", algorithms, *_sizes(plan)]
    for one in plan.tables if tables else ():
        seconds = in_time(one.seconds) if one.seconds else ""
        memory = in_units(one.memory) if one.memory else ""
        kind = ["", shown(one.profile), one.table, one.kind, ""]
        algorithm = name_algorithms([one.algorithm])
        yield [*kind, algorithm, in_units(one.bytes), seconds, memory]
    if plan.cluster is not None:
        memory = "nothing to share"
        if plan.cluster.memory:
            memory = f"{in_units(plan.cluster.memory)} each"
        workers = counted(plan.cluster.workers, "worker")
        yield ["", "", "", "", workers, "", "", in_time(plan.cluster.seconds), memory]


def in_time(seconds: float) -> str:
    """Write a time in seconds, minutes or hours."""
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
        algorithm: the recipe's choice for next hops, which no asset holds; None = unknown.

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
                {**each._asdict(), "states": list(each.states)} for each in level.doors.values()
            ],
            "links": [each._asdict() for each in level.links.values()],
            "regions": [each._asdict() for each in level.regions.values()],
            "spots": [each._asdict() for each in level.spots()],
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
        told: dict[str, Any] = {
            "table": table,
            "kind": kind,
            "shape": [rows, rows] if in_runs else shape,
            "dtype": asset.dtype(paths[-1]),
            "bytes": sum(asset.stored_bytes(path) for path in paths),
        }
        twin = _twin(asset, name, paths)
        if twin is not None:
            told["same_as"] = twin
        if in_runs:
            told["runs"] = shape[0]
            if algorithm is not None:
                arcs = int(np.count_nonzero(asset.graph.weight(name) != BLOCKED))
                told["algorithm"] = choose_algorithm(rows, arcs, algorithm)
                told["chosen_by"] = algorithm
        if table == "clusters":
            labels = asset.read(paths[0])
            told["count"] = int(labels.max()) + 1 if len(labels) else 0
        if table == "hierarchy":
            told["layers"] = asset.shape(paths[0])[0]
        tables.append(told)
    return {
        "nodes": rows,
        "components": asset.number("component_count", f"/profiles/{name}"),
        "one_way": bool(asset.number("one_way", f"/profiles/{name}")),
        "tables": tables,
    }


def _twin(asset: Asset, name: str, paths: Sequence[str]) -> str | None:
    """Return the first earlier profile that shares this table, which is then stored once."""
    for other in asset.profiles[: asset.profiles.index(name)]:
        pairs = [(own, profile_path(other, own.rpartition("/")[2])) for own in paths]
        if all(asset.has(path) and asset.is_same(own, path) for own, path in pairs):
            return other
    return None


def print_info(found: dict[str, Any]) -> None:
    """Print what :func:`inspect_asset` found, for people."""
    output = console()
    floors = found["floors"]
    size = f"{found['width']} x {found['height'] // floors} " if found["width"] else ""
    kind = "on {} floors, " if found["headings"] is None else "in {} headings, "
    size += kind.format(floors) if floors > 1 else ""
    layout = f" {found['hex_layout']}" if found["hex_layout"] else ""
    output.print(f"[bold]{shown(found['level'])}[/]: {size}{found['kind']}{layout}")
    lines = {
        "nodes, arcs": f"{found['nodes']:,}, {found['arcs']:,}",
        "terrains": ", ".join(found["terrains"]),
        "movement": (f"{found['connectivity']} neighbours, " if found["connectivity"] else "")
        + f"corner cutting {found['corner_cutting']}, cost rule {found['cost_rule']}, "
        f"{found['ticks_per_unit']:,} ticks a unit",
        "sources": ", ".join(_source_text(source["file"]) for source in found["sources"]),
        "format": ("flat file, " if found["flat"] else "")
        + f"version {found['format_version']}, baked by revision {found['bake_revision']}",
        "fingerprint": found["fingerprint"][:16],
        "file": in_units(found["bytes"]),
    }
    if found["width"]:
        where = found["coordinates"]
        stated = "none stated, one unit a cell" if where is None else place_of(Coordinates(**where))
        lines = {"coordinates": stated, **lines}
    if found["flat"]:
        del lines["sources"]  # The asset knows them.
    for label, text in lines.items():
        output.print(f"  {label:<12} {printable(text)}", markup=False)
    headings = ("profile", "table", "what it is", "shape", "type", "stored")
    rows = (
        row for name, profile in found["profiles"].items() for row in _table_rows(name, profile)
    )
    print_table(output, headings, ("shape", "stored"), rows, pad_edge=True)
    things = list(_thing_rows(found))
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
    """Yield a row for each door, link, region and spot, and one for those of a kind beyond 20.

    A row ends before the id where a thing has none.
    """
    told = {"doors": _of_door, "links": _of_link, "regions": _of_region, "spots": _of_spot}
    for kind, columns in told.items():
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
    told = f"{door['state']}, may be {' or '.join(others)}" if others else str(door["state"])
    return told, _area(door["cells"])


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
    """Write where cells lie: the middle of the first one, and the steps to the next ones."""
    centres = " or ".join(map(_point, coordinates.centres))
    steps = f"{_point(coordinates.east)} and {_point(coordinates.south)}"
    return f"cell (0, 0) at {centres}, the next ones {steps} on"


def _point(point: Point) -> str:
    return f"({point[0]:.12g}, {point[1]:.12g})"


def _table_rows(name: str, profile: dict[str, Any]) -> Iterator[list[str]]:
    parts = f"{counted(profile['components'], 'component')} of {profile['nodes']:,} nodes"
    tables = profile["tables"]
    # Where there is one component, no column says which places are part of it.
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
