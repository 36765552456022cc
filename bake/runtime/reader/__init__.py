"""How an asset answers lookups. The modules, in the order they build on each other:

places: cells and node names, and the numbers that tables use for them;
hops: next hops as the asset holds them, a dense table or runs;
walk: following them, one step or whole paths;
lookup: the single lookup, as fast as Python goes;
tables: what lookups and searches ask of one profile;
baked: the same, from the columns of an asset;
rows: places into rows of the tables, and back;
things: links, regions, spots and doors.
"""
