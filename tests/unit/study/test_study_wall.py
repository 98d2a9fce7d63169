"""An algorithm cannot see the truth: it runs in a process that knows nothing but the data."""

from __future__ import annotations

import contextlib
import errno
import os
import time

import numpy as np
import psutil
import pytest

from causalassay.common.seeding import entropy_without_seed, stream
from causalassay.discovery import make_algorithm
from causalassay.discovery.python_files import from_file
from causalassay.graphs.sources import Chain, ErdosRenyi
from causalassay.metrics.registry import METRICS
from causalassay.models import SCM
from causalassay.processes import isolated
from causalassay.processes import launcher as launcher_module
from causalassay.processes.launcher import Launcher
from causalassay.processes.limits import Limits, NoWorkers
from causalassay.processes.messages import LONGEST_OUTPUT
from causalassay.processes.process_tree import _proportional_bytes, holds_more
from causalassay.processes.scratch import NamelessFile
from causalassay.study import LocalExecutor
from causalassay.study.driver import run_tasks
from causalassay.study.estimate_encoding import decode
from causalassay.study.plan import AlgorithmEntry, MetricEntry, ProblemEntry, RunTask, Study
from causalassay.study.problem_specs import Generated
from causalassay.study.programs import for_workers
from causalassay.study.reasons import LONGEST_REASON
from causalassay.study.worker import discovering
from causalassay.study.worker.algorithm_process import SERVER
from causalassay.study.worker.discovering import BlindDiscovery
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runner import Scorer, run_task
from hostile import algorithms as hostile
from hostile import crashes_at_import, hangs_at_import
from waiting import LIMIT, eventually, gone

SEED = 918_273_645
MEMORY = 2 * 10**9


def study_of(*algorithms, spec=None, seconds=LIMIT, memory=None, load_seconds=LIMIT):
    entries = [
        AlgorithmEntry(str(index), "x", algorithm, limits=Limits(seconds, memory, load_seconds))
        for index, algorithm in enumerate(algorithms)
    ]
    metrics = (MetricEntry("shd", METRICS["shd"].resolution, 1, "shd"),)
    spec = spec or Generated(Chain(4), SCM(), 50)
    return Study("wall", SEED, 10, (ProblemEntry("p", spec),), tuple(entries), metrics, ())


def task_of(algorithm=0, replicate=0):
    return RunTask("main", 0, replicate, algorithm, algorithm, (0,))


@pytest.fixture(scope="module")
def launcher(tmp_path_factory):
    with Launcher(tmp_path_factory.mktemp("launcher"), SERVER) as running:
        yield running


@pytest.fixture
def blind(launcher):
    """Run a task of some algorithm as a worker does; return its record."""
    discovery = BlindDiscovery(launcher, MEMORY, {})

    def run(algorithm, replicate=0, **options):
        study = for_workers(study_of(algorithm, **options))
        made = make(SEED, study.problems[0].spec, "main", replicate)
        return run_task(study, task_of(0, replicate), made, discovery)

    yield run
    discovery.close()


def said(record):
    assert "ok" == record.status, record.reason
    return decode(record.estimate).info


def number_in(path):
    return int(eventually(lambda: path.exists() and path.read_text()))


def test_an_algorithm_finds_neither_the_truth_nor_the_seed(blind):
    assert [] == said(blind(hostile.Spy(str(SEED))))["seen"]


def test_the_search_for_secrets_finds_them_where_they_are():
    study = study_of(hostile.Spy(str(SEED)))
    made = make(SEED, study.problems[0].spec, "main", 0)
    seen = said(run_task(study, task_of(), made))["seen"]
    assert {"Problem", "MadeProblem", "Study", "the seed in an object"} <= set(seen)
    assert "the seed in the generator" not in seen


def records_of(study, executor):
    saved = []
    with executor as running:
        run_tasks(study, iter(tasks_of(study)), running, saved.extend)
    return {
        (record.task.algorithm, record.task.replicate): (
            record.status,
            record.reason,
            record.scores,
            record.estimate,
        )
        for record in saved
    }


def tasks_of(study):
    return [
        task_of(index, replicate)
        for replicate in range(3)
        for index in range(len(study.algorithms))
    ]


