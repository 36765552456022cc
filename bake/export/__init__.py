"""Files for engines of any language, as written by `bake export`.

columns: columns copied or derived from those of an asset;
export: flat files of these columns, and next hops as a plain matrix.
"""
