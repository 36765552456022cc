"""Whatever the reader answers, bake.play answers as well: each public name, in each state."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import levelbake
from bake import play
from levelbake.changes import PLAIN, WITH_LINKS, WITH_NODES, UpdateReport, patch_text
from levelbake.errors import BakeError, PatchError, QueryError
from tests.support.baked import bake, bake_grid, rows, write_graph
from tests.support.live_model import GraphModel, GridModel, check, check_level, grid_model
from tests.support.stored import stored_asset

#: What bake.play calls a name of the reader's; all other names are the same.
OTHER_NAMES = {"Level": "LevelAsset", "Profile": "Navigator", "open_level": "open_asset"}

Ask = Callable[[Any, "Scene"], object]


class Scene:
    """A level, and the arguments of questions to it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.folder = path, folder
        with levelbake.open_level(path) as level:
            self.name = level.profiles[-1]
            places = level.profile(self.name).places()
            self.is_grid, self.doors = level.is_grid, {n: d.states for n, d in level.doors.items()}
        rng = random.Random(path.name)
        self.starts, self.goals = rng.choices(places, k=12), rng.choices(places, k=12)
        self.shut = rng.sample(places, k=4)
        self.point = (2.3, 1.1, 0)[: len(places[0])] if self.is_grid else (2.0, 3.0)
        self.nowhere = tuple(-7 for _ in places[0]) if self.is_grid else "no such node"


def plain(value: object) -> object:
    """What an answer says, whatever type both packages say it in."""
    if isinstance(value, UpdateReport) or hasattr(value, "as_baked"):
        return {name: plain(getattr(value, name)) for name in UpdateReport._fields}
    if isinstance(value, levelbake.Changes):
        return [value.token, value.places.tolist(), value.links, value.rerouted]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.shape, str(value.tolist())]
    if isinstance(value, levelbake.Region | levelbake.Door | levelbake.Instance):
        return {name: plain(getattr(value, name)) for name in dir(value) if name[0] != "_"}
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple) and not isinstance(value, levelbake.Link | levelbake.Spot):
        return [plain(each) for each in value]
    return None if callable(value) else str(value)


def saved(level: Any, scene: Scene) -> object:
    level.save_patch(scene.folder / "some.patch")
    return (scene.folder / "some.patch").read_text()


def shutting(level: Any, scene: Scene) -> object:
    found = [level.update(blocked=scene.shut[:2])]
    if scene.is_grid:
        found.append(level.update(terrain={scene.shut[2]: level.terrain_at(scene.starts[0])}))
    nav = level.profile(scene.name)
    path = nav.path(scene.starts[0], scene.goals[0]) or []
    if len(path) > 1:
        found.append(level.update(arcs={(path[0], path[1]): 7.5}))
    return found


def doors(level: Any, scene: Scene) -> object:
    return [level.set_state(door, list(states)[-1]) for door, states in scene.doors.items()]


#: Questions to a level by its public names.
LEVEL: dict[str, Ask] = {
    "name": lambda level, _: level.name,
    "profiles": lambda level, _: level.profiles,
    "width": lambda level, _: level.width,
    "height": lambda level, _: level.height,
    "floors": lambda level, _: level.floors,
    "headings": lambda level, _: level.headings,
    "is_grid": lambda level, _: level.is_grid,
    "changed": lambda level, _: level.changed,
    "coordinates": lambda level, _: level.coordinates,
    "to_cell": lambda level, scene: level.to_cell(scene.point),
    "to_point": lambda level, scene: level.to_point(scene.starts),
    "inside": lambda level, scene: level.inside(scene.starts[0]),
    "node_name": lambda level, scene: level.node_name(str(scene.starts[0])),
    "terrain_at": lambda level, scene: level.terrain_at([*scene.shut, scene.nowhere]),
    "elevation_at": lambda level, scene: level.elevation_at(scene.starts),
    "regions": lambda level, _: level.regions,
    "instances": lambda level, _: level.instances,
    "spots": lambda level, scene: [level.spots(), level.spots("spawn", profile=scene.name)],
    "links": lambda level, _: level.links,
    "doors": lambda level, _: level.doors,
    "profile": lambda level, scene: level.profile(scene.name).name,
    "changes_since": lambda level, _: level.changes_since(0),
    "save_patch": saved,
    # These change the level, and come between the rounds of questions.
    **dict.fromkeys(("update", "set_state", "reset", "apply_patch", "close"), lambda *_: None),
}

