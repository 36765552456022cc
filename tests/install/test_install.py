"""What a stranger does: install a wheel into an empty environment, and follow the README.

It downloads half a gigabyte, so ``make install-test`` asks for it, and ``make test`` does not.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.pages import ROOT, blocks, section
from tests.support.tiled_maps import layer, tmx

pytestmark = pytest.mark.skipif(
    os.environ.get("BAKE_TEST_INSTALL") != "1",
    reason="installs from the package index: run `make install-test`",
)

#: Builds the wheel and the archive of sources of either project.
BUILD = """
import importlib, sys
backend = importlib.import_module(sys.argv[2])
print(backend.build_wheel(sys.argv[1]), backend.build_sdist(sys.argv[1]))
"""

#: The projects of the repository, and what builds each.
PROJECTS = {ROOT / "readers" / "python": "flit_core.buildapi", ROOT: "distribution.backend"}


def run(*command: str | Path, cwd: Path) -> str:
    # As a stranger has it.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("BAKE_COMPILE", "PYTHONPATH")
    }
    done = subprocess.run(
        [str(each) for each in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


class Environment:
    """An environment of its own with nothing in it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.folder = folder
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")

    def install(self, *what: str | Path, cwd: Path) -> None:
        run(self.programs / "python", "-m", "pip", "install", "--quiet", *what, cwd=cwd)

    def installed(self) -> int:
        """Bytes of all that is installed, less what every new environment holds."""
        (packages,) = self.folder.rglob("site-packages")
        own = [each for each in packages.iterdir() if not re.match("pip|setuptools", each.name)]
        files = [file for each in own for file in ([each] if each.is_file() else each.rglob("*"))]
        return sum(file.lstat().st_size for file in files if file.is_file())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both wheels, and below `sources` both archives of sources."""
    folder = tmp_path_factory.mktemp("dist")
    (folder / "sources").mkdir()
    for project, backend in PROJECTS.items():
        _, sources = run(sys.executable, "-c", BUILD, folder, backend, cwd=project).split()
        (folder / sources).rename(folder / "sources" / sources)
    return folder


@pytest.fixture(scope="module")
def everything(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("everything")
    environment = Environment(folder / "environment")
    # As the example's requirements have it, from a folder instead of the index.
    requirements = ROOT / "examples" / "requirements.txt"
    environment.install("--find-links", built, "-r", requirements, cwd=folder)
    return environment


@pytest.fixture(scope="module")
def game(everything: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the level of the README, baked as it says."""
    folder = tmp_path_factory.mktemp("game")
    (folder / "cave.json").write_text(block("json"), "utf-8")
    for line in block("sh", "levelbake build").splitlines():
        program, *arguments = line.split()
        assert program in ("bake", "levelbake")
        run(everything.programs / program, *arguments, cwd=folder)
    assert (folder / "cave.png").exists()
    return folder


def block(language: str, begins: str = "") -> str:
    """The one block of the README's five minutes in a language that begins like this."""
    text = section((ROOT / "README.md").read_text("utf-8"), "Five minutes to a first lookup")
    (one,) = [each for each in blocks(text, language) if each.startswith(begins)]
    return one


def lookups() -> str:
    """The Python of the README's five minutes."""
    return block("python", "import numpy")


def test_the_five_minutes_of_the_readme(everything: Environment, game: Path) -> None:
    run(everything.programs / "python", "-c", lookups(), cwd=game)
    print(f"\neverything: {everything.installed() / 2**20:.0f} MiB, scipy for proofs among it")


@pytest.mark.parametrize("name", ["bake", "levelbake"])
def test_both_names_of_the_command(name: str, everything: Environment, game: Path) -> None:
    assert re.search(r"\d+\.\d+\.\d+", run(everything.programs / name, "--version", cwd=game))
    run(everything.programs / name, "check", "cave.json", cwd=game)


