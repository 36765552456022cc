"""A flat file with one wrong value is refused by its proof, whatever it says."""

import json
from pathlib import Path

import pytest

from bake.verify import verify_asset
from levelbake.errors import BakeError

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
DAMAGED = json.loads((FOLDER / "damaged.json").read_text("utf-8"))

#: What only the level states, which nothing else in the file can tell.
UNPROVED = ("terrain_colour", "region_cell", "spot_at")


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.bake")))
def test_vectors_are_right(name: str) -> None:
    verify_asset(FOLDER / name, None, lambda done: None)


@pytest.mark.parametrize("file", DAMAGED)
def test_damages_are_found(file: str, tmp_path: Path) -> None:
    data, damaged = (FOLDER / file).read_bytes(), tmp_path / file
    passed = []
    for damage in DAMAGED[file]:
        if damage.get("refused"):
            continue
        changed = bytearray(data)
        for at, raw, times in damage["edits"]:
            changed[at : at + len(raw) // 2 * times] = bytes.fromhex(raw) * times
        damaged.write_bytes(changed)
        try:
            verify_asset(damaged, None, lambda done: None)
        except BakeError:
            continue
        passed.append(damage["name"])
    assert [name for name in passed if not name.startswith(UNPROVED)] == []
