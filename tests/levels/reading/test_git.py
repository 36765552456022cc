"""Files as Git may leave them, pointers and merge conflicts, and text in other encodings."""

import json
from pathlib import Path

import pytest

from bake.core.errors import LevelError, RecipeError
from bake.levels import SUFFIXES, load, parts
from bake.levels.image import count_colors, read_gray_values, read_painting
from bake.levels.movingai import read_scenario
from bake.levels.reading.files import check_merged, find_conflict, find_line_number
from bake.play import PatchError, open_asset
from bake.project.recipe import load_recipe
from bake.verify import verify_asset
from levelbake import open_level
from levelbake.errors import NotAnAssetError
from tests.support.baked import bake_grid, rows
from tests.support.command import bake
from tests.support.levels import named, refusal
from tests.support.tiled_maps import TILESET

POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)
OLD_POINTER = POINTER.replace(b"git-lfs.github.com", b"hawser.github.com")

TILES = """{
 "format": "bake-tiles",
 "version": 1,
 "legend": {".": "floor", "#": "wall"},
 "rows": [
  "..#",
  "..."
 ]
}
"""
GRAPH = """{
 "nodes": [
  {"id": 1},
  {"id": 2}
 ],
 "edges": []
}
"""
MAP = "type octile\nheight 2\nwidth 3\nmap\n..@\n...\n"
MESH = "# ground\nv 0 0 0\nv 4 0 0\nv 4 0 4\nf 1 2 3\n"
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg">
<rect width="4" height="2" fill="white"/>
</svg>
"""
TMX = f"""<map version="1.10" orientation="orthogonal" width="1" height="1"
 tilewidth="16" tileheight="16">
{TILESET.strip()}
<layer id="1" name="Ground" width="1" height="1"><data encoding="csv">1</data></layer>
</map>
"""
TEXTS = {
    "keep.json": TILES,
    "roads.json": GRAPH,
    "hill.map": MAP,
    "mesh.obj": MESH,
    "yard.svg": DRAWING,
    "town.tmx": TMX,
    "cave.txt": "..#\n.#.\n...\n",
    "hut.csv": ".,.,#\n.,#,.\n.,.,.\n",
}


# -- Git LFS --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
@pytest.mark.parametrize("data", [POINTER, OLD_POINTER, POINTER.replace(b"\n", b"\r\n")])
def test_a_pointer_in_place_of_a_level(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"keep{suffix}"
    path.write_bytes(data)
    assert "git lfs pull" in refusal(path)


def test_pointers_in_place_of_what_a_level_needs(tmp_path: Path) -> None:
    path = tmp_path / "set.tsx"
    path.write_bytes(POINTER)
    start, _, end = TMX.partition(TILESET.strip())
    (tmp_path / "town.tmx").write_text(f'{start}<tileset firstgid="1" source="set.tsx"/>{end}')
    with pytest.raises(LevelError, match=r"set\.tsx: .*LFS pointer"):
        load(tmp_path / "town.tmx", {})
    (tmp_path / "isle.ldtk").write_bytes(POINTER)
    with pytest.raises(LevelError, match="LFS"):
        parts(tmp_path / "isle.ldtk")
    for read in (
        read_gray_values,
        read_painting,
        read_scenario,
        lambda path: count_colors(path, 4),
    ):
        with pytest.raises(LevelError, match="LFS"):
            read(path)


def test_a_pointer_in_place_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "bake.toml"
    path.write_bytes(POINTER)
    with pytest.raises(RecipeError, match="LFS"):
        load_recipe(path)


def test_a_pointer_in_place_of_an_asset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("keep.h5", "keep.bake"):
        path = tmp_path / name
        path.write_bytes(POINTER)
        for opened in (open_level, open_asset, lambda path: verify_asset(path, None, print)):
            with pytest.raises(NotAnAssetError, match="LFS pointer"):
                opened(path)
        # The flat file may be all there is, on a machine without h5py.
        monkeypatch.setattr("levelbake.file.h5py", None)
        with pytest.raises(NotAnAssetError, match="LFS"):
            open_level(path)
        monkeypatch.undo()


def test_a_build_brings_back_the_asset_that_a_pointer_stands_for(tmp_path: Path) -> None:
    source, asset = tmp_path / "keep.json", tmp_path / "out" / "keep.h5"
    source.write_text(TILES)
    asset.parent.mkdir()
    asset.write_bytes(POINTER)
    done = bake("check", source, "-o", asset.parent)
    assert done.code == 1
    assert "git lfs pull" in done.out + done.err
    assert bake("build", source, "-o", asset.parent).code == 0
    assert bake("check", source, "-o", asset.parent).code == 0


def test_a_pointer_in_place_of_a_patch_or_journal(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, rows("..#", "..."))
    path = tmp_path / "a.patch"
    path.write_bytes(POINTER)
    for opened in (open_level, open_asset):
        with opened(asset) as level, pytest.raises(PatchError, match="LFS"):
            level.apply_patch(path)
    with open_asset(asset) as level, pytest.raises(PatchError, match="LFS"):
        level.journal(path)
    assert path.read_bytes() == POINTER


# -- merge conflicts ------------------------------------------------------------------------------


def in_conflict(text: str, line: int, end: str = "\n") -> bytes:
    """Text in which one line, counted from 1, has another version on another branch."""
    lines = text.split("\n")
    own = lines[line - 1]
    marked = ["<<<<<<< HEAD", own, "||||||| base", "=======", own, ">>>>>>> other branch"]
    return end.join([*lines[: line - 1], *marked, *lines[line:]]).encode()


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_merge_conflict_is_named_with_its_line(tmp_path: Path, name: str, end: str) -> None:
    path = tmp_path / name
    for line in range(1, TEXTS[name].count("\n") + 1):
        path.write_bytes(in_conflict(TEXTS[name], line, end))
        told = refusal(path)
        assert told.startswith(f"line {line}: ")
        assert "merge conflict" in told


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_left_of_a_conflict_is_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    whole = in_conflict(TEXTS[name], 3)
    path.write_bytes(whole.replace(b"<<<<<<< HEAD\n", b""))
    assert "merge conflict" in refusal(path)
    path.write_bytes(b"\xef\xbb\xbf" + in_conflict(TEXTS[name], 1))
    assert refusal(path).startswith("line 1: ")


def test_a_merge_conflict_in_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "bake.toml"
    path.write_bytes(in_conflict("[terrain]\nmud = 3\n", 2))
    with pytest.raises(RecipeError, match=r"bake\.toml: line 2: .*merge conflict"):
        load_recipe(path)


def test_lines_that_only_resemble_conflicts(tmp_path: Path) -> None:
    ornament = MESH.replace("# ground", "# ground\n=======\n# <<<<<<< here\n #>>>>>>> there")
    (tmp_path / "mesh.obj").write_text(ornament)
    assert load(tmp_path / "mesh.obj", {}).source.name == "mesh.obj"
    text = json.dumps({**json.loads(TILES), "description": "<<<<<<< HEAD"}, indent=0)
    (tmp_path / "keep.json").write_text(text)
    assert named(load(tmp_path / "keep.json", {})) == [["floor", "floor", "wall"], ["floor"] * 3]
    assert find_conflict(b"a\n<<<<<<<\n=======\n>>>>>>>\n") is None
    assert find_conflict(b">>>>>>> a\n=======\n") is None


def test_many_markers_are_found_in_linear_time() -> None:
    check_merged(Path("x"), b"======= <<<<<<< \n" * 2**18)
    assert find_line_number(b"a\rb\r\nc\nd", 7) == 4


# -- encodings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "town.tmx"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_of_unicode_are_named(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode(encoding))
    if name.endswith(".svg") and encoding != "utf-32":
        # Parsers of XML find out about UTF-16 by themselves.
        assert load(path, {}).terrains == ("floor",)
    else:
        assert "UTF-" in refusal(path) or "not XML" in refusal(path)


def test_the_declaration_of_a_drawing_names_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "yard.svg"
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + DRAWING.replace(
        "<rect", '<rect data-terrain="forêt"'
    )
    path.write_bytes(text.encode("latin-1"))
    assert load(path, {}).terrains == ("forêt",)
    path.write_bytes(text.replace("ISO-8859-1", "no-such").encode("latin-1"))
    assert "encoding" in refusal(path)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("end", ["\r\n", "\r", " \n", "\t\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_blanks_before_them(tmp_path: Path, name: str, end: str, mark: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    plain = load(path, {})
    path.write_bytes(mark + TEXTS[name].replace("\n", end).encode())
    if name == "hill.map" and end[0] in " \t":
        assert refusal(path).startswith("line 5: row 0 has 1 blank after its cells")
        return
    level = load(path, {})
    assert level.terrains == plain.terrains
    if name == "keep.json":
        assert named(level) == named(plain)
