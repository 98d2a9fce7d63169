"""The example that `causalassay new study` writes teaches a language that is understood."""

import re
from pathlib import Path

import pytest

from causalassay.cli.beginning import new_study, template
from causalassay.study.language.study_file import parse_study, read_study
from study_texts import HEAD, PROBLEM

STUDY_FILE = template("study.toml.template").template
OWN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class MyClass:
    threshold: float = 0.5

    def discover(self, data, rng):
        raise NotImplementedError
"""


def blocks():
    """The first and last line of each block that is switched off."""
    lines = STUDY_FILE.splitlines()
    off = [bool(re.match(r"#\S", line)) for line in lines]
    starts = [i for i, here in enumerate(off) if here and not (i and off[i - 1])]
    ends = [next(j for j in range(i, len(off) + 1) if j == len(off) or not off[j]) for i in starts]
    return list(zip(starts, ends, strict=True))


def switched_on(chosen):
    lines = STUDY_FILE.replace("$name", "trial").splitlines()
    for start, end in chosen:
        lines[start:end] = [line.removeprefix("#") for line in lines[start:end]]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "data.csv").write_text("a,b\n1,2\n2,1\n3,5\n4,5\n")
    (folder / "graph.csv").write_text("from,to\na,b\n")
    (folder / "my_algorithm.py").write_text(OWN)
    write_folders(folder)
    return folder


def write_folders(place):
    """Write a folder of data files and one of their graphs."""
    for name in ("data", "graphs"):
        (place / name).mkdir(parents=True)
    for number in range(2):
        rows = f"1,{number}\n2,1\n3,5\n4,5\n"  # the same file twice would be a mistake
        (place / "data" / f"{number}.csv").write_text("a,b\n" + rows)
        (place / "graphs" / f"{number}.csv").write_text("from,to\na,b\n")


@pytest.fixture(scope="module")
def plain_study(files):
    return parse_study(switched_on([]), files)


def test_the_written_study_is_read(tmp_path):
    study = read_study(new_study("first-look", tmp_path))
    assert ("first-look", 4, 9) == (study.name, len(study.problems), len(study.listed))
    assert 10 == study.replicates  # enough for the sign flips of a first verdict
    kinds = [entry.labels["model.kind"] for entry in study.problems]
    assert ["scm", "standardized", "iscm", "uumc"] == kinds


@pytest.mark.parametrize("block", blocks())
def test_each_block_can_be_switched_on(block, files, plain_study):
    study = parse_study(switched_on([block]), files)
    assert plain_study != study


def test_all_blocks_can_be_switched_on_together(files):
    study = parse_study(switched_on(blocks()), files)
    assert 4 * 2 * 2 + 5 + 1 + 2 == len(study.problems)
    assert study.algorithms[-1].role == "candidate"


def test_nothing_is_overwritten(tmp_path):
    file = new_study("mine", tmp_path / "new")
    file.write_text("changed")
    with pytest.raises(FileExistsError, match="exists already"):
        new_study("mine", tmp_path / "new")
    assert "changed" == file.read_text()


@pytest.mark.parametrize("name", ["a b", "../up", "", "a.toml"])
def test_names_that_are_no_folder_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="like first-look"):
        new_study(name, tmp_path)


def test_a_name_that_reads_like_an_option_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'-x' reads like an option"):
        new_study("-x", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def examples():
    """The TOML of the page on studies."""
    page = Path(__file__).parents[2] / "docs" / "studies.md"
    return re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", examples())
def test_the_examples_of_the_page_are_understood(example, tmp_path):
    rows = "9,1,2,cd3_cd28,\n7,2,1,cd3_cd28,\n5,3,5,drug,a\n3,4,5,drug,a\n"
    (tmp_path / "sachs.csv").write_text(f"id,a,b,condition,target\n{rows}")
    (tmp_path / "my_algorithm.py").write_text("class MyClass:\n    discover = None\n")
    (tmp_path / "graph.csv").write_text("from,to\na,b\n")
    write_folders(tmp_path / "alarm")
    head = "" if "replicates" in example else HEAD
    problem = "" if "[[problems]]" in example else PROBLEM
    study = parse_study(head + example + problem, tmp_path)
    assert study.problems
