"""Next hops as a plain matrix, by the command line: what is in it, and what is refused."""

import contextlib
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from bake.core.arrays import AnyArray
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from tests.support.baked import GROUND, bake, profile_for, recipe_for, rows, write_graph, write_grid
from tests.support.command import bake as command
from tests.support.command import mistake
from tests.support.oracles import Cell, Ground, Lattice, square_arcs
from tests.support.pages import blocks, page
from tests.support.strategies import FAMILIES, random_grid, seeded
from tests.support.tower import baked_tower

HOPS = ("components", "next_hops")


def exported(asset: Path, *options: str) -> tuple[AnyArray, list[Any]]:
    """The matrix and the places that the command writes."""
    table = asset.with_suffix(".npy")
    done = command("export", asset, "--table", table, "--json", *options)
    assert (done.code, done.err) == (0, "")
    places = asset.with_suffix(".places.json")
    size = table.stat().st_size + places.stat().st_size
    assert done.data == {"file": str(table), "places": str(places), "bytes": size}
    matrix = np.load(table)
    assert matrix.dtype == np.dtype("<i2")
    return matrix, json.loads(places.read_text("utf-8"))


def test_a_level_by_hand(tmp_path: Path) -> None:
    """A corridor of three cells, a cell of its own, and straight steps alone."""
    source = write_grid(tmp_path / "hall.json", rows("...#."))
    matrix, places = exported(bake(source, recipe_for(connectivity=4, tables=HOPS)))
    number = {tuple(place): row for row, place in enumerate(places)}
    assert sorted(number) == [(0, 0), (1, 0), (2, 0), (4, 0)]
    order = [number[x, 0] for x in (0, 1, 2, 4)]
    a, b, c, lone = order
    assert matrix[np.ix_(order, order)].tolist() == [
        [a, b, b, -1],
        [a, b, c, -1],
        [b, b, c, -1],
        [-1, -1, -1, lone],
    ]


def check(matrix: AnyArray, graph: nx.DiGraph, names: list[Any]) -> None:
    """Every hop begins a shortest path of networkx, and there is none where that has none."""
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
    assert sorted(map(str, names)) == sorted(map(str, graph))
    for row, start in enumerate(names):
        for column, goal in enumerate(names):
            hop = int(matrix[row, column])
            if goal not in lengths[start]:
                assert hop == -1
            elif start == goal:
                assert hop == row
            else:
                step = graph[start][names[hop]]["weight"]
                assert step + lengths[names[hop]][goal] == lengths[start][goal]


@pytest.mark.parametrize("seed", range(3))
def test_random_lattices(tmp_path: Path, seed: int) -> None:
    grid = random_grid(60 + seed, 9, 7)
    asset = bake(write_grid(tmp_path / "drawn.json", grid), recipe_for(tables=HOPS))
    matrix, places = exported(asset)
    lattice = Lattice(grid, GROUND)
    graph = nx.DiGraph()
    graph.add_nodes_from(lattice.cells())
    graph.add_weighted_edges_from((a, b, w) for (a, b), w in square_arcs(lattice, 8).items())
    cells: list[Cell] = [(x, y) for x, y in places]
    check(matrix, graph, cells)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_random_graphs(tmp_path: Path, family: object) -> None:
    n, drawn = seeded(family, 5, 25)
    graph = nx.DiGraph()
    graph.add_nodes_from(f"n{node}" for node in range(n))
    for a, b, weight in drawn:
        cost = weight % 90 + 1
        known = graph.get_edge_data(f"n{a}", f"n{b}", {"weight": cost})["weight"]
        graph.add_edge(f"n{a}", f"n{b}", weight=min(cost, known))
    edges = [(a, b, weight) for a, b, weight in graph.edges(data="weight")]
    source = write_graph(tmp_path / "graph.json", list(graph), edges)
    check(*_swapped(exported(bake(source, LevelRecipe(tables=HOPS))), graph))


def _swapped(
    made: tuple[AnyArray, list[Any]], graph: nx.DiGraph
) -> tuple[AnyArray, nx.DiGraph, list[Any]]:
    return made[0], graph, made[1]


