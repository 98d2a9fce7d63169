"""Several data sets under one verdict: the rule for several instances, and what counts as one."""

import json
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import causalassay as ca
from causalassay.auditing import Audit, BaselineScore, Sortability, audit, audit_many, pool
from causalassay.auditing.document import file_table
from causalassay.auditing.pooled import claim_finding, measured_of, nothing_over_files
from causalassay.auditing.result import RANDOM_ORDERS, ColumnPlace
from causalassay.judging.artefacts import VARIANCE, artefacts_of
from causalassay.judging.data_set import no_evidence
from causalassay.judging.findings import Finding, FindingKind
from causalassay.judging.graph_check import GraphCheck
from causalassay.judging.over_instances import OrderClaim, OrderEvidence, judge_orders
from causalassay.present.latex import table_latex

MOST_WORDS = 30
CHECKED = Finding(
    FindingKind.GRAPH_NOT_REFUTED,
    numbers={"n_implied": 1},
    rule="graph check",
    words={"level": "1 %"},
)
NOTHING = no_evidence(["variance"], 0.3, 0.3, [0.5], "no evidence")
UNTESTED = Finding(FindingKind.UNDECIDED, rule="what is missing", words={"why": "it is a test"})


def made(p_value, edges=(("a", "b"),), sortability=0.8, gain=0.2, attainable=0.001):
    """An audit with chosen numbers for variance; R² follows nothing, and the others tie."""
    rows = (
        Sortability("variance", "paths", sortability, (0.7, 0.9), p_value, 1 - p_value),
        Sortability("R2", "paths", 0.5, (0.4, 0.6), 0.5, 0.5),
        *(
            Sortability(one.statistic, "paths", 0.5, (0.5, 0.5), 1.0, 1.0)
            for one in artefacts_of("continuous")[2:]
        ),
    )
    scores = [("rising", "variance", gain, p_value), ("falling", "variance", -gain, 1.0)]
    scores += [("rising", "R2", 0.0, 0.5), ("falling", "R2", 0.0, 0.5)]
    baselines = (
        *(
            BaselineScore(
                f"by {way} {name}",
                3.0,
                0.3 + up,
                p_order=p,
                statistic=name,
                direction=way,
                direction_score=up,
            )
            for way, name, up, p in scores
        ),
        BaselineScore(RANDOM_ORDERS, 5.0, 0.3, (3.0, 7.0), (0.1, 0.5), direction_score=0.0),
    )
    columns = tuple(ColumnPlace(name, 0, {"variance": 1.0, "R2": 0.5}) for name in "abc")
    return Audit(
        100, 3, len(edges), None, rows, baselines, (NOTHING, CHECKED), None,
        columns=columns, edges=edges, random_direction_counts=(0, 5, 0), attainable_p=attainable,
    )  # fmt: skip


GRAPHS = [(("a", "b"),), (("b", "a"),), (("a", "c"),), (("c", "a"),), (("b", "c"),), (("c", "b"),)]


def test_weak_evidence_on_many_graphs_adds_up():
    found = pool({str(k): made(0.1, graph) for k, graph in enumerate(GRAPHS)})
    assert ("gameable", "variance", 6) == (
        found.verdict.kind,
        found.verdict.statistic,
        found.n_units,
    )
    assert "6 files" in found.verdict.sentence


def test_files_on_one_graph_are_one_unit():
    """They may come from one model: to add their p-values up would count one chance many times."""
    found = pool({str(k): made(0.1) for k in range(6)})
    assert (1, "no-evidence") == (found.n_units, found.verdict.kind)
    assert "count as one instance (1 in all)" in found.verdict.advice


def test_the_verdict_is_that_of_the_rule_for_several_units():
    audits = {str(k): made(0.01 * (k + 1), graph) for k, graph in enumerate(GRAPHS)}
    measured = {
        artefact: np.array([measured_of(artefact, one)[:7] for one in audits.values()]).T
        for artefact in artefacts_of("continuous")
    }

    expected = judge_orders({key: OrderEvidence(*rows) for key, rows in measured.items()})
    assert expected == pool(audits).claims


def test_small_effects_in_many_units_are_no_finding():
    weak = [made(0.001, graph, sortability=0.55, gain=0.01) for graph in GRAPHS]
    assert "no-evidence" == pool(dict(enumerate(weak))).verdict.kind


def test_nothing_found_where_nothing_could_be_is_too_small():
    small = {str(k): made(0.5, graph, attainable=0.6) for k, graph in enumerate(GRAPHS)}
    found = pool(small)
    assert "too-small" == found.verdict.kind
    assert "two tests over instances" == found.verdict.rule


def test_a_file_that_cannot_be_tested_is_counted_and_left_out():
    untested = Audit(
        10, 3, 1, None, (), (), (UNTESTED, CHECKED), None,
        columns=made(0.1).columns, edges=(("a", "b"), ("a", "c")),
    )  # fmt: skip
    found = pool({"few": untested} | {str(k): made(0.1, graph) for k, graph in enumerate(GRAPHS)})
    assert "gameable" == found.verdict.kind
    assert "1 file of 7 could not be tested" in found.verdict.advice
    first = file_table(found).rows[0]
    assert ["few", 10, 3, 1] == first[:4]
    assert math.isnan(first[4])
    alone = pool({"few": untested})
    assert "undecided" == alone.verdict.kind
    assert math.isnan(alone.random_f1)
    assert math.isnan(alone.random_direction)
    table = file_table(alone)
    assert {len(table.columns)} == {len(row) for row in table.rows}
    assert " & -- & " in table_latex(table)


