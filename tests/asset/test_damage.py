"""Files that are no asset, not this version's, or damaged: each its own error, in one line."""

import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.asset import Asset, read_header
from bake.asset.columns import PROFILE
from bake.asset.columns_things import THING_COLUMNS
from bake.asset.columns_updates import COLUMNS as UPDATE_COLUMNS
from bake.asset.schema import ATTRIBUTES, COLUMNS, FORMAT_VERSION
from bake.errors import (
    AssetError,
    AssetTooNewError,
    AssetTooOldError,
    BakeError,
    CorruptAssetError,
    NotAnAssetError,
)
from bake.runtime import open_asset
from tests.asset.signing import edited, sign_body
from tests.runtime.baked import (
    GROUND,
    bake,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)

#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
DRAWN = rows(
    "..v==~",
    ".#v==~",
    "..v===",
)
PLACES = [(x, y) for y, row in enumerate(DRAWN) for x, name in enumerate(row) if name != "wall"]
NAMES = ["inn", "mill", "ford", "keep"]


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("originals")
    every = (
        *("components", "next_hops", "distances", "clusters", "hierarchy"),
        *("cluster_distances", "heuristic"),
    )
    grid = bake(
        write_grid(folder / "grid.json", DRAWN), recipe_for(tables=every, cluster_size=2, levels=2)
    )
    edges = [("inn", "mill", 1.0), ("mill", "ford", 2.0), ("ford", "inn", 1.0), ("ford", "keep", 1)]
    positions = {name: (float(place), 1.0) for place, name in enumerate(NAMES)}
    source = write_graph(folder / "graph.json", NAMES, edges, positions=positions)  # type: ignore[arg-type]
    graph = bake(source, recipe_for(tables=every, storage="compressed", cluster_size=1))
    return {"grid": grid.read_bytes(), "graph": graph.read_bytes()}


@pytest.fixture
def asset(tmp_path: Path, originals: dict[str, bytes]) -> Path:
    path = tmp_path / "grid.h5"
    path.write_bytes(originals["grid"])
    return path


@pytest.fixture
def graph(tmp_path: Path, originals: dict[str, bytes]) -> Path:
    path = tmp_path / "graph.h5"
    path.write_bytes(originals["graph"])
    return path


def ask_everything(path: Path, *, check: bool = True) -> list[object]:
    """Every kind of question about every pair; ends with what the reader answered."""
    answers: list[object] = []
    with open_asset(path, check=check) as level:
        nav = level.profile("default")
        places: list = NAMES if not level.width else PLACES  # type: ignore[type-arg]
        for start in places:
            for goal in places:
                way = nav.path(start, goal)
                answers += [
                    nav.next_hop(start, goal),
                    nav.distance(start, goal),
                    nav.reachable(start, goal),
                    way,
                    round(nav.search(start, goal, "hpa").cost, 6),
                    nav.heuristic(start, goal),
                    nav.cluster_distance(nav.cluster(start), nav.cluster(goal)),
                    nav.cluster_cost(nav.cluster(start), nav.cluster(goal)),
                    None if way is None else nav.length(way),
                ]
        answers.append(nav.next_hops(places, places[::-1]).tolist())
        answers.append(nav.nearest((1, 1)))
    return answers


def refusal(path: Path, kind: type[AssetError]) -> str:
    """The line a user sees; the file must be refused by header, asset and reader alike."""
    lines = set()
    for read in (open_asset, Asset):
        with pytest.raises(AssetError) as caught:
            read(path)
        assert type(caught.value) is kind
        lines.add(str(caught.value))
    assert len(lines) == 1
    line = lines.pop()
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


# -- no asset -------------------------------------------------------------------------------------


def test_whole_assets_answer(asset: Path, graph: Path) -> None:
    assert len(ask_everything(asset)) > 1000
    assert len(ask_everything(graph)) > 50


