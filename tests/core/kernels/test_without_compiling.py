"""Kernels are plain functions: small cases pass with compilation switched off as well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SMALL = (
    "tests/tables/test_small_graphs.py",
    "tests/tables/test_components.py::test_any_graph",
    "tests/search/graph/test_cut_order.py::test_every_node_once",
    "tests/search/all_pairs/test_floyd_warshall.py::test_any_graph",
    "tests/search/graph/test_label_correcting.py::test_the_rule",
    "tests/tables/test_compressed.py::test_graphs_of_hardly_anything",
    "tests/play/reader/test_runs.py::test_every_answer_where_ways_lead_one_way",
    "tests/search/point/test_space.py::test_scratch_outlives_its_stamps",
    "tests/search/point/test_space.py::test_any_graph",
    "tests/search/point/test_estimates.py::test_a_jump_lowers_the_scale_and_no_more_than_it_must",
    "tests/play/searching/test_sight.py::test_open_ground_is_one_line",
    "tests/play/hierarchy/test_hpa.py::test_a_cluster_cut_in_two_by_a_wall",
    "tests/play/hierarchy/test_hpa.py::test_unreachable_is_none",
    "tests/search/hierarchy/test_near.py",
    "tests/play/hierarchy/test_near.py::test_a_near_place_that_cannot_be_reached",
    "tests/tables/test_clusters.py::test_a_wall_cuts_a_square_in_two",
    "tests/lecture_notes",
)
PLAIN = ("-p", "tests.support.small_tiles")


def test_small_cases_pass_as_plain_python() -> None:
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *PLAIN, *SMALL]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_switching_it_off_has_an_effect() -> None:
    """Else the test above would prove nothing."""
    code = "from bake.search.all_pairs.floyd_warshall import _close; print(type(_close).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "function"


#: Bakes levels, each with a limit of pairs, and says after each whether the compiler was loaded.
BAKE = """
import os
import sys
from pathlib import Path
from bake.baking import compiling
from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.project.recipe import LevelRecipe
for source in map(Path, sys.argv[1:]):
    os.environ["BAKE_COMPILE"], pairs = source.parent.name.split(",")
    compiling.PLAIN_PAIRS = int(pairs)
    task = Task(source, source.with_suffix(".h5"), LevelRecipe())
    bake_level(task, 1, lambda *news: None)
    print("numba" in sys.modules)
"""


@pytest.mark.parametrize("limits", [(",25", "wait,50", ",74"), ("wait,24",)])
def test_levels_of_few_pairs_are_baked_without_loading_the_compiler(
    limits: tuple[str, ...], tmp_path: Path
) -> None:
    """Five nodes have 25 pairs; up to the limit of all levels together nothing is loaded.

    The bytes are the same, and it makes no difference whether a bake may wait for the compiler.
    """
    sources = [tmp_path / each / "five.json" for each in limits]
    for source in sources:
        source.parent.mkdir()
        source.write_bytes((ROOT / "levels_src" / "five.json").read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", BAKE, *sources],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [*["False"] * (len(limits) - 1), "True"]
    assert len({source.with_suffix(".h5").read_bytes() for source in sources}) == 1
