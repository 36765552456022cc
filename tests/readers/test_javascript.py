"""The npm package: its own tests, what is packed, and how many bytes a page loads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.readers import READERS, ROOT, tool

PACKAGE = READERS / "js"
#: The most bytes of each module, minified.
MOST = {"levelbake": 12_500, "changes": 13_000, "places": 2_400}


def npm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tool("npm"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_its_own_tests() -> None:
    done = subprocess.run(
        [tool("node"), "--test", "test/"], cwd=PACKAGE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_what_is_packed() -> None:
    done = npm(PACKAGE, "pack", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    (packed,) = json.loads(done.stdout)
    names = {each["path"] for each in packed["files"]}
    modules = {path.name for path in PACKAGE.glob("*.js")} - {"bench.js", "size.js"}
    types = {path.name for path in PACKAGE.glob("*.d.ts")}
    assert names == modules | types | {"package.json", "README.md"}
    entries = json.loads((PACKAGE / "package.json").read_text("utf-8"))["exports"]
    for entry in entries.values():
        for file in entry.values() if isinstance(entry, dict) else ():
            assert file.removeprefix("./") in names


def test_the_packed_package_can_be_used(tmp_path: Path) -> None:
    """A stranger's project that installs the package opens a level with it."""
    done = npm(PACKAGE, "pack", "--pack-destination", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (archive,) = tmp_path.glob("*.tgz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    home = tmp_path / "node_modules" / "levelbake"
    home.parent.mkdir()
    (tmp_path / "package").rename(home)
    script = tmp_path / "game.mjs"
    script.write_text(
        """import { readFileSync } from "node:fs";
import { openLevel } from "levelbake";
import { follow } from "levelbake/changes";
import { placesOf } from "levelbake/places";
const level = openLevel(readFileSync(process.argv[2]));
console.log(level.name, follow(level).changed, placesOf(level).toNode(0.5, 0.5));
"""
    )
    level = ROOT / "tests" / "vectors" / "rooms.bake"
    command = [tool("node"), str(script), str(level)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "rooms false 0\n", done.stderr


def test_everything_is_typed() -> None:
    """Whatever the modules hand out, the declarations name it."""
    level = ROOT / "tests" / "vectors" / "tower.bake"
    script = f"""
import {{ readFileSync }} from "node:fs";
import {{ openLevel }} from "{PACKAGE.as_uri()}/levelbake.js";
import {{ follow }} from "{PACKAGE.as_uri()}/changes.js";
import {{ placesOf }} from "{PACKAGE.as_uri()}/places.js";
const level = openLevel(readFileSync("{level}"));
const now = follow(level);
const all = [level, level.profile(), now, now.profile(), placesOf(level)];
console.log(JSON.stringify([...all, ...level.spots, ...level.doors].map(Object.keys)));
"""
    command = [tool("node"), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    declared = "".join(path.read_text("utf-8") for path in PACKAGE.glob("*.d.ts"))
    names = set(re.findall(r"^  (?:readonly )?(\w+)[?(:]", declared, re.MULTILINE))
    handed = {name for keys in json.loads(done.stdout) for name in keys}
    assert handed <= names
    assert len(handed) > 40


def test_the_size(tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(PACKAGE / name, tmp_path)
    for path in PACKAGE.glob("*.js"):
        shutil.copy(path, tmp_path)
    if (PACKAGE / "node_modules").exists():
        (tmp_path / "node_modules").symlink_to(PACKAGE / "node_modules")
    elif npm(tmp_path, "ci", "--ignore-scripts", "--prefer-offline").returncode:
        pytest.skip("the minifier of package-lock.json cannot be installed here")
    done = subprocess.run(
        [tool("node"), "size.js"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = {
        name: int(count) for name, count in (line.split() for line in done.stdout.splitlines())
    }
    assert found.keys() == MOST.keys()
    assert {name: found[name] <= most for name, most in MOST.items()} == dict.fromkeys(
        MOST, True
    ), found
