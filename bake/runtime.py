"""The former name of :mod:`bake.play`, which still works for one version."""

from bake.play import *  # noqa: F403
from bake.play import __all__  # noqa: F401
