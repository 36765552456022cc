"""Before any command: version, help, usage, and how little is loaded for them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import levelbake
from bake import __version__
from bake.cli import COMMANDS as ALL
from bake.cli import GROUPS
from tests.support.command import bake, quiet_environment
from tests.support.forked import bake_apart
from tests.support.tiled_maps import layer, tmx

COMMANDS = ("build", "check", "info", "path", "eval", "render", "verify", "schema")
#: typer itself loads pydantic for some options, where it is installed.
HEAVY = ("levelbake", "numpy", "numba", "h5py", "scipy", "networkx", "PIL", "bake.extras")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    done = bake_apart(option)
    assert (done.code, done.out, done.err) == (0, f"levelbake {__version__}\n", "")


@pytest.mark.parametrize("module", ["bake", "levelbake"])
def test_as_a_module(module: str, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise SystemExit('a module of the project was loaded')")
    done = subprocess.run(
        [sys.executable, "-m", module, "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == f"levelbake {__version__}\n"


def test_the_reader_alone_names_what_has_the_command(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked.py"
    blocked.write_text(
        "import importlib.util, runpy, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: (\n"
        "    None if name == 'levelbake_command' else find(name, *rest)\n"
        ")\n"
        "runpy.run_module('levelbake', run_name='__main__', alter_sys=True)\n"
    )
    done = subprocess.run(
        [sys.executable, str(blocked)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "`pip install levelbake`" in line


def test_the_reader_has_the_version() -> None:
    assert levelbake.__version__ == __version__


def without(package: str, *arguments: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command where a package is not installed, after other code."""
    code = f"import sys; sys.modules[{package!r}] = None\nfrom levelbake_command import main\n"
    return subprocess.run(
        [sys.executable, "-c", f"{code}{before}\nmain()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=quiet_environment(),
    )


@pytest.mark.parametrize(
    "package", ["typer", "numpy", "h5py", "levelbake", "pydantic", "backports", "PIL"]
)
def test_a_package_that_is_missing_is_named(package: str, tmp_path: Path) -> None:
    level = tmp_path / "a.tmx"
    level.write_text(tmx(layer([[1, 1]], "base64-zstd"), width=2, height=1))
    if package == "PIL":
        level = tmp_path / "a.png"
        level.write_bytes(b"")
    done = without(package, "build", str(level), "-o", str(tmp_path / "baked"))
    assert done.returncode == 1
    said = f"error: bake needs {package}, which is not installed; run `pip install levelbake`\n"
    assert done.stderr == said


def each_succeeds(commands: list[list[str]], then: str = "pass") -> str:
    """Code that runs `main` with each of some arguments, and other code after each."""
    return (
        f"given = sys.argv[1:]\nfor each in {commands}:\n"
        "    sys.argv[1:] = each\n"
        "    try:\n        main()\n"
        "    except SystemExit as end:\n        assert not end.code, each\n"
        f"    {then}\n"
        "sys.argv[1:] = given\n"
    )


def test_a_module_that_bake_lacks_itself_is_no_package() -> None:
    done = without("bake.cli")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_proofs_without_scipy(tmp_path: Path) -> None:
    """All other commands do without it."""
    level = tmp_path / "a.map"
    level.write_text("type octile\nheight 1\nwidth 3\nmap\n...\n")
    asset = str(tmp_path / "a.h5")
    others = [["build", str(level), "-o", str(tmp_path)], ["path", asset, "0,0", "2,0"]]
    done = without("scipy", "verify", asset, before=each_succeeds(others, then="print('done')"))
    assert done.returncode == 1
    assert done.stdout.endswith("done\n")
    (line,) = done.stderr.splitlines()[1:]
    assert line.startswith("error: ")
    assert 'pip install "levelbake[verify]"' in line


def test_help_loads_nothing_heavy() -> None:
    said = f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)\n"
    code = "import sys\nfrom bake.cli import main\n"
    code += each_succeeds([["--help"], ["--version"], ["build", "--help"]], then=said)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=quiet_environment(),
    )
    assert done.stderr.splitlines() == ["[]"] * 3
    for part in ("Usage: bake [OPTIONS]", f"levelbake {__version__}\n", "Usage: bake build "):
        assert part in done.stdout


