"""The files of a paper: every mistake is told with its place."""

import shutil
from itertools import product

import pytest

from causalassay.lab.papers import Estimate, outcome_of, paper_slugs, read_paper
from causalassay.lab.papers.paper import papers_folder
from causalassay.lab.papers.running import sized_study
from causalassay.lab.papers.study_values import study_files

PAPER = """
title = "On chains"
authors = "A. Author"
year = 2020
doi = "10.1/x"
text = "journal"
[[items]]
name = "table-1"
what = "numbers"
"""
VALUE = """
[[values]]
id = "table-1/a"
item = "table-1"
kind = "number"
value = 1.0
quote = "is 1"
ours = {compute = "pairwise-bound", root = true}
"""


def paper(folder, values=VALUE, about=PAPER):
    (folder / "own").mkdir()
    (folder / "own" / "paper.toml").write_text(about, encoding="utf-8")
    (folder / "own" / "published.toml").write_text(values, encoding="utf-8")
    return read_paper("own", folder)


def test_a_small_paper_is_read(tmp_path):
    found = paper(tmp_path)
    assert ["table-1/a"] == [value.id for value in found.values_of("table-1")]
    assert 0 == found.minutes(["table-1"], "fast")


def test_a_hyphen_in_place_of_a_number_is_read_if_ours_is_not_judged_by_it(tmp_path):
    hyphen = VALUE.replace("value = 1.0", 'printed = "-"\nother_data = "our run"')
    (value,) = paper(tmp_path, hyphen).values
    assert ("-", None) == (value.shown, value.value)
    assert "other data" == outcome_of(value, Estimate(0.5, 0.1, 10))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value = 1.0\n", "", "table-1/a: a number needs a `value`"),
        ('item = "table-1"', 'item = "table-2"', "there is no item 'table-2'"),
        ("root = true", "roots = true", "'pairwise-bound': the argument 'root' is missing"),
        ("root = true", "roots = true", "no argument 'roots'; did you mean 'root'?"),
        ("pairwise-bound", "pairwise-bond", "did you mean 'pairwise-bound'?"),
        ("value = 1.0", 'value = "one"', "values[0].value: got"),
        ("quote", "quota", "values[0].quota: there is no such key; did you mean 'quote'?"),
        ('"number"', '"bound"', "table-1/a: a bound needs a `relation`"),
        ('"number"', '"choice"', 'the kind "choice" and `statistic = "choice"` belong together'),
        ("is 1", "word " * 26, "the quote has 26 words, at most 25"),
        ("ours", 'reason = "lost"\nours', "expected either `ours` or a `reason`"),
        (
            'ours = {compute = "pairwise-bound", root = true}',
            'reason = "lost"\nother_data = "our run"',
            "`other_data` says what ours is computed on",
        ),
        ("quote", 'stand_in = "ours"\nquote', "`stand_in` says which algorithm a computed bound"),
        ('{compute = "pairwise-bound", root = true}', '{compute = "study"}', "no study None"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path, old, new, message):
    with pytest.raises(ValueError, match="mistake") as error:
        paper(tmp_path, VALUE.replace(old, new, 1))
    assert message in str(error.value)


def test_all_mistakes_are_told_at_once(tmp_path):
    values = VALUE.replace("value = 1.0\n", "") + VALUE.replace('item = "table-1"', 'item = "b"')
    with pytest.raises(ValueError, match="3 mistakes") as error:
        paper(tmp_path, values)
    assert "2 values have this id" in str(error.value)


def test_an_extreme_needs_the_papers_number_of_draws(tmp_path):
    (tmp_path / "own").mkdir()
    shutil.copy(papers_folder() / "reisach2021" / "table-5.toml", tmp_path / "own" / "t.toml")
    (tmp_path / "own" / "paper.toml").write_text(
        PAPER + '[[studies]]\nfile = "t.toml"\nfast = 1\nfull = 2\nminutes = {}\n'
    )
    ours = (
        '{compute = "study", study = "t.toml", statistic = "minimum", '
        'rows = {problem = "x", column = "y"}}'
    )
    text = VALUE.replace('{compute = "pairwise-bound", root = true}', ours)
    (tmp_path / "own" / "published.toml").write_text(text)
    with pytest.raises(ValueError, match="needs a `block`"):
        read_paper("own", tmp_path)


def test_an_unknown_paper_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'reisach2021'"):
        read_paper("reisach2012")


@pytest.mark.parametrize("slug", paper_slugs())
def test_every_paper_of_the_package_reads_and_its_studies_have_what_its_values_name(slug, tmp_path):
    found = read_paper(slug)
    names = {}
    for size in found.studies:
        try:
            study = sized_study(found, size, "full", tmp_path)
        except FileNotFoundError:
            continue  # real data that are not on this machine
        problems = {problem.name for problem in study.problems}
        algorithms = {algorithm.name for algorithm in study.algorithms} | {"empty", "ACor"}
        columns = {metric.label for metric in study.metrics} | set(study.diagnostics)
        names[size.file] = (problems, algorithms, columns)
    for value, size in product(found.values, ("fast", "full")):
        ours = value.parameters(size)
        files = study_files(ours)
        if not files or not names.keys() >= set(files):
            continue
        problems, algorithms, columns = (
            set().union(*(names[file][part] for file in files)) for part in range(3)
        )
        for key in ("rows", "left", "right"):
            stated = ours.get(key, [])
            for one in [stated] if isinstance(stated, dict) else stated:
                named = one.get("problem", [])
                assert problems.issuperset([named] if isinstance(named, str) else named)
                by = one.get("algorithm", one.get("pair", "empty"))
                assert algorithms.issuperset([by] if isinstance(by, str) else by)
                assert "pair" in one or one["column"] in columns
