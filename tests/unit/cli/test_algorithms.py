"""Algorithms named on the command line: what is read, and the mistakes that are told."""

import pytest

from causalassay.cli.algorithms import read_algorithms, read_one_algorithm, read_study_algorithms
from causalassay.cli.options import complete_algorithm
from causalassay.discovery.python_files import PythonFile

FILE = """
from dataclasses import dataclass
@dataclass
class Mine:
    depth: int = 2
    def discover(self, data, rng): ...
"""


def test_names_tables_and_files_are_read_as_in_a_study(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    texts = ["ges", '{use = "pc", alpha = 0.5, name = "loose PC"}', "mine.py:Mine"]
    found = read_algorithms(texts, tmp_path)
    assert ["ges", "loose PC", "Mine"] == list(found)
    assert 0.5 == found["loose PC"].alpha
    assert isinstance(found["Mine"], PythonFile)


def test_a_grid_gives_several_algorithms():
    found = read_algorithms(['{use = "pc", grid.alpha = [0.01, 0.05]}'])
    assert [0.01, 0.05] == [algorithm.alpha for algorithm in found.values()]


def test_settings_are_toml_values_or_text(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    label, algorithm = read_one_algorithm("mine.py:Mine", ["depth = 3"], tmp_path)
    assert ("Mine", (("depth", 3),)) == (label, algorithm.parameters)
    assert "strict" == read_one_algorithm("pc", ["name=strict", "alpha=0.01"])[0]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["gis"], "^--algorithm: there is no algorithm 'gis'; did you mean 'gies'"),
        (["ges", "gis"], "^--algorithm 2: there is no algorithm 'gis'"),
        (["ges", "ges"], "^--algorithm 2: 'ges' is the same as 'ges' in --algorithm 1; remove one"),
        (['{use = "pc", alfa = 1}'], r"^--algorithm\.alfa: 'pc' has no such parameter; it takes"),
        (['{use = "pc"'], "^--algorithm: not TOML"),
        (['{use = "pc", alpha = nan}'], r"^--algorithm\.alpha: got nan, expected a number$"),
        (['{use = "pc",\nalpha = 1}'], "^--algorithm: the table has a line break"),
        (["  "], "^--algorithm: is empty"),
        (['{use = "pc", seconds = 5}'], r"^--algorithm\.seconds: is for studies"),
        (
            ['{use = "pc", tune = {criterion = "shd", grid = {alpha = [0.1, 0.2]}}}'],
            r"^--algorithm\.tune: a data file has no systems to tune on",
        ),
        (["absent.py:Mine"], "^--algorithm: there is no file 'absent.py'"),
        (["pcc", '{use = "ges", x = 1}'], "^--algorithm: 2 mistakes\n  --algorithm 1: there is"),
    ],
)
def test_mistakes_name_their_place(texts, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read_algorithms(texts, tmp_path)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("alpha", "--set: got 'alpha', expected NAME=VALUE"),
        ("use=ges", "--set: 'use' is stated twice"),
        ("alpha=high", '^--set alpha: got "high", expected a number'),
        ("alpha=7", "^--set alpha: the level of each test is between 0 and 1"),
        ("grid={alpha = [0.1, 7]}", r"^--set grid\.alpha\[1\]: the level of each test is between"),
        ("name.x=7", "^--set name.x: 'pc' has no such parameter"),
        ("grid={alpha = [0.1, 0.2]}", "its grid has 2 algorithms, expected one"),
    ],
)
def test_mistakes_in_settings_are_one_line(setting, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_one_algorithm("pc", [setting])
    assert "\n" not in str(caught.value)


def test_only_the_algorithms_of_a_study_are_read(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('algorithms = ["ges", {use = "pc", seconds = 5}]\n[[problems]]\nfoo = 1\n')
    assert ["ges", "pc"] == list(read_study_algorithms(path))


def test_a_study_without_algorithms_or_with_mistakes_is_refused(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text("seed = 1\n")
    with pytest.raises(ValueError, match="lists no algorithms"):
        read_study_algorithms(path)
    path.write_text('algorithms = ["ges", "gis"]')
    with pytest.raises(ValueError, match=r"^study.toml: algorithms\[1\]: there is no algorithm"):
        read_study_algorithms(path)


def test_the_python_files_of_a_study_run_only_if_allowed(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    path = tmp_path / "study.toml"
    path.write_text('algorithms = ["mine.py:Mine"]')
    with pytest.raises(ValueError, match="--allow-programs"):
        read_study_algorithms(path)
    assert ["Mine"] == list(read_study_algorithms(path, allow_programs=True))


def test_names_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    assert ["gies", "gies-gies"] == complete_algorithm("gi")
    assert ["mine.py"] == complete_algorithm("min")
