"""Customizable contraction hierarchies: exact distances and paths on graphs whose weights change.

`bake.play` builds one for each profile to answer queries on a changed level. Distance labels
(:mod:`bake.tables.labels`, :mod:`bake.play.reader.hops`) are computed from one as well.
``python -m benchmarks contraction`` measures them.
"""
