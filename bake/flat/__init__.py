"""This package declares, reads and writes flat files, which engines of any language can read.

schema: what a file holds, as data; docs/format.md derives from it;
document: writes the tables of that page;
read: opens a file, for :class:`bake.asset.Asset` to read;
write: writes a file.
"""
