"""Files that are no asset, or not this version's: each its own error, in one line."""

import random
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.store.header import read_header
from levelbake.errors import (
    AssetError,
    AssetTooNewError,
    AssetTooOldError,
    CorruptAssetError,
    NotAnAssetError,
)
from levelbake.file import FORMAT_VERSION, LARGEST_BLOCK, OLDEST_READABLE
from tests.support.damage import ask_everything, refusal
from tests.support.tampering import sign_body


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
    assert "not an HDF5 file" in refusal(path, NotAnAssetError)


def test_no_flat_file(tmp_path: Path) -> None:
    """What is wanted of a file follows from its name."""
    path = tmp_path / "other.bake"
    path.write_bytes(b"junk")
    assert "this is not a flat file; expected one written by `bake export`" in refusal(
        path, NotAnAssetError
    )


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


READABLE = (
    f"version {FORMAT_VERSION}"
    if OLDEST_READABLE == FORMAT_VERSION
    else f"version {OLDEST_READABLE} to {FORMAT_VERSION}"
)


@pytest.mark.parametrize("version", [0, -1])
def test_too_old(asset: Path, version: int) -> None:
    with_field(asset, "format_version", str(version))
    line = refusal(asset, AssetTooOldError)
    assert f"format version {version}; expected {READABLE};" in line
    assert "rebake" in line


@pytest.mark.parametrize("version", [FORMAT_VERSION + 1, 10**30])
def test_too_new(asset: Path, version: int) -> None:
    with_field(asset, "format_version", str(version))
    line = refusal(asset, AssetTooNewError)
    assert f"format version {version}; expected {READABLE};" in line
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
        ("block", str(2 * LARGEST_BLOCK)),
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
