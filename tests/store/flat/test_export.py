"""What is exported says what the asset says, on every kind of world, and in the same bytes."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.export.export import compare_with_asset, export_asset
from bake.play import (
    AssetTooNewError,
    CorruptAssetError,
    LevelAsset,
    NotAnAssetError,
    UnknownProfileError,
    open_asset,
)
from bake.store import Asset
from levelbake.errors import MissingTableError, OutputError
from levelbake.file import BORDER, FLAT_VERSION, LEVEL, FlatFile, checksum
from tests.support.baked import bake_grid, rows
from tests.support.command import bake
from tests.support.vectors.levels import Vector, every_vector
from tests.support.vectors.oracle import ArcsModel

#: Where cells are nodes, places are called otherwise: see test_cells_as_nodes.
VECTORS = [each for each in every_vector() if not isinstance(each.model, ArcsModel)]
SQUARE = rows("....#...", ".mm.#.m.", "...v...~", "##......", "....==..")


def exported(asset: Path, *parts: str, profiles: list[str] | None = None) -> Path:
    flat = asset.with_suffix(".bake")
    with Asset(asset) as opened:
        export_asset(opened, flat, profiles, parts)
    return flat


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return bake_grid(tmp_path, SQUARE, hierarchy="hpa", tables=None)


# -- the same answers -----------------------------------------------------------------------------


def everything(level: LevelAsset, shut: object = None) -> dict[str, Any]:
    """Every answer there is to give, for comparison; on ``shut`` nobody stands any more."""
    found: dict[str, Any] = {
        "links": dict(level.links),
        "spots": level.spots(),
        "regions": {
            name: (each.cells.tolist(), each.nodes) for name, each in level.regions.items()
        },
        "doors": {
            name: (each.state, dict(each.states), each.cells.tolist(), each.id)
            for name, each in level.doors.items()
        },
    }
    for name in level.profiles:
        nav, tables = level.profile(name), level._columns(name)
        places = [tables.places.place_at(location) for location in tables.location.tolist()]
        places = [place for place in places if place != shut]
        pairs = [(a, b) for a in places for b in places][::7]
        starts, goals = [a for a, _ in pairs], [b for _, b in pairs]
        found[name] = [
            places,
            [nav.next_hop(a, b) for a, b in pairs],
            [nav.path(a, b) for a, b in pairs[::5]],
            [nav.distance(a, b) for a, b in pairs],
            [nav.reachable(a, b) for a, b in pairs],
            nav.next_hops(starts, goals).tolist() if pairs else [],
            nav.distances(starts, goals).tolist() if pairs else [],
        ]
    return found


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_the_same_answers(vector: Vector, tmp_path: Path) -> None:
    asset = vector.write(tmp_path)
    flat = exported(asset, *vector.parts)
    with open_asset(asset) as one, open_asset(flat) as other:
        assert everything(one) == everything(other)
    assert compare_with_asset(flat)


def test_the_same_paths_by_hierarchies(asset: Path) -> None:
    flat = exported(asset, "hierarchy")
    with open_asset(asset) as one, open_asset(flat) as other:
        for method in ("hpa", "astar", "dijkstra"):
            paths = [level.profile().path((0, 0), (7, 4), method) for level in (one, other)]
            assert paths[0] == paths[1] is not None
        assert one.profile().search.cluster((0, 0)) == other.profile().search.cluster((0, 0))


def test_patches_of_one_are_patches_of_the_other(asset: Path, tmp_path: Path) -> None:
    flat, patch = exported(asset), tmp_path / "some.patch"
    for first, second in ((asset, flat), (flat, asset)):
        with open_asset(first) as one, open_asset(second) as other:
            one.update(blocked=[(2, 2)], opened=[(4, 0)], terrain={(0, 0): "mud"})
            one.update(arcs={((6, 3), (7, 3)): 9.0}, links={"rope": {"from": (0, 0), "to": (7, 0)}})
            one.save_patch(patch)
            other.apply_patch(patch)
            found = [everything(level, (2, 2))["default"] for level in (one, other)]
            # Among shortest paths of a changed level each may take another.
            assert len({str([each[i] for i in (0, 3, 4, 6)]) for each in found}) == 1


def test_points(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, SQUARE, cell_size=(16.0, 8.0), origin=(3.0, -4.5))
    with open_asset(exported(asset)) as level:
        assert level.to_point((1, 2)) == (27.0, 15.5)
        assert level.to_cell((27.0, 15.5)) == (1, 2)


# -- the file -------------------------------------------------------------------------------------


def test_the_same_bytes_every_time(asset: Path) -> None:
    first = exported(asset, "hierarchy").read_bytes()
    assert exported(asset, "hierarchy").read_bytes() == first


def test_columns_lie_on_borders_and_equal_ones_once(tmp_path: Path) -> None:
    vector = next(each for each in VECTORS if each.name == "tower")
    flat = exported(vector.write(tmp_path))
    data, file = flat.read_bytes(), FlatFile(flat)
    assert len(data) % BORDER == 0
    keys = [(profile, name.encode()) for profile, name in file.entries]
    assert keys == sorted(keys)
    held: dict[tuple[str, tuple[int, ...], bytes], int] = {}
    end = BORDER * (1 + len(file.entries))
    for entry in file.entries.values():
        raw = data[entry.offset : entry.offset + entry.size]
        if entry.offset >= end:
            assert not any(data[end : entry.offset])
            assert entry.offset == -(-end // BORDER) * BORDER
            end = entry.offset + entry.size
        assert held.setdefault((entry.dtype, entry.shape, raw), entry.offset) == entry.offset
    assert not any(data[end:])
    shared = [file.entries[number, "row_at"].offset for number in range(3)]
    assert len(set(shared)) == 2  # The cat and the walker stand on the same cells.


def test_the_checksum_is_that_of_the_page(asset: Path) -> None:
    data = exported(asset).read_bytes()
    a, b = 1, 0
    for i, (word,) in enumerate(struct.iter_unpack("<I", data)):
        a = (a + (0 if i in (14, 15) else word)) % 2**32
        b = (b + a) % 2**32
    assert struct.unpack_from("<II", data, 56) == (a, b)
    words = np.frombuffer(data * (2**23 // len(data)), dtype="<u4")
    assert checksum(words) == slow_checksum(words)


def slow_checksum(words: Any) -> tuple[int, int]:
    a, b = 1, 0
    for i, word in enumerate(words.tolist()):
        a += 0 if i in (14, 15) else word
        b += a
    return a % 2**32, b % 2**32


def test_a_damaged_byte_is_found(asset: Path) -> None:
    flat = exported(asset)
    data = bytearray(flat.read_bytes())
    data[-70] ^= 1
    flat.write_bytes(data)
    with pytest.raises(CorruptAssetError, match="checksum"):
        open_asset(flat)
    open_asset(flat, check=False).close()


def test_a_newer_version_is_refused_by_name(asset: Path) -> None:
    flat = exported(asset)
    data = flat.read_bytes()
    flat.write_bytes(data[:8] + (FLAT_VERSION + 1).to_bytes(2, "little") + data[10:])
    with pytest.raises(AssetTooNewError, match=f"too new: .*version {FLAT_VERSION + 1}"):
        open_asset(flat)


def test_profiles_may_be_left_out(tmp_path: Path) -> None:
    vector = next(each for each in VECTORS if each.name == "tower")
    asset = vector.write(tmp_path)
    flat = exported(asset, profiles=["ogre"])
    with open_asset(asset) as one, open_asset(flat) as other:
        assert other.profiles == ("ogre",)
        assert everything(other)["ogre"] == everything(one)["ogre"]
        assert other.links["jump"].profiles == ("cat",)
    assert compare_with_asset(flat)
    with pytest.raises(UnknownProfileError, match="no profile 'dragon'; expected 'cat' or"):
        exported(asset, profiles=["dragon"])


# -- refusals -------------------------------------------------------------------------------------


def test_what_the_asset_lacks_cannot_be_written(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, SQUARE, hierarchy="none", tables=("components", "next_hops"))
    for part in ("distances", "hierarchy"):
        with pytest.raises(MissingTableError, match=part):
            exported(asset, part)
    assert not asset.with_suffix(".bake").exists()


def test_no_other_file_is_overwritten(asset: Path) -> None:
    with Asset(asset) as opened, pytest.raises(OutputError, match="not a flat file"):
        export_asset(opened, asset)
    flat = exported(asset)
    assert exported(asset) == flat  # An older flat file is replaced.


def test_other_files_are_no_flat_files(tmp_path: Path) -> None:
    (tmp_path / "x.bake").write_bytes(b"")
    (tmp_path / "y.bake").write_bytes(b"\x8bBKE\r\n\x1a")
    for name in "xy":
        with pytest.raises(NotAnAssetError):
            open_asset(tmp_path / f"{name}.bake")


def test_a_file_of_another_asset_is_not_compared(asset: Path, tmp_path: Path) -> None:
    flat = exported(asset)
    other = bake_grid(tmp_path, SQUARE, name="other")
    flat.rename(other.with_suffix(".bake"))
    assert not compare_with_asset(other.with_suffix(".bake"))


def test_a_file_that_says_something_else_is_wrong(asset: Path) -> None:
    flat = exported(asset)
    file = FlatFile(flat)
    entry = file.entries[LEVEL, "terrain_colour"]  # Nothing else in the file says this.
    data = bytearray(flat.read_bytes())
    data[entry.offset] ^= 1
    struct.pack_into("<II", data, 56, *checksum(np.frombuffer(bytes(data), dtype="<u4")))
    flat.write_bytes(data)
    with pytest.raises(CorruptAssetError, match=r"column terrain_colour.*drawn\.h5"):
        compare_with_asset(flat)


@pytest.mark.parametrize(
    ("name", "element", "value", "message"),
    [
        ("region_cell", 1, 0, "two regions"),
        ("region_cell", 0, 7, "column /region_cell has 7, not 0 to 6"),
        ("region_first_cell", 0, 1, "column /region_first_cell does not ascend"),
        ("region_first_cell", 1, 5, "column /region_first_cell does not ascend"),
        ("region_first_cell", 3, 4, "column /region_first_cell does not ascend"),
    ],
)
def test_damaged_regions_of_nodes(
    tmp_path: Path, name: str, element: int, value: int, message: str
) -> None:
    vector = next(each for each in VECTORS if each.name == "regions")
    flat = exported(vector.write(tmp_path))
    data = bytearray(flat.read_bytes())
    entry = FlatFile(flat).entries[LEVEL, name]
    struct.pack_into("<i", data, entry.offset + 4 * element, value)
    struct.pack_into("<II", data, 56, *checksum(np.frombuffer(bytes(data), dtype="<u4")))
    flat.write_bytes(data)
    with open_asset(flat) as level, pytest.raises(CorruptAssetError, match=message):
        level.regions  # noqa: B018


# -- the command ----------------------------------------------------------------------------------


def test_the_command(asset: Path, tmp_path: Path) -> None:
    done = bake("export", asset)
    flat = asset.with_suffix(".bake")
    assert done.out == f"{flat}: {flat.stat().st_size:,} bytes\n"
    told = bake("export", asset, "-o", tmp_path / "x.bake", "--with", "hierarchy", "--json").data
    assert told["bytes"] > flat.stat().st_size
    assert bake("verify", flat).out.endswith("the same as in the asset beside it\n")
    assert bake("verify", tmp_path / "x.bake", "--json").data["assets"][0]["compared"] is False
    assert bake("info", flat, "--json").data["flat"] is True
    assert bake("path", flat, "0,0", "7,4").out == bake("path", asset, "0,0", "7,4").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "dragon"], "no profile 'dragon'; expected 'default'"),
        (["-o", "no/such/folder/x.bake"], "cannot be written"),
        (["--with", "distances"], "distances"),
    ],
)
def test_mistakes(asset: Path, arguments: list[str], message: str) -> None:
    done = bake("export", asset, *arguments)
    assert done.code == 1
    (error,) = done.errors
    assert message in error
    assert not asset.with_suffix(".bake").exists()
