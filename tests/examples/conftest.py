"""The example's folder, copied, and a `bake` on the path that is the one under test."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.pull_request import EXAMPLE, Proposed, PullRequest, Run
from tests.support.readers import tool


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program in a folder, as a developer of the game would."""
    if os.name == "nt":
        pytest.skip("the example's builds are written for a POSIX shell")
    commands = tmp_path_factory.mktemp("commands")
    interpreter = shlex.quote(sys.executable)
    for name, runs in (
        ("bake", forked.in_shell()),
        ("python3", interpreter),
        ("python", interpreter),
    ):
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec {runs} "$@"\n')
        command.chmod(0o755)
    environment = forked.surroundings(PATH=f"{commands}{os.pathsep}{os.environ['PATH']}")
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHON"):
        environment.pop(name, None)

    def run(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment | more,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example without anything that was built in it; leave it as it is."""
    folder = tmp_path_factory.mktemp("cloned") / "game"
    built = shutil.ignore_patterns("baked", ".ninja*", "__pycache__")
    shutil.copytree(EXAMPLE, folder, ignore=built)
    return folder


@pytest.fixture(scope="session")
def assets(tmp_path_factory: pytest.TempPathFactory, cloned: Path, run: Run) -> Path:
    """Assets of the levels as they are, as a run before left them in the workflow's cache."""
    folder = tmp_path_factory.mktemp("cache")
    done = run(cloned, "bake", "build", "--jobs", "1", "-o", str(folder / "baked"))
    assert done.returncode == 0, done.stderr
    return folder / "baked"


@pytest.fixture
def proposed(tmp_path: Path, cloned: Path, assets: Path, run: Run) -> Proposed:
    for name in ("git", "bash"):
        tool(name)

    def propose(steps: Mapping[str, str]) -> PullRequest:
        folder = tmp_path / "game"
        shutil.copytree(cloned, folder)
        pull_request = PullRequest(folder, run, steps)
        shutil.copytree(assets, folder / "baked")
        return pull_request

    return propose
