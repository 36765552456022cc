"""Agents on a baked level: who they are, what they know, and how many of them get along."""
