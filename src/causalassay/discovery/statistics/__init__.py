"""What tests, scores and regressions need of the data, computed once."""
