"""Which files of a folder are taken for levels, and the globs that name them."""

import json
import os
import sys
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from PIL import Image, ImageDraw

from bake.core.errors import LevelError
from bake.project.init.find import Found, find_levels
from tests.support.tiled_maps import layer, tmx

FLOOR, WALL, LAKE = (236, 228, 208), (40, 36, 44), (60, 110, 190)
MAP = "type octile\nheight 1\nwidth 2\nmap\n..\n"
TILES = json.dumps({"format": "bake-tiles", "version": 1, "legend": {}, "rows": ["."]})
GRAPH = json.dumps({"nodes": [{"id": "A"}], "links": []})
TMX = tmx(layer([[1, 2]]), width=2, height=1)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def picture(folder: Path, name: str, colours: int = 3) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (colours, 2))
    image.putdata([(at % 256, at // 256, 9) for at in range(colours)] * 2)
    image.save(file)
    return file


def found(folder: Path) -> tuple[list[str], tuple[str, ...]]:
    answer = find_levels(folder)
    matched = {file for glob in answer.sources for file in folder.glob(glob)}
    assert matched == set(answer.levels)
    return [file.relative_to(folder).as_posix() for file in answer.levels], answer.sources


def reasons(answer: Found) -> dict[str, str]:
    return {file.name: why for file, why in answer.left_out}


def test_levels_of_every_kind(tmp_path: Path) -> None:
    write(tmp_path, "maps/a.map", MAP)
    write(tmp_path, "maps/b.tmx", TMX)
    write(tmp_path, "maps/deep/c.tmx", TMX)
    write(tmp_path, "d.json", TILES)
    write(tmp_path, "e.json", GRAPH)
    names, sources = found(tmp_path)
    assert names == ["d.json", "e.json", "maps/a.map", "maps/b.tmx", "maps/deep/c.tmx"]
    assert sources == ("*.json", "maps/*.map", "maps/*.tmx", "maps/deep/*.tmx")


def test_files_that_are_no_levels(tmp_path: Path) -> None:
    write(tmp_path, "a.map", MAP)
    write(tmp_path, "bundle.js.map", '{"version": 3, "mappings": ""}')
    write(tmp_path, "package.json", '{"name": "game"}')
    write(tmp_path, "broken.json", "{")
    write(tmp_path, "graphlike.json", '{"nodes": 3, "edges": 4}')
    write(tmp_path, "half.json", '{"layers": [], "tilesets": [], "tilewidth": 16}')
    rules = TMX.replace('name="Ground"', 'name="input_Ground"')
    write(tmp_path, "rules.tmx", rules + rules.replace("input_", "output_"))
    write(tmp_path, "german.tmx", "<?xml version='1.0'?><tmx version='1.4'/>")
    for folder in ("node_modules/x", ".hidden", "backups", "baked"):
        write(tmp_path, f"{folder}/b.map", MAP)
    names, sources = found(tmp_path)
    assert (names, sources) == (["a.map"], ("a.map",))
    told = reasons(find_levels(tmp_path))
    assert "automapping" in told["rules.tmx"]
    assert told["german.tmx"] == "this is not a map of Tiled"


def test_many_folders_take_one_glob(tmp_path: Path) -> None:
    for number in range(6):
        write(tmp_path, f"maps/{number}/m{number}.tmx", TMX)
    assert found(tmp_path)[1] == ("maps/**/*.tmx",)
    write(tmp_path, "maps/.old/x.tmx", TMX)
    assert len(found(tmp_path)[1]) == 6


def test_signs_of_globs_in_names(tmp_path: Path) -> None:
    write(tmp_path, "a [1]/b*.map", MAP)
    write(tmp_path, "a [1]/b2.js.map", "{}")
    assert found(tmp_path) == (["a [1]/b*.map"], ("a [[]1]/b[*].map",))


def test_names_that_a_recipe_cannot_hold(tmp_path: Path) -> None:
    write(tmp_path, "a.map", MAP)
    write(tmp_path, "b\n.map", MAP)
    assert found(tmp_path)[0] == ["a.map"]
    assert "rename the file" in reasons(find_levels(tmp_path))["b\n.map"]


def test_one_name_twice(tmp_path: Path) -> None:
    write(tmp_path, "one/Cave.map", MAP)
    write(tmp_path, "two/cave.tmx", TMX)
    picture(tmp_path, "cave.png")
    assert found(tmp_path)[0] == ["one/Cave.map"]
    assert set(reasons(find_levels(tmp_path))) == {"cave.tmx", "cave.png"}


def test_one_name_whose_accent_is_written_in_two_ways(tmp_path: Path) -> None:
    composed, apart = (normalize(form, "Höhle") for form in ("NFC", "NFD"))
    write(tmp_path, f"one/{composed}.map", MAP)
    write(tmp_path, f"two/{apart.upper()}.map", MAP)
    assert found(tmp_path)[0] == [f"one/{composed}.map"]


def test_images_are_levels_where_they_are_not_art(tmp_path: Path) -> None:
    game = tmp_path / "game"
    picture(game, "levels/a.png")
    picture(game, "levels/photo.png", colours=90)
    picture(game, "sprites/hero.png")
    assert found(game) == (["levels/a.png"], ("levels/a.png",))
    told = reasons(find_levels(game))
    assert told["photo.png"] == (
        "an image of more than 64 colors; "
        "`bake init --reduce` writes photo-reduced.png with its main colors"
    )
    assert "taken for art" in told["hero.png"]


def painting(file: Path) -> Path:
    """A hall with a round pillar and a lake, whose edges are smoothed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    large = Image.new("RGB", (320, 240), FLOOR)
    draw = ImageDraw.Draw(large)
    draw.ellipse((40, 40, 150, 150), fill=WALL)
    draw.ellipse((170, 90, 300, 210), fill=LAKE)
    large.resize((80, 60), Image.Resampling.LANCZOS).save(file)
    return file


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_a_painting_is_offered_reduced_and_is_a_level_then(tmp_path: Path, suffix: str) -> None:
    file = painting(tmp_path / f"hall{suffix}")
    offer = "`bake init --reduce` writes hall-reduced.png with its main colors"
    with pytest.raises(LevelError, match="no level file") as caught:
        find_levels(tmp_path)
    assert offer in str(caught.value)
    small = tmp_path / "hall-reduced.png"
    assert not small.exists()
    assert find_levels(tmp_path, reduce=True).levels == (small,)
    with Image.open(file) as before, Image.open(small) as after:
        assert after.size == before.size
        pixels = np.asarray(after.convert("RGB")).astype(int)
    # Along edges each pixel is of one side, so that nothing lies between lake and floor.
    apart = np.abs(pixels[:, :, None] - np.array([FLOOR, WALL, LAKE])).max(axis=3)
    assert apart.min(axis=2).max() <= (2 if suffix == ".jpg" else 0)
    kind = apart.argmin(axis=2)
    assert [kind[2, 2], kind[24, 24], kind[37, 58]] == [0, 1, 2]
    made = small.read_bytes()
    for reduce in (False, True):
        answer = find_levels(tmp_path, reduce=reduce)
        assert answer.levels == (small,)
        assert reasons(answer) == {file.name: "hall-reduced.png is used instead"}
    assert small.read_bytes() == made


def test_a_painting_of_noise_and_one_that_is_partly_clear_are_reduced(tmp_path: Path) -> None:
    picture(tmp_path, "noise.png", colours=3000)
    blend = Image.new("RGBA", (5, 90), (9, 9, 9, 0))
    blend.putdata([(at, at, at, 60 + at) for at in range(90) for _ in range(5)])
    blend.save(tmp_path / "blend.png")
    assert len(find_levels(tmp_path, reduce=True).levels) == 2
    with Image.open(tmp_path / "noise-reduced.png") as image:
        assert 2 <= len(image.getcolors()) <= 16
    with Image.open(tmp_path / "blend-reduced.png") as image:
        clear = np.asarray(image)[..., 3] == 0
        assert clear[:68].all()
        assert not clear[68:].any()


def test_an_image_of_clear_pixels_is_no_level(tmp_path: Path) -> None:
    Image.new("RGBA", (5, 4), (9, 9, 9, 0)).save(tmp_path / "clear.png")
    with pytest.raises(LevelError, match="clear pixels"):
        find_levels(tmp_path, reduce=True)


def test_a_damaged_painting_cannot_be_reduced(tmp_path: Path) -> None:
    file = painting(tmp_path / "hall.jpg")
    file.write_bytes(file.read_bytes()[:900])
    with pytest.raises(LevelError, match="image is damaged"):
        find_levels(tmp_path, reduce=True)
    assert list(tmp_path.iterdir()) == [file]


def test_images_anywhere_where_no_folder_is_called_after_levels(tmp_path: Path) -> None:
    game = tmp_path / "game"
    picture(game, "a.png")
    assert found(game) == (["a.png"], ("*.png",))
    write(game, "m.tmx", TMX)
    assert found(game) == (["m.tmx"], ("*.tmx",))


def test_the_picture_of_a_tileset_is_art(tmp_path: Path) -> None:
    picture(tmp_path, "maps/tiles.png")
    picture(tmp_path, "maps/level.png")
    write(tmp_path, "maps/set.tsx", '<tileset><image source="tiles.png"/></tileset>')
    assert found(tmp_path)[0] == ["maps/level.png"]


def test_maps_of_a_world_are_baked_with_it(tmp_path: Path) -> None:
    write(tmp_path, "a.tmx", TMX)
    write(tmp_path, "b.tmx", TMX)
    world = write(tmp_path, "w.world", json.dumps({"maps": [{"fileName": "a.tmx"}]}))
    assert found(tmp_path)[0] == ["b.tmx", "w.world"]
    world.write_text(json.dumps({"maps": [{"fileName": "gone.tmx"}, {"fileName": "a.tmx"}]}))
    assert found(tmp_path)[0] == ["a.tmx", "b.tmx"]
    assert "missing" in reasons(find_levels(tmp_path))["w.world"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_out_of_the_folder(tmp_path: Path) -> None:
    outside = write(tmp_path, "outside/x.map", MAP)
    inside = tmp_path / "inside"
    write(inside, "a.map", MAP)
    (inside / "x.map").symlink_to(outside)
    (inside / "far").symlink_to(tmp_path / "outside")
    assert found(inside)[0] == ["a.map"]
    assert reasons(find_levels(inside))["x.map"] == "this is a link out of the folder"


def test_folders_without_levels(tmp_path: Path) -> None:
    with pytest.raises(LevelError, match="no level file"):
        find_levels(tmp_path)
    with pytest.raises(LevelError, match="this is a file"):
        find_levels(write(tmp_path, "x.map", MAP))


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is closed to this user"
)
def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    tmp_path.chmod(0)
    try:
        with pytest.raises(LevelError, match="folder cannot be read"):
            find_levels(tmp_path)
    finally:
        tmp_path.chmod(0o700)
