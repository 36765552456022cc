"""Flat files, which engines of any language can read.

schema: the layout of a file, as data; docs/format.md derives from it;
document: writes the tables of that page;
write: writes a file.
"""
