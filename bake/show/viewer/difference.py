"""Say for the page how a level differs from an older bake: `bake view --against`.

Numbers, examples and the places that opened, closed or changed their price are those of ``bake diff
--json``. The page gets the old flat file as well, so it can compare distances toward any goal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bake.core.arrays import AnyArray
from bake.show.diff import ProfileDifference, compare
from bake.show.diff_report import as_data, lines_of
from bake.show.scene import place_data
from bake.store import Asset

#: Goals that distances are compared to, as many as `bake diff` takes.
GOALS = 64


def difference_data(old: Asset, new: Asset) -> dict[str, Any]:
    """Compare a level with an older bake.

    Args:
        old, new: open assets.

    Returns:
        What ``bake diff --json`` prints; ``lines``, what it prints for people; and for each
        profile ``cut_off`` and ``joined``, places that lost or gained a path from or to the largest
        part, and ``longer``, places with the units by which a distance from there grew at most.

    Raises:
        AssetError: the two are not of one kind of level, or one is damaged.
    """
    found = compare(old, new, None, GOALS)
    data = as_data(found, [])
    for profile in found.profiles:
        data["profiles"][profile.name] |= _on_the_map(profile)
    data["old"], data["new"] = Path(found.old).name, Path(found.new).name
    return data | {"lines": lines_of(found)[1:]}


def _on_the_map(profile: ProfileDifference) -> dict[str, Any]:
    reach, distances = profile.reachability, profile.distances
    none = np.zeros(0, dtype=np.int64)
    longer = none if distances is None else np.flatnonzero(distances.grown > 0)
    return {
        "cut_off": _places(profile, none if reach is None else np.flatnonzero(reach.cut_off)),
        "joined": _places(profile, none if reach is None else np.flatnonzero(reach.joined)),
        "longer": [
            [place, round(float(units), 4)]
            for place, units in zip(
                _places(profile, longer),
                () if distances is None else distances.grown[longer],
                strict=True,
            )
        ],
    }


def _places(profile: ProfileDifference, numbers: AnyArray) -> list[Any]:
    return [place_data(profile.place(number)) for number in numbers.tolist()]
