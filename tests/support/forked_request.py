"""Asks a server of :mod:`tests.support.forked` for a process.

As a program, it stands for that process: what it prints, reads and ends with is the other one's.
It imports as little as it can, as it takes the place of `bake` in builds that start many.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import IO


def ask(
    address: str,
    arguments: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    streams: Sequence[int],
    *,
    session: bool = False,
) -> IO[str]:
    """The answer: a line with the process's number, then one with how it ended, as `wait` has it.

    ``streams`` are its standard streams; -1 = this one is closed.
    """
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        there = [number for number, stream in enumerate(streams) if stream >= 0]
        said = json.dumps([arguments, folder, dict(environment), there, session])
        socket.send_fds(server, [b" "], [streams[number] for number in there])
        server.sendall(said.encode() + b"\n")
        return server.makefile("r")


def _or_closed(stream: int) -> int:
    try:
        os.fstat(stream)
    except OSError:
        return -1
    return stream


if __name__ == "__main__":
    own = [_or_closed(stream) for stream in range(3)]
    answer = ask(sys.argv[1], sys.argv[2:], os.getcwd(), os.environ, own)  # noqa: PTH109
    answer.readline()
    code = os.waitstatus_to_exitcode(int(answer.readline()))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
