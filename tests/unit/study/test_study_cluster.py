import importlib
import os
import signal
import sys
from dataclasses import replace

import psutil
import pytest
from distributed import Client

from causalassay.discovery import make_algorithm
from causalassay.discovery.python_files import from_file
from causalassay.environments import installing
from causalassay.graphs.sources import ErdosRenyi
from causalassay.models import SCM
from causalassay.processes.limits import Limits, Loss, NoWorkers
from causalassay.processes.process_tree import kill_tree
from causalassay.processes.resources import VISIBLE, Needs
from causalassay.study import cluster_executor as cluster
from causalassay.study.cluster_executor import DaskExecutor
from causalassay.study.estimate_encoding import decode
from causalassay.study.executors import LocalExecutor
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, RunTask, Study
from causalassay.study.problem_specs import Generated
from clusters import Cluster
from hostile.algorithms import Hostile, Reserving, Spy, Vandal
from waiting import LIMIT, eventually

NO_LIMITS = Limits(None, None)


def study_of(*algorithms, limits=NO_LIMITS):
    return Study(
        "test",
        1,
        5,
        (ProblemEntry("p", Generated(ErdosRenyi(5, 1.0), SCM(), 100)),),
        tuple(
            AlgorithmEntry(f"a{n}", "x", algorithm, limits=limits)
            for n, algorithm in enumerate(algorithms)
        ),
        (MetricEntry("shd", "as-is"),),
        (),
    )


def task(algorithm, replicate=0):
    return RunTask("main", 0, replicate, algorithm, algorithm, (0,))


def collect(executor, count):
    """Return so many outcomes, by batch."""
    outcomes = {}

    def complete():
        outcomes.update(executor.completed(0.2))
        return len(outcomes) >= count

    eventually(complete)
    return outcomes


def number_in(path):
    return int(eventually(lambda: path.exists() and path.read_text()))


def spawned(parents):
    """Return the Python processes that some processes have started, and they in turn."""
    return {
        child for parent in parents for child in parent.children(recursive=True) if is_worker(child)
    }


def is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return False


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let connecting to a scheduler take as long as it takes."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", LIMIT)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    nowhere = {installing.FOLDER_VARIABLE: str(tmp_path_factory.mktemp("no-environments"))}
    running = Cluster(tmp_path_factory.mktemp("cluster"), nowhere)
    running.worker("--no-nanny")
    running.worker()
    with Client(running.address) as client:
        client.wait_for_workers(2, timeout=LIMIT)
    yield running
    running.stop()


@pytest.fixture
def own(tmp_path):
    running = Cluster(tmp_path)
    yield running
    running.stop()


def without_times(records):
    """Return what can be compared: as text, since nan is not equal to itself."""
    return repr([replace(record, seconds=0.0, cells={}, wall=0.0) for record in records])


def test_tasks_that_need_a_card_go_to_the_dask_worker_that_has_one(own):
    """Cards are simulated: one worker sees card 5, the other none."""
    for cards in ("", "5"):
        own.environment[VISIBLE] = cards
        own.worker()
    with Client(own.address) as client:
        client.wait_for_workers(2, timeout=LIMIT)
    study = study_of(Reserving(name="plain"), Reserving(name="on a card"))
    needs = Needs(threads=2, gpus=0.5)
    study = replace(
        study, algorithms=(study.algorithms[0], replace(study.algorithms[1], needs=needs))
    )
    batches = [(task(algorithm, replicate),) for replicate in range(3) for algorithm in (0, 1)]
    with DaskExecutor(study, own.address) as executor:
        for batch in batches:
            executor.submit(batch, NO_LIMITS, study.algorithms[batch[0].algorithm].needs)
        outcomes = collect(executor, len(batches))
    for batch in batches:
        (record,) = outcomes[batch]
        assert ("ok", "") == (record.status, record.reason)
        seen = decode(record.estimate).info
        expected = ("5", "2") if batch[0].algorithm else ("", "1")
        assert expected == (seen[VISIBLE], seen["OMP_NUM_THREADS"])


def test_a_task_waits_for_the_worker_with_a_card_when_it_is_lost_for_a_while(own):
    """On a busy machine a batch was sent to a worker without a card, which skipped it."""
    own.environment[VISIBLE] = "5"
    first = own.worker()
    with Client(own.address) as client:
        client.wait_for_workers(1, timeout=LIMIT)
        needs = Needs(gpus=1.0)
        study = study_of(Reserving(name="on a card"))
        study = replace(study, algorithms=(replace(study.algorithms[0], needs=needs),))
        with DaskExecutor(study, own.address) as executor:
            executor.submit((task(0),), NO_LIMITS, needs)
            assert "ok" == collect(executor, 1)[(task(0),)][0].status
            kill_tree(first)
            own.environment[VISIBLE] = ""
            own.worker()
            eventually(lambda: _cards_of(client) == [None])
            executor.submit((task(0, 1),), NO_LIMITS, needs)
            own.environment[VISIBLE] = "5"
            own.worker()
            (record,) = collect(executor, 1)[(task(0, 1),)]
    assert ("ok", "") == (record.status, record.reason)
    assert "5" == decode(record.estimate).info[VISIBLE]


