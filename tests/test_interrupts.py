"""Ctrl-C that stops a loop: no lost exception, and no lock that a handler waits for."""

from __future__ import annotations

import signal
import sys
import threading
import weakref

import pytest

from bake.core.interrupts import StopFlag, interrupt_was_accepted, interrupts_stop
from tests.support import forked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


class Referent:
    pass


def interrupt_finalizer() -> None:
    """Receive Ctrl-C where Python drops exceptions."""
    referent = Referent()
    reference = weakref.ref(referent, lambda dead: signal.raise_signal(signal.SIGINT))
    del referent
    assert reference() is None


def test_interrupt_in_a_finalizer_stops_the_loop() -> None:
    stopped = StopFlag()
    before = signal.getsignal(signal.SIGINT)

    def stop() -> bool:
        stopped.set()
        return True

    with interrupts_stop(stop):
        assert not interrupt_was_accepted()
        interrupt_finalizer()
        assert stopped.is_set()
        assert interrupt_was_accepted()
    assert signal.getsignal(signal.SIGINT) is before


def test_interrupt_that_is_not_accepted_raises() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_stop(lambda: False):
        signal.raise_signal(signal.SIGINT)
    assert not interrupt_was_accepted()
    with pytest.raises(KeyboardInterrupt):  # The old handler is back.
        signal.raise_signal(signal.SIGINT)


def test_ignored_interrupts_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_stop(lambda: pytest.fail("called")):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


#: Sets a flag at every moment of many waits for it.
WAIT_AND_SET = """
import signal
from bake.core.interrupts import StopFlag
for number in range(500):
    flag = StopFlag()
    signal.signal(signal.SIGALRM, lambda *arguments: flag.set())
    signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + number % 100))
    while not flag.wait(0.01):
        pass
"""


def test_a_handler_sets_a_flag_that_its_thread_waits_for() -> None:
    """A handler that waited for the lock of an event would wait forever."""
    process = forked.Forked([sys.executable, "-c", WAIT_AND_SET], env=forked.surroundings())
    try:
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def test_a_flag_wakes_all_threads() -> None:
    flag = StopFlag()
    assert not flag.wait(0)
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(flag.wait(60))) for _ in range(3)]
    for thread in threads:
        thread.start()
    flag.set()
    for thread in threads:
        thread.join(30)
    assert results == [True] * 3
    assert flag.wait(0)


def test_a_process_that_accepts_an_interrupt_is_ended_with_success() -> None:
    """Even if its main thread is inside a kernel for longer than the command has to end."""
    code = (
        "import os, signal, time\n"
        "from bake import cli\n"
        "from bake.core.interrupts import interrupts_stop\n"
        "def slow(**options):\n"
        "    with interrupts_stop(lambda: True):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(600)\n"
        "cli.app = slow\n"
        "cli.main()\n"
    )
    done = forked.run([sys.executable, "-c", code], env=forked.surroundings())
    assert (done.returncode, done.stderr) == (0, "")
