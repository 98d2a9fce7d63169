"""The hall's real data and networks: what is left out, rivers, and claims on them."""

import gzip
from dataclasses import dataclass

import numpy as np
import pytest

from causalassay.graphs import chain, erdos_renyi
from causalassay.lab.hall import Settings, entries, measure
from causalassay.lab.hall.entry import SourceAbsent
from causalassay.lab.hall.reality import RIVERS, River, distinct_columns
from causalassay.lab.hall.reality_document import (
    CLAIM_LEVEL,
    PUBLISHED,
    likeness,
    reached,
    reality_document,
    verdict_on,
)
from causalassay.lab.hall.row import Cell
from causalassay.models import draw, read_bif
from causalassay.present.markdown import document_markdown
from pages import ROOT

SMALL = Settings(draws=3, nodes=6, samples=100)
DATA = ROOT.parent / "shared" / "data"
RAIN = """network rain { }
variable Rain { type discrete [ 2 ] { yes, no }; }
variable Wet { type discrete [ 2 ] { yes, no }; }
variable Copy { type discrete [ 2 ] { yes, no }; }
variable Always { type discrete [ 2 ] { yes, no }; }
variable Slip { type discrete [ 2 ] { yes, no }; }
probability ( Rain ) { table 0.3, 0.7; }
probability ( Wet | Rain ) { (yes) 0.9, 0.1; (no) 0.05, 0.95; }
probability ( Copy | Wet ) { (yes) 1, 0; (no) 0, 1; }
probability ( Always | Wet ) { (yes) 1, 0; (no) 1, 0; }
probability ( Slip | Copy, Always ) {
  (yes, yes) 0.6, 0.4; (no, yes) 0.1, 0.9; (yes, no) 0.5, 0.5; (no, no) 0.5, 0.5; }
"""

needs_data = pytest.mark.needs("data:networks/asia.bif.gz")


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "rain.bif.gz"
    path.write_bytes(gzip.compress(RAIN.encode()))
    return path


# Networks


def test_a_packed_network_is_read_as_the_plain_one(packed, tmp_path):
    plain = tmp_path / "rain.bif"
    plain.write_text(RAIN)
    first, other = read_bif(packed), read_bif(plain)
    assert first.names == other.names
    assert (first.graph == other.graph).all()
    assert (first.sample(50, 3) == other.sample(50, 3)).all()


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"no gzip" + b])
def test_a_damaged_packed_network_is_refused_with_the_reason(packed, damage):
    packed.write_bytes(damage(packed.read_bytes()))
    with pytest.raises(ValueError, match=r"rain\.bif\.gz: (breaks off|no gzip file)"):
        read_bif(packed)


def test_columns_that_say_nothing_are_left_out_and_a_copy_acts_as_its_original(packed):
    entry = entries(SMALL, bif=[packed])["rain"]
    data, graph = entry.source.draw(SMALL, 0)
    assert ("Rain", "Wet", "Slip") == data.columns
    assert chain(3).tolist() == graph.tolist()
    row = measure(entry, SMALL)
    assert ("ok", 3, 1, 3) == (row.status, row.n_draws, row.n_units, row.n_nodes)


def distinct_slowly(draws, graph):
    """Twin: nodes one by one in a causal order, by comparing with each earlier one."""
    d = len(graph)
    varying = [all(len(set(v[:, j])) > 1 for v in draws) for j in range(d)]
    graph, left = graph.copy(), [j for j in range(d) if varying[j]]
    for node in range(d):  # of the tests' graphs, in a causal order
        for earlier in range(node):
            pair = earlier in left and node in left
            if pair and any((v[:, earlier] == v[:, node]).all() for v in draws):
                graph[earlier] |= graph[node]
                graph[earlier, earlier] = False
                left.remove(node)
    return left, graph[np.ix_(left, left)]


@pytest.mark.parametrize("seed", range(8))
def test_distinct_columns_equal_a_slow_twin_in_one_draw(seed):
    rng = np.random.default_rng(seed)
    graph = np.triu(rng.random((8, 8)) < 0.4, 1)
    values = rng.integers(2, size=(4, 8))  # so few rows that many columns are alike
    shape = distinct_columns([values], graph)
    left, expected = distinct_slowly([values], graph)
    assert left == shape.chosen.tolist()
    assert expected.tolist() == shape.graph.tolist()
    assert 8 == len(left) + shape.n_constant + shape.n_copies


def test_all_draws_of_a_network_have_one_set_of_columns():
    rng = np.random.default_rng(5)
    graph = erdos_renyi(6, 1, rng)
    model = draw("dirichlet", graph, rng, levels=2)
    draws = [model.sample(6, rng) for _ in range(5)]
    shape = distinct_columns(draws, graph)
    for values in draws:
        chosen = values[:, shape.chosen]
        assert (np.ptp(chosen, axis=0) > 0).all()
        assert len(np.unique(chosen, axis=1).T) == len(shape.chosen)


