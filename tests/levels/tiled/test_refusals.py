"""Files that must be refused, each in one line, at bounded cost."""

import base64
import gzip
import json
import re
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from tests.support.tiled_maps import (
    PACK,
    attributes,
    layer,
    objects,
    read,
    refused,
    tmj,
    tmx,
    write,
)

GIDS = [[1, 2], [3, 1]]
GOOD = tmx(layer(GIDS), width=2, height=2)
SIZE = 'width="2" height="2" tile'
SET = GOOD[GOOD.index("<tileset") : GOOD.index("</tileset>") + len("</tileset>")]


def data(text: str, encoding: str) -> str:
    return (
        f'<layer id="1" name="Ground" width="2" height="2"><data{attributes(encoding)}>{text}'
        "</data></layer>"
    )


def coded(content: bytes, compression: str = "") -> str:
    return base64.b64encode(PACK[compression](content)).decode()


def cut(compression: str) -> str:
    content = PACK[compression](bytes(range(16)))
    return base64.b64encode(content[: len(content) // 2]).decode()


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        ("1,2,3", "csv", "the data holds 3 tiles; expected 2 x 2 = 4"),
        ("1,2,3,4,5", "csv", "the data holds 5 tiles; expected 2 x 2 = 4"),
        ("", "csv", "the data holds 0 tiles"),
        ("1,2,x,4", "csv", 'tile (0, 1) has the gid "x"'),
        ("1,2,,4", "csv", 'tile (0, 1) has the gid ""'),
        ("1,2,3 3,4", "csv", 'tile (0, 1) has the gid "3 3"'),
        ("1,2,3,-4", "csv", 'tile (1, 1) has the gid "-4"'),
        ("1,2,3,4294967296", "csv", 'tile (1, 1) has the gid "4294967296"'),
        ("1,2,3,99999999999999999999999", "csv", "tile (1, 1) has the gid"),
        ('<tile gid="1"/>', "xml", "the data holds 1 tiles"),
        ("", "xml", "the data holds 0 tiles"),
        ("1,2,3,4", "base32", 'the encoding is "base32"'),
        ("AAAA", "base64-lzma", 'the compression is "lzma"'),
        ("???", "base64", "the data is not base64"),
        ("AAA", "base64", "the data is not base64"),
        (coded(bytes(12)), "base64", "the data holds 12 bytes; expected 16, which is 4 for each"),
        (coded(bytes(20)), "base64", "the data holds more than 16 bytes"),
        (coded(bytes(12), "zlib"), "base64-zlib", "the data inflates to 12 bytes"),
        (coded(bytes(20), "gzip"), "base64-gzip", "the data inflates to more than 16 bytes"),
        (coded(bytes(20), "zstd"), "base64-zstd", "the data inflates to more than 16 bytes"),
        (coded(bytes(16)), "base64-zlib", "the data is not a zlib stream"),
        (coded(bytes(16)), "base64-gzip", "the data is not a gzip stream"),
        (coded(bytes(16)), "base64-zstd", "the data is not a zstd stream"),
        (cut("zlib"), "base64-zlib", "the zlib stream is cut short"),
        (cut("gzip"), "base64-gzip", "the gzip stream is cut short"),
        (cut("zstd"), "base64-zstd", "the zstd stream is cut short"),
    ],
)
def test_damaged_cells(tmp_path: Path, text: str, encoding: str, told: str) -> None:
    line = refused(write(tmp_path, tmx(data(text, encoding), width=2, height=2)))
    assert told in line
    assert 'layer "Ground": ' in line