def test_a_build_with_nothing_to_do_loads_little(tmp_path: Path) -> None:
    """It is what a make target costs on most days: it opens neither assets nor a compiler."""
    level = tmp_path / "cave.json"
    level.write_text(
        '{"format": "bake-tiles", "version": 1, "terrains": {"floor": 1}, '
        '"legend": {".": "floor"}, "rows": ["..."]}'
    )
    assert bake("build", str(level), "-o", str(tmp_path)).code == 0
    code = (
        "import sys\n"
        "from bake.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = ('numba', 'scipy', 'networkx', 'PIL', 'bake.play', 'bake.search')\n"
        "print(*(name for name in heavy if name in sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "build", str(level), "-o", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env=quiet_environment(),
    )
    assert "fresh" in done.stdout
    assert done.stderr.strip().splitlines()[-1:] in ([], [""]), done.stderr


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_every_command_in_a_group(option: str) -> None:
    done = bake(option)
    assert done.code == 0
    assert "Start with `bake init`" in done.out
    for group, commands in GROUPS.items():
        section = done.out.partition(f"\n{group}:\n")[2].partition("\n\n")[0]
        named = [line.split()[0] for line in section.splitlines() if line[2] != " "]
        assert named == list(commands)
    assert "..." not in done.out.replace("[ARGS]...", ""), "no summary is cut"


def test_usage_names_arguments_as_other_commands_do() -> None:
    assert "Usage: bake path [OPTIONS] ASSET START GOAL\n" in bake("path", "-h").out
    assert "Usage: bake build [OPTIONS] [SRC]...\n" in bake("build", "-h").out
    assert "Usage: bake info [OPTIONS] [ASSET]\n" in bake("info", "-h").out
    assert "Usage: bake schema [OPTIONS] NAME\n" in bake("schema", "-h").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = bake(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: bake {command} ")
    if command != "schema":
        assert "--json" in done.out
        assert "--profile" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["--frobnicate"],
        ["build", "--jobs", "0"],
        ["build", "--jobs", "two"],
        ["build", "--frobnicate"],
        ["check", "--recipe"],
        ["info", "a.h5", "b.h5"],
        ["path", "a.h5", "1,2"],
        ["render", "a.h5"],
        ["render", "a.h5", "-o", "a.png", "--show", "nothing"],
        ["render", "a.h5", "-o", "a.png", "--scale", "0"],
        ["export"],
        ["path"],
        ["schema"],
        ["schema", "nothing"],
        ["path", "a.h5", "1,2", "2,2", "--method", "nothing"],
        ["path", "a.h5", "1,2", "2,2", "--method", "astar", "--heuristic", "nothing"],
        ["path", "a.h5", "1,2", "2,2", "--weight", "-1"],
        ["path", "a.h5", "1,2", "2,2", "--weight", "1001"],
        ["path", "a.h5", "1,2", "2,2", "--method", "beam", "--width", "0"],
        ["path", "a.h5", "1,2", "2,2", "--method", "sma", "--memory", "0"],
        ["path", "a.h5", "1,2", "2,2", "--method", "astar", "--width", "3"],
        ["eval", "a.h5", "--method", "nothing"],
        ["eval", "a.h5", "--method", "hpa", "--weight", "2"],
        ["render", "a.h5", "-o", "a.png", "--method", "nothing"],
        ["render", "a.h5", "-o", "a.png", "--heuristic", "nothing"],
        ["render", "a.h5", "-o", "a.png", "--width", "3"],
        ["diff", "a.h5", "b.h5", "--fail-on", "nothing"],
        ["export", "a.h5", "--with", "nothing"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = bake(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")


def test_no_command_is_wrong_usage_and_shows_help() -> None:
    done = bake()
    assert done.code == 2
    assert "Usage: bake" in done.out + done.err


def test_help_names_no_types_of_python() -> None:
    for command in ALL:
        out = bake(command, "--help").out
        assert "[Path]" not in out, out
        assert "list[" not in out, out
        assert not re.search(r"<(path|str|int|float)\b", out), out
