"""The reader answers what the models of tests/vectors say, and survives every damaged file."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from levelbake.errors import BakeError, CorruptAssetError, QueryError
from levelbake.level import Level, open_level
from levelbake.profile import Profile
from tests.support.oracles import TICKS
from tests.support.vectors.make import FOLDER

NAMES = sorted(path.stem for path in FOLDER.glob("*.bake"))
TOLD = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in NAMES}
DAMAGED = json.loads((FOLDER / "damaged.json").read_text("utf-8"))


def places_of(level: Level, locations: list[int]) -> list[Any]:
    return [level._places.place_at(location) for location in locations]


def check(level: Level, nav: Profile, answers: dict[str, Any]) -> None:
    """Each question alone, and all of them in one call."""
    at = level._places.location
    assert [at(place) for place in nav.places()] == answers["standing"]
    asked = answers["questions"]
    starts, goals = (places_of(level, [each[i] for each in asked]) for i in (0, 1))
    hops: list[Any] = []
    units: list[float] = []
    for start, goal, (_, _, hop, ticks) in zip(starts, goals, asked, strict=True):
        at_hop: Any = level._places.place_at(max(hop, 0))
        hops.append(list(at_hop) if level.is_grid and hop >= 0 else hop)
        units.append(math.inf if ticks < 0 else ticks / TICKS)
        found, path = nav.next_hop(start, goal), nav.path(start, goal)
        assert (-1 if found is None else at(found)) == hop
        assert nav.distance(start, goal) == units[-1]
        assert nav.reachable(start, goal) is (ticks >= 0)
        assert (path is None) == (ticks < 0)
        assert path is None or (path[0], path[-1], nav.length(path)) == (start, goal, units[-1])
    if asked:
        assert nav.distances(starts, goals).tolist() == units
        for told, hop in zip(nav.next_hops(starts, goals).tolist(), hops, strict=True):
            if level.is_grid:
                assert told == (hop if hop != -1 else [-1] * len(told))
            else:
                assert (-1 if told is None else at(told)) == hop


@pytest.mark.parametrize("name", NAMES)
def test_as_baked(name: str) -> None:
    told = TOLD[name]
    with open_level(FOLDER / told["file"]) as level:
        assert (level.name, list(level.profiles)) == (
            told["level"]["name"],
            told["level"]["profiles"],
        )
        for profile, answers in told["profiles"].items():
            nav = level.profile(profile)
            check(level, nav, answers)
            for x, y, floor, location in answers["nearest"]:
                point = (x, y, floor) if level.floors > 1 else (x, y)
                assert level._places.location(nav.nearest(point)) == location


@pytest.mark.parametrize("name", NAMES)
def test_updates(name: str) -> None:
    told = TOLD[name]
    with open_level(FOLDER / told["file"]) as level:
        if level._file.has("/cell"):
            with pytest.raises(QueryError, match="cells are nodes"):
                level.update(blocked=places_of(level, [0]))
            return
        for batch in told["updates"]:
            for kind, *said in batch["changes"]:
                change(level, told["level"]["terrains"], kind, said)
            for profile, answers in batch["profiles"].items():
                check(level, level.profile(profile), answers)


def change(level: Level, terrains: list[str], kind: str, said: list[Any]) -> None:
    if kind == "door":
        level.set_state(*said)
        assert level.doors[said[0]].state == said[1]
    elif kind == "fresh":
        level.reset()
    elif kind == "block":
        level.update(blocked=places_of(level, said))
    elif kind == "open":
        level.update(opened=places_of(level, said))
    elif kind == "terrain":
        (place,) = places_of(level, said[:1])
        level.update(terrain={place: terrains[said[1]]})
        assert level.terrain_at(place) == terrains[said[1]]
    else:
        units = math.inf if said[2] == "closed" else said[2]
        level.update(arcs={tuple(places_of(level, said[:2])): units})


@pytest.mark.parametrize("file", DAMAGED)
def test_damaged_files(file: str, tmp_path: Path) -> None:
    """Each is refused in one line, or every question has an answer or a documented error."""
    data, rng = (FOLDER / file).read_bytes(), random.Random(file)
    path = tmp_path / file
    for damage in DAMAGED[file]:
        size = damage.get("size", len(data))
        changed = bytearray(data[:size].ljust(size, b"\0"))
        for at, raw, times in damage["edits"]:
            changed[at : at + len(raw) // 2 * times] = bytes.fromhex(raw) * times
        path.write_bytes(changed)
        if damage.get("refused"):
            with pytest.raises(BakeError):
                open_level(path)
            continue
        try:
            ask_everything(path, rng)
        except CorruptAssetError as error:
            if "\n" in str(error):
                raise AssertionError(damage["name"]) from error
        except BakeError as error:
            raise AssertionError(damage["name"]) from error


def ask_everything(path: Path, rng: random.Random) -> None:
    with open_level(path) as level:
        assert all(each is not None for each in (level.spots(), level.doors, level.links))
        assert level.regions is not None
        for nav in map(level.profile, level.profiles):
            places = nav.places()
            pairs = [(rng.choice(places), rng.choice(places)) for _ in range(3 if places else 0)]
            for pair in pairs:
                nav.next_hop(*pair), nav.reachable(*pair), nav.distance(*pair), nav.path(*pair)
            if pairs and not level._file.has("/cell"):
                level.update(blocked=[pairs[0][0]])
                for start, goal in pairs[1:]:
                    if nav.can_stand(start) and nav.can_stand(goal):
                        nav.next_hop(start, goal), nav.distance(start, goal)
                level.reset()
