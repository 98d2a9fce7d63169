"""The same searches for any local score, such as those of discrete data."""
