"""Tests of independence, and the neighbourhoods and skeletons found by them."""
