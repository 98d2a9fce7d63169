"""The page and the LaTeX table of an audit."""
