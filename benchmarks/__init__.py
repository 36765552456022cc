"""Benchmarks of bake, compared with other libraries: `python -m benchmarks [NAME ...]`.

What is measured is checked first. Contenders take turns in one run of one process, and medians are
told.
"""
