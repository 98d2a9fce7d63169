"""The page of algorithms judged on a factorial experiment."""
