"""Change levels while the game runs, and answer every question as a fresh bake would."""
