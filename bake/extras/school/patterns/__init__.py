"""Pattern databases: tables of lower bounds for puzzles and plans."""
