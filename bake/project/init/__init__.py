"""Write the first recipe of a project: find its levels and guess the terrain in them.

Each guess in the recipe has a comment with its reason, so that a person can judge it.
"""
