"""docs/cli.md: every command and option is there, and the JSON has the keys it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from bake import cli
from tests.support.command import bake
from tests.support.pages import blocks, page, section

PAGE = page("cli.md")
COMMANDS: dict[str, Any] = typer.main.get_command(cli.app).commands


def test_every_command_has_a_section() -> None:
    for name in COMMANDS:
        assert f"\n## `bake {name}`\n" in PAGE
        assert f"\nbake {name} " in "\n" + blocks(PAGE, "")[0]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_is_in_its_section(name: str) -> None:
    told = section(PAGE, f"`bake {name}`")
    everywhere = {"--help"} if name == "schema" else {"--help", "--json", "--profile"}
    options = {
        option for parameter in COMMANDS[name].params for option in parameter.opts if "-" in option
    }
    if name not in ("apply", "schema"):
        assert "--json" in options
        assert "--profile" in options or name in ("init", "view")
    for option in options - everywhere:
        assert f"`{option}`" in told, option


def test_exit_codes() -> None:
    told = section(PAGE, "Exit codes")
    for code in (0, 1, 2, 130):
        assert f"\n| {code} |" in told


def keys(data: Any) -> set[str]:
    """Keys of all objects in a document, names of profiles aside."""
    if isinstance(data, list):
        return {key for item in data for key in keys(item)}
    if not isinstance(data, dict):
        return set()
    return {*data, *(key for value in data.values() for key in keys(value))} - {"default"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "levels_src/five.json"],
        ["build", "levels_src/five.json", "--force", "--jobs", "1", "-o", "again"],
        ["check", "levels_src/five.json"],
        ["info", "baked/keep.h5"],
        ["path", "baked/five.h5", "A", "C"],
        ["eval", "baked/keep.h5", "keep.scen"],
        ["verify", "baked/five.h5"],
        ["diff", "baked", "baked"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_key_is_named(example: Path, arguments: list[str]) -> None:
    Path("keep.scen").write_text("version 1\n0\tkeep\t96\t80\t3\t4\t3\t4\t0\n")
    told = section(PAGE, f"`bake {arguments[0]}`")
    data = bake(*arguments, "--json").data
    assert data
    for key in keys(data):
        assert f"`{key}`" in told or f'"{key}":' in told, key


def test_the_json_examples_have_the_right_keys(example: Path) -> None:
    shown_build, shown_check = (json.loads(text) for text in blocks(PAGE, "json"))
    built = bake("build", "levels_src/five.json", "--force", "--jobs", "1", "-o", "x", "--json")
    assert keys(shown_build) == keys(built.data)
    assert keys(shown_check) == keys(bake("check", "levels_src/five.json", "--json").data)


def test_the_path_examples(example: Path) -> None:
    shown = [text for text in blocks(PAGE, "") if text.startswith("$ bake path")]
    assert len(shown) == 3
    for text in shown:
        command, *lines = text.splitlines()
        assert bake(*command.split()[2:]).out.splitlines() == lines
