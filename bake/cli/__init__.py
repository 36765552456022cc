"""The command line: parse arguments, call the library, print results.

Exit codes are 0 for success, 1 for an error that the user can fix, 2 for wrong usage, and 130 after
an interrupt.
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
from types import FrameType
from typing import Annotated, Any, get_type_hints

import bake
from bake.core.interrupts import interrupt_was_accepted, interrupts_end
from levelbake_command import refuse_another_bake

with interrupts_end():  # These imports take longer than many commands.
    import typer
    from typer.core import TyperGroup

    from bake.cli import assets, completion, levels, mistakes, paths, start, usage, view, watch
    from bake.cli.options import report_usage_error, tell
    from bake.cli.streams import standard_streams

_INTERRUPTED = 130
_INTERRUPTED_NOTE = "interrupted; what was finished is kept"

#: Seconds after an interrupt before the process is ended.
_PATIENCE = 1.5

_MORE_MEMORY = "allow the process more memory or threads (`ulimit -a` lists its limits)"

#: The commands by group, in the order of `bake --help`.
GROUPS: dict[str, dict[str, Callable[..., None]]] = {
    "Start a project": {"init": start.init},
    "Bake levels": {"build": levels.build, "watch": watch.watch, "join": levels.join},
    "Check levels and assets": {
        "plan": levels.plan,
        "check": levels.check,
        "lint": levels.lint,
        "verify": assets.verify,
        "diff": assets.diff,
    },
    "Inspect assets": {
        "view": view.view,
        "info": assets.info,
        "path": paths.path,
        "eval": paths.evaluate,
        "render": paths.render,
    },
    "Use assets elsewhere": {
        "export": assets.export,
        "apply": assets.apply,
        "schema": levels.schema,
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


class _Commands(TyperGroup):
    """The group of all commands; its help lists them under headings."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name; suggest a name for a mistyped one."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and name not in COMMANDS:
            near = usage.suggest(name, COMMANDS)
            message = f"no such command {name!r}"
            raise usage.UsageError(f"{message}; {near}" if near else message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, COMMANDS))
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                rows = [(f"{name:{width}}", self._summary(ctx, name)) for name in names]
                formatter.write_dl(rows)

    def _summary(self, ctx: Any, name: str) -> str:
        """Return the first paragraph of a command's help in full."""
        command: Any = self.get_command(ctx, name)
        return " ".join(command.help.split("\n\n")[0].split()).rstrip(".")


app = typer.Typer(
    cls=_Commands,
    help="Bake levels into pathfinding assets at build time, and look up next hops at runtime.\n\n"
    "Start with `bake init`, which writes a recipe for the levels in a folder; then run "
    "`bake build`.",
    epilog="`bake COMMAND -h` explains a command and its options.\n\n"
    "Documentation: README.md and docs/ in the project's repository; docs/cli.md describes every "
    "command.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name, _command in COMMANDS.items():
    _command.__annotations__ = get_type_hints(_command, include_extras=True)
    for _hint in _command.__annotations__.values():
        for _parameter in getattr(_hint, "__metadata__", ()):
            # The command reports unreadable files itself; typer would call them wrong usage.
            _parameter.readable = False
    _class = usage.PlacesCommand if _command is paths.path else usage.Command
    app.command(name=_name, cls=_class)(_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{bake.__title__} {bake.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _version_: Annotated[
        bool,
        typer.Option(
            "-V", "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    _install_: Annotated[
        bool,
        typer.Option(
            "--install-completion",
            callback=completion.install_completion,
            is_eager=True,
            help="Install completion for the shell in use.",
        ),
    ] = False,
    _show_: Annotated[
        bool,
        typer.Option(
            "--show-completion",
            callback=completion.show_completion,
            is_eager=True,
            help="Print the completion script of the shell in use.",
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    refuse_another_bake()  # The script of another project named bake may also end up here.
    # A command can wait for the compiler.
    os.environ.setdefault("BAKE_COMPILE", "wait")
    try:
        with standard_streams():
            _run()
    except BrokenPipeError:  # The reader of the output has closed the pipe.
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo(_INTERRUPTED_NOTE, err=True)
        sys.exit(_INTERRUPTED)
    except Exception as error:
        if not isinstance(error, mistakes.OutputError):
            raise
        tell(error)
        sys.exit(1)


def _run() -> None:
    if completion.VARIABLE in os.environ:
        completion.prepare()
    try:
        with _leaving_when_interrupted():
            code = app(prog_name="bake", standalone_mode=False)
    except SystemExit:  # Completion exits here; loading the errors below takes long.
        raise
    except usage.UsageError as error:
        report_usage_error(error)
        sys.exit(2)
    except mistakes.BakeError as error:
        tell(error)
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        tell(mistakes.BakeError(f"cannot be used: {error.strerror}", file=str(error.filename)))
        sys.exit(1)
    except MemoryError:
        tell(mistakes.BakeError("ran out of memory", remedy=_MORE_MEMORY))
        sys.exit(1)
    except RuntimeError as error:
        if str(error) != "can't start new thread":  # CPython's own message.
            raise
        tell(mistakes.BakeError("the system cannot start more threads", remedy=_MORE_MEMORY))
        sys.exit(1)
    # typer turns an interrupt into this code without printing anything.
    if code == _INTERRUPTED:
        typer.echo(_INTERRUPTED_NOTE, err=True)
    if code:
        sys.exit(code)


@contextmanager
def _leaving_when_interrupted() -> Iterator[None]:
    """End this process soon after Ctrl-C, even while compiled code is running.

    Python raises the interrupt in the main thread when that thread next runs Python code, which may
    be long after, when a compiled kernel returns. Ending the process earlier loses nothing, because
    files are renamed into place when they are complete.
    """
    in_main = threading.current_thread() is threading.main_thread()
    # Another handler means that interrupts are not meant for this process, as in the background.
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    interrupted = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        signal.default_int_handler(number, frame)

    receiver, sender = socket.socketpair()
    with receiver, sender:
        sender.setblocking(False)
        before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=_leave_when_interrupted, args=(receiver,), daemon=True).start()
        try:
            signal.signal(signal.SIGINT, interrupt)
            yield
        except Exception as error:
            # Some libraries turn an interrupt into an error of their own.
            if interrupted.is_set() and not isinstance(error, mistakes.BakeError):
                raise KeyboardInterrupt from error
            raise
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(before)


def _leave_when_interrupted(receiver: socket.socket) -> None:
    """End this process soon after an interrupt; return when the command has ended.

    The system writes the number of each received signal into the socket.
    """
    try:
        while signal.SIGINT not in (numbers := receiver.recv(64)):
            if not numbers:
                return
    except OSError:  # The command has ended.
        return
    time.sleep(_PATIENCE)
    if receiver.fileno() < 0:
        return
    if interrupt_was_accepted():
        os._exit(0)
    sys.stderr.write(_INTERRUPTED_NOTE + "\n")
    sys.stderr.flush()
    os._exit(_INTERRUPTED)
