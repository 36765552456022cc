"""Visibility in the plane, between walls."""
