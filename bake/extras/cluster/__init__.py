"""Bake on the workers of a Dask cluster: ``bake build --cluster``, see docs/many-machines.md."""
