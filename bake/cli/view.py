"""This module has the command that shows baked levels in a browser: view."""

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
        min=1, max=65535, metavar="N", help="The port of the page's address; else any that is free."
    ),
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page in a browser, or do not.")
]

#: What a page of ours begins with; nothing else is replaced by one.
_OURS = b"<title>bake view</title>"
_BEGINNING = 2**13

#: Seconds between two chances to receive Ctrl-C on Windows, where it does not end a wait.
_WAIT = 1.0


def view(
    place: Annotated[
        Path | None,
        typer.Argument(
            metavar="ASSET|FOLDER",
            help="A baked level, its name, or a folder of them; without any, the recipe's output.",
            autocompletion=completion.complete_asset,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write one file with everything in it, and open nothing."
        ),
    ] = None,
    port: Port = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="OTHER",
            help="Show what changed since this bake of the same level, or folder of bakes.",
        ),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            "--trace", metavar="FILE.json", help="Offer a search or a walk of agents to play."
        ),
    ] = None,
    browser: Browser = True,
    as_json: Json = False,
) -> None:
    """Look at baked levels in a browser.

    The page follows the assets: it shows what changed when a level is baked again. Ctrl-C ends it.
    """
    place = place_of(place, silent=as_json)
    for given in (place, against):
        if given is not None:
            check_is_baked(given)
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
            raise typer.BadParameter("--html and --port do not go together")
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
    """Serve a page in the background, print its address, and open it."""
    server.start()
    if as_json:
        print_json({"address": server.address, "levels": sorted(server.levels.assets())})
    else:
        say(server.address)
    sys.stdout.flush()
    if open_browser and not _opened(server.address):
        warn("no browser could be opened; open this address in one")


def check_is_baked(place: Path) -> None:
    """Refuse what is no asset and no folder, and say how it becomes one.

    Raises:
        AssetError: it is a level, or there is nothing of this name.
    """
    if place.is_dir():
        return
    if not place.exists():
        raise mistakes.AssetError("there is no such file", file=place)
    if place.suffix.lower() == ".bake":
        raise mistakes.AssetError(
            "this is a flat file, which lacks a part of what the page shows",
            file=place,
            expected="an asset (.h5), or a folder of assets",
            remedy="view the asset that it was exported from",
        )
    refuse_level(place, "an asset (.h5), or a folder of assets")


def _check(levels: ServedLevels) -> None:
    """Open what is to be shown first, so that a damaged asset is told here as well.

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
                    "there is a file that is no page of `bake view`, and this would overwrite it",
                    file=page,
                    remedy="move it away, or name another file",
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
        print_json({"file": str(page), "bytes": len(text), "levels": [each.id for each in levels]})
    else:
        say(f"{page}: {mistakes.counted(len(levels), 'level')}, {len(text):,} bytes")


def _opened(address: str) -> bool:
    """Open a page in a browser; False where there is none, or only one that needs this terminal."""
    import webbrowser

    screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not screen:
        return False
    with suppress(webbrowser.Error, OSError):
        return webbrowser.open(address)
    return False
