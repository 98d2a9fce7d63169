import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import wait
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from causalassay.common.threads import ONE_THREAD
from causalassay.processes import limits as limits_module
from causalassay.processes import supervisor as supervisor_module
from causalassay.processes.limits import NO_LIMITS, Limits, Loss
from causalassay.processes.scratch import scratch_folder
from causalassay.processes.supervisor import TRIES, Supervisor
from causalassay.study.executors import LocalExecutor
from causalassay.study.plan import Study
from hostile import functions as hostile
from waiting import LIMIT, eventually, gone

ONE_SECOND = Limits(seconds=1.0, memory=None)
"""For functions that never end by themselves, or with a clock that stands still."""


@pytest.fixture(scope="module")
def pool():
    with Supervisor(2, hostile.nothing) as running:
        yield running


@pytest.fixture
def clock(monkeypatch):
    """The pool's clock, which stands still until a test sets `now`."""
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(limits_module, "time", clock)
    monkeypatch.setattr(limits_module, "LONGEST_STEP", float("inf"))
    return clock


def test_a_process_that_was_stopped_goes_on(pool):
    assert 7 == pool.submit(hostile.stop_itself, 7).result(timeout=LIMIT)


def number_in(path):
    return eventually(lambda: path.exists() and path.read_text())


def result_as_time_passes(future, clock):
    """Let the clock go on until a future has its result: when the pool looks is not known."""

    def done():
        clock.now += 0.1
        return future.done()

    eventually(done)
    return future.result()


@pytest.mark.parametrize(
    ("function", "argument", "limits", "reason"),
    [
        (hostile.raise_error, "no data", NO_LIMITS, "raised ValueError: no data"),
        (hostile.raise_the_broken, None, NO_LIMITS, "raised _Broken: without a text"),
        (hostile.leave, 3, NO_LIMITS, "raised SystemExit: 3"),
        (hostile.loop_forever, None, ONE_SECOND, "timeout: more than 1 s"),
        (hostile.hang_in_c, None, ONE_SECOND, "timeout: more than 1 s"),
        pytest.param(
            *(hostile.match_forever, None, ONE_SECOND, "timeout: more than 1 s"),
            marks=pytest.mark.slow,
        ),
        (hostile.segfault, None, NO_LIMITS, "crashed: killed by signal 11 (SIGSEGV)"),
        (hostile.exit_with, 3, NO_LIMITS, "crashed: exit code 3"),
        (hostile.exit_with, 0, NO_LIMITS, "crashed: exit code 0"),
        (hostile.abort, None, NO_LIMITS, "crashed: killed by signal 6 (SIGABRT)"),
        pytest.param(
            *(hostile.kill_itself, None, NO_LIMITS, "crashed: killed by signal 9 (SIGKILL)"),
            marks=pytest.mark.slow,
        ),
        (hostile.allocate, 600, Limits(None, 400 * 10**6), "memory: more than 400 MB"),
        (hostile.allocate_in_a_program, 600, Limits(None, 400 * 10**6), "memory: more than 400 MB"),
    ],
)
def test_a_lost_process_costs_one_task(pool, function, argument, limits, reason):
    before = [pool.submit(hostile.same, number) for number in range(20)]
    lost = pool.submit(function, argument, limits)
    after = [pool.submit(hostile.same, number) for number in range(20)]
    assert reason == lost.result(timeout=LIMIT).reason
    assert [*range(20)] * 2 == [future.result(timeout=LIMIT) for future in (*before, *after)]


@pytest.mark.parametrize(
    ("function", "argument", "code"),
    [(hostile.exit_with, 0, 0), (hostile.exit_with, 3, 3), (hostile.kill_itself, None, -9)],
)
def test_the_exit_code_does_not_depend_on_who_sees_the_end_first(pool, function, argument, code):
    assert Loss.ended(code) == pool.submit(function, argument).result(timeout=LIMIT)


def test_a_loss_has_a_cause_beside_its_text(pool):
    causes = {
        pool.submit(function, argument, limits).result(timeout=LIMIT).cause
        for function, argument, limits in [
            (hostile.raise_error, "", NO_LIMITS),
            (hostile.hang, None, Limits(0.1, None)),
            (hostile.hang, None, Limits(None, 10**6)),
        ]
    }
    assert {"crashed", "timeout", "memory"} == causes


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (hostile.return_a_lock, "raised TypeError: cannot pickle '_thread.lock' object"),
        (hostile.return_the_unreadable, "raised ValueError: not to be read"),
    ],
)
def test_a_result_that_cannot_travel_is_a_loss(pool, function, reason):
    assert Loss("crashed", reason) == pool.submit(function, None).result(timeout=LIMIT)


