"""What the two wheels hold: the reader; the bake with its script and the reader in JavaScript."""

import base64
import csv
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bake import __version__
from bake.core.reader_sources import reader_sources
from bake.show.viewer.bundle import served_page_html
from tests.support.pages import ROOT

READER = ROOT / "readers" / "python"

BUILD = """
import importlib, sys, tomllib
settings = tomllib.load(open("pyproject.toml", "rb"))["build-system"]
sys.path[:0] = settings.get("backend-path", [])
backend = importlib.import_module(settings["build-backend"])
print(getattr(backend, sys.argv[1])(sys.argv[2]))
"""

#: How a script of ours begins, how that of bake 0.6.0 on PyPI does, and what it has there.
OURS, THEIRS = "from levelbake_command import main; main()", "from bake.cli import main; main()"
ANOTHER = '"""Bake package."""\n'


def build(what: str, folder: Path, cwd: Path = ROOT) -> Path:
    """Build a wheel or an archive of sources, as pip does."""
    command = [sys.executable, "-c", BUILD, what, str(folder)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the reader."""
    return build("build_wheel", tmp_path_factory.mktemp("reader"), READER)


@pytest.fixture(scope="module")
def installed(wheel: Path, reader: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with nothing in it but both wheels."""
    folder = tmp_path_factory.mktemp("packages")
    for each in (wheel, reader):
        with zipfile.ZipFile(each) as packed:
            packed.extractall(folder)
    return folder


def project(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def test_one_version() -> None:
    assert (project(READER)["version"], project(ROOT)["version"]) == (__version__, __version__)
    assert f"levelbake-reader=={__version__}" in project(ROOT)["dependencies"]
    wanted = (ROOT / "examples" / "requirements.txt").read_text("utf-8")
    assert f"levelbake[verify]=={__version__}" in wanted


def test_what_both_need_is_wanted_in_the_same_versions() -> None:
    assert set(project(READER)["dependencies"]) < set(project(ROOT)["dependencies"])
    assert (READER / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_wheel_of_the_reader(reader: Path) -> None:
    assert reader.name == f"levelbake_reader-{__version__}-py3-none-any.whl"
    assert reader.stat().st_size <= 200_000
    with zipfile.ZipFile(reader) as packed:
        names = {name for name in packed.namelist() if "dist-info" not in name}
    assert names == {f"levelbake/{path.name}" for path in (READER / "levelbake").glob("*.*")}
    assert "levelbake/py.typed" in names


def test_no_file_is_in_both_wheels(wheel: Path, reader: Path) -> None:
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(reader) as other:
        assert not set(one.namelist()) & set(other.namelist())
        assert {"levelbake_command.py", "bake/py.typed"} <= set(one.namelist())


def test_the_reader_alone_loads_nothing_of_bake(reader: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(reader) as packed:
        packed.extractall(tmp_path)
    code = "import sys, levelbake.errors; print(levelbake.__file__)\n"
    code += "print(*(name for name in sys.modules if name.partition('.')[0] == 'bake'))"
    assert ask(tmp_path, code, tmp_path) == [str(tmp_path / "levelbake" / "__init__.py"), ""]


def test_a_wheel_holds_the_sources_of_the_reader_in_javascript(installed: Path) -> None:
    inside = installed / "bake" / "readers"
    assert [folder.name for folder in inside.iterdir()] == ["js"]
    for file in (inside / "js").iterdir():
        assert file.read_bytes() == (ROOT / "readers" / "js" / file.name).read_bytes()
    js = {file.name for file in (inside / "js").iterdir()}
    published = {file.name for file in (ROOT / "readers" / "js").glob("*.js")} - {
        "bench.js",
        "size.js",
    }
    assert published < js


def test_the_record_names_every_file_by_its_content(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        (record,) = (name for name in packed.namelist() if name.endswith("/RECORD"))
        lines = list(csv.reader(io.StringIO(packed.read(record).decode())))
        assert sorted(name for name, _, _ in lines) == sorted(packed.namelist())
        for name, digest, size in lines:
            if name == record:
                assert (digest, size) == ("", "")
                continue
            content = packed.read(name)
            plain = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            assert (digest, size) == (f"sha256={plain.rstrip('=')}", str(len(content)))


def test_the_archive_of_sources_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build("build_sdist", tmp_path)) as packed:
        packed.extractall(tmp_path, filter="data")
    (project,) = (each for each in tmp_path.iterdir() if each.is_dir())
    again = build("build_wheel", tmp_path, project)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert one.namelist() == other.namelist()
        assert all(one.read(name) == other.read(name) for name in one.namelist())


def test_the_same_sources_give_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    assert build("build_wheel", tmp_path).read_bytes() == wheel.read_bytes()


def test_an_installed_package_finds_its_own_sources(installed: Path, tmp_path: Path) -> None:
    code = "from bake.core.reader_sources import reader_sources; print(reader_sources())"
    assert ask(installed, code, tmp_path) == [str(installed / "bake" / "readers" / "js")]


def test_a_clone_finds_those_beside_the_package() -> None:
    assert reader_sources() == ROOT / "readers" / "js"


def test_an_installed_package_makes_the_same_page(installed: Path, tmp_path: Path) -> None:
    code = "import hashlib; from bake.show.viewer.bundle import served_page_html as page\n"
    code += "print(hashlib.sha256(page([]).encode()).hexdigest())"
    (digest,) = ask(installed, code, tmp_path)
    assert digest == hashlib.sha256(served_page_html([]).encode()).hexdigest()


# -- another package named bake ------------------------------------------------------------------


@pytest.fixture
def shared(installed: Path, tmp_path: Path) -> Path:
    """The folder of packages, for a test to change."""
    folder = tmp_path / "packages"
    shutil.copytree(installed, folder)
    return folder


def refused(packages: str, code: str, cwd: Path, *flags: str) -> str:
    """The one line that a script ends with."""
    done = run(packages, code, cwd, "build", flags=flags)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "`pip uninstall bake`" in line
    return line


@pytest.mark.parametrize("script", [OURS, THEIRS])
def test_another_bake_has_overwritten_ours(script: str, shared: Path, tmp_path: Path) -> None:
    (shared / "bake" / "__init__.py").write_text(ANOTHER, "utf-8")
    (shared / "bake" / "cli.py").write_text("def main(): print('something else')\n", "utf-8")
    line = refused(str(shared), script, tmp_path)
    assert f"overwritten {shared / 'bake'};" in line


def test_another_bake_that_cannot_be_loaded_has_overwritten_ours(
    shared: Path, tmp_path: Path
) -> None:
    (shared / "bake" / "__init__.py").write_text("import dotenv_of_another\n", "utf-8")
    assert "has overwritten" in refused(str(shared), OURS, tmp_path)


def test_another_bake_was_removed_and_ours_with_it(shared: Path, tmp_path: Path) -> None:
    (shared / "bake" / "__init__.py").unlink()
    line = refused(str(shared), OURS, tmp_path, "-S")  # A clone that is installed would be found.
    assert f"{shared / 'bake'} is not levelbake's package;" in line


def test_another_bake_is_found_before_ours(installed: Path, tmp_path: Path) -> None:
    first = tmp_path / "first" / "bake"
    first.mkdir(parents=True)
    (first / "__init__.py").write_text(ANOTHER, "utf-8")
    line = refused(f"{first.parent}{os.pathsep}{installed}", OURS, tmp_path)
    assert f"{first / '__init__.py'} is not levelbake's package;" in line


@pytest.mark.parametrize("script", [OURS, THEIRS])
def test_another_bake_lies_beside_ours(script: str, shared: Path, tmp_path: Path) -> None:
    (shared / "bake-0.6.0.dist-info").mkdir()
    done = run(str(shared), script, tmp_path, "--version")
    assert (done.returncode, done.stdout) == (0, f"levelbake {__version__}\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: another package named bake shares the folder ")


def ask(packages: Path, code: str, cwd: Path) -> list[str]:
    """Run code that finds the installed package before any other, and return its lines."""
    done = run(str(packages), code, cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def run(
    packages: str, code: str, cwd: Path, *arguments: str, flags: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": packages, "BAKE_CACHE_DIR": str(cwd)}
    return subprocess.run(
        [sys.executable, *flags, "-c", code, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
