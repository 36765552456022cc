"""Write the first recipe of a project: find its levels, and guess what their terrain means.

Every guess says what it was made from, so that a person can tell a good one from a bad one.
"""