#: What changes a level; after each everything is asked.
CHANGES: dict[str, Ask] = {
    "nothing": lambda *_: None,
    "update": shutting,
    "doors": doors,
    "update of one profile": lambda level, scene: level.update(opened=scene.shut[:1]),
    "save_patch": saved,
    "reset": lambda level, _: level.reset(),
    "reset again": lambda level, _: level.reset(),
    "apply_patch": lambda level, scene: level.apply_patch(scene.folder / "some.patch"),
}

#: Questions to a profile by its public names.
PROFILE: dict[str, Ask] = {
    "name": lambda nav, _: nav.name,
    "size": lambda nav, _: nav.size,
    "frozen": lambda nav, scene: nav.frozen().distances(scene.starts, scene.goals, strict=False),
    "next_hop": lambda nav, scene: each(nav.next_hop, scene),
    "path": lambda nav, scene: each(nav.path, scene),
    "distance": lambda nav, scene: each(nav.distance, scene),
    "reachable": lambda nav, scene: each(nav.reachable, scene),
    "next_hops": lambda nav, scene: nav.next_hops(scene.starts, scene.goals, strict=False),
    "paths": lambda nav, scene: nav.paths(scene.starts, scene.goals, strict=False),
    "distances": lambda nav, scene: nav.distances(scene.starts, scene.goals, strict=False),
    "hops_to": lambda nav, scene: nav.hops_to(scene.goals[0]),
    "distances_to": lambda nav, scene: nav.distances_to(scene.goals[1]),
    "can_stand": lambda nav, scene: nav.can_stand([*scene.shut, *scene.starts, scene.nowhere]),
    # Each package has an order of its own.
    "places": lambda nav, _: sorted(map(str, nav.places())),
    "nearest": lambda nav, scene: nav.nearest(scene.point),
    "nearest_of": lambda nav, scene: nav.nearest_of(scene.starts[0], scene.goals),
    # The reader adds up whole ticks, and bake.play prices before it is rounded to ticks.
    "length": lambda nav, scene: round(nav.length(nav.path(*pair_of(scene)) or []), 3),
    "still_valid": lambda nav, scene: nav.still_valid([*scene.starts[:1], *scene.shut]),
}

#: Wrong arguments, which both have to reject as the same kind of error.
WRONG: dict[str, Ask] = {
    "no profile": lambda level, _: level.profile("no such profile"),
    "no place": lambda level, scene: level.profile(scene.name).path(scene.nowhere, scene.goals[0]),
    "blocked": lambda level, scene: level.update(blocked=[scene.nowhere]),
    "both": lambda level, scene: level.update(blocked=scene.shut, opened=scene.shut),
    "terrain": lambda level, scene: level.update(terrain={scene.shut[0]: "no such terrain"}),
    "price": lambda level, scene: level.update(arcs={tuple(scene.shut[:2]): -1}),
    "door": lambda level, _: level.set_state("no such door", "open"),
    "token": lambda level, _: level.changes_since(10**6),
    "patch": lambda level, scene: level.apply_patch(scene.folder / "absent.patch"),
    "folder": lambda level, scene: level.save_patch(scene.folder / "absent" / "some.patch"),
}


def pair_of(scene: Scene) -> tuple[Any, Any]:
    return scene.starts[0], scene.goals[0]


def each(question: Callable[[Any, Any], object], scene: Scene) -> list[object]:
    pairs = zip(scene.starts, scene.goals, strict=True)
    return [outcome(lambda: question(*pair)) for pair in pairs]  # noqa: B023


def outcome(ask: Callable[[], object]) -> object:
    """The answer to a question, or the kind of its error."""
    try:
        return plain(ask())
    except BakeError as error:
        return type(error).__name__


