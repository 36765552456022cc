"""Bake levels while editors save them, for `bake watch`.

notices: detects changes of files in some folders;
levels: bakes changed levels and reports the results.
"""
