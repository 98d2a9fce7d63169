"""Linear models: exact moments, and the schemes that draw them at random."""
