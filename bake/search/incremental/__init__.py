"""Searches that reuse their results when costs, starts or goals change."""