def _cards_of(client):
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return [worker["resources"].get(cluster.CARDS) for worker in workers]


def test_a_cluster_gives_the_same_records_as_this_machine(shared):
    study = study_of(make_algorithm("pc"), Hostile("raise_error", "no data"))
    batches = [(task(0, replicate), task(1, replicate)) for replicate in range(4)]
    records = []
    for executor in (DaskExecutor(study, shared.address), LocalExecutor(study, 2)):
        with executor:
            assert 2 == executor.workers
            for batch in batches:
                executor.submit(batch, Limits(None, None))
            outcomes = collect(executor, len(batches))
        records.append([without_times(outcomes[batch]) for batch in batches])
    assert records[0] == records[1]


def test_a_class_of_a_file_runs_on_a_cluster_that_has_not_the_file(shared, tmp_path):
    code = (
        "import numpy as np\nfrom causalassay.contracts import Estimate\nclass Mine:\n"
        "    def discover(self, data, rng):\n"
        "        return Estimate(np.eye(data.n_nodes, k=1, dtype=bool), 'dag')\n"
    )
    (tmp_path / "mine.py").write_text(code)
    study = study_of(from_file("mine.py:Mine", tmp_path, {}))
    (tmp_path / "mine.py").unlink()
    with DaskExecutor(study, shared.address) as executor:
        executor.submit((task(0),), NO_LIMITS)
        ((record,),) = collect(executor, 1).values()
    assert ("ok", 4) == (record.status, int(decode(record.estimate).graph.sum()))


def test_an_environment_that_a_worker_has_not_is_a_skipped_row_with_the_command(shared):
    study = study_of(make_algorithm("tetrad-pc"), make_algorithm("lingam-ica"))
    with DaskExecutor(study, shared.address) as executor:
        executor.submit((task(0), task(1)), NO_LIMITS)
        (records,) = collect(executor, 1).values()
    for record, name in zip(records, ("tetrad", "lingam"), strict=True):
        assert "skipped" == record.status
        assert record.reason == (
            f"the environment {name} is not installed: causalassay env install {name}, "
            "then run the study with --retry skipped"
        )


def test_limits_hold_on_a_cluster(shared):
    expected = {
        Hostile("segfault"): "crashed: killed by signal 11 (SIGSEGV)",
        Hostile("hang_in_c"): "timeout: more than 2 s",
        Hostile("allocate", 900): "memory: more than 700 MB",
    }
    study = study_of(*expected, limits=Limits(LIMIT, 700 * 10**6))
    crashing, hanging, hungry = study.algorithms
    # Only what never ends by itself has a short limit: others may take long on a busy machine.
    hanging = replace(hanging, limits=Limits(2.0, 700 * 10**6))
    study = replace(study, algorithms=(crashing, hanging, hungry))
    with DaskExecutor(study, shared.address) as executor:
        for index in range(3):
            executor.submit((task(index),), Limits(None, None))
        outcomes = collect(executor, 3)
    assert [*expected.values()] == [outcomes[task(index),][0].reason for index in range(3)]


def test_an_algorithm_on_a_cluster_finds_neither_the_truth_nor_the_seed(shared):
    study = replace(study_of(Spy("918273645"), Vandal(), make_algorithm("pc")), seed=918_273_645)
    outcomes = []
    for executor in (DaskExecutor(study, shared.address), LocalExecutor(study, 1)):
        with executor:
            for index in range(3):
                executor.submit((task(index),), Limits(None, None))
            outcomes.append(collect(executor, 3))
    spied = outcomes[0][task(0),][0]
    assert [] == decode(spied.estimate).info["seen"]
    for index in range(3):
        here, there = (without_times(outcome[task(index),]) for outcome in outcomes)
        assert here == there


def test_leaving_ends_what_runs_on_the_cluster(shared, tmp_path):
    before = spawned(shared.started)
    study = study_of(Hostile("report_and_hang", str(tmp_path / "pid")), Hostile("hang_in_c"))
    with DaskExecutor(study, shared.address) as executor:
        for batch in [(task(0),), (task(1),), (task(0, 1),)]:
            executor.submit(batch, Limits(None, None))
        assert [] == executor.completed(0.1)
        pid = number_in(tmp_path / "pid")
        assert before < spawned(shared.started)
    eventually(lambda: not psutil.pid_exists(pid))
    eventually(lambda: spawned(shared.started) <= before)


def test_other_versions_on_a_worker_are_refused(shared, monkeypatch):
    wanted = cluster.versions() | {"numpy": "0.9"}
    monkeypatch.setattr(cluster, "versions", lambda: wanted)
    with (
        pytest.raises(NoWorkers, match=r"it has numpy .* \(the driver has 0.9\); install the same"),
        DaskExecutor(study_of(Hostile()), shared.address),
    ):
        pass


