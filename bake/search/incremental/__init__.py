"""Searches that go on from what they knew when costs, starts or goals change."""
