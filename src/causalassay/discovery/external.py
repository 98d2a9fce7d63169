"""A fence around libraries that draw from global random state, or talk too much."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator


@contextlib.contextmanager
def fenced(rng: Generator) -> Iterator[None]:
    """Seed the global generators from `rng`, silence the library, and put all back afterwards.

    Examples
    --------
    >>> import numpy as np
    >>> before = random.getstate()
    >>> with fenced(np.random.default_rng(0)):
    ...     print("nobody hears this")
    >>> before == random.getstate()
    True
    """
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
    random.seed(int(rng.integers(2**32)))
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
