"""Standard streams that are full, closed, unread or not UTF-8; names and files that are odd."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.command import Done, bake
from tests.support.tampering import change_header

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell is POSIX's")

#: One of each command that prints something.
COMMANDS = [
    "info baked/five.h5",
    "info baked/fen.h5 --json",
    "check",
    "lint",
    "plan levels_src/five.json",
    "verify baked/five.h5",
    "path baked/five.h5 A C",
    "diff baked/five.h5 baked/five.h5",
    "render baked/yard.h5 -o yard.png",
    "schema tiles",
    "--version",
    "build --help",
]


def shell(command: str, **environment: str) -> Done:
    """Run `bake COMMAND` with what the shell makes of its redirections."""
    done = subprocess.run(
        ["sh", "-c", f"{forked.in_shell()} {command}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=forked.surroundings(**environment),
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_finds_no_room(project: Path, command: str) -> None:
    done = shell(f"{command} >/dev/full")
    assert done.code == 1
    assert done.err == "error: standard output cannot be written: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_build_without_room_for_its_table_bakes_and_tells_all_mistakes(project: Path) -> None:
    (project / "levels_src" / "aaa.map").write_text("")
    done = shell("build -o out --jobs 1 >/dev/full")
    assert done.code == 1
    first, second = done.errors
    assert first.startswith("levels_src/aaa.map: ")
    assert second == "standard output cannot be written: No space left on device"
    assert len(list((project / "out").iterdir())) == 4
    done = shell("build -o again --jobs 1 levels_src/five.json 2>/dev/full")
    assert (done.code, done.out.splitlines()[-1][:7]) == (0, "1 baked")


@pytest.mark.parametrize("command", ["info baked/five.h5", "check", "build", "schema tiles"])
def test_output_that_nobody_reads(project: Path, command: str) -> None:
    """As with `| head`, which leaves when it has seen enough: silence."""
    receiver, sender = os.pipe()
    os.close(receiver)
    done = subprocess.run(
        ["sh", "-c", f"{forked.in_shell()} {command}"],
        stdout=sender,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
        env=forked.surroundings(),
    )
    os.close(sender)
    assert (done.returncode, done.stderr) == (1, "")


def test_closed_streams(project: Path) -> None:
    whole = shell("info baked/five.h5")
    assert shell("info baked/five.h5 <&-") == whole
    assert shell("info baked/five.h5 2>&-") == whole
    lost = shell("info baked/five.h5 >&-")
    assert (lost.code, lost.out) == (1, "")
    assert lost.err == "error: standard output cannot be written: it is closed\n"
    assert shell("info nothing.h5 2>&-") == Done(1, "", "")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_build_whose_standard_error_is_closed(project: Path, jobs: str) -> None:
    """It bakes and prints its table; nothing it opens may become standard error."""
    done = shell(f"build -o out --jobs {jobs} 2>&- <&-")
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("4 baked in ")
    for file in (project / "out").iterdir():
        assert file.read_bytes() == (project / "baked" / file.name).read_bytes()
    (project / "levels_src" / "aaa.map").write_text("")
    done = shell(f"build -o out --jobs {jobs} 2>&-")
    assert (done.code, done.out.splitlines()[-1][:17]) == (1, "4 fresh, 1 failed")


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


def test_a_terminal_without_utf_8(project: Path) -> None:
    named = project / "levels_src" / "höhle→.json"
    (project / "levels_src" / "five.json").rename(named)
    assert bake("build", "--jobs", "1", named).code == 0
    (project / "baked" / "höhle→.h5").rename(project / "plain.h5")
    for command in ("info plain.h5", "verify plain.h5", "diff plain.h5 baked/five.h5"):
        done = shell(command, **ASCII)
        assert (done.code, done.errors) == (0, []), (command, done)
    assert "h\\xf6hle\\u2192" in shell("info plain.h5", **ASCII).out
    done = shell("check", **ASCII)
    assert done.code == 1
    assert "cannot be read in this locale" in done.errors[0]
    assert "PYTHONUTF8=1" in done.errors[0]


#: Clears a terminal, begins a line of its own, and turns the text round.
ODD = "a\x1b[2Jb\nc\u202ed"


def test_names_of_files_do_nothing_to_a_terminal(project: Path) -> None:
    (project / "levels_src" / "five.json").rename(project / "levels_src" / f"{ODD}.json")
    (project / "levels_src" / f"{ODD}x.map").write_text("type octile\n")
    asset = f"baked/{ODD}.h5"
    told = [
        bake("build", "--jobs", "1"),
        bake("check"),
        bake("lint"),
        bake("lint", "--format", "github"),
        bake("plan", f"levels_src/{ODD}.json"),
        bake("info", asset),
        bake("verify", asset),
        bake("path", asset, "A", "C"),
        bake("diff", asset, asset),
        bake("render", asset, "-o", f"{ODD}.png"),
        bake("eval", asset, f"{ODD}.scen"),
        bake("path", asset, ODD, "C"),
        bake("apply", asset, f"{ODD}.patch", "-o", f"{ODD}.h5"),
        bake("path", "baked/fen.h5", "0,0", ODD, "--profile", "boat"),
    ]
    assert bake("build", "--json").data["levels"][0]["level"] == ODD
    for done in told:
        for line in [*done.out.split("\n"), *done.err.split("\n")]:
            assert line.isprintable(), line
            assert "c" + "d" not in line
            assert not line.startswith("c\\u202ed"), line
    assert "a\\x1b[2Jb\\nc\\u202ed   baked" in told[0].out


def test_names_inside_an_asset_do_nothing_to_a_terminal(project: Path) -> None:
    """A header is sealed, but anybody can seal one."""
    for sources in ([[ODD, "0"]], [["five.json", "0"], [ODD, "0"]]):
        change_header(project / "baked" / "five.h5", sources=sources)
        for command in (["check"], ["info", "baked/five.h5"]):
            done = bake(*command)
            assert "a\\x1b[2Jb\\nc\\u202ed" in done.out
            assert all(line.isprintable() for line in done.out.splitlines())


@pytest.fixture
def pipe(project: Path) -> Path:
    """A pipe where an asset was."""
    asset = project / "baked" / "five.h5"
    asset.unlink()
    os.mkfifo(asset)
    return asset


@pytest.mark.usefixtures("pipe")
def test_a_pipe_in_place_of_an_asset_holds_no_reader_up() -> None:
    told = "this is a device or a pipe"
    rest = {"path": "A C", "diff": "baked/fen.h5", "render": "-o x.png", "apply": "x -o x.h5"}
    for command in ("info", "verify", "path", "diff", "render", "apply"):
        done = shell(f"{command} baked/five.h5 {rest.get(command, '')}")
        assert done.code == 1
        assert done.errors[0].startswith(f"baked/five.h5: cannot be read: {told}"), done
    assert shell("check").out.splitlines()[0] == f"baked/five.h5: cannot be read: {told}"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_pipe_in_place_of_an_asset_holds_no_build_up(pipe: Path, jobs: str) -> None:
    done = shell(f"build --jobs {jobs}")
    assert done.code == 1
    assert done.errors[0].startswith("baked/five.h5: the existing file is not an asset")
    done = shell(f"build --jobs {jobs} --force")
    assert done.code == 1
    assert done.errors[0].startswith("baked/five.h5: cannot be written: a folder, a device or")
    assert pipe.is_fifo()


def test_pipes_in_place_of_other_files(project: Path) -> None:
    for name in ("bake.fifo", "x.scen", "x.patch", "levels_src/pipe.json", "y.h5"):
        os.mkfifo(project / name)
    for command in (
        "check --recipe bake.fifo",
        "eval baked/yard.h5 x.scen",
        "apply baked/yard.h5 x.patch -o z.h5",
        "build levels_src/pipe.json",
        "lint levels_src/pipe.json",
        "diff baked/yard.h5 y.h5",
    ):
        done = shell(command)
        assert done.code == 1, command
        assert "device or a pipe" in done.err + done.out, done
    assert shell("check").code == 0
    checkpoint = project / "baked" / ".five.h5.checkpoint"
    checkpoint.mkdir()
    os.mkfifo(checkpoint / "0-0.range")
    assert shell("build --force --jobs 1 levels_src/five.json").code == 0
    assert json.loads(shell("info baked/five.h5 --json").out)["level"] == "five"
