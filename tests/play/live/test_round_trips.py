"""Whatever an update accepts, patches and journals bring back; whatever it refuses changes nothing.

Batches of every kind are drawn, with names and numbers that few games use. After each of them
another opening of the level takes the patch, and yet another one the journal.
"""

import hashlib
import json
import math
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.core.level import TerrainRule
from bake.play import LevelAsset, PatchError, QueryError, open_asset
from bake.project.recipe.rules import LevelRecipe, ProfileRecipe
from levelbake import open_level
from tests.support.baked import bake, bake_grid, rows, write_graph

#: Names that are odd, long, or like those of other things; some are refused.
NAMES = st.one_of(
    st.sampled_from(["__proto__", "constructor", "007", "-3", "٣", "1e5", "nan", "null", "1/1"]),
    st.sampled_from([" ", "x" * 256, "\U0001f600" * 256, "é\u2028\x85\ufeff", 'say "hi"\\']),
    st.sampled_from(["", "\n", "\x00", "\x7f", "\ud800", "x" * 257, "A" * 4000, np.str_("b")]),
    st.text(max_size=8),
)
WILD = (0, -1, -0.0, 5e-324, 1e-300, 1e-9, 1e15, 1e16, 1e308, math.inf, -math.inf, math.nan)
NUMBERS = st.one_of(
    st.sampled_from(WILD),
    st.sampled_from([2**18, 2**18 + 1, 2**31, 2**53 + 1, 2**400, Fraction(1, 3), True, None, "1"]),
    st.sampled_from([np.int8(100), np.uint8(200), np.float16(300.5), np.float32(0.1)]),
    st.sampled_from([np.uint64(2**63), np.longdouble(2.5), np.bool_(True)]),
    st.floats(),
)


