"""The command ``bake``, also as ``python -m bake``; it says which package is missing."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; where a package that bake needs is not installed, say which in one line."""
    try:
        from bake.cli import main as run

        run()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _needed():
            raise
        sys.stderr.write(
            f"error: bake needs {missing}, which is not installed; run `pip install levelbake`\n"
        )
        sys.exit(1)


def _needed() -> set[str]:
    """Return the names of the packages that the command needs, as they are imported."""
    from importlib.metadata import PackageNotFoundError, requires
    from re import match

    try:
        listed = requires("levelbake") or []
    except PackageNotFoundError:  # a folder of sources that was never installed
        return {"numba", "numpy", "pydantic", "rich", "typer"}
    own = [each for each in listed if "extra ==" not in each]
    names = [found[0] for each in own if (found := match(r"[A-Za-z0-9_-]+", each))]
    return {{"pillow": "PIL"}.get(name, name) for name in names}


if __name__ == "__main__":
    main()
