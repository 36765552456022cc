"""Ground that rises and falls: prices and cliffs, by hand and beside a plain oracle."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bake.apply import apply_patch
from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.export.export import export_asset
from bake.levels.elevation import ElevationImage
from bake.play import LevelAsset, open_asset
from bake.project.recipe import LevelRecipe, ProfileRecipe, load_recipe
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import BakeError, CorruptAssetError
from tests.support.baked import bake, cells_of_nodes, recipe_for, rows, write_graph, write_grid
from tests.support.levels import refusal
from tests.support.oracles import Cell, distances_from
from tests.support.slope_and_turn_oracles import sloped_arcs
from tests.support.tampering import edited

pytestmark = pytest.mark.note(95, "a plain oracle of prices")

WALK = {"up": 2.0, "down": 0.5, "climb": 1.0, "drop": 3.0}


def sloped(
    path: Path, ground: list[list[float]], grid: list[list[str]] | None = None, **more: Any
) -> Path:
    drawn = grid or [["floor"] * len(ground[0]) for _ in ground]
    return write_grid(path, drawn, more.pop("hex_layout", None), elevation=ground, **more)


def proved(asset: Path) -> None:
    verify_asset(asset, None, lambda done: None)


def test_up_and_down_differ_and_cliffs_only_go_down(tmp_path: Path) -> None:
    """A step of 1 up costs 1 + 2, of 1 down 1 + 0.5; 2 down is allowed, 2 up refused, 4 neither."""
    source = sloped(tmp_path / "cliff.json", [[0, 1, 3, 3, 7]])
    asset = bake(source, recipe_for(slopes=WALK, tables=("components", "next_hops", "distances")))
    proved(asset)
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.distance((0, 0), (1, 0)) == 3
        assert nav.distance((1, 0), (0, 0)) == 1.5
        assert nav.distance((2, 0), (1, 0)) == 1 + 2 * 0.5
        assert not nav.reachable((1, 0), (2, 0))
        assert nav.distance((2, 0), (3, 0)) == 1
        assert not nav.reachable((3, 0), (4, 0))
        assert not nav.reachable((4, 0), (3, 0))
        assert level.elevation_at((2, 0)) == 3
        assert level.elevation_at([(0, 0), (4, 0)]).tolist() == [0, 7]
        assert np.isnan(level.elevation_at([(9, 9)])[0])


def test_a_diagonal_step_needs_flanks_that_are_not_too_steep(tmp_path: Path) -> None:
    """The rock of 5 in the corner is a wall to who goes round it, unless corners are cut."""
    for corners, direct in (("never", False), ("one_free", True)):
        source = sloped(tmp_path / f"{corners}.json", [[0, 5], [0, 0]])
        asset = bake(source, recipe_for(slopes=WALK, corner_cutting=corners))
        proved(asset)
        with open_asset(asset) as level:
            way = level.profile().path((0, 0), (1, 1))
            assert way == ([(0, 0), (1, 1)] if direct else [(0, 0), (0, 1), (1, 1)])


def steps_of(path: Path) -> dict[tuple[Cell, Cell], int]:
    with Asset(path) as asset:
        cell = [tuple(each) for each in cells_of_nodes(asset).tolist()]
        first = asset.graph.first_out
        tail = np.repeat(np.arange(len(cell)), np.diff(first))
        head, weight = asset.graph.head, asset.graph.weight("default")
    taken = weight != 2**31 - 1
    return {
        (cell[a], cell[b]): ticks
        for a, b, ticks in zip(
            tail[taken].tolist(), head[taken].tolist(), weight[taken].tolist(), strict=True
        )
    }


def drawn(rng: random.Random, width: int, height: int) -> tuple[list[list[str]], list[list[float]]]:
    names = ["floor"] * 6 + ["mud", "road", "water", "ledge", "wall"]
    grid = [[rng.choice(names) for _ in range(width)] for _ in range(height)]
    grid[0][0] = "floor"
    ground = [[rng.choice([0, 0.5, 1, 2, 4]) for _ in range(width)] for _ in range(height)]
    return grid, ground


CASES = [
    (seed, layout, corners, cost_rule)
    for seed, (layout, corners, cost_rule) in enumerate(
        [
            (None, "never", "mean"),
            (None, "one_free", "entered"),
            (None, "always", "mean"),
            ("odd-r", "never", "mean"),
            ("even-q", "never", "entered"),
        ]
    )
]


@pytest.mark.parametrize(("seed", "layout", "corners", "cost_rule"), CASES)
def test_every_step_is_what_the_oracle_says(
    tmp_path: Path, seed: int, layout: str | None, corners: str, cost_rule: str
) -> None:
    rng = random.Random(f"slopes {seed}")
    for number in range(6):
        grid, ground = drawn(rng, rng.randint(1, 7), rng.randint(1, 7))
        slope = {
            name: rng.choice(values)
            for name, values in (("up", (0, 1, 2.5)), ("down", (0, 0.25)), ("climb", (0.5, 1, 9)))
        }
        if rng.random() < 0.5:
            slope["drop"] = rng.choice([0.5, 1.5])
        connectivity = rng.choice([4, 8])
        source = sloped(tmp_path / f"{number}.json", ground, grid, hex_layout=layout)
        settings = {} if layout else {"connectivity": connectivity, "corner_cutting": corners}
        recipe = recipe_for(slopes=slope, cost_rule=cost_rule, **settings)
        asset = bake(source, recipe)
        expected = sloped_arcs(grid, ground, slope, connectivity, corners, cost_rule, layout)
        assert steps_of(asset) == expected
        proved(asset)


@pytest.mark.parametrize("layout", [None, "even-r"])
def test_updates_price_slopes_as_a_fresh_bake_does(tmp_path: Path, layout: str | None) -> None:
    rng = random.Random(f"updates {layout}")
    grid, ground = drawn(rng, 9, 8)
    slope = {"up": 1.5, "down": 0.25, "climb": 2.0, "drop": 3.5}
    source = sloped(tmp_path / "hills.json", ground, grid, hex_layout=layout)
    asset = bake(source, recipe_for(slopes=slope))
    cells = [(x, y) for y in range(8) for x in range(9)]
    with open_asset(asset) as level:
        for _ in range(4):
            walls, floors = rng.sample(cells[1:], 5), rng.sample(cells, 6)
            for x, y in walls:
                grid[y][x] = "wall"
            for x, y in floors:
                grid[y][x] = "floor"
            level.update(terrain={**dict.fromkeys(walls, "wall"), **dict.fromkeys(floors, "floor")})
            arcs = sloped_arcs(grid, ground, slope, 8, "never", "mean", layout)
            standing = [(x, y) for x, y in cells if grid[y][x] != "wall"]
            check_distances(level, arcs, standing)
        level.save_patch(tmp_path / "now.patch")
    output = tmp_path / "folded.h5"
    apply_patch(asset, tmp_path / "now.patch", output, 1, lambda stage, done: None)
    proved(output)
    assert steps_of(output) == arcs


def check_distances(
    level: LevelAsset, arcs: dict[tuple[Cell, Cell], int], standing: list[Cell]
) -> None:
    out: dict[Cell, list[tuple[Cell, int]]] = {cell: [] for cell in standing}
    for (a, b), ticks in arcs.items():
        out[a].append((b, ticks))
    nav = level.profile()
    for start in standing[::5]:
        told = distances_from(out, start)
        for goal in standing:
            expected = told.get(goal, np.inf) / 27720
            assert nav.distance(start, goal) == pytest.approx(expected, rel=1e-12)


def test_a_wide_agent_pays_for_the_cell_that_pays_most(tmp_path: Path) -> None:
    ground = [[0, 0, 0, 0, 0], [0, 0, 2, 2, 2]]
    recipe = recipe_for(
        slopes={"up": 1, "climb": 5},
        profiles=(
            ProfileRecipe("cart", {}, 2),
            ProfileRecipe("goat", {}, 1, {"up": 0}),
            ProfileRecipe("porter", {}, 2, {"climb": 1}),
        ),
        tables=("components", "next_hops", "distances"),
    )
    asset = bake(sloped(tmp_path / "ramp.json", ground), recipe)
    proved(asset)
    with open_asset(asset) as level:
        cart = level.profile("cart")
        assert [cart.distance((x, 0), (x + 1, 0)) for x in range(3)] == [3, 3, 1]
        assert cart.distance((1, 0), (0, 0)) == 1
        assert level.profile("goat").distance((1, 1), (2, 1)) == 1
        assert not level.profile("porter").reachable((0, 0), (1, 0))
        assert level.profile("porter").reachable((1, 0), (0, 0))


def test_straight_lines_pay_for_slopes(tmp_path: Path) -> None:
    source = sloped(tmp_path / "steps.json", [[0, 0.5, 1, 1.5], [0, 0, 0, 0], [0, 0, 0, 0]])
    asset = bake(source, recipe_for(slopes={"up": 2, "down": 1}))
    with open_asset(asset) as level:
        for _ in range(2):
            nav = level.profile()
            assert nav.plane.any_angle_length([(0, 0), (3, 0)]) == 3 + 2 * 1.5
            assert nav.plane.any_angle_length([(3, 0), (0, 0)]) == 3 + 1.5
            assert nav.plane.any_angle_length([(0, 1), (3, 2)]) == pytest.approx(10**0.5)
            path = nav.path((0, 0), (3, 0))
            assert path is not None
            assert nav.plane.any_angle_length(nav.plane.smooth(path)) <= nav.length(path)
            level.update(terrain={(1, 1): "floor"}, blocked=[(0, 2)])
            level.update(opened=[(0, 2)])


def test_arcs_of_graphs_rise_and_fall_too(tmp_path: Path) -> None:
    source = write_graph(tmp_path / "pass.json", ["hut", "pass", "cliff"], [], directed=False)
    document = json.loads(source.read_text())
    for node, z in zip(document["nodes"], (0, 3, 10), strict=True):
        node.update({"x": z, "y": 0, "z": z})
    document["edges"] = [
        {"source": "hut", "target": "pass", "weight": 4},
        {"source": "pass", "target": "cliff", "weight": 2},
    ]
    source.write_text(json.dumps(document))
    asset = bake(source, LevelRecipe(slopes={"up": 1.5, "down": 0.5, "climb": 5}))
    proved(asset)
    with open_asset(asset) as level:
        nav = level.profile()
        assert nav.distance("hut", "pass") == 4 + 3 * 1.5
        assert nav.distance("pass", "hut") == 4 + 3 * 0.5
        assert nav.distance("cliff", "pass") == 2 + 7 * 0.5
        assert not nav.reachable("pass", "cliff")
        assert level.elevation_at(["cliff", "hut"]).tolist() == [10, 0]
        level.update(blocked=["pass"])
        level.update(opened=["pass"], arcs={("hut", "cliff"): 2})
        assert nav.distance("cliff", "hut") == 2 + 7 * 0.5 + 4 + 3 * 0.5
        # An arc that the game adds obeys the rule of slopes as it obeys that of terrain.
        assert not nav.reachable("hut", "cliff")


def test_an_image_says_how_high_cells_lie(tmp_path: Path) -> None:
    grey = np.array([[0, 4, 8], [0, 0, 60000]], dtype=np.uint16)
    Image.fromarray(grey).save(tmp_path / "heights.png")
    source = write_grid(tmp_path / "hill.json", rows("...", "..."))
    recipe = recipe_for(elevation=ElevationImage("heights.png", 0.25, -1))
    asset = tmp_path / "hill.h5"
    bake_level(Task(source, asset, recipe, project=tmp_path), 1, lambda stage, done: None)
    with open_asset(asset) as level:
        assert level.elevation_at([(0, 0), (2, 0), (2, 1)]).tolist() == [-1, 1, 14999]
    with Asset(asset) as read:
        assert "heights.png" in [name for name, _ in read.header.sources]
    Image.fromarray(grey[:1].astype(np.uint8)).save(tmp_path / "small.png")
    Image.fromarray(np.zeros((2, 3, 3), dtype=np.uint8)).save(tmp_path / "colour.png")
    for name, told in (
        ("small.png", "the image has 3 x 1 pixels; expected 3 x 2"),
        ("colour.png", "of kind 'RGB'; expected gray"),
        ("none.png", 'the file "none.png" is missing'),
        ("../x.png", "leaves the project folder"),
        ("hill.json", "this is not an image"),
    ):
        wrong = recipe_for(elevation=ElevationImage(name))
        with pytest.raises(BakeError) as caught:
            bake_level(Task(source, asset, wrong, project=tmp_path), 1, lambda stage, done: None)
        assert told in str(caught.value), str(caught.value)


def test_the_recipe_lays_slopes_of_profiles_over_those_of_the_level(tmp_path: Path) -> None:
    file = tmp_path / "bake.toml"
    file.write_text(
        "[slopes]\nup = 2\nclimb = 1\n[elevation]\nimage = 'h.png'\nunit = 0.5\n"
        "[levels.hill.slopes]\nclimb = 3\n[profiles.goat]\nslopes = { up = 0 }\n"
    )
    recipe = load_recipe(file)
    assert recipe.for_level("other").slopes == {"climb": 1, "up": 2}
    own = recipe.for_level("hill")
    assert own.slopes == {"climb": 3, "up": 2}
    assert own.profiles[0].slopes == {"up": 0}
    assert own.elevation == ElevationImage("h.png", 0.5, 0)
    assert "elevation" not in LevelRecipe().canonical()
    assert "slope" not in LevelRecipe().canonical()
    for text, told in (
        ("[slopes]\nup = -1", "expected a number from 0 to 1,000,000"),
        ("[slopes]\nsteep = 1", "unknown key"),
        ("[elevation]\nunit = 1", "image beside unit and zero"),
        ("[elevation]\nimage = 'a.png'\nunit = 0", "expected a number above 0"),
        ("[slopes]\nclimb = nan", "expected a number from 0"),
    ):
        file.write_text(text)
        with pytest.raises(BakeError) as caught:
            load_recipe(file)
        assert told in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("elevation", "told"),
    [
        ([[0, 1]], "elevation: found 1 rows; expected 2"),
        ([[0, 1], [2]], "elevation[1]: found 1 numbers; expected 2"),
        ([[0, 1], 3], "elevation[1]: found 3; expected a list"),
        ([[0, 1], [2, "x"]], "elevation[1][1]: found 'x'; expected a number"),
        ([[0, 1], [2, True]], "elevation[1][1]: found true"),
        ([[0, 1], [2, 1e300]], "elevation[1][1]: found 1e+300"),
    ],
)
def test_elevation_that_does_not_fit_is_refused(
    tmp_path: Path, elevation: list[Any], told: str
) -> None:
    line = refusal(write_grid(tmp_path / "bad.json", rows("..", ".."), elevation=elevation))
    assert line.startswith(told.replace("'", '"')) or line.startswith(told), line


def test_z_of_graphs_is_for_all_nodes_or_none(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for nodes, told in (
        ([{"id": 1, "z": 2}, {"id": 2}], "nodes[1]: the node has no z, though nodes[0] has one"),
        ([{"id": 1, "z": "x"}], "nodes[0].z: found"),
        ([{"id": 1, "z": 2, "pos": [0, 0, 3]}], "nodes[0].pos: pos differs from z"),
        ([{"id": 1, "pos": [0, 0, 3, 4]}], "nodes[0].pos: found a list of 4"),
    ):
        path.write_text(json.dumps({"nodes": nodes, "edges": []}))
        assert refusal(path).startswith(told), refusal(path)


def test_flat_files_hold_elevation_and_prices_of_slopes(tmp_path: Path) -> None:
    plain = bake(sloped(tmp_path / "plain.json", [[0, 1], [2, 3]]), recipe_for())
    flat = tmp_path / "plain.bake"
    with Asset(plain) as asset:
        export_asset(asset, flat)
    proved(flat)
    with open_asset(flat) as level:
        assert level.elevation_at((1, 1)) == 3
    steep = bake(sloped(tmp_path / "steep.json", [[0, 1], [2, 3]]), recipe_for(slopes={"up": 1}))
    with Asset(steep) as asset:
        export_asset(asset, tmp_path / "steep.bake")
    with open_asset(tmp_path / "steep.bake") as level:
        assert level.elevation_at("1,1") == 3
        assert level.profile().distance("0,0", "1,0") == 2


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("/elevation", 5.0, "components"),
        ("/elevation", np.nan, "elevation"),
        ("/profiles/default/slope", 1.0, "slope.up is not the one"),
        ("/profiles/default/slope", -1.0, "slope has -1.0, not 0 to"),
    ],
)
def test_damage_is_found(tmp_path: Path, column: str, value: float, told: str) -> None:
    asset = bake(sloped(tmp_path / "hill.json", [[0, 1], [2, 3]]), recipe_for(slopes=WALK))
    with edited(asset) as file:
        array = file[column][()]
        array.reshape(-1)[0] = value
        file[column][...] = array
    with pytest.raises(CorruptAssetError, match=told):
        proved(asset)
