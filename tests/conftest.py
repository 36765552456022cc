"""Settings of all tests."""

from hypothesis import settings

# Machines that run tests are shared: how long one example takes says nothing about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
