"""Assets that are wrong on purpose, with headers that claim they are not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from bake.asset import read_header, sha256_of

Edit = Callable[[npt.NDArray[Any]], None]


def change_column(asset: Path, column: str, edit: Edit) -> None:
    """Change a column in place and make the header's digest fit again."""
    with h5py.File(asset, "r+") as file:
        array = file[column][()]
        before = array.copy()
        edit(array)
        assert not np.array_equal(array, before)
        file[column][...] = array
    _sign(asset)


def change_attribute(asset: Path, group: str, name: str, value: object) -> None:
    """Change an attribute and make the header's digest fit again."""
    with h5py.File(asset, "r+") as file:
        assert file[group].attrs[name] != value
        file[group].attrs[name] = value
    _sign(asset)


def change_header(asset: Path, **fields: object) -> None:
    """Change fields of the header and nothing else."""
    data = asset.read_bytes()
    end = data.index(b"}") + 1
    header = json.loads(data[:end])
    block = header["block"]
    text = json.dumps({**header, **fields}, indent=0).encode()
    assert len(text) <= block
    asset.write_bytes(text + b" " * (block - len(text)) + data[block:])


def _sign(asset: Path) -> None:
    header = read_header(asset)
    signed = replace(header, body=sha256_of(asset, skip=header.block))
    with asset.open("r+b") as file:
        file.write(signed.to_bytes())
