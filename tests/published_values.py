"""The numbers that papers print, from their files: a correction there reaches the tests."""

from functools import cache

from causalassay.lab.papers import read_paper


@cache
def published(slug):
    """Return the published numbers of a paper by their ids."""
    values = read_paper(slug).values
    return {value.id: value.number for value in values if value.value is not None}
