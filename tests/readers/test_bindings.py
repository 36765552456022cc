"""The bindings of the C reader build as their READMEs say, and run where games run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.readers import READERS, compiled, library, tool, version
from tests.support.stored import stored
from tests.support.vectors.make import FOLDER


def test_the_crate_builds_offline(tmp_path: Path) -> None:
    """A stranger's crate that depends on it opens a level."""
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "game"\nversion = "0.1.0"\nedition = "2021"\n'
        f'[dependencies]\nlevelbake = {{ path = "{READERS / "rust"}" }}\n'
    )
    (tmp_path / "src" / "main.rs").write_text(
        """fn main() {
    let file = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let bytes = levelbake::Bytes::from(&file[..]);
    let level = levelbake::Level::open(&bytes).unwrap();
    let mut changes = level.changes(1).unwrap();
    let before = level.profile(None).unwrap().path(0, 8).len();
    changes.block(before as i32).unwrap();
    println!("{} {}", level.name().unwrap(), changes.profile(None).unwrap().reachable(0, 1));
}
"""
    )
    # The script of the crate has the C reader optimized, which another test does.
    quick = tmp_path / "quick"
    quick.write_text(f'#!/bin/sh\nexec {tool("cc")} "$@" -O0\n')
    quick.chmod(0o755)
    cargo, sources = tool("cargo"), [*(READERS / "rust").rglob("*.*"), *(READERS / "c").glob("*.*")]
    command = [cargo, "run", "--offline", "--quiet", "--", str(FOLDER / "rooms.bake")]
    # Cargo knows by itself what of this it can use; another source is another folder.
    made = stored("cargo", [version(cargo), *sorted(filter(Path.is_file, sources))], lambda _: None)
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "CARGO_TARGET_DIR": str(made), "CC": str(quick)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "rooms true\n", done.stderr


#: What GNU tools of some targets begin with.
GNU = ("aarch64-linux-gnu-", "arm-linux-gnueabihf-", "x86_64-w64-mingw32-")
#: A target, what is set in the environment, and the compiler and archiver that are run; none where
#: the build script names what to set.
CROSS = [
    ("x86_64-unknown-linux-gnu", {}, ["cc", "ar"]),
    ("aarch64-unknown-linux-gnu", {}, [GNU[0] + "gcc", GNU[0] + "ar"]),
    ("armv7-unknown-linux-gnueabihf", {}, [GNU[1] + "gcc", GNU[1] + "ar"]),
    ("x86_64-pc-windows-gnu", {}, [GNU[2] + "gcc", GNU[2] + "ar"]),
    ("wasm32-unknown-unknown", {}, []),
    ("wasm32-unknown-unknown", {"CC_wasm32_unknown_unknown": "own", "AR": "ar"}, ["own", "ar"]),
    ("aarch64-unknown-linux-gnu", {"TARGET_CC": "own"}, ["own", GNU[0] + "ar"]),
    ("x86_64-unknown-linux-gnu", {"TARGET_CC": "other", "CC": "own"}, ["own", "ar"]),
]


@pytest.mark.parametrize(("target", "environment", "tools"), CROSS)
def test_the_crate_is_compiled_for_its_target(
    tmp_path: Path, target: str, environment: dict[str, str], tools: list[str]
) -> None:
    command = [tool("rustc"), "--edition=2021", READERS / "rust" / "build.rs"]
    for name in (
        "cc",
        "ar",
        "own",
        "other",
        *(each + own for each in GNU for own in ("gcc", "ar")),
    ):
        fake = tmp_path / name
        fake.write_text(f'#!/bin/sh\necho "$(basename $0) $*" >> {tmp_path}/run\n')
        fake.chmod(0o755)
    given = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "OUT_DIR": str(tmp_path),
        "CARGO_MANIFEST_DIR": str(READERS / "rust"),
        "HOST": "x86_64-unknown-linux-gnu",
        "TARGET": target,
    }
    done = subprocess.run(
        [compiled("rust-build", command) / "build"],
        env={**given, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if not tools:
        assert done.returncode != 0
        assert f"set CC_{target.replace('-', '_')}" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "run").read_text("utf-8").splitlines()
    assert [line.split()[0] for line in lines] == tools
    assert ("-fPIC" in lines[0]) is ("windows" not in target)


def test_rust_declares_what_c_does() -> None:
    """Each function of the headers that Rust and Lua declare has as many parameters there."""
    headers = "".join(
        (READERS / "c" / name).read_text("utf-8")
        for name in ("levelbake.h", "levelbake_changes.h", "levelbake.c")
    )
    found = re.findall(r"^(?:LB_API|extern) [^;{]*?(lb_\w+)\(([^)]*)\);", headers, re.MULTILINE)
    known = {name: parameters.count(",") for name, parameters in found}
    rust = (READERS / "rust" / "src" / "c.rs").read_text("utf-8")
    lua = (READERS / "lua" / "levelbake.lua").read_text("utf-8").partition("]]")[0]
    for text, pattern in ((rust, r"fn (lb_\w+)\(([^)]*)\)"), (lua, r"\b(lb_\w+)\(([^)]*)\);")):
        declared = re.findall(pattern, text)
        assert len(declared) > 30
        for name, parameters in declared:
            assert parameters.strip().rstrip(",").count(",") == known[name], name


def test_in_love(tmp_path: Path) -> None:
    love, made = tool("love"), library()
    game = tmp_path / "game"
    game.mkdir()
    shutil.copy(READERS / "lua" / "levelbake.lua", game)
    shutil.copy(FOLDER / "rooms.bake", game)
    (game / "conf.lua").write_text(
        "function love.conf(t)\n"
        "  for _, each in ipairs { 'window', 'graphics', 'audio', 'sound', 'joystick' } do\n"
        "    t.modules[each] = false\n  end\nend\n"
    )
    (game / "main.lua").write_text(
        """local levelbake = require("levelbake")
local level = assert(levelbake.open((love.filesystem.read("rooms.bake"))))
local nav = assert(level:profile())
print(level:name(), #nav:path(0, 1), nav:next_hop(0, 1))
io.stdout:flush()
os.exit(0)
"""
    )
    environment = {**os.environ, "LEVELBAKE_LIBRARY": str(made), "SDL_VIDEODRIVER": "dummy"}
    try:
        done = subprocess.run(
            [love, str(game)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("LÖVE does not run without a screen here")
    assert done.stdout == "rooms\t2\t1\n", done.stderr