@needs_data
def test_marginals_of_asia_are_those_of_all_its_configurations():
    model = read_bif(DATA / "networks" / "asia.bif.gz")
    joint, marginals = model.joint(), model.marginals()
    for node in range(model.n_nodes):
        others = tuple(axis for axis in range(model.n_nodes) if axis != node)
        assert np.allclose(joint.sum(axis=others), marginals.probabilities[node], atol=1e-12)
    shares = model.sample(20_000, 0).mean(axis=0)
    expected = [law[1] for law in marginals.probabilities]
    # 8 means, each beyond 4.5 standard errors in 1 of 10^5 samples.
    assert np.abs(shares - expected).max() < 4.5 * 0.5 / np.sqrt(20_000)


@needs_data
def test_the_largest_network_is_read_and_sampled(capsys):
    from time import perf_counter

    start = perf_counter()
    model = read_bif(DATA / "networks" / "munin.bif.gz")
    read = perf_counter()
    assert (1000, 1041) == model.sample(1000, 0).shape
    with capsys.disabled():
        print(  # noqa: T201  to be read, and no claim
            f" munin: read in {read - start:.1f} s, 1000 rows in {perf_counter() - read:.1f} s"
        )


# Rivers


@needs_data
@pytest.mark.parametrize("name", RIVERS)
def test_sortabilities_of_rivers_are_those_of_the_authors_notebook(name):
    row = measure(entries(SMALL, DATA)[name], SMALL)
    found = [row.cell(statistic).sortability for statistic in ("variance", "R2")]
    assert PUBLISHED[name] == pytest.approx(found, abs=0.00501)
    assert row.cell("variance").low <= found[0] <= row.cell("variance").high


@needs_data
def test_rows_with_missing_values_are_left_out_and_logarithms_undone():
    columns, stored, _ = River("upper-colorado", DATA).stations()
    data, _ = River("upper-colorado", DATA, exponentiated=True).draw(SMALL, 0)
    complete = stored[~np.isnan(stored).any(axis=1)]
    assert columns == data.columns
    assert np.allclose(np.exp(complete), data.observational_values)
    series, _ = River("upper-colorado", DATA, as_series=True).draw(SMALL, 0)
    assert ("series", "continuous") == (series.world, data.world)


def test_an_absent_river_says_which_files_are_needed(tmp_path):
    with pytest.raises(SourceAbsent, match=r"danube\.csv and danube-graph\.csv not found"):
        River("danube", tmp_path).draw(SMALL, 0)


# The page


@dataclass
class Point:
    """What the page asks of a row."""

    name: str
    x: float
    y: float
    spread: float = 0.1
    group: str = "package"
    world: str = "continuous"

    def cell(self, statistic):
        values = {"variance": self.x, "R2": self.y}
        if statistic not in values:
            return None
        kind = "no-evidence"
        return Cell(statistic, statistic, kind, values[statistic], self.spread, 1, 1, 0, 0)


def test_a_simulator_reaches_what_is_within_two_deviations_on_both_axes():
    near, far = Point("near", 0.6, 0.6, group="data set"), Point("far", 0.6, 0.9, group="data set")
    simulator = Point("wide", 0.5, 0.5)
    assert reached(simulator, near)
    assert not reached(simulator, far)
    assert [("wide", ["near"])] == [
        (row.name, names) for row, names in likeness([near, far, simulator])
    ]


def test_under_chance_the_rule_on_claims_errs_as_rarely_as_it_says():
    # Eight tests of uniform p-values at 5 % together: 400 tables with at least one wrong word.
    # If the rate is 5 %, more than 35 of 400 have a probability below 1 in 1000.
    rng, level = np.random.default_rng(11), CLAIM_LEVEL / 8
    wrong = 0
    for _ in range(400):
        claims = rng.random(4)
        words = [verdict_on(p, 1 - p, level) for p in claims]
        wrong += any(word != "not decided" for word in words)
    assert wrong <= 35


@needs_data
def test_the_page_says_what_was_left_out_and_the_claims():
    named = entries(SMALL, DATA)
    chosen = [f"{river}{ending}" for river in RIVERS for ending in ("", "-exp")]
    rows = [measure(named[name], SMALL) for name in ["network-asia", *chosen]]
    text = document_markdown(reality_document(rows, SMALL))
    assert "92 of 961 rows are complete" in text
    assert "8 are ours to the last printed digit" in text
    assert "| high variance-sortability | as stored |" in text
