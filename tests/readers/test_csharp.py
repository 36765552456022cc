"""What goes with the C# reader: Unity's importer, which is compiled against stand-ins."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.readers import FOLDER, READERS, ROOT, tool


def test_the_importer_compiles_and_reports_damage(tmp_path: Path) -> None:
    home = READERS / "csharp"
    sources = [
        home / "LevelBake.cs",
        *sorted(home.glob("Unity/**/*.cs")),
        FOLDER / "UnityStandIns.cs",
    ]
    program = tmp_path / "import.exe"
    command = [tool("mcs"), "-langversion:7.2", f"-out:{program}", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    level = ROOT / "tests" / "vectors" / "rooms.bake"
    damaged = tmp_path / "damaged.bake"
    damaged.write_bytes(level.read_bytes()[:-64])
    command = [tool("mono"), str(program), str(level), str(damaged)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert lines[:2] == ["add rooms", "main rooms"], done.stderr
    (told,) = lines[2:]
    assert told.startswith(f"error {damaged}: the file has ")
