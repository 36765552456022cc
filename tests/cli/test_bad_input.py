"""What users get wrong: one line for each mistake, exit code 1, nothing left behind."""

from __future__ import annotations

import errno
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import h5py
import pytest
from PIL import Image

from tests.support.command import Done, bake, mistake
from tests.support.levels import shared_level


def build(source: Path) -> Done:
    """Bake one level into the folder `out`."""
    return bake("build", source, "-o", "out", "--jobs", "1")


def refused(source: Path, *parts: str) -> str:
    """The line a refused level gets; nothing may be left in the output folder."""
    done = build(source)
    line = mistake(done, *parts)
    assert line.startswith(f"{source}: ")
    assert not Path("out").exists()
    assert done.out.splitlines()[-1].startswith("1 failed in ")
    return line


@pytest.mark.parametrize(
    "command",
    [
        "info {}",
        "path {} 0,0 1,0",
        "verify {}",
        "diff {} {}",
        "export {} -o x",
        "render {} -o x.png",
    ],
)
def test_who_may_not_read_a_file_is_told_as_of_any_other_mistake(
    bare: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Whoever runs the tests may read all files, so the system's answer is made up."""

    def refused(path: object, *arguments: object, **options: object) -> int:
        if str(path) == "locked.h5":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "locked.h5")
        return opened(path, *arguments, **options)

    (bare / "locked.h5").write_text("")
    opened = os.open
    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != "locked.h5")
    mistake(bake(*command.format("locked.h5", "locked.h5").split()), "locked.h5", "denied")


@pytest.mark.parametrize(
    "command", ["info {}", "verify {}", "plan {}", "view {}", "init {}", "build {}", "lint {}"]
)
def test_names_longer_than_any_file_has(bare: Path, command: str) -> None:
    done = bake(*command.format("n" * 300).split())
    assert done.code == 1
    assert "File name too long" in done.err + done.out or "no such file" in done.err + done.out
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["build --jobs {}", "{}", "build --{}", "path a.h5 {} 1,1"])
def test_numbers_of_thousands_of_digits_are_not_echoed(bare: Path, command: str) -> None:
    done = bake(*command.format("9" * 5000).split())
    assert done.code in (1, 2)
    assert len(done.err) < 300


