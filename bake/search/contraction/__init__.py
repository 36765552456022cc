"""Customizable contraction hierarchies: exact distances and paths on graphs whose weights change.

No table of an asset is made of them yet. ``python -m benchmarks contraction`` measures them, and
:mod:`bake.tables.labels` has the form in which distances by labels will be stored.
"""
