"""Read levels that are drawn as shapes in the plane, and navigation meshes made elsewhere."""
