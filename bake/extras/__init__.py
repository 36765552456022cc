"""Optional parts, which register themselves with the core; the core imports none."""