def test_one_that_patches_its_process_changes_no_other_row():
    innocent = [make_algorithm("pc"), make_algorithm("random-sorting"), hostile.Sleeper(0.0)]
    spec = Generated(ErdosRenyi(6, 1.5), SCM(), 200)
    alone = study_of(*innocent, spec=spec)
    among = study_of(*innocent, hostile.Vandal(), hostile.Spy(str(SEED)), spec=spec)
    expected = records_of(alone, LocalExecutor(alone, 1))
    met = records_of(among, LocalExecutor(among, 1))
    assert expected == {key: record for key, record in met.items() if key in expected}
    assert {"ok"} == {record[0] for record in met.values()}
    spied = [decode(record[3]).info["seen"] for key, record in met.items() if key[0] == 4]
    assert [[]] * 3 == spied


def test_workers_do_not_read_the_code_of_algorithms():
    study = for_workers(study_of(hostile.Spy(str(SEED))))
    assert isinstance(study.algorithms[0].algorithm.payload, bytes)
    assert study_of(hostile.Spy(str(SEED))).algorithms[0].key == study.algorithms[0].key
    assert study == for_workers(study)


def test_the_seed_cannot_be_computed_from_what_an_algorithm_draws_with(blind):
    """The state of a generator can be computed backwards to what it began with: a hash."""
    entropy = entropy_without_seed(SEED, "discover", 1)
    rng = np.random.default_rng(entropy)
    assert entropy == rng.bit_generator.seed_seq.entropy
    assert str(SEED) not in str(entropy)
    backwards = stream(SEED, "discover", 1).bit_generator.seed_seq.entropy
    assert SEED == int.from_bytes(np.asarray(backwards, dtype="<u4")[:4].tobytes(), "little")
    many = {entropy_without_seed(SEED, "discover", task) for task in range(50)}
    assert 50 == len(many)


def test_an_algorithm_draws_the_same_behind_the_wall_as_here(blind):
    study = study_of(hostile.Sleeper(0.0))
    here = run_task(study, task_of(), make(SEED, study.problems[0].spec, "main", 0))
    there = blind(hostile.Sleeper(0.0))
    assert here.scores == there.scores
    assert here.estimate == there.estimate


def test_algorithms_that_draw_from_the_whole_process_can_be_repeated(blind):
    draws = [said(blind(hostile.Hostile("global_draw"), replicate)) for replicate in (0, 1, 0)]
    numbers = [draw["said"] for draw in draws]
    assert numbers[0] == numbers[2] != numbers[1]


@pytest.mark.parametrize("samples", [20, 20_000])
def test_data_arrive_whole_and_cannot_be_changed(blind, samples):
    spec = Generated(ErdosRenyi(30, 1), SCM(), samples)
    problem = make(SEED, spec, "main", 0).problem
    info = said(blind(hostile.Echo(), spec=spec))
    again = said(blind(hostile.Echo(), spec=spec))
    values = problem.data.observational_values
    assert np.isclose(values.sum(), info["total"], rtol=1e-9)
    assert info["columns"] != list(problem.data.columns)
    assert sorted(info["columns"]) == sorted(problem.data.columns)
    assert not info["written"]
    assert info == again


@pytest.mark.parametrize(
    ("function", "argument", "reason"),
    [
        ("raise_text", "path \udcff \x1b[31m", r"raised ValueError: path \udcff \x1b[31m"),
        ("raise_the_broken", None, "raised _Broken: its message cannot be shown"),
        ("leave", 3, "raised SystemExit: 3"),
        ("exit_with", 7, "crashed: exit code 7"),
        ("segfault", None, "crashed: killed by signal 11 (SIGSEGV)"),
        ("hang_up", None, "crashed: it closed its connection"),
        ("answer_garbage", "\0\0\0\x04", "crashed: its answer broke off"),
        ("answer_slowly", None, "crashed: its answer broke off"),
        ("answer_loaded", None, "invalid: what came is no answer to a task"),
        ("answer_garbage", "\0\0\0\x04abcd", "crashed: it sent something that is not an answer"),
        ("answer_garbage", "\x7f\xff\xff\xff", "crashed: its answer was too large"),
    ],
)
def test_whatever_an_algorithm_does_is_one_record(blind, monkeypatch, function, argument, reason):
    monkeypatch.setattr(discovering, "TRIES", 1)
    monkeypatch.setattr(isolated, "STALLED_SECONDS", 1)
    if function == "hang_up":
        monkeypatch.setattr(isolated, "GOODBYE_SECONDS", 1.0)
    record = blind(hostile.Hostile(function, argument))
    assert "failed" == record.status
    assert record.reason.startswith(reason)
    assert "ok" == blind(make_algorithm("pc")).status


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next(blind):
    algorithm = hostile.Hostile("answer_for_the_next")
    records = [blind(algorithm, replicate) for replicate in range(3)]
    reason = "crashed: it sent something that is not an answer to the request"
    assert [("failed", reason)] * 3 == [(record.status, record.reason) for record in records]