def test_missing(tmp_path: Path) -> None:
    assert "no such asset" in refusal(tmp_path / "none.h5", AssetError)


def test_a_folder(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path, AssetError)


def test_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.h5"
    path.write_bytes(b"")
    assert "the file is empty" in refusal(path, NotAnAssetError)


@pytest.mark.parametrize(
    "data",
    [
        b"x",
        b"\0" * 5000,
        b"\x89PNG\r\n\x1a\n" + b"\0" * 600,
        b"type octile\nheight 1\n",
        b"{}",
        b'{"format": "bake-tiles", "version": 1}',
        b'{"format": "levelbake assets"}',
        b"\n" * 600,
        "{“format”: “levelbake asset”}".encode(),
    ],
)
def test_no_hdf5(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.h5"
    path.write_bytes(data)
    assert "this is no HDF5 file" in refusal(path, NotAnAssetError)


def test_hdf5_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["data"] = np.arange(10)
    assert "an HDF5 file of another program" in refusal(path, NotAnAssetError)


def test_hdf5_of_another_program_behind_a_user_block(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        file["data"] = np.arange(10)
    line = refusal(path, NotAnAssetError)
    assert "another program" in line


@pytest.mark.parametrize("block", [1024, 4096, 2**16])
@pytest.mark.parametrize("begin", [b"", b"{}", b"type octile\n"])
def test_hdf5_of_another_program_behind_anything(tmp_path: Path, block: int, begin: bytes) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w", userblock_size=block) as file:
        file["data"] = np.arange(10)
    data = path.read_bytes()
    path.write_bytes(begin + data[len(begin) :])
    assert "an HDF5 file of another program" in refusal(path, NotAnAssetError)


def test_a_header_and_nothing_else(asset: Path) -> None:
    block = read_header(asset).block
    asset.write_bytes(asset.read_bytes()[:block])
    refusal(asset, CorruptAssetError)


def test_a_header_before_another_hdf5(asset: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.h5"
    block = read_header(asset).block
    with h5py.File(other, "w", userblock_size=block) as file:
        file["data"] = np.arange(10)
    header = read_header(asset)
    other.write_bytes(asset.read_bytes()[:block] + other.read_bytes()[block:])
    sign_body(other, header)
    assert "no profiles" in refusal(other, CorruptAssetError)


# -- other versions -------------------------------------------------------------------------------


def with_field(path: Path, name: str, value: str) -> None:
    """Put another value into the header's text, keeping its size."""
    header = read_header(path)
    data = path.read_bytes()
    text = data[: header.block].decode().rstrip()
    lines = [
        f'"{name}": {value}{"," if line.endswith(",") else ""}'
        if line.startswith(f'"{name}":')
        else line
        for line in text.split("\n")
    ]
    assert lines != text.split("\n")
    path.write_bytes("\n".join(lines).encode().ljust(header.block) + data[header.block :])


@pytest.mark.parametrize("version", [0, -1])
def test_too_old(asset: Path, version: int) -> None:
    with_field(asset, "format_version", str(version))
    line = refusal(asset, AssetTooOldError)
    assert f"too old: format version {version}" in line
    assert "rebake" in line


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, 10**30])
def test_too_new(asset: Path, version: int) -> None:
    with_field(asset, "format_version", str(version))
    line = refusal(asset, AssetTooNewError)
    assert f"too new: format version {version}" in line
    assert "update levelbake" in line


def test_the_version_is_judged_before_anything_else(asset: Path) -> None:
    """A later format may keep everything but its first bytes differently."""
    with_field(asset, "format_version", str(FORMAT_VERSION + 1))
    with_field_absent = asset.read_bytes().replace(b'"recipe"', b'"digest"').split(b"\x89HDF")[0]
    asset.write_bytes(with_field_absent)
    refusal(asset, AssetTooNewError)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format_version", '"1"'),
        ("format_version", "1.0"),
        ("format_version", "true"),
        ("format_version", "null"),
        ("bake_revision", "null"),
        ("bake_revision", "Infinity"),
        ("bake_revision", "[1]"),
        ("bake_revision", "true"),
        ("bake_revision", '"1"'),
        ("bake_revision", "1.0"),
        ("bake_revision", "NaN"),
        ("block", "0"),
        ("block", "-512"),
        ("block", "256"),
        ("block", "513"),
        ("block", "768"),
        ("block", str(2**21)),
        ("block", "1" + "0" * 40),
        ("block", "true"),
        ("level", "5"),
        ("level", "null"),
        ("recipe", "5"),
        ("body", "[]"),
        ("block", "Infinity"),
        ("block", '"x"'),
        ("recipe", ""),
        ("size", "null"),
        ("size", "1.0"),
        ("size", "true"),
        ("seal", '"0"'),
        ("level", '"grim"'),
        ("sources", "5"),
        ("sources", "[5]"),
        ("sources", "[[1]]"),
        ("sources", '[["a"]]'),
        ("sources", '[["a", 5]]'),
        ("sources", '["ab"]'),
        ("sources", '{"ab": 1}'),
    ],
)
def test_a_damaged_field(asset: Path, name: str, value: str) -> None:
    if name == "sources":
        data = asset.read_bytes()
        block = read_header(asset).block
        start = data.index(b'"sources": ') + len(b'"sources": ')
        stop = data.index(b'"recipe"')
        text = data[:start] + value.encode() + b",\n" + data[stop:block].rstrip()
        asset.write_bytes(text.ljust(block) + data[block:])
    else:
        with_field(asset, name, value)
    assert "the header is damaged" in refusal(asset, NotAnAssetError)


