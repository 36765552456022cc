"""What is likely wrong with a level although it bakes."""
