"""The page: one file with everything in it, joined of modules that nobody else touches."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import subprocess
import zlib
from pathlib import Path

import pytest

from bake.show.viewer import bundle
from bake.show.viewer.bundle import BundleError, bundled, page_html, served_page_html
from bake.show.viewer.contents import ShownLevel
from tests.support.readers import tool

LEVEL = ShownLevel("one", "</script><b>one", b"flat \x00\xff bytes", b'{"profiles": {}}')


def element(page: str, id: str) -> str:
    found = re.search(rf'<script type="[^"]+" id="{id}">(.*?)</script>', page, re.S)
    assert found is not None
    return found[1]


def inflated(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_same_modules_give_the_same_page() -> None:
    assert page_html([LEVEL]) == page_html([LEVEL])


def test_a_page_holds_its_levels() -> None:
    page = page_html([LEVEL, ShownLevel("two", "two", b"", b"{}")])
    manifest = json.loads(element(page, "manifest"))
    assert [each["id"] for each in manifest["levels"]] == ["one", "two"]
    assert manifest["levels"][0]["name"] == LEVEL.name
    assert inflated(element(page, "flat-0")) == LEVEL.flat
    assert inflated(element(page, "contents-0")) == LEVEL.contents
    assert inflated(element(page, "flat-1")) == b""


def test_a_served_page_names_where_its_levels_are() -> None:
    entry = {"id": "one", "name": "one", "flat": "levels/0.bake", "contents": "levels/0.json"}
    page = served_page_html([entry], events="events")
    manifest = json.loads(element(page, "manifest"))
    assert manifest["levels"] == [entry]
    assert manifest["events"] == "events"


def test_names_of_levels_end_no_element() -> None:
    page = page_html([LEVEL])
    assert page.count("</script>") == page.count("<script")
    assert "<b>one" not in page


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = page_html([LEVEL])
    assert not re.search(r"""\b(src|href)\s*=|\bimport\s*\(|@import|url\(""", page)
    assert re.findall(r"https?://[^\s\"']*", page) == []


def test_the_policy_lets_only_what_is_in_the_page_run() -> None:
    page = page_html([LEVEL])
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    policy = html.unescape(found[1])
    (boot,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    program = inflated(element(page, "program")).decode()
    assert program == bundled()
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    boot, program, style = map(digest, (boot, program, style))
    assert f"script-src 'sha256-{boot}' 'sha256-{program}';" in policy
    assert f"style-src 'sha256-{style}';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_script_is_sound(tmp_path: Path) -> None:
    file = tmp_path / "page.js"
    file.write_text(bundled(), "utf-8")
    done = subprocess.run([tool("node"), "--check", str(file)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def page_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> str:
    for name, source in modules.items():
        (tmp_path / f"{name}.js").write_text(source, "utf-8")
    monkeypatch.setattr(bundle, "_PAGE", tmp_path)
    return bundled.__wrapped__("bake/show/viewer/page/main.js")


def test_modules_are_joined_in_the_order_of_their_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = page_of(
        tmp_path,
        monkeypatch,
        main='import { twice as double, NAME } from "./b.js";\nimport "./c.js";\n'
        "console.log(double(4), NAME, globalThis.c);\n",
        b='// a comment\nimport { one } from "./a.js";\nexport { NAME } from "./a.js";\n'
        "const twice = (x) => 2 * x * one();\nexport { twice };\n",
        a='/** Prose. */\nexport const NAME = "a // no comment";\n'
        "export function one() {\n  return 1;\n}\n",
        c='globalThis.c = "c";\n',
    )
    done = subprocess.run([tool("node"), "-e", script], capture_output=True, text=True, check=True)
    assert done.stdout == "8 a // no comment c\n"
    assert "Prose" not in script
    assert "a comment" not in script.replace("no comment", "")


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        ({"main": 'import { a } from "./b.js";\n', "b": "const a = 1;\n"}, "does not export"),
        (
            {"main": 'import { a } from "./b.js";\n', "b": 'import "./main.js";\n'},
            "cycle: .*main.js > .*b.js > .*main.js",
        ),
        ({"main": 'import { a } from "elsewhere";\n'}, "relative path"),
        ({"main": 'import { a } from "../x.js";\n'}, "not a module"),
        ({"main": "export default 4;\n"}, "unsupported"),
        ({"main": "export let a = 4;\n"}, "unsupported"),
    ],
)
def test_what_a_bundle_refuses(
    modules: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BundleError, match=said):
        page_of(tmp_path, monkeypatch, **modules)
