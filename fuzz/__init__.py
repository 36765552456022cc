"""Fuzz all file readers: `python -m fuzz` (see CONTRIBUTING.md).

Any hostile file must result in a level, or in a BakeError with one short, printable line for each
mistake, in bounded time and memory.
"""
