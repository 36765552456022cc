"""Find maps and scenarios of the Moving AI benchmark on this machine."""

from __future__ import annotations

from pathlib import Path

from tests.support.levels import FOLDER

#: Maps from a room to a city; larger ones take minutes each.
TEN_MAPS = (
    "lak110d",
    "arena",
    "den312d",
    "lak303d",
    "dr_dungeon",
    "den520d",
    "brc202d",
    "orz900d",
    "ost100d",
    "AR0011SR",
)


def level_file(name: str) -> Path:
    """Return the path of a map, which need not exist."""
    return FOLDER / "movingai" / f"{name}.map"


def scenario_file(name: str) -> Path:
    """Return the path of a map's scenario file, which need not exist."""
    return FOLDER / "movingai" / f"{name}.map.scen"


def every_level() -> list[str]:
    """Return the names of all maps on this machine."""
    return sorted(file.stem for file in (FOLDER / "movingai").glob("*.map"))


def small_level(size: int, seed: int = 0) -> str:
    """Return a generated map as text: a room of ``size`` by ``size`` cells with pillars."""
    rows = []
    for y in range(size):
        solid = "".join(
            "T" if (x * 7 + y * 13 + seed) % 11 == 0 and 0 < y < size - 1 else "."
            for x in range(size)
        )
        rows.append(solid)
    return f"type octile\nheight {size}\nwidth {size}\nmap\n" + "\n".join(rows) + "\n"
