"""The command that shows baked levels in a browser: view."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bake.cli import completion, mistakes
from bake.cli.options import Json, assets_in, place_of, print_json, refuse_level, say, warn
from bake.core.interrupts import StopFlag, interrupts_stop

if TYPE_CHECKING:
    from bake.show.viewer.served import ServedLevels
    from bake.show.viewer.server import ViewerServer

Port = Annotated[
    int | None,
    typer.Option(
        min=1, max=65535, metavar="N", help="The port of the page; by default any free port."
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Whether to open the page in a browser.")
]

#: Marks a page written by this command; other files are not overwritten.
_OURS = b"<title>bake view</title>"
_BEGINNING = 2**13

#: Seconds of one wait; on Windows, Ctrl-C is received only between waits.
_WAIT = 1.0


def view(
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="ASSET|FOLDER",
            help="A baked level, its name, or a folder; by default the recipe's output folder.",
            autocompletion=completion.complete_asset,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write one self-contained page and exit.",
        ),
    ] = None,
    port: Port = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="OTHER",
            help="Show changes since an older bake of the same level, or folder of bakes.",
        ),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            "--trace", metavar="FILE.json", help="A recorded search or crowd to play back."
        ),
    ] = None,
    browser: Browser = True,
    as_json: Json = False,
) -> None:
    """Open baked levels in a browser.

    When a level is baked again, the page shows what changed. Press Ctrl-C to stop.
    """
    place = place_of(place, silent=as_json)
    for path in (place, against):
        if path is not None:
            check_is_baked(path)
    if against is not None and place.is_dir() and not against.is_dir():
        raise mistakes.AssetError(
            "a folder is compared with a folder", file=against, remedy="name a folder of assets"
        )
    traces = trace or []
    if traces and place.is_dir():
        raise mistakes.AssetError(
            "a trace is of one level", file=place, remedy="name the level's asset"
        )
    if page is not None:
        if port is not None:
            raise typer.BadParameter("--html and --port cannot be combined")
        _write(place, page, against, traces, as_json=as_json)
        return
    assets_in([place])
    from bake.show.viewer.served import ServedLevels
    from bake.show.viewer.server import ViewerServer

    levels = ServedLevels(place, against, traces)
    _check(levels)
    server = ViewerServer(levels, port or 0)
    stopped = StopFlag()

    def stop() -> bool:
        stopped.set()
        return True

    with interrupts_stop(stop):
        serve(server, open_browser=browser, as_json=as_json)
        while not stopped.wait(_WAIT):
            pass
        server.close()


def serve(server: ViewerServer, *, open_browser: bool, as_json: bool) -> None:
    """Start serving a page in the background, print its address, and open it."""
    server.start()
    if as_json:
        print_json({"address": server.address, "levels": sorted(server.levels.assets())})
    else:
        say(server.address)
    sys.stdout.flush()
    if open_browser and not _opened(server.address):
        warn("no browser could be opened; open this address in one")


def check_is_baked(place: Path) -> None:
    """Raise if a path is neither an asset nor a folder; the error says how to create an asset.

    Raises:
        AssetError: the path is a level or a flat file, or does not exist.
    """
    if place.is_dir():
        return
    if not place.exists():
        raise mistakes.AssetError("there is no such file", file=place)
    if place.suffix.lower() == ".bake":
        raise mistakes.AssetError(
            "this is a flat file, which lacks some of the tables that the page shows",
            file=place,
            expected="an asset (.h5), or a folder of assets",
            remedy="view the asset that it was exported from",
        )
    refuse_level(place, "an asset (.h5), or a folder of assets")


def _check(levels: ServedLevels) -> None:
    """Open the assets in advance, so that damaged ones are also reported on the terminal.

    Raises:
        BakeError: the only asset cannot be shown.
    """
    if not levels.place.is_dir():
        levels.level(levels.place.stem)
        return
    from bake.store.header import read_header

    for path in levels.assets().values():
        try:
            read_header(path)
        except mistakes.AssetError as error:
            warn(str(error))


def _write(
    place: Path, page: Path, against: Path | None, traces: list[Path], *, as_json: bool
) -> None:
    from bake.show.viewer.bundle import page_html
    from bake.show.viewer.contents import shown_level
    from bake.store import is_pattern_database
    from bake.store.partial import written_whole

    if page.is_file() and page.stat().st_size:
        with page.open("rb") as file:
            if _OURS not in file.read(_BEGINNING):
                raise mistakes.OutputError(
                    "the existing file is not a page of `bake view`",
                    file=page,
                    remedy="move it away, or choose another name",
                )
    levels = []
    for asset in assets_in([place]):
        if place.is_dir() and is_pattern_database(asset):
            continue
        other = against
        if against is not None and against.is_dir():
            other = against / asset.name if (against / asset.name).is_file() else None
        levels.append(shown_level(asset, traces=traces, against=other))
    text = page_html(levels).encode()
    with written_whole(page) as partial:
        partial.write_bytes(text)
    if as_json:
        print_json(
            {"file": str(page), "bytes": len(text), "levels": [level.id for level in levels]}
        )
    else:
        say(f"{page}: {mistakes.counted(len(levels), 'level')}, {len(text):,} bytes")


def _opened(address: str) -> bool:
    """Open a page in a graphical browser, and return whether that worked."""
    import webbrowser

    screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not screen:
        return False
    with suppress(webbrowser.Error, OSError):
        return webbrowser.open(address)
    return False
