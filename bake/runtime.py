"""The former name of :mod:`bake.play`, which hands its names on for one version."""

from bake.play import *  # noqa: F403
from bake.play import __all__  # noqa: F401