def public_names(thing: type | object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


SOURCES = ["bastion.json", "roads.json", "colony.json", "station.json"]


@pytest.fixture(params=SOURCES)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    return Scene(stored_asset(request.param), tmp_path)


def test_every_public_name_answers_alike(scene: Scene) -> None:
    with levelbake.open_level(scene.path) as level, play.open_asset(scene.path) as other:
        navs = [each.profile(scene.name) for each in (level, other)]
        assert public_names(level) == LEVEL.keys()
        assert public_names(navs[0]) == PROFILE.keys()
        for change, make in CHANGES.items():
            one, two = (outcome(lambda: make(each, scene)) for each in (level, other))  # noqa: B023
            assert one == two, change
            for name, ask in LEVEL.items():
                one, two = (outcome(lambda: ask(each, scene)) for each in (level, other))  # noqa: B023
                assert one == two, (change, name)
            for name, ask in PROFILE.items():
                one, two = (outcome(lambda: ask(nav, scene)) for nav in navs)  # noqa: B023
                assert one == two, (change, name)
            for name, ask in WRONG.items():
                one, two = (outcome(lambda: ask(each, scene)) for each in (level, other))  # noqa: B023
                assert one == two, (change, name)
                assert isinstance(one, str)


def test_every_parameter_of_the_reader_is_one_of_bake_play() -> None:
    for mine, theirs in (("Level", "LevelAsset"), ("Profile", "Navigator")):
        one, two = getattr(levelbake, mine), getattr(play, theirs)
        for name in public_names(one):
            assert hasattr(two, name), name
            if not inspect.isfunction(getattr(one, name)):
                continue
            known = inspect.signature(getattr(two, name)).parameters
            for parameter in inspect.signature(getattr(one, name)).parameters.values():
                if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                    assert parameter.name in known, (name, parameter)
                    assert parameter.default == known[parameter.name].default, (name, parameter)


def test_names_of_the_packages() -> None:
    for name in levelbake.__all__:
        theirs = OTHER_NAMES.get(name, name)
        assert theirs in play.__all__
        if name == theirs != "open_asset":
            assert getattr(play, theirs) is getattr(levelbake, name)


# -- frozen, reset, changed -----------------------------------------------------------------------


def model_of(name: str) -> GridModel | GraphModel:
    if name == "graph":
        edges = [(a, (a + 4) % 9, 1.0 + a % 3) for a in range(9)]
        return GraphModel(list(range(9)), [*edges, (0, 5, 2.0), (5, 0, 2.0), (7, 8, 1.0)])
    return grid_model(1, "odd-r" if name == "hexagons" else None)


def answers(nav: play.Navigator, places: list[Any]) -> list[object]:
    """What a profile answers of all pairs, one by one, many at once, and by searches."""
    pairs = [(start, goal) for start in places for goal in places]
    starts, goals = [start for start, _ in pairs], [goal for _, goal in pairs]
    found: list[object] = [places, nav.places(), nav.can_stand(places) if places else None]
    found += [(nav.next_hop(*pair), nav.path(*pair), nav.distance(*pair)) for pair in pairs]
    found += [nav.search.path(*pair, "dijkstra") for pair in pairs[::9]]
    found += [nav.distances_to(goal).tolist() for goal in places[::5]]
    if pairs:
        found += [nav.next_hops(starts, goals).tolist(), nav.distances(starts, goals).tolist()]
    return [str(each) for each in found]


@pytest.mark.parametrize("tables", [None, ("components",)], ids=["all tables", "no next hops"])
@pytest.mark.parametrize("name", ["squares", "hexagons", "graph"])
def test_frozen_profiles_stay_as_they_are(
    name: str, tables: tuple[str, ...] | None, tmp_path: Path
) -> None:
    rng, model = random.Random(name), model_of(name)
    first = copy.deepcopy(model)
    mode = "none" if tables else "hpa"
    with play.open_asset(model.baked(tmp_path, tables=tables, hierarchy=mode)) as level:
        profile, kept = level.profiles[-1], []
        for _ in range(6):
            nav, places = level.profile(profile), model.places(profile)
            check(nav, places, model.steps(profile), rng)
            frozen, asked = nav.frozen(), nav.frozen()
            known = answers(nav, places)
            assert answers(asked, places) == known  # Fast lookups are made at the first question.
            kept.append((frozen, asked, places, known))
            level.update(**model.change(rng, 4))
        for frozen, asked, places, known in kept:
            assert answers(frozen, places) == answers(asked, places) == known
            assert answers(frozen.frozen(), places) == known
        level.reset()
        assert not level.changed
        check_level(level, first, rng)
        for frozen, _, places, known in kept[::2]:
            assert answers(frozen, places) == known


def test_a_frozen_profile_changes_nothing(tmp_path: Path) -> None:
    with play.open_asset(bake_grid(tmp_path, rows("...", "..."))) as level:
        frozen = level.profile().frozen()
        for change in (lambda: frozen.update(blocked=[(0, 0)]), lambda: frozen.set_state("a", "b")):
            with pytest.raises(QueryError, match="frozen"):
                change()
        level.update(blocked=[(1, 0)])
        assert frozen.next_hop((0, 0), (2, 0)) == (1, 0)
        assert frozen.search.path((0, 0), (2, 0), "astar") == [(0, 0), (1, 0), (2, 0)]
        assert frozen.can_stand((1, 0))
        assert not level.profile().can_stand((1, 0))
        level.update(blocked=[(1, 1)])
        assert frozen.distance((0, 0), (2, 0)) == 2
        assert level.profile().distance((0, 0), (2, 0)) == float("inf")


def test_changed_and_reset_know_links_and_nodes(tmp_path: Path) -> None:
    places = {"mill": (0.0, 0.0), "ford": (3.0, 1.0), "inn": (5.0, 5.0)}
    edges = [("mill", "ford", 3.5), ("ford", "mill", 3.5), ("ford", "inn", 4.0)]
    path = bake(write_graph(tmp_path / "road.json", list(places), edges, positions=places))
    arcs = {("mill", "camp"): 1.0}
    with play.open_asset(path) as level:
        assert level.changed is False
        level.update(nodes={"camp": {"at": (1.0, 1.0)}}, arcs=arcs)
        assert level.changed is True
        assert level.profile().path("mill", "camp") == ["mill", "camp"]
        level.update(nodes={"camp": None})
        assert level.changed is False
        level.update(nodes={"camp": {"at": (1.0, 1.0)}})
        report = level.reset()["default"]
        assert level.changed is False
        assert report.as_baked
        assert level.profile().node_names == ("mill", "ford", "inn")
    with play.open_asset(bake_grid(tmp_path, rows("..#..", "..#.."))) as level:
        rope = {"rope": {"from": (1, 0), "to": (3, 0)}}
        level.journal(tmp_path / "some.journal")
        level.update(links=rope)
        assert level.changed is True
        level.update(links={"rope": None})
        assert level.changed is False
        level.update(links=rope, blocked=[(0, 0)])
        level.reset()
        assert level.changed is False
        assert not level.links
        level.update(blocked=[(0, 1)])
    with play.open_asset(tmp_path / "drawn.h5") as level:
        assert level.journal(tmp_path / "some.journal") == 5
        assert level.profile().can_stand([(0, 0), (0, 1)]).tolist() == [True, False]  # type: ignore[union-attr]


# -- patches --------------------------------------------------------------------------------------

#: Changes that a patch may hold, the version that they need, and which levels have room for them.
RECORDS: dict[str, tuple[dict[str, Any], int, str]] = {
    "none": ({}, PLAIN, "grid graph"),
    "a price": ({"arcs": [[0, 1, 4.0]]}, PLAIN, "grid graph"),
    "an added arc": ({"arcs": [[2, 0, 4.0]]}, WITH_LINKS, "grid graph"),
    "no link": ({"links": {}}, WITH_LINKS, "grid graph"),
    "a link": (
        {"links": {"x": {"from": 0, "to": 2, "kind": "link", "cost": 1, "both_ways": True}}},
        WITH_LINKS,
        "grid graph",
    ),
    "no node": ({"nodes": []}, WITH_NODES, "grid graph"),
    "a node": ({"nodes": [["x", 3, [5.0, 5.0], None]]}, WITH_NODES, "graph"),
    "no obstacle": ({"cuts": []}, WITH_NODES, "grid graph"),
    "an obstacle": ({"cuts": [["x", 0, [[0, 0], [2048, 0], [0, 2048]]]]}, WITH_NODES, ""),
    "something else": ({"more": 1}, PLAIN, ""),
    "a place outside": ({"obstacles": [77]}, PLAIN, ""),
}


@pytest.mark.parametrize("version", [PLAIN, WITH_LINKS, WITH_NODES])
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("kind", ["grid", "graph"])
def test_patches_of_each_version(kind: str, name: str, version: int, tmp_path: Path) -> None:
    record, needed, kinds = RECORDS[name]
    if kind == "grid":
        path = bake_grid(tmp_path, rows("....", "..#."))
    else:
        positions = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (3.0, 0.0)}
        edges = [("a", "b", 1.0), ("b", "c", 2.0)]
        path = bake(write_graph(tmp_path / "g.json", list(positions), edges, positions=positions))
    patch = tmp_path / "some.patch"
    fits = kind in kinds.split() and needed <= version
    for opened, newest in ((levelbake.open_level, PLAIN), (play.open_asset, WITH_NODES)):
        with opened(path) as level:
            says = {"terrain": [], "obstacles": [], "arcs": [], **record}
            patch.write_text(patch_text(level._file, says, version))
            if fits and version <= newest:
                assert level.apply_patch(patch).keys() == {"default"}
            else:
                with pytest.raises(PatchError) as caught:
                    level.apply_patch(patch)
                assert type(caught.value) is PatchError
                assert not level.changed