def test_a_header_of_nothing_but_brackets(asset: Path) -> None:
    """Deeper than a reader of JSON can go."""
    data = asset.read_bytes()
    begin = data.index(b'"levelbake asset"') + len(b'"levelbake asset"')
    asset.write_bytes(data[:begin] + b',\n"level": ' + b"[" * 200_000)
    assert "the header is damaged" in refusal(asset, NotAnAssetError)


def test_a_header_that_loses_its_end(asset: Path) -> None:
    data = asset.read_bytes()
    block = read_header(asset).block
    end = data.index(b"}")
    asset.write_bytes(data[:end] + b" " * (block - end) + data[block:])
    assert "damaged" in refusal(asset, NotAnAssetError)


def test_every_character_of_the_header_counts(asset: Path) -> None:
    """Even in the padding, where JSON would not mind."""
    data = bytearray(asset.read_bytes())
    block = read_header(asset).block
    assert data[block - 1] == ord(" ")
    for place in (data.index(b"}"), data.index(b"}") + 1, block - 1):
        changed = data.copy()
        changed[place] ^= 1
        asset.write_bytes(changed)
        assert "the header is damaged" in refusal(asset, NotAnAssetError)


# -- damage ---------------------------------------------------------------------------------------


def edit(path: Path, change: Callable[[h5py.File], None]) -> None:
    """Change an asset as another program would, with digests that fit what it then says."""
    with edited(path) as file:
        change(file)


#: Those of links, regions, spots and doors have a file of their own, and so have those of updates.
ALL_COLUMNS = [
    column.path.replace(PROFILE, "default")
    for column in COLUMNS
    if column not in (*THING_COLUMNS, *UPDATE_COLUMNS)
]
#: What no question needs: kept for drawing and for editors.
UNASKED = {"/terrain/name", "/terrain/colour", "/terrain/grid"}