def test_an_argument_that_cannot_travel_is_the_callers_mistake(pool):
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        pool.submit(hostile.same, lambda: None)


def test_big_arguments_and_results_travel(pool):
    assert 5_000_000 == len(pool.submit(hostile.big, 5_000_000).result(timeout=LIMIT))
    assert b"x" * 5_000_000 == pool.submit(hostile.same, b"x" * 5_000_000).result(timeout=LIMIT)


def test_time_counts_from_the_beginning_of_the_task(tmp_path, clock):
    with Supervisor(1, hostile.nothing) as pool:
        first = pool.submit(hostile.wait_for_file, tmp_path / "go")
        waiting = pool.submit(hostile.same, 1, ONE_SECOND)
        late = pool.submit(hostile.report_and_hang, tmp_path / "begun", ONE_SECOND)
        clock.now = 100.0
        hostile.publish(tmp_path / "go", 1)
        assert first.result(timeout=LIMIT) is None
        assert 1 == waiting.result(timeout=LIMIT)
        number_in(tmp_path / "begun")
        assert Loss.late(1.0) == result_as_time_passes(late, clock)


def test_memory_left_behind_by_earlier_tasks_is_not_held_against_the_next():
    limit = 600 * 10**6
    with Supervisor(1, hostile.nothing) as pool:
        pids = [pool.submit(hostile.leak, (150, limit), Limits(None, limit)) for _ in range(5)]
        pids = [future.result(timeout=LIMIT) for future in pids]
        assert 1 < len(set(pids))
        assert not [pid for pid in pids if isinstance(pid, Loss)]


def test_a_worker_killed_while_busy_costs_its_task(tmp_path):
    with Supervisor(1, hostile.nothing) as pool:
        lost = pool.submit(hostile.report_and_hang, tmp_path / "pid")
        os.kill(int(number_in(tmp_path / "pid")), signal.SIGKILL)
        assert Loss.ended(-9) == lost.result(timeout=LIMIT)
        assert 1 == pool.submit(hostile.same, 1).result(timeout=LIMIT)


def test_a_task_is_not_blamed_for_the_end_of_a_process_that_was_used_before(tmp_path):
    with Supervisor(1, hostile.nothing) as pool:
        assert 1 == pool.submit(hostile.same, 1).result(timeout=LIMIT)
        again = pool.submit(hostile.report_and_hang_once, tmp_path / "pid")
        os.kill(int(number_in(tmp_path / "pid")), signal.SIGKILL)
        assert again.result(timeout=LIMIT) is None


def test_an_exit_that_an_earlier_task_prepared_is_not_blamed_on_the_next(tmp_path):
    with Supervisor(1, hostile.nothing) as pool:
        assert pool.submit(hostile.exit_later, tmp_path / "go").result(timeout=LIMIT) is None
        innocent = pool.submit(hostile.wait_for_file, tmp_path / "end")
        hostile.publish(tmp_path / "go", 1)
        hostile.publish(tmp_path / "end", 1)
        assert innocent.result(timeout=LIMIT) is None