def test_a_reason_is_never_empty(blind):
    record = blind(hostile.Hostile("not_applicable", ""))
    assert ("skipped", "it gave no reason") == (record.status, record.reason)


@pytest.mark.parametrize(
    ("weights", "order", "kind"),
    [
        ("text", None, "dag"),
        ("complex", None, "dag"),
        ("objects", None, "dag"),
        (None, "floats", "dag"),
        (None, None, "summary"),
    ],
)
def test_what_only_looks_like_an_estimate_is_invalid(blind, weights, order, kind):
    record = blind(hostile.Odd(weights, order, kind))
    assert "failed" == record.status
    assert record.reason.startswith("invalid: its")


def test_long_or_deep_remarks_cost_no_row(blind):
    for remarks in ("long", "deep"):
        record = blind(hostile.Odd(remarks=remarks))
        assert record.status in {"ok", "failed"}
        assert len(record.estimate or b"") < 10_000


def test_an_algorithm_holds_no_handle_but_its_connection_and_its_stage(blind):
    """The stage is two numbers in memory, whose file Python keeps open where it is mapped."""
    handles = said(blind(hostile.Hostile("open_handles")))["said"]
    assert len([handle for handle in handles if handle > 2]) <= 2


def test_a_launcher_that_was_stopped_is_replaced(blind):
    assert "ok" == blind(hostile.Hostile("stop_the_launcher")).status
    assert "ok" == blind(hostile.Hostile("same", 1)).status


def test_reasons_of_every_status_are_cut(blind):
    record = blind(hostile.Hostile("not_applicable", "x" * 10**7))
    assert "skipped" == record.status
    assert LONGEST_REASON == len(record.reason)


@pytest.mark.parametrize(
    "function",
    [
        "leave_a_thread",
        "leave_a_thread_without_a_frame",
        pytest.param("leave_a_native_thread_that_computes", marks=pytest.mark.needs("linux")),
        "leave_a_timer",
        "leave_a_child",
    ],
)
def test_a_process_whose_task_left_something_is_not_used_again(blind, function):
    pids = [said(blind(hostile.Hostile(function), replicate))["pid"] for replicate in range(3)]
    assert 3 == len(set(pids))
    eventually(lambda: all(gone(pid) for pid in pids))


def test_a_process_whose_task_left_nothing_is_used_again(blind):
    pids = {said(blind(hostile.Hostile(), replicate))["pid"] for replicate in range(3)}
    assert 1 == len(pids)


@pytest.mark.needs("linux")
def test_threads_of_a_library_that_rest_do_not_end_a_process(blind):
    """Such as those that OpenMP, BLAS, torch and CUDA keep for their next operation."""
    pool = hostile.Hostile("leave_a_native_thread_that_rests")
    assert 1 == len({said(blind(pool, replicate))["pid"] for replicate in range(4)})


@pytest.mark.needs("linux")
def test_a_caller_that_is_late_keeps_a_process_that_came_to_rest(blind, monkeypatch):
    """The answer and the word that its threads rest then come in one piece."""
    read = isolated.IncomingMessages.read

    def read_late(self, handle):
        time.sleep(0.3)
        return read(self, handle)

    monkeypatch.setattr(isolated.IncomingMessages, "read", read_late)
    pool = hostile.Hostile("leave_a_native_thread_that_rests")
    assert 1 == len({said(blind(pool, replicate))["pid"] for replicate in range(3)})


@pytest.mark.needs("linux")
def test_a_native_thread_that_goes_on_after_a_rest_ends_its_process(blind):
    leaving = hostile.Hostile("leave_a_native_thread_that_computes_later")
    first = said(blind(leaving))["pid"]
    eventually(lambda: gone(first) or n_computing(first))
    assert first != said(blind(leaving, 1))["pid"]
    eventually(lambda: gone(first))


