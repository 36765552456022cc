"""Change values inside assets, and update the digests and seals to match.

The schema determines the possible changes: every column and every attribute that an asset has or
could have. Digests, seal and size are valid afterwards, so only the values themselves are wrong.
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

#: Numbers that often reveal errors; numbers that do not fit a column's type are skipped.
_NUMBERS = (
    -(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 127, 128, 250, 254, 255, 256, 1000,
    2**15, 2**16 - 2, 2**16 - 1, 2**20, 2**29, 2**29 + 1, 2**30 - 1, 2**30, 2**31 - 2, 2**31 - 1,
    2**32 - 1, 2**62,
)  # fmt: skip
_FRACTIONS = (0.0, -1.0, 0.5, 1.0, 1.5, 2.0, 2**0.5, 1e-300, 1e9, 1e300, np.inf, -np.inf, np.nan)
_TEXTS = (b"", b"x", b"floor", b"wall", b"cat", b"\xc3\xa4", b"\xff", b"a/b")

#: The columns of tables, which an asset may lack without being wrong.
TABLE_COLUMNS = frozenset(f"/profiles/{PROFILE}/{name}" for _, _, names in TABLES for name in names)


def columns_of(file: h5py.File) -> list[tuple[str, Column]]:
    """Return the path and the declaration of each column of an asset."""
    present: set[str] = set()
    file.visit(lambda name: present.add(f"/{name}"))
    return [
        (path, declared)
        for declared in COLUMNS
        for path in _paths(file, declared.path)
        if path in present
    ]


def attributes_of(file: h5py.File) -> list[tuple[str, Attribute]]:
    """Return the group and the declaration of each attribute that an asset has or may have."""
    return [(group, declared) for declared in ATTRIBUTES for group in _paths(file, declared.group)]


def _paths(file: h5py.File, pattern: str) -> Iterator[str]:
    if PROFILE in pattern:
        yield from (pattern.replace(PROFILE, name) for name in file["profiles"])
    else:
        yield pattern


def other_values(old: Any, dtype: np.dtype[Any], around: AnyArray) -> list[Any]:
    """Return replacement values for an element of a column.

    Args:
        old: the current value.
        dtype: the column's type.
        around: the column, whose other values are candidates.
    """
    near = list(dict.fromkeys(around.reshape(-1).tolist()))
    candidates: list[Any]
    if dtype.kind == "S":
        candidates = [*near, *(text[: dtype.itemsize] for text in _TEXTS)]
    elif dtype.kind == "f":
        candidates = [*near, *_FRACTIONS, old + 1, old * 2]
    else:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        candidates = [*near, *_NUMBERS, old - 1, old + 1, old ^ 1, int(most), int(most) - 1]
        candidates = [value for value in candidates if least <= value <= most]
    return [value for value in dict.fromkeys(candidates) if value != old]


def other_scalars(old: Any, declared: Attribute) -> list[Any]:
    """Return replacement values for an attribute; None = remove it."""
    candidates: list[Any] = list(declared.values)
    if declared.kind == "text":
        candidates += ["", "x"] if candidates else ["", "x", "{}", *_recipes(old)]
    elif not candidates:
        candidates = list(_NUMBERS)
        if old is not None:
            candidates += [old - 1, old + 1, 2 * old]
    elif declared.kind == "flag":
        candidates += [2, -1]
    candidates = [
        value for value in candidates if value != old and (type(value) is str or abs(value) < 2**63)
    ]
    if declared.optional and old is not None:
        candidates.append(None)
    return candidates


def _recipes(text: object) -> list[str]:
    """Return variants of a recipe with one changed leaf."""
    try:
        document = json.loads(str(text))
    except ValueError:
        return []
    if not isinstance(document, dict):
        return []
    variants = []
    for owner, key in _leaves(document):
        value = owner[key]
        for other in (None, 1, 5, 2.5, True, "x", [], {}):
            if other != value:
                owner[key] = other
                variants.append(json.dumps(document, separators=(",", ":"), sort_keys=True))
        owner[key] = value
    return variants


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
    """Change a random column or attribute of an asset in place.

    Args:
        path: a valid asset.
        random_: the source of randomness.
        single: whether to change a single value; otherwise several may change at once.

    Returns:
        A description of the change, and the declaration of what was changed.
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
    """Replace the value of an attribute, and return a description of the change."""
    attributes = file[group].attrs
    old = scalar(attributes, declared)
    return set_scalar(file, group, declared, random_.choice(other_scalars(old, declared)))


def scalar(attributes: Any, declared: Attribute) -> Any:
    """Return an attribute as text or number; None if it is absent."""
    stored = attributes.get(declared.name)
    if stored is None:
        return None
    return bytes(stored).decode() if declared.kind == "text" else int(stored)


def set_scalar(file: h5py.File, group: str, declared: Attribute, value: Any) -> str:
    """Set an attribute to a value, where None removes it; return a description of the change."""
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
    """Replace elements of a column, or remove a column of no table; return a description."""
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
