"""The page of a graph that was found in one data file."""
