"""Have LDtk bake a project after each save: ``python add_command.py PROJECT.ldtk``.

It adds ``bake build`` to the custom commands of a project that no LDtk has open, as one does in the
editor with Project settings > Custom commands > Run after saving. Nothing is added twice.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

COMMAND = {"command": "bake build", "when": "AfterSave"}

#: LDtk runs commands from this version on.
SINCE = (1, 2)


def add_command(file: Path) -> bool:
    """Add the command to a project; tell whether it was missing.

    Raises:
        ValueError: the file is no project of LDtk, or of a version that runs no commands.
    """
    try:
        project = json.loads(file.read_text("utf-8"))
    except ValueError:
        raise ValueError("this is no JSON") from None
    version = project.get("jsonVersion") if isinstance(project, dict) else None
    if not isinstance(version, str) or "defs" not in project:
        raise ValueError("this is no project of LDtk")
    if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < SINCE:
        raise ValueError(
            f"LDtk {version} saved this and runs no commands; save it with 1.2 or newer"
        )
    commands = project.setdefault("customCommands", [])
    if COMMAND in commands:
        return False
    commands.append(COMMAND)
    partial = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    partial.write_text(json.dumps(project, indent="\t", ensure_ascii=False), "utf-8")
    partial.replace(file)
    return True


def main() -> int:
    """Add the command to each project that is named; 1 where that fails."""
    failed = 0
    for name in sys.argv[1:]:
        try:
            added = add_command(Path(name))
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or error
            print(f"error: {name}: {said}", file=sys.stderr)
            failed = 1
        else:
            print(f"{name}: {'bake build runs after each save' if added else 'nothing to add'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
