"""Changes to XML that leave it XML: attributes, text, elements."""

from __future__ import annotations

import random
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from fuzz import values
from fuzz.mutate_json import mutate_text

_DECLARATIONS = (
    '<?xml version="1.0" encoding="utf-16"?>',
    '<?xml version="1.0" encoding="koi8-r"?>',
    '<?xml version="1.0" encoding="utf-7"?>',
    '<?xml version="1.0" encoding="hex"?>',
    '<!DOCTYPE map [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>',
    '<!DOCTYPE map SYSTEM "file:///dev/zero">',
)


def mutate_xml(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no XML, or declares entities."""
    if b"<!" in data:
        return None
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    for _ in range(random_.choice((1, 1, 1, 2, 3, 5))):
        _change(root, random_)
    try:
        text = ElementTree.tostring(root, encoding="unicode")
    except (TypeError, ValueError, RecursionError):
        return None
    if random_.random() < 0.02:
        text = random_.choice(_DECLARATIONS) + text
    return text.encode("utf-8", "surrogatepass")


def _change(root: ElementTree.Element, random_: random.Random) -> None:
    parents = [each for each in root.iter() if len(each)] or [root]
    every = list(root.iter())
    each = random_.choice(every)
    pick = random_.randrange(10)
    if pick < 5 and each.attrib:
        key = random_.choice(list(each.attrib))
        each.attrib[key] = (
            mutate_text(each.attrib[key], random_)
            if random_.random() < 0.5
            else str(values.number(random_))
        )
    elif pick == 5 and each.text:
        each.text = mutate_text(each.text, random_)
    elif pick == 6:
        donor = random_.choice(every)
        each.attrib |= {key: value for key, value in donor.attrib.items() if random_.random() < 0.3}
        if each.attrib and random_.random() < 0.5:
            del each.attrib[random_.choice(list(each.attrib))]
    elif pick == 7:
        parent = random_.choice(parents)
        donor = random_.choice(every)
        if len(every) < 3000 and not any(parent is inner for inner in donor.iter()):
            for _ in range(random_.choice((1, 1, 2, 30))):
                parent.insert(random_.randrange(len(parent) + 1), donor)
    elif pick == 8:
        parent = random_.choice(parents)
        if len(parent):
            parent.remove(random_.choice(list(parent)))
    else:
        each.tag = random_.choice(every).tag


def quoted(text: str) -> str:
    """For seeds."""
    return quoteattr(text)