def n_computing(pid):
    """Return how many threads of a process have computed for a while, besides its main one."""
    with contextlib.suppress(psutil.Error):
        threads = psutil.Process(pid).threads()
        return sum(thread.user_time > 0.2 for thread in threads if thread.id != pid)
    return 0


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("pretend_to_load", "timeout: more than 1 s of loading its code"),
        ("switch_off_the_limits", "timeout: more than 2 s"),
    ],
)
def test_a_process_that_lies_about_its_stage_is_late_all_the_same(blind, function, reason):
    record = blind(hostile.Hostile(function), seconds=2, load_seconds=1)
    assert ("timeout", reason) == (record.status, record.reason)


SLOW_TO_LOAD = """
import time
import numpy as np
from causalassay.contracts import Estimate

{at_import}

class Slow:
    def __init__(self):
        {in_constructor}

    def discover(self, data, rng):
        {in_task}
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag")
"""


@pytest.mark.parametrize("where", ["at_import", "in_constructor", "in_task"])
def test_loading_is_no_run_time_wherever_it_occurs(blind, tmp_path, where):
    """Longer than the limit of discovery; an import within `discover` counts as one, too."""
    deeds = dict.fromkeys(("at_import", "in_constructor", "in_task"), "pass")
    deeds[where] = "import slow_helper" if where == "in_task" else "time.sleep(3)"
    name = f"slow_{where}.py"
    (tmp_path / name).write_text(SLOW_TO_LOAD.format(**deeds))
    (tmp_path / "slow_helper.py").write_text("import time\ntime.sleep(3)\n")
    algorithm = from_file(f"{name}:Slow", tmp_path, {})
    first, second = (blind(algorithm, replicate, seconds=2) for replicate in range(2))
    assert ("ok", "") == (first.status, first.reason)
    assert first.seconds < 3 <= first.cells["load_seconds"]
    assert "ok" == second.status
    assert (where == "in_constructor") == (second.cells["load_seconds"] >= 3)


def test_a_task_does_not_see_what_the_one_before_changed_in_its_object(blind, tmp_path):
    text = """
import numpy as np
from causalassay.contracts import Estimate

class Counting:
    def __init__(self):
        self.tasks = 0

    def discover(self, data, rng):
        self.tasks += 1
        return Estimate(np.zeros((data.n_nodes,) * 2, dtype=bool), "dag", info={"n": self.tasks})
"""
    (tmp_path / "counting.py").write_text(text)
    algorithm = from_file("counting.py:Counting", tmp_path, {})
    assert [1, 1, 1] == [said(blind(algorithm, replicate))["n"] for replicate in range(3)]


def test_a_class_that_cannot_be_made_is_a_reason_that_says_so(blind, tmp_path):
    text = "class Broken:\n def __init__(self): 1 / 0\n def discover(self, data, rng): pass\n"
    (tmp_path / "broken.py").write_text(text)
    record = blind(from_file("broken.py:Broken", tmp_path, {}))
    reason = "its code could not be loaded: raised ZeroDivisionError: division by zero"
    assert ("failed", reason) == (record.status, record.reason)


def test_a_late_algorithm_ends_with_its_programs(blind, tmp_path):
    record = blind(hostile.Hostile("leave_a_daemon_and_hang", str(tmp_path / "pid")), seconds=10)
    assert ("timeout", "timeout: more than 10 s") == (record.status, record.reason)
    daemon = number_in(tmp_path / "pid")
    eventually(lambda: gone(daemon))


def test_a_daemon_ends_with_the_task_that_left_it(blind, tmp_path):
    assert "ok" == blind(hostile.Hostile("leave_a_daemon", str(tmp_path / "pid"))).status
    daemon = number_in(tmp_path / "pid")
    eventually(lambda: gone(daemon))


def test_memory_beyond_the_limit_is_a_record(blind):
    record = blind(hostile.Hostile("allocate", 600), memory=400 * 10**6)
    assert ("failed", "memory: more than 400 MB") == (record.status, record.reason)


def test_memory_that_forked_children_share_counts_once(blind):
    """Four processes hold 300 MB each, the same: 1.2 GB if each is counted."""
    record = blind(hostile.Hostile("fork_children", 300), memory=700 * 10**6)
    assert "ok" == record.status, record.reason


