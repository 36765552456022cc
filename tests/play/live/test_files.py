"""Patches and journals: kept, refused, torn; and a process killed while it writes one."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bake.play import LevelAsset, OutputError, PatchError, QueryError, open_asset
from levelbake import changes
from tests.support import forked
from tests.support.baked import bake_grid, rows
from tests.support.live_model import GridModel, check_level

PICTURE = ("..m..", ".##..", "..#.=", "=...#")


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bake_grid(tmp_path_factory.mktemp("ring"), rows(*PICTURE))


@pytest.fixture
def level(asset: Path) -> Iterator[LevelAsset]:
    with open_asset(asset) as level:
        yield level


def distances(level: LevelAsset) -> list[list[float]]:
    nav = level.profile()
    return [nav.distances_to(nav.nearest((x, 0))).tolist() for x in range(5)]


def change(level: LevelAsset) -> None:
    level.update(blocked=[(1, 0)], opened=[(1, 1)], terrain={(4, 2): "mud"})
    level.update(arcs={((0, 0), (0, 1)): 4.5, ((0, 1), (0, 0)): float("inf")})


def test_a_patch_brings_a_level_back(asset: Path, level: LevelAsset, tmp_path: Path) -> None:
    file = tmp_path / "saved.patch"
    level.save_patch(file)
    baked = distances(level)
    change(level)
    changed = distances(level)
    assert changed != baked
    level.save_patch(tmp_path / "changed.patch")
    with open_asset(asset) as other:
        other.apply_patch(tmp_path / "changed.patch")
        assert distances(other) == changed
        other.apply_patch(file)
        assert distances(other) == baked
    assert (tmp_path / "changed.patch").stat().st_size < 400


def test_every_damaged_byte_of_a_patch_is_refused(level: LevelAsset, tmp_path: Path) -> None:
    file = tmp_path / "saved.patch"
    change(level)
    level.save_patch(file)
    whole = file.read_bytes()
    before = distances(level)
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(PatchError) as caught:
            level.apply_patch(file)
        assert "\n" not in str(caught.value)
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        with pytest.raises(PatchError):
            level.apply_patch(file)
    assert distances(level) == before


def test_a_patch_of_another_asset_is_refused(level: LevelAsset, tmp_path: Path) -> None:
    level.save_patch(tmp_path / "saved.patch")
    other = bake_grid(tmp_path, rows(*PICTURE), name="other")
    with open_asset(other) as stranger, pytest.raises(PatchError, match="another asset"):
        stranger.apply_patch(tmp_path / "saved.patch")
    with pytest.raises(PatchError, match=r"cannot be read"):
        level.apply_patch(tmp_path / "missing.patch")
    with pytest.raises(OutputError):
        level.save_patch(tmp_path / "no folder" / "saved.patch")
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_journal_is_replayed(asset: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        assert level.journal(file) == 0
        change(level)
        level.save_patch(tmp_path / "saved.patch")
        level.update(opened=[(2, 1)])
        level.apply_patch(tmp_path / "saved.patch")
        changed = distances(level)
        with pytest.raises(QueryError, match="already"):
            level.journal(tmp_path / "another.journal")
    with open_asset(asset) as level:
        assert level.journal(file) == 4
        assert distances(level) == changed


def test_a_torn_batch_is_dropped(asset: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        first = distances(level)
        length = file.stat().st_size
        level.update(blocked=[(3, 3)])
    whole = file.read_bytes()
    for end in range(length, len(whole)):
        file.write_bytes(whole[:end])
        with open_asset(asset) as level:
            assert level.journal(file) == 1
            assert distances(level) == first
        assert file.read_bytes() == whole[:length]
    file.write_bytes(whole[: length - 5] + b"x" + whole[length - 4 :])
    with open_asset(asset) as level, pytest.raises(PatchError, match="line 2"):
        level.journal(file)
    for end in range(10):
        file.write_bytes(whole[:end])
        with open_asset(asset) as level:
            assert level.journal(file) == 0


def test_every_damaged_byte_of_a_journal_is_refused(asset: Path, tmp_path: Path) -> None:
    """Whatever was acknowledged is there or is missed; the last line is no exception."""
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        level.update(blocked=[(3, 3)])
    whole = file.read_bytes()
    with open_asset(asset) as level:
        for place in range(len(whole)):
            for bit in (1, 32):
                file.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
                with pytest.raises(PatchError) as caught:
                    level.journal(file)
                assert "\n" not in str(caught.value)
                assert len(file.read_bytes()) == len(whole)
        assert not level.changes_since()


@pytest.mark.parametrize(
    "more", [{"walls": []}, {"ground": {"terrain": [], "obstacles": [], "arcs": []}}], ids=str
)
def test_a_batch_that_says_something_unknown(
    asset: Path, tmp_path: Path, more: dict[str, object]
) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
    first, line = file.read_text().splitlines()
    text = json.dumps({**json.loads(line[17:]), **more})
    file.write_text(f"{first}\n{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n")
    with open_asset(asset) as level, pytest.raises(PatchError, match="line 2: it says nothing"):
        level.journal(file)


@pytest.mark.parametrize("lines", [slice(None), slice(1), slice(2, 3), slice(1, None)])
def test_a_journal_with_converted_line_ends_is_named(
    asset: Path, tmp_path: Path, lines: slice
) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        level.update(blocked=[(3, 3)])
    whole = file.read_bytes()
    parts = whole.splitlines()
    converted = range(len(parts))[lines]
    ends = [b"\r\n" if number in converted else b"\n" for number in range(len(parts))]
    broken = b"".join(part + end for part, end in zip(parts, ends, strict=True))
    file.write_bytes(broken)
    place = f"line {converted[0] + 1}: "
    with open_asset(asset) as level, pytest.raises(PatchError, match=f"{place}.*CRLF"):
        level.journal(file)
    assert file.read_bytes() == broken
    file.write_bytes(broken.replace(b"\r\n", b"\n"))
    with open_asset(asset) as level:
        assert level.journal(file) == 2


def test_a_line_of_which_blocks_never_came_to_the_disk_is_torn(asset: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        length = file.stat().st_size
        level.update(blocked=[(3, 3)])
    whole = file.read_bytes()
    file.write_bytes(whole[:length] + bytes(len(whole) - length - 1) + b"\n")
    with open_asset(asset) as level:
        assert level.journal(file) == 1
    assert file.read_bytes() == whole[:length]


def test_a_journal_has_one_keeper(asset: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level, open_asset(asset) as other:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        for _ in range(2):
            with pytest.raises(OutputError, match="keeps this journal"):
                other.journal(file)
        level.update(blocked=[(3, 3)])
        level.close()
        assert other.journal(file) == 2


KEEPER = """
import sys
from bake.play import open_asset
level = open_asset(sys.argv[1])
print(level.journal(sys.argv[2]), flush=True)
level.update(blocked=[(1, 0)])
print("kept", flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_process(asset: Path, tmp_path: Path) -> None:
    """Another process cannot keep the journal while its keeper lives, and can afterwards."""
    file = tmp_path / "kept.journal"
    arguments = [sys.executable, "-c", KEEPER, str(asset), str(file)]
    with forked.Forked(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        assert process.stdout.readline() == b"kept\n"
        with open_asset(asset) as level, pytest.raises(OutputError, match="keeps this journal"):
            level.journal(file)
        process.kill()
    with open_asset(asset) as level:
        assert level.journal(file) == 1


FORKED = """
import os, sys
from bake.play import OutputError, open_asset
level = open_asset(sys.argv[1])
level.journal(sys.argv[2])
child = os.fork()
if child == 0:
    try:
        level.update(blocked=[(1, 0)])
    except OutputError as error:
        print(error, flush=True)
        sys.stdin.read()
    os._exit(0)
level.update(blocked=[(3, 3)])
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_keeps_no_journal(asset: Path, tmp_path: Path) -> None:
    """It cannot write into its parent's, and holds no lock once the parent has ended."""
    file = tmp_path / "kept.journal"
    arguments = [sys.executable, "-c", FORKED, str(asset), str(file)]
    with forked.Forked(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"forked from keeps this journal" in process.stdout.readline()
        process.wait()
        with open_asset(asset) as level:  # the child still runs
            assert level.journal(file) == 1


def test_a_wrong_batch_leaves_no_trace(asset: Path, tmp_path: Path) -> None:
    file = tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(file)
        before = file.read_bytes()
        with pytest.raises(QueryError):
            level.update(blocked=[(1, 0), (99, 0)])
        assert file.read_bytes() == before


WRITER = """
import random, sys
from bake.play import open_asset
asset, journal, seed = sys.argv[1:]
rng = random.Random(seed)
with open_asset(asset) as level:
    level.journal(journal)
    print("ready", flush=True)
    while True:
        cell = (rng.randrange(5), rng.randrange(4))
        what = rng.choice(["blocked", "opened"])
        level.update(**{what: [cell]})
        print(what, *cell, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is for POSIX")
@pytest.mark.parametrize("seed", range(int(os.environ.get("BAKE_KILLS", "2"))))
def test_nothing_acknowledged_is_lost_when_killed(tmp_path: Path, seed: int) -> None:
    grid = rows(*PICTURE)
    model = GridModel(grid, 8, "never", "mean")
    asset = model.baked(tmp_path)
    file = tmp_path / "kept.journal"
    arguments = [sys.executable, "-c", WRITER, str(asset), str(file), str(seed)]
    told: list[str] = []
    with forked.Forked(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(random.Random(seed).random() * 0.5)
        process.send_signal(signal.SIGKILL)
        told = process.stdout.read().split("\n")[:-1]
    done: list[tuple[str, tuple[int, int]]] = []
    for line in file.read_text().split("\n")[1:]:
        if not line.endswith("}"):
            break
        record = json.loads(line[17:])
        what = "blocked" if record["blocked"] else "opened"
        done.append((what, (record[what][0] % 5, record[what][0] // 5)))
    acknowledged = [(what, (int(x), int(y))) for what, x, y in map(str.split, told)]
    assert done[: len(acknowledged)] == acknowledged
    assert len(done) <= len(acknowledged) + 1
    for what, cell in done:
        one = {cell}
        model.take(one if what == "blocked" else set(), one if what == "opened" else set(), {}, {})
    with open_asset(asset) as level:
        assert level.journal(file) == len(done)
        check_level(level, model, random.Random(seed))


@pytest.mark.parametrize("version", ["9" * 5000, "٣", "-1", "1.0", ""])
def test_versions_that_are_none(level: LevelAsset, tmp_path: Path, version: str) -> None:
    for file, kind in ((tmp_path / "a.patch", "patch"), (tmp_path / "a.journal", "journal")):
        file.write_text(f"levelbake-{kind} {version} {'0' * 64}\n", "utf-8")
        with pytest.raises(PatchError, match=f"not a {kind}"):
            level.apply_patch(file) if kind == "patch" else level.journal(file)


@pytest.mark.parametrize(
    "record",
    [
        {"blocked": [], "opened": [], "terrain": [], "arcs": [[0, 1, 10**400]]},
        {"blocked": [10**400], "opened": [], "terrain": [], "arcs": []},
        {"blocked": [], "opened": [], "terrain": [[0]], "arcs": []},
        {"ground": {"terrain": [], "obstacles": [], "arcs": [[0, 1, 10**400]]}},
        {"ground": []},
    ],
)
def test_a_batch_that_says_nothing_of_the_level(
    asset: Path, level: LevelAsset, tmp_path: Path, record: object
) -> None:
    file = tmp_path / "kept.journal"
    level.journal(file)
    level.close()
    text = json.dumps(record)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f"{digest} {text}\n")
    with (
        open_asset(asset) as again,
        pytest.raises(PatchError, match=r"damaged: line 2: .*says nothing"),
    ):
        again.journal(file)


def test_patches_that_are_too_long(
    level: LevelAsset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch = tmp_path / "saved.patch"
    level.save_patch(patch)
    length = len(patch.read_text(encoding="utf-8"))
    for limit in ("_LOCATION", "_ARC"):
        monkeypatch.setattr(changes, limit, 0)
    monkeypatch.setattr(changes, "_FIRST_LINE", length)
    level.apply_patch(patch)
    monkeypatch.setattr(changes, "_FIRST_LINE", length - 1)
    with pytest.raises(PatchError, match="longer"):
        level.apply_patch(patch)


def test_files_that_never_end(level: LevelAsset, tmp_path: Path) -> None:
    level.save_patch(tmp_path / "saved.patch")
    with (tmp_path / "saved.patch").open("a", encoding="utf-8") as file:
        file.write(" " * 2**20)
    with pytest.raises(PatchError, match="longer than any patch"):
        level.apply_patch(tmp_path / "saved.patch")
    with pytest.raises(PatchError, match="a device"):
        level.apply_patch(tmp_path)
    if Path("/dev/zero").exists():
        with pytest.raises(PatchError, match="a device"):
            level.apply_patch("/dev/zero")
        with pytest.raises(PatchError, match="a device"):
            level.journal("/dev/zero")


def _remove(file: Path) -> None:
    file.unlink()


def _replace(file: Path) -> None:
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    copy.replace(file)


def _empty(file: Path) -> None:
    os.truncate(file, 0)


def _shorten(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def _extend(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"x")


@pytest.mark.parametrize("harm", [_remove, _replace, _empty, _shorten, _extend])
def test_a_journal_that_another_program_changed(
    asset: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """No batch is acknowledged or applied, until another journal is kept."""
    file, patch = tmp_path / "kept.journal", tmp_path / "level.patch"
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        before = distances(level)
        harm(file)
        for _ in range(2):
            with pytest.raises(OutputError, match="journal") as error:
                level.update(terrain={(0, 0): "mud"})
            assert str(file) in str(error.value)
        assert distances(level) == before
        with pytest.raises(OutputError):
            level.set_state("gate", "open") if level.doors else level.update(opened=[(1, 1)])
        level.save_patch(patch)
        assert level.journal(tmp_path / "another.journal") == 0
        level.update(terrain={(0, 0): "mud"})
        after = distances(level)
        assert after != before
    with open_asset(asset) as level:
        level.apply_patch(patch)
        assert level.journal(tmp_path / "another.journal") == 1
        assert distances(level) == after


def test_a_journal_that_went_while_a_batch_was_written(
    asset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, fsync = tmp_path / "kept.journal", os.fsync
    with open_asset(asset) as level:
        level.journal(file)
        level.update(blocked=[(1, 0)])
        before = distances(level)

        def move_away(number: int) -> None:
            fsync(number)
            file.rename(tmp_path / "moved.journal")

        monkeypatch.setattr(os, "fsync", move_away)
        with pytest.raises(OutputError, match="removed"):
            level.update(blocked=[(2, 0)])
        monkeypatch.undo()
        assert distances(level) == before
        (tmp_path / "moved.journal").rename(file)
        level.update(terrain={(0, 0): "mud"})
        after = distances(level)
    with open_asset(asset) as level:
        assert level.journal(file) == 2
        assert distances(level) == after


def test_a_journal_is_kept_where_it_was_begun(
    asset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with open_asset(asset) as level:
        level.journal("kept.journal")
        monkeypatch.chdir(tmp_path / "elsewhere")
        level.update(blocked=[(1, 0)])
        with pytest.raises(QueryError, match="kept"):
            level.journal("another.journal")


def test_another_journal_that_cannot_be_kept(asset: Path, tmp_path: Path) -> None:
    """The level does not go on without any."""
    file, other = tmp_path / "kept.journal", tmp_path / "other.journal"
    other.write_text("something else\n")
    with open_asset(asset) as level:
        level.journal(file)
        file.unlink()
        with pytest.raises(PatchError):
            level.journal(other)
        with pytest.raises(OutputError, match="removed"):
            level.update(blocked=[(1, 0)])
