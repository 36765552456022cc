"""The cache of compiled kernels is used where no other user may write it, and nowhere else."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bake.core.kernels import jit, trust
from tests.support import forked
from tests.support.counted import PUSH, python
from tests.support.projects import write_project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users and modes are POSIX's")

OTHER_USER = 54321
NUMBA = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")
ROOT_ONLY = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away"
)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the user has chosen; one for temporary files lies beside it."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("BAKE_CACHE_DIR", str(tmp_path / "chosen"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    trust.find_cache_folder.cache_clear()
    yield tmp_path / "chosen"
    trust.find_cache_folder.cache_clear()


def private(base: Path) -> Path:
    return base.parent / "tmp" / f"levelbake-{os.getuid()}" / "kernels"


def found(base: Path) -> tuple[Path, str]:
    trust.find_cache_folder.cache_clear()
    return trust.find_cache_folder()


def usual(base: Path) -> bool:
    """Whether the chosen folder is used, and nothing is said of it."""
    return found(base) == (base / "kernels", "")


def falls_back(base: Path, word: str) -> bool:
    folder, note = found(base)
    assert word in note, note
    assert "BAKE_CACHE_DIR" in note
    assert "\n" not in note
    return folder == private(base)


# -- which folder ---------------------------------------------------------------------------------


def test_a_folder_of_this_user(base: Path) -> None:
    assert usual(base)
    (base / "kernels").mkdir(parents=True)
    assert usual(base)
    for mode in (0o700, 0o755, 0o750):
        base.chmod(mode)
        assert usual(base)


@pytest.mark.parametrize("loose", ["chosen", "chosen/kernels"])
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_a_folder_that_everybody_may_write(loose: str, mode: int, base: Path) -> None:
    """Even a sticky one: others may put files into it."""
    (base / "kernels").mkdir(parents=True)
    (base.parent / loose).chmod(mode)
    assert falls_back(base, "other users may write")


def test_a_folder_that_a_group_may_write(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (base / "kernels").mkdir(parents=True)
    base.chmod(0o775)
    monkeypatch.setattr(trust, "_is_private_group", lambda group: False)
    assert falls_back(base, "other users may write")
    monkeypatch.setattr(trust, "_is_private_group", lambda group: True)
    assert usual(base)


@pytest.mark.parametrize(
    ("name", "members", "main", "alone"),
    [
        ("ada", [], 1000, True),
        ("ada", ["ada"], 1000, True),
        ("ada", ["ada", "bob"], 1000, False),
        ("users", [], 1000, False),
        ("ada", [], 100, False),
    ],
)
def test_which_group_is_a_users_own(
    name: str, members: list[str], main: int, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    import grp
    import pwd

    class User:
        pw_name, pw_gid = "ada", main

    class Group:
        gr_name, gr_mem = name, members

    monkeypatch.setattr(pwd, "getpwuid", lambda user: User)
    monkeypatch.setattr(grp, "getgrgid", lambda group: Group)
    assert trust._is_private_group.__wrapped__(1000) is alone


def test_a_group_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import grp

    def unknown(group: int) -> Any:
        raise KeyError(group)

    monkeypatch.setattr(grp, "getgrgid", unknown)
    assert not trust._is_private_group.__wrapped__(1000)


@pytest.mark.parametrize(("mode", "safe"), [(0o777, False), (0o1777, True), (0o755, True)])
def test_a_folder_above(mode: int, safe: bool, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may write a sticky one such as /tmp, as they can replace nothing in it."""
    shared = base.parent / "shared"
    shared.mkdir()
    shared.chmod(mode)
    monkeypatch.setenv("BAKE_CACHE_DIR", str(shared / "mine"))
    base = shared / "mine"
    for made in (False, True):
        if made:
            base.mkdir()
        trust.find_cache_folder.cache_clear()
        folder, note = trust.find_cache_folder()
        assert (folder == base / "kernels") is safe
        assert bool(note) is not safe


@ROOT_ONLY
@pytest.mark.parametrize("owned", ["chosen", "chosen/kernels", "."])
def test_a_folder_of_another_user(owned: str, base: Path) -> None:
    (base / "kernels").mkdir(parents=True)
    try:
        os.chown(base.parent / owned, OTHER_USER, -1)
        assert "belongs to another user" in found(base)[1]
        assert found(base)[0] in (private(base), trust.NOWHERE)
    finally:
        os.chown(base.parent / owned, 0, -1)


@ROOT_ONLY
def test_users_that_have_no_number_in_a_container(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They own what lies outside, such as /home, which is no danger; the cache must be our own."""
    (base / "kernels").mkdir(parents=True)
    monkeypatch.setattr(trust, "_overflow_user", lambda: OTHER_USER)
    above = base.parent
    try:
        os.chown(above, OTHER_USER, -1)
        assert usual(base)
        os.chown(base, OTHER_USER, -1)
        assert "belongs to another user" in found(base)[1]
    finally:
        os.chown(above, 0, -1)


def test_links_are_followed_and_every_folder_on_the_way_is_looked_at(base: Path) -> None:
    real, shared = base.parent / "real", base.parent / "shared"
    real.mkdir()
    shared.mkdir()
    base.symlink_to(real)
    assert usual(base)
    base.unlink()
    (shared / "hop").symlink_to(real)
    base.symlink_to(Path("shared", "..", "shared", "hop"))
    assert usual(base)
    shared.chmod(0o777)
    assert falls_back(base, "other users may write")
    shared.chmod(0o755)
    real.chmod(0o777)
    assert falls_back(base, "other users may write")
    real.chmod(0o755)
    base.unlink()
    base.symlink_to(base)
    assert falls_back(base, "cannot be used")


def test_what_is_no_folder(base: Path) -> None:
    base.write_text("a file")
    assert falls_back(base, "is not a folder")
    assert base.read_text() == "a file"


def test_a_folder_that_cannot_be_written(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is used all the same; an empty one is no use."""
    (base / "kernels").mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: base not in (path, *path.parents))
    assert falls_back(base, "cannot be written")
    (base / "kernels" / "0123").mkdir()
    assert usual(base)


