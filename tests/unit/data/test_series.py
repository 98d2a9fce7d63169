"""Data that are a series, and who may see them."""

import numpy as np
import pytest

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset, Problem, Regime, read, write
from causalassay.discovery import discover, make_algorithm
from causalassay.discovery.command import Command
from causalassay.discovery.registry import ALGORITHMS
from causalassay.environments.catalogue import environments
from causalassay.graphs import lagged_erdos_renyi
from causalassay.models import At, Do, SeriesSCM
from causalassay.risk import estimate
from causalassay.testing import check_algorithm

BUILT_IN = ALGORITHMS.built_in
FOR_SERIES = [e.name for e in ALGORITHMS.entries() if getattr(e.value, "rows", "") == "series"]
IN_ENVIRONMENTS = {one.name for home in environments().values() for one in home.algorithms}
"""The tests of adapters have them, where they are installed."""
WITHOUT_ROWS = ["empty", "random-sorting"]
NEEDED = {"acor": {"n_edges": 1}, "command": {"program": "true"}}


def series(n_nodes=3, n_samples=120, seed=0):
    rng = np.random.default_rng(seed)
    model = SeriesSCM().draw(lagged_erdos_renyi(n_nodes, 0.5, 1, rng), rng)
    return Dataset.from_values(model.sample(n_samples, rng), rows="series")


def test_what_rows_are_is_kept():
    data = series()
    assert data.permute_columns([2, 0, 1]).rows == "series"
    assert data.as_independent().rows == "independent"
    assert Dataset.from_values([[0.0], [1.0]]).rows == "independent"
    with pytest.raises(ValueError, match='"independent" or "series"'):
        Dataset.from_values([[0.0], [1.0]], rows="time")


def test_a_file_is_read_as_a_series(tmp_path):
    data = series()
    write(data, tmp_path / "series.csv")
    again = read(tmp_path / "series.csv", rows="series")
    assert again.rows == "series"
    assert np.array_equal(again.pooled, data.pooled)


def test_times_of_an_intervention_move_with_its_column():
    acts = (At(Do(0, 1.0), 5, 9),)
    regime = Regime("drug", [[1.0, 0.0], [1.0, 2.0]], (0,), acts)
    assert regime.permute_columns([1, 0]).intervention == (At(Do(1, 1.0), 5, 9),)


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {*FOR_SERIES, *WITHOUT_ROWS}))
def test_algorithms_for_independent_rows_refuse_a_series(name):
    algorithm = make_algorithm(name, **NEEDED.get(name, {}))
    with pytest.raises(NotApplicable, match="as_independent"):
        algorithm.discover(series(), np.random.default_rng(0))
    with pytest.raises(NotApplicable, match="as_independent"):
        discover(name, series(), np.random.default_rng(0), **NEEDED.get(name, {}))


@pytest.mark.parametrize("name", WITHOUT_ROWS)
def test_what_does_not_look_at_rows_runs_on_both(name):
    assert discover(name, series(), np.random.default_rng(0)).graph.shape == (3, 3)


@pytest.mark.parametrize("name", sorted(set(FOR_SERIES) - IN_ENVIRONMENTS))
def test_algorithms_for_series_conform_and_refuse_independent_rows(name):
    algorithm = make_algorithm(name)
    check_algorithm(algorithm)
    with pytest.raises(NotApplicable, match='rows="series"'):
        algorithm.discover(series().as_independent(), np.random.default_rng(0))


def test_a_program_that_promises_a_summary_is_given_series(tmp_path):
    program = tmp_path / "loop.sh"
    program.write_text("printf 'from,to\\nx0,x1\\nx1,x0\\n' > $2\n")
    command = Command(("sh", str(program)), promises="summary")
    found = command.discover(series(), np.random.default_rng(0))
    assert found.graph.sum() == 2
    with pytest.raises(NotApplicable, match="for series"):
        command.discover(series().as_independent(), np.random.default_rng(0))


def test_risk_refuses_a_series():
    with pytest.raises(ValueError, match="as_independent"):
        estimate(make_algorithm("empty"), series(), np.random.default_rng(0))


def test_a_problem_of_independent_rows_has_no_lags():
    rng = np.random.default_rng(0)
    graph = lagged_erdos_renyi(3, 0.5, 1, rng)
    with pytest.raises(ValueError, match="rows of the data are independent"):
        Problem.of_series(series().as_independent(), graph)
    with pytest.raises(ValueError, match="its summary is not the graph"):
        Problem(series(), ~graph.summary & ~np.eye(3, dtype=bool), lagged=graph)
