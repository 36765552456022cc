"""This package searches the plane itself: what sees what, between walls."""
