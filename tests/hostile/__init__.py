"""Functions and algorithms that do to a worker process what bad algorithms do."""
