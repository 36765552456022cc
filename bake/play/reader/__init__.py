"""Answer lookups from an asset. The modules build on each other in this order:

places: cells and node names, and the numbers that tables use for them;
hops: next hops as the asset holds them, in runs, and distances by labels;
walk: steps and whole paths along next hops;
lookup: the single lookup, as fast as Python can do it;
version: what is known of one profile at one moment;
columns: that, from the columns of an asset;
engine: what is asked of whoever answers, and the answers of an asset;
rows: the translation of places into rows, and back.
"""