def test_without_any_folder(base: Path) -> None:
    """Somebody has taken the name of the private folder."""
    base.write_text("a file")
    private(base).parent.mkdir()
    private(base).parent.chmod(0o777)
    folder, note = found(base)
    assert folder == trust.NOWHERE
    assert "no compiled code is kept" in note
    with pytest.raises(OSError, match="directory"):
        trust.make_folder(folder / "0123")


def test_without_a_folder_for_temporary_files(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    base.write_text("a file")
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert found(base)[0] == trust.NOWHERE


# -- what is made in it ---------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0, 0o002, 0o022, 0o077])
def test_folders_are_made_that_others_may_not_write(umask: int, base: Path) -> None:
    before = os.umask(umask)
    try:
        trust.make_folder(found(base)[0] / "0123")
    finally:
        os.umask(before)
    for folder in (base, base / "kernels", base / "kernels" / "0123"):
        assert not folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    assert usual(base)


def test_a_folder_that_others_opened_meanwhile(base: Path) -> None:
    folder = found(base)[0] / "0123"
    trust.make_folder(folder)
    for each in (folder, folder.parent, base):
        each.chmod(0o777)
        with pytest.raises(PermissionError, match="may write"):
            trust.make_folder(folder)
        each.chmod(0o755)
    trust.make_folder(folder)


# -- attacks --------------------------------------------------------------------------------------


class Payload:
    """A pickle that makes a file when it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return open, (str(self.mark), "w")


def plant(cache: Path, mark: Path) -> list[Path]:
    """Replace every index of a cache, as anybody could who may write it; the files."""
    data = pickle.dumps(Payload(mark))
    files = [*cache.rglob("*.nbi")]
    assert files
    for file in files:
        file.write_bytes(data + hashlib.sha256(data).digest())
    return files


def opened(cache: Path, tmp_path: Path) -> str:
    """How many kernels come from the cache, and how many do not."""
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return python(PUSH, cache, TMPDIR=str(tmp_path / "tmp"))


@NUMBA
def test_a_planted_index_is_code_where_the_cache_is_trusted(tmp_path: Path) -> None:
    """Else the tests below would prove nothing."""
    assert opened(tmp_path / "cache", tmp_path) == "0 1"
    plant(tmp_path / "cache", tmp_path / "mark")
    opened(tmp_path / "cache", tmp_path)
    assert (tmp_path / "mark").exists()


@NUMBA
@pytest.mark.parametrize("what", ["base", "kernels", "folder", "file"])
def test_a_planted_index_that_others_may_write_is_not_read(what: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert opened(cache, tmp_path) == "0 1"
    (file,) = plant(cache, tmp_path / "mark")
    loose = {"base": cache, "kernels": cache / "kernels", "folder": file.parent, "file": file}
    loose[what].chmod(0o777)
    assert opened(cache, tmp_path) == "0 1"
    assert not (tmp_path / "mark").exists()
    if what in ("base", "kernels"):  # The next process finds it in the private folder.
        assert opened(cache, tmp_path) == "1 0"


@NUMBA
@ROOT_ONLY
@pytest.mark.parametrize("what", ["base", "folder", "file"])
def test_a_planted_index_of_another_user_is_not_read(what: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert opened(cache, tmp_path) == "0 1"
    (file,) = plant(cache, tmp_path / "mark")
    os.chown({"base": cache, "folder": file.parent, "file": file}[what], OTHER_USER, -1)
    assert opened(cache, tmp_path) == "0 1"
    assert not (tmp_path / "mark").exists()


@NUMBA
@pytest.mark.parametrize("how", ["wait", ""])
def test_a_command_ignores_settings_of_numba_in_the_folder(how: str, tmp_path: Path) -> None:
    """A game that compiles functions of its own may have some."""
    pytest.importorskip("yaml")
    (tmp_path / ".numba_config.yaml").write_text("function_cache_size: 7\n")
    code = (
        "import sys\nfrom bake.core.kernels import jit\n"
        "with jit.waiting():\n    jit.load_numba()\n"
        "from numba.core import config\nconfig.reload_config()\n"
        "print(config.FUNCTION_CACHE_SIZE)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=forked.surroundings(BAKE_COMPILE=how),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["128" if how else "7"]


# -- what is said ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variables", "word"),
    [({}, None), ({"NUMBA_DISABLE_JIT": "1"}, "NUMBA_DISABLE_JIT"), ({"loose": "1"}, "may write")],
)
def test_a_command_says_once_why_kernels_are_slow(
    variables: dict[str, str], word: str | None, tmp_path: Path
) -> None:
    project, cache = tmp_path / "project", tmp_path / "cache"
    write_project(project)
    cache.mkdir()
    (tmp_path / "tmp").mkdir()
    if variables.pop("loose", ""):
        cache.chmod(0o777)
    environment = forked.surroundings(
        BAKE_CACHE_DIR=str(cache), TMPDIR=str(tmp_path / "tmp"), **variables
    )
    if word != "NUMBA_DISABLE_JIT":
        environment.pop("NUMBA_DISABLE_JIT", None)
    for options, silent in ((["--jobs", "2"], False), (["--force", "-q"], True), ([], True)):
        done = forked.run([*forked.BAKE, "build", *options], cwd=project, env=environment)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
        if silent or word is None:  # Where nothing is baked, nothing is slow.
            assert not lines
        else:
            (line,) = lines
            assert word in line
