"""The Python reader answers what the models say, and survives every damaged file."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from bake.play import (
    BakeError,
    BlockedCellError,
    CorruptAssetError,
    LevelAsset,
    QueryError,
    open_asset,
)
from tests.support.oracles import TICKS
from tests.support.vectors.make import FOLDER, make

NAMES = sorted(path.stem for path in FOLDER.glob("*.bake"))
TOLD = {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in NAMES}
DAMAGED = json.loads((FOLDER / "damaged.json").read_text("utf-8"))


def place_of(level: LevelAsset, location: int) -> Any:
    return level._columns(level.profiles[0]).places.place_at(location)


def location_of(level: LevelAsset, place: Any) -> int:
    return level._columns(level.profiles[0]).places.location(place)


def is_ticks(units: float, ticks: int) -> bool:
    return units == (math.inf if ticks < 0 else ticks / TICKS)


@pytest.mark.parametrize("name", NAMES)
def test_as_baked(name: str) -> None:
    told = TOLD[name]
    with open_asset(FOLDER / told["file"]) as level:
        assert list(level.profiles) == told["level"]["profiles"]
        assert level.name == told["level"]["name"]
        for profile, answers in told["profiles"].items():
            nav = level.profile(profile)
            assert sorted(level._columns(profile).location.tolist()) == answers["standing"]
            for start, goal, hop, ticks in answers["questions"]:
                a, b = place_of(level, start), place_of(level, goal)
                found = nav.next_hop(a, b)
                assert (-1 if found is None else location_of(level, found)) == hop
                assert is_ticks(nav.distance(a, b), ticks)
                assert nav.reachable(a, b) is (ticks >= 0)
                path = nav.path(a, b)
                assert nav.distances([a], [b]).tolist() == [nav.distance(a, b)]
                assert (path is None) == (ticks < 0)
                assert path is None or (path[0], path[-1]) == (a, b)
            for x, y, floor, place in answers["nearest"]:
                point = (x, y, floor) if level.floors > 1 else (x, y)
                assert location_of(level, nav.nearest(point)) == place


@pytest.mark.parametrize("name", NAMES)
def test_updates(name: str, tmp_path: Path) -> None:
    told = TOLD[name]
    terrains = told["level"]["terrains"]
    with open_asset(FOLDER / told["file"]) as level:
        if level._columns(level.profiles[0]).places.asset.cells_are_nodes:
            with pytest.raises(QueryError, match="cells are nodes"):
                level.update(blocked=[place_of(level, 0)])
            return
        level.save_patch(tmp_path / "fresh")
        for batch in told["updates"]:
            for kind, *said in batch["changes"]:
                if kind == "door":
                    level.set_state(*said)
                    continue
                if kind == "fresh":
                    level.apply_patch(tmp_path / "fresh")
                    continue
                places = [place_of(level, location) for location in said[:2]]
                if kind == "block":
                    level.update(blocked=places)
                elif kind == "open":
                    level.update(opened=places)
                elif kind == "terrain":
                    level.update(terrain={place_of(level, said[0]): terrains[said[1]]})
                else:
                    units = math.inf if said[2] == "closed" else said[2]
                    level.update(arcs={tuple(places): units})
            for profile, answers in batch["profiles"].items():
                check_after(level, profile, answers)


def check_after(level: LevelAsset, profile: str, answers: dict[str, Any]) -> None:
    nav = level.profile(profile)
    for start, goal, hop, ticks in [*answers["questions"], *answers["questions"][::-1]]:
        a, b = place_of(level, start), place_of(level, goal)
        found = nav.next_hop(a, b)
        assert (-1 if found is None else location_of(level, found)) == hop
        assert is_ticks(nav.distance(a, b), ticks)
    standing = set(answers["standing"])
    for location in range(level.width * level.height * level.floors):
        if location not in standing:
            place = place_of(level, location)
            with pytest.raises(BlockedCellError):
                nav.next_hop(place, place)
            return


@pytest.mark.parametrize("name", NAMES)
def test_things_and_points(name: str) -> None:
    told = TOLD[name]
    with open_asset(FOLDER / told["file"]) as level:
        if not level.is_grid:
            assert (
                list(level._columns(level.profiles[0]).places.names) == told["level"]["node_names"]
            )
        spots = [[s.name, s.kind, location_of(level, s.place), s.id] for s in level.spots()]
        assert spots == [
            [name, kind, at, own] for name, kind, at, _, own in told["things"]["spots"]
        ]
        doors = [[door.name, door.state] for door in level.doors.values()]
        assert doors == [[each[0], each[2]] for each in told["things"]["doors"]]
        links = [[link.name, link.cost, link.both_ways] for link in level.links.values()]
        assert links == [[each[0], *each[4:6]] for each in told["things"]["links"]]
        regions = [
            [
                region.name,
                [
                    location_of(level, at)
                    for at in region.nodes or map(tuple, region.cells.tolist())
                ],
                region.id,
            ]
            for region in level.regions.values()
        ]
        assert regions == told["things"]["regions"]
        for x, y, floor, *point in told["points"]["middles"]:
            cell = (x, y, floor) if level.floors > 1 else (x, y)
            assert list(level.to_point(cell)[:2]) == point
        for x, y, floor, *cell in told["points"]["cells"]:
            asked = (x, y, floor) if level.floors > 1 else (x, y)
            assert list(level.to_cell(asked)[:2]) == cell


@pytest.mark.parametrize("file", DAMAGED)
def test_damaged_files(file: str, tmp_path: Path) -> None:
    """Each is refused, or every question has an answer or a documented error."""
    data, rng = (FOLDER / file).read_bytes(), random.Random(file)
    damaged = tmp_path / file
    for damage in DAMAGED[file]:
        size = damage.get("size", len(data))
        changed = bytearray(data[:size].ljust(size, b"\0"))
        for at, raw, times in damage["edits"]:
            changed[at : at + len(raw) // 2 * times] = bytes.fromhex(raw) * times
        assert len(changed) == size
        damaged.write_bytes(changed)
        if damage.get("refused"):
            with pytest.raises(BakeError):
                open_asset(damaged)
            continue
        try:
            ask_everything(damaged, rng)
        except CorruptAssetError:
            continue
        except BakeError as error:
            raise AssertionError(damage["name"]) from error


def ask_everything(path: Path, rng: random.Random) -> None:
    with open_asset(path) as level:
        assert level.spots() is not None
        assert level.doors is not None
        assert level.links is not None
        assert level.regions is not None
        for profile in level.profiles:
            nav = level.profile(profile)
            tables = level._columns(profile)
            places = [place_of(level, location) for location in tables.location.tolist()]
            for _ in range(6 if places else 0):
                a, b = rng.choice(places), rng.choice(places)
                nav.next_hop(a, b)
                nav.reachable(a, b)
                nav.distance(a, b)
                nav.path(a, b)


def test_vectors_are_what_they_were_made_from(tmp_path: Path) -> None:
    """What a bake and an export make now says the same; bytes may differ between revisions."""
    make(tmp_path)
    for name in NAMES:
        told = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))
        for profile, answers in told["profiles"].items():
            kept = TOLD[name]["profiles"][profile]
            assert answers["standing"] == kept["standing"]
            if TOLD[name]["level"]["node_names"] is None:
                costs = [[a, b, ticks] for a, b, _, ticks in answers["questions"]]
                assert costs == [[a, b, ticks] for a, b, _, ticks in kept["questions"]]
    assert sum(path.stat().st_size for path in FOLDER.glob("*.[bj]*")) < 450_000
