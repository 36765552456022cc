"""Bytes that are not those that were written, and what notices: length, digests, reading itself."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from bake.store import Asset
from bake.store.header import read_header
from levelbake.errors import CorruptAssetError, NotAnAssetError
from tests.support import forked
from tests.support.damage import ALL_COLUMNS, ask_everything, holder, refusal
from tests.support.tampering import sign_body


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
    digest = f"damaged: column {re.escape(name)}.*digest"
    with Asset(path) as opened, pytest.raises(CorruptAssetError, match=digest):
        opened.read(name)


def other_digests(right: np.bytes_) -> list[object]:
    """Digests that are none; None = the attribute is missing."""
    text = right.decode()
    several = [np.array([text] * count, dtype=h5py.string_dtype()) for count in (1, 4)]
    pieces = np.array(tuple(range(8)), dtype=[(name, "i8") for name in "abcdefgh"])
    words = np.array(
        (text, text, text, text), dtype=[(name, h5py.string_dtype()) for name in "abcd"]
    )
    fixed = [
        right[:-1],
        right + b"0",
        right[:63] + b"x",
        np.array([right]),
        np.array([right, right]),
    ]
    return [
        None,
        *fixed,
        text,
        text + "0",
        7,
        np.arange(8),
        *several,
        pieces,
        words,
        np.void(right),
    ]


@pytest.mark.parametrize("name", ["/node_location", "/profiles/default/run_move"])
def test_a_column_without_a_digest_is_named(name: str, asset: Path) -> None:
    header, whole = read_header(asset), asset.read_bytes()
    with h5py.File(asset) as file:
        wrong = other_digests(file[name].attrs["sha256"])
    for digest in wrong:
        asset.write_bytes(whole)
        with h5py.File(asset, "r+") as file:
            del file[name].attrs["sha256"]
            if digest is not None:
                file[name].attrs["sha256"] = digest
        sign_body(asset, header)
        with (
            Asset(asset) as opened,
            pytest.raises(CorruptAssetError, match=f"column {name}.*digest"),
        ):
            opened.read(name)


def test_damage_after_opening_is_found_when_a_column_is_read(asset: Path) -> None:
    with Asset(asset) as opened:
        with h5py.File(asset, locking=False) as file:
            place = file["/node_location"].id.get_chunk_info(0).byte_offset
        with asset.open("r+b") as raw:
            raw.seek(place)
            raw.write(b"\1\2\3")
        with pytest.raises(CorruptAssetError, match="column /node_location"):
            opened.read("/node_location")


def test_an_asset_may_be_opened_without_looking_at_all_of_it(asset: Path) -> None:
    expected = ask_everything(asset)
    assert ask_everything(asset, check=False) == expected
    with h5py.File(asset, "r") as file:
        place = file["/node_location"].id.get_chunk_info(0).byte_offset
    data = bytearray(asset.read_bytes())
    data[place] ^= 1
    asset.write_bytes(data)
    Asset(asset, check=False).close()
    assert "do not match the digest" in refusal(asset, CorruptAssetError)


def test_an_asset_that_is_replaced_while_it_is_opened(
    asset: Path, graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HDF5 opens by name; header and columns must be those of one file all the same."""
    opening = h5py.h5f.open
    replacements = [graph.read_bytes()]

    def replace_first(path: bytes, *settings: Any) -> h5py.h5f.FileID:
        if replacements:
            new = asset.with_suffix(".new")
            new.write_bytes(replacements.pop())
            new.replace(asset)
        return opening(path, *settings)

    monkeypatch.setattr("h5py.h5f.open", replace_first)
    with Asset(asset) as opened:
        assert opened.name == opened.header.level == "graph"


FUZZ = """
import random, sys, warnings
from pathlib import Path
from levelbake.errors import BakeError
from tests.support.damage import ask_everything

warnings.simplefilter("ignore")
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
    done = forked.run([sys.executable, "-c", FUZZ, path, "seed", str(share)])
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 0