def png(path: Path, width: int, height: int, grey: int) -> None:
    """A PNG of one grey, compressed row by row, so that its pixels are never in memory."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    packer = zlib.compressobj(9)
    row = b"\0" + bytes([grey]) * width
    pixels = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def tiles(path: Path, **changes: Any) -> Path:
    level = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"grass": 1},
        "legend": {".": "grass"},
        "rows": ["...", "..."],
    }
    path.write_text(json.dumps(level | changes))
    return path


# ---------------------------------------------------------------- .map files


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("type octile\nheight 3\nwidth 4\nmap\n....\n..", ["line 6", "expected 4"]),
        ("type octile\nheight 3\nwidth 4\nmap\n....\n....\n", ["3"]),
        ("type octile\nheight 2\nwidth 4\nmap\n....\n......\n", ["line 6", "6 cells", "4"]),
        ("type octile\nheight 1\nwidth 4\nmap\n....\n....\n", ["after the last row"]),
        ("type octile\nheight 3\n", ["header"]),
        ("type octile\nheight 3\nwidth four\nmap\n", ["line 3", "'four'"]),
        ("type tile\nheight 1\nwidth 1\nmap\n.\n", ["line 1", "'tile'", "octile"]),
        ("type octile\nheight 0\nwidth 4\nmap\n", ["the level is empty"]),
        ("type octile\nheight 99999\nwidth 99999\nmap\n....\n", ["at most 67,108,864"]),
        ("type octile\nheight 1\nwidth 3\nmap\n.x.\n", ["'x'"]),
        ("", ["the file is empty"]),
    ],
)
def test_wrong_maps(bare: Path, text: str, parts: list[str]) -> None:
    (bare / "level.map").write_text(text)
    refused(Path("level.map"), *parts)


def test_a_map_of_another_type(bare: Path) -> None:
    shutil.copy(shared_level("bad/octile-corner.map"), "corner.map")
    refused(Path("corner.map"), "type")


@pytest.mark.parametrize("text", ["@T\n@O\n", "TT\nTT\n"])
def test_no_walkable_cell(bare: Path, text: str) -> None:
    (bare / "walls.map").write_text("type octile\nheight 2\nwidth 2\nmap\n" + text)
    refused(Path("walls.map"), "no walkable cell", "trees", "[terrain]")


# ---------------------------------------------------------------- images


@pytest.mark.parametrize("kept", [0.9, 0.5, 40])
def test_a_broken_image(bare: Path, kept: float) -> None:
    image = Image.effect_noise((64, 64), 80).point(lambda value: 255 * (value > 128))
    image.save("whole.png")
    data = Path("whole.png").read_bytes()
    Path("broken.png").write_bytes(data[: int(kept * len(data)) if kept < 1 else int(kept)])
    refused(Path("broken.png"), "save it again")


def test_an_image_with_a_wrong_byte(bare: Path) -> None:
    Image.effect_noise((64, 64), 80).save("noise.png")
    data = bytearray(Path("noise.png").read_bytes())
    data[len(data) // 2] ^= 0xFF
    Path("noise.png").write_bytes(data)
    refused(Path("noise.png"), "damaged")


def test_text_that_is_no_image(bare: Path) -> None:
    (bare / "text.png").write_text("not an image")
    refused(Path("text.png"), "this is not an image")


def test_one_pixel(bare: Path) -> None:
    png(bare / "one.png", 1, 1, 255)
    done = build(Path("one.png"))
    assert (done.code, done.errors) == (0, [])
    assert bake("path", "out/one.h5", "0,0", "0,0").out == "0,0\n0 steps, cost 0\n"
    assert bake("verify", "out/one.h5").code == 0


def test_one_pixel_of_wall(bare: Path) -> None:
    png(bare / "one.png", 1, 1, 0)
    refused(Path("one.png"), "no walkable cell", "wall")


def test_no_pixel(bare: Path) -> None:
    png(bare / "none.png", 0, 0, 0)
    refused(Path("none.png"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a process's peak memory")
def test_a_huge_image_takes_little_memory(bare: Path) -> None:
    png(bare / "huge.png", 20_000, 20_000, 255)
    assert (bare / "huge.png").stat().st_size < 2**20
    # The process itself tells its peak: the system's accounting would count its parent's, too.
    code = (
        "import atexit, re; from pathlib import Path; from bake.cli import main\n"
        "told = lambda: re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]\n"
        "atexit.register(lambda: Path('peak').write_text(told()))\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "build", "huge.png", "-o", "out", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: huge.png: the image has 400,000,000 pixels; expected at most 67,108,864; "
        "split it into several levels\n"
    )
    assert not (bare / "out").exists()
    assert int((bare / "peak").read_text()) < 400_000, "one byte a pixel would be 400 MB"


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"rows": []}, ["rows", "the level is empty"]),
        ({"rows": [""]}, ["the level is empty"]),
        ({"rows": ["...", ".."]}, ["rows[1]", "2 characters", "3"]),
        ({"rows": ["...", "..#"]}, ["rows[1][2]", '"#"']),
        ({"rows": "..."}, ["rows"]),
        ({"rows": [["."]]}, ["rows"]),
        ({"rows": None}, ["rows"]),
        ({"legend": {"..": "grass"}}, ["legend"]),
        ({"terrains": {"mud": 1}}, ["grass"]),
        ({"terrains": {"grass": "blocked"}}, ["no walkable cell"]),
        ({"version": 2}, ["version"]),
        ({"version": "1"}, ["version"]),
        ({"grid": "cube"}, ["grid", "cube", "'square' or 'hex'"]),
        ({"colour": 1}, ["colour"]),
    ],
)
def test_wrong_tiles(bare: Path, changes: dict[str, Any], parts: list[str]) -> None:
    refused(tiles(Path("level.json"), **changes), *parts)


@pytest.mark.parametrize(
    "cost", [-1, 0, -0.0, float("nan"), float("inf"), 1e300, 10**400, 1.1e9, True, "1", None]
)
def test_wrong_costs(bare: Path, cost: Any) -> None:
    level = Path("level.json")
    if cost == 10**400:
        tiles(level)
        level.write_text(level.read_text().replace('"grass": 1', '"grass": 1' + "0" * 400))
    else:
        tiles(level, terrains={"grass": cost})
    refused(level, "terrains.grass", "above 0")


def test_a_cost_too_large_for_the_scale(bare: Path) -> None:
    line = refused(tiles(Path("level.json"), terrains={"grass": 1e6}), "ticks_per_unit")
    assert "expected 1 to 536870912 ticks" in line


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["the file is empty"]),
        ("{", []),
        ("[]", []),
        ("12", []),
        ('{"format": "bake-tiles"', []),
        ("{}", []),
        ('{"format": "other", "version": 1}', ["other"]),
        ('{"a": 1, "a": 2}', ["a (line 1)", "twice"]),
        ("[" * 100_000, []),
    ],
)
def test_wrong_json(bare: Path, text: str, parts: list[str]) -> None:
    (bare / "level.json").write_text(text)
    refused(Path("level.json"), *parts)


def test_names_given_twice(bare: Path) -> None:
    level = tiles(Path("level.json"))
    text = level.read_text()
    level.write_text(text.replace('"grass": 1', '"grass": 1, "grass": 2'))
    refused(level, "terrains", "twice")
    level.write_text(text.replace('".": "grass"', '".": "grass", ".": "grass"'))
    refused(level, "legend", "twice")
    nodes = [{"id": "a"}, {"id": "b"}, {"id": "a"}]
    level.write_text(json.dumps({"nodes": nodes, "edges": []}))
    refused(level, "nodes[2].id", '"a"', "nodes[0]")


@pytest.mark.parametrize(
    ("edge", "parts"),
    [
        ({"source": "a", "target": "c"}, ["edges[0].target", '"c"']),
        ({"source": "a"}, ["edges[0]", "target"]),
        ({"source": "a", "target": "b", "weight": -1}, ["edges[0].weight", "from 0 to"]),
        ({"source": "a", "target": "b", "weight": float("nan")}, ["edges[0].weight", "from 0 to"]),
        ({"source": "a", "target": "b", "weight": 1e10}, ["edges[0].weight", "1e+09"]),
    ],
)
def test_wrong_edges(bare: Path, edge: dict[str, Any], parts: list[str]) -> None:
    level = {"nodes": [{"id": "a"}, {"id": "b"}], "edges": [edge]}
    (bare / "level.json").write_text(json.dumps(level))
    refused(Path("level.json"), *parts)


def test_an_empty_graph(bare: Path) -> None:
    (bare / "level.json").write_text('{"nodes": [], "edges": []}')
    refused(Path("level.json"), "nodes")


def test_several_mistakes_in_one_file(bare: Path) -> None:
    level = {"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}
    level["edges"] = [{"source": "a", "target": "b", "weight": weight} for weight in (-1, 0)]
    (bare / "level.json").write_text(json.dumps(level))
    done = build(Path("level.json"))
    assert done.code == 1
    assert done.errors
    assert all(line.startswith("level.json: edges[") for line in done.errors)


# ---------------------------------------------------------------- recipes


@pytest.mark.parametrize("cost", ["-1", "0", "nan", "inf", "-inf", "1e300", "1_000_001", "true"])
@pytest.mark.parametrize("table", ["[terrain]", "[profiles.walker.terrain]"])
def test_wrong_costs_in_the_recipe(bare: Path, cost: str, table: str) -> None:
    tiles(bare / "level.json")
    (bare / "bake.toml").write_text(f"{table}\ngrass = {cost}\n")
    done = build(Path("level.json"))
    mistake(done, "bake.toml: line 2: ", "grass", "above 0")
    assert not (bare / "out").exists()


@pytest.mark.parametrize("cost", ["1e6", "1e-6"])
def test_costs_in_the_recipe_that_do_not_fit_the_scale(bare: Path, cost: str) -> None:
    tiles(bare / "level.json")
    (bare / "bake.toml").write_text(f"[terrain]\ngrass = {cost}\n")
    refused(Path("level.json"), "'grass'", "ticks_per_unit")


def test_a_recipe_that_blocks_everything(bare: Path) -> None:
    tiles(bare / "level.json")
    (bare / "bake.toml").write_text('[terrain]\ngrass = "blocked"\n')
    refused(Path("level.json"), "no walkable cell", "grass")


# ---------------------------------------------------------------- outputs and assets


@pytest.mark.parametrize("output", ["taken", "taken/inside"])
def test_a_file_where_the_folder_should_be(project: Path, output: str) -> None:
    (project / "taken").write_text("a file")
    mistake(bake("build", "-o", output), "taken", "output folder cannot")
    assert (project / "taken").read_text() == "a file"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_folder_that_may_not_be_written(project: Path) -> None:
    closed = project / "closed"
    closed.mkdir(mode=0o500)
    done = bake("build", "levels_src/five.json", "-o", closed)
    mistake(done, "closed: nothing can be written into this folder", "another folder")
    assert list(closed.iterdir()) == []


def test_a_folder_where_the_asset_should_be(project: Path) -> None:
    (project / "out" / "five.h5").mkdir(parents=True)
    done = build(Path("levels_src/five.json"))
    mistake(done, "five.h5", "a folder", "move it away")
    assert [file.name for file in (project / "out").iterdir()] == ["five.h5"]


def test_a_level_that_is_not_there(bare: Path) -> None:
    refused(Path("none.png"), "cannot be read")


def test_a_file_of_no_known_format(bare: Path) -> None:
    (bare / "level.xyz").write_text("level")
    refused(Path("level.xyz"), "'.xyz'", ".json", ".map", ".png")


def _no_hdf5(path: Path) -> None:
    path.write_text("no HDF5")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _of_another_program(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["profiles"] = [1, 2, 3]


def _with_a_block_of_another_program(path: Path) -> None:
    with h5py.File(path, "w", userblock_size=512) as file:
        file["profiles"] = [1, 2, 3]


def _header_alone(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:512])


def _half(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_no_hdf5, "not an HDF5 file"),
        (_empty, "the file is empty"),
        (_of_another_program, "this is an HDF5 file of another program"),
        (_with_a_block_of_another_program, "this is an HDF5 file of another program"),
        (_header_alone, "damaged"),
        (_half, "damaged"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("info",),
        ("verify",),
        ("path", "A", "B"),
        ("eval", "one.scen"),
        ("render", "-o", "out.png"),
    ],
    ids=lambda command: command[0],
)
def test_no_asset(project: Path, spoil: Any, told: str, command: tuple[str, ...]) -> None:
    if command[0] == "render":
        pytest.importorskip("bake.show.render")
    asset = project / "baked" / "five.h5"
    spoil(asset)
    if command[0] == "eval":
        (project / "one.scen").write_text("version 1\n0\tfive\t1\t1\t0\t0\t0\t0\t0\n")
    name, *rest = command
    line = mistake(bake(name, asset, *rest), "five.h5")
    if spoil is _half and name == "verify":
        return
    assert told in line
