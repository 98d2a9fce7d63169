"""What we do with the library: hall, papers, factorial experiments, live systems, bundles."""
