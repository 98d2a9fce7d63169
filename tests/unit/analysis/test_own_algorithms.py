"""Your own algorithm against every other: the numbers on the page and in LaTeX, of each size."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from causalassay.analysis import analyse
from causalassay.analysis.comparison import compared_with_all, paired_differences
from causalassay.analysis.document import own_section
from causalassay.analysis.report.files import write_tables
from causalassay.analysis.tables import baselines_last, own_table
from causalassay.present.formatting import Interval, digits, formatted
from causalassay.present.html import block_html
from causalassay.present.latex import number, table_latex
from causalassay.study.pending import pending_tasks
from causalassay.study.storage import Store, study_table
from report_tables import study_like
from study_texts import HEAD, PROBLEM, parsed
from summary_twins import BASELINES, draw_table, with_frame
from verdict_twins import run_study

OWN = "ges"
COUNTS = "won / tied / lost"
METRICS = {"f1": "high", "shd": "low"}


SHOWN = 20
"""Of two numbers of nodes with as many rows, the one that is shown first."""


def analysed(metrics=METRICS, own=OWN, nodes=None):
    """An analysis with an algorithm of one's own, of all sizes or of the rows of one alone."""
    table = study_like(["pc", "ges", "lingam"], schemes=("raw", "iscm"), replicates=6)
    frame = table.frame.astype({"role": object})
    frame.loc[frame["algorithm"] == own, "role"] = "mine"
    lost = (frame["algorithm"] == "pc") & (frame["replicate"] == 0)
    frame.loc[lost, ["status", "reason"]] = ["failed", "no"]
    frame.loc[lost, list(table.metrics)] = math.nan
    if nodes is not None:
        frame = frame[frame["graph.n_nodes"] == nodes]
    return analyse(with_frame(table, frame, metrics=tuple(metrics), better=metrics))


