"""This package writes files for engines of any language: what `bake export` does.

columns: copies of an asset's columns, and what is made of them;
export: flat files of all these, and next hops as a plain matrix.
"""
