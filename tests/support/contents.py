"""Everything the schema has, as small made-up contents of an asset."""

import numpy as np

from bake.asset.column import PROFILE
from bake.asset.schema import ATTRIBUTES, COLUMNS
from bake.asset.write import Contents

SOURCES = (("level.png", "a" * 64), ("../tiles.png", "b" * 64))
LENGTHS = {
    "xy": 2,
    "channel": 3,
    "slant": 2,
    "bound": 2,
    "node + 1": 8,
    "node": 7,
    "x": 6,
    "y": 4,
    "byte": 1,
}
STATED = {"width": 6, "height": 4, "component_count": 5}


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
            attributes[group, attribute.name] = (
                f"text of {attribute.name}: Ä ≤ 3"
                if attribute.kind == "text"
                else STATED.get(attribute.name, len(group))
            )
        for column in COLUMNS:
            shape = tuple(
                LENGTHS.get(name, 6 if name.endswith(" + 1") else 5) for name in column.dims
            )
            path = column.path.replace(PROFILE, profile)
            if column.dtypes[0] == "text":
                columns[path] = np.array(
                    [b"Wasser", "Ä".encode(), b"", b"a", b"b"][: shape[0]] + [b"x"] * (shape[0] - 5)
                )
            elif column.dtypes[0].startswith("float"):
                columns[path] = rng.normal(size=shape)
            else:
                values = rng.integers(0, 5 if column.unit == "terrain" else 200, size=shape)
                columns[path] = values.astype(column.dtypes[0])
    return Contents(attributes, columns)
