"""The proof that experiments choose well, on few systems: rules, rates, rows and the page."""

import json

import numpy as np
import pytest
from calibration import choice_page, choice_rules, choice_systems, cited_rates

ALGORITHMS = choice_systems.ALGORITHMS


def made_up_row(kind, best):
    """Return a system on which `best` is right by every measure, and all others are wrong."""
    wrong = {name: 0.0 if name == best else 1.0 + k for k, name in enumerate(ALGORITHMS)}
    return {
        "cell": "system",
        "draw": 0,
        "kind": choice_systems.asdict(kind),
        "doubts": 0,
        "covers": [True, True],
        "taken": best,
        "default": "pc",
        **dict.fromkeys(("risk", "prediction", "sid", "oracle"), wrong),
        "held_out": {name: [one, one + 1] for name, one in wrong.items()},
        "bic": {name: -one for name, one in wrong.items()},
    }


@pytest.fixture(scope="module")
def rows():
    names = list(ALGORITHMS)
    return [
        made_up_row(kind, names[draw % 2 + 1]) for draw, kind in enumerate(choice_systems.kinds(60))
    ]


def test_the_best_is_found_by_what_tells_it(rows):
    rules = choice_rules.rules()
    right = ("choose", "weighted risk", "predictions", "held-out likelihood")
    for name in (*right, "its rank, mean over experiments", "risk and likelihood (mean rank)"):
        found = choice_rules.worth(rows, rules[name], "sid")
        assert (1.0, 0.0) == (found.share, found.regret)
    assert choice_rules.worth(rows, rules["interventional BIC"], "sid").share == 0.0
    assert choice_rules.worth(rows, rules["always ges"], "oracle").share == pytest.approx(0.5)
    at_random = choice_rules.worth(rows, rules["at random"], "sid")
    assert at_random.share == pytest.approx(1 / len(ALGORITHMS))


def test_limits_of_a_mean_are_near_those_of_the_normal_law():
    values = np.random.default_rng(0).normal(size=400)
    low, high = choice_rules.mean_limits(values)
    reach = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.01)


def test_within_5_percent_of_0_is_0_and_of_100_is_105():
    row = {"sid": {"a": 100.0, "b": 105.0, "c": 105.1}}
    shares = [
        choice_rules._expected(row, lambda _, n=n: {n: 1.0}, "sid", choice_rules._is_close)
        for n in "abc"
    ]
    assert [1.0, 1.0, 0.0] == shares
    row = {"sid": {"a": 0.0, "b": 0.01}}
    assert choice_rules._expected(row, lambda _: {"b": 1.0}, "sid", choice_rules._is_close) == 0.0


def test_what_is_always_taken_and_fails_is_as_bad_as_the_worst():
    row = {"sid": {"a": 1.0, "b": 4.0}}
    assert choice_rules._expected(row, lambda _: {"c": 1.0}, "sid", choice_rules._regret) == 3.0


def test_kinds_of_systems_are_balanced():
    kinds = choice_systems.kinds()
    assert len(kinds) == choice_systems.N_SYSTEMS == 200
    assert kinds[:50] == choice_systems.kinds(300)[:50]
    for name, least in {
        "world": 50,
        "edges_per_node": 60,
        "n_experiments": 60,
        "action": 90,
    }.items():
        _, counts = np.unique([getattr(kind, name) for kind in kinds], return_counts=True)
        assert counts.min() >= least


def test_a_system_is_the_same_at_every_call(monkeypatch):
    few = {"ges": {"penalty_discount": 2.0}, "xgies": {}, "mse-gds": {}}
    monkeypatch.setattr(choice_systems, "ALGORITHMS", few)
    row = choice_systems.system_row(("system", 1))
    assert json.loads(json.dumps(row)) == choice_systems.system_row(("system", 1))
    assert set(few) == set(row["risk"]) == set(row["sid"]) == set(row["bic"])
    assert all(0 <= one <= 90 for one in row["sid"].values())
    assert row["taken"] in few
    assert "xgies" == row["default"]
    other = choice_systems.system_row(("tuning", 1))
    assert row["kind"] == other["kind"]
    assert row["sid"] != other["sid"]


def test_the_page_has_its_tables_between_the_marks(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(cited_rates, "RATES", tmp_path / "rates.json")
    (tmp_path / "images").mkdir()
    page = tmp_path / "your-data.md"
    parts = [
        "\nold\n".join(choice_page.marks(name)) for name in ("choice-proof", "choice-proof details")
    ]
    page.write_text("\n\n".join(["before", parts[0], "my own words", parts[1], "after\n"]))
    choice_page.write(tmp_path, rows)
    choice_page.write(tmp_path, rows)  # a second time changes nothing
    text = page.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    first, details = text.split("my own words")
    assert first.count("| **choose** | 0.0 [0.0, 0.0] | 0.000 [0.000, 0.000] | 100 [94, 100]") == 1
    assert first.count("\n| always ") == len(ALGORITHMS)
    assert details.count("\n| always ") == len(ALGORITHMS)
    assert "Mean regret by kind of system" in details
    assert "The default was left in 60 of 60 systems" in details
    assert "in 0 of 60 systems" in json.loads((tmp_path / "rates.json").read_text())["choice"]
    assert "<svg" in (tmp_path / "images" / "choice.svg").read_text()
    page.write_text("no marks")
    with pytest.raises(ValueError, match="expected the marks"):
        choice_page.write(tmp_path, rows)
