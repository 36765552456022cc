"""The command line: parse, call, print.

Exit codes: 0 success, 1 something the user can mend, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from bake import __version__
from bake.cli import assets, levels, paths
from bake.errors import BakeError

_INTERRUPTED = 130
_INTERRUPTED_NOTE = "interrupted; what was finished is kept"

#: Seconds a command has to end by itself after an interrupt.
_PATIENCE = 1.5

#: In the order `bake --help` tells of them.
COMMANDS: dict[str, Callable[..., None]] = {
    "build": levels.build,
    "plan": levels.plan,
    "check": levels.check,
    "lint": levels.lint,
    "info": assets.info,
    "path": paths.path,
    "eval": paths.evaluate,
    "render": paths.render,
    "apply": assets.apply,
    "verify": assets.verify,
    "diff": assets.diff,
    "schema": levels.schema,
}

app = typer.Typer(
    help="Bake levels into pathfinding assets at build time, and look next hops up at runtime.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name, _command in COMMANDS.items():
    app.command(name=_name)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"levelbake {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version_: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    try:
        with _leaving_when_interrupted():
            app(prog_name="bake")
    except BakeError as error:
        for line in str(error).splitlines():
            typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
            typer.echo(line, err=True)
        sys.exit(1)
    except SystemExit as end:
        # typer turns an interrupt into this code, and says nothing.
        if end.code == _INTERRUPTED:
            typer.echo(_INTERRUPTED_NOTE, err=True)
        raise


@contextmanager
def _leaving_when_interrupted() -> Iterator[None]:
    """End this process some time after Ctrl-C, whatever compiled code is in the middle of.

    An interrupt is an exception in the main thread, which it meets when it next runs Python: not
    before the kernel it is in returns. Nothing is lost by leaving without it, as files are renamed
    into place when they are whole.
    """
    in_main = threading.current_thread() is threading.main_thread()
    # Another handler means that interrupts are for others, as in the background of a shell.
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    receiver, sender = socket.socketpair()
    with receiver, sender:
        sender.setblocking(False)
        before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=_leave_when_interrupted, args=(receiver,), daemon=True).start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)


def _leave_when_interrupted(receiver: socket.socket) -> None:
    """Wait for the system to write the number of an interrupt, or for the end of the command."""
    try:
        while signal.SIGINT not in (numbers := receiver.recv(64)):
            if not numbers:
                return
    except OSError:  # the command has ended
        return
    time.sleep(_PATIENCE)
    if receiver.fileno() < 0:
        return
    sys.stderr.write(_INTERRUPTED_NOTE + "\n")
    sys.stderr.flush()
    os._exit(_INTERRUPTED)
