"""The commands ``bake`` and ``levelbake``, as far as they need nothing but Python.

A project on PyPI is called bake, too. Where it is installed as well, pip writes both into one
folder, and the last one wins. So the scripts begin here, outside of that folder.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).resolve().parent

_MEND = "run `pip uninstall bake`, then `pip install --force-reinstall --no-deps levelbake`"


def main() -> None:
    """Run the command; a package that is missing, or not ours, is told in one line."""
    found = find_spec("bake")
    where = None if found is None or found.origin is None else Path(found.origin).resolve()
    if where is None or where.parent != _HERE / "bake":
        _end(f"{where or _HERE / 'bake'} is not levelbake's package; {_MEND}")
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
    """End the process where another project's package named bake has overwritten ours.

    One that is installed in the same folder, and has overwritten nothing that matters, is told on
    standard error.
    """
    try:
        import bake

        ours = getattr(bake, "__title__", "") == "levelbake"
    except Exception:  # What another package needs may be missing.
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
    """Return the names of the packages that the command needs, as they are imported."""
    from importlib.metadata import PackageNotFoundError, requires
    from re import match

    try:
        listed = requires("levelbake") or []
    except PackageNotFoundError:  # a folder of sources that was never installed
        return {"levelbake", "numba", "numpy", "pydantic", "rich", "typer"}
    own = [each for each in listed if "extra ==" not in each]
    names = [found[0] for each in own if (found := match(r"[A-Za-z0-9_-]+", each))]
    imported = {"pillow": "PIL", "levelbake-reader": "levelbake"}
    return {imported.get(name, name) for name in names}
