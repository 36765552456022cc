"""Bundle the modules in ``page`` and of the JavaScript reader into one HTML page.

The page loads nothing else, so it can be opened from disk. Modules are joined in the order of their
imports, each in a function of its own. They use few forms of ``import`` and ``export``, so no
external bundler is needed. The same modules give the same bytes.
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

#: Modules are named by their paths in a clone, which their imports refer to.
_PAGE_PREFIX, _READER_PREFIX = "bake/show/viewer/page/", "readers/js/"
_MAIN = _PAGE_PREFIX + "main.js"

_IMPORT = re.compile(r'^import\s*(?:\{([^}]*)\}\s*from\s*)?"([^"]+)";[^\S\n]*(?://[^\n]*)?\n', re.M)
_EXPORT_FROM = re.compile(r'^export\s*\{([^}]*)\}\s*from\s*"([^"]+)";\n', re.M)
_EXPORT_LIST = re.compile(r"^export\s*\{([^}]*)\};\n", re.M)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const)\s+(\w+)", re.M)
_COMMENT = re.compile(r"^[ \t]*/\*\*?(?:[^*]|\*(?!/))*\*/[ \t]*\n|^[ \t]*//[^\n]*\n", re.M)


class BundleError(AssertionError):
    """A module of the page uses an unsupported form of import or export: a bug."""


def page_html(levels: Sequence[ShownLevel]) -> str:
    """Return a self-contained page with levels.

    Args:
        levels: the levels, at least one; the page opens with the first.
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
    """Return a page that fetches its levels from its server.

    Args:
        levels: ``id``, ``name``, ``flat`` and ``contents`` of each level; the last two are
            addresses relative to the page.
        events: the address of a stream of events.
    """
    return _page({"levels": list(levels), "events": events}, [])


def _page(manifest: dict[str, Any], data: Sequence[str]) -> str:
    manifest = {"palette": palette(), **manifest}
    data_text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    # A script element ends at any "</", and comments begin with "<!".
    data_text = (
        data_text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )
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
            [f'<script type="application/json" id="manifest">{data_text}</script>', *data]
        ),
        "script": f"{_deflated('program', script.encode())}\n<script>{boot}</script>",
    }
    return re.sub(r"<!-- (\w+) -->", lambda match: parts[match[1]], _text("index.html"))


def _text(name: str) -> str:
    return (_PAGE / name).read_text("utf-8")


def _deflated(id: str, content: bytes) -> str:
    """Return an HTML element with bytes, deflated and in base64."""
    text = base64.b64encode(zlib.compress(content, 9)).decode()
    return f'<script type="application/octet-stream" id="{id}">{text}</script>'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def bundled(main: str = _MAIN) -> str:
    """Return a module and all modules that it imports as one script.

    Raises:
        BundleError: imports form a cycle, or a module uses an unsupported form.
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
        raise BundleError(f"imports form a cycle: {' > '.join((*above, name))}")
    if name in sources and name in order:
        return
    sources[name] = _source(name)
    for pattern in (_IMPORT, _EXPORT_FROM):
        for match in pattern.finditer(sources[name]):
            _visit(_resolved(name, match[2]), (*above, name), order, sources)
    order.append(name)


def _source(name: str) -> str:
    if name.startswith(_READER_PREFIX):
        path = reader_sources() / name.removeprefix(_READER_PREFIX)
    elif name.startswith(_PAGE_PREFIX):
        path = _PAGE / name.removeprefix(_PAGE_PREFIX)
    else:
        raise BundleError(f"{name} is not a module of the page")
    return _COMMENT.sub("", path.read_text("utf-8"))


def _resolved(name: str, target: str) -> str:
    if not target.startswith("."):
        raise BundleError(f"{name} imports {target}, which is not a relative path")
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def _wrapped(
    name: str, source: str, number: int, order: list[str], exported: dict[str, set[str]]
) -> str:
    """Return a module as an immediately called function that returns its exports."""
    exports: dict[str, str] = {}

    def replace_import(match: re.Match[str]) -> str:
        other = _resolved(name, match[2])
        pairs = [_pair(inside) for inside in (match[1] or "").split(",") if inside.strip()]
        for inside, _ in pairs:
            if inside not in exported[other]:
                raise BundleError(f"{name} imports {inside}, which {other} does not export")
        inner = ", ".join(a if a == b else f"{a}: {b}" for a, b in pairs)
        return f"const {{ {inner} }} = $m{order.index(other)};\n" if pairs else ""

    def replace_export_from(match: re.Match[str]) -> str:
        other = order.index(_resolved(name, match[2]))
        for inside, outside in (_pair(inside) for inside in match[1].split(",") if inside.strip()):
            exports[outside] = f"$m{other}.{inside}"
        return ""

    def replace_list(match: re.Match[str]) -> str:
        for inside, outside in (_pair(inside) for inside in match[1].split(",") if inside.strip()):
            exports[outside] = inside
        return ""

    def replace_declaration(match: re.Match[str]) -> str:
        exports[match[2]] = match[2]
        return f"{match[1]} {match[2]}"

    source = _IMPORT.sub(replace_import, source)
    source = _EXPORT_FROM.sub(replace_export_from, source)
    source = _EXPORT_LIST.sub(replace_list, source)
    source = _EXPORT.sub(replace_declaration, source)
    if re.search(r"^(import|export)\b", source, re.M):
        raise BundleError(f"{name} uses an unsupported form of import or export")
    exported[name] = set(exports)
    names = ", ".join(key if key == value else f"{key}: {value}" for key, value in exports.items())
    return f"// {name}\nconst $m{number} = (() => {{\n{source}return {{ {names} }};\n}})();\n"


def _pair(text: str) -> tuple[str, str]:
    """Parse "a" or "a as b" to the inner and the outer name."""
    words = text.split()
    if len(words) == 1:
        return words[0], words[0]
    if len(words) == 3 and words[1] == "as":
        return words[0], words[2]
    raise BundleError(f"{text.strip()!r} is not a name")
