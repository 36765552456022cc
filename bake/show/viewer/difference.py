"""Compute the differences from an older bake for the page: `bake view --against`.

Numbers, examples and changed places are the same as in ``bake diff --json``. The page also receives
the old flat file, so that it can compare distances toward any goal.
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

#: The number of goals for which distances are compared, as in `bake diff`.
GOALS = 64


def difference_data(old: Asset, new: Asset) -> dict[str, Any]:
    """Compare a level with an older bake.

    Args:
        old, new: open assets.

    Returns:
        The data of ``bake diff --json``; its text output as ``lines``; and for each profile
        ``cut_off`` and ``joined``, places that lost or gained a path from or to the largest group,
        and ``longer``, places with the largest growth of a distance from there in units.

    Raises:
        AssetError: the levels are of different kinds, or an asset is damaged.
    """
    difference = compare(old, new, None, GOALS)
    data = as_data(difference, [])
    for profile in difference.profiles:
        data["profiles"][profile.name] |= _on_the_map(profile)
    data["old"], data["new"] = Path(difference.old).name, Path(difference.new).name
    return data | {"lines": lines_of(difference)[1:]}


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