@pytest.mark.parametrize("compression", ["zlib", "gzip", "zstd"])
def test_a_small_file_that_inflates_a_thousandfold(tmp_path: Path, compression: str) -> None:
    """Made in pieces, so that the test itself never holds what it inflates to."""
    piece = bytes(2**20)
    if compression == "zstd":
        packer = zstd.ZstdCompressor(level=19)
    else:
        packer = zlib.compressobj(9, zlib.DEFLATED, 15 if compression == "zlib" else 31)
    content = b"".join(packer.compress(piece) for _ in range(64)) + packer.flush()
    text = base64.b64encode(content).decode()
    path = write(tmp_path, tmx(data(text, f"base64-{compression}"), width=2, height=2))
    tracemalloc.start()
    line = refused(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "inflates to more than 16 bytes" in line
    assert peak < 8 * len(text) + 2**20


def test_a_size_no_level_has(tmp_path: Path) -> None:
    for width, height in ((2**16, 2**16), (10**17, 10**17)):
        large = GOOD.replace(SIZE, f'width="{width}" height="{height}" tile')
        line = refused(write(tmp_path, large))
        assert "expected at most 67,108,864" in line
    for text in ("-2", "2.5", "x", "", "9" * 5000):
        bad = GOOD.replace(SIZE, f'width="{text}" height="2" tile')
        assert re.search(
            r"map.tmx: width is .*; expected a whole number", refused(write(tmp_path, bad))
        )
    chunks = "".join(f'<chunk x="{x}" y="0" width="1" height="1">1</chunk>' for x in (0, 10**9))
    far = f'<layer id="1" name="A"><data encoding="csv">{chunks}</data></layer>'
    path = write(tmp_path, tmx(far, width=1, height=1, infinite=1))
    assert "the level is 1,000,000,001 x 1" in refused(path)


def test_a_layer_of_another_size(tmp_path: Path) -> None:
    line = refused(write(tmp_path, tmx(layer([[1, 1, 1]] * 2), width=2, height=2)))
    assert 'layer "Ground": the layer is 3 x 2; expected 2 x 2, as the map is' in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ("hello", "not XML: syntax error"),
        (GOOD[:200], "not XML: "),
        (GOOD.replace("</map>", "</mop>"), "not XML: mismatched tag"),
        ("<level/>", "the file holds <level>; expected <map>"),
        ('<!DOCTYPE map [<!ENTITY a "b">]>' + GOOD[39:], "declares a document type"),
        (GOOD.replace("utf-8", "x-none").replace("UTF-8", "x-none"), "encoding"),
        (GOOD.replace('version="1.10"', 'version="2.0"'), "too new for this bake; expected 1.x"),
        (GOOD.replace('version="1.10"', 'version="new"'), 'version: found "new"'),
        (GOOD.replace('"orthogonal"', '"round"'), "orientation is 'round'"),
        (GOOD.replace('tilewidth="16" tileheight="16" inf', 'inf'), "tilewidth is missing"),
        (GOOD.replace('"orthogonal"', '"hexagonal" staggeraxis="z"'), "staggeraxis is 'z'"),
        (GOOD.replace('"orthogonal"', '"hexagonal" staggerindex="2"'), "staggerindex is '2'"),
        (GOOD.replace('"orthogonal"', '"hexagonal" hexsidelength="99"'), "hexsidelength is 99"),
        (GOOD.replace("1,2", "9,2"), 'tile (0, 0) has the gid 9, which is in no tileset'),
        (GOOD.replace('firstgid="1"', 'firstgid="x"'), 'firstgid is "x"'),
        (GOOD.replace('firstgid="1"', ""), "firstgid is missing"),
        (GOOD.replace('<tile id="1">', '<tile id="0">'), "tile 0 is given twice"),
        (tmx(width=2, height=2), "no tile layer"),
        (tmx(objects(), width=2, height=2), "no tile layer"),
        (tmx("<group>" * 40 + "</group>" * 40, width=2, height=2), "nested too deeply"),
        ("<a>" * 100, "nested too deeply; expected at most 64 deep"),
        (GOOD.replace('"Ground"', '"G&#10;"').replace("1,2", "6,2"), "cannot be a terrain's"),
    ],
)  # fmt: skip
def test_damaged_maps(tmp_path: Path, text: str, told: str) -> None:
    assert told in refused(write(tmp_path, text))


def test_a_document_type_that_is_only_named_is_not_fetched(tmp_path: Path) -> None:
    """Editors before 1.0 wrote one."""
    named = '<!DOCTYPE map SYSTEM "file:///dev/zero">'
    assert read(write(tmp_path, named + GOOD[39:])).terrains == read(write(tmp_path, GOOD)).terrains


def test_entities_are_refused_before_they_grow(tmp_path: Path) -> None:
    entities = '<!ENTITY a "lollollollol">' + "".join(
        f'<!ENTITY {chr(98 + at)} "{f"&{chr(97 + at)};" * 10}">' for at in range(12)
    )
    bomb = f'<?xml version="1.0"?>\n<!DOCTYPE map [{entities}]>\n<map name="&m;"/>'
    tracemalloc.start()
    assert "line 2: the file declares a document type" in refused(write(tmp_path, bomb))
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    outside = '<!DOCTYPE map [<!ENTITY x SYSTEM "file:///etc/passwd">]><map name="&x;"/>'
    assert "declares a document type" in refused(write(tmp_path, outside))


