"""`bake view` as a server: who gets an answer and who does not, and how pages follow assets."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bake.show.viewer.served import ServedLevels
from bake.show.viewer.server import ViewerServer
from levelbake.errors import OutputError
from tests.support.baked import rows, write_grid
from tests.support.command import bake, mistake
from tests.support.shown import get, running, states


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two small assets: `open`, and `shut`, the same level with a wall across."""
    folder = tmp_path_factory.mktemp("assets")
    for name, wall in (("open", "..#..."), ("shut", "######")):
        write_grid(folder / f"{name}.json", rows("......", wall, "......"))
    done = bake("build", folder, "-o", folder / "baked")
    assert done.code == 0, done
    return folder / "baked"


@pytest.fixture
def folder(assets: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(assets, tmp_path / "baked"))


def put(asset: Path, place: Path) -> None:
    """Replace a file as a bake does."""
    partial = place.with_name(f".{place.name}.tmp")
    shutil.copy(asset, partial)
    partial.replace(place)


@pytest.fixture(scope="module")
def shown(assets: Path) -> Iterator[str]:
    """The address of a page of the folder."""
    with running("view", assets, "--no-browser", cwd=assets) as command:
        yield command.line()


def test_the_page_and_its_levels(shown: str, assets: Path) -> None:
    page = get(shown)
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b'"id":"open"' in page.content
    assert b'"id":"shut"' in page.content
    flat = get(shown + "level/open/flat")
    made = assets.parent / "open.bake"
    assert bake("export", assets / "open.h5", "-o", made).code == 0
    assert (flat.status, flat.content) == (200, made.read_bytes())
    contents = get(shown + "level/open/contents")
    assert json.loads(contents.content)["asset"] == "open.h5"


def test_every_answer_says_how_browsers_are_to_keep_it(shown: str) -> None:
    for address in (shown, shown + "level/open/flat", shown + "nothing"):
        headers = get(address).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in headers


def test_other_names_of_this_machine_are_refused(shown: str) -> None:
    port = urlsplit(shown).port
    for name in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        assert get(shown, Host=name).status == 403
    for name in (f"127.0.0.1:{port}", f"LOCALHOST:{port}"):
        assert get(shown, Host=name).status == 200


