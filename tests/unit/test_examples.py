from pathlib import Path

import pytest

from causalassay.study.language import read_study

STUDIES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("*.toml"))


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_the_example_studies_can_be_read(file):
    study = read_study(file)
    assert file.stem == study.name
    assert study.n_tasks["main"] > 0


def test_there_are_example_studies():
    assert STUDIES
