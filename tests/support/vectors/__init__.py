"""Make the vectors: levels as flat files, questions and answers, and damaged files."""
