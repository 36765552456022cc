"""This package finds what is likely wrong with a level although it bakes."""