def test_a_killed_dask_worker_loses_nothing_and_a_new_one_takes_over(own, tmp_path):
    first = own.worker("--no-nanny")
    study = study_of(Hostile("report_and_hang_once", str(tmp_path / "pid")), Hostile())
    with DaskExecutor(study, own.address) as executor:
        batches = [(task(0),), *((task(1, replicate),) for replicate in range(5))]
        for batch in batches:
            executor.submit(batch, Limits(None, None))
        pid = number_in(tmp_path / "pid")
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        eventually(lambda: not psutil.pid_exists(pid))
        own.worker("--no-nanny")
        outcomes = collect(executor, len(batches))
        assert ["ok"] * 6 == [outcomes[batch][0].status for batch in batches]


def test_an_answer_that_dies_with_its_dask_worker_is_computed_again(own):
    first = own.worker("--no-nanny")
    with DaskExecutor(study_of(Hostile()), own.address) as executor:
        batch = (task(0),)
        executor.submit(batch, Limits(None, None))
        (future,) = executor._submitted
        eventually(lambda: future.status == "finished")
        os.kill(first.pid, signal.SIGKILL)
        eventually(lambda: future.status == "lost")
        assert [] == executor.completed(0.2)
        own.worker("--no-nanny")
        assert "ok" == collect(executor, 1)[batch][0].status


def test_a_batch_that_the_scheduler_forgets_is_computed_again(own):
    with DaskExecutor(study_of(Hostile()), own.address) as executor:
        batch = (task(0),)
        executor.submit(batch, Limits(None, None))
        (future,) = executor._submitted
        executor._client.cancel([future])
        assert "cancelled" == future.status
        assert [] == executor.completed(0.2)
        own.worker("--no-nanny")
        assert "ok" == collect(executor, 1)[batch][0].status


def test_a_scheduler_that_was_started_anew_knows_nothing_of_the_batches(own):
    with DaskExecutor(study_of(Hostile()), own.address) as executor:
        executor.submit((task(0),), Limits(None, None))
        (future,) = executor._submitted
        executor._client.cancel([future])
        executor._scheduler = "Scheduler-of-before"
        with pytest.raises(ConnectionError, match="the connection to the dask scheduler"):
            executor.completed(0.2)


def test_a_dask_worker_that_leaves_hands_its_batches_on(own, tmp_path):
    first = own.worker("--no-nanny")
    study = study_of(Hostile("report_and_hang_once", str(tmp_path / "pid")), Hostile())
    with DaskExecutor(study, own.address) as executor:
        batches = [(task(0),), *((task(1, replicate),) for replicate in range(3))]
        for batch in batches:
            executor.submit(batch, Limits(None, None))
        pid = number_in(tmp_path / "pid")
        first.terminate()
        own.worker("--no-nanny")
        outcomes = collect(executor, len(batches))
        assert ["ok"] * 4 == [outcomes[batch][0].status for batch in batches]
        eventually(lambda: not psutil.pid_exists(pid))


@pytest.mark.slow
def test_a_batch_that_kills_its_dask_workers_is_a_loss(own):
    own.worker()
    with DaskExecutor(
        study_of(Hostile("kill_the_dask_worker"), Hostile()), own.address
    ) as executor:
        executor.submit((task(0),), Limits(None, None))
        loss = Loss("crashed", "crashed: the dask workers that ran it died")
        assert {(task(0),): loss} == collect(executor, 1)
        executor.submit((task(1),), Limits(None, None))
        assert "ok" == collect(executor, 1)[task(1),][0].status


def test_a_daemonic_worker_is_refused_with_the_setting_to_change(own):
    own.worker(daemon=True)
    with Client(own.address) as client:
        client.wait_for_workers(1, timeout=LIMIT)
    with (
        pytest.raises(NoWorkers, match="DASK_DISTRIBUTED__WORKER__DAEMON=False"),
        DaskExecutor(study_of(Hostile()), own.address),
    ):
        pass


def test_a_scheduler_that_goes_away_is_an_error(own):
    with DaskExecutor(study_of(Hostile()), own.address) as executor:
        assert 1 == executor.workers  # none yet: the first batch waits for a worker
        executor.submit((task(0),), Limits(None, None))
        own.scheduler.kill()
        with pytest.raises(ConnectionError, match="tcp://.* is lost; .* call the same again"):
            collect(executor, 1)


def test_a_scheduler_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nowhere://x"):
        with (
            pytest.raises(ConnectionError, match=f"no dask scheduler answers at '{address}'"),
            DaskExecutor(study_of(Hostile()), address),
        ):
            pass


def test_the_extra_is_named_where_dask_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "causalassay.study.cluster_executor")
    with pytest.raises(ImportError, match=r'pip install .*"distributed>=2024\.10"'):
        importlib.import_module("causalassay.study.cluster_executor")
