"""The frequencies of edges over bootstraps, against a slow twin, and what can go wrong."""

import json
import multiprocessing
import os
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import causalassay as ca
from causalassay.common.seeding import stream
from causalassay.contracts import Estimate, NotApplicable
from causalassay.data import Dataset, Regime
from causalassay.discovery import make_algorithm
from causalassay.discovery.python_files import from_file
from causalassay.present.terminal import document_text
from causalassay.resampling import AlgorithmFailed, bootstrap, draw_rows, edge_frequencies
from strategies import datasets, rngs


@dataclass(frozen=True)
class Correlated:
    """Join what is correlated; towards the later column, or without direction if strong."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        found = np.abs(np.corrcoef(data.pooled.T)) + 0.1 * rng.random()
        graph = np.triu(found > 0.3, 1)
        return Estimate(graph | (np.triu(found > 0.8, 1)).T, "pdag")


@dataclass(frozen=True)
class Fragile:
    """Fail where the first row is drawn, and stop the process where the last one is."""

    version: ClassVar[int] = 1
    ends: bool = False

    def discover(self, data, rng):
        if self.ends and multiprocessing.parent_process() is not None and data.pooled[0, 0] > 0:
            os._exit(3)
        if multiprocessing.parent_process() is None and data.pooled[0, 0] == 0.0:
            return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")
        if data.pooled[0].sum() > 2:
            raise KeyError("no such\nthing")
        if data.pooled[0].sum() < -2:
            raise NotApplicable("too negative")
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")


@dataclass(frozen=True)
class Warns:
    """Find what is correlated, and say that this is not enough."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        return replace(Correlated().discover(data, rng), info={"warning": "few rows"})


def experiments(n=60):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2 * n, 4)) @ np.triu(rng.normal(size=(4, 4)))
    values[n:, 1] = rng.normal(size=n)
    control = Regime("control", values[:n])
    return Dataset(tuple("abcd"), (control, Regime("do b", values[n:], (1,))), "control")


def slow_twin(algorithm, data, rng, n_bootstrap):
    """Count each pair of each bootstrap, one after the other."""
    seed = int(rng.integers(2**63))
    counts = {}
    for step in range(n_bootstrap):
        own = stream(seed, "bootstrap", step)
        order = own.permutation(data.n_nodes).tolist()
        regimes = []
        for regime in data.regimes:
            rows = own.integers(len(regime.values), size=len(regime.values))
            values = np.array([[regime.values[row][j] for j in order] for row in rows])
            targets = tuple(order.index(target) for target in regime.targets)
            regimes.append(Regime(regime.condition, values, targets))
        columns = tuple(data.columns[j] for j in order)
        shown = Dataset(columns, tuple(regimes), data.observational)
        graph = algorithm.discover(shown, own).graph
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                mark = {(1, 0): "->", (1, 1): "--"}.get((int(graph[i, j]), int(graph[j, i])))
                counts[one, other, mark] = counts.get((one, other, mark), 0) + 1
    return counts


@pytest.mark.parametrize("algorithm", [Correlated(), make_algorithm("gies")])
def test_frequencies_equal_those_of_a_slow_twin(algorithm):
    data = experiments()
    found = edge_frequencies(algorithm, data, np.random.default_rng(5), 12)
    counts = slow_twin(algorithm, data, np.random.default_rng(5), 12)
    for i, one in enumerate(data.columns):
        for j, other in enumerate(data.columns):
            assert counts.get((one, other, "->"), 0) == found.n_directed[i, j]
            assert counts.get((one, other, "--"), 0) == found.n_undirected[i, j]
    assert found.n_directed.sum() > 0
    assert not found.failures


def test_frequencies_are_probabilities_with_undirected_edges_half_each_way():
    found = edge_frequencies(Correlated(), experiments(), 5, 12)
    p = found.probabilities
    for i in range(4):
        for j in range(4):
            if i != j:
                forward, backward, undirected, absent = found.shares(i, j)
                assert forward + undirected / 2 == pytest.approx(p[i, j])
                assert 1 - absent == pytest.approx(p[i, j] + p[j, i])
                assert backward + undirected / 2 == pytest.approx(p[j, i])
    estimate = found.as_estimate()
    np.testing.assert_array_equal(found.estimate.graph, estimate.graph)
    np.testing.assert_allclose(p, estimate.probabilities)
    assert np.isfinite(ca.metrics.brier(np.triu(np.ones((4, 4), bool), 1), estimate))
    assert edge_frequencies(Correlated(), experiments(), 5, 0).as_estimate().probabilities is None


def test_the_probabilities_of_the_algorithm_itself_are_told():
    @dataclass(frozen=True)
    class Sure(Correlated):
        def discover(self, data, rng):
            return Estimate.of_probabilities(np.triu(np.full((data.n_nodes,) * 2, 0.75), 1))

    found = edge_frequencies(Sure(), experiments(), 5, 0)
    own = found.estimate.probabilities
    np.testing.assert_array_equal(own, found.as_estimate().probabilities)
    assert own.tolist() == found.to_dict()["probabilities"]
    assert "probabilities" not in edge_frequencies(Correlated(), experiments(), 5, 0).to_dict()


