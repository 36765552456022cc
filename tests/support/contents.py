"""Everything the schema has, as small made-up contents of an asset."""

import numpy as np

from bake.store.schema import ATTRIBUTES, COLUMNS
from bake.store.write import Contents
from levelbake.columns import PROFILE, Column
from tests.support.constraints import conforming

SOURCES = (("level.png", "a" * 64), ("../tiles.png", "b" * 64))
#: Lengths of dimensions; any other has five elements.
LENGTHS = {
    "xy": 2,
    "channel": 3,
    "slant": 2,
    "bound": 2,
    "one": 1,
    "slope rule": 4,
    "node": 7,
    "location": 24,
    "x": 6,
    "y": 4,
    "line byte": 1,
    "reach byte": 1,
    "corner": 16,
    "wall corner": 16,
    "run": 9,
    "label entry": 9,
}
STATED = {"width": 6, "height": 4, "component_count": 5}


def length(dim: str) -> int:
    """How long a dimension is in these contents."""
    return LENGTHS.get(dim, 5)


def shape_of(column: Column) -> tuple[int, ...]:
    """The shape of a column in these contents."""
    dims = column.dims
    return tuple(length(dim.removesuffix(" + 1")) + dim.endswith(" + 1") for dim in dims)


def full_contents() -> Contents:
    """Every column the schema has, in two profiles, and every attribute that fits all of them.

    An asset with the attribute block has none of the columns that list arcs.
    """
    rng = np.random.default_rng(5)
    attributes: dict[tuple[str, str], str | int] = {}
    columns: dict[str, np.ndarray] = {}
    for profile in ("default", "z.9_-x"):
        for attribute in ATTRIBUTES:
            if attribute.name == "block":
                continue
            group = attribute.group.replace(PROFILE, profile)
            if attribute.kind == "text":
                value: str | int = f"text of {attribute.name}: Ä ≤ 3"
            else:
                wanted = STATED.get(attribute.name, len(group))
                value = min(max(attribute.least, wanted), attribute.most)
            fits = attribute.allows(value)
            attributes[group, attribute.name] = value if fits else attribute.values[0]
        for column in COLUMNS:
            path = column.path.replace(PROFILE, profile)
            columns[path] = conforming(column, shape_of(column), length, rng)
    return Contents(attributes, columns)
