"""This package writes files for engines of any language: what `bake export` does.

level: the columns that all profiles share;
profile: those of one profile;
hops: next hops as moves, in runs;
export: all of these together, from an asset into a file;
table: next hops as a plain matrix, for programs that read nothing of ours.
"""