def test_a_warning_of_the_algorithm_stands_beside_the_graph():
    shown = document_text(edge_frequencies(Warns(), experiments(), 5, 0).document())
    assert "Few rows." in shown


def test_the_graph_is_that_of_all_rows():
    data = experiments()
    found = edge_frequencies(make_algorithm("gies"), data, 5, 3)
    np.testing.assert_array_equal(ca.discover("gies", data, 0).graph, found.estimate.graph)


def test_one_seed_gives_one_result_in_any_number_of_processes():
    data = experiments()
    one, two = (edge_frequencies(Correlated(), data, 5, 6, processes=n) for n in (1, 2))
    np.testing.assert_array_equal(one.n_directed, two.n_directed)
    np.testing.assert_array_equal(one.n_undirected, two.n_undirected)


def test_a_class_in_a_file_runs_in_processes(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom causalassay.contracts import Estimate\n"
        "class Chain:\n    def discover(self, data, rng):\n        print('hello')\n"
        "        return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), 'dag')\n"
    )
    algorithm = make_algorithm(f"{tmp_path}/mine.py:Chain")
    found = edge_frequencies(algorithm, experiments(), 1, 4, processes=2, permute_columns=False)
    assert [1.0, 1.0, 1.0] == [one.support for one in found.pairs()]


def test_a_direction_that_the_order_of_columns_decides_comes_out_both_ways():
    x = np.random.default_rng(1).normal(size=(200, 2))
    values = np.column_stack([x[:, 0], 0.8 * x[:, 0] + x[:, 1]])
    kept = edge_frequencies(Correlated(), values, 1, 60, permute_columns=False)
    turned = edge_frequencies(Correlated(), values, 1, 60)
    assert (1.0, 0.0) == (kept.directed[0, 1], kept.directed[1, 0])
    assert 0.2 < turned.directed[1, 0] < 0.8
    assert 1.0 == turned.joined[0, 1]


def test_failures_are_counted_with_their_reasons():
    values = np.random.default_rng(1).normal(size=(50, 3)) * 2
    values[0, 0] = 0.0
    found = edge_frequencies(Fragile(), values, 1, 40, permute_columns=False)
    assert 40 == found.n_bootstrap
    assert {"KeyError: 'no such\\nthing'", "too negative"} == {
        reason.replace("\\\\", "\\").partition(" (test_resampling.py, line ")[0]
        for reason in found.failures
    }
    assert 0 < found.n_failed == sum(found.failures.values()) < 40
    assert found.joined[0, 1] == 0.0


def test_a_failure_in_own_code_has_its_file_and_line(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Mine:\n    def discover(self, data, rng):\n"
        "        return np.linalg.inv(np.zeros((2, 2)))\n"
    )
    with pytest.raises(AlgorithmFailed, match=r"LinAlgError: .* \(mine.py, line 4\)$"):
        edge_frequencies(make_algorithm(f"{tmp_path}/mine.py:Mine"), experiments(), 1, 0)


def test_an_algorithm_that_leaves_the_program_is_a_failure(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import sys\nclass Mine:\n    def discover(self, data, rng):\n        sys.exit(0)\n"
    )
    with pytest.raises(AlgorithmFailed, match=r"SystemExit: 0 \(mine.py, line 4\)$"):
        edge_frequencies(make_algorithm(f"{tmp_path}/mine.py:Mine"), experiments(), 1, 0)


def test_a_process_that_ends_is_a_failure_with_its_exit_code():
    values = np.abs(np.random.default_rng(1).normal(size=(6, 2))) * 0.1
    values[:4] *= -1
    values[0, 0] = 0.0
    found = edge_frequencies(Fragile(ends=True), values, 2, 4, processes=1, permute_columns=False)
    lost = edge_frequencies(Fragile(ends=True), values, 2, 4, processes=2, permute_columns=False)
    assert not found.failures
    assert {"it ended its process (crashed: exit code 3)": 2} == lost.failures


def test_nothing_runs_on_after_an_error_of_the_caller():
    with pytest.raises(KeyboardInterrupt):
        edge_frequencies(Correlated(), experiments(), 1, 20, processes=2, on_progress=_interrupted)
    assert not multiprocessing.active_children()


def _interrupted(done, total):
    raise KeyboardInterrupt


@dataclass(frozen=True)
class Dies:
    """End the process of every bootstrap; where no process is its own, return no edges."""

    version: ClassVar[int] = 1

    def discover(self, data, rng):
        if multiprocessing.parent_process() is not None:
            os._exit(7)
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")


def test_bootstraps_that_all_end_their_process_are_no_endless_loop():
    with pytest.raises(ChildProcessError, match=r"3 times in a row.*exit code 7"):
        edge_frequencies(Dies(), experiments(), 1, 50, processes=2)
    assert not multiprocessing.active_children()


def test_an_isolated_algorithm_that_ends_its_process_is_an_error():
    with pytest.raises(AlgorithmFailed, match=r"ended its process on all rows.*exit code 7"):
        edge_frequencies(Dies(), experiments(), 1, 4, isolated=True)


