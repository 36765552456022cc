"""Every name of `LevelLike` and `ProfileLike` works alike on levels of both packages."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bake.play
import levelbake
from levelbake import LevelLike, ProfileLike
from levelbake.protocols import LevelLike as Declared
from tests.support.stored import stored_asset

START, GOAL = (2, 8, 0), (25, 2, 1)
ENDS = [START, GOAL]

#: A question for each name of the protocol.
PROFILE: dict[str, Callable[[ProfileLike], object]] = {
    "name": lambda nav: nav.name,
    "size": lambda nav: nav.size,
    "frozen": lambda nav: nav.frozen().path(START, GOAL),
    "next_hop": lambda nav: nav.next_hop(START, GOAL),
    "path": lambda nav: nav.path(START, GOAL),
    "distance": lambda nav: nav.distance(START, GOAL),
    "reachable": lambda nav: nav.reachable(START, GOAL),
    "next_hops": lambda nav: nav.next_hops(ENDS, ENDS[::-1], strict=False),
    "paths": lambda nav: nav.paths(ENDS, ENDS[::-1], strict=False),
    "distances": lambda nav: nav.distances(ENDS, ENDS[::-1], strict=False),
    "hops_to": lambda nav: nav.hops_to(GOAL),
    "distances_to": lambda nav: nav.distances_to(GOAL),
    "can_stand": lambda nav: (nav.can_stand(START), nav.can_stand([START, (0, 0, 0)])),
    "places": lambda nav: nav.places(),
    "nearest": lambda nav: nav.nearest((12.5, 7.5, 0)),
    "nearest_of": lambda nav: nav.nearest_of(START, [GOAL, (14, 3, 1)]),
    # One rounds each step to ticks, the other prices it in units.
    "length": lambda nav: round(nav.length(nav.path(START, GOAL)), 6),
    "still_valid": lambda nav: nav.still_valid(nav.path(START, GOAL)),
}


def of_patch(level: LevelLike, path: Path) -> object:
    level.save_patch(path)
    return [(report.arcs, report.opened) for report in level.apply_patch(path).values()]


#: As above; those that change the level come last.
LEVEL: dict[str, Callable[[LevelLike, Path], object]] = {
    "name": lambda level, path: level.name,
    "profiles": lambda level, path: level.profiles,
    "width": lambda level, path: level.width,
    "height": lambda level, path: level.height,
    "floors": lambda level, path: level.floors,
    "headings": lambda level, path: level.headings,
    "is_grid": lambda level, path: level.is_grid,
    "profile": lambda level, path: level.profile("guard").name,
    "coordinates": lambda level, path: level.coordinates,
    "to_cell": lambda level, path: (level.to_cell((2.5, 8.5, 0)), level.to_cell([(2.5, 8, 0)])),
    "to_point": lambda level, path: (level.to_point(START), level.to_point(ENDS)),
    "inside": lambda level, path: (level.inside(START), level.inside([(99, 0, 0)])),
    "node_name": lambda level, path: callable(level.node_name),
    "terrain_at": lambda level, path: (level.terrain_at(START), level.terrain_at(ENDS)),
    "elevation_at": lambda level, path: (level.elevation_at(START), level.elevation_at(ENDS)),
    "links": lambda level, path: dict(level.links),
    "doors": lambda level, path: {name: door.state for name, door in level.doors.items()},
    "regions": lambda level, path: {name: each.cells for name, each in level.regions.items()},
    "instances": lambda level, path: level.instances,
    "spots": lambda level, path: level.spots("spawn", profile="guard"),
    "changed": lambda level, path: level.changed,
    "update": lambda level, path: level.update(blocked=[(3, 8, 0)])["guard"].closed,
    "set_state": lambda level, path: level.set_state("gate", "shut")["guard"].closed,
    "changes_since": lambda level, path: level.changes_since(0).places,
    "save_patch": of_patch,
    "apply_patch": of_patch,
    "reset": lambda level, path: level.reset()["guard"].opened,
    "close": lambda level, path: level.close(),
}


def plain(answer: Any) -> Any:
    """An answer whose parts can be compared."""
    if isinstance(answer, np.ndarray):
        return [str(answer.dtype), answer.tolist()]
    if isinstance(answer, dict):
        return {name: plain(each) for name, each in answer.items()}
    return [plain(each) for each in answer] if isinstance(answer, tuple | list) else answer


@pytest.fixture
def both() -> Iterator[list[LevelLike]]:
    path = stored_asset("bastion.json")
    with levelbake.open_level(path) as small, bake.play.open_asset(path) as large:
        yield [small, large]


def names_of(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


def test_both_packages_export_the_protocols() -> None:
    for name in ("LevelLike", "ProfileLike"):
        assert name in levelbake.__all__
        assert name in bake.play.__all__
    assert levelbake.LevelLike is bake.play.LevelLike is Declared


def test_every_name_of_a_profile(both: list[LevelLike]) -> None:
    assert PROFILE.keys() == names_of(ProfileLike)
    for name, ask in PROFILE.items():
        small, large = (plain(ask(level.profile("guard"))) for level in both)
        assert small == large, name


def test_every_name_of_a_level(both: list[LevelLike], tmp_path: Path) -> None:
    assert LEVEL.keys() == names_of(LevelLike)
    for name, ask in LEVEL.items():
        small, large = (plain(ask(level, tmp_path / "patch")) for level in both)
        assert small == large, name


def test_whatever_the_reader_has_is_in_the_protocols() -> None:
    for kind, protocol in ((levelbake.Level, LevelLike), (levelbake.Profile, ProfileLike)):
        public = {name for each in kind.__mro__[:-1] for name in vars(each) if name[0] != "_"}
        instance = {"name", "profiles", "width", "height", "floors", "headings", "is_grid"}
        assert public <= names_of(protocol)
        assert names_of(protocol) <= public | instance