def test_a_first_recipe_for_levels_of_ones_own(everything: Environment, tmp_path: Path) -> None:
    ground, walls = [[1] * 6] * 3, [[2] * 6, [2, 0, 0, 0, 0, 2], [2] * 6]
    plain = '<tileset firstgid="1" name="pieces" tilecount="6" columns="3"/>'
    parts = layer(ground), layer(walls, name="Walls", number=2)
    text = tmx(*parts, width=6, height=3, tileset=plain)
    (tmp_path / "levels_src").mkdir()
    (tmp_path / "levels_src" / "hall.tmx").write_text(text, "utf-8")
    run(everything.programs / "levelbake", "init", cwd=tmp_path)
    assert 'name says "wall"' in (tmp_path / "bake.toml").read_text("utf-8")
    assert (tmp_path / "baked" / "hall.png").exists()
    run(everything.programs / "levelbake", "build", cwd=tmp_path)
    run(everything.programs / "levelbake", "verify", "baked", cwd=tmp_path)
    ask = "from bake.play import open_asset; nav = open_asset('baked/hall.h5').profile(); "
    ask += "print(nav.next_hop((1, 1), (4, 1)), nav.can_stand((0, 0)))"
    said = run(everything.programs / "python", "-c", ask, cwd=tmp_path)
    assert said.strip() == "(2, 1) False"


#: What the lowest versions run, on all of our own levels.
COMMANDS = """
build
check
lint
plan
info baked/marsh.h5
verify baked
diff baked/marsh.h5 baked/five.h5
path baked/five.h5 A D
render baked/five.h5 -o five.png
export baked/marsh.h5 -o marsh.bake
view baked/marsh.h5 --html marsh.html
schema columns
"""


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="the lowest versions have wheels for Python 3.11 alone"
)
def test_the_lowest_versions_that_are_allowed(built: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    python = environment.programs / "python"
    # A resolution of the lowest direct dependencies needs them as the project's own, not a wheel's.
    resolve = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python)
    extras = ("--extra", "verify", "--extra", "cluster")
    run(*resolve, "--resolution", "lowest-direct", "-r", "pyproject.toml", *extras, cwd=ROOT)
    environment.install("--no-deps", "--force-reinstall", *built.glob("*.whl"), cwd=tmp_path)
    packages = run(python, "-m", "pip", "list", "--format", "freeze", cwd=tmp_path)
    assert "numpy==2.0.0" in packages.splitlines()

    shutil.copytree(ROOT / "levels_src", tmp_path / "levels_src")
    shutil.copy(ROOT / "bake.toml", tmp_path)
    for command in COMMANDS.strip().splitlines():
        run(environment.programs / "bake", *command.split(), cwd=tmp_path)
        run(environment.programs / "bake", command.split()[0], "--help", cwd=tmp_path)
    run(environment.programs / "bake", "build", "--force", "--cluster", "local", cwd=tmp_path)
    ask = "from {} import {} as o; p = o('baked/five.h5').profile(); print(p.places()[:2])"
    for package, opener in (("levelbake", "open_level"), ("bake.play", "open_asset")):
        run(python, "-c", ask.format(package, opener), cwd=tmp_path)


def test_the_archives_of_sources_install(built: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    environment.install("--no-deps", *(built / "sources").iterdir(), cwd=tmp_path)
    ask = "import bake.core.reader_sources as found; print(found.reader_sources())"
    said = run(environment.programs / "python", "-c", ask, cwd=tmp_path)
    assert str(environment.folder) in said
    assert Path(said.strip(), "levelbake.js").is_file()


@pytest.mark.parametrize("editable", [False, True])
def test_a_clone_installs(editable: bool, tmp_path: Path) -> None:
    """What the README says, and what `make` does."""
    clone = tmp_path / "clone"
    run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", clone, cwd=tmp_path)
    environment = Environment(tmp_path / "environment")
    flag = ["-e"] if editable else []
    projects = [clone / project.relative_to(ROOT) for project in PROJECTS]
    what = [each for project in projects for each in (*flag, project)]
    environment.install("--no-deps", *what, cwd=tmp_path)
    ask = "import bake.core.reader_sources as found; print(found.reader_sources())"
    said = Path(run(environment.programs / "python", "-c", ask, cwd=tmp_path).strip())
    assert (said / "levelbake.js").is_file()
    assert said.is_relative_to(clone if editable else environment.folder)


def test_a_game_ships_the_reader_alone(built: Path, game: Path, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    environment.install("--find-links", built, "levelbake-reader", cwd=tmp_path)
    (packages,) = environment.folder.rglob("site-packages")
    own = {each.name.partition("-")[0] for each in packages.iterdir()}
    assert {"levelbake", "numpy", "h5py"} < own
    assert not {"bake", "numba", "scipy"} & own
    run(environment.programs / "python", "-c", lookups(), cwd=game)
    print(f"\nreader alone: {environment.installed() / 2**20:.0f} MiB")
