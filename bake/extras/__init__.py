"""Optional parts of bake. The core imports none; :mod:`bake.core.extras` finds what they register.

A package here may import any room of the core. What the core may use of it is listed in
``ENTRIES`` of its module ``entries``.
"""
