"""This package bakes levels while editors save them: what `bake watch` does.

notices: wakes when files of some folders change;
levels: bakes what changed, and says what came of it.
"""
