"""The same sources and recipe give the same bytes, wherever and however they are baked."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from bake.store.schema import BAKE_REVISION
from tests.support import forked, golden
from tests.support.baked import rows, write_graph, write_grid

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import sys
from pathlib import Path
from bake.baking import build, find_tasks
from bake.baking import run
from bake.project.recipe import load_recipe

recipe, out, jobs, processors = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
run.processors = lambda: processors
tasks = find_tasks(load_recipe(recipe), [], out)
for outcome in build(tasks, jobs=jobs, force=True, report=lambda *news: None):
    assert outcome.status == "baked", outcome.error
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    sources = folder / "levels_src"
    sources.mkdir()
    drawn = rows("..v==~..#.", ".#v==~.#..", "..v===...~", "#...#..=..")
    write_grid(sources / "keep.json", drawn * 2)
    write_grid(sources / "hive.json", drawn, "odd-r")
    names = [f"n{place}" for place in range(30)]
    edges = [(names[a], names[b], 1.0 + a % 7) for a in range(30) for b in (a * 7 % 30, a // 2)]
    write_graph(sources / "roads.json", names, [edge for edge in edges if edge[0] != edge[1]])
    (folder / "bake.toml").write_text(
        '[terrain]\nmud = 3\nwall = "blocked"\n'
        '[profiles.a]\n[profiles.b.terrain]\nroad = "blocked"\n'
    )
    return folder


def baked(
    project: Path,
    out: Path,
    *,
    jobs: int = 1,
    processors: int = 1,
    cwd: Path = ROOT,
    **environment: str,
) -> dict[str, str]:
    """sha256 of every asset a process of its own bakes."""
    arguments = [str(project / "bake.toml"), str(out), str(jobs), str(processors)]
    done = forked.run(
        [sys.executable, "-c", CODE, *arguments], cwd=cwd, env=forked.surroundings(**environment)
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in out.iterdir()}


@pytest.fixture(scope="module")
def reference(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found = baked(project, tmp_path_factory.mktemp("reference"))
    assert sorted(found) == ["hive.h5", "keep.h5", "roads.h5"]
    return found


@pytest.mark.parametrize(
    "how",
    [
        {"jobs": 3, "processors": 3},
        {"PYTHONHASHSEED": "1"},
        {"processors": 4, "PYTHONHASHSEED": "2"},
        {"NUMBA_DISABLE_JIT": "1"},
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "USER": "another", "HOSTNAME": "elsewhere"},
    ],
    ids=["jobs", "hashes", "threads", "no JIT", "surroundings"],
)
def test_how_it_is_baked_changes_no_byte(
    how: dict[str, object], project: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    assert baked(project, tmp_path / "out", **how) == reference


def test_where_it_is_baked_changes_no_byte(
    project: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    """Another folder to work in, another way to name the project, another place of the assets."""
    inside = project / "levels_src"
    relative = Path(os.path.relpath(project, inside))
    out = tmp_path / "out put" / "Ü"
    assert baked(relative, out, cwd=inside) == reference
    (tmp_path / "link").symlink_to(project)
    assert baked(tmp_path / "link", tmp_path / "linked", cwd=tmp_path) == reference


def test_when_it_is_baked_changes_no_byte(
    project: Path, reference: dict[str, str], tmp_path: Path
) -> None:
    """Sources of any age, of the future even, to a build that only compares contents."""
    for source in (project / "levels_src").iterdir():
        os.utime(source, (0, 2**32))
    assert baked(project, tmp_path / "out") == reference


def test_levels_of_our_own_bake_to_what_they_always_did(tmp_path: Path) -> None:
    """Golden digests: the same on every machine and version of everything below."""
    told = json.loads(golden.FILE.read_text("utf-8"))
    found = golden.bake_levels(tmp_path)
    assert sorted(found) == sorted(golden.LEVELS)
    renew = "if that is meant, raise BAKE_REVISION and run `python -m tests.support.golden`"
    for level, columns in told["columns"].items():
        changed = [name for name, digest in columns.items() if found[level].get(name) != digest]
        assert not changed, f"{level}: {changed} changed; {renew}"
    assert told["bake_revision"] == BAKE_REVISION, renew