def usually(tame: st.SearchStrategy[Any], wild: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Draw what is taken, and now and then something else."""
    return st.integers(0, 9).flatmap(lambda chance: wild if chance == 9 else tame)


UNITS = usually(st.floats(0.01, 100) | st.integers(1, 30), NUMBERS)
POINTS = usually(
    st.tuples(st.floats(0, 24), st.floats(0, 24)),
    st.tuples(NUMBERS, NUMBERS)
    | st.tuples(st.integers(0, 24), st.integers(0, 24), st.sampled_from([0, 1, 1.0, True, 2])),
)


def _grid(folder: Path) -> Path:
    profiles = (ProfileRecipe("boat"), ProfileRecipe("walker"))
    return bake_grid(folder, rows("..m.~", ".##..", "..#.="), profiles=profiles)


def _fine_grid(folder: Path) -> Path:
    """A grid on which few costs fit the scale, and a straight way along it does not."""
    return bake_grid(folder, rows("." * 12, "." * 12), ticks_per_unit=60_000_000)


def _turning(folder: Path) -> Path:
    return bake_grid(folder, rows("..m", ".#."), headings=4)


def _numbered(folder: Path) -> Path:
    names, at = [0, 1, 2, -7, 2**40], [(0, 0), (4, 0), (4, 4), (0, 4), (9, 9)]
    edges = [(0, 1, 1.0), (1, 2, 2.0), (2, -7, 0.5), (2**40, 0, 3.0)]
    positions = dict(zip(names, at, strict=True))
    return bake(write_graph(folder / "numbers.json", names, edges, positions=positions))


def _named(folder: Path) -> Path:
    names = ["a", "b", "0", "1/0", "é"]
    edges = [("a", "b", 1.0), ("b", "0", 2.0), ("0", "1/0", 0.5), ("é", "a", 3.0)]
    return bake(write_graph(folder / "names.json", names, edges))


def _mesh(folder: Path) -> Path:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 24, 24]},
        {"terrain": "mud", "rect": [12, 0, 12, 24]},
        {"terrain": "floor", "rect": [0, 0, 8, 8], "floor": 1},
    ]
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes}
    (folder / "hall.json").write_text(json.dumps(document))
    recipe = LevelRecipe(mesh_nodes="centre", terrain={"mud": TerrainRule(3.0)})
    return bake(folder / "hall.json", recipe)


def _walled(folder: Path) -> Path:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 24, 24]},
        {"terrain": "wall", "rect": [8, 0, 4, 20]},
    ]
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes}
    (folder / "yard.json").write_text(json.dumps(document))
    return bake(folder / "yard.json", LevelRecipe(division="visibility"))


LEVELS = {
    each.__name__[1:]: each
    for each in (_grid, _fine_grid, _turning, _numbered, _named, _mesh, _walled)
}


@pytest.fixture(scope="module", params=LEVELS)
def asset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return LEVELS[request.param](tmp_path_factory.mktemp(request.param))


def _places(level: LevelAsset) -> st.SearchStrategy[Any]:
    """Places of a level, and a few that it may not have."""
    if level.is_grid:
        sizes = (level.width, level.height, level.floors)[: 2 if level.floors == 1 else 3]
        cells = st.tuples(*(st.integers(0, size - 1) for size in sizes))
        return usually(cells, st.tuples(st.integers(-1, 12), st.integers(-1, 3)))
    names = level.profile(level.profiles[0]).node_names
    return usually(st.sampled_from(names), st.sampled_from(["a", "b", -9, 9]) | NAMES)


def _batches(level: LevelAsset) -> st.SearchStrategy[dict[str, Any]]:
    """Batches of one kind of change, or of several."""
    places, terrains = _places(level), [*level._places.terrains]
    terrain = usually(st.sampled_from(terrains), st.sampled_from(["lava", None, 3]))
    names = usually(st.sampled_from(["a", "b", "c"]), NAMES)
    link = st.fixed_dictionaries(
        {"from": places, "to": places, "cost": st.none() | UNITS},
        optional={
            "kind": names,
            "both_ways": st.booleans(),
            "id": names,
            "profiles": st.sampled_from([None, (), [*level.profiles], [*level.profiles][:1]]),
        }
        | ({"via": st.lists(places, max_size=3)} if level.is_grid else {}),
    )
    over = {"via": st.lists(places, min_size=1, max_size=3), "over": st.lists(terrain, max_size=2)}
    if level.is_grid:
        link |= st.fixed_dictionaries({"from": places, "to": places, **over})
    about: dict[str, Any] = (
        {} if level.is_grid or level._places.position is None else {"at": POINTS}
    )
    node = st.fixed_dictionaries(about, optional={"terrain": terrain})
    box = st.builds(
        lambda x, y, w, h: [(x, y), (x + w, y), (x + w, y + h), (x, y + h)],
        *(st.floats(-2, 20), st.floats(-2, 20), st.floats(0.01, 9), st.floats(0.01, 9)),
    )
    far = st.builds(
        lambda x: [(1, 1), (x, 1), (x, 5)],
        st.sampled_from([2**18 - 1, 2**18, 2**18 + 1 / 1024, 2**19, -(2**18), 2**30, 1e300]),
    )
    kinds = {
        "blocked": st.lists(places, max_size=3),
        "opened": st.lists(places, max_size=3),
        "terrain": st.dictionaries(places, terrain, max_size=3),
        "arcs": st.dictionaries(
            st.tuples(places, places), st.none() | UNITS, min_size=1, max_size=2
        ),
        "links": st.dictionaries(names, usually(link, st.none()), min_size=1, max_size=2),
    }
    if not level.is_grid:
        new = usually(st.sampled_from(["a", "b", "c"]), NAMES | st.integers(-9, 9))
        kinds["nodes"] = st.dictionaries(new, usually(node, st.none()), min_size=1, max_size=2)
    if level._file.has("/mesh_vertex"):
        shapes = usually(box, far | st.lists(POINTS, min_size=3, max_size=5) | st.none())
        kinds["obstacles"] = st.dictionaries(names, shapes, min_size=1, max_size=2)
    one = [st.fixed_dictionaries({name: kind}) for name, kind in kinds.items()]
    return st.one_of(*one, st.fixed_dictionaries({}, optional=kinds))


def _state(level: LevelAsset) -> list[Any]:
    """All that a game can see of a level, for each profile."""
    found: list[Any] = [dict(level.links)]
    for name in level.profiles:
        nav = level.profile(name)
        places = nav.places()
        found += [
            nav.node_names,
            places,
            level.terrain_at(places),
            nav.neighbors(places)[0].tolist(),
        ]
        found += [[nav.neighbors(place) for place in places]]
        if not level.is_grid and level._places.position is not None:
            found += [level.to_point([*nav.node_names]).tolist()]
    return found


def _check_one(asset: Path, folder: Path, batches: list[dict[str, Any]]) -> int:
    """Check that patches and a journal bring back what batches make; return how many were taken."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    patch, journal, again = folder / "level.patch", folder / "kept.journal", folder / "again.patch"
    taken = 0
    with open_asset(asset) as level, open_asset(asset) as other:
        level.journal(journal)
        for batch in batches:
            before = _state(level)
            try:
                level.update(**batch)
            except QueryError:
                assert _state(level) == before
                continue
            taken += 1
            level.save_patch(patch)
            other.apply_patch(patch)
            assert _state(other) == _state(level)
            other.save_patch(again)
            assert again.read_bytes() == patch.read_bytes()
        with open_asset(asset) as replayed:
            shutil.copy(journal, folder / "copy.journal")
            assert replayed.journal(folder / "copy.journal") == taken
            assert _state(replayed) == _state(level)
    return taken


@settings(suppress_health_check=[*HealthCheck], deadline=None)
@given(data=st.data())
def test_what_is_accepted_comes_back(
    asset: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    with open_asset(asset) as level:
        batches = data.draw(st.lists(_batches(level), min_size=1, max_size=4))
    _check_one(asset, asset.parent / "trip", batches)


BOX = [(2, 2), (4, 2), (4, 4), (2, 4)]
FAR = 2**18

#: What the reader can change.
READERS_OWN = ("blocked", "opened", "terrain", "arcs")

#: Batches on the mesh, and how many of them are taken.
HARD: dict[str, tuple[list[dict[str, Any]], int]] = {
    "corners at the limit": (
        [
            {"obstacles": {"a": [(1, 1), (FAR, 1), (FAR, 3)]}},
            {"obstacles": {"a": [(-FAR, -FAR), (FAR, -FAR), (FAR, FAR), (-FAR, FAR)]}},
        ],
        2,
    ),
    "corners beyond it": (
        [
            {"obstacles": {"a": [(1, 1), (FAR + 1 / 1024, 1), (9, 3)]}},
            {"obstacles": {"a": [(1, 1), (9, -1e300), (9, 3)]}},
            {"obstacles": {"a": [(1, 1), (2**400, 1), (9, 3)]}},
        ],
        0,
    ),
    "pieces as nodes": (
        [
            {"obstacles": {"a": BOX}},
            {"nodes": {"0/0": None}},
            {"nodes": {"0/0": {"at": (1, 1)}}},
            {"obstacles": {"a": None}, "nodes": {"0/1": None}},
            {"obstacles": {"b": [(6, 6), (7, 6), (7, 7)]}},
            {"obstacles": {"a": None, "b": None}},
            {"nodes": {"0/0": {"at": (1, 1)}}},
            {"obstacles": {"a": BOX}},
        ],
        4,
    ),
    "links, arcs and ground of pieces": (
        [
            {"obstacles": {"a": BOX}, "blocked": ["0/0"], "terrain": {"0/1": "mud"}},
            {"arcs": {("0/0", "0/1"): 2.0}, "links": {"q": {"from": 0, "to": "0/2", "cost": 2}}},
            {"opened": ["0/0"]},
            {"obstacles": {"a": [(2, 2), (5, 2), (5, 5)], "b": [(6, 6), (7, 6), (7, 7)]}},
            {"obstacles": {"a": None}},
        ],
        5,
    ),
    "many": (
        [
            {"nodes": {f"n{i}": {"at": (i % 24, i // 24)} for i in range(400)}},
            {
                "links": {
                    f"{i}": {"from": f"n{i}", "to": f"n{i + 1}", "cost": 1 + i / 7}
                    for i in range(1, 399)
                }
            },
            {"arcs": {(f"n{i}", f"n{399 - i}"): 1 + i / 3 for i in range(1, 199)}},
            {"nodes": {f"n{i}": None for i in range(0, 400, 2)}},
        ],
        4,
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_to_bring_back(tmp_path: Path, name: str) -> None:
    batches, taken = HARD[name]
    assert _check_one(_mesh(tmp_path), tmp_path / "trip", batches) == taken


def test_a_link_whose_straight_way_does_not_fit_the_scale(tmp_path: Path) -> None:
    there = [{"links": {"a": {"from": (0, 0), "to": (x, 0)}}} for x in (8, 11)]
    assert _check_one(_fine_grid(tmp_path), tmp_path / "trip", there) == 1


def test_a_patch_without_the_nodes_of_pieces(tmp_path: Path) -> None:
    asset, patch = _mesh(tmp_path), tmp_path / "level.patch"
    with open_asset(asset) as level:
        level.update(obstacles={"a": BOX})
        level.save_patch(patch)
        first, text = patch.read_text().split("\n")[:2]
        changed = (
            json.dumps(json.loads(text) | {"nodes": [], "terrain": [], "obstacles": []}) + "\n"
        )
        digest = hashlib.sha256(changed.encode()).hexdigest()
        patch.write_text(" ".join([*first.split(" ")[:3], digest]) + "\n" + changed)
        with pytest.raises(PatchError):
            level.apply_patch(patch)


@pytest.mark.parametrize(
    "made", [_grid, _turning, _numbered, _named], ids=lambda made: made.__name__
)
@given(data=st.data())
def test_what_the_reader_accepts_comes_back(
    tmp_path_factory: pytest.TempPathFactory, made: Callable[[Path], Path], data: st.DataObject
) -> None:
    """Its patches bring back the same level in the reader and in bake.play."""
    folder = tmp_path_factory.getbasetemp() / made.__name__
    if not folder.exists():
        folder.mkdir()
        made(folder)
    asset, patch = next(folder.glob("*.h5")), folder / "level.patch"
    with open_asset(asset) as drawn:
        batches = data.draw(st.lists(_batches(drawn), min_size=1, max_size=2))
    with open_level(asset) as level, open_level(asset) as other, open_asset(asset) as play:
        for batch in batches:
            of_reader = {name: batch[name] for name in batch if name in READERS_OWN}
            before = _distances(level)
            try:
                level.update(**of_reader)
            except QueryError:
                assert _distances(level) == before
                continue
            level.save_patch(patch)
            for each in (other, play):
                each.apply_patch(patch)
                assert _distances(each) == _distances(level)


def _distances(level: Any) -> list[Any]:
    """Where each profile can stand, on what, and how far it is from everywhere to everywhere."""
    found = []
    for name in level.profiles:
        nav = level.profile(name)
        places = sorted(nav.places(), key=repr)
        pairs = [(start, goal) for start in places for goal in places]
        starts, goals = ([pair[end] for pair in pairs] for end in (0, 1))
        found.append([places, level.terrain_at(places), nav.distances(starts, goals).tolist()])
    return found
