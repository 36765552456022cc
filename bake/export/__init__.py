"""This package writes files for engines of any language: what `bake export` does.

columns: copies of an asset's columns, and what is made of them;
hops: where runs begin, and greedy moves;
export: all of these together, from an asset into a file;
table: next hops as a plain matrix, for programs that read nothing of ours.
"""
