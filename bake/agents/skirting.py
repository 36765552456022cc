"""Moved to :mod:`bake.school.skirting`."""

raise ImportError("bake.agents.skirting has moved: `from bake.school import trace_obstacles`")
