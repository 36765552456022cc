"""The code blocks of the pages run, each on the level that its page tells one to bake.

What a line with an arrow shows, as in ``nav.next_hop(a, b)  # -> 243``, is what it gives. Blocks
without a language are what a terminal shows, or words for code.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from bake import cli
from bake.levels import is_puzzle, load
from bake.project.recipe import load_recipe
from tests.support.command import bake
from tests.support.pages import DOCS, ROOT, blocks, examples
from tests.support.readers import READERS, READY, tool

PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (
        ROOT / "README.md",
        *sorted(DOCS.glob("*.md")),
        *sorted(READERS.glob("*/README.md")),
    )
}

#: The reader of each page on one.
READER_PAGES = {
    "c": "readers/c/README.md",
    "csharp": "readers/csharp/README.md",
    "gdscript": "readers/godot/README.md",
    "js": "readers/js/README.md",
    "lua": "readers/lua/README.md",
    "rust": "readers/rust/README.md",
}

#: Blocks that no test here runs, by language and page: what runs them, or why nothing does.
ELSEWHERE = {
    ("python", "README.md"): "test_readme.py",
    ("python", "docs/cli.md"): "tests/store/flat/test_table.py",
    ("python", "docs/play.md"): "test_play.py",
    ("python", "docs/reader.md"): "test_play.py",
    ("python", "readers/python/README.md"): "test_play.py",
    ("python", "docs/school.md"): "tests/extras/school/test_page.py",
    ("python", "docs/searches.md"): "test_searches.py",
    ("python", "docs/traces.md"): "test_traces.py",
    ("sh", "README.md"): "test_readme.py, and tests/install what installs",
    ("c", "docs/format.md"): "fragments; test_format.py says them in Python, line by line",
    ("make", "docs/ci.md"): "tests/show/diff/test_base.py runs the new command",
    ("yaml", "docs/ci.md"): "tests/examples/test_action.py",
    ("make", "docs/cli.md"): "a part of a build; tests/examples runs a whole one",
    ("ninja", "docs/cli.md"): "a part of a build; tests/examples runs a whole one",
    ("text", "docs/recipe.md"): "what a mistake prints",
}


def pages_with(language: str) -> list[str]:
    """The pages that have blocks in a language, which are run here."""
    return [
        name
        for name, text in PAGES.items()
        if blocks(text, language) and (language, name) not in ELSEWHERE
    ]


def test_every_block_is_run_or_listed() -> None:
    there = {
        (language, name)
        for name, text in PAGES.items()
        for language in re.findall(r"^```(\w+)$", text, re.MULTILINE)
    }
    assert ELSEWHERE.keys() <= there
    here = {("sh", name) for name in READER_PAGES.values()} | set(READER_PAGES.items())
    here |= {(kind, name) for kind, name in there if kind in ("python", "json", "toml")}
    assert there - ELSEWHERE.keys() == here - ELSEWHERE.keys()


def test_every_command_line_names_what_there_is() -> None:
    commands: dict[str, Any] = typer.main.get_command(cli.app).commands
    seen = 0
    for text in PAGES.values():
        shown = "".join(blocks(text, "") + blocks(text, "sh"))
        for name, arguments in re.findall(r"^(?:\$ )?bake (\w+)(.*)$", shown, re.MULTILINE):
            known = {each for parameter in commands[name].params for each in parameter.opts}
            assert set(re.findall(r"(?<=[ \[|])--?[a-z][a-z-]*", arguments)) <= {*known, "--help"}
            seen += 1
    assert seen > 30


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with what pages name of the project."""
    for name in ("levels_src", "readers"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "levelbake").symlink_to(READERS / "js")
    shutil.copy(ROOT / "bake.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", pages_with("python"))
