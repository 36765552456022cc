"""Links and arcs that come and go while the game runs, by hand."""

import hashlib
import json
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from bake.apply import apply_patch
from bake.play import LevelAsset, Navigator, PatchError, QueryError, open_asset
from bake.verify import verify_asset
from tests.support.baked import (
    bake,
    bake_grid,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.live_model import PROFILES
from tests.support.tower import baked_tower

#: Two banks of a river.
RIVER = ("......", "######", "......")

LADDER = {"from": (1, 0), "to": (4, 2), "cost": 2.5}


@pytest.fixture(scope="module")
def river_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tables = ("components", "next_hops", "distances", "hierarchy", "heuristic")
    folder = tmp_path_factory.mktemp("river")
    return bake_grid(folder, rows(*RIVER), tables=tables, cluster_size=3)


@pytest.fixture
def river(river_asset: Path) -> Iterator[LevelAsset]:
    with open_asset(river_asset) as level:
        yield level


def every_way(nav: Navigator, start: object, goal: object) -> set[float]:
    """What a path costs by each method there is; inf where it finds none."""
    found = {nav.distance(start, goal), float(nav.distances([start], [goal])[0])}
    for method in ("astar", "dijkstra", "bidirectional", "hpa"):
        found.add(nav.search(start, goal, method).cost)
    for heuristic in ("null", "manhattan", "octile", "euclidean", "landmark", "maximum"):
        found.add(nav.search(start, goal, heuristic=heuristic).cost)
    path = nav.path(start, goal)
    found.add(math.inf if path is None else nav.length(path))
    return found


def test_a_link_joins_what_was_apart(river: LevelAsset) -> None:
    nav = river.profile()
    assert every_way(nav, (0, 0), (5, 2)) == {math.inf}
    report = nav.update(links={"ladder": LADDER})
    assert (report.arcs, report.components, report.as_baked) == (1, (2, 2), False)
    assert every_way(nav, (0, 0), (5, 2)) == {4.5}
    assert every_way(nav, (5, 2), (0, 0)) == {math.inf}
    assert nav.path((0, 0), (5, 2)) == [(0, 0), (1, 0), (4, 2), (5, 2)]
    assert nav.next_hop((1, 0), (5, 2)) == (4, 2)
    assert nav.reachable((0, 0), (5, 2))
    assert not nav.reachable((5, 2), (0, 0))
    report = nav.update(links={"ladder": {**LADDER, "both_ways": True}})
    assert (report.arcs, report.components) == (1, (2, 1))
    assert every_way(nav, (5, 2), (0, 0)) == {4.5}
    report = nav.update(links={"ladder": None})
    assert (report.arcs, report.components, report.as_baked) == (2, (1, 2), True)
    assert every_way(nav, (0, 0), (5, 2)) == {math.inf}


def test_a_link_follows_its_ends(river: LevelAsset) -> None:
    nav = river.profile()
    nav.update(links={"pier": {"from": (1, 0), "to": (2, 1), "cost": 1}}, blocked=[(1, 0)])
    assert not nav.reachable((0, 0), (2, 0))
    nav.update(opened=[(1, 0)])
    assert "pier" in river.links
    nav.update(opened=[(2, 1)])
    nav.update(arcs=dict.fromkeys([((x, 0), (2, 1)) for x in (1, 2, 3)], math.inf))
    # A price that two places have of their own holds for every arc between them, links too.
    assert not nav.reachable((0, 0), (0, 2))
    nav.update(arcs={((1, 0), (2, 1)): None})
    assert nav.next_hop((1, 0), (0, 2)) == (2, 1)
    nav.update(blocked=[(2, 1)])
    assert not nav.reachable((0, 0), (0, 2))


def test_a_jump_that_is_cheaper_than_any_estimate(river: LevelAsset) -> None:
    nav = river.profile()
    nav.update(links={"rift": {"from": (0, 0), "to": (5, 0), "cost": 0.25}})
    assert every_way(nav, (0, 0), (5, 0)) == {0.25}
    assert every_way(nav, (0, 0), (3, 0)) == {2.25}
    for heuristic in ("manhattan", "octile", "euclidean", "landmark", "maximum"):
        assert nav.search.estimate((0, 0), (5, 0), heuristic) <= 0.25


def test_of_several_links_the_cheapest_counts(river: LevelAsset) -> None:
    nav = river.profile()
    nav.update(links={"a": LADDER, "b": {**LADDER, "cost": 1}})
    assert every_way(nav, (1, 0), (4, 2)) == {1}
    assert nav.update(links={"b": None}).arcs == 1
    assert every_way(nav, (1, 0), (4, 2)) == {2.5}
    nav.update(arcs={((1, 0), (4, 2)): 7})
    assert every_way(nav, (1, 0), (4, 2)) == {7}
    # Whoever says what a link costs means it.
    nav.update(links={"a": {**LADDER, "cost": 3}})
    assert every_way(nav, (1, 0), (4, 2)) == {3}


def test_a_link_that_states_no_cost_costs_the_straight_way(river: LevelAsset) -> None:
    river.update(links={"rope": {"from": (0, 0), "to": (3, 2)}})
    assert river.links["rope"].cost == math.dist((0, 0), (3, 2))
    assert river.links["rope"].kind == "link"


def test_an_arc_between_places_that_nothing_joins(river: LevelAsset) -> None:
    nav = river.profile()
    assert nav.update(arcs={((1, 0), (4, 2)): 2.5}).arcs == 1
    assert every_way(nav, (0, 0), (5, 2)) == {4.5}
    assert nav.still_valid([(1, 0), (4, 2)])
    assert river.links == {}
    nav.update(arcs={((1, 0), (4, 2)): 1})
    assert every_way(nav, (0, 0), (5, 2)) == {3}
    nav.update(arcs={((1, 0), (4, 2)): math.inf})
    assert not nav.still_valid([(1, 0), (4, 2)])
    nav.update(arcs={((1, 0), (4, 2)): 4})
    assert every_way(nav, (0, 0), (5, 2)) == {6}
    assert nav.update(arcs={((1, 0), (4, 2)): None}).as_baked
    with pytest.raises(QueryError, match=r"from \(1, 0\) to \(4, 2\)"):
        nav.update(arcs={((1, 0), (4, 2)): None})
    # A link takes the place of an arc that was added.
    nav.update(arcs={((1, 0), (4, 2)): 9})
    nav.update(links={"ladder": LADDER})
    assert every_way(nav, (1, 0), (4, 2)) == {2.5}
    assert nav.update(links={"ladder": None}).as_baked


def test_what_terrain_forbids_stays_forbidden_to_arcs_but_not_to_links(river: LevelAsset) -> None:
    """A diagonal that a corner forbids is a step that there may be; links do not mind corners."""
    nav = river.profile()
    nav.update(opened=[(2, 1)])
    assert nav.next_hop((1, 0), (2, 1)) == (2, 0)
    nav.update(arcs={((1, 0), (2, 1)): 0.5})
    assert nav.next_hop((1, 0), (2, 1)) == (2, 0)
    nav.update(arcs={((1, 0), (2, 1)): None}, links={"x": {"from": (1, 0), "to": (2, 1)}})
    assert nav.next_hop((1, 0), (2, 1)) == (2, 1)


def test_links_of_a_level_and_its_profiles(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        cat, ogre, walker = (level.profile(name) for name in ("cat", "ogre", "walker"))
        baked = dict(level.links)
        up, down = (7, 0, 0), (7, 0, 1)
        usual = walker.distance(up, down)
        assert usual == 1
        level.update(links={"stairs": None})
        assert "stairs" not in level.links
        assert walker.distance(up, down) > usual
        assert not walker.reachable(down, up)
        # As the level's own they are back, and the baked tables answer again.
        assert level.update(links={"stairs": baked["stairs"]})["walker"].as_baked
        assert dict(level.links) == baked
        level.update(links={"jump": baked["jump"]._replace(profiles=("walker",), cost=0.75)})
        assert list(level.links) == list(baked)
        assert walker.distance((0, 4, 1), (0, 4, 0)) == 0.75
        assert cat.distance((0, 4, 1), (0, 4, 0)) > 0.75
        rope = {"from": (0, 0, 1), "to": (3, 0, 0), "cost": 0.5, "profiles": ["ogre", "cat"]}
        report = level.update(links={"rope": rope, "jump": baked["jump"]})
        assert (report["walker"].arcs, report["ogre"].arcs) == (1, 1)
        assert ogre.distance((0, 0, 1), (3, 0, 0)) == 0.5
        assert walker.distance((0, 0, 1), (3, 0, 0)) > 0.5
        # The ogre takes up two cells by two, so what stands beside an end is in its way.
        level.update(blocked=[(4, 1, 0)])
        assert ogre.nearest((3, 0, 0)) != (3, 0, 0)
        assert cat.distance((0, 0, 1), (3, 0, 0)) == 0.5
        assert level.update(opened=[(4, 1, 0)])["ogre"].arcs > 0
        assert ogre.distance((0, 0, 1), (3, 0, 0)) == 0.5
        with pytest.raises(QueryError, match="no link is named 'stair'"):
            level.update(links={"stair": None})


def test_links_of_graphs(tmp_path: Path) -> None:
    asset = bake(write_graph(tmp_path / "roads.json", ["a", "b", "c"], [("a", "b", 1)]))
    with open_asset(asset) as level:
        nav = level.profile()
        with pytest.raises(QueryError, match="does not say 'cost'"):
            nav.update(links={"ferry": {"from": "b", "to": "c"}})
        nav.update(links={"ferry": {"from": "b", "to": "c", "cost": 2, "both_ways": True}})
        assert nav.path("a", "c") == ["a", "b", "c"]
        assert nav.distance("a", "c") == 3
        assert nav.distance("c", "b") == 2
        assert level.links["ferry"].start == "b"
        nav.update(arcs={("c", "a"): 0.5})
        assert nav.path("b", "a") == ["b", "c", "a"]
        nav.update(blocked=["c"])
        assert not nav.reachable("b", "a")
        level.save_patch(tmp_path / "saved.patch")
        nav.update(opened=["c"], links={"ferry": None})
        assert not nav.reachable("b", "a")
        level.apply_patch(tmp_path / "saved.patch")
        nav.update(opened=["c"])
        assert nav.distance("b", "a") == 2.5
    with pytest.raises(PatchError, match="cannot hold the link 'ferry'"):
        apply_patch(asset, tmp_path / "saved.patch", tmp_path / "new.h5", 1, lambda *_: None)


def test_names_of_links_are_forgotten_when_there_are_too_many(
    river: LevelAsset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bake.play.live.links.MOST_NAMES", 3)
    for name in "abcdb":
        river.update(links={name: LADDER})
        river.update(links={name: None})
    assert river.changes_since().links == ("b", "c", "d")
    assert river.changes_since(9).links == ("b",)


def test_agents_hear_of_links(river: LevelAsset) -> None:
    river.update(links={"ladder": LADDER})
    one = river.changes_since()
    assert one.links == ("ladder",)
    assert sorted(map(tuple, one.places.tolist())) == [(1, 0), (4, 2)]
    assert one.rerouted == river.profiles
    river.update(links={"rope": {**LADDER, "from": (0, 0)}})
    assert set(river.changes_since(one.token).links) == {"ladder", "rope"}
    two = river.changes_since(one.token)
    river.update(links={"rope": None})
    gone = river.changes_since(two.token)
    assert "rope" in gone.links
    assert not river.changes_since(gone.token)


def test_an_older_reader_refuses_only_what_it_cannot_know(
    river: LevelAsset, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.patch"
    river.update(blocked=[(0, 0)], arcs={((1, 0), (2, 0)): 3})
    river.save_patch(saved)
    assert saved.read_text().startswith("levelbake-patch 1 ")
    assert "links" not in json.loads(saved.read_text().split("\n")[1])
    river.update(arcs={((1, 0), (4, 2)): 3})
    river.save_patch(saved)
    assert saved.read_text().startswith("levelbake-patch 2 ")
    river.update(arcs={((1, 0), (4, 2)): None}, links={"ladder": LADDER})
    river.save_patch(saved)
    assert saved.read_text().startswith("levelbake-patch 2 ")
    before = river.links
    river.update(links={"ladder": None})
    river.apply_patch(saved)
    assert dict(river.links) == dict(before)
    assert every_way(river.profile(), (1, 0), (5, 2)) == {3.5}


def test_a_journal_keeps_links(river_asset: Path, tmp_path: Path) -> None:
    kept, asset = tmp_path / "kept.journal", river_asset
    with open_asset(asset) as level:
        level.journal(kept)
        level.update(blocked=[(0, 0)])
    assert kept.read_text().startswith("levelbake-journal 1 ")
    with open_asset(asset) as level:
        assert level.journal(kept) == 1
        level.update(links={"ladder": LADDER})
        assert kept.read_text().startswith("levelbake-journal 2 ")
        level.update(links={"ladder": {**LADDER, "both_ways": True}}, arcs={((5, 0), (5, 2)): 1})
        level.update(links={"ladder": None})
        level.save_patch(tmp_path / "saved.patch")
        level.update(arcs={((5, 0), (5, 2)): None})
        level.apply_patch(tmp_path / "saved.patch")
    with open_asset(asset) as level:
        assert level.journal(kept) == 6
        assert level.links == {}
        assert every_way(level.profile(), (5, 0), (5, 2)) == {1}
        assert every_way(level.profile(), (1, 0), (4, 2)) == {6}


def test_what_was_baked_may_be_longer_than_what_a_game_adds(tmp_path: Path) -> None:
    name, kind = "n" * 300, "k" * 300
    links = [{"name": name, "kind": kind, "from": [0, 0], "to": [2, 2], "cost": 0.5}]
    source = write_grid(tmp_path / "long.json", rows(*RIVER), links=links)
    with open_asset(bake(source, recipe_for())) as level:
        baked = level.links[name]
        assert baked.kind == kind
        level.update(links={name: None})
        level.save_patch(tmp_path / "cut.patch")
        level.update(links={name: baked._replace(cost=0.75)})
        level.save_patch(tmp_path / "dear.patch")
        assert level.update(links={name: baked})["default"].as_baked
        level.apply_patch(tmp_path / "cut.patch")
        assert level.links == {}
        level.apply_patch(tmp_path / "dear.patch")
        assert level.links[name].cost == 0.75
        for other in ({"kind": kind}, {"id": name}):
            with pytest.raises(QueryError, match="at most 256"):
                level.update(links={"short": {**LADDER, **other}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"walls": []},
        {"links": {"x": {"from": 0, "to": 3, "cost": "2.5"}}},
        {"links": {"x": {"from": 0, "to": 3, "cost": 1, "goal": 3}}},
        {"links": {"x": {"from": 0, "to": 99, "cost": 1}}},
        {"links": {"x": {"from": 0, "to": True, "cost": 1}}},
        {"links": {"x": {"from": 0, "to": 0, "cost": 1}}},
        {"links": {"x": {"from": 0, "cost": 1}}},
        {"links": {"x": {"from": 0, "to": 3, "cost": "x"}}},
        {"links": {"x": [0, 3]}},
        {"links": [0, 3]},
        {"links": 7},
    ],
    ids=str,
)
def test_a_damaged_patch_with_links(
    river: LevelAsset, tmp_path: Path, wrong: dict[str, object]
) -> None:
    saved = tmp_path / "saved.patch"
    river.save_patch(saved)
    words, text = saved.read_text().split("\n")[:2]
    text = json.dumps({**json.loads(text), **wrong}) + "\n"
    head = words.split(" ")
    head[1], head[3] = "2", hashlib.sha256(text.encode()).hexdigest()
    saved.write_text(" ".join(head) + "\n" + text)
    with pytest.raises(PatchError) as caught:
        river.apply_patch(saved)
    assert "\n" not in str(caught.value)
    assert "damaged" in str(caught.value)


def folded(asset: Path, patch: Path) -> Path:
    output = asset.with_name("folded.h5")
    apply_patch(asset, patch, output, 1, lambda stage, done: None)
    verify_asset(output, None, lambda done: None)
    return output


def test_folding_links_into_an_asset(tmp_path: Path) -> None:
    asset, patch = baked_tower(tmp_path), tmp_path / "saved.patch"
    with open_asset(asset) as level:
        level.update(
            links={
                "stairs": None,
                "rope": {"from": (0, 0, 1), "to": (3, 0, 0), "cost": 0.5, "profiles": ["cat"]},
            },
            arcs={((8, 0, 0), (0, 2, 1)): 0.25, ((8, 1, 0), (0, 2, 1)): 4},
        )
        level.update(arcs={((8, 1, 0), (0, 2, 1)): math.inf})
        level.save_patch(patch)
        with open_asset(folded(asset, patch)) as new:
            assert list(new.links) == ["jump", "rift", "rope", "arc (8, 0, 0) (0, 2, 1)"]
            assert new.links["rope"] == level.links["rope"]
            for name in level.profiles:
                one, other = level.profile(name), new.profile(name)
                places = [one.nearest((x, y, f)) for x in (0, 3, 8) for y in (0, 4) for f in (0, 1)]
                pairs = [(a, b) for a in places for b in places]
                starts, goals = zip(*pairs, strict=True)
                told = one.distances(list(starts), list(goals))
                assert (told == other.distances(list(starts), list(goals))).all()
                for nav in (one, other):
                    path = nav.path((8, 4, 0), (0, 4, 1)) if name != "ogre" else None
                    assert path is None or nav.still_valid(path)
            # What was folded can go again.
            assert new.profile("walker").next_hop((8, 0, 0), (0, 2, 1)) == (0, 2, 1)
            new.update(links={"rope": None, "arc (8, 0, 0) (0, 2, 1)": None})
            assert set(new.links) == {"jump", "rift"}
            assert new.profile("walker").next_hop((8, 0, 0), (0, 2, 1)) != (0, 2, 1)


def test_folding_arcs_into_a_graph(tmp_path: Path) -> None:
    asset = bake(write_graph(tmp_path / "roads.json", ["a", "b", "c"], [("a", "b", 1)]))
    with open_asset(asset) as level:
        level.update(arcs={("b", "c"): 2.5, ("c", "a"): 1})
        level.update(arcs={("c", "a"): math.inf})
        level.save_patch(tmp_path / "saved.patch")
    with open_asset(folded(asset, tmp_path / "saved.patch")) as level:
        nav = level.profile()
        assert nav.distance("a", "c") == 3.5
        assert not nav.reachable("c", "a")
        nav.update(arcs={("b", "c"): math.inf})
        assert not nav.reachable("a", "c")


def test_an_arc_of_a_graph_obeys_the_terrain_it_enters_and_a_link_does_not(tmp_path: Path) -> None:
    source = tmp_path / "roads.json"
    document = {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": "a", "terrain": "floor"}, {"id": "b", "terrain": "water"}],
        "edges": [{"source": "b", "target": "a", "weight": 1}],
    }
    source.write_text(json.dumps(document), encoding="utf-8")
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        nav.update(arcs={("a", "b"): 1})
        assert not nav.reachable("a", "b")  # Water is entered from water and roads alone.
        nav.update(links={"leap": {"from": "a", "to": "b", "cost": 4}})
        assert nav.distance("a", "b") == 4


def test_many_links_at_new_places(tmp_path: Path) -> None:
    """What comes and goes leaves nothing behind."""
    with open_asset(bake_grid(tmp_path, rows(*["." * 12] * 12))) as level:
        nav = level.profile()
        places = [(x, y) for x in range(0, 12, 3) for y in range(0, 12, 3)]
        for here, there in pairwise(places):
            nav.update(links={"hop": {"from": here, "to": there, "cost": 0.1}})
            assert nav.distance(here, there) == pytest.approx(0.1, abs=1e-4)
        assert nav.update(links={"hop": None}).as_baked


def test_a_baked_link_that_nobody_could_take(tmp_path: Path) -> None:
    """The asset has no arc for it; it is there as soon as somebody can."""
    links = [{"name": "plank", "from": [0, 0], "to": [2, 2], "cost": 0.5, "profiles": ["boat"]}]
    document = rows("......", "######", "......")
    source = write_grid(tmp_path / "plank.json", document, links=links)
    recipe = recipe_for(profiles=tuple(profile_for(*each) for each in PROFILES.items()))
    with open_asset(bake(source, recipe)) as level:
        boat, walker = level.profile("boat"), level.profile("walker")
        level.update(terrain={(0, 0): "water"})
        level.update(terrain={(2, 2): "water"})
        assert boat.distance((0, 0), (2, 2)) == 0.5
        assert not boat.reachable((2, 2), (0, 0))
        assert not walker.reachable((1, 0), (2, 2))
        assert level.update(links={"plank": None})["boat"].arcs == 1
        assert not boat.reachable((0, 0), (2, 2))
