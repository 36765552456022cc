"""Links that pass through cells: what closes them, and paths that are unfolded."""

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bake.apply import apply_patch
from bake.core.movement import MAX_VIA
from bake.export.export import export_asset
from bake.play import LevelAsset, QueryError, open_asset
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import CorruptAssetError, OutputError
from tests.support.baked import bake, write_graph, write_grid
from tests.support.command import bake as command
from tests.support.command import mistake
from tests.support.live_model import TICKS, GridModel, Way, check_level, grid_model
from tests.support.tampering import edited

pytestmark = pytest.mark.note(23, "moves and obstacles by hand")

#: Two banks, with water and rock between them.
STRAIT = (
    "..~~~..",
    "..~~~..",
    "..~~~..",
    "..###..",
)
FERRY = {"from": [1, 0], "to": [5, 0], "via": [[2, 1], [3, 1], [4, 1]], "cost": 3}
LEAP = {"from": [1, 3], "to": [5, 3], "via": [[2, 3], [3, 3], [4, 3]]}


def strait(folder: Path, *links: dict[str, object], **more: object) -> Path:
    document = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "~": "water", "#": "wall"},
        "terrains": {"floor": 1, "water": "blocked", "wall": "blocked", "mud": 2},
        "rows": list(STRAIT),
        "links": list(links),
        **more,
    }
    file = folder / "strait.json"
    file.write_text(json.dumps(document))
    return bake(file)


def export_flat(asset: Path) -> Path:
    flat = asset.with_suffix(".bake")
    with Asset(asset) as opened:
        export_asset(opened, flat, None, ())
    return flat


@pytest.fixture
def level(tmp_path: Path) -> Iterator[LevelAsset]:
    ferry = {"name": "ferry", "both_ways": True, **FERRY}
    leap = {"name": "leap", **LEAP}
    with open_asset(strait(tmp_path, ferry, leap)) as opened:
        yield opened


def test_a_path_unfolds_into_the_cells_between(level: LevelAsset) -> None:
    nav = level.profile()
    for method in (None, "astar", "hpa"):
        path = nav.path((0, 0), (6, 0), **({"method": method} if method else {}))
        assert path == [(0, 0), (1, 0), (5, 0), (6, 0)]
        assert nav.unfold(path) == (
            [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1), (5, 0), (6, 0)],
            [None, None, "ferry", "ferry", "ferry", "ferry", None],
        )
    back = nav.unfold(nav.path((5, 0), (1, 0)))
    assert back.places == [(5, 0), (4, 1), (3, 1), (2, 1), (1, 0)]
    assert back.links == [None, "ferry", "ferry", "ferry", "ferry"]
    assert nav.unfold([(0, 0)]) == ([(0, 0)], [None])
    assert nav.unfold([]) == ([], [])
    with pytest.raises(QueryError, match="no step leads from"):
        nav.unfold([(5, 3), (1, 3)])


def test_what_it_costs(level: LevelAsset) -> None:
    """What it states, or else the straight ways from cell to cell."""
    assert level.links["ferry"].cost == 3.0
    assert level.links["leap"].cost == 4.0
    bent = {"from": (1, 1), "to": (5, 1), "via": [(3, 3)]}
    level.update(links={"bent": bent})
    assert level.links["bent"].cost == pytest.approx(2 * math.sqrt(8))


def test_a_wall_on_one_of_its_cells_closes_it(level: LevelAsset) -> None:
    nav, path = level.profile(), [(1, 0), (5, 0)]
    report = nav.update(blocked=[(3, 1)])
    assert (report.arcs, report.closed, nav.still_valid(path)) == (2, (), False)
    assert nav.unfold(nav.path((1, 0), (5, 0))).links.count("leap") == 4
    assert level.changes_since(0).links == ("ferry",)
    # What was water below the obstacle is water again, or floor.
    report = nav.update(opened=[(3, 1)], terrain={(3, 1): "water"})
    assert (report.as_baked, nav.still_valid(path)) == (True, True)
    # It leads over water, not over rock; and where one can walk one can be carried.
    nav.update(terrain={(2, 1): "wall"})
    assert not nav.still_valid(path)
    nav.update(terrain={(2, 1): "mud"})
    assert nav.still_valid(path)
    # The leap leads over rock, but not over what is built upon it.
    assert nav.update(terrain={(3, 3): "water"}).arcs == 1
    assert nav.update(terrain={(3, 3): "wall"}, blocked=[(3, 3)]).arcs == 0
    assert nav.update(opened=[(3, 3)]).arcs == 1


