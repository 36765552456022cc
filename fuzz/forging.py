"""Change values inside assets as somebody would who can seal them again.

What there is to change is read off the schema: every column and every attribute an asset has, or
could have. Digests, seal and size fit afterwards, so nothing but the values themselves is wrong.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from bake.core.arrays import AnyArray
from bake.store.schema import ATTRIBUTES, COLUMNS, TABLES
from levelbake.columns import PROFILE, Attribute, Column
from tests.support.tampering import edited, sign_column

#: Numbers that code is known to stumble over; those that do not fit a column's type are left out.
_NUMBERS = (
    -(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 127, 128, 250, 254, 255, 256, 1000,
    2**15, 2**16 - 2, 2**16 - 1, 2**20, 2**29, 2**29 + 1, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1,
    2**32 - 1, 2**62,
)  # fmt: skip
_FRACTIONS = (0.0, -1.0, 0.5, 1.0, 1.5, 2.0, 2**0.5, 1e-300, 1e9, 1e300, np.inf, -np.inf, np.nan)
_TEXTS = (b"", b"x", b"floor", b"wall", b"cat", b"\xc3\xa4", b"\xff", b"a/b")

#: Columns that make tables; an asset without a table says less, and nothing wrong.
TABLE_COLUMNS = frozenset(f"/profiles/{PROFILE}/{name}" for _, _, names in TABLES for name in names)


def columns_of(file: h5py.File) -> list[tuple[str, Column]]:
    """Return the paths of the columns an asset has, each with its declaration."""
    there: set[str] = set()
    file.visit(lambda name: there.add(f"/{name}"))
    return [
        (path, declared)
        for declared in COLUMNS
        for path in _paths(file, declared.path)
        if path in there
    ]


def attributes_of(file: h5py.File) -> list[tuple[str, Attribute]]:
    """Return the groups of the attributes an asset has or may have, each with its declaration."""
    return [(group, declared) for declared in ATTRIBUTES for group in _paths(file, declared.group)]


def _paths(file: h5py.File, pattern: str) -> Iterator[str]:
    if PROFILE in pattern:
        yield from (pattern.replace(PROFILE, name) for name in file["profiles"])
    else:
        yield pattern


def other_values(old: Any, dtype: np.dtype[Any], around: AnyArray) -> list[Any]:
    """Return values that an element of a column may have instead of its own.

    Args:
        old: the value it has.
        dtype: the column's type.
        around: the column, whose other values are among them.
    """
    near = list(dict.fromkeys(around.reshape(-1).tolist()))
    found: list[Any]
    if dtype.kind == "S":
        found = [*near, *(text[: dtype.itemsize] for text in _TEXTS)]
    elif dtype.kind == "f":
        found = [*near, *_FRACTIONS, old + 1, old * 2]
    else:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        found = [*near, *_NUMBERS, old - 1, old + 1, old ^ 1, int(most), int(most) - 1]
        found = [value for value in found if least <= value <= most]
    return [value for value in dict.fromkeys(found) if value != old]


def other_scalars(old: Any, declared: Attribute) -> list[Any]:
    """Return values an attribute may have instead of its own; None = it is absent."""
    found: list[Any] = list(declared.values)
    if declared.kind == "text":
        found += ["", "x"] if found else ["", "x", "{}", *_recipes(old)]
    elif not found:
        found = list(_NUMBERS)
        if old is not None:
            found += [old - 1, old + 1, 2 * old]
    elif declared.kind == "flag":
        found += [2, -1]
    found = [
        value for value in found if value != old and (type(value) is str or abs(value) < 2**63)
    ]
    if declared.optional and old is not None:
        found.append(None)
    return found


def _recipes(text: object) -> list[str]:
    """Return recipes in which one leaf is another one."""
    try:
        document = json.loads(str(text))
    except ValueError:
        return []
    if not isinstance(document, dict):
        return []
    found = []
    for owner, key in _leaves(document):
        value = owner[key]
        for other in (None, 1, 5, 2.5, True, "x", [], {}):
            if other != value:
                owner[key] = other
                found.append(json.dumps(document, separators=(",", ":"), sort_keys=True))
        owner[key] = value
    return found


def _leaves(owner: Any) -> Iterator[tuple[Any, Any]]:
    items = owner.items() if isinstance(owner, dict) else enumerate(owner)
    for key, value in list(items):
        if isinstance(value, dict | list) and value:
            yield from _leaves(value)
        else:
            yield owner, key


def forge(
    path: Path, random_: random.Random, *, single: bool = False
) -> tuple[str, Attribute | Column]:
    """Change something in an asset.

    Args:
        path: an asset that is right; it is changed in place.
        random_: what decides.
        single: whether to change a single value; otherwise several may change at once.

    Returns:
        What was changed, in words, and its declaration.
    """
    with edited(path, ()) as file:
        if random_.random() < 0.25:
            group, attribute = random_.choice(attributes_of(file))
            return forge_attribute(file, group, attribute, random_), attribute
        name, column = random_.choice(columns_of(file))
        return forge_column(file, name, column, random_, single=single), column


def forge_attribute(
    file: h5py.File, group: str, declared: Attribute, random_: random.Random
) -> str:
    """Give an attribute another value."""
    attributes = file[group].attrs
    old = scalar(attributes, declared)
    return set_scalar(file, group, declared, random_.choice(other_scalars(old, declared)))


def scalar(attributes: Any, declared: Attribute) -> Any:
    """Return an attribute as text or number; None where it is absent."""
    stored = attributes.get(declared.name)
    if stored is None:
        return None
    return bytes(stored).decode() if declared.kind == "text" else int(stored)


def set_scalar(file: h5py.File, group: str, declared: Attribute, value: Any) -> str:
    """Give an attribute a value; None removes it."""
    attributes, name = file[group].attrs, declared.name
    old = scalar(attributes, declared)
    if value is None:
        del attributes[name]
    elif isinstance(value, str):
        text = value.encode()
        attributes.create(name, text, dtype=h5py.string_dtype("utf-8", max(1, len(text))))
    else:
        attributes[name] = np.int64(value)
    return f"attribute {name} of {group}: {_short(old)} -> {_short(value)}"


def forge_column(
    file: h5py.File, path: str, declared: Column, random_: random.Random, *, single: bool
) -> str:
    """Give elements of a column other values; a column that is no table may be removed."""
    array: AnyArray = file[path][()]
    kind = 0 if single else random_.randrange(12)
    gone = declared.optional and declared.path not in TABLE_COLUMNS
    if not array.size or (gone and random_.random() < 0.05):
        del file[path]
        return f"column {path}: removed"
    flat = array.reshape(-1)
    at = random_.randrange(len(flat))
    value = random_.choice(other_values(flat[at].item(), array.dtype, array) or [flat[at].item()])
    what = f"[{at}]: {_short(flat[at].item())} -> {_short(value)}"
    if kind == 9:
        other = random_.randrange(len(flat))
        flat[[at, other]] = flat[[other, at]]
        what = f"[{at}] and [{other}] swapped"
    elif kind == 10:
        flat[:] = value
        what = f"all: {_short(value)}"
    elif kind == 11:
        places = [random_.randrange(len(flat)) for _ in range(4)]
        flat[places] = value
        what = f"{places}: {_short(value)}"
    else:
        flat[at] = value
    file[path][...] = flat.reshape(array.shape)
    sign_column(file[path])
    return f"column {path}{what}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:28]}…{text[-28:]}"
