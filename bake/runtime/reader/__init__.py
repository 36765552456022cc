"""Answer lookups from an asset. The modules build on each other in this order:

places: cells and node names, and the numbers that tables use for them;
hops: next hops as the asset holds them, in runs;
walk: steps and whole paths along next hops;
lookup: the single lookup, as fast as Python can do it;
tables: what lookups and searches ask of one profile;
baked: those tables, from the columns of an asset;
rows: the translation of places into rows of the tables, and back.
"""
