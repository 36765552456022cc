"""A tool counts as installed where it runs."""

from pathlib import Path

import pytest

from tests.support.readers import tool


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder: Path, name: str, body: str) -> str:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return str(file)


def test_the_first_that_runs_is_taken(programs: Path) -> None:
    program(programs, "proxy", "echo 'no toolchain is installed' >&2; exit 1")
    works = program(programs, "works", "echo 1.0")
    assert tool("absent", "proxy", "works") == works


@pytest.mark.parametrize(
    ("name", "why"),
    [("proxy", "proxy .*does not run"), ("absent", "no absent")],
)
def test_a_test_is_skipped_with_the_reason(programs: Path, name: str, why: str) -> None:
    program(programs, "proxy", "exit 1")
    with pytest.raises(pytest.skip.Exception, match=why):
        tool(name)
