"""This package makes and asks pattern databases, tables of lower bounds for puzzles and plans."""
