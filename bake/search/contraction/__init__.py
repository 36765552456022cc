"""Customizable contraction hierarchies: exact distances and paths on graphs whose weights change.

Distances by labels (:mod:`bake.tables.labels`, :mod:`bake.runtime.reader.labels`) are made of them.
``python -m benchmarks contraction`` measures them.
"""
