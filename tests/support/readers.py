"""Ask readers in other languages: a file of questions goes in, and a file of answers comes out.

Each reader has a runner: a program that is given two paths. A line of the first file is a command
and its words; the runner writes one line for each into the second. Nodes are locations.

==================================  ============================================================
load PATH|= [size:N] [AT:HEX:N]...  opens a file (=: the last one) whose bytes are changed so
profile I                           asks profile I from now on
about                               prints JSON: what the level says of itself
hop, ticks, reach, path A B         prints a node or -1, ticks or -1, 0 or 1, nodes or "none"
stands A; cell A; point A           prints 0 or 1; x y floor or "none"; x y or "none"
node_at, nearest, to_node X Y F     prints a node or -1
hops_to, hops_from A                prints a node or -1 for every location
block, open A...; terrain A CODE    change the level
price A B UNITS|closed|usual        likewise
door I STATE; door_state I          likewise, by numbers; prints the name of the state, or "none"
fresh; patch; apply PATCH           what was baked; patches have "|" in place of line ends
==================================  ============================================================

Commands that print nothing print ``ok``, and what is refused prints ``error: `` and one line.
Numbers of points are decimals, or WHOLE/POWER: a whole number over a power of two.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.godot3 import in_godot_3

ROOT = Path(__file__).resolve().parents[2]
READERS = ROOT / "readers"
#: Sanitizers, which end a program where it leaves its arrays.
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
#: Where the runners are.
FOLDER = ROOT / "tests" / "readers"


@dataclass(frozen=True)
class Runner:
    """A reader that can be asked.

    Attributes:
        language: its name.
        command: what to run; the paths of questions and answers follow.
    """

    language: str
    command: tuple[str, ...]

    def ask(self, questions: Sequence[str], timeout: float = 300) -> list[str]:
        """Return the answer to each question."""
        with tempfile.TemporaryDirectory() as folder:
            asked, told = Path(folder) / "of.questions", Path(folder) / "of.answers"
            asked.write_text("\n".join(questions) + "\n", encoding="utf-8", newline="\n")
            done = subprocess.run(
                [*self.command, str(asked), str(told)],
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout,
            )
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
            # Godot goes on after an error of a script.
            assert "SCRIPT ERROR" not in done.stdout + done.stderr, done.stderr[:4000]
            assert told.exists(), done.stdout[-2000:] + done.stderr[-2000:]
            answers = told.read_text("utf-8").split("\n")[:-1]
        assert len(answers) == len(questions), answers[-3:]
        return answers


@functools.cache
def runs(program: str) -> bool:
    """Whether a program does more than lie here: a rustc may be a proxy without a toolchain."""
    asked = "-v" if Path(program).name.startswith("luajit") else "--version"
    try:
        done = subprocess.run(
            [program, asked],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return bool(done.stdout.strip())  # Godot 3 tells its version, and fails.


def tool(*names: str) -> str:
    """Return the path of the first of some programs that runs; skip the test if none does."""
    found = list(filter(None, map(shutil.which, names)))
    for program in filter(runs, found):
        return program
    what = " or ".join(names)
    pytest.skip(f"{what} is here, but does not run" if found else f"no {what} on this machine")


@functools.cache
def _sanitizes(compiler: str) -> bool:
    """Whether a compiler finds what it links programs under sanitizers with."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "nothing.c"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        command = [compiler, *SANITIZERS, str(source), "-o", str(Path(folder) / "nothing")]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def sanitizing(*names: str) -> str:
    """Return the path of the first compiler here that has sanitizers; skip the test if none has."""
    for name in names:
        if (found := shutil.which(name)) and runs(found) and _sanitizes(found):
            return found
    pytest.skip(f"no {' or '.join(names)} with sanitizers on this machine")


def javascript(folder: Path, program: Path = FOLDER / "runner.mjs") -> Runner:
    return Runner("javascript", (tool("node"), str(program)))


def c(folder: Path, source: Path = FOLDER / "runner.c") -> Runner:
    """The C reader under sanitizers, which end the runner where it leaves its arrays."""
    program = folder / "runner"
    options = ["-std=c99", "-g", "-O1", *SANITIZERS, f"-I{READERS / 'c'}"]
    command = [sanitizing("clang", "gcc"), *options, str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return Runner("c", (str(program),))


def library(folder: Path) -> Path:
    """Compile the C reader as a library, which other languages load."""
    made, source = folder / "levelbake.so", READERS / "c" / "levelbake.c"
    command = [tool("gcc", "clang", "cc"), "-std=c99", "-O2", "-shared", "-fPIC", str(source)]
    done = subprocess.run([*command, "-o", str(made)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return made


def lua(folder: Path, source: Path = FOLDER / "runner.lua") -> Runner:
    program, made = tool("luajit"), library(folder)
    script = f'LEVELBAKE_LIBRARY={made} exec {program} {source} "$0" "$1" {READERS / "lua"}'
    return Runner("lua", ("sh", "-c", script))


def csharp(folder: Path, source: Path = FOLDER / "Runner.cs") -> Runner:
    compiler, mono = tool("mcs"), tool("mono")
    program = folder / "runner.exe"
    sources = [str(READERS / "csharp" / "LevelBake.cs"), str(source)]
    # 7.2 is the least that Unity 2021.2 and .NET Standard 2.1 have, and spans need.
    options = ["-langversion:7.2", "-warnaserror", "-optimize+", f"-out:{program}"]
    done = subprocess.run(
        [compiler, *options, *sources], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Runner("csharp", (mono, str(program)))


def rust(folder: Path, source: Path = FOLDER / "runner.rs") -> Runner:
    """The Rust reader by the compiler alone; another test builds the crate."""
    compiler, made, program = tool("rustc"), library(folder), folder / source.stem
    made.rename(folder / "liblevelbake.so")
    common = [compiler, "--edition=2021", "-O", "-Dwarnings", "--out-dir", str(folder)]
    crate = [*common, "--crate-type=rlib", "--crate-name=levelbake"]
    linked = [f"-Lnative={folder}", "-ldylib=levelbake", f"-Clink-arg=-Wl,-rpath,{folder}"]
    for command in (
        [*crate, str(READERS / "rust" / "src" / "lib.rs")],
        [
            *common,
            f"-L{folder}",
            f"--extern=levelbake={folder}/liblevelbake.rlib",
            *linked,
            str(source),
        ],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
    return Runner("rust", (str(program),))


def gdscript(folder: Path, source: Path = FOLDER / "runner.gd") -> Runner:
    """GDScript as Godot 3 runs it, in a project of its own."""
    server = tool("godot3-server")
    home = READERS / "godot"
    places = {script: script.relative_to(home) for script in home.glob("addons/levelbake/*.gd")}
    for script, place in {**places, source: Path("runner.gd")}.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(in_godot_3(script.read_text("utf-8")), "utf-8")
    (folder / "project.godot").write_text("config_version=4\n")
    command = (server, "--no-window", "--path", str(folder), "-s", "res://runner.gd")
    return Runner("gdscript", command)


#: What makes each reader ready to be asked, given a folder to build it in, and maybe another
#: program than the runner.
READY = {
    "c": c,
    "csharp": csharp,
    "gdscript": gdscript,
    "javascript": javascript,
    "lua": lua,
    "rust": rust,
}