def test_floors_and_profiles(tmp_path: Path) -> None:
    asset = baked_tower(tmp_path, tables=HOPS)
    for profile in ("cat", "ogre"):
        matrix, places = exported(asset, "--profile", profile)
        assert matrix.shape == (len(places), len(places))
        assert {len(place) for place in places} == {3}
    many = command("export", asset, "--table", tmp_path / "many.npy")
    mistake(many, "several profiles, none named; expected 'cat' or 'ogre' or 'walker'")
    none = command("export", asset, "--table", tmp_path / "none.npy", "--profile", "dog")
    mistake(none, "no profile 'dog'")
    assert not list(tmp_path.glob("*one.*")) + list(tmp_path.glob("many*"))


def test_nobody_stands_anywhere(tmp_path: Path) -> None:
    nowhere = profile_for("fish", {**GROUND, "floor": Ground(None)})
    source = write_grid(tmp_path / "room.json", rows(".."))
    asset = bake(source, recipe_for(tables=HOPS, profiles=(nowhere, profile_for("cat", GROUND))))
    matrix, places = exported(asset, "--profile", "fish")
    assert (matrix.shape, places) == ((0, 0), [])


@pytest.mark.parametrize("most", [1, 3, 4, 5])
def test_a_matrix_of_more_places_is_refused(
    tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bake.export.export.MOST_ROWS", most)
    asset = bake(write_grid(tmp_path / "hall.json", rows("....")), recipe_for(tables=HOPS))
    if most >= 4:
        assert exported(asset)[0].shape == (4, 4)
        return
    done = command("export", asset, "--table", asset.with_suffix(".npy"))
    mistake(done, f"a matrix of 4 places has 16 entries; expected at most {most} places; export ")
    assert sorted(tmp_path.iterdir()) == sorted([asset, asset.with_suffix(".json")])


def test_what_cannot_be_written(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "hall.json", rows(".."))
    asset = bake(source, recipe_for(tables=HOPS))
    mistake(command("export", asset, "--table", tmp_path / "hall.csv"), "expected NAME.npy")
    other = tmp_path / "other.npy"
    other.write_text("a note")
    mistake(command("export", asset, "--table", other), "the existing file is not a matrix")
    assert other.read_text() == "a note"
    mistake(command("export", asset, "--table", tmp_path / "no" / "a.npy"), "cannot be written")
    exported(asset)
    exported(asset)  # what this has written is replaced
    for options in (
        ["-o", "a.bake"],
        ["--with", "distances"],
        ["--profile", "a", "--profile", "b"],
    ):
        done = command("export", asset, "--table", tmp_path / "a.npy", *options)
        assert done.code == 2
        assert "--table cannot be combined" in done.err
    bare = bake(source, recipe_for(tables=("components",)))
    done = command("export", bare, "--table", tmp_path / "a.npy")
    mistake(done, "the asset holds no next_hops", "add next_hops to tables in bake.toml and rebake")


def test_profiles_of_one_asset_do_not_mix(tmp_path: Path) -> None:
    shut = {**GROUND, "mud": GROUND["wall"]}
    profiles = (profile_for("a", GROUND), profile_for("b", shut))
    source = write_grid(tmp_path / "marsh.json", rows(".m."))
    asset = bake(source, recipe_for(tables=HOPS, profiles=profiles))
    assert exported(asset, "--profile", "a")[0].shape == (3, 3)
    matrix, places = exported(asset, "--profile", "b")
    assert matrix.tolist() == [[0, -1], [-1, 1]]
    assert sorted(places) == [[0, 0], [2, 0]]


def test_the_lines_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_grid(tmp_path / "keep.json", rows("......", ".###..", "....#."))
    asset = bake(source, recipe_for(tables=HOPS))
    _, places = exported(asset)
    (code,) = blocks(page("cli.md"), "python")
    with contextlib.chdir(tmp_path):
        exec(compile(code, "cli.md", "exec"), {})
    printed = [tuple(json.loads(line)) for line in capsys.readouterr().out.splitlines()]
    with open_asset(asset) as level:
        path = level.profile().path(tuple(places[0]), tuple(places[-1]))
    assert path is not None
    assert printed == path[:-1]
