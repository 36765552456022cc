"""What a shell gets when Tab is pressed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bake.cli import COMMANDS, completion
from bake.core.extras import registered_names
from bake.export.export import PARTS
from bake.play.searching.heuristics import HEURISTICS
from bake.play.searching.methods import METHODS
from bake.project.recipe.rules import DEFAULT_OUTPUT
from bake.show.diff.compare import What
from tests.support.command import PYTHON_PATH, bake, mistake, quiet_environment
from tests.support.projects import LEVELS

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch) -> Complete:
    """A function that returns what bash offers after some words, the last of them incomplete."""

    def ask(*words: str) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setenv(completion.VARIABLE, "complete_bash")
            patch.setenv("COMP_WORDS", "\n".join(["bake", *words]))
            patch.setenv("COMP_CWORD", str(len(words)))
            done = bake()
        assert (done.code, done.err) == (0, "")
        return done.out.split()

    return ask


def test_commands_and_options(complete: Complete) -> None:
    assert complete("") == list(COMMANDS)
    assert complete("in") == ["init", "info"]
    assert complete("build", "--fo") == ["--force"]
    assert complete("schema", "t") == ["tiles"]
    assert complete("render", "--show", "c") == ["components", "clusters", "contours"]


@pytest.mark.usefixtures("project")
def test_names_of_levels(complete: Complete) -> None:
    Path("baked/two words.h5").touch()
    for command in ("info", "path", "verify", "view", "export", "render", "eval"):
        assert complete(command, "") == sorted(LEVELS)
    assert complete("info", "f") == ["fen", "five"]
    assert complete("verify", "fen", "y") == ["yard"]
    assert complete("info", "baked/") == [], "the shell completes files then"


def test_names_below_the_recipe(
    project: Path, complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "art").mkdir()
    monkeypatch.chdir(project / "art")
    assert complete("info", "y") == ["yard"]
    (project / "bake.toml").write_text('output = "nav"\n[profiles.cat]\n[profiles.dog]\n')
    assert complete("info", "y") == []
    assert complete("build", "--profile", "") == ["cat", "dog"]


@pytest.mark.usefixtures("project")
def test_profiles(complete: Complete) -> None:
    assert complete("build", "--profile", "") == ["boat", "walker"]
    Path("other.toml").write_text("[profiles.knight]\n")
    assert complete("build", "--recipe", "other.toml", "--profile", "") == ["knight"]
    Path("bake.toml").unlink()
    assert complete("info", "--profile", "") == ["default"]


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    "recipe", [b"[", b"\xff", b"output = 3\nprofiles = 4\nlevels = 5", b'output = "no\\u0000ne"']
)
def test_a_recipe_with_mistakes_offers_less(complete: Complete, recipe: bytes) -> None:
    Path("bake.toml").write_bytes(recipe)
    assert complete("info", "") == []
    assert complete("build", "--profile", "") == ["default"]


def test_fixed_names(complete: Complete) -> None:
    assert complete("eval", "x", "--method", "b") == [
        *("beam", "bfs", "bidirectional", "bidirectional_astar")
    ]
    assert complete("path", "x", "0,0", "1,1", "--method", "p") == ["polyanya"]
    assert complete("eval", "x", "--heuristic", "o") == ["octile"]
    assert complete("export", "x", "--with", "h") == ["hierarchy"]
    assert complete("diff", "a", "b", "--fail-on", "s") == ["size"]


def test_fixed_names_are_those_of_the_library() -> None:
    assert list(completion.METHODS) == sorted(METHODS)
    assert set(completion.complete_method("")) == {*METHODS, *registered_names("method")}
    assert list(completion.HEURISTICS) == sorted(HEURISTICS)
    assert tuple(PARTS) == completion.PARTS
    assert set(completion.LIMITS) == set(What.__args__)
    assert completion.OUTPUT == DEFAULT_OUTPUT


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("words", ["bake info f", "bake build --profile b", "bake "])
def test_completing_loads_nothing_heavy(words: str) -> None:
    code = (
        "import atexit, sys\n"
        "heavy = ('numpy', 'numba', 'h5py', 'PIL', 'levelbake')\n"
        "atexit.register(lambda: print([x for x in heavy if x in sys.modules], file=sys.stderr))\n"
        "from levelbake_command import main\nmain()"
    )
    request = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=quiet_environment() | {completion.VARIABLE: "complete_bash"} | request,
    )
    assert done.stdout.split()
    assert done.stderr == "[]\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.usefixtures("project")
def test_in_bash(tmp_path: Path) -> None:
    """Install completion, and complete by the functions that were installed."""
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    for name in ("bake", "levelbake"):
        script = f'#!/bin/sh\nexec {sys.executable} -m bake "$@"\n'
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = quiet_environment() | {"HOME": str(home), "PATH": path}
    environment["PYTHONPATH"] = PYTHON_PATH

    def run(lines: str) -> str:
        done = subprocess.run(
            ["bash", "--norc", "-c", lines],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return done.stdout

    assert ".bash_completions/bake.sh" in run("bake --install-completion; true")
    offered = run(
        "source ~/.bashrc; COMP_WORDS=(levelbake info fi); COMP_CWORD=2\n"
        '_levelbake_completion levelbake; echo "${COMPREPLY[@]}"\n'
        "COMP_WORDS=(bake ver); COMP_CWORD=1\n"
        '_bake_completion bake; echo "${COMPREPLY[@]}"'
    )
    assert offered.split() == ["five", "verify"]
    assert "complete -o default -F _bake_completion bake" in run("bake --show-completion; true")


@pytest.mark.parametrize("option", ["--install-completion", "--show-completion"])
@pytest.mark.parametrize("shell", [None, "sh"])
def test_no_shell_that_completes(
    option: str, shell: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    mistake(bake(option), "bash", "fish")