def test_time_that_the_supervisor_was_away_does_not_count(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(limits_module, "LONGEST_STEP", 0.5)
    with Supervisor(1, hostile.nothing) as pool:
        waiting = pool.submit(hostile.wait_for_file, tmp_path / "go", ONE_SECOND)
        eventually(lambda: (process := pool._slots[0].process) and process.clock._number % 2 == 1)
        clock.now = 100.0
        time.sleep(0.3)  # several looks of the supervisor
        hostile.publish(tmp_path / "go", 1)
        assert waiting.result(timeout=LIMIT) is None


def test_a_stage_that_somebody_else_watches_has_no_limit(tmp_path, clock):
    with Supervisor(1, hostile.nothing) as pool:
        watched = pool.submit(hostile.wait_without_limit, tmp_path / "go", ONE_SECOND)
        eventually((tmp_path / "go.begun").exists)
        clock.now = 100.0
        time.sleep(0.3)
        hostile.publish(tmp_path / "go", 1)
        assert watched.result(timeout=LIMIT) is None


def test_a_worker_cannot_signal_the_driver_through_its_group(pool):
    assert pool.submit(hostile.process_group, None).result(timeout=LIMIT) != os.getpgid(0)


def test_a_worker_killed_while_idle_costs_nothing():
    ready = []
    with Supervisor(1, hostile.nothing, on_start=ready.append) as pool:
        for count, pause in enumerate((0.0, 0.05, 0.3), start=1):
            os.kill(eventually(lambda n=count: len(ready) >= n and ready[-1]), signal.SIGKILL)
            time.sleep(pause)
            assert count == pool.submit(hostile.same, count).result(timeout=LIMIT)


def announced(folder):
    """Return the processes that have announced themselves by a file."""
    return {int(path.name) for path in folder.iterdir() if path.name.isdigit()}


def test_a_worker_killed_while_it_starts_costs_nothing(tmp_path):
    with Supervisor(1, hostile.start_on_request, (tmp_path,)) as pool:
        future = pool.submit(hostile.same, 1)
        killed = set()
        for _ in range(2):
            pid = eventually(lambda: announced(tmp_path) - killed).pop()
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        hostile.publish(tmp_path / "go", 1)
        assert 1 == future.result(timeout=LIMIT)


def test_no_task_is_lost_or_run_wrongly_when_workers_are_killed_at_random():
    ready = []
    chance = random.Random(0)
    with Supervisor(2, hostile.nothing, on_start=ready.append) as pool:
        futures = [pool.submit(hostile.big, 100_000) for _ in range(3000)]
        eventually(lambda: len(ready) >= 2)
        for _ in range(6):
            time.sleep(chance.random() * 0.3)
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(ready[-2:]), signal.SIGKILL)
        assert not wait(futures, timeout=LIMIT).not_done
    outcomes = [future.result() for future in futures]
    losses = [outcome for outcome in outcomes if isinstance(outcome, Loss)]
    assert len(losses) <= 6
    assert {Loss.ended(-9)} >= set(losses)
    assert all(len(outcome) == 100_000 for outcome in outcomes if not isinstance(outcome, Loss))


@pytest.mark.parametrize(
    ("initializer", "arguments", "text"),
    [
        (hostile.fail_to_start, ("no such table",), "FileNotFoundError: no such table"),
        (hostile.crash_at_the_start, (), "ended before it was ready"),
    ],
)
def test_a_pool_whose_workers_cannot_start_gives_up_and_says_why(initializer, arguments, text):
    with Supervisor(2, initializer, arguments) as pool:
        futures = [pool.submit(hostile.same, number) for number in range(3)]
        losses = {future.result(timeout=LIMIT) for future in futures}
        losses.add(pool.submit(hostile.same, 0).result(timeout=LIMIT))
    (loss,) = losses
    assert "pool" == loss.cause
    assert text in loss.reason


def test_programs_of_a_killed_worker_are_killed_too(tmp_path, clock):
    with Supervisor(2, hostile.nothing) as pool:
        late = pool.submit(hostile.run_a_command, tmp_path / "late", ONE_SECOND)
        killed = pool.submit(hostile.start_a_program, tmp_path / "killed")
        programs = [int(number_in(tmp_path / name)) for name in ("late", "killed")]
        # The supervisor kills the programs that it has seen.
        eventually(
            lambda: (
                set(programs)
                <= {
                    member.pid
                    for slot in pool._slots
                    if slot.process
                    for member in slot.process.seen
                }
            )
        )
        psutil.Process(programs[1]).parent().kill()
        causes = [result_as_time_passes(future, clock).cause for future in (late, killed)]
        assert ["timeout", "crashed"] == causes
        eventually(lambda: all(gone(pid) for pid in programs))


def test_leaving_ends_workers_and_their_programs(tmp_path):
    before = psutil.Process().children()
    with Supervisor(3, hostile.nothing) as pool:
        lost = [
            pool.submit(hostile.hang_in_c, None),
            pool.submit(hostile.start_a_program, tmp_path / "program"),
            pool.submit(hostile.report_and_hang, tmp_path / "worker"),
            pool.submit(hostile.same, 1),
        ]
        pids = [int(number_in(tmp_path / name)) for name in ("program", "worker")]
    eventually(lambda: all(gone(pid) for pid in pids))
    assert {Loss("pool", "the pool was closed")} == {future.result(timeout=0) for future in lost}
    eventually(lambda: set(psutil.Process().children()) <= set(before))


