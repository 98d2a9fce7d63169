"""Simulations that measure the error rates of causalassay's rules."""
