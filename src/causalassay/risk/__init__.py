"""Causal risk: an estimate against held-out experiments, without a true graph."""
