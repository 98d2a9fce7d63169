"""From measured numbers to findings, by rules with names and measured error rates."""
