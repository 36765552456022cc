"""Find likely mistakes in levels that bake without an error."""