def test_an_isolated_algorithm_gives_the_same_frequencies():
    here = edge_frequencies(Correlated(), experiments(), 5, 6)
    isolated = edge_frequencies(Correlated(), experiments(), 5, 6, processes=None, isolated=True)
    assert here.to_dict() == isolated.to_dict()
    with pytest.raises(NotApplicable, match="series"):
        edge_frequencies("granger-lasso", experiments(), isolated=True)


def test_an_algorithm_can_be_named_and_the_seed_left_out():
    values = experiments().observational_values
    named = edge_frequencies("pc", values, n_bootstrap=3)
    assert named.to_dict() == edge_frequencies(make_algorithm("pc"), values, 0, 3).to_dict()


@settings(max_examples=30)
@given(datasets(discrete=False), rngs())
def test_rows_are_drawn_within_their_condition(data, rng):
    try:
        drawn = draw_rows(data, rng)
    except ValueError:  # a column became constant, or like another
        reject()
    assert (data.conditions, data.columns) == (drawn.conditions, drawn.columns)
    for old, new in zip(data.regimes, drawn.regimes, strict=True):
        assert old.values.shape == new.values.shape
        assert old.targets == new.targets
        rows = {row.tobytes() for row in old.values}
        assert all(row.tobytes() in rows for row in new.values)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_the_frequencies_of_a_pair_sum_to_one(seed):
    found = edge_frequencies(Correlated(), experiments(20), seed, 5)
    for one in found.pairs(above=-1):
        assert 1.0 == pytest.approx(one.forward + one.backward + one.undirected + one.absent)


def test_a_pair_that_only_bootstraps_join_is_listed_last_and_marked():
    found = edge_frequencies(Correlated(), experiments(), 1, 10)
    empty = Estimate(np.zeros((4, 4), dtype=bool), "dag")
    without = ca.resampling.EdgeFrequencies(
        found.columns, empty, found.n_directed, found.n_undirected, 10
    )
    assert without.pairs()
    assert {""} == {one.mark for one in without.pairs()}
    assert all(one.forward >= one.backward for one in without.pairs())
    assert " ? " in repr(without)


def test_without_bootstraps_frequencies_are_undefined():
    found = edge_frequencies(make_algorithm("gies"), experiments(), 1, 0)
    assert np.isnan(found.joined).all()
    assert "–" in repr(found)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["edges"][0]["forward"] is None


def test_a_series_is_refused_unless_only_the_graph_is_asked_for():
    series = Dataset.from_values(np.random.default_rng(1).normal(size=(80, 2)), rows="series")
    algorithm = make_algorithm("granger-lasso")
    with pytest.raises(ValueError, match="series: they cannot be drawn one by one; pass n_boot"):
        edge_frequencies(algorithm, series, 1, 10)
    assert 0 == edge_frequencies(algorithm, series, 1, 0).n_bootstrap


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bootstrap": -1}, "n_bootstrap: expected a number from 0"),
        ({"processes": 0}, "processes: expected at least 1, got 0"),
    ],
)
def test_wrong_numbers(options, message):
    with pytest.raises(ValueError, match=message):
        edge_frequencies(Correlated(), experiments(), 1, **options)


def test_an_algorithm_that_does_not_apply_is_refused_at_once():
    with pytest.raises(NotApplicable, match="for series"):
        edge_frequencies(make_algorithm("granger-lasso"), experiments(), 1, 10)


def test_a_notebook_shows_the_graph_and_escapes_names():
    data = experiments().rename_columns({"a": "<b>a"})
    text = edge_frequencies(Correlated(), data, 1, 4)._repr_html_()
    assert 2 == text.count("<svg")
    assert "<b>a" not in text


def test_a_data_frame_has_a_row_for_each_pair():
    found = edge_frequencies(Correlated(), experiments(), 1, 4)
    rows = found.to_frame().replace({np.nan: None}).to_dict("records")
    assert found.to_dict()["edges"] == rows


def test_repr_is_at_most_ten_lines():
    graph = np.triu(np.ones((20, 20), dtype=bool), 1)
    counts = graph.astype(int)
    found = ca.resampling.EdgeFrequencies(
        tuple(f"x{k}" for k in range(20)), Estimate(graph, "dag"), counts, 0 * counts, 1
    )
    lines = repr(found).splitlines()
    assert 10 == len(lines)
    assert "… and 182 more" == lines[-2]


def test_a_slow_import_is_no_reason_for_a_second_process(tmp_path, monkeypatch):
    """It occurs once, and 20 bootstraps without it take no time."""
    (tmp_path / "slow_one.py").write_text(
        "import time\n"
        "import numpy as np\n"
        "from causalassay.contracts import Estimate\n"
        "time.sleep(2)\n"
        "class Slow:\n"
        "    def discover(self, data, rng):\n"
        "        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), 'dag')\n"
    )
    monkeypatch.setattr(bootstrap, "_workers", None)
    slow = from_file("slow_one.py:Slow", tmp_path, {})
    found = edge_frequencies(slow, np.random.default_rng(0).random((9, 3)), rng=1, n_bootstrap=20)
    assert {} == found.failures
