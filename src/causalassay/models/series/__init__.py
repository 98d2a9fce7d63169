"""Series: vector autoregressions with an exact stationary law."""
