"""What a game ships: numpy, and h5py if it reads assets and not flat files."""

import subprocess
import sys
from pathlib import Path

from bake.export.export import export_asset
from bake.store import Asset
from tests.support.baked import bake_grid, rows
from tests.support.command import BLOCKER, HEAVY

LOOKUPS = """
from bake.play import open_asset

with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    assert nav.next_hop((0, 0), (3, 0)) == (1, 0)
    assert nav.next_hops([(0, 0)], [(3, 0)]).tolist() == [[1, 0]]
    assert nav.distance((0, 0), (3, 0)) == nav.length(nav.path((0, 0), (3, 0))) == 3
    assert nav.reachable((0, 0), (3, 0))
    assert nav.nearest((9, 9)) == (3, 1)
    assert level.to_cell(level.to_point((2, 1))) == (2, 1)
print("ok")
"""


def python(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_reader_loads_nothing_heavy() -> None:
    code = "import sys, bake.play; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = set(python(code).split())
    assert {"bake", "levelbake", "numpy"} <= loaded
    assert not loaded & set(HEAVY)


def test_importing_the_reader_loads_no_baking_code() -> None:
    code = "import sys, bake.play; print(*(n for n in sys.modules if n.startswith('bake.')))"
    loaded = python(code).split()
    assert {name.split(".")[1] for name in loaded} == {"core", "play", "search", "store"}
    late = (
        "searches",
        "searching.methods",
        "plane",
        "sight",
        "mesh",
        "walls",
        "hierarchy",
        "live.writer",
    )
    assert not [name for name in loaded if name.startswith(tuple(f"bake.play.{x}" for x in late))]


def test_lookups_work_where_nothing_else_is_installed(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, rows("....", "...."))
    assert python(BLOCKER + LOOKUPS, str(asset)) == "ok"


def test_flat_files_need_numpy_alone(tmp_path: Path) -> None:
    asset, flat = bake_grid(tmp_path, rows("....", "....")), tmp_path / "drawn.bake"
    with Asset(asset) as opened:
        export_asset(opened, flat)
    blocked = BLOCKER + "\nsys.modules['h5py'] = None\n"
    assert python(blocked + LOOKUPS, str(flat)) == "ok"
    refused = "from levelbake.errors import AssetError\ntry:\n    open_asset(sys.argv[1])\n"
    refused += "except AssetError as error:\n    print(error)"
    told = python(blocked + "from bake.play import open_asset\n" + refused, str(asset))
    assert told == f"{asset}: h5py is not installed, which assets need; `pip install h5py`"


def test_the_blocker_blocks() -> None:
    """Else the test above would prove nothing."""
    code = BLOCKER + "\ntry:\n    import numba\nexcept ImportError:\n    print('refused')"
    assert python(code) == "refused"
