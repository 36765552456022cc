"""Wrong usage: one line with the place, what was expected, and what may be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Done, bake, mistake, misuse


def one_line(done: Done, *parts: str) -> None:
    """Check that a command that was used wrongly printed one line, with each of some parts."""
    misuse(done, *parts)
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["biuld"], ["'biuld'", "did you mean build?"]),
        (["frobnicate"], ["'frobnicate'", "`bake -h`"]),
        (["build", "--froce"], ["--froce", "did you mean --force?"]),
        (["view", "--nobrowser"], ["did you mean --no-browser?"]),
        (["--verison"], ["did you mean --version?"]),
        (["schema", "recpie"], ["'recpie'", "recipe or tiles", "did you mean recipe?"]),
        (["lint", "--format", "gihub"], ["--format", "did you mean github?"]),
        (["eval", "x", "--method", "astarr"], ["'astarr'", "did you mean astar?"]),
        (["eval", "x", "--heuristic", "octil"], ["'octil'", "did you mean octile?"]),
        (["diff", "a", "b", "--fail-on", "cell"], ["'cell'", "did you mean cells?"]),
        (["export", "a", "--with", "distnces"], ["'distnces'", "did you mean distances?"]),
    ],
)
def test_what_may_be_meant(arguments: list[str], parts: list[str]) -> None:
    one_line(bake(*arguments), *parts)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (
            ["build", "--jobs", "x"],
            ["--jobs: 'x'", "a whole number of at least 1", "`bake build -h`"],
        ),
        (["build", "--jobs", "0"], ["--jobs: '0'", "a whole number of at least 1"]),
        (["view", "--port", "65536"], ["--port: '65536'", "from 1 to 65535"]),
        (["eval", "x", "--weight", "much"], ["--weight: 'much'", "a number from 0 to 1000"]),
        (["path"], ["ASSET is missing", "`bake path -h`"]),
        (["path", "x", "0,0"], ["GOAL is missing"]),
        (["schema"], ["NAME is missing", "recipe or tiles"]),
        (["render", "x"], ["--output is missing"]),
        (["build", "-o"], ["-o", "`bake build -h`"]),
        (["build", "--force=yes"], ["--force"]),
        (["info", "a", "b"], ["unexpected argument 'b'"]),
        (["render", "x", "-o", "x.png", "--path", "0,0"], ["--path"]),
        (["render", "x", "-o", "x.png", "--show", "hops"], ["--toward"]),
        (["render", "x", "-o", "x.png", "--step", "2"], ["--trace"]),
        (["build", "--shard", "5/2"], ["--shard", "'5/2'"]),
        (["diff", "a"], ["OLD and NEW"]),
    ],
)
def test_what_is_expected(arguments: list[str], parts: list[str]) -> None:
    one_line(bake(*arguments), *parts)


@pytest.mark.usefixtures("bare")
def test_names_with_control_characters_stay_in_one_line() -> None:
    one_line(bake("a\nb"), "a\\nb")
    one_line(bake("build", "--a\x1bb"), "\\x1b")


def test_usage_names_required_options_and_many_arguments() -> None:
    assert "Usage: bake render [OPTIONS] -o FILE.png [ASSET]\n" in bake("render", "-h").out
    assert "Usage: bake apply [OPTIONS] ASSET PATCH -o FILE\n" in bake("apply", "-h").out
    assert "Usage: bake verify [OPTIONS] [ASSET]...\n" in bake("verify", "-h").out


def test_help_names_the_documentation() -> None:
    assert "docs/cli.md" in bake("--help").out


def test_assets_that_are_none(project: Path) -> None:
    mistake(bake("info", "yarf"), "yarf: no such asset", "did you mean yard?")
    mistake(bake("info", "baked"), "baked: ", "folder")
    for command in (["info"], ["verify"], ["export"], ["view", "--html", "page.html"]):
        done = bake(*command, "levels_src/yard.map")
        mistake(done, "levels_src/yard.map: ", "level", "baked/yard.h5")
    (project / "baked/yard.h5").unlink()
    mistake(bake("info", "levels_src/yard.map"), "`bake build levels_src/yard.map`")
    one_line(bake("diff", "baked", "baked/fen.h5"), "OLD and NEW")
    assert not (project / "page.html").exists()


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("command", ["plan", "lint", "build"])
def test_a_level_that_is_not_there(command: str) -> None:
    done = bake(command, "cave")
    assert done.code == 1
    assert "o such file" in done.out + done.err
    assert list(Path().iterdir()) == []
