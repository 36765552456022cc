"""A project's recipe: read it, write the first one, check levels and watch them."""
