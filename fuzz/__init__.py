"""Fuzzing of everything that reads files: `python -m fuzz` (see CONTRIBUTING.md).

A hostile file may only ever come to a level or to a BakeError of one short, printable line for
each mistake, in bounded time and memory.
"""