def test_a_door_on_the_way(tmp_path: Path) -> None:
    """Drawn over water, the link passes no grate that hangs there; shut when it was baked."""
    gate = {"name": "gate", "cells": [[3, 1]], "state": "shut"}
    gate["states"] = {"open": None, "shut": "wall"}
    asset = strait(tmp_path, {"name": "ferry", **FERRY}, doors=[gate])
    verify_asset(asset, None, lambda done: None)
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.path((1, 0), (5, 0)) is None
        assert level.set_state("gate", "open")["default"].arcs == 1
        assert nav.unfold(nav.path((1, 0), (5, 0))).places[1:-1] == [(2, 1), (3, 1), (4, 1)]
        level.set_state("gate", "shut")
        assert not nav.reachable((1, 0), (5, 0))


def test_links_that_come_later_pass_through_cells_too(level: LevelAsset, tmp_path: Path) -> None:
    nav, rope = level.profile(), {"from": (1, 2), "to": (5, 2), "via": [(3, 2)], "cost": 0.5}
    level.update(links={"rope": rope})
    assert level.links["rope"].over == ("water",)
    assert nav.unfold([(1, 2), (5, 2)]).places == [(1, 2), (3, 2), (5, 2)]
    level.update(links={"rope": {**rope, "over": ["wall"]}})
    assert not nav.still_valid([(1, 2), (5, 2)])
    level.update(terrain={(3, 2): "wall"})
    assert nav.still_valid([(1, 2), (5, 2)])
    level.update(links={"ferry": level.links["ferry"]._replace(cost=9.0)})
    saved = tmp_path / "saved.patch"
    level.save_patch(saved)
    links = dict(level.links)
    level.update(blocked=[(3, 2)], links={"rope": None})
    level.apply_patch(saved)
    assert level.links == links


def test_of_several_ways_the_cheapest_open_one_is_meant(tmp_path: Path) -> None:
    ends = {"from": [1, 0], "to": [5, 0]}
    high = {"name": "high", **ends, "via": [[3, 0]], "cost": 3}
    low = {"name": "low", **ends, "via": [[3, 1]], "cost": 3}
    plain = {"name": "plain", **ends, "cost": 4}
    beside = {"name": "beside", "from": [0, 0], "to": [0, 1], "via": [[1, 0]], "cost": 2}
    with open_asset(strait(tmp_path, plain, high, low, beside)) as level:
        nav, path = level.profile(), [(1, 0), (5, 0)]
        assert nav.unfold(path) == ([(1, 0), (3, 0), (5, 0)], [None, "high", "high"])
        nav.update(blocked=[(3, 0)])
        assert nav.unfold(path) == ([(1, 0), (3, 1), (5, 0)], [None, "low", "low"])
        nav.update(blocked=[(3, 1)])
        assert nav.unfold(path) == (path, [None, "plain"])
        # A step is cheaper than the way round.
        assert nav.unfold([(0, 0), (0, 1)]) == ([(0, 0), (0, 1)], [None, None])
        # What the pair costs holds for all of them.
        nav.update(opened=[(3, 0)], arcs={((1, 0), (5, 0)): 1.0})
        assert nav.unfold(path).links == [None, "plain"]


@pytest.mark.parametrize(
    ("column", "value", "line"),
    [
        ("over", 0, "link_open is wrong"),
        ("over", 2, "link_over has 2, not 0 or 1"),
        ("first_via", 0, "first_via"),
        ("via", 1, "one of its ends"),
        ("via", len(STRAIT[0]) + 3, "twice in a row"),
    ],
)
def test_what_a_proof_finds(column: str, value: object, line: str, tmp_path: Path) -> None:
    asset = strait(tmp_path, {"name": "ferry", **FERRY})
    verify_asset(asset, None, lambda done: None)
    with edited(asset) as file:
        file[f"link_{column}"][...] = value
    with pytest.raises(CorruptAssetError, match=line):
        verify_asset(asset, None, lambda done: None)


def test_from_the_command_line(tmp_path: Path) -> None:
    asset = strait(tmp_path, {"name": "ferry", **FERRY})
    assert "one way, cost 3, through 3 cells" in command("info", asset).out
    (told,) = command("info", asset, "--json").data["links"]
    assert (told["via"], told["over"]) == ([[2, 1], [3, 1], [4, 1]], ["water"])
    assert command("verify", asset).code == 0
    picture = tmp_path / "strait.png"
    assert command("render", asset, "-o", picture).code == 0
    assert picture.stat().st_size > 0
    (tmp_path / "strait.json").write_text(
        (tmp_path / "strait.json").read_text().replace("[4, 1]", "[5, 0]")
    )
    done = command("build", tmp_path / "strait.json", "-o", tmp_path / "out")
    assert "passes through (5, 0), one of its ends" in mistake(done)