def test_pages_of_other_sites_are_refused(shown: str) -> None:
    port = urlsplit(shown).port
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}"):
        assert get(shown + "level/open/flat", Origin=origin).status == 403
    assert get(shown + "level/open/flat", Origin=f"http://127.0.0.1:{port}").status == 200
    assert get(shown + "events", Sec_Fetch_Site="cross-site").status == 403
    assert get(shown, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200


def test_without_the_secret_there_is_nothing(shown: str) -> None:
    parts = urlsplit(shown)
    base, secret = f"http://{parts.netloc}", parts.path.strip("/")
    assert len(secret) >= 20
    wrong = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    for path in (
        "/",
        f"/{wrong}/",
        f"/{wrong}/level/open/flat",
        f"/{secret}",
        "//",
    ):
        answer = get(base + path)
        assert answer.status == 404
        assert secret.encode() not in answer.content


@pytest.mark.parametrize(
    "path",
    [
        "level/../../etc/passwd/flat",
        "level/..%2f..%2fetc%2fpasswd/flat",
        "level/%2e%2e/flat",
        "level/open.h5/flat",
        "level/open/flat/more",
        "level/open/",
        "level/%00/flat",
        "level/%ff/flat",
        "../",
        "level//flat",
    ],
)
def test_addresses_are_no_paths_of_files(shown: str, path: str) -> None:
    assert get(shown + path).status == 404


def test_other_methods_are_refused(shown: str) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert get(shown, method).status == 501
    assert get(shown, "HEAD").content == b""


def test_only_this_machine_is_listened_to(shown: str) -> None:
    port = urlsplit(shown).port
    own = socket.gethostbyname(socket.gethostname())
    if own.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((own, port), timeout=5)


def test_what_is_no_request_at_all(shown: str) -> None:
    port = urlsplit(shown).port
    for raw in (b"\0\xff\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"x" * 70_000):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(100)
        assert b" 200 " not in answer
    assert get(shown).status == 200


# -- following ------------------------------------------------------------------------------------


def test_a_page_follows_its_asset(folder: Path) -> None:
    place = folder / "open.h5"
    with running("view", place, "--no-browser", cwd=folder) as command:
        address = command.line()
        heard = states(address)
        first = next(heard)
        flat = get(address + "level/open/flat").content
        put(folder / "shut.h5", place)
        after = next(heard)
        assert after["levels"][0]["version"] != first["levels"][0]["version"]
        assert get(address + "level/open/flat").content != flat

        place.write_bytes(b"half of")
        next(heard)
        wrong = get(address + "level/open/contents")
        assert wrong.status == 409
        assert wrong.content.decode().startswith(f"{place}: ")
        assert len(wrong.content.splitlines()) == 1

        place.unlink()
        assert next(heard)["levels"][0]["version"] == "gone"
        assert get(address + "level/open/flat").status == 409
        assert command.interrupt() == 0
        assert list(heard) == []


def test_levels_of_a_folder_come_and_go(folder: Path) -> None:
    with running("view", folder, "--no-browser", cwd=folder) as command:
        address = command.line()
        heard = states(address)
        assert [each["id"] for each in next(heard)["levels"]] == ["open", "shut"]
        put(folder / "open.h5", folder / "a & <b>.h5")
        entry = next(heard)["levels"][0]
        assert entry["id"] == "a & <b>"
        assert get(address + entry["flat"]).status == 200
        assert b"<b>" not in get(address).content
        (folder / "open.h5").unlink()
        assert [each["id"] for each in next(heard)["levels"]] == ["a & <b>", "shut"]


def test_a_folder_that_is_removed_holds_no_levels(folder: Path) -> None:
    levels = ServedLevels(folder)
    shutil.rmtree(folder)
    levels.look()
    assert json.loads(levels.state) == {"levels": [], "troubles": []}
    assert levels.level("open") is None


def test_the_same_bytes_again_are_no_change(folder: Path) -> None:
    levels = ServedLevels(folder)
    listener = levels.listen()
    listener.get_nowait()
    put(folder / "open.h5", folder / "open.h5")
    os.utime(folder / "open.h5")
    levels.look()
    assert listener.empty()
    put(folder / "shut.h5", folder / "open.h5")
    levels.look()
    assert not listener.empty()


def test_what_is_wrong_is_told_until_it_is_mended(folder: Path) -> None:
    levels = ServedLevels(folder)
    listener = levels.listen()
    listener.get_nowait()
    levels.tell("open", "open.json: line 3: what")
    told = json.loads(listener.get_nowait() or "")
    assert told["troubles"] == [{"level": "open", "text": "open.json: line 3: what"}]
    levels.tell("open", None)
    assert json.loads(listener.get_nowait() or "")["troubles"] == []


def test_a_page_that_hears_nothing_is_let_go(folder: Path) -> None:
    levels = ServedLevels(folder)
    deaf, listener = levels.listen(), levels.listen()
    for number in range(100):
        levels.tell("open", str(number))
        listener.get_nowait()
    assert deaf.full()
    levels.close()
    assert deaf.qsize() < 100


# -- what can go wrong before ---------------------------------------------------------------------


def test_a_port_in_use(folder: Path) -> None:
    with running("view", folder, "--no-browser", cwd=folder) as command:
        port = urlsplit(command.line()).port
        done = bake("view", folder, "--port", str(port), "--no-browser")
        mistake(done, f"port {port} is in use", "leave --port out")
    with pytest.raises(OutputError, match="port 80"):
        _refused_port(folder)


def _refused_port(folder: Path) -> None:
    if os.name == "nt" or os.geteuid() == 0:
        raise OutputError("port 80 needs more privileges")  # root may use every port
    ViewerServer(ServedLevels(folder), 80)


def test_a_chosen_port(folder: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running("view", folder, "--port", str(port), "--no-browser", cwd=folder) as command:
        address = command.line()
        assert urlsplit(address).port == port
        assert get(address).status == 200


def test_json(folder: Path) -> None:
    with running("view", folder, "--no-browser", "--json", cwd=folder) as command:
        lines = [command.line()]
        while lines[-1] != "}":
            lines.append(command.line())
        told = json.loads("\n".join(lines))
        assert told["levels"] == ["open", "shut"]
        assert get(told["address"]).status == 200


def test_no_browser_can_be_opened(folder: Path) -> None:
    with running(
        "view", folder, cwd=folder, DISPLAY="", WAYLAND_DISPLAY="", BROWSER="false %s"
    ) as command:
        command.line()
        assert "no browser" in command.error()


def test_a_damaged_asset_of_a_folder_does_not_keep_the_others(folder: Path) -> None:
    (folder / "shut.h5").write_bytes((folder / "shut.h5").read_bytes()[:3000])
    with running("view", folder, "--no-browser", cwd=folder) as command:
        assert "shut.h5: damaged" in command.error()
        address = command.line()
        assert get(address + "level/open/flat").status == 200
        assert b"damaged" in get(address + "level/shut/flat").content
