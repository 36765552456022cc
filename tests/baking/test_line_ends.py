"""Line ends and a byte order mark of text change no digest, asset or patch; bytes of images do."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from bake.baking import Task, reasons_to_bake
from bake.play import open_asset
from bake.project.recipe import load_recipe
from bake.store import header, source_digest
from bake.store.header import read_header
from tests.support import ldtk_projects as ldtk
from tests.support import tiled_maps as tiled
from tests.support.baked import rows, write_graph, write_grid
from tests.support.command import bake
from tests.support.projects import run, statuses, task_for

RECIPE = """
sources = ["*"]
[terrain]
mud = 3
water = 2
wall = "blocked"
tree = "blocked"
swamp = { cost = 4 }
[tiled.legend]
"class:water" = "water"
[ldtk.legend]
"value:wall" = "wall"
"""
MAP = """<map version="1.10" orientation="orthogonal" width="3" height="2" tilewidth="16"
 tileheight="16">
 <tileset firstgid="1" source="set.tsx"/>
 <layer id="1" name="Ground" width="3" height="2"><data encoding="csv">
1,2,1,
1,3,4
</data></layer>
 <objectgroup name="Things"><object id="3" template="stand.tx" x="8" y="8"/></objectgroup>
</map>
"""
TEMPLATE = """<template><object name="start" type="spawn" width="0" height="0">
 <point/></object></template>
"""
MOVINGAI = "type octile\nheight 2\nwidth 3\nmap\n.@.\n.S.\n"
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg">
<rect width="9" height="6" fill="white"/>
<path d="M1 1
H3 V3
H1 Z"/>
</svg>
"""
MESH = "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 8 0 4\nusemtl mud\nf 1 2 \\\n3 4\nf 2 5 3\n"