def holder(name: str, asset: Path, graph: Path) -> Path:
    """The one of two assets that has a column."""
    with h5py.File(asset) as file:
        return asset if name in file else graph


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_cut_short(asset: Path, share: float) -> None:
    data = asset.read_bytes()
    asset.write_bytes(data[: int(len(data) * share)])
    with pytest.raises((CorruptAssetError, NotAnAssetError)) as caught:
        ask_everything(asset)
    assert str(caught.value).startswith(f"{asset}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"\0"])
def test_one_byte_less_or_more(asset: Path, change: Callable[[bytes], bytes]) -> None:
    data = change(asset.read_bytes())
    asset.write_bytes(data)
    assert f"the file has {len(data):,} bytes, its header says" in refusal(asset, CorruptAssetError)


@pytest.mark.parametrize("name", ALL_COLUMNS)
def test_a_column_that_is_not_what_was_written_is_named(
    name: str, asset: Path, graph: Path
) -> None:
    """Every column in turn, in a file whose own digest fits."""
    path = holder(name, asset, graph)
    header = read_header(path)
    with h5py.File(path, "r+") as file:
        stored = file[name]
        raw = bytearray(np.asarray(stored[()]).tobytes())
        raw[len(raw) // 2] ^= 1
        stored[...] = np.frombuffer(raw, stored.dtype).reshape(stored.shape)
    sign_body(path, header)
    with Asset(path) as opened, pytest.raises(CorruptAssetError) as caught:
        opened.read(name)
    assert f"damaged: column {name} does not match its digest" in str(caught.value)


@pytest.mark.parametrize("name", ["/world/head", "/profiles/default/hop"])
def test_a_column_without_a_digest_is_named(name: str, asset: Path) -> None:
    header = read_header(asset)
    with h5py.File(asset, "r+") as file:
        del file[name].attrs["sha256"]
    sign_body(asset, header)
    with Asset(asset) as opened, pytest.raises(CorruptAssetError, match=f"column {name} does not"):
        opened.read(name)


def test_damage_after_opening_is_found_when_a_column_is_read(asset: Path) -> None:
    with Asset(asset) as opened:
        with h5py.File(asset, "r") as file:
            place = file["/profiles/default/distance"].id.get_offset()
        with asset.open("r+b") as raw:
            raw.seek(place)
            raw.write(b"\1\2\3")
        with pytest.raises(CorruptAssetError, match="distance does not match its digest"):
            opened.read("/profiles/default/distance")


def test_an_asset_may_be_opened_without_looking_at_all_of_it(asset: Path) -> None:
    expected = ask_everything(asset)
    assert ask_everything(asset, check=False) == expected
    data = bytearray(asset.read_bytes())
    data[-1] ^= 1
    asset.write_bytes(data)
    Asset(asset, check=False).close()
    assert "do not match the digest" in refusal(asset, CorruptAssetError)


def test_an_asset_that_is_replaced_while_it_is_opened(
    asset: Path, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HDF5 opens by name; header and columns must be those of one file all the same."""
    opening = h5py.File
    replacements = [graph.read_bytes()]

    def replace_first(path: Path, mode: str) -> h5py.File:
        if replacements:
            new = path.with_suffix(".new")
            new.write_bytes(replacements.pop())
            new.replace(path)
        return opening(path, mode)

    monkeypatch.setattr("bake.asset.read.h5py.File", replace_first)
    with Asset(asset) as opened:
        assert opened.header.level == opened.text("name") == "graph"


def replaced(name: str, make: Callable[[np.ndarray], object]) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        old = file[name][()]
        del file[name]
        new = make(old)
        if new is not None:
            file[name] = new

    return change


@pytest.mark.parametrize("name", ALL_COLUMNS)
@pytest.mark.parametrize(
    "make",
    [
        lambda old: np.zeros(old.shape, dtype=np.complex128),
        lambda old: np.zeros((*old.shape, 2), dtype=old.dtype),
        lambda old: old.reshape(-1)[0],
        lambda old: np.zeros(old.shape, dtype=[("a", "i4")]),
        lambda old: h5py.Empty(old.dtype),
    ],
    ids=["dtype", "more dimensions", "no dimension", "compound", "empty"],
)
def test_a_column_that_is_not_what_the_schema_says_is_named(
    name: str, make: Callable[[np.ndarray], object], asset: Path, graph: Path
) -> None:
    path = holder(name, asset, graph)
    edit(path, replaced(name, make))
    for read in (Asset.read, Asset.map, Asset.shape):
        with Asset(path) as opened, pytest.raises(CorruptAssetError) as caught:
            read(opened, name)
        line = str(caught.value)
        assert line.startswith(f"{path}: damaged: column {name} ")
        assert "\n" not in line
    if name not in UNASKED:
        with pytest.raises(CorruptAssetError, match=name):
            ask_everything(path)


@pytest.mark.parametrize("name", ALL_COLUMNS)
def test_a_column_that_is_a_folder(name: str, asset: Path, graph: Path) -> None:
    path = holder(name, asset, graph)
    edit(path, lambda file: (file.__delitem__(name), file.create_group(name)))  # type: ignore[func-returns-value]
    with (
        Asset(path) as opened,
        pytest.raises(CorruptAssetError, match=f"column {name} is no array"),
    ):
        opened.read(name)


@pytest.mark.parametrize(
    "name", [c.path.replace(PROFILE, "default") for c in COLUMNS if not c.optional]
)
def test_a_missing_column_is_named(name: str, asset: Path) -> None:
    edit(asset, lambda file: file.__delitem__(name))
    with Asset(asset) as opened, pytest.raises(CorruptAssetError, match=f"column {name}"):
        opened.read(name)
    if name not in UNASKED:
        with pytest.raises(CorruptAssetError, match=name):
            ask_everything(asset)


@pytest.mark.parametrize("name", [name for name in ALL_COLUMNS if name not in UNASKED])
@pytest.mark.parametrize(
    "make",
    [
        lambda old: old[:-1],
        lambda old: np.concatenate([old, old[-1:]]),
        lambda old: old[:0],
        lambda old: old[..., :-1] if old.ndim > 1 else old[:1],
    ],
    ids=["one less", "one more", "none", "narrower"],
)
def test_columns_of_lengths_that_do_not_fit(
    name: str, make: Callable[[np.ndarray], object], asset: Path, graph: Path
) -> None:
    """Right type, wrong length: damage, or else every answer is right all the same."""
    path = holder(name, asset, graph)
    expected = ask_everything(path)
    edit(path, replaced(name, make))
    with suppress(CorruptAssetError):
        assert ask_everything(path) == expected


def lengthened(name: str, by: int = 1) -> Callable[[h5py.File], None]:
    return replaced(name, lambda old: np.concatenate([old, old[-1:].repeat(by, axis=0)]))


@pytest.mark.parametrize(
    "name",
    [
        "/terrain/colour",
        "/world/first_out",
        "/world/head",
        "/world/length",
        "/world/node_terrain",
        "/world/cell",
        "/world/position",
        "/world/node_name",
        "/profiles/default/cost",
        "/profiles/default/weight",
        "/profiles/default/component",
        "/profiles/default/run_count",
    ],
)
def test_a_column_that_is_longer_than_the_others_is_named(
    name: str, asset: Path, graph: Path
) -> None:
    """Whichever column is asked for, the one that is not like the others is to blame."""
    path = holder(name, asset, graph)
    edit(path, lengthened(name))
    declared = next(c for c in COLUMNS if c.path.replace(PROFILE, "default") == name)
    dim = declared.dims[0].removesuffix(" + 1")
    # Beside a single other one, no telling which is wrong: both are named.
    with Asset(path) as opened:
        with pytest.raises(CorruptAssetError) as caught:
            opened.read(name)
        assert f"column {name} " in str(caught.value)
        assert f" of {dim}, " in str(caught.value)
        others = [
            c.path.replace(PROFILE, "default")
            for c in COLUMNS
            if dim in [each.removesuffix(" + 1") for each in c.dims]
            and ("profiles" in c.path) >= ("profiles" in name)
        ]
        for other in filter(opened.has, others):
            with pytest.raises(CorruptAssetError) as caught:
                opened.read(other)
            assert f"column {name} " in str(caught.value)


def test_damage_to_one_profile_leaves_the_others_alone(tmp_path: Path) -> None:
    profiles = tuple(profile_for(name, GROUND) for name in ("a", "b"))
    path = bake(write_grid(tmp_path / "two.json", DRAWN), recipe_for(profiles=profiles))
    edit(path, lengthened("/profiles/a/weight"))
    with open_asset(path) as level:
        assert level.profile("b").length([(0, 0), (1, 0)]) == 1
        with pytest.raises(CorruptAssetError, match="column /profiles/a/weight "):
            level.profile("a").length([(0, 0), (1, 0)])


def test_points_of_three_coordinates_and_colours_of_four(asset: Path, graph: Path) -> None:
    for path, name in ((asset, "/world/cell"), (graph, "/world/position")):
        edit(path, replaced(name, lambda old: np.concatenate([old, old[:, :1]], axis=1)))
        with Asset(path) as opened, pytest.raises(CorruptAssetError, match=f"column {name} has 3"):
            opened.read(name)
    name = "/terrain/colour"
    edit(asset, replaced(name, lambda old: np.concatenate([old, old[:, :1]], axis=1)))
    with Asset(asset) as opened, pytest.raises(CorruptAssetError, match=f"column {name} has 4"):
        opened.read(name)


@pytest.mark.parametrize("name", ["width", "height"])
@pytest.mark.parametrize("value", [-7, 0, 1, 2, 7, 2**40, 2**62])
def test_a_size_that_is_not_the_grids(asset: Path, name: str, value: int) -> None:
    edit(asset, lambda file: file.attrs.__setitem__(name, np.int64(value)))
    with pytest.raises(CorruptAssetError) as caught:
        open_asset(asset)
    assert f"attribute {name} of / {value}" in str(caught.value)
    assert "column /terrain/grid" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", b"squart"),
        ("kind", b""),
        ("kind", b"hex"),
        ("cost_rule", b"median"),
        ("ticks_per_unit", 0),
        ("ticks_per_unit", -27720),
    ],
)
def test_attributes_that_say_nothing_the_format_knows(
    asset: Path, name: str, value: bytes | int
) -> None:
    stored = np.bytes_(value) if isinstance(value, bytes) else np.int64(value)
    edit(asset, lambda file: file.attrs.__setitem__(name, stored))
    with pytest.raises(CorruptAssetError, match=name):
        ask_everything(asset)


@pytest.mark.parametrize("name", ["/terrain/name", "/world/node_name"])
@pytest.mark.parametrize("text", [b"\xff\xfe", b"\xc3", "Ä".encode()[1:]])
def test_text_that_is_not_utf_8(name: str, text: bytes, asset: Path, graph: Path) -> None:
    path = holder(name, asset, graph)
    width = len(max(NAMES, key=len))

    def change(old: np.ndarray) -> np.ndarray:
        new = old.astype(f"S{width + 9}")
        new[1] = text
        # Two halves of one letter, side by side, are none.
        new[0] = b"\xc3"
        return new

    edit(path, replaced(name, change))
    with Asset(path) as opened, pytest.raises(CorruptAssetError, match=f"column {name} is not UTF"):
        opened.read(name)


def test_a_column_that_claims_more_than_the_file_holds(asset: Path) -> None:
    """HDF5 would fill what was never written, gigabytes of it."""

    def change(file: h5py.File) -> None:
        for name in ("grid", "name"):
            dtype = file["terrain"][name].dtype
            del file["terrain"][name]
            shape = (2**16, 2**16) if name == "grid" else (2**36,)
            chunks = (64, 64) if name == "grid" else (2**12,)
            file["terrain"].create_dataset(name, shape, dtype, chunks=chunks, compression="gzip")
        del file["terrain/colour"], file["profiles/default/cost"]
        file.attrs["width"] = file.attrs["height"] = np.int64(2**16)

    edit(asset, change)
    with Asset(asset) as opened:
        for name in ("/terrain/grid", "/terrain/name"):
            with pytest.raises(CorruptAssetError, match=f"column {name} is stored only in part"):
                opened.read(name)


def test_a_terrain_there_is_not(asset: Path) -> None:
    for name in ("/terrain/grid", "/world/node_terrain"):
        edit(asset, replaced(name, lambda old: np.where(old == old.max(), 200, old).astype("u1")))
        with Asset(asset) as opened, pytest.raises(CorruptAssetError) as caught:
            opened.read(name)
        assert f"column {name} has terrain 200 of 6" in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_positions_that_are_nowhere(graph: Path, value: float) -> None:
    edit(graph, replaced("/world/position", lambda old: np.full_like(old, value)))
    with pytest.raises(CorruptAssetError, match="position"):
        ask_everything(graph)


@pytest.mark.parametrize("said", ["int", "str", "float"])
def test_names_of_another_type_than_was_said(graph: Path, said: str) -> None:
    def change(file: h5py.File) -> None:
        file.attrs["node_name_type"] = np.bytes_(said)
        if said == "str":
            del file["world/node_name"]
            file["world/node_name"] = np.arange(len(NAMES))

    edit(graph, change)
    if said == "float":  # neither, so what is there counts
        ask_everything(graph)
        return
    with pytest.raises(CorruptAssetError, match="node_name"):
        ask_everything(graph)


WRONG_VALUES = [
    ("/world/first_out", lambda old: old[::-1].copy()),
    ("/world/first_out", lambda old: old + 1),
    ("/world/first_out", lambda old: old * 1000),
    ("/world/head", lambda old: old + 100_000),
    ("/world/head", lambda old: old - 100_000),
    ("/world/cell", lambda old: old + 100),
    ("/world/cell", lambda old: old - 100),
    ("/world/node_terrain", lambda old: old + 200),
    ("/profiles/default/component", lambda old: old - 100),
    ("/profiles/default/component", lambda old: old + 100_000),
    ("/profiles/default/weight", lambda old: old * 0),
    ("/profiles/default/weight", lambda old: -old),
    ("/profiles/default/hop", lambda old: old * 0 + 200),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "make"), WRONG_VALUES)
def test_values_that_lead_nowhere(
    name: str, make: Callable[[np.ndarray], object], asset: Path
) -> None:
    edit(asset, replaced(name, make))
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)


def test_hops_that_go_round_in_circles(asset: Path) -> None:
    edit(asset, replaced("/profiles/default/hop", lambda old: old * 0))
    with open_asset(asset) as level:
        nav = level.profile()
        for start, goal in (((0, 0), (0, 2)), ((0, 2), (1, 0))):
            with pytest.raises(CorruptAssetError, match="do not lead"):
                nav.path(start, goal)


ASKED_ATTRIBUTES = [
    ("/", "name"),
    ("/", "kind"),
    ("/", "width"),
    ("/", "height"),
    ("/", "ticks_per_unit"),
    ("/", "cost_rule"),
    ("/profiles/default", "one_way"),
]


@pytest.mark.parametrize(("group", "name"), ASKED_ATTRIBUTES)
@pytest.mark.parametrize(
    "value",
    [
        1.5,
        np.array([1, 2]),
        np.array([b"a", b"b"]),
        np.bytes_(b"\xff\xfe"),
        np.int64(-7),
        np.int64(0),
        np.int64(2**40),
        "variable",
        h5py.Empty("i4"),
    ],
    ids=str,
)
def test_an_attribute_that_is_not_what_the_schema_says(
    group: str, name: str, value: object, asset: Path
) -> None:
    """An error, or an answer where the value does no harm; never a traceback of another kind."""
    kind = next(
        a.kind
        for a in ATTRIBUTES
        if a.group.replace(PROFILE, "default") == group and a.name == name
    )
    edit(asset, lambda file: file[group].attrs.__setitem__(name, value))
    line = ""
    try:
        ask_everything(asset)
    except BakeError as error:
        line = str(error)
    assert "\n" not in line
    right_kind = np.bytes_ if kind == "text" else np.integer
    assert name in line or isinstance(value, right_kind)


@pytest.mark.parametrize(
    ("group", "name"),
    [(g, n) for g, n in ASKED_ATTRIBUTES if n not in ("width", "height")],
)
def test_a_missing_attribute_is_named(group: str, name: str, asset: Path) -> None:
    edit(asset, lambda file: file[group].attrs.__delitem__(name))
    with pytest.raises(CorruptAssetError, match=f"attribute {name}"):
        ask_everything(asset)


@pytest.mark.parametrize("name", ["width", "height"])
def test_a_grid_without_its_size(name: str, asset: Path) -> None:
    edit(asset, lambda file: file.attrs.__delitem__(name))
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)


def test_profiles_that_are_none(asset: Path, originals: dict[str, bytes]) -> None:
    for make in (
        lambda file: file.__setitem__("profiles", np.arange(3)),
        lambda file: file.__setitem__("profiles", 3),
        lambda file: file.__setitem__("profiles", b"text"),
        lambda file: file.__setitem__("profiles", h5py.SoftLink("/nowhere")),
        lambda file: None,
    ):
        asset.write_bytes(originals["grid"])
        edit(asset, lambda file, make=make: (file.__delitem__("profiles"), make(file)))  # type: ignore[misc]
        with pytest.raises(CorruptAssetError):
            ask_everything(asset)


def test_a_profile_that_is_an_array(asset: Path) -> None:
    edit(
        asset,
        lambda file: (
            file.__delitem__("profiles/default"),
            file.__setitem__("profiles/default", 5),
        ),  # type: ignore[func-returns-value]
    )
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)


FUZZ = """
import random, sys
from pathlib import Path
from bake.errors import BakeError
from tests.asset.test_damage import ask_everything

path, seed = Path(sys.argv[1]), sys.argv[2]
whole = path.read_bytes()
rng = random.Random(seed)
refused = 0
for _ in range(60):
    data = bytearray(whole)
    for _ in range(rng.choice((1, 3, 30))):
        data[rng.randrange(int(len(data) * float(sys.argv[3])))] = rng.randrange(256)
    path.write_bytes(data)
    try:
        ask_everything(path, check=False)
    except BakeError as error:
        assert "\\n" not in str(error), error
        refused += 1
print(refused)
"""


@pytest.mark.parametrize("share", [0.01, 0.05, 1.0])
@pytest.mark.parametrize("which", ["grid", "graph"])
def test_random_bytes(
    which: str, share: float, tmp_path: Path, originals: dict[str, bytes]
) -> None:
    """Where no one looks at the digest first, damage ends in an answer or a named error.

    In a process of its own, lest HDF5 crash.
    """
    path = tmp_path / "fuzzed.h5"
    path.write_bytes(originals[which])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FUZZ, str(path), "seed", str(share)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 0


def test_random_headers(asset: Path, originals: dict[str, bytes]) -> None:
    """Bytes of the header turned into others: a named error, every time."""
    rng = random.Random(7)
    whole = originals["grid"]
    block = read_header(asset).block
    lines = []
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 2, 10))):
            data[rng.randrange(block)] = rng.choice(b'{}[]",:-0123456789eE.\\ntf \x00\xff')
        asset.write_bytes(data)
        if data == whole:
            continue
        with pytest.raises(AssetError) as caught:
            read_header(asset)
        lines.append(str(caught.value))
    assert len(lines) > 300
    assert not any("\n" in line for line in lines)
