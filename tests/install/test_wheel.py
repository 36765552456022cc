"""What a wheel holds: the package, and the reader in JavaScript that lies beside it."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bake.reader_sources import reader_sources
from bake.viewer.bundle import served_page_html
from tests.support.pages import ROOT

BUILD = """
import sys
sys.path.insert(0, "distribution")
import backend
print(getattr(backend, sys.argv[1])(sys.argv[2]))
"""


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
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with nothing in it but this one."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


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
    code = "from bake.reader_sources import reader_sources; print(reader_sources())"
    assert ask(installed, code, tmp_path) == [str(installed / "bake" / "readers" / "js")]


def test_a_clone_finds_those_beside_the_package() -> None:
    assert reader_sources() == ROOT / "readers" / "js"


def test_an_installed_package_makes_the_same_page(installed: Path, tmp_path: Path) -> None:
    code = "import hashlib; from bake.viewer.bundle import served_page_html as page\n"
    code += "print(hashlib.sha256(page([]).encode()).hexdigest())"
    (digest,) = ask(installed, code, tmp_path)
    assert digest == hashlib.sha256(served_page_html([]).encode()).hexdigest()


def ask(packages: Path, code: str, cwd: Path) -> list[str]:
    """Run code that finds the installed package before any other, and return its lines."""
    environment = os.environ | {"PYTHONPATH": str(packages), "BAKE_CACHE_DIR": str(cwd)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
