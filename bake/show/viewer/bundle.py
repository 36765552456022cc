"""Make one page of HTML of the modules in ``page`` and those of the reader in JavaScript.

Nothing is loaded from anywhere, so the page opens from disk as well. Modules are joined in the
order in which they need each other, each in a function of its own; no tool of others is needed for
the few forms of ``import`` and ``export`` that they use. The same modules give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bake.core.reader_sources import reader_sources
from bake.show.viewer.contents import ShownLevel, palette

_PAGE = Path(__file__).parent / "page"

#: Names of modules are paths in a clone, whose imports they are.
_PAGE_PREFIX, _READER_PREFIX = "bake/show/viewer/page/", "readers/js/"
_MAIN = _PAGE_PREFIX + "main.js"

_IMPORT = re.compile(r'^import\s*(?:\{([^}]*)\}\s*from\s*)?"([^"]+)";[^\S\n]*(?://[^\n]*)?\n', re.M)
_EXPORT_FROM = re.compile(r'^export\s*\{([^}]*)\}\s*from\s*"([^"]+)";\n', re.M)
_EXPORT_LIST = re.compile(r"^export\s*\{([^}]*)\};\n", re.M)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.M)
_COMMENT = re.compile(r"^[ \t]*/\*\*?(?:[^*]|\*(?!/))*\*/[ \t]*\n|^[ \t]*//[^\n]*\n", re.M)


class BundleError(AssertionError):
    """A module of the page uses a form that the bundle does not know: a mistake of ours."""


def page_html(levels: Sequence[ShownLevel]) -> str:
    """Return a page that shows levels, all of them in it.

    Args:
        levels: what to show, at least one; the first one is shown first.
    """
    entries, data = [], []
    for number, level in enumerate(levels):
        names = {"flat": f"flat-{number}", "contents": f"contents-{number}"}
        for part, content in (("flat", level.flat), ("contents", level.contents)):
            data.append(_deflated(names[part], content))
        entries.append(
            {"id": level.id, "name": level.name}
            | {part: f"#{name}" for part, name in names.items()}
        )
    return _page({"levels": entries, "events": None}, data)


def served_page_html(levels: Sequence[dict[str, str]], *, events: str | None = None) -> str:
    """Return a page that fetches its levels from the server that gave it.

    Args:
        levels: ``id``, ``name``, ``flat`` and ``contents`` of each; the last two are addresses
            relative to the page's.
        events: address of a stream of events.
    """
    return _page({"levels": list(levels), "events": events}, [])


def _page(manifest: dict[str, Any], data: Sequence[str]) -> str:
    manifest = {"palette": palette(), **manifest}
    told = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    # A script element ends at "</", whatever stands around it, and comments begin with "<!".
    told = told.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    script, boot, style = bundled(), _text("boot.js"), _text("style.css")
    policy = (
        "default-src 'none'; "
        f"script-src 'sha256-{_digest(boot)}' 'sha256-{_digest(script)}'; "
        f"style-src 'sha256-{_digest(style)}'; "
        "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        "style": f"<style>{style}</style>",
        "data": "\n".join(
            [f'<script type="application/json" id="manifest">{told}</script>', *data]
        ),
        "script": f"{_deflated('program', script.encode())}\n<script>{boot}</script>",
    }
    return re.sub(r"<!-- (\w+) -->", lambda found: parts[found[1]], _text("index.html"))


def _text(name: str) -> str:
    return (_PAGE / name).read_text("utf-8")


def _deflated(id: str, content: bytes) -> str:
    """Return an element that holds bytes, deflated and in base64."""
    text = base64.b64encode(zlib.compress(content, 9)).decode()
    return f'<script type="application/octet-stream" id="{id}">{text}</script>'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def bundled(main: str = _MAIN) -> str:
    """Return all modules that one needs, and itself, as one script.

    Raises:
        BundleError: modules need each other in a circle, or one is written in a way that is not
            known here.
    """
    order: list[str] = []
    sources: dict[str, str] = {}
    _visit(main, (), order, sources)
    exported: dict[str, set[str]] = {}
    parts = ['"use strict";\n']
    for number, name in enumerate(order):
        parts.append(_wrapped(name, sources[name], number, order, exported))
    return "".join([*parts, "//# sourceURL=bake-view.js\n"])


def _visit(name: str, above: tuple[str, ...], order: list[str], sources: dict[str, str]) -> None:
    if name in above:
        raise BundleError(f"modules need each other in a circle: {' > '.join((*above, name))}")
    if name in sources and name in order:
        return
    sources[name] = _source(name)
    for pattern in (_IMPORT, _EXPORT_FROM):
        for found in pattern.finditer(sources[name]):
            _visit(_resolved(name, found[2]), (*above, name), order, sources)
    order.append(name)


def _source(name: str) -> str:
    if name.startswith(_READER_PREFIX):
        path = reader_sources() / name.removeprefix(_READER_PREFIX)
    elif name.startswith(_PAGE_PREFIX):
        path = _PAGE / name.removeprefix(_PAGE_PREFIX)
    else:
        raise BundleError(f"{name} is no module of the page")
    return _COMMENT.sub("", path.read_text("utf-8"))


def _resolved(name: str, target: str) -> str:
    if not target.startswith("."):
        raise BundleError(f"{name} imports {target}, which is no path")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def _wrapped(
    name: str, source: str, number: int, order: list[str], exported: dict[str, set[str]]
) -> str:
    """Return a module as a function that is called at once and gives what the module exports."""
    gives: dict[str, str] = {}

    def imported(found: re.Match[str]) -> str:
        other = _resolved(name, found[2])
        pairs = [_pair(each) for each in (found[1] or "").split(",") if each.strip()]
        for each, _ in pairs:
            if each not in exported[other]:
                raise BundleError(f"{name} imports {each}, which {other} does not export")
        inner = ", ".join(a if a == b else f"{a}: {b}" for a, b in pairs)
        return f"const {{ {inner} }} = $m{order.index(other)};\n" if pairs else ""

    def passed_on(found: re.Match[str]) -> str:
        other = order.index(_resolved(name, found[2]))
        for each, outside in (_pair(each) for each in found[1].split(",") if each.strip()):
            gives[outside] = f"$m{other}.{each}"
        return ""

    def listed(found: re.Match[str]) -> str:
        for each, outside in (_pair(each) for each in found[1].split(",") if each.strip()):
            gives[outside] = each
        return ""

    def declared(found: re.Match[str]) -> str:
        gives[found[2]] = found[2]
        return f"{found[1]} {found[2]}"

    source = _IMPORT.sub(imported, source)
    source = _EXPORT_FROM.sub(passed_on, source)
    source = _EXPORT_LIST.sub(listed, source)
    source = _EXPORT.sub(declared, source)
    if re.search(r"^(import|export)\b", source, re.M):
        raise BundleError(f"{name} imports or exports in a way that is not known here")
    exported[name] = set(gives)
    given = ", ".join(key if key == value else f"{key}: {value}" for key, value in gives.items())
    return f"// {name}\nconst $m{number} = (() => {{\n{source}return {{ {given} }};\n}})();\n"


def _pair(text: str) -> tuple[str, str]:
    """Return the name inside and outside of "a" or "a as b"."""
    words = text.split()
    if len(words) == 1:
        return words[0], words[0]
    if len(words) == 3 and words[1] == "as":
        return words[0], words[2]
    raise BundleError(f"{text.strip()!r} is no name")
