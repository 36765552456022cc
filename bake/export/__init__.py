"""This package writes flat files for engines of any language: what `bake export` does.

level: the columns that all profiles share;
profile: those of one profile;
hops: next hops as moves, as runs or as a table, whichever is smaller;
export: all of these together, from an asset into a file.
"""
