"""What is known of a profile at one moment, asked by several threads at once."""

import threading
from pathlib import Path

from bake.play import open_asset
from bake.play.reader.version import Version
from tests.support.baked import bake_grid, rows


def test_threads_that_make_a_field_at_once_get_the_same(tmp_path: Path) -> None:
    """Otherwise one of them would keep on reading into what the others do not know of."""
    both = threading.Barrier(2)

    def made(version: Version) -> object:
        both.wait(timeout=60)
        return object()

    with open_asset(bake_grid(tmp_path, rows("..", ".."))) as level:
        version = Version(level._places, "default", {"worn": made})
        found: list[object] = []
        threads = [threading.Thread(target=lambda: found.append(version.worn)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 2
    assert found[0] is found[1] is version.worn
