"""What is written comes back; the file says by itself what it holds."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.apply import apply_patch
from bake.play import open_asset
from bake.project.recipe.rules import TABLE_NAMES
from bake.store import Asset, header_for, sha256_of
from bake.store.columns import COLUMNS as ALL_COLUMNS
from bake.store.header import read_header
from bake.store.schema import ATTRIBUTES, BAKE_REVISION, COLUMNS, LEVELS, TABLES
from bake.store.write import DESCRIPTIONS, Contents, write_asset
from levelbake.columns import PROFILE, pattern_of, type_name
from levelbake.errors import AssetError
from levelbake.file import FORMAT_NAME, FORMAT_VERSION
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.contents import SOURCES, full_contents
from tests.support.lattices import bake_on_cells
from tests.support.oracles import Ground
from tests.support.stored import stored_asset
from tests.support.tower import baked_tower


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "full.h5"
    write_asset(path, header_for("full", SOURCES, "c" * 64), full_contents())
    return path


def test_every_column_and_attribute_comes_back(written: Path) -> None:
    contents = full_contents()
    with Asset(written) as asset:
        assert asset.profiles == ("default", "z.9_-x")
        assert sorted(asset.columns()) == sorted(contents.columns)
        for path, array in contents.columns.items():
            got = asset.read(path)
            assert got.dtype == array.dtype
            assert np.array_equal(got, array)
            assert asset.shape(path) == array.shape
            assert asset.dtype(path) == ("text" if array.dtype.kind == "S" else str(array.dtype))
            assert asset.stored_bytes(path) > 0
        for (group, name), value in contents.attributes.items():
            got = asset.text(name, group) if isinstance(value, str) else asset.number(name, group)
            assert got == value


@pytest.mark.parametrize("name", ["run_move", "label_difference"])
def test_every_declared_type_at_its_limits(tmp_path: Path, name: str) -> None:
    """Of columns that the table allows any elements of."""
    path = f"/profiles/p/{name}"
    column = LEVELS.column(path)
    for dtype in column.dtypes:
        limits = np.iinfo(dtype)
        array = np.full([4] * len(column.dims), limits.min, dtype=dtype)
        array.flat[1:3] = [limits.max, 1]
        asset_path = tmp_path / f"{dtype}.h5"
        write_asset(asset_path, header_for("one", SOURCES, ""), Contents({}, {path: array}))
        with Asset(asset_path) as asset:
            got = asset.read(path)
            assert got.dtype == dtype
            assert got.tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", [(0, 1), (1, 1), (300, 300)])
def test_tables_of_any_size(tmp_path: Path, shape: tuple[int, int]) -> None:
    """Empty ones, and those of several chunks."""
    pivot = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    path, column = tmp_path / "table.h5", "/profiles/p/pivot_distance"
    write_asset(path, header_for("table", SOURCES, ""), Contents({}, {column: pivot}))
    with Asset(path) as asset:
        assert np.array_equal(asset.read(column), pivot)
        assert asset.shape(column) == shape


def test_an_open_asset_keeps_its_own_bytes(written: Path) -> None:
    """A game that has it open while it is baked again goes on with the old one."""
    expected = full_contents().columns
    with Asset(written) as asset:
        other = Contents({}, {"/profiles/p/run_move": np.full(8100, 7, dtype=np.uint8)})
        write_asset(written, header_for("new", (), ""), other)
        for path in ("/profiles/default/run_move", "/profiles/z.9_-x/weight", "/head"):
            assert np.array_equal(asset.read(path), expected[path])


def test_text_is_marked_as_what_it_is(written: Path) -> None:
    """Other tools decode by the mark, ASCII or UTF-8."""
    with h5py.File(written) as file:
        for group, name in full_contents().attributes:
            stored = file[group].attrs.get_id(name).dtype
            if stored.kind == "S":
                assert h5py.check_string_dtype(stored).encoding == "utf-8", name
        for path in ("/terrain_name", "/node_name"):
            assert h5py.check_string_dtype(file[path].dtype).encoding == "utf-8"
            for name in ("unit", "dimensions"):
                stored = file[path].attrs.get_id(name).dtype
                assert h5py.check_string_dtype(stored).encoding == "ascii"


def test_a_long_recipe(tmp_path: Path) -> None:
    """HDF5 keeps attributes beyond 64 KiB elsewhere."""
    path = tmp_path / "long.h5"
    recipe = "Ä" * 200_000
    texts = {("/", "recipe"): recipe, ("/profiles/p", "one_way"): 0}
    write_asset(path, header_for("", SOURCES, ""), Contents(texts, {}))
    with Asset(path) as asset:
        assert asset.text("recipe") == recipe


def test_arrays_outlive_the_asset(written: Path) -> None:
    with Asset(written) as asset:
        read = asset.read("/head")
    expected = full_contents().columns
    assert np.array_equal(read, expected["/head"])
    with pytest.raises(AssetError, match="closed"):
        asset.read("/head")
    with pytest.raises(AssetError, match="closed"):
        asset.text("recipe")


def test_two_writes_are_equal_to_the_byte(tmp_path: Path, written: Path) -> None:
    other = tmp_path / "other.h5"
    contents = full_contents()
    backwards = Contents(
        dict(reversed(list(contents.attributes.items()))),
        dict(reversed(list(contents.columns.items()))),
    )
    write_asset(other, header_for("full", SOURCES, "c" * 64), backwards)
    assert other.read_bytes() == written.read_bytes()


def test_writing_over_an_asset_leaves_no_trace_of_it(tmp_path: Path, written: Path) -> None:
    expected = written.read_bytes()
    path = tmp_path / "again.h5"
    write_asset(path, header_for("else", (("x", "y"),), ""), Contents({}, {}))
    write_asset(path, header_for("full", SOURCES, "c" * 64), full_contents())
    assert path.read_bytes() == expected
    assert sorted(file.name for file in tmp_path.iterdir()) == ["again.h5", "full.h5"]


# -- the header -----------------------------------------------------------------------------------


def test_the_header_is_readable_text(written: Path) -> None:
    header = read_header(written)
    assert (header.level, header.sources, header.recipe) == ("full", SOURCES, "c" * 64)
    assert (header.format_version, header.bake_revision) == (FORMAT_VERSION, BAKE_REVISION)
    with written.open("rb") as file:
        text = file.read(header.block)
        assert file.read(8) == b"\x89HDF\r\n\x1a\n"
    fields = json.loads(text)
    assert fields["format"] == FORMAT_NAME
    assert fields["level"] == "full"
    with Asset(written) as asset:
        assert asset.header == header


def test_the_body_hashes_to_what_the_header_says(written: Path) -> None:
    header = read_header(written)
    assert sha256_of(written, skip=header.block) == header.body
    data = bytearray(written.read_bytes())
    data[-1] ^= 1
    written.write_bytes(data)
    assert sha256_of(written, skip=header.block) != header.body


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        "Straße",
        "深い森",
        'quo"te',
        "back\\slash",
        "a{b",
        "a}b",
        "{}",
        "e" * 200,
        "x\ny",
        "☃" * 80,
    ],
)
def test_any_name_of_a_level(tmp_path: Path, name: str) -> None:
    sources = ((f"{name}.png", "a" * 64), *((f"{name}/tiles {n}.png", "b" * 64) for n in range(30)))
    path = tmp_path / "named.h5"
    header = header_for(name, sources, "d" * 64)
    write_asset(path, header, Contents({("/profiles/p", "one_way"): 0}, {}))
    found = read_header(path)
    assert (found.level, found.sources, found.block) == (name, sources, header.block)
    with Asset(path) as asset:
        assert asset.header == found


def test_the_fingerprint_hangs_on_what_was_baked_and_not_on_the_body(written: Path) -> None:
    one = header_for("a", SOURCES, "r")
    assert one.fingerprint() == header_for("a", SOURCES, "r").fingerprint()
    others = [
        header_for("b", SOURCES, "r"),
        header_for("a", SOURCES[:1], "r"),
        header_for("a", SOURCES, "s"),
    ]
    assert len({one.fingerprint(), *(other.fingerprint() for other in others)}) == 4
    draft = header_for("full", SOURCES, "c" * 64)
    assert read_header(written).fingerprint() == draft.fingerprint()
    assert read_header(written).body != draft.body


# -- what a bake really writes --------------------------------------------------------------------


def real_assets(folder: Path) -> list[Path]:
    grid = rows("..~=.#", ".m~=v.", "..~...")
    two = (
        profile_for("boat", dict.fromkeys(LETTERS, Ground(None)) | {"water": Ground(1)}),
        profile_for("walker", GROUND),
    )
    square = write_grid(folder / "square.json", grid)
    hexagonal = write_grid(folder / "hexagonal.json", grid, "odd-q", cell_size=24)
    roads = write_graph(
        folder / "roads.json", ["a", "b"], [("a", "b", 1.5)], positions={"a": (0, 0), "b": (1, 1)}
    )
    return [
        bake(square, recipe_for(profiles=two, tables=TABLE_NAMES)),
        bake(
            square.rename(folder / "runs.json"),
            recipe_for(distance_storage="labels", heuristic_kind="landmark"),
        ),
        bake(hexagonal, recipe_for()),
        # Ground with slopes, whose arcs are listed, and a link.
        bake(write_hill(folder / "hill.json"), recipe_for(slopes={"up": 1.0})),
        bake(roads),
        bake(write_graph(folder / "numbers.json", [4, 2], [(4, 2, 1.5)])),
        baked_tower(folder),
        bake(write_yard(folder / "yard.json")),
        bake(write_stairs(folder / "stairs.json")),
        patched(folder),
        bake_on_cells(
            write_grid(folder / "cells.json", grid),
            recipe_for(
                tables=("hierarchy",),
                profiles=(*two, replace(two[1], name="giant", size=2)),
            ),
        ),
        # Ground with elevation and slopes, headings, and regions of nodes.
        *map(stored_asset, ("ridge.json", "depot.json", "station.json")),
        # Walls, and domains between them.
        bake(write_yard(folder / "square-yard.json"), recipe_for(division="visibility")),
        stored_asset("grove.json"),
        bake(write_glade(folder / "glade.json"), recipe_for(division="dirichlet")),
        bake(write_huts(folder / "huts.json"), recipe_for()),
    ]


def write_yard(path: Path) -> Path:
    """A level of shapes on two floors."""
    shapes = [{"terrain": "floor", "rect": [0, 0, 4, 4], "floor": floor} for floor in (0, 1)]
    links = [{"start": [1, 1], "goal": [1, 1], "goal_floor": 1, "both_ways": True}]
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes, "links": links}
    path.write_text(json.dumps(document))
    return path


def write_glade(path: Path) -> Path:
    """A level of two points, one of which has a domain that is drawn by hand."""
    shapes = [{"terrain": "floor", "rect": [0, 0, 8, 4]}]
    drawn = [[1, 1], [5, 1], [5, 3], [1, 3]]
    points = [{"at": [2, 2], "domain": drawn}, {"at": [6, 2]}]
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes, "points": points}
    path.write_text(json.dumps(document))
    return path


def write_hill(path: Path) -> Path:
    """Two cells of different height, joined by a link as well."""
    link = {"name": "lift", "from": [0, 0], "to": [1, 0], "cost": 3}
    return write_grid(path, rows(".."), elevation=[[0, 1]], links=[link])


def write_huts(path: Path) -> Path:
    """Two huts with a ledge that is entered from the floor, and not from the road beside it."""
    huts = [{"of": "hut", "at": [0, 0]}, {"of": "hut", "at": [5, 0], "mirrored": True}]
    hut = {"rows": ["###", "#=.", "#.v"]}
    grid = rows("........", "........", "........", "........")
    return write_grid(path, grid, prototypes={"hut": hut}, instances=huts)


def write_stairs(path: Path) -> Path:
    """A graph whose nodes lie at different heights."""
    nodes = [{"id": "low", "pos": [0, 0, 0]}, {"id": "high", "pos": [1, 0, 2]}]
    document = {"nodes": nodes, "edges": [{"source": "low", "target": "high"}]}
    path.write_text(json.dumps(document))
    return path


def patched(folder: Path) -> Path:
    """An asset whose own prices came from a patch."""
    asset = bake(write_grid(folder / "priced.json", rows("...")), recipe_for())
    with open_asset(asset) as level:
        level.update(arcs={((0, 0), (1, 0)): 7.0})
        level.save_patch(folder / "saved.patch")
    output = folder / "patched.h5"
    apply_patch(asset, folder / "saved.patch", output, 1, lambda stage, done: None)
    return output


def test_everything_written_is_declared_and_describes_itself(tmp_path: Path) -> None:
    columns = {column.path: column for column in COLUMNS}
    attributes = {(each.group, each.name): each for each in ATTRIBUTES}
    seen_columns, seen_attributes = set(), set()
    for path in real_assets(tmp_path):
        groups: dict[str, h5py.Group] = {}
        datasets: dict[str, h5py.Dataset] = {}
        with h5py.File(path) as file:
            groups["/"] = file
            file.visititems(
                lambda name, item, groups=groups, datasets=datasets: (
                    datasets if isinstance(item, h5py.Dataset) else groups
                ).__setitem__(f"/{name}", item)
            )
            lines = [text.decode() for text in datasets.pop(f"/{DESCRIPTIONS}")[()]]
            described = [columns[path] for path in sorted({pattern_of(path) for path in datasets})]
            assert sorted(line.partition(": ")[0] for line in lines) == sorted(
                column.name for column in described
            )
            for column in described:
                (text,) = (line for line in lines if line.startswith(f"{column.name}: "))
                assert len(text) > len(column.name) + 5
                assert column.description.startswith(text.partition(": ")[2])
            for name, dataset in datasets.items():
                column = columns[pattern_of(name)]
                seen_columns.add(column.path)
                assert dataset.ndim == len(column.dims)
                assert type_name(dataset.dtype) in column.dtypes
                assert dict(dataset.attrs) == {
                    "unit": column.unit.encode(),
                    "dimensions": ", ".join(column.dims).encode(),
                    "sha256": hashlib.sha256(dataset[()].tobytes()).hexdigest().encode(),
                    **({"encoding": column.encoding.encode()} if column.encoding else {}),
                }
            for name, group in groups.items():
                for attribute in group.attrs:
                    pattern = pattern_of(f"{name}/x").rsplit("/", 1)[0] or "/"
                    declared = attributes[pattern, attribute]
                    seen_attributes.add((pattern, attribute))
                    text = isinstance(group.attrs[attribute], bytes)
                    assert text == (declared.kind == "text")
            present = {pattern_of(name) for name in datasets}
            worlds = {"both", "graph" if file.attrs["kind"] == b"graph" else "grid"}
            required = {c.path for c in COLUMNS if not c.optional and c.world in worlds}
            assert required - ({"/terrain"} if "/is_node" in present else set()) <= present
            for declared in ATTRIBUTES:
                if not declared.optional and PROFILE not in declared.group:
                    assert declared.name in file[declared.group].attrs
    assert seen_columns == set(columns)
    assert seen_attributes == set(attributes)


def test_equal_dimensions_have_equal_lengths(tmp_path: Path) -> None:
    for path in real_assets(tmp_path):
        with Asset(path) as asset:
            shared: dict[str, int] = {}
            for profile in asset.profiles:
                lengths: dict[str, int] = {}
                for name in asset.columns():
                    column = next(c for c in COLUMNS if c.path == pattern_of(name))
                    if PROFILE in column.path and f"/{profile}/" not in name:
                        continue
                    for dim, length in zip(column.dims, asset.shape(name), strict=True):
                        own = PROFILE in column.path and dim not in ("node", "arc", "terrain")
                        known = (lengths if own else shared).setdefault(dim, length)
                        assert known == length, (name, dim)
            assert shared.get("node + 1", shared.get("node", 0) + 1) == shared.get("node", 0) + 1
            assert shared["channel"] == 3


def test_every_declaration_says_what_it_is() -> None:
    for column in COLUMNS:
        assert column.description
        assert column.unit
        assert column.dims
    assert len({column.path for column in COLUMNS}) == len(COLUMNS)
    assert len({(each.group, each.name) for each in ATTRIBUTES}) == len(ATTRIBUTES)
    names = {column.path.rsplit("/", 1)[1] for column in ALL_COLUMNS}
    assert {name for _, _, columns in TABLES for name in columns} <= names