def write_every_format(folder: Path) -> list[Path]:
    """One level of each text format, with the files they refer to; paths of the levels."""
    folder.mkdir()
    tile_set = tiled.TILESET.strip().replace('firstgid="1" ', "")
    texts = {
        "bake.toml": RECIPE,
        "hill.map": MOVINGAI,
        "yard.svg": DRAWING,
        "mesh.obj": MESH,
        "town.tmx": MAP,
        "set.tsx": tile_set,
        "stand.tx": TEMPLATE,
        "land.world": json.dumps(
            {"type": "world", "maps": [{"fileName": "town.tmx", "x": 0, "y": 0}]}
        ),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    write_grid(folder / "keep.json", rows("..#.", "..#.", "...."))
    write_graph(folder / "roads.json", ["a", "b", "c"], [("a", "b", 1.5), ("b", "c", 2)])
    apart = ldtk.level("Cave", ldtk.int_grid("..#", "..."))
    whole = ldtk.project(apart | {"layerInstances": None, "externalRelPath": "isle/Cave.ldtkl"})
    ldtk.write(folder / "isle.ldtk", whole | {"externalLevels": True})
    ldtk.write(folder / "isle" / "Cave.ldtkl", apart)
    for path in folder.rglob("*.*"):
        if path.suffix in (".json", ".ldtk", ".ldtkl", ".world"):
            text = json.dumps(json.loads(path.read_text("utf-8")), indent=1)
            path.write_text(text + "\n", "utf-8", newline="\n")
    levels = ("hill.map", "yard.svg", "mesh.obj", "town.tmx", "land.world", "keep.json")
    return [folder / name for name in (*levels, "roads.json", "isle.ldtk")]


def convert(folder: Path, end: bytes, start: bytes = b"") -> None:
    for path in folder.rglob("*.*"):
        if path.suffix not in (".h5", ".patch"):
            # The recipe is TOML, which knows CRLF alone.
            other = b"\r\n" if path.suffix == ".toml" else end
            path.write_bytes(start + path.read_bytes().replace(b"\n", other))


def bake_all(levels: list[Path]) -> dict[str, bytes]:
    """The assets of levels in one folder, with its recipe."""
    folder = levels[0].parent
    done = bake(
        "build", *levels, "--recipe", folder / "bake.toml", "-o", folder / "out", "--jobs", "1"
    )
    assert done.code == 0, done.err
    return {file.name: file.read_bytes() for file in (folder / "out").iterdir()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return bake_all(write_every_format(tmp_path_factory.mktemp("plain") / "linux"))


@pytest.mark.parametrize(
    ("end", "start"),
    [(b"\r\n", b""), (b"\r\n", b"\xef\xbb\xbf"), (b"\r", b""), (b"\n", b"\xef\xbb\xbf")],
)
def test_every_format_bakes_to_the_same_bytes(
    tmp_path: Path, plain: dict[str, bytes], end: bytes, start: bytes
) -> None:
    levels = write_every_format(tmp_path / "windows")
    convert(tmp_path / "windows", end, start)
    assert len(plain) == 8
    assert bake_all(levels) == plain


def test_a_checkout_with_other_line_ends_is_fresh_and_its_patches_fit(tmp_path: Path) -> None:
    task = task_for(write_grid(tmp_path / "keep.json", rows("..#.", "..#.", "....")))
    task.source.write_text(json.dumps(json.loads(task.source.read_text()), indent=1), newline="\n")
    assert statuses(run([task])) == {"keep": "baked"}
    (tmp_path / "other").mkdir()
    other = task_for(Path(shutil.copy(task.source, tmp_path / "other")))
    convert(tmp_path / "other", b"\r\n")
    assert statuses(run([other])) == {"keep": "baked"}
    patch = tmp_path / "a.patch"
    with open_asset(task.asset) as level:
        level.update(blocked=[(0, 0)])
        level.save_patch(patch)
    shutil.copy(other.source, task.source)
    assert reasons_to_bake(task) == []
    with open_asset(other.asset) as level:
        level.apply_patch(patch)
        level.save_patch(tmp_path / "again.patch")
    assert (tmp_path / "again.patch").read_bytes() == patch.read_bytes()
    done = bake("apply", task.asset, patch, "-o", tmp_path / "one.h5")
    assert done.code == 0, done.err
    patch.write_bytes(patch.read_bytes().replace(b"\n", b"\r\n"))
    assert bake("apply", other.asset, patch, "-o", tmp_path / "two.h5").code == 0
    assert (tmp_path / "one.h5").read_bytes() == (tmp_path / "two.h5").read_bytes()
    task.source.write_bytes(task.source.read_bytes().replace(b"#", b"."))
    assert reasons_to_bake(task) == ["keep.json changed"]


def test_a_recipe_with_other_line_ends_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "bake.toml"
    file.write_text(RECIPE, newline="\n")
    linux = load_recipe(file).defaults.canonical()
    file.write_text(RECIPE, newline="\r\n")
    assert load_recipe(file).defaults.canonical() == linux


def test_bytes_of_images_count_as_they_are(tmp_path: Path) -> None:
    """A grey of 13 and one of 10 are a carriage return and a line feed in a bitmap."""
    digests = []
    for name, grey in (("cr", 13), ("lf", 10)):
        path = tmp_path / f"{name}.bmp"
        Image.new("L", (8, 8), grey).save(path)
        digests.append(source_digest(path))
        assert digests[-1] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert digests[0] != digests[1]


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"a", b"<", b"\xe9"])).map(
        b"".join
    ),
    st.integers(1, 5),
)
@example(b"a\r", 2)
@example(b"a\r\nb", 2)
@example(b"\xef\xbb\xbf\r\n\r", 4)
@example(b"\xef\xbb\xbf", 3)
@example(b"\xef\xbb\xbf\r", 3)
@example(b"", 1)
def test_digests_are_those_of_text_with_line_feeds(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, block: int
) -> None:
    path = tmp_path_factory.mktemp("text") / "level.json"
    path.write_bytes(data)
    lines = data.removeprefix(b"\xef\xbb\xbf") if block >= 3 else data
    plain = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    with pytest.MonkeyPatch.context() as patched:
        # Blocks so small split line ends; the byte order mark is looked for in the first one.
        patched.setattr(header, "_BLOCK", block)
        assert source_digest(path) == hashlib.sha256(plain).hexdigest()
    path.write_bytes(data + b"\0")
    assert source_digest(path) == hashlib.sha256(data + b"\0").hexdigest()


def test_the_header_names_the_digest_of_line_feeds(tmp_path: Path) -> None:
    source = tmp_path / "hill.map"
    source.write_bytes(MOVINGAI.encode())
    task: Task = task_for(source)
    run([task])
    plain = hashlib.sha256(MOVINGAI.encode()).hexdigest()
    assert read_header(task.asset).sources == (("hill.map", plain),)


def test_check_says_nothing_of_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = write_every_format(tmp_path / "all")
    monkeypatch.chdir(tmp_path / "all")
    names = [level.name for level in levels]
    assert bake("build", *names, "-o", "out", "--jobs", "1").code == 0
    convert(tmp_path / "all", b"\r\n")
    assert bake("check", *names, "-o", "out").code == 0
    Path("set.tsx").write_bytes(Path("set.tsx").read_bytes().replace(b"mud", b"wet"))
    done = bake("check", *names, "-o", "out")
    assert done.code == 1
    assert "set.tsx changed" in done.out + done.err