class Cells(HTMLParser):
    """The rows of a page's tables, each a list of texts."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.strong = [], []
        self.feed(text)

    def handle_starttag(self, name, _):
        if name == "tr":
            self.rows.append([])
        elif name in ("td", "th"):
            self.rows[-1].append("")
        elif name == "strong":
            self.strong.append((len(self.rows) - 1, len(self.rows[-1]) - 1))

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def expected_pair(analysis, metric, other, scheme):
    """What `paired_differences` has of a pair, seen from the own algorithm."""
    frame = paired_differences(analysis.runs, most_opponents=100)
    frame = frame[(frame["metric"] == metric) & (frame["scheme"] == scheme)]
    for first, second, turned in ((OWN, other, False), (other, OWN, True)):
        found = frame[(frame["algorithm"] == first) & (frame["opponent"] == second)]
        if len(found):
            row = found.iloc[0]
            limits = [row["mean"], row["mean_low"], row["mean_high"]]
            counts = [row["wins"], row["ties"], row["losses"]]
            if turned:
                limits, counts = [-limits[0], -limits[2], -limits[1]], counts[::-1]
            if METRICS[metric] == "low":
                limits = [-limits[0], -limits[2], -limits[1]]
            return limits, counts
    raise AssertionError(other)


def is_clear(analysis, metric, other, scheme):
    """By scipy: whether mean differences over instances differ from 0, at 5 % over opponents."""
    runs = analysis.runs
    cells = np.flatnonzero(runs.cells["scheme"] == scheme)
    own, opponent = (
        runs.scores[metric][runs.algorithms.index(name), cells] for name in (OWN, other)
    )
    apart = pd.Series(own - opponent).groupby(runs.instances[cells]).mean().dropna()
    return ttest_1samp(apart, 0).pvalue <= 0.05 / (len(runs.algorithms) - 1)


@pytest.mark.parametrize("metric", METRICS)
def test_the_comparison_with_all_has_the_numbers_of_the_paired_differences(metric):
    analysis = analysed()
    frame = compared_with_all(analysis.runs, OWN)
    frame = frame[frame["metric"] == metric]
    others = [name for name in analysis.runs.algorithms if name != OWN]
    assert 2 * len(others) == len(frame)
    for row in frame.to_dict("records"):
        limits, counts = expected_pair(analysis, metric, row["opponent"], row["scheme"])
        assert pytest.approx(limits) == [row["gain"], row["gain_low"], row["gain_high"]]
        assert counts == [row["wins"], row["ties"], row["losses"]]


def test_the_sign_is_turned_where_low_is_better():
    analysis = analysed()
    frame = compared_with_all(analysis.runs, OWN)
    shd = frame[frame["metric"] == "shd"]
    assert pytest.approx((-shd["mean"]).tolist()) == shd["gain"].tolist()
    assert pytest.approx((-shd["mean_high"]).tolist()) == shd["gain_low"].tolist()
    assert (shd["gain_low"] <= shd["gain"]).all()
    frame = analysis.table.frame
    scores = frame[(frame["scheme"] == "iscm") & (frame["graph.n_nodes"] == SHOWN)]
    scores = scores.pivot_table(index=["problem", "replicate"], columns="algorithm", values="shd")
    row = shd[(shd["opponent"] == "lingam") & (shd["scheme"] == "iscm")].iloc[0]
    assert 12 == len(scores)
    assert (scores[OWN] < scores["lingam"]).sum() == row["wins"]
    assert (scores[OWN] > scores["lingam"]).sum() == row["losses"]


@pytest.mark.parametrize("metric", METRICS)
def test_the_table_of_the_page_has_the_numbers_of_the_paired_differences(metric):
    analysis = analysed({metric: METRICS[metric]})
    cells = Cells(block_html(own_section(analysis)))
    heads, *rows = cells.rows
    assert ["against", "raw", COUNTS, "iSCM", COUNTS] == heads
    order = [row.algorithm for row in analysis.matrix.rows if row.algorithm != OWN]
    assert order == [row[0].removesuffix(" baseline") for row in rows]
    bold = set(cells.strong)
    for place, (name, (_, *texts)) in enumerate(zip(order, rows, strict=True), 1):
        for column, scheme in ((1, "raw"), (3, "iscm")):
            limits, counts = expected_pair(analysis, metric, name, scheme)
            assert formatted(Interval(*limits), "signed") == texts[column - 1]
            assert " / ".join(map(str, counts)) == texts[column]
            assert is_clear(analysis, metric, name, scheme) == ((place, column) in bold)


@pytest.mark.parametrize("nodes", [SHOWN, 10])
@pytest.mark.parametrize("metric", METRICS)
def test_the_table_of_a_paper_has_the_numbers_of_the_paired_differences(metric, nodes, tmp_path):
    """Each size has a table, as if the study had no other."""
    metrics = {metric: METRICS[metric]}
    paths = {path.name: path for path in write_tables(analysed(metrics), tmp_path)}
    text = paths[f"mine-{OWN}-{nodes}-nodes.tex"].read_text(encoding="utf-8")
    analysis = analysed(metrics, nodes=nodes)
    table = baselines_last(own_table(analysis, OWN))
    assert text.endswith(table_latex(table))
    rows = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if " & " in line]
    assert ["against", "raw", COUNTS, "iSCM", COUNTS] == rows[0]
    assert {name for name in analysis.runs.algorithms if name != OWN} == {r[0] for r in rows[1:]}
    for name, *cells in rows[1:]:
        for scheme, (cell, wins) in (("raw", cells[:2]), ("iscm", cells[2:])):
            limits, counts = expected_pair(analysis, metric, name, scheme)
            mean, low, high = (digits(limit) for limit in limits)
            assert cell.startswith(r"\textbf{") == is_clear(analysis, metric, name, scheme)
            plain = re.sub(r"\\textbf\{(.*?)\} ", r"\1 ", cell)
            sign = "$+$" if limits[0] >= 0 else ""
            small = rf"{{\scriptsize [{number(low)}, {number(high)}]}}"
            assert f"{sign}{number(mean)} {small}" == plain
            assert " / ".join(map(str, counts)) == wins
    bare = re.sub(r"\\[\\{}$&#_%]", "", text)
    assert bare.count("{") == bare.count("}")


def test_without_an_own_algorithm_there_is_no_such_table(tmp_path):
    analysis = analysed(own="")
    assert own_section(analysis) is None
    assert not [path for path in write_tables(analysis, tmp_path) if "mine" in path.name]


def test_pairs_without_a_common_run_are_a_dash():
    table = draw_table(0, ("a", "b", *BASELINES))
    frame = table.frame
    frame.loc[frame["algorithm"] == "a", "role"] = "mine"
    lost = frame["algorithm"] == "b"
    frame.loc[lost, ["status", "reason"]] = ["failed", "no"]
    frame.loc[lost, ["f1", "shd"]] = np.nan
    analysis = analyse(with_frame(table, frame))
    (row,) = [row for row in Cells(block_html(own_section(analysis))).rows if row[0] == "b"]
    assert ["b", "–", "", "–", ""] == row
    assert "b & -- &  & -- & " in table_latex(own_table(analysis, "a"))


STUDY = HEAD + 'metrics = ["f1"]\n' + PROBLEM + '[[algorithms]]\nuse = "pc"\n'


def test_calling_an_algorithm_mine_recomputes_nothing(tmp_path):
    results = run_study(STUDY, tmp_path / "results")
    before = study_table(results).frame
    assert {"listed", "baseline"} == set(before["role"])
    for text, role in ((STUDY + "mine = true\n", "mine"), (STUDY, "listed")):
        study = parsed(text, tmp_path)
        with Store.open(results, study) as store:
            assert [] == list(pending_tasks(study, store, "main"))
            store.finish("completed")
        frame = study_table(results).frame
        assert {role} == set(frame.loc[frame["algorithm"] == "pc", "role"])
        assert sorted(before["key"]) == sorted(frame["key"])
        assert pytest.approx(sorted(before["f1"])) == sorted(frame["f1"])
