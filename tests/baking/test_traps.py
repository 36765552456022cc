"""No process of a command imports from the folder that it is started in."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bake.core.kernels import jit
from tests.support.baked import rows, write_grid
from tests.support.command import PYTHON_PATH, quiet_environment
from tests.support.projects import write_project

#: Loads all that a command and its processes load, and prints the names of its modules.
LOADED = """
import contextlib, importlib, sys
for name in (
    "bake.cli", "bake.baking.run", "bake.baking.level", "bake.extras.cluster.tasks",
    "bake.core.kernels.ahead", "bake.verify", "bake.show.viewer.server",
    "bake.project.watch.levels", "bake.project.init",
    "bake.project.lint.levels", "bake.play.level", "bake.extras.school", "multiprocessing.spawn",
    "multiprocessing.resource_tracker", "multiprocessing.forkserver",
    "multiprocessing.popen_spawn_posix", "numba", "numba.np.arraymath", "scipy.sparse.csgraph",
    "watchfiles", "distributed", "distributed.cli.dask_worker", "webbrowser",
):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
print(*{name.partition(".")[0] for name in sys.modules})
"""

#: What the traps leave behind that were imported.
MARK = "imported.txt"


def names_of_modules() -> set[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED],
        env={**quiet_environment(), "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {*done.stdout.split(), *sys.stdlib_module_names}
    assert {"multiprocessing", "numpy", "h5py", "typer", "pickle", "types", "bake"} < found
    return {name for name in found if name.isidentifier()} - {"__main__", "__mp_main__"}


@pytest.fixture(scope="module")
def names() -> set[str]:
    return names_of_modules()


@pytest.fixture
def trap(tmp_path: Path, names: set[str]) -> Path:
    """A project with a module of every name that a process of a command imports."""
    folder = tmp_path / "game"
    write_project(folder)
    for name in names:
        (folder / f"{name}.py").write_text(
            f"open({str(folder / MARK)!r}, 'a').write('{name} ')\nraise SystemExit('a trap')\n"
        )
    return folder


def environment(**variables: str) -> dict[str, str]:
    """The environment of a shell, in which Python is not told to be safe."""
    kept = {**quiet_environment(), "PYTHONPATH": PYTHON_PATH, **variables}
    return {name: value for name, value in kept.items() if name != "PYTHONSAFEPATH"}


def script(tmp_path: Path) -> list[str]:
    """The command as it is installed: a script in another folder."""
    file = tmp_path / "scripts" / "bake"
    file.parent.mkdir(exist_ok=True)
    text = "from levelbake_command import main\nif __name__ == '__main__':\n    main()\n"
    file.write_text(text)
    return [sys.executable, str(file)]


def untouched(folder: Path) -> bool:
    return not (folder / MARK).exists()


def test_traps_are_sprung_by_python_without_a_safe_path(trap: Path, tmp_path: Path) -> None:
    """Else the tests below would prove nothing."""
    subprocess.run(
        [sys.executable, "-c", "import multiprocessing"],
        cwd=trap,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert not untouched(trap)


@pytest.mark.parametrize(
    "command",
    [
        "build --jobs 2",
        "build --jobs 1",
        "build --cluster local --jobs 2",
        "init",
        "lint",
        "check",
        "plan",
    ],
)
def test_no_command_imports_from_the_folder_of_a_project(
    command: str, trap: Path, tmp_path: Path
) -> None:
    if "--cluster" in command:
        pytest.importorskip("distributed", reason="Dask is an extra")
    arguments = command.split()
    if arguments[0] == "init":
        (trap / "bake.toml").unlink()
    done = subprocess.run(
        [*script(tmp_path), *arguments],
        cwd=trap,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert untouched(trap), (trap / MARK).read_text()
    assert done.returncode == (1 if arguments[0] == "check" else 0), done.stderr
    assert "Traceback" not in done.stderr
    if arguments[0] == "build":
        assert len(list((trap / "baked").glob("*.h5"))) == 3


@pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")
def test_no_compiler_imports_from_the_folder_of_a_project(trap: Path, tmp_path: Path) -> None:
    """A process of the compiler is asked for one kernel."""
    code = (
        "import sys\nimport numpy as np\nfrom bake.core.kernels import ahead, heap\n"
        "def rehearse():\n    heap.push(np.zeros((2, 2), np.int64), 0, 5, 7)\n"
        "print(ahead.compile_ahead(rehearse, lambda *news: None))\n"
    )
    file = tmp_path / "compiling.py"
    file.write_text(code)
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=trap,
        env=environment(BAKE_CACHE_DIR=str(tmp_path / "cache")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("compiled 1 kernel"), done.stderr
    assert untouched(trap), (trap / MARK).read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_watching_imports_nothing_from_the_folder_of_a_project(trap: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [*script(tmp_path), "watch", "--jobs", "2", "--view", "--no-browser"],
        cwd=trap,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        watching = False
        for line in process.stdout:
            if line.startswith("watching"):
                watching = True
                write_grid(trap / "levels_src" / "keep.json", rows("...."))
            elif watching and "keep: " in line:
                baked = line
                process.send_signal(signal.SIGINT)
        assert "4 nodes" in baked
    assert untouched(trap), (trap / MARK).read_text()


def test_python_m_leaves_the_folder_out_as_soon_as_it_can(trap: Path, tmp_path: Path) -> None:
    """Python itself has imported what it needs to run a module by then, and nothing else."""
    for name in (*sys.stdlib_module_names, "bake", "levelbake_command"):
        (trap / f"{name}.py").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "bake", "build", "--jobs", "2"],
        cwd=trap,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert untouched(trap), (trap / MARK).read_text()


def test_nothing_of_an_asset_is_looked_up_in_the_folder(trap: Path, tmp_path: Path) -> None:
    """What opens assets afterwards: watch with its page, view, verify, info, diff, export."""
    pytest.importorskip("scipy")
    first = script(tmp_path)
    for arguments in (
        ["build", "--jobs", "2"],
        ["verify", "baked"],
        ["info", "baked/keep.h5"],
        ["path", "baked/keep.h5", "0,0", "1,0", "--method", "astar"],
        ["diff", "baked/keep.h5", "baked/keep.h5"],
        ["export", "baked/keep.h5"],
        ["render", "baked/keep.h5", "-o", "keep.png"],
        ["view", "baked", "--html", "page.html"],
    ):
        done = subprocess.run(
            [*first, *arguments],
            cwd=trap,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert untouched(trap), (arguments, (trap / MARK).read_text())
        assert done.returncode == 0, done.stderr
