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
from tests.support.stored import stored

ROOT = Path(__file__).resolve().parents[2]
READERS = ROOT / "readers"
#: Nothing that a compiler warns of is left in what it is given.
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
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
def version(program: str) -> str:
    """What a program says of itself; nothing where it does not run: a rustc may be a proxy."""
    asked = "-v" if Path(program).name.startswith("luajit") else "--version"
    try:
        done = subprocess.run(
            [program, asked],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()  # Godot 3 tells its version, and fails.


def runs(program: str) -> bool:
    """Whether a program does more than lie here."""
    return version(program) != ""


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


def compiled(name: str, command: Sequence[str | Path], *others: Path) -> Path:
    """Return the folder in which a compiler was run without a complaint, once for its sources.

    Args:
        name: what is compiled.
        command: a compiler and its arguments, sources as paths.
        others: what else the compiler reads: files, or folders that were compiled before.
    """
    words = [str(word) for word in command]

    def make(folder: Path) -> None:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

    read = [word if isinstance(word, str) else word.name for word in command]
    read += [version(words[0]), *(other.name for other in others)]
    files = [each for each in (*command, *others) if isinstance(each, Path) and each.is_file()]
    return stored(name, [*read, *files], make)


def compiled_c(name: str, compiler: str, source: Path, *options: str) -> Path:
    """Return the program or library that a C compiler makes with the reader's headers."""
    command = [compiler, "-std=c99", *options, f"-I{READERS / 'c'}", source, "-o", name]
    headers = sorted((READERS / "c").glob("*.h"))
    return compiled(f"c-{name}", command, *headers) / name


def javascript(folder: Path, program: Path = FOLDER / "runner.mjs") -> Runner:
    return Runner("javascript", (tool("node"), str(program)))


def c(folder: Path, source: Path = FOLDER / "runner.c") -> Runner:
    """The C reader under sanitizers, which end the runner where it leaves its arrays.

    To optimize it takes longer than all that it is asked; the library is optimized.
    """
    compiler = sanitizing("clang", "gcc")
    return Runner("c", (str(compiled_c(source.stem, compiler, source, "-g1", *SANITIZERS)),))


def library() -> Path:
    """Compile the C reader as a library, which other languages load.

    gcc looks where numbers flow as it optimizes, also from one exported function into another.
    """
    source, compiler = READERS / "c" / "levelbake.c", tool("gcc", "clang", "cc")
    options = ("-O2", "-shared", "-fPIC", "-fno-semantic-interposition", *STRICT)
    return compiled_c("liblevelbake.so", compiler, source, *options)


def lua(folder: Path, source: Path = FOLDER / "runner.lua") -> Runner:
    program = tool("luajit")
    script = f'LEVELBAKE_LIBRARY={library()} exec {program} {source} "$0" "$1" {READERS / "lua"}'
    return Runner("lua", ("sh", "-c", script))


def csharp(folder: Path, source: Path = FOLDER / "Runner.cs") -> Runner:
    # 7.2 is the least that Unity 2021.2 and .NET Standard 2.1 have, and spans need.
    options = ["-langversion:7.2", "-warnaserror", "-optimize+", "-out:runner.exe"]
    reader, mono = READERS / "csharp" / "LevelBake.cs", tool("mono")
    made = compiled(f"csharp-{source.stem}", [tool("mcs"), *options, reader, source])
    return Runner("csharp", (mono, str(made / "runner.exe")))


def rust(folder: Path, source: Path = FOLDER / "runner.rs") -> Runner:
    """The Rust reader by the compiler alone, which checks sums; another test builds the crate."""
    common = [tool("rustc"), "--edition=2021", "-Dwarnings"]
    sources, linked = READERS / "rust" / "src", library()
    crate = ["--crate-type=rlib", "--crate-name=levelbake", '--cfg=feature="std"']
    crate += ['--check-cfg=cfg(feature, values("std"))', sources / "lib.rs"]
    reader = compiled("rust-levelbake", [*common, *crate], *sorted(sources.glob("*.rs")))
    command = [*common, f"--extern=levelbake={reader / 'liblevelbake.rlib'}", source]
    command += [f"-Lnative={linked.parent}", "-ldylib=levelbake"]
    command += [f"-Clink-arg=-Wl,-rpath,{linked.parent}", "-o", "runner"]
    made = compiled(f"rust-{source.stem}", command, reader, linked.parent)
    return Runner("rust", (str(made / "runner"),))


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


#: What makes each reader ready to be asked, given a folder to work in, and maybe another program
#: than the runner.
READY = {
    "c": c,
    "csharp": csharp,
    "gdscript": gdscript,
    "javascript": javascript,
    "lua": lua,
    "rust": rust,
}
