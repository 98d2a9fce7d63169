"""The adapter of the assay, which environments run in place of their own."""
