"""Processes that run batches of tasks, here or on a cluster, and survive what happens to them."""
