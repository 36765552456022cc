"""Assets that are wrong on purpose, with headers that claim they are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray
from bake.asset import read_header
from tests.support.signing import edited

Edit = Callable[[AnyArray], None]


def change_column(asset: Path, column: str, edit: Edit) -> None:
    """Change a column in place and make all digests fit again."""
    with edited(asset) as file:
        array = file[column][()]
        before = array.copy()
        edit(array)
        assert not np.array_equal(array, before)
        file[column][...] = array


def change_attribute(asset: Path, group: str, name: str, value: object) -> None:
    """Change an attribute and make the header's digest fit again."""
    with edited(asset) as file:
        assert file[group].attrs[name] != value
        file[group].attrs[name] = value


def change_header(asset: Path, **fields: object) -> None:
    """Change fields of the header, seal it again, and change nothing else."""
    header = replace(read_header(asset), **fields)
    with asset.open("r+b") as file:
        file.write(header.to_bytes())
