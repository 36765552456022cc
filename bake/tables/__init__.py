"""Baked products of a world, one per module: components, next hops, distances, layers."""
