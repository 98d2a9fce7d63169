"""Settings and fixtures of all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