@pytest.mark.needs("shm")
@pytest.mark.parametrize("hold", ["hold_a_file_in_memory", "hold_an_unlinked_file_in_memory"])
def test_files_in_memory_count_even_if_they_are_not_mapped(blind, hold):
    record = blind(hostile.Hostile(hold, 600), memory=500 * 10**6)
    assert ("failed", "memory: more than 500 MB") == (record.status, record.reason)


@pytest.mark.needs("linux")
def test_the_data_that_an_algorithm_is_given_are_not_its_memory(blind):
    """Nor do files that are open count twice where they are mapped."""
    process = psutil.Process()
    before = _proportional_bytes(process, ())
    file = NamelessFile([bytes(200 * 10**6)])
    with file.mapped() as memory:
        assert 0 == max(memory[::4096])
        assert holds_more([process], before + 100 * 10**6)
        assert not holds_more([process], before + 300 * 10**6)
        assert not holds_more([process], before + 100 * 10**6, file.id)


@pytest.fixture
def trouble(launcher, monkeypatch):
    """Let the folder for temporary files be full from some look on."""

    def trouble(*looks):
        answers = iter(looks)
        monkeypatch.setattr(launcher, "trouble", lambda: next(answers))

    return trouble


def test_a_full_disk_stops_the_run_and_blames_nobody(blind, trouble):
    trouble("no room", "no room")
    with pytest.raises(NoWorkers, match="^no room; the rows so far are stored: mend this"):
        blind(hostile.Hostile("raise_error", "because of it"))


def test_an_algorithm_that_fills_the_disk_itself_costs_its_own_row(blind, trouble):
    """What it wrote goes with its process."""
    trouble("no room", "")
    record = blind(hostile.Hostile("raise_no_room"))
    assert ("failed", "raised OSError: [Errno 28] No space left on device") == (
        record.status,
        record.reason,
    )
    trouble("", "")
    assert "ok" == blind(hostile.Hostile("write_a_temporary_file")).status


def test_an_algorithm_of_ours_that_finds_no_room_stops_the_run(blind, monkeypatch):
    """It writes nothing but compiled kernels."""
    reason = "raised OSError: No space left on device"
    monkeypatch.setattr(
        discovering, "read_answer", lambda _: discovering.Answer("disturbed", reason)
    )
    with pytest.raises(NoWorkers, match=f"{reason}; the rows so far are stored"):
        blind(make_algorithm("pc"))


def test_an_error_of_an_algorithm_without_its_folder_is_tried_again_before_it_is_blamed(
    blind, monkeypatch
):
    tries = []
    attempt = BlindDiscovery._attempt
    monkeypatch.setattr(
        BlindDiscovery, "_attempt", lambda *given: tries.append(1) or attempt(*given)
    )
    record = blind(hostile.Hostile("remove_its_folder_and_raise"))
    assert ("failed", "raised ValueError: as announced") == (record.status, record.reason)
    assert discovering.TRIES == len(tries)


def test_a_full_disk_in_a_worker_stops_the_run(blind, monkeypatch):
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    study = study_of(make_algorithm("empty"))
    with pytest.raises(NoWorkers, match="No space left on device; the rows so far are stored"):
        run_task(study, task_of(), error)
    monkeypatch.setattr(Scorer, "score", lambda *_: hostile.functions.raise_no_room(None))
    with pytest.raises(NoWorkers, match="No space left on device"):
        blind(make_algorithm("empty"))


