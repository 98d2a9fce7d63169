"""Score-based search: over DAGs, over equivalence classes, over orders."""
