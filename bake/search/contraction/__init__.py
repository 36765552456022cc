"""Customizable contraction hierarchies: exact distances and paths on graphs whose weights change.

A reader makes one of its own graph, to answer on a level that changes. Distances by labels
(:mod:`bake.tables.labels`, :mod:`bake.play.reader.hops`) are made of them as well.
``python -m benchmarks contraction`` measures them.
"""
