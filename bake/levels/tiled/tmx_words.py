"""TMX in the words of TMJ, so that one reader serves both.

Tiled documentation, "TMX Map Format" and "JSON Map Format". Numbers stay text here;
:class:`~bake.levels.tiled.fields.Fields` reads them.
"""

from __future__ import annotations

from bake.levels.tiled.xml_tree import Element

Values = dict[str, object]

_LAYERS = {
    "layer": "tilelayer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}


def map_words(root: Element) -> Values:
    """A <map>."""
    return {
        **root.attributes,
        **_properties(root),
        "tilesets": [tileset_words(each) for each in root.all("tileset")],
        "layers": _layers(root),
    }


def tileset_words(tileset: Element) -> Values:
    """A <tileset>, whole or a reference to a file."""
    return {
        **tileset.attributes,
        **_properties(tileset),
        "tiles": [{**each.attributes, **_properties(each)} for each in tileset.all("tile")],
        "wangsets": [
            _wangset(each) for holder in tileset.all("wangsets") for each in holder.all("wangset")
        ],
    }


def template_words(root: Element) -> Values:
    """A <template>."""
    words: Values = {}
    tileset, thing = root.child("tileset"), root.child("object")
    if tileset is not None:
        words["tileset"] = tileset_words(tileset)
    if thing is not None:
        words["object"] = _object(thing)
    return words


def _layers(parent: Element) -> list[Values]:
    found: list[Values] = []
    for element in parent.children:
        if element.tag not in _LAYERS:
            continue
        words: Values = {**element.attributes, **_properties(element), "type": _LAYERS[element.tag]}
        if element.tag == "layer":
            words |= _tile_data(element)
        elif element.tag == "objectgroup":
            words["objects"] = [_object(each) for each in element.all("object")]
        elif element.tag == "group":
            words["layers"] = _layers(element)
        found.append(words)
    return found


def _tile_data(layer: Element) -> Values:
    data = layer.child("data")
    if data is None:
        return {}
    words: Values = {
        key: data.attributes[key] for key in ("encoding", "compression") if key in data.attributes
    }
    chunks = data.all("chunk")
    if chunks:
        words["chunks"] = [{**each.attributes, "data": _cells(each, words)} for each in chunks]
    else:
        words["data"] = _cells(data, words)
    return words


def _cells(holder: Element, words: Values) -> object:
    if "encoding" in words:
        return holder.text
    return [] if holder.gids is None else holder.gids


def _object(element: Element) -> Values:
    words: Values = {**element.attributes, **_properties(element)}
    for child in element.children:
        if child.tag in ("point", "ellipse", "capsule", "text"):
            words[child.tag] = True
        elif child.tag in ("polygon", "polyline"):
            pairs = [pair.split(",") for pair in child.attributes.get("points", "").split()]
            words[child.tag] = [dict(zip(("x", "y"), pair, strict=False)) for pair in pairs]
    return words


def _wangset(element: Element) -> Values:
    # Before Tiled 1.5 corners and edges had colours of their own; those are in no editor any more.
    return {
        **element.attributes,
        "colors": [dict(each.attributes) for each in element.all("wangcolor")],
        "wangtiles": [
            {**each.attributes, "wangid": each.attributes.get("wangid", "").split(",")}
            for each in element.all("wangtile")
        ],
    }


def _properties(element: Element) -> Values:
    holder = element.child("properties")
    if holder is None:
        return {}
    # Text of several lines stands between the tags.
    return {
        "properties": [{"value": each.text, **each.attributes} for each in holder.all("property")]
    }