def test_a_statistic_that_ties_counts_as_no_evidence():
    values, graph = benchmark(0)
    found = audit_many({"a": (values / values.std(axis=0), graph)}, 0, n_bootstrap=0)
    by_variance = [claim for claim in found.claims if claim.artefact == VARIANCE]
    assert ["no-evidence", "no-evidence"] == [claim.kind for claim in by_variance]
    assert 1.0 == by_variance[0].sortable_p


def benchmark(seed, n_nodes=8, kind="scm"):
    rng = np.random.default_rng(seed)
    graph = ca.graphs.erdos_renyi(n_nodes, 2, rng)
    return ca.models.draw(kind, graph, rng).sample(300, rng), graph


def test_real_data_are_pooled_and_shown():
    done = []
    sets = {f"<set {seed}>": benchmark(seed) for seed in range(4)}
    found = audit_many(sets, 0, n_bootstrap=0, on_progress=done.append)
    assert ("gameable", "variance") == (found.verdict.kind, found.verdict.statistic)
    assert [1, 2, 3, 4] == done
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["verdict"]["kind"] == plain["findings"][0]["kind"]
    assert set(sets) == set(plain["audits"])
    shown = found._repr_html_()
    assert 2 == len(list(fragment(shown).iter("{http://www.w3.org/2000/svg}svg")))
    assert "&lt;set 1&gt;" in shown


def fragment(shown):
    """What a notebook shows, without the style (which is not XML) and parsed."""
    style = re.search("<style>.*?</style>", shown, re.DOTALL)[0]
    return ET.fromstring(shown.replace(style, "").replace("tabindex", " tabindex"))


def test_the_frame_of_several_files_has_a_row_for_each_and_one_for_all():
    found = pool({str(k): made(0.1, graph) for k, graph in enumerate(GRAPHS)})
    frame = found.to_frame()
    assert [*"012345", "all together"] == list(frame["file"])
    assert pytest.approx([0.8] * 7) == list(frame["sortability_variance"])
    assert pytest.approx([0.2, -0.2]) == frame["direction_variance"][0]


def test_graphs_that_are_refuted_are_named():
    values, graph = benchmark(4, 20)
    wrong = audit(values, graph.T, 0, n_bootstrap=0, pooled=True)
    found = pool({"bad": wrong, "good": audit(values, graph, 0, n_bootstrap=0, pooled=True)})
    assert "graph-refuted" == found.findings[-1].kind
    expected = "Refuted: bad. 1 of 2 graphs is refuted, 0 when transposed."
    assert expected == found.findings[-1].advice


@pytest.mark.parametrize(
    ("n_files", "transposed", "is_said"),
    [
        (12, FindingKind.GRAPH_NOT_REFUTED, True),
        (400, FindingKind.GRAPH_NOT_REFUTED, False),  # at 1 % each, 4 of 400 right graphs are
        (12, FindingKind.GRAPH_NOT_CHECKED, False),
        (12, FindingKind.GRAPH_REFUTED, False),
    ],
)
def test_graphs_are_called_reversed_only_if_more_are_refuted_than_by_chance(
    n_files, transposed, is_said
):
    """Three are refuted."""
    words = {"violated_level": "5 %", "share_as_few": "50 %"}
    numbers = {"n_implied": 9, "n_violated": 5}
    refuted = Finding(FindingKind.GRAPH_REFUTED, numbers=numbers, rule="graph check", words=words)
    right = made(0.01)
    wrong = replace(
        right,
        findings=(NOTHING, refuted),
        graph_check=GraphCheck(refuted, 9, 5, 0.001, 0.5, transposed),
    )
    found = pool({str(k): wrong if k < 3 else right for k in range(n_files)})
    assert f"3 of {n_files} graphs are refuted" in found.findings[-1].advice
    assert is_said == ("probably reversed" in found.findings[-1].advice)
    assert is_said == ("probably reversed" in found.verdict.advice)


def test_what_cannot_be_pooled_is_refused():
    values, graph = benchmark(0)
    with pytest.raises(ValueError, match="needs a graph for 'a'"):
        pool({"a": audit(values, None, 0)})
    with pytest.raises(ValueError, match="at least one data set"):
        pool({})
    series = ca.Dataset.from_values(values, rows="series")
    audits = {
        "a": audit(values, graph, 0, n_bootstrap=0),
        "b": audit(series, graph, 0, n_bootstrap=0),
    }
    with pytest.raises(ValueError, match="one kind, got several: a is continuous, b is series"):
        pool(audits)


shares = st.floats(0, 1)


@given(shares, st.floats(-1, 1), shares, shares, st.integers(1, 10_000), shares)
def test_sentences_over_files_take_at_most_thirty_words(value, gain, p_one, p_two, n, random_f1):
    kinds = [
        ("gameable", False, (True, True)),
        ("gameable-backwards", True, (True, True)),
        *(
            (kind, back, won)
            for back in (False, True)
            for kind, won in (("sortable-only", (True, False)), ("gain-only", (False, True)))
        ),
    ]
    for world in ("continuous", "discrete", "series"):
        claims = []
        for artefact in artefacts_of(world):
            for kind, back, won in kinds:
                claim = OrderClaim(artefact, back, kind, value, gain, p_one, p_two, won, n)
                check(claim_finding(claim, n, (random_f1, 0.0), value))
            claims.append(
                OrderClaim(
                    artefact, False, "no-evidence", value, gain, p_one, p_two, (False,) * 2, n
                )
            )
        check(nothing_over_files(claims, n, 0.0, np.full(2, p_one)))


def check(finding):
    claim, numbers = finding.sentence.split(" (", 1)
    assert len(finding.sentence.split()) <= MOST_WORDS, finding.sentence
    assert not any(letter.isdecimal() for letter in claim)
    assert numbers.endswith(").")
