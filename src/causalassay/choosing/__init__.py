"""Which algorithm to take for one's own experiments, without a true graph."""
