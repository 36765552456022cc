"""Every reader opens every level of this project, and answers what the Python reader answers."""

from __future__ import annotations

import functools
import json
from itertools import islice
from typing import Any

import numpy as np

from bake.levels import is_puzzle
from bake.play import LevelAsset, Navigator, open_asset
from tests.support.readers import ROOT, Runner
from tests.support.stored import stored_pair

SOURCES = ROOT / "levels_src"
#: A puzzle is no level, and a tileset is part of one.
NAMES = sorted(
    path.name
    for path in SOURCES.iterdir()
    if path.suffix not in (".md", ".tsx") and not is_puzzle(path)
)
#: Pairs of places that each profile of each level is asked about.
PAIRS = 20


#: What a level says of itself: its name, and the names of what there is of each kind.
About = dict[str, str | list[str]]


@functools.cache
def asked_about(name: str) -> tuple[list[str], list[str], About]:
    """Questions about a level, the answers of the Python reader, and what the level says."""
    rng = np.random.default_rng(len(name))
    pair = stored_pair(name)
    asked, expected = [f"load {pair.flat}", "about"], ["ok", ""]
    with open_asset(pair.asset) as asset, open_asset(pair.flat) as flat:
        about: About = {
            "name": flat.name,
            "profiles": list(flat.profiles),
            "regions": list(flat.regions),
            "doors": list(flat.doors),
            "links": list(flat.links),
        }
        for i, profile in enumerate(flat.profiles):
            asked.append(f"profile {i}")
            expected.append("ok")
            tables, nav = flat._columns(profile), asset.profile(profile)
            for start, goal in rng.choice(tables.location, (PAIRS, 2)).tolist():
                asked.append(f"hop {start} {goal}")
                expected.append(str(next_hop(asset, flat, nav, start, goal)))
    return asked, expected, about


def next_hop(asset: LevelAsset, flat: LevelAsset, nav: Navigator, start: int, goal: int) -> int:
    """Ask the asset, by locations of the flat file; -1 = there is no path."""
    places = flat._columns(nav.name).places
    ends = [places.place_at(location) for location in (start, goal)]
    if asset.is_grid and not flat.is_grid:
        ends = [tuple(map(int, node.split(","))) for node in ends]
    found = nav.next_hop(*ends)
    if asset.is_grid and not flat.is_grid and found is not None:
        found = ",".join(map(str, found))
    return -1 if found is None else places.location(found)


def test_every_level(runner: Runner) -> None:
    """All levels are asked about in a single process."""
    levels = {name: asked_about(name) for name in NAMES}
    every = iter(runner.ask([each for asked, _, _ in levels.values() for each in asked]))
    for name, (asked, expected, about) in levels.items():
        answers = list(islice(every, len(asked)))
        assert answers[0] == "ok", name
        told: dict[str, Any] = json.loads(answers[1])
        for kind, there in about.items():
            is_things = kind in ("regions", "doors", "links")
            found = [each[0] for each in told[kind]] if is_things else told[kind]
            assert found == there, (name, kind)
        for question, answer, right in zip(asked[2:], answers[2:], expected[2:], strict=True):
            assert answer == right, (name, question)
