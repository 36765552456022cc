"""`bake init` on levels of text: which files are levels, and what their characters mean."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.project.init.find import find_levels
from tests.support.command import bake
from tests.support.first_recipes import blocked, built, init, recipe, save
from tests.support.tiled_maps import layer, tmx


def test_a_map_of_a_roguelike(bare: Path) -> None:
    save("cave.txt", "  ######\n###.~~.#\n#@.+...#\n########\n")
    assert init().code == 0
    written = recipe()
    assert written["text"] == {
        "legend": {" ": "void", "+": "door", "@": "floor", "~": "water"},
        "spots": {"@": "spawn"},
    }
    assert written["terrain"]["water"] == "blocked"
    built()
    assert blocked("cave") == ["########", "###.##.#", "#......#", "########"]


def test_a_maze_of_walls_and_blanks(bare: Path) -> None:
    save("maze.txt", "#######\n#     #\n# ### #\n#     #\n#######\n")
    assert init().code == 0
    assert recipe()["text"]["legend"] == {" ": "floor"}
    built()
    assert blocked("maze")[1] == "#.....#"


@pytest.mark.parametrize(
    ("text", "legend"),
    [
        ("1,1,1\n1,0,1\n0,0,1\n", {"0": "floor", "1": "wall"}),
        ("-1,4,4\n4,9,9\n4,9,9\n", {"-1": "void", "4": "wall", "9": "floor"}),
        ("grass,stone wall\ngrass,grass\n", {"grass": "grass", "stone wall": "wall"}),
        ("0;0;\n0;1\n", {"0": "floor", "1": "wall"}),
        ("0,0,0\n0,1\n", {" ": "floor", "0": "floor", "1": "wall"}),
    ],
)
def test_separated_values(bare: Path, text: str, legend: dict[str, str]) -> None:
    save("grid.csv", text)
    if "stone" in text:
        # A table of data has values of several words.
        assert "several words" in init().errors[0]
        return
    assert init().code == 0
    assert recipe()["text"]["legend"] == legend
    built()


@pytest.mark.parametrize(("count", "is_spawn"), [(8, True), (9, False)])
def test_a_character_of_many_cells_is_no_spawn(bare: Path, count: int, is_spawn: bool) -> None:
    save("cave.txt", f"{'@' * count}\n{'.' * count}\n")
    assert init().code == 0
    text = recipe()["text"]
    assert ("spots" in text) is is_spawn
    assert text["legend"] == {"@": "floor" if is_spawn else "wall"}


def test_walls_and_floor_need_no_lines(bare: Path) -> None:
    save("cave.txt", "###\n#.#\n#.#\n")
    save("hill.txt", "type octile\nheight 1\nwidth 2\nmap\n.@\n")
    assert init("--no-pictures").code == 0
    assert "text" not in recipe()
    built()


def test_what_is_left_out_is_printed_with_the_reason(bare: Path) -> None:
    save("levels/cave.txt", "###\n#.#\n#.#\n")
    save("levels/README.txt", "Caves by hand.\nUse them as you like.\n")
    save("levels/loot.csv", "name,price\nsword,10\naxe,10\n")
    result = init()
    assert "README.txt: it has lines of words" in result.out
    assert "loot.csv: it is a table of data" in result.out
    assert recipe()["sources"] == ["levels/cave.txt"]
    data = init("--json", "--force").data
    assert {Path(each["file"]).name for each in data["left_out"]} == {"README.txt", "loot.csv"}


def test_many_files_that_are_left_out_take_one_line(bare: Path) -> None:
    save("cave.txt", "###\n#.#\n#.#\n")
    for count in range(10):
        save(f"notes{count}.txt", "a line of\nwords\n")
        left_out = find_levels(bare).left_out
        assert len(left_out) == min(count + 1, 9)
    assert "1 more files of text" in left_out[-1][1]


def test_a_file_of_text_goes_after_others_of_its_name(bare: Path) -> None:
    save("one/den.tmx", tmx(layer([[1, 2]]), width=2, height=1))
    save("den.txt", "###\n#.#\n#.#\n")
    Image.new("1", (3, 3), 1).save("den.png")
    found = find_levels(bare)
    assert [file.name for file in found.levels] == ["den.tmx"]


def test_a_file_that_cannot_be_read_is_reported(bare: Path) -> None:
    save("cave.txt", "####\n##\n####\n")
    Path("old.txt").write_bytes("##\n..\n".encode("utf-16"))
    result = init()
    assert result.code == 1
    assert any("old.txt" in line and "UTF-16" in line for line in result.errors)


# -- reduced pictures where there is a recipe ------------------------------------------------------


def smoothed(path: str) -> None:
    pixels = np.full((40, 80, 3), 255, dtype=np.uint8)
    pixels[:, 40:] = (0x3A, 0x7D, 0x44)
    pixels[0, :, 0] = np.arange(80) + 100
    Image.fromarray(pixels).save(path)


def test_a_painting_beside_a_recipe_is_reduced_and_the_recipe_stays(bare: Path) -> None:
    """The remedy that a build names works in a project that has its recipe already."""
    Path("levels").mkdir()
    smoothed("levels/hall.png")
    text = 'sources = ["levels/*"]\n[legend]\n"#3a7d44" = "wall"\n'
    Path("bake.toml").write_text(text)
    done = bake("build")
    assert done.code == 1
    assert "--reduce" in done.errors[0]
    assert "[legend]" not in done.err.splitlines()
    result = init("--reduce")
    assert (result.code, result.errors) == (0, [])
    assert "levels/hall-reduced.png" in result.out
    assert Path("bake.toml").read_text() == text
    built = bake("build")
    assert built.code == 0, built.err
    assert sorted(each.name for each in Path("baked").iterdir()) == ["hall-reduced.h5"]
    Path("levels/hall-reduced.png").unlink()
    assert init("--reduce", "--json").data == {
        "recipe": "bake.toml",
        "reduced": ["levels/hall-reduced.png"],
    }


def test_a_recipe_without_paintings_is_there_already(bare: Path) -> None:
    save("cave.txt", "###\n#.#\n#.#\n")
    Path("bake.toml").write_text("")
    result = init("--reduce")
    assert result.code == 1
    assert "there is a recipe already" in result.errors[0]
