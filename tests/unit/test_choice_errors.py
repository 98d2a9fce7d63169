"""How often the sentences of `choose` are wrong: mistakes, rates, and where they are cited."""

import json

import pytest
from calibration import choice_error_rates, choice_errors, choice_page, choice_systems, cited_rates
from calibration.choice_systems import draw_system, kind_of

from causalassay.common.seeding import stream
from causalassay.graphs import is_dag
from causalassay.judging.findings import RULES

ORACLE = {"a": 0.1, "b": 0.3, "empty": 0.5, "complete": 0.7}


def said(**changed):
    """Return what is said where `a` is the best of two, and all is right."""
    right = {
        "rules": ["may be the best", "random graphs of its density"],
        "mutual": 0,
        "covers": {"a": True, "b": True},
        "density": "",
        "beaten": [],
        "may_be_best": ["a", "b"],
        "named": {"a": 3, "b": 5},
        "risk": {"a": 0.1, "b": 0.3},
        "oracle": ORACLE,
    }
    return right | changed


def row(algorithms, others):
    cells = dict.fromkeys(choice_errors.CANDIDATES, others)
    cells[choice_errors.BATCHES] = {"rules": [], "mutual": 1, "covers": {"a": True, "b": False}}
    return {"cell": "errors", "draw": 0, "said": {"algorithms": algorithms, **cells}}


def rates_of(rows):
    return {
        (rate.mistake.rule, rate.mistake.candidates): (rate.count, rate.total)
        for rate in choice_error_rates.error_rates(rows)
    }


def test_where_all_is_right_no_mistake_is_counted():
    rates = rates_of([row(said(), said())] * 3)
    assert {(0, 3)} == set(rates.values())
    assert ("best", "algorithms") not in rates  # it was never said


def test_each_mistake_is_counted_once():
    wrong = said(
        rules=["best", "density"],
        may_be_best=["b"],
        density="more",
        mutual=2,
    )
    unseen = said(beaten=["a", "b"], density="fewer")
    rates = rates_of([row(wrong, unseen), row(said(), said())])
    assert rates["random graphs of its density", "shuffled graphs"] == (1, 2)
    assert rates["may be the best", "algorithms"] == (1, 2)
    assert rates["density", "spoilt graphs"] == (1, 2)
    assert rates["no acyclic graph", "algorithms"] == (1, 2)
    for rule in ("best", "density"):
        assert rates[rule, "algorithms"] == (1, 1)
    assert choice_error_rates.mean_excess([row(wrong, unseen)]) == pytest.approx(0.2)


def test_the_page_and_the_output_cite_the_rates(tmp_path, monkeypatch):
    cited = tmp_path / "measured_rates.json"
    cited.write_text('{"graph check": "as before"}')
    monkeypatch.setattr(cited_rates, "RATES", cited)
    page = tmp_path / "your-data.md"
    page.write_text("\nold\n".join(choice_page.marks(choice_error_rates.PART)))
    rows = [row(said(), said(beaten=["a"])), *[row(said(), said())] * 99]
    for _ in range(2):  # a second time changes nothing
        choice_error_rates.write(tmp_path, rows)
        text = page.read_text()
        assert "old" not in text
        assert "in 100.0 % of 200 cases, and with batch effects in 50.0 % of 200." in text
        assert text.count("| 100 systems | 1.0 [0.2, 5.4] | 1.7 |") == 3
    rates = json.loads(cited.read_text())
    assert rates["graph check"] == "as before"
    assert rates["random graphs of its density"].startswith("worst case: one of 14 that")
    assert "in 0.0 % [0.0 %, 3.7 %] of 100 simulated systems" in rates["may be the best"]


def test_every_tested_rule_has_a_measured_rate():
    tested = ("choice", "random graphs of its density", "may be the best", "best", "density")
    resting = [other for name in tested for other in RULES[name].rests_on]
    assert all(RULES[name].rate for name in (*tested, *resting))


def test_a_system_is_the_same_at_every_call(monkeypatch):
    few = {name: {} for name in ("r2-sortnregress", "var-sortnregress")}
    monkeypatch.setattr(choice_systems, "ALGORITHMS", few)
    found = choice_errors.errors_row(("errors", 1))
    assert json.loads(json.dumps(found)) == choice_errors.errors_row(("errors", 1))
    said_of = {"algorithms", choice_errors.BATCHES, *choice_errors.CANDIDATES}
    assert said_of == set(found["said"])


def test_spoilt_graphs_are_dags_of_several_densities():
    rng = stream(0, "spoilt")
    system = draw_system(kind_of(0), rng)
    graphs = choice_errors.spoilt_graphs(system, {}, rng)
    assert len(graphs) == choice_errors.N_GRAPHS
    assert all(is_dag(graph) for graph in graphs.values())
    assert len({int(graph.sum()) for graph in graphs.values()}) > 3
