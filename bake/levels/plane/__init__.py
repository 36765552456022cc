"""Read levels of shapes in the plane, and navigation meshes from other tools."""
