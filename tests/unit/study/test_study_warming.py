"""Workers that start together share the compiling, and each has all kernels at the end."""

import os
import subprocess
import sys
import threading
from collections import Counter

import pytest

from causalassay.discovery import make_algorithm
from causalassay.graphs.sources import Chain, LaggedErdosRenyi
from causalassay.models import Dirichlet, NonlinearSCM, SeriesUUMC
from causalassay.study.driver import Progress
from causalassay.study.executors import Compiling
from causalassay.study.kernel_marks import (
    WITHOUT_KERNELS,
    algorithm_job,
    compiling,
    is_ready,
    n_under_way,
    ready_before_others,
)
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, Study
from causalassay.study.problem_specs import Generated
from causalassay.study.progress import Pace, log_lines
from causalassay.study.worker import batch_runner as warming
from waiting import LIMIT


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of kernels in which none has been compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))


def test_workers_share_the_jobs(tmp_path):
    by_worker = {}
    both_at_work = threading.Barrier(2)

    def job(name):
        def do():
            names = by_worker.setdefault(threading.get_ident(), [])
            names.append(name)
            if len(names) == 1:
                both_at_work.wait(LIMIT)

        return do

    def start():
        warming._share({name: job(name) for name in "abcd"}, tmp_path)

    workers = [threading.Thread(target=start) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert 2 == len(by_worker)
    # Each has done all, and they began with different ones.
    assert all("abcd" == "".join(sorted(names)) for names in by_worker.values())
    assert 2 == len({names[0] for names in by_worker.values()})


def small_study(spec, names=("empty", "pc")):
    entries = tuple(AlgorithmEntry(name, name, make_algorithm(name)) for name in names)
    metrics = (
        MetricEntry("f1", "as-is", label="f1"),
        MetricEntry("direction_p", "as-is", label="direction_p"),
    )
    return Study("s", 1, 1, (ProblemEntry("p", spec),), entries, metrics, ("var_sortability",))


@pytest.mark.parametrize(
    ("world", "model", "spec"),
    [
        ("continuous", "gp.scm", Generated(Chain(3), NonlinearSCM(), 100)),
        ("discrete", "discrete.dirichlet", Generated(Chain(3), Dirichlet(), 100)),
        ("series", "var.uumc", Generated(LaggedErdosRenyi(3, 0.5, 1), SeriesUUMC(), 100)),
    ],
)
def test_workers_are_warmed_on_the_kinds_of_data_that_the_study_has(world, model, spec):
    study = small_study(spec)
    jobs = warming.scoring_jobs(study)
    # What takes longest comes first.
    expected = [f"{world} metric direction_p", f"{world} metric f1", f"model {model}"]
    assert expected == list(jobs)
    assert {f"{world} diagnostic var_sortability"} == set(warming.measuring_jobs(study))
    jobs[f"model {model}"]()


def test_a_job_is_marked_as_ready_once_it_has_been_compiled(cache, tmp_path):
    with compiling("a job", tmp_path):
        assert 1 == n_under_way(tmp_path)
        assert not is_ready("a job")
    assert 0 == n_under_way(tmp_path)
    assert is_ready("a job")
    with compiling("a job", tmp_path):
        assert 0 == n_under_way(tmp_path)


def test_a_job_that_fails_is_not_ready(cache, tmp_path):
    with pytest.raises(ZeroDivisionError), compiling("a job", tmp_path):
        _ = 1 / 0
    assert 0 == n_under_way(tmp_path)
    assert not is_ready("a job")


def test_algorithms_without_kernels_begin_while_others_are_compiled(cache, tmp_path):
    study = small_study(Generated(Chain(3), NonlinearSCM(), 100))
    assert {0} == ready_before_others(study)
    with compiling(algorithm_job("pc", "continuous"), tmp_path):
        pass
    assert set() == ready_before_others(study)


def test_algorithms_said_to_have_no_kernels_compile_nothing(tmp_path):
    code = f"""
import numpy as np
import causalassay as ca
values = np.random.default_rng(0).normal(size=(50, 4)).cumsum(axis=1)
for name in {sorted(WITHOUT_KERNELS)}:
    ca.discover(name, values, 1, **({{"n_edges": 3}} if name == "acor" else {{}}))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "empty-cache")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert [] == list(tmp_path.rglob("*.nbi"))


COMPILING = "compiling kernels, 3 of 12 (once per installation)"


@pytest.mark.parametrize(
    ("now", "line"),
    [
        ((0, None), "running: 0 of 720"),
        ((0, Compiling(3, 12)), f"running: {COMPILING}"),
        ((5, Compiling(3, 12)), f"running: 5 of 720, {COMPILING}"),
    ],
)
def test_the_progress_line_says_that_kernels_are_compiled(now, line):
    rows, far = now
    lines = []
    log_lines(lines.append, clock=lambda: 0.0)(
        Progress("main", 720, Counter(ok=rows), rows, compiling=far)
    )
    assert [line] == lines


def test_the_progress_line_tells_the_most_frequent_reason():
    lines = []
    reasons = Counter({"timeout: more than 5 s": 2, "raised KeyError: [x]": 1})
    log_lines(lines.append, clock=lambda: 0.0)(
        Progress("main", 9, Counter(ok=1, failed=1, timeout=2), 4, reasons)
    )
    expected = "running: 4 of 9, 1 failed, 2 timeout, most often “timeout: more than 5 s” (2)"
    assert [expected] == lines


def test_the_time_that_compiling_takes_is_not_taken_for_the_pace():
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.text(Progress("main", 50, Counter(), 0, compiling=Compiling(3, 12)))
    now[0] = 100.0
    pace.text(Progress("main", 50, Counter(ok=20), 20, compiling=Compiling(11, 12)))
    now[0] = 105.0
    assert "2.0/s, 0:00:10 left" == pace.text(Progress("main", 50, Counter(ok=30), 30))


def test_a_worker_does_not_import_what_only_tables_need():
    """Each worker would start later, and so would the first row come."""
    code = "import sys, causalassay.study.worker.batch_runner; sys.exit('pandas' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode
