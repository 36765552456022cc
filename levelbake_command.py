"""The entry point of the commands ``bake`` and ``levelbake``; imports only the standard library.

Another project on PyPI is also named bake. If both are installed, pip writes both into the same
folder, and the later one overwrites the earlier. The scripts therefore start outside that folder.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).resolve().parent

_MEND = "run `pip uninstall bake`, then `pip install --force-reinstall --no-deps levelbake`"


def main() -> None:
    """Run the command; report a missing package or another package named bake in one line."""
    spec = find_spec("bake")
    package = None if spec is None or spec.origin is None else Path(spec.origin).resolve()
    if package is None or package.parent != _HERE / "bake":
        _end(f"{package or _HERE / 'bake'} is not levelbake's package; {_MEND}")
    refuse_another_bake()
    try:
        from bake.cli import main as run

        run()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _needed():
            raise
        _end(f"bake needs {missing}, which is not installed; run `pip install levelbake`")


@cache
def refuse_another_bake() -> None:
    """End the process if another project's package named bake has overwritten ours.

    Print a warning if it is installed in the same folder without having overwritten ours.
    """
    try:
        import bake

        ours = getattr(bake, "__title__", "") == "levelbake"
    except Exception:  # A dependency of the other package may be missing.
        ours = False
    if not ours:
        _end(f"another package named bake has overwritten {_HERE / 'bake'}; {_MEND}")
    if any(_HERE.glob("bake-*.dist-info")):
        what = f"another package named bake shares the folder {_HERE / 'bake'} with levelbake"
        sys.stderr.write(f"warning: {what}; {_MEND}\n")


def _end(mistake: str) -> None:
    sys.stderr.write(f"error: {mistake}\n")
    sys.exit(1)


def _needed() -> set[str]:
    """Return the import names of the packages that the command needs."""
    from importlib.metadata import PackageNotFoundError, requires
    from re import match

    try:
        requirements = requires("levelbake") or []
    except PackageNotFoundError:  # This is a source folder that was never installed.
        return {"levelbake", "numba", "numpy", "pydantic", "rich", "typer"}
    required = [requirement for requirement in requirements if "extra ==" not in requirement]
    names = [
        match_[0] for requirement in required if (match_ := match(r"[A-Za-z0-9_-]+", requirement))
    ]
    imported = {"pillow": "PIL", "levelbake-reader": "levelbake"}
    return {imported.get(name, name) for name in names}