def test_flat_files_hold_their_ends_alone(tmp_path: Path) -> None:
    asset = strait(tmp_path, {"name": "ferry", **FERRY})
    with open_asset(export_flat(asset)) as level:
        assert level.profile().unfold([(1, 0), (5, 0)]) == (
            [(1, 0), (5, 0)],
            [None, "ferry"],
        )
    asset = strait(tmp_path, {"name": "ferry", **FERRY, "over": ["wall"]})
    with open_asset(asset) as level:
        assert level.profile().path((1, 0), (5, 0)) is None
        level.update(terrain={(x, 1): "wall" for x in (2, 3, 4)})
        assert level.profile().path((1, 0), (5, 0)) == [(1, 0), (5, 0)]
    with pytest.raises(OutputError, match=r"'ferry'"):
        export_flat(asset)


def test_graphs_have_none(tmp_path: Path) -> None:
    asset = bake(write_graph(tmp_path / "roads.json", ["a", "b"], [("a", "b", 2)]))
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.unfold(["a", "b"]) == (["a", "b"], [None, None])
        with pytest.raises(QueryError, match="is a graph"):
            level.update(links={"x": {"from": "b", "to": "a", "cost": 1, "via": ["a"]}})


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ({"via": 7}, "link 'x': via is 7"),
        ({"via": [(1, 0)]}, "(1, 0), one of its ends"),
        ({"via": [(3, 1), (3, 1)]}, "(3, 1) twice"),
        ({"via": [(9, 9)]}, "(9, 9)"),
        ({"via": [(3, 0.5)]}, "(3, 0.5)"),
        ({"over": ["water"]}, "link 'x' says 'over' without 'via'"),
        ({"via": [(3, 1)], "over": ["lava"]}, "link 'x' leads over 'lava'"),
        (
            {"via": [(3, 1)] * (MAX_VIA + 1)},
            "link 'x' passes through 4097 places",
        ),
    ],
)
def test_what_is_refused(said: dict[str, object], line: str, level: LevelAsset) -> None:
    with pytest.raises(QueryError) as caught:
        level.update(links={"x": {"from": (1, 0), "to": (5, 0), **said}})
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


# -- any levels and changes -----------------------------------------------------------------------


def drawn(seed: int) -> tuple[GridModel, list[dict[str, object]]]:
    """A random grid with two links of its own that pass through random cells."""
    model, rng = grid_model(seed), random.Random(f"vias {seed}")
    links: list[dict[str, object]] = []
    for name in ("ferry", "leap"):
        stood = [cell for cell in model.cells if model.grid[cell[1]][cell[0]] == "floor"]
        if len(stood) < 2:
            continue
        start, goal = rng.sample(stood, 2)
        some = rng.sample(model.cells, min(3, len(model.cells)))
        via = [cell for cell in some if cell not in (start, goal)]
        if not via:
            continue
        over = rng.choice([None, ["water"], ["wall", "water"]])
        cost, both = rng.choice([0.25, 2.5]), rng.random() < 0.5
        link = {"name": name, "from": start, "to": goal, "via": via, "cost": cost}
        links.append({**link, "both_ways": both, **({"over": over} if over else {})})
        names = over or {model.grid[y][x] for x, y in via}
        way = Way(start, goal, round(cost * TICKS), both, None, tuple(via), frozenset(names))
        model.links[name] = way
    return model, links


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(seed: int, tmp_path: Path) -> None:
    model, links = drawn(seed)
    rng = random.Random(seed)
    file = write_grid(tmp_path / "model.json", model.grid, links=links)
    asset = bake(file, model.recipe())
    with open_asset(asset) as level:
        check_level(level, model, rng)
        for _ in range(5):
            level.update(**model.change(rng, rng.choice([1, 2, 6])))
            check_level(level, model, rng)
            check_unfolded(level, model)
        saved, folded = tmp_path / "saved.patch", tmp_path / "folded.h5"
        level.save_patch(saved)
        apply_patch(asset, saved, folded, 1, lambda stage, done: None)
        verify_asset(folded, None, lambda done: None)
        with open_asset(folded) as new:
            for name in level.profiles:
                one, other, places = level.profile(name), new.profile(name), model.places(name)
                for start in places:
                    told = one.distances([start] * len(places), places)
                    assert (told == other.distances([start] * len(places), places)).all()


def check_unfolded(level: LevelAsset, model: GridModel) -> None:
    """Every arc that is a link's alone unfolds into its cells."""
    for profile in level.profiles:
        nav, steps = level.profile(profile), model.steps(profile)
        for name, way in model.links.items():
            for pair, via in zip(way.pairs, (way.via, way.via[::-1]), strict=False):
                others = [each for each in model.links.values() if pair in each.pairs]
                if pair in steps and len(others) == 1 and pair not in model.steps_joining():
                    places, links = nav.unfold(list(pair))
                    assert places == [pair[0], *via, pair[1]]
                    assert links == [None] + [name] * (len(via) + 1)