def test_a_process_without_room_for_a_folder_runs_all_the_same(blind, monkeypatch):
    def no_room(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(launcher_module, "folder_beside", no_room)
    assert "ok" == blind(hostile.Hostile("same", 2)).status
    assert "ok" == blind(make_algorithm("pc")).status


def test_an_algorithm_is_not_told_the_folder_of_its_worker(blind, launcher):
    """Its own folder has a name that begins alike."""
    assert [True, False] == said(blind(hostile.Hostile("is_told", str(launcher._folder))))["said"]


def test_a_signal_to_its_group_reaches_nobody_else(blind):
    pid = said(blind(hostile.Hostile()))["pid"]
    assert os.getpgid(pid) not in {os.getpgid(0), os.getpgid(os.getppid())}


def test_a_task_is_run_again_when_the_launcher_is_lost(blind, tmp_path):
    record = blind(hostile.Hostile("kill_the_launcher_once", str(tmp_path / "pid")))
    assert "ok" == record.status, record.reason


@pytest.mark.parametrize(
    ("algorithm", "seconds", "reason"),
    [
        (hangs_at_import.Plugin(), 1, "timeout: more than 1 s of loading its code"),
        (crashes_at_import.Plugin(), LIMIT, "crashed as its code was loaded: crashed: exit code 4"),
    ],
)
def test_code_that_fails_only_where_it_runs_is_a_reason(
    blind, monkeypatch, algorithm, seconds, reason
):
    monkeypatch.setattr(discovering, "TRIES", 1)
    records = [blind(algorithm, replicate, load_seconds=seconds) for replicate in range(2)]
    status = "timeout" if reason.startswith("timeout") else "failed"
    assert [(status, reason)] * 2 == [(record.status, record.reason) for record in records]


def test_leaving_ends_the_launcher_and_what_it_started(tmp_path):
    with Launcher(tmp_path, SERVER) as running:
        discovery = BlindDiscovery(running, MEMORY, {})
        study = for_workers(study_of(hostile.Hostile("leave_a_daemon", str(tmp_path / "pid"))))
        made = make(SEED, study.problems[0].spec, "main", 0)
        pid = said(run_task(study, task_of(), made, discovery))["pid"]
        daemon = number_in(tmp_path / "pid")
    assert gone(pid)
    assert gone(daemon)


# What algorithms print is kept, whatever becomes of them.

PRINTED = {b"from Python", b"from stderr", b"from C", b"from a program"}


@pytest.mark.parametrize(
    ("function", "argument", "options", "reason"),
    [
        ("same", None, {}, ""),
        ("raise_error", "no", {}, "raised ValueError: no"),
        ("kill_itself", None, {}, "crashed: killed by signal 9 (SIGKILL)"),
        ("exit_with", 3, {}, "crashed: exit code 3"),
        ("hang_in_c", None, {"seconds": 1.0}, "timeout: more than 1 s"),
        ("allocate", 1000, {"memory": 300 * 10**6}, "memory: more than 300 MB"),
    ],
)
def test_what_an_algorithm_prints_is_kept_however_it_ends(
    blind, function, argument, options, reason
):
    record = blind(hostile.Printer(function, argument), **options)
    assert reason == record.reason
    lines = record.output.end.splitlines()
    assert PRINTED <= set(lines)
    assert record.output.size == len(record.output.end)
    assert bool(reason) == ("printed" in record.notes)


def test_a_warning_is_kept_once_for_each_task(blind):
    for _ in range(2):
        record = blind(hostile.Printer("warn", "few folds"))
        assert 1 == record.output.end.count(b"UserWarning: few folds")


def test_only_the_end_of_much_output_is_kept(blind):
    output = blind(hostile.Printer("print_much", 50_000)).output
    assert LONGEST_OUTPUT == len(output.end)
    assert output.end.endswith(b"line 49998\nline 49999\n")
    before = sum(len(line) + 1 for line in PRINTED)
    assert before + sum(len(f"line {line}\n") for line in range(50_000)) == output.size


def test_a_task_has_only_its_own_output(blind):
    assert blind(hostile.Printer()).output.size
    record = blind(hostile.Echo())
    assert (0, b"", {}) == (record.output.size, record.output.end, record.notes)
    assert PRINTED == set(blind(hostile.Printer()).output.end.splitlines())


def test_a_task_that_closes_its_streams_is_waited_for_as_others(blind):
    record = blind(hostile.Printer("close_its_streams"))
    assert ("ok", PRINTED) == (record.status, set(record.output.end.splitlines()))


def test_what_a_program_prints_is_kept_where_there_is_a_scratch_folder(launcher, tmp_path):
    words = ("sh", "-c", "echo out; echo err >&2; echo half > $CAUSALASSAY_SCRATCH/here; exit 4")
    study = for_workers(study_of(make_algorithm("command", program=words)))
    made = make(SEED, study.problems[0].spec, "main", 0)
    discovery = BlindDiscovery(launcher, MEMORY, {})

    def discover(entry, shown, entropy):
        return discovery(entry, shown, entropy, str(tmp_path))

    record = run_task(study, task_of(), made, discover)
    assert "code 4: err" in record.reason
    assert {b"out", b"err"} == set(record.output.end.splitlines())
    assert "half\n" == (tmp_path / "here").read_text()
    discovery.close()
