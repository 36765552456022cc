"""The bindings of the C reader build as their READMEs say, and run where games run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.readers import READERS, library, tool, version
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