def test_leaving_does_not_wait_for_workers_that_start(tmp_path):
    before = psutil.Process().children()
    with Supervisor(2, hostile.start_on_request, (tmp_path,)):
        eventually(lambda: announced(tmp_path))
    eventually(lambda: set(psutil.Process().children()) <= set(before))


DRIVER = """
import sys
from pathlib import Path
from hostile import functions as hostile
from waiting import LIMIT, eventually
from causalassay.processes.supervisor import Supervisor

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    ready = []
    with Supervisor(3, hostile.nothing, on_start=ready.append) as pool:
        pool.submit(hostile.hang_in_c, None)
        pool.submit(hostile.run_a_command, folder / "program")
        pool.submit(hostile.print_loudly, None).result()
        hostile.publish(folder / "ready", " ".join(map(str, ready)))
        pool.submit(hostile.hang_in_c, None).result()
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_driver(tmp_path, how):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    driver = subprocess.Popen(
        [sys.executable, script, tmp_path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    pids = [int(pid) for pid in number_in(tmp_path / "ready").split()]
    program = int(number_in(tmp_path / "program"))
    if how == signal.SIGINT:
        os.killpg(driver.pid, how)
    else:
        driver.kill()
    out, err = driver.communicate(timeout=LIMIT)
    assert "" == out
    assert "loud" not in err
    if how == signal.SIGINT:
        assert 1 == err.count("Traceback")
        assert err.rstrip().endswith("KeyboardInterrupt")
    eventually(lambda: all(gone(pid) for pid in (*pids, program)))


def test_a_worker_computes_with_one_thread(pool):
    for name in ONE_THREAD:
        assert "1" == pool.submit(hostile.environment, name).result(timeout=LIMIT)
    assert {1} == set(pool.submit(hostile.blas_threads, None).result(timeout=LIMIT))


def test_the_variables_come_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("RAYON_NUM_THREADS", raising=False)
    with Supervisor(1, hostile.nothing):
        assert "1" == os.environ["OMP_NUM_THREADS"]
    assert "7" == os.environ["OMP_NUM_THREADS"]
    assert "RAYON_NUM_THREADS" not in os.environ


def test_temporary_files_of_a_lost_process_are_removed(pool, tmp_path):
    pool.submit(hostile.leave_a_file, tmp_path / "name").result(timeout=LIMIT)
    leftover = Path(number_in(tmp_path / "name"))
    eventually(lambda: not leftover.exists())


def test_a_study_leaves_no_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    study = Study("s", 1, 1, (), (), (), ())
    with LocalExecutor(study, 1):
        eventually(lambda: list(tmp_path.glob("*/[0-9]*")))  # the folder of a worker
    assert [] == list(tmp_path.iterdir())


def test_what_a_killed_owner_left_is_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import os\n"
        "from causalassay.processes.scratch import scratch_folder\n"
        "with scratch_folder(): os.abort()"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with scratch_folder() as mine:
        subprocess.run([sys.executable, "-c", code], env=environment, check=False)
        assert 2 == len([*tmp_path.iterdir()])
        with scratch_folder() as other:
            assert {mine, other} == {*tmp_path.iterdir()}
    assert [] == [*tmp_path.iterdir()]


def test_nothing_can_be_scheduled_once_it_is_closed():
    with Supervisor(1, hostile.nothing) as pool:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(hostile.same, 1)


def test_a_pool_needs_a_worker():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        Supervisor(0, hostile.nothing)


def test_a_task_does_not_wait_for_the_next_look_of_the_supervisor(monkeypatch):
    monkeypatch.setattr(supervisor_module, "TICK", 10.0 * LIMIT)
    with Supervisor(2, hostile.nothing) as pool:
        futures = [pool.submit(hostile.same, number) for number in range(2000)]
        assert not wait(futures, timeout=LIMIT).not_done
    assert [*range(2000)] == [future.result() for future in futures]


def test_threads_can_schedule_at_the_same_time(pool):
    answers = {}

    def ask(name):
        answers[name] = [pool.submit(hostile.same, (name, n)).result() for n in range(100)]

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: [(name, n) for n in range(100)] for name in "abcd"} == answers


def test_starts_that_fail_between_answers_are_not_failures_in_a_row(pool):
    wait([pool.submit(hostile.same, 0)], timeout=LIMIT)
    pool._failed_starts = TRIES - 1
    assert 1 == pool.submit(hostile.same, 1).result(timeout=LIMIT)
    assert 0 == pool._failed_starts
