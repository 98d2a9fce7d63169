"""Settings and fixtures of all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Before numpy is imported: a second BLAS thread makes small inverses many times slower.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# A shell's background job ignores Ctrl-C, and so would the programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def sachs_folder():
    """The folder of sachs.csv, which is not part of the repository."""
    stated = os.environ.get("CAUSALASSAY_DATA")
    beside = Path(__file__).parents[2] / "shared" / "data"
    for folder in (Path(stated), beside) if stated else (beside,):
        if (folder / "sachs.csv").is_file():
            return folder
    pytest.skip("sachs.csv is absent; set CAUSALASSAY_DATA to its folder")