def test_python(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    shutil.copytree(example, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    for value, expected in examples(PAGES[name], name):
        assert value == expected


@pytest.mark.parametrize("name", pages_with("json"))
def test_json(tmp_path: Path, name: str) -> None:
    """Levels can be read, puzzles baked; all other documents are JSON."""
    for text in blocks(PAGES[name], "json"):
        json.loads(text)
        path = tmp_path / "example.json"
        path.write_text(text, "utf-8")
        if is_puzzle(path):
            done = bake("build", path, "-o", tmp_path, "--jobs", "1")
            assert (done.code, done.errors) == (0, [])
        elif name == "README.md" or "/levels-" in name:
            assert load(path, {}).terrains


@pytest.mark.parametrize("name", pages_with("toml"))
def test_toml(tmp_path: Path, name: str) -> None:
    for text in blocks(PAGES[name], "toml"):
        if name == READER_PAGES["rust"]:
            path = tomllib.loads(text)["dependencies"]["levelbake"]["path"]
            assert (ROOT / path / "Cargo.toml").is_file()
        else:
            (tmp_path / "bake.toml").write_text(text, "utf-8")
            load_recipe(tmp_path / "bake.toml")


# -- readers in other languages -------------------------------------------------------------------

FLAT = "baked/bastion.bake"

#: Ends a line of any language that shows what it gives.
ARROW = re.compile(r"^([ \t]*)(\S.*?);?[ \t]+(?://|#|--|/\*) -> ([^\s,:]+).*$", re.MULTILINE)


def shown_by(code: str, statement: str) -> tuple[str, list[str]]:
    """Code that prints what its lines with an arrow give, and what they show."""
    shown = [line[3] for line in ARROW.finditer(code)]
    return ARROW.sub(lambda line: line[1] + statement.replace("IT", line[2]), code), shown


def apart(code: str, pattern: str) -> tuple[str, str]:
    """The lines that begin with a pattern, and all others."""
    lines = code.splitlines()
    first = [line for line in lines if re.match(pattern, line)]
    return "\n".join(first), "\n".join(line for line in lines if line not in first)


def whole_c(code: str) -> str:
    includes, code = apart(code, "#include")
    return f"""#include <stdio.h>
#include <stdlib.h>
{includes}
static int snippet(const uint8_t *bytes, size_t size) {{
{code}
    return 0;
}}
int main(void) {{
    static uint64_t memory[1 << 16];
    FILE *file = fopen("{FLAT}", "rb");
    return snippet((const uint8_t *)memory, fread(memory, 1, sizeof memory, file));
}}
"""


def whole_csharp(code: str) -> str:
    usings, code = apart(code, r"using \w+;")
    return f"""#pragma warning disable 219
using System;
using System.IO;
{usings}
static class Snippet {{
    static void Main() {{
{code}
    }}
}}
"""


def whole_gdscript(code: str) -> str:
    """In Godot 3, without its import: a resource is a stand-in."""
    head, last = code.split("\n\n\n")
    body = (head + "\n" + textwrap.indent(last, "\t")).replace(":=", "=")
    body = body.replace("@export var bastion: LevelBakeResource", "var bastion = Imported.new()")
    return f"""extends SceneTree

const LevelBakeChanges = preload("res://addons/levelbake/level_bake_changes.gd")

class Imported:
	var opened = preload("res://addons/levelbake/level_bake.gd").new()
	func _init():
		var file = File.new()
		file.open("{Path.cwd() / FLAT}", File.READ)
		opened.open(file.get_buffer(file.get_len()))
	func level():
		return opened

{body}

func _init():
	_ready()
	quit()
"""


def whole_js(code: str) -> str:
    return f"""import {{ readFileSync }} from "node:fs";
globalThis.fetch = async (path) => new Response(readFileSync(path));
globalThis.localStorage = {{ setItem() {{}} }};
{code}
"""


def whole_lua(code: str) -> str:
    return f"""package.path = arg[3] .. "/?.lua"
love = {{ filesystem = {{}} }}
function love.filesystem.read(path) return assert(io.open(path, "rb")):read("*a") end
{code}
"""


def whole_rust(code: str) -> str:
    return f"""fn snippet() -> Result<(), levelbake::Error> {{
{code}
    Ok(())
}}
fn main() {{
    snippet().unwrap();
}}
"""


#: What makes a program of the blocks of a page, and what prints IT.
WHOLE: dict[str, tuple[Callable[[str], str], str]] = {
    "c": (whole_c, r'printf("%g\n", (double)(IT));'),
    "csharp": (whole_csharp, "Console.WriteLine(IT);"),
    "gdscript": (whole_gdscript, "print(IT)"),
    "js": (whole_js, "console.log(IT);"),
    "lua": (whole_lua, "print((IT))"),
    "rust": (whole_rust, r'println!("{:?}", IT);'),
}


@pytest.mark.parametrize("language", sorted(READER_PAGES))
def test_readers(folder: Path, language: str) -> None:
    page, (whole, statement) = PAGES[READER_PAGES[language]], WHOLE[language]
    for line in "".join(blocks(page, "sh")).splitlines():
        name, *arguments = line.partition(" #")[0].split()
        if name == "bake":
            done = bake(*arguments)
            assert (done.code, done.errors) == (0, [])
        else:
            subprocess.run([tool(name), *arguments], check=True)
    code, shown = shown_by("\n\n".join(blocks(page, language)), statement)
    program = folder / ("snippet.mjs" if language == "js" else f"snippet.{language}")
    program.write_text(whole(code), "utf-8")
    (folder / "made").mkdir()
    runner = READY["javascript" if language == "js" else language](folder / "made", program)
    done = subprocess.run(
        [*runner.command, "no questions", "no answers"],
        capture_output=True,
        text=True,
        check=False,
        # A snippet frees nothing.
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SCRIPT ERROR" not in done.stderr
    assert len(shown) > 2
    # Godot says first what it is.
    assert done.stdout.splitlines()[-len(shown) :] == shown
