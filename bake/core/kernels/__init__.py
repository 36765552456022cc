"""Kernels: functions over arrays that numba compiles, and the disk cache of compiled code."""
