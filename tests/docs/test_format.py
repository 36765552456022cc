"""docs/format.md against the table of columns, and against files that bake writes."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from bake.baking import find_tasks
from bake.baking.level import bake_level
from bake.core.movement import HEX_LAYOUTS
from bake.export.export import export_asset
from bake.play import open_asset
from bake.play.reader.places import NodePlaces
from bake.project.recipe import load_recipe
from bake.store import Asset, document, schema
from bake.store.flat import document as flat_document
from bake.store.write import DESCRIPTIONS
from levelbake import file as reading
from levelbake.columns import PROFILE, pattern_of
from levelbake.file import FLAT_VERSION, FlatFile, Header
from levelbake.places import Coordinates
from levelbake.steps import HexLayout
from tests.support.baked import bake, cells_of_nodes
from tests.support.pages import ROOT, blocks, page, section

PAGE = page("format.md")


def test_the_tables_are_those_of_the_schema() -> None:
    section = document.section_of(PAGE, flat_document.MAKER)
    assert section == flat_document.format_tables(), "run `python -m bake.store.flat.document`"


def test_rewriting_the_page_changes_the_section_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, maker = tmp_path / "format.md", flat_document.MAKER
    copy.write_text(document.with_section(PAGE, "outdated\n", maker), "utf-8")
    assert document.section_of(copy.read_text("utf-8"), maker) == "outdated\n"
    monkeypatch.setattr(flat_document, "PAGE", copy)
    flat_document.main()
    assert copy.read_text("utf-8") == PAGE


def test_the_page_speaks_of_this_version() -> None:
    versions = (
        f"version {reading.FORMAT_VERSION} of assets and version {FLAT_VERSION} of flat files"
    )
    assert f"This is {versions}." in PAGE
    assert f'"{reading.FORMAT_NAME}"' in PAGE


def test_the_page_is_read_in_half_an_hour() -> None:
    assert len(PAGE.split("<!-- schema")[0].split()) <= 5000


def test_the_lookup_by_hand(tmp_path: Path) -> None:
    """The level of the page, and all that it says of row 10."""
    drawing, rows_at = [], []
    for line in blocks(section(PAGE, "A lookup by hand"), "")[0].splitlines()[1:]:
        parts = re.split(r"\s{3,}", line.strip())
        drawing.append(parts[0].split()[1:])
        rows_at += [-1 if each == "·" else int(each) for each in parts[2].split()]
    source = tmp_path / "pond.json"
    source.write_text(
        json.dumps(
            {
                "format": "bake-tiles",
                "version": 1,
                "terrains": {"floor": 1, "wall": "blocked"},
                "legend": {".": "floor", "#": "wall"},
                "rows": ["".join(row) for row in drawing],
            }
        )
    )
    asset = bake(source)
    with Asset(asset) as opened:
        export_asset(opened, tmp_path / "pond.bake")
    flat = FlatFile(tmp_path / "pond.bake")
    own = {name: flat.read(0, name) for profile, name in flat.entries if profile == 0}
    assert own["row_at"].tolist() == rows_at
    assert own["first_run"][10:12].tolist() == [28, 31]
    assert own["run_start"][28:31].tolist() == [0, 3, 4]
    assert own["run_move"][28:31].tolist() == [6, 0, 254]
    assert (own["greedy_kind"][10], own["greedy_move"][8, 12]) == (8, 0)
    assert own["step_ticks"].reshape(-1).tolist() == [27720, 39202]
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.next_hop((1, 3), (1, 0)) == (0, 2)
        assert nav.next_hop((1, 3), (3, 1)) == (2, 3)


def test_the_header_has_these_fields() -> None:
    (example,) = (json.loads(text) for text in blocks(PAGE, "json"))
    known = ["format", *Header._fields[:-1], "seal"]
    assert list(example) == known
    described = re.findall(r"^\| `(\w+)` \|", section(PAGE, "The asset"), re.MULTILINE)
    assert described == known


def test_the_header_of_a_file(example: Path) -> None:
    data = (example / "baked" / "five.h5").read_bytes()
    header, end = json.JSONDecoder().raw_decode(data.split(b"\x89HDF")[0].decode())
    (shown,) = (json.loads(text) for text in blocks(PAGE, "json"))
    varies = ("body", "recipe", "size", "seal")
    assert header | dict.fromkeys(varies) == shown | dict.fromkeys(varies)
    text, last = data[:end].split(b'"seal": ')
    assert json.loads(last.removesuffix(b"\n}")) == hashlib.sha256(text).hexdigest()
    assert header["size"] == len(data)
    assert header["body"] == hashlib.sha256(data[header["block"] :]).hexdigest()
    assert data[end : header["block"]].strip() == b""
    assert data[header["block"] :].startswith(b"\x89HDF\r\n\x1a\n")


def test_every_column_says_what_it_counts(example: Path) -> None:
    declared = {column.path: column for column in schema.COLUMNS}
    seen = 0

    def look(path: str, item: object) -> None:
        nonlocal seen
        if isinstance(item, h5py.Dataset) and path != DESCRIPTIONS:
            column = declared[pattern_of("/" + path)]
            assert item.attrs["unit"].decode() == column.unit
            assert item.attrs.get("encoding", b"").decode() == column.encoding
            assert item.attrs["dimensions"].decode() == ", ".join(column.dims)
            assert item.attrs["sha256"].decode() == hashlib.sha256(item[()].tobytes()).hexdigest()
            assert (item.chunks is None) == (item.nbytes <= 64)
            compact = item.id.get_create_plist().get_layout() == h5py.h5d.COMPACT
            assert compact == (0 < item.nbytes <= 64)
            seen += 1

    for asset in sorted((example / "baked").glob("*.h5")):
        with h5py.File(asset) as file:
            file.visititems(look)
    assert seen > 50


def test_equal_dimensions_have_equal_lengths(example: Path) -> None:
    for asset in sorted((example / "baked").glob("*.h5")):
        with h5py.File(asset) as file:
            for profile in file["profiles"]:
                lengths: dict[str, set[int]] = {}
                for column in schema.COLUMNS:
                    path = column.path.replace(PROFILE, profile)
                    if path in file:
                        for dim, length in zip(column.dims, file[path].shape, strict=True):
                            lengths.setdefault(dim, set()).add(length)
                assert all(len(found) == 1 for found in lengths.values()), (asset, lengths)
                if "node + 1" in lengths:
                    assert lengths["node + 1"] == {lengths["node"].copy().pop() + 1}
                with Asset(asset) as opened:
                    standing = int((opened.graph.rows(profile) >= 0).sum())
                assert lengths["row"] == {standing}


class FromScratch:
    """The lines of the page, line by line, over what h5py reads."""

    def __init__(self, asset: Path, profile: str) -> None:
        with h5py.File(asset) as file:
            self.own: Any = {name: column[()] for name, column in file["profiles"][profile].items()}
            self.one_way = int(file["profiles"][profile].attrs["one_way"])
            layout = file.attrs.get("hex_layout", b"").decode()
        with Asset(asset) as opened:
            graph = opened.graph
            self.first_out, self.head = graph.first_out, graph.head
            self.weight, component = graph.weight(profile), graph.component(profile)
            standing = component >= 0
            self.node_of = np.flatnonzero(standing)
            self.component = component[standing]
            self.row_of = np.where(standing, np.cumsum(standing) - 1, -1)
            self.none = np.iinfo(self.own["run_move"].dtype).max
            self.first_run, self.run_start = self.runs()
            if graph.is_grid:
                x, y = cells_of_nodes(opened)[standing].T.astype(np.int64)
                # The page's table, row by row.
                self.at_x, self.at_y = {
                    "": (x, y),
                    "odd-r": (x - (y - (y & 1)) // 2, y),
                    "even-r": (x - (y + (y & 1)) // 2, y),
                    "odd-q": (x, y - (x - (x & 1)) // 2),
                    "even-q": (x, y - (x + (x & 1)) // 2),
                }[layout]

    def next_hop(self, start: int, goal: int) -> int:
        row, goal_row = self.row_of[start], self.row_of[goal]
        if row < 0 or goal_row < 0:
            return -1
        if row == goal_row:
            return goal
        if not self.reaches(row, goal_row):
            return -1
        slot = self.slot_of(row, goal_row)
        if slot < 0:
            return -1
        return int(self.head[self.first_out[start] + slot])

    def runs(self) -> tuple[list[int], list[int]]:
        first_run, run_start, byte, run = [], [], 0, 0
        for _ in self.node_of:
            first_run.append(run)
            start = 0
            while True:
                run_start.append(start)
                run += 1
                length = bits = 0
                while True:
                    length |= (int(self.own["run_length"][byte]) & 127) << bits
                    byte += 1
                    bits += 7
                    if self.own["run_length"][byte - 1] < 128:
                        break
                start += length
                if length == 0:
                    break
        assert byte == len(self.own["run_length"])
        assert run == len(self.own["run_move"])
        return [*first_run, run], run_start

    def reaches(self, row: int, goal: int) -> bool:
        a, b = self.component[row], self.component[goal]
        if a == b or not self.one_way:
            return bool(a == b)
        return "reach" not in self.own or bool(self.own["reach"][a, b // 8] >> (7 - b % 8) & 1)

    def slot_of(self, row: int, goal: int) -> int:
        run, end = self.first_run[row], self.first_run[row + 1]
        while end - run > 1:
            middle = run + (end - run) // 2
            if self.run_start[middle] <= goal:
                run = middle
            else:
                end = middle
        slot = int(self.own["run_move"][run])
        if slot == self.none:
            return -1
        return self.greedy(row, goal) if slot == self.none - 1 else slot

    def greedy(self, row: int, goal: int) -> int:
        dx = int(self.at_x[goal] - self.at_x[row])
        dy = int(self.at_y[goal] - self.at_y[row])
        x, y = int(dx > 0) - int(dx < 0), int(dy > 0) - int(dy < 0)
        slot = self.toward(row, x, y)
        if slot >= 0 or x == 0 or y == 0:
            return slot
        upright = abs(dy) > abs(dx)
        slot = self.toward(row, 0, y) if upright else self.toward(row, x, 0)
        if slot < 0:
            slot = self.toward(row, x, 0) if upright else self.toward(row, 0, y)
        return slot

    def toward(self, row: int, x: int, y: int) -> int:
        node = self.node_of[row]
        for slot, arc in enumerate(range(self.first_out[node], self.first_out[node + 1])):
            if self.weight[arc] != 2147483647:
                other = self.row_of[self.head[arc]]
                away = self.at_x[other] - self.at_x[row], self.at_y[other] - self.at_y[row]
                if away == (x, y):
                    return slot
        return -1


@pytest.mark.parametrize(
    ("name", "profile"),
    [
        *(("five", "default"), ("oneway", "default"), ("roads", "default")),
        *(("arcade", "default"), ("marsh", "boat"), ("marsh", "cart"), ("keep", "default")),
    ],
)
def test_a_lookup_from_scratch_agrees_with_the_reader(
    example: Path, name: str, profile: str
) -> None:
    path = example / "baked" / f"{name}.h5"
    scratch = FromScratch(path, profile)
    with Asset(path) as asset:
        known = NodePlaces(asset)
        places = [known.place(node) for node in range(known.node_count)]
    random = np.random.default_rng(7)
    standing = np.flatnonzero(scratch.row_of >= 0)
    with open_asset(path) as level:
        nav = level.profile(profile)
        for start, goal in random.choice(standing, (300, 2)).tolist():
            node = scratch.next_hop(start, goal)
            found = nav.next_hop(places[start], places[goal])
            assert found == (None if node < 0 else places[node])


NO_WAY = 2**30


class LabelsFromScratch:
    """The lines of the page about distances, line by line."""

    def __init__(self, asset: Path) -> None:
        with h5py.File(asset) as file:
            own = {name: column[()] for name, column in file["profiles/default"].items()}
        self.parent = own["label_parent"].tolist()
        self.depth = [self._depth(row) for row in range(len(self.parent))]
        self.first = [0, *np.cumsum(self.depth).tolist()]
        difference = own["label_difference"].tolist()
        self.away = self._added_up(own["label_away"].tolist(), difference)
        toward = own.get("label_toward")
        self.toward = self.away if toward is None else self._added_up(toward.tolist(), difference)

    def _depth(self, row: int) -> int:
        above = self.parent[row]
        return 0 if above < 0 else 1 + self._depth(above)

    def _added_up(self, codes: list[int], difference: list[int]) -> list[int]:
        ticks = [0] * len(codes)
        for row in sorted(range(len(self.parent)), key=self.depth.__getitem__):
            above = self.parent[row]
            for k in range(self.depth[row]):
                code = codes[self.first[row] + k]
                base = ticks[self.first[above] + k] if k < self.depth[above] else 0
                ticks[self.first[row] + k] = (
                    NO_WAY if code == 0 else difference[code] + (0 if base == NO_WAY else base)
                )
        return ticks

    def distance(self, row: int, goal: int) -> int:
        one, other = row, goal
        while one != other:
            if self.depth[one] < self.depth[other]:
                one, other = other, one
            one = self.parent[one]
            if one < 0:
                return NO_WAY
        return min(
            (self.away[self.first[row] + k] if k < self.depth[row] else 0)
            + (self.toward[self.first[goal] + k] if k < self.depth[goal] else 0)
            for k in range(self.depth[one] + 1)
        )


@pytest.mark.parametrize("name", ["arcade", "oneway", "roads", "valley"])
def test_a_distance_from_scratch_agrees_with_next_hops(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(ROOT / "bake.toml")
    (task,) = (task for task in find_tasks(recipe, [], tmp_path) if task.name == name)
    for tables in ("next_hops", "distances"):
        asset = tmp_path / f"{tables}.h5"
        rules = replace(task.recipe, tables=(tables,))
        bake_level(replace(task, asset=asset, recipe=rules), 1, lambda stage, done: None)
    scratch = LabelsFromScratch(tmp_path / "distances.h5")
    with open_asset(tmp_path / "next_hops.h5") as level:
        engine = level.profile()._now.engine
        pairs = np.random.default_rng(8).integers(engine.version.row_count, size=(300, 2))
        for row, goal in pairs.tolist():
            ticks = scratch.distance(row, goal)
            assert (math.inf if ticks >= NO_WAY else ticks) == engine.ticks(row, goal)


def cell_from_scratch(
    point: tuple[float, float], centre: tuple[float, float], where: Coordinates, layout: str
) -> tuple[int, int]:
    """The lines of the page about the hexagon that a point lies in, for rows and for columns."""
    rows = layout.endswith("r")
    a, b = (where.east[0], where.south[1]) if rows else (where.south[1], where.east[0])
    u, v = point[0] - centre[0], point[1] - centre[1]
    if not rows:
        u, v = v, u
    p = int(layout.startswith("even"))
    y = 2 * math.floor((v - p * b + where.side / 2) / (2 * b)) + p
    x = math.floor(u / a + p / 2 + 1 / 2)

    def far(cell: tuple[int, int]) -> float:
        shift = (cell[1] % 2) * (-0.5 if p else 0.5)
        return math.hypot(u - (cell[0] + shift) * a, v - cell[1] * b)

    x, y = min(((x, y), (x - 1, y + 1), (x, y + 1), (x, y + 2)), key=far)
    return (x, y) if rows else (y, x)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_of_points_from_scratch(layout: HexLayout) -> None:
    rng = np.random.default_rng(9)
    for _ in range(50):
        across, along, side = rng.uniform(0.3, 3, 3)
        centre = tuple(rng.uniform(-9, 9, 2).tolist())
        pitch = along if layout.endswith("r") else across
        where = Coordinates((centre,), (across, 0.0), (0.0, along), side / 3 * pitch)
        points = rng.uniform(-20, 20, (40, 2))
        found = where.cells(points, np.zeros(40, dtype=np.int64), layout)
        for point, cell in zip(points.tolist(), found.tolist(), strict=True):
            assert cell_from_scratch(tuple(point), centre, where, layout) == tuple(cell)


def test_the_changelog_says_whether_to_rebake() -> None:
    releases = (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n## ")
    rebake = next(line for line in releases[1].splitlines() if line.startswith("**Rebake:**"))
    assert f"format version {reading.FORMAT_VERSION}" in rebake
    assert f"revision {schema.BAKE_REVISION}" in rebake
