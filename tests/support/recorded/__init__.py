"""Recorded answers: what every reader must answer on 24 levels, as baked and after changes.

``python -m tests.support.recorded`` compares, ``--record`` writes. CONTRIBUTING.md says when a
recording may change.
"""