def json_with(change: Callable[[dict], None]) -> str:
    document = json.loads(tmj(GIDS))
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[]", "the file holds a list"),
        ('{"type": "tileset"}', 'the type of the file is "tileset"; expected "map"'),
        ("{}", "orientation is missing"),
        (tmj(GIDS, version="3.0"), "too new"),
        (tmj(GIDS, version=2), "too new"),
        (tmj(GIDS, version=[]), "version: found a list"),
        (tmj(GIDS, width="2"), 'width is "2"'),
        (tmj(GIDS, width=True), "width is true"),
        (tmj(GIDS, layers={}), "layers is an object; expected a list"),
        (tmj(GIDS, layers=[3]), "layers is a list"),
        (tmj(GIDS, layers=[{}]), "layers[0]: type is missing"),
        (tmj(GIDS, layers=[{"type": "x"}]), 'layers[0]: the type is "x"'),
        (tmj(GIDS, tilesets=[]), "the gid 1, which is in no tileset"),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "source": 4}]), "source is 4"),
        (json_with(lambda map: map["layers"][0].update(data=[1, 2, 3, 1.5])), "has the gid 1.5"),
        (json_with(lambda map: map["layers"][0].update(data=[1, 2, 3, True])), "has the gid true"),
        (json_with(lambda map: map["layers"][0].update(data=[1, 2, 3, -1])), "has the gid -1"),
        (json_with(lambda map: map["layers"][0].update(data=[1, 2, 3])), "holds 3 tiles"),
        (json_with(lambda map: map["layers"][0].update(data={})), "data is an object"),
        (json_with(lambda map: map["layers"][0].update(data="A", encoding="base64")), "base64"),
        (json_with(lambda map: map["layers"][0].update(name=3)), "name is 3"),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "tiles": [{"id": 1, "properties": 3}]}]),
         "properties is 3"),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "tiles": {"one": {}}}]), '"one" is an object'),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "tiles": {"1": 3}}]), '"1" is 3'),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "tileproperties": {"1": {}, "01": {}}}]),
         "tile 1 is given twice"),
        (tmj(GIDS, tilesets=[{"firstgid": 1, "tileproperties": 3}]), "tileproperties is 3"),
        (tmj(GIDS, properties={}, propertytypes=3, tilesets=[
            {"firstgid": 1, "tiles": {"1": {"properties": {"a": 1}, "propertytypes": 3}}}]),
         "propertytypes is 3"),
        (tmj(GIDS, infinite=True), "no chunks"),
    ],
)  # fmt: skip
def test_damaged_json(tmp_path: Path, text: str, told: str) -> None:
    assert told in refused(write(tmp_path, text, "map.tmj"))


def referring(source: str) -> str:
    return GOOD.replace(SET, f'<tileset firstgid="1" source="{source}"/>')


def test_a_missing_tileset(tmp_path: Path) -> None:
    line = refused(write(tmp_path, referring("gone.tsx")))
    assert "gone.tsx" in line
    assert "is missing" in line


def test_references_stay_in_the_project(tmp_path: Path) -> None:
    outside = write(tmp_path, SET.replace(' firstgid="1"', ""), "set.tsx")
    inside = tmp_path / "project"
    path = write(inside, referring("../set.tsx"))
    line = refused(path)
    assert 'the reference "../set.tsx" leaves the project folder' in line
    assert "allow_outside = true" in line
    assert read(path, allow_outside=True).depends_on == (inside / ".." / "set.tsx",)
    assert "leaves the project folder" in refused(write(inside, referring(str(outside))))
    assert "leaves the project folder" in refused(write(inside, referring("C:\\set.tsx")))
    (inside / "link.tsx").symlink_to(outside)
    assert "leaves the project folder" in refused(write(inside, referring("link.tsx")))
    assert "is not the name of a file" in refused(write(inside, referring("")))


def test_a_map_as_its_own_tileset(tmp_path: Path) -> None:
    assert "the file holds <map>; expected <tileset>" in refused(
        write(tmp_path, referring("map.tmx"))
    )


def test_templates_in_a_ring(tmp_path: Path) -> None:
    write(tmp_path, '<template><object template="b.tx"/></template>', "a.tx")
    write(tmp_path, '<template><object template="a.tx"/></template>', "b.tx")
    text = tmx(
        layer(GIDS), objects('<object id="1" template="a.tx" x="0" y="0"/>'), width=2, height=2
    )
    line = refused(write(tmp_path, text))
    assert "refers to itself" in line
    write(tmp_path, "<template/>", "a.tx")
    assert "the template has no object" in refused(tmp_path / "map.tmx")


def test_very_many_elements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.levels.tiled.files.MAX_ELEMENTS", 50)
    text = tmx(layer(GIDS), "<layer/>" * 60, width=2, height=2)
    assert "too many elements" in refused(write(tmp_path, text))
    # Tiles are no elements of that kind.
    gids = [[1] * 20 for _ in range(20)]
    assert read(write(tmp_path, tmx(layer(gids, "xml"), width=20, height=20))).width == 20


def test_a_very_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.levels.tiled.files.MAX_XML_BYTES", 100)
    assert "expected at most 100; save layer data as base64" in refused(write(tmp_path, GOOD))


def test_the_helper_packs_what_the_modules_do() -> None:
    assert gzip.decompress(PACK["gzip"](b"abc")) == zlib.decompress(PACK["zlib"](b"abc")) == b"abc"
