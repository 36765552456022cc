"""Processes that begin with everything loaded, as forks of a server.

An interpreter that loads the command line and its kernels computes for a second, and most tests of
processes need a process, but no new interpreter. Each process that runs tests has a server of its
own, which has baked a level and now runs nothing but the loop below. What a request names is run
by a fork of it, and so are the workers of a build; only where an environment variable differs that
could be read while modules are loaded, an interpreter of its own takes over.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import inspect
import itertools
import json
import multiprocessing.util
import os
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Sequence
from concurrent.futures import process as futures
from pathlib import Path
from typing import Any

from tests.support import command, forked_request
from tests.support.command import PYTHON_PATH, Done, quiet_environment

ROOT = Path(__file__).resolve().parents[2]

#: Variables that are read when they are needed. Any other one makes a difference.
LATE = re.compile(
    "BAKE_(CHECKPOINT_SECONDS|COMPILE)|BASE|FAIL_ON|GITHUB_STEP_SUMMARY|M(AKE|FLAGS).*|(OLD)?PWD"
    "|PATH|PYTEST_CURRENT_TEST|SHLVL|TMPDIR|WATCHFILES_FORCE_POLLING|_"
)

STREAMS = (("stdin", "strict"), ("stdout", "strict"), ("stderr", "backslashreplace"))

#: The command line, less its arguments.
BAKE = (sys.executable, "-c", "from bake.cli import main; main()")


def surroundings(**variables: str) -> dict[str, str]:
    """The environment of a process, with these variables."""
    return {**quiet_environment(), "PYTHONPATH": PYTHON_PATH, **variables}


_BEFORE = surroundings()

# -- who asks -------------------------------------------------------------------------------------


@functools.cache
def address() -> str:
    """Start the server; where it listens."""
    folder = tempfile.mkdtemp(prefix="forks-")
    server = subprocess.Popen(
        [sys.executable, "-c", "from tests.support import forked; forked.serve()", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=_BEFORE,
    )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # If the server could not start.
    atexit.register(server.communicate)
    assert server.stdout
    server.stdout.readline()
    return f"{folder}/socket"


class _Forked(subprocess.Popen[Any]):
    """As Popen, for ``[sys.executable, "-c", code, *arguments]`` and in :func:`surroundings`."""

    def _execute_child(self, *given: Any) -> None:
        signature = inspect.signature(subprocess.Popen._execute_child)
        of = signature.bind(self, *given).arguments
        own = enumerate((of["p2cread"], of["c2pwrite"], of["errwrite"]))
        try:
            self._answer = forked_request.ask(
                address(),
                [os.fspath(argument) for argument in of["args"][1:]],
                str(Path(of["cwd"] or ".").resolve()),
                surroundings() if of["env"] is None else of["env"],
                [number if stream == -1 else stream for number, stream in own],
                session=of["start_new_session"],
            )
            self.pid = int(self._answer.readline())
            self._child_created = True
        finally:
            pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
            self._close_pipe_fds(*(of[pipe] for pipe in pipes))

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if flags & os.WNOHANG and not select.select([self._answer], [], [], 0)[0]:
            return 0, 0
        with self._answer:
            return self.pid, int(self._answer.readline())

    def _internal_poll(self, *_given: Any, **_more: Any) -> int | None:
        # The arguments of the base method differ between Python versions.
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):
            try:
                if self.returncode is None:
                    pid, status = self._try_wait(os.WNOHANG)
                    if pid == self.pid:
                        self._handle_exitstatus(status)
            finally:
                self._waitpid_lock.release()
        return self.returncode


#: Starts a process; where a system has no forks, it is an interpreter of its own.
Forked = _Forked if hasattr(os, "fork") else subprocess.Popen


def run(arguments: Sequence[Any], **options: Any) -> subprocess.CompletedProcess[Any]:
    """As :func:`subprocess.run`, with outputs that are captured as text."""
    pipe = subprocess.PIPE
    options = {"stdout": pipe, "stderr": pipe, "text": True, **options}
    with Forked(arguments, **options) as process:
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def bake_apart(*arguments: str | Path) -> Done:
    """Run `bake ARGUMENTS` in a process of its own."""
    done = run([*BAKE, *arguments])
    return Done(done.returncode, done.stdout, done.stderr)


def in_shell() -> str:
    """What a shell runs for `bake`, with its redirections."""
    if Forked is subprocess.Popen:
        return shlex.join(BAKE)
    return shlex.join([sys.executable, "-I", "-S", forked_request.__file__, address(), *BAKE[1:]])


# -- the server -----------------------------------------------------------------------------------


def serve() -> None:
    """Serve until standard input ends; return in each fork when it has done what it was asked."""
    ended = [0]
    atexit.register(_leave, ended)  # Called last of all, before an interpreter takes itself apart.
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{sys.argv[1]}/socket")
    listener.listen(64)
    print(flush=True)
    _load()
    assert threading.active_count() == 1
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    multiprocessing.util.spawnv_passfds = _fork_worker
    if request := _forked_for(listener):
        ended[0] = _run(*request)
    else:
        shutil.rmtree(sys.argv[1])
        os._exit(0)


def _forked_for(listener: socket.socket) -> list[str]:
    """Fork each process that is asked for, and return there what it is to run.

    One that nobody waits for any longer is killed, as are all when standard input ends.
    """
    running: dict[int, socket.socket] = {}
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    while True:
        ready = select.select([0, woken, listener, *running.values()], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with contextlib.suppress(KeyError, OSError), running.pop(ended[0]) as connection:
                    connection.sendall(b"%d\n" % ended[1])
        for pid in [each for each in running if 0 in ready or running[each] in ready]:
            with running.pop(pid), contextlib.suppress(ProcessLookupError):
                os.kill(-pid if os.getsid(pid) == pid else pid, signal.SIGKILL)
        if 0 in ready:
            return []
        if listener in ready:
            connection = listener.accept()[0]
            _, streams, _, _ = socket.recv_fds(connection, 1, 3)
            with connection.makefile("r") as lines:
                arguments, folder, environment, there, session = json.loads(lines.readline())
            if pid := os.fork():
                running[pid] = connection
                for stream in streams:
                    os.close(stream)
                continue
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (woken, wake):
                os.close(number)
            for each in (listener, *running.values()):
                each.close()
            for number, stream in zip(there, streams, strict=True):
                os.dup2(stream, number)
                os.close(stream)
            for number in {0, 1, 2}.difference(there):
                os.close(number)
            if session:
                os.setsid()
            os.chdir(folder)
            with connection:
                connection.sendall(b"%d\n" % os.getpid())
            return _become(arguments, environment, there)


def _load() -> None:
    """Do once what most processes do."""
    from tests.support import baked

    with contextlib.suppress(ImportError):
        from distributed.cli import dask_scheduler, dask_worker  # noqa: F401

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("levels_src").mkdir()
        for name in ("one", "two"):
            baked.write_grid(Path(f"levels_src/{name}.json"), [["floor"] * 16] * 16)
        Path("bake.toml").write_text('[levels.two.next_hops]\nalgorithm = "dijkstra"')
        for arguments in (
            ("build", "--jobs", "1"),
            ("check",),
            ("lint",),
            ("plan",),
            ("info", "baked/one.h5"),
            ("verify", "baked"),
            ("diff", "baked/one.h5", "baked/two.h5"),
            ("path", "baked/one.h5", "0,0", "3,3"),
            ("render", "baked/one.h5", "-o", "one.png"),
        ):
            done = command.bake(*arguments)
            assert done.code == 0, done
    tempfile.tempdir = None
    gc.collect()
    gc.freeze()


def _become(arguments: list[str], environment: dict[str, str], there: Sequence[int]) -> list[str]:
    """Take over an environment and streams, in a new interpreter where that is needed."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    differing = {name for name, _ in environment.items() ^ os.environ.items()}
    if arguments[0] != "-c" or not all(map(LATE.fullmatch, differing)):
        os.execve(sys.executable, [sys.executable, *arguments], environment)
    for name in differing:
        os.environ.pop(name, None)
        if name in environment:
            os.environ[name] = environment[name]
    for number, (name, errors) in enumerate(STREAMS):
        stream: Any = None
        if number in there:
            mode = "w" if number else "r"
            stream = open(number, mode, errors=errors, closefd=False)  # noqa: SIM115 - it stays
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return arguments[1:]


def _run(code: str, *arguments: str) -> int:
    """Run code as an interpreter runs what ``-c`` names; how it ended, as `Popen` has it."""
    sys.argv = ["-c", *arguments]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        exec(compile(code, "<string>", "exec"), vars(main))
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _leave(ended: list[int]) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # It may be closed.
            stream.flush()
    if ended[0] < 0:
        signal.signal(-ended[0], signal.SIG_DFL)
        os.kill(os.getpid(), -ended[0])
    os._exit(ended[0] & 255)


def _fork_worker(path: str, arguments: Sequence[Any], passed: Sequence[int]) -> int:
    """Start a worker in place of `multiprocessing`, which would start an interpreter."""
    if pid := os.fork():
        return pid
    ended = [1]
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        futures._threads_wakeups.clear()  # Of threads that are not here.
        kept = sorted({0, 1, 2, *passed})
        for low, high in itertools.pairwise([*kept, 2**16]):
            os.closerange(low + 1, high)
        ended[0] = _run(*arguments[arguments.index("-c") + 1 :])
    finally:
        _leave(ended)
