import math
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from causalassay.processes.messages import Output
from causalassay.study.plan import task_key
from causalassay.study.replay import find_row
from causalassay.study.storage.reader import read_store
from causalassay.study.storage.store import Store, StoredRow, StoredRows
from stored_studies import (
    EMPTY,
    ESTIMATE,
    GES,
    LOOSE,
    PC,
    PROBLEMS,
    SHD,
    SID,
    all_records,
    measured,
    record,
    rescored,
    study,
    task,
    tuned_study,
)


def rows_of(folder):
    """Return all that rows hold but their session, by key."""
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        rows = connection.execute(
            "SELECT key, status, reason, seconds, notes, host FROM rows ORDER BY key"
        ).fetchall()
        scores = connection.execute(
            "SELECT key, metric, value FROM scores JOIN rows ON id = row ORDER BY key, metric"
        ).fetchall()
    return rows, scores


def test_what_was_saved_is_known_when_the_store_is_opened_again(tmp_path):
    plan = study()
    with Store.open(tmp_path, plan) as store:
        assert StoredRows() == store.rows("main", 0, 0)
        store.save([record(0, 0, 0), record(0, 0, 1, status="failed"), measured(0, 0)])
    both = frozenset({0, 1})
    with Store.open(tmp_path, plan) as store:
        rows = {0: StoredRow("ok", both), 1: StoredRow("failed", both)}
        assert StoredRows(both, rows) == store.rows("main", 0, 0)
        assert StoredRows() == store.rows("main", 0, 1) == store.rows("main", 1, 0)
        assert StoredRows() == store.rows("tuning", 0, 0)
        assert ESTIMATE == store.estimate("main", 0, 0, 0)
        assert store.estimate("main", 0, 0, 1) is None


def test_undefined_and_infinite_scores_survive(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(scores=(math.inf, math.nan)), record(0, 1, scores=(-math.inf, 0.1))])
    scores = {(key, metric): value for key, metric, value in rows_of(tmp_path)[1]}
    keys = [task_key(study(), task(0, replicate)) for replicate in (0, 1)]
    assert {
        (keys[0], 1): math.inf,
        (keys[0], 2): None,
        (keys[1], 1): -math.inf,
        (keys[1], 2): 0.1,
    } == scores


def test_a_record_that_comes_twice_is_one_row(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record()])
        once = rows_of(tmp_path)
        store.save([record(), record()])
        assert once == rows_of(tmp_path)
        assert 1 == sum(store.counts().values())


def test_a_new_run_replaces_the_row_and_all_that_belongs_to_it(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(notes={"f1": "raised"})])
        store.save([record(status="timeout", metrics=(0,), scores=(1.0,))])
        assert StoredRow("timeout", frozenset({0})) == store.rows("main", 0, 0).algorithms[0]
        assert store.estimate("main", 0, 0, 0) is None
    assert rows_of(tmp_path)[0][0][4] is None


def test_new_scores_leave_the_rest_of_the_row_as_it_was(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(notes={"chose": "strict"})])
    before = rows_of(tmp_path)
    more = study(metrics=(SID, *study().metrics))
    added = record(metrics=(0,), scores=(3.0,), seconds=math.nan, host="elsewhere")
    with Store.open(tmp_path, more) as store:
        assert frozenset({1, 2}) == store.rows("main", 0, 0).algorithms[0].metrics
        store.save([rescored(added)])
        assert StoredRow("ok", frozenset({0, 1, 2})) == store.rows("main", 0, 0).algorithms[0]
        assert ESTIMATE == store.estimate("main", 0, 0, 0)
    after = rows_of(tmp_path)
    assert before[0] == after[0]
    assert [*before[1], (before[0][0][0], 3, 3.0)] == after[1]


def test_new_scores_that_could_not_be_computed_say_why_in_the_notes(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(notes={"chose": "strict"})])
        lost = record(status="timeout", metrics=(1,), scores=(0.0,), reason="timeout: more")
        store.save([rescored(lost)])
        assert "ok" == store.rows("main", 0, 0).algorithms[0].status
    assert '{"chose": "strict", "f1": "timeout: more"}' == rows_of(tmp_path)[0][0][4]


def test_scores_without_a_row_are_refused_and_leave_nothing_behind(tmp_path):
    with Store.open(tmp_path, study()) as store:
        with pytest.raises(ValueError, match="no row to add them to"):
            store.save([record(0, 0), rescored(record(0, 1))])
        assert StoredRows() == store.rows("main", 0, 0)


def test_new_diagnostics_join_those_that_are_there(tmp_path):
    with Store.open(tmp_path, study(diagnostics=("var_sortability",))) as store:
        store.save([measured(diagnostics=(0,), scores=(0.5,), notes={"draws": 7})])
    with Store.open(tmp_path, study(diagnostics=("n_edges", "var_sortability"))) as store:
        assert frozenset({1}) == store.rows("main", 0, 0).diagnostics
        store.save([measured(diagnostics=(0,), scores=(4.0,), notes={"n_edges": "odd"})])
        assert frozenset({0, 1}) == store.rows("main", 0, 0).diagnostics
    assert '{"draws": 7, "n_edges": "odd"}' == rows_of(tmp_path)[0][0][4]


def test_parts_are_known_by_what_they_are_not_by_their_index_or_name(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(0, 0, 0, metrics=(1,), scores=(0.5,))])
    renamed = study(
        problems=(PROBLEMS[1], replace(PROBLEMS[0], name="other")),
        algorithms=(GES, replace(PC, name="mine")),
        metrics=(study().metrics[1],),
    )
    with Store.open(tmp_path, renamed) as store:
        assert {1: StoredRow("ok", frozenset({0}))} == store.rows("main", 1, 0).algorithms
        assert StoredRows() == store.rows("main", 0, 0)


def test_counts_are_of_what_the_study_asks_for_now(tmp_path):
    plan = study()
    with Store.open(tmp_path, plan) as store:
        store.save(all_records(plan))
        store.save([record(0, 0, 1, status="failed")])
        assert {"ok": 11, "skipped": 0, "failed": 1, "timeout": 0} == store.counts()
    with Store.open(tmp_path, study(replicates=1, algorithms=(PC,))) as store:
        assert 2 == store.counts()["ok"] == sum(store.counts().values())
    with Store.open(tmp_path, study(problems=PROBLEMS[1:], replicates=2)) as store:
        assert 4 == store.counts()["ok"]
    with Store.open(tmp_path, plan) as store:
        assert 11 == store.counts()["ok"]


def test_forgetting_deletes_rows_of_a_status_and_nothing_else(tmp_path):
    plan = study(replicates=2)
    with Store.open(tmp_path, plan) as store:
        store.save(all_records(plan))
        store.save([record(0, 0, 1, status="failed"), record(1, 0, 1, status="timeout")])
        store.save([record(0, 1, 0, status="failed")])
    with Store.open(tmp_path, study(replicates=2, algorithms=(GES, EMPTY))) as store:
        assert 1 == store.forget(["failed"])
        assert StoredRows(frozenset({0, 1})) == store.rows("main", 0, 0)
        assert "timeout" == store.rows("main", 1, 0).algorithms[1].status
    with Store.open(tmp_path, plan) as store:
        assert "failed" == store.rows("main", 0, 1).algorithms[0].status
        assert 2 == store.forget(["failed", "timeout"])
        assert 0 == store.forget(["failed", "timeout"])
        assert 5 == store.counts()["ok"]
    left = {key for key, _, _ in rows_of(tmp_path)[1]}
    assert left <= {key for key, *_ in rows_of(tmp_path)[0]}


def save_tuning(store, scores):
    """Save the criterion (the second metric) of two candidates on held-out systems."""
    store.save(
        record(0, system, candidate, purpose="tuning", metrics=(1,), scores=(score,), status=status)
        for candidate, of_candidate in enumerate(scores)
        for system, (score, status) in enumerate(of_candidate)
    )


def test_a_criterion_is_nan_where_the_run_is_not_ok_or_missing(tmp_path):
    with Store.open(tmp_path, tuned_study()) as store:
        save_tuning(store, [[(0.5, "ok"), (math.nan, "ok"), (0.7, "failed")], [(0.9, "ok")]])
        first = store.criterion(0, 0, 1, 4)
        assert 0.5 == first[0]
        assert all(math.isnan(score) for score in first[1:])
        assert [0.9] == store.criterion(0, 1, 1, 4)[:1]
        assert all(math.isnan(score) for score in store.criterion(1, 0, 1, 4))
        assert 3 == store.counts("tuning")["ok"]
        assert 0 == sum(store.counts("main").values())


def test_a_choice_stays_until_a_run_of_its_tuning_is_forgotten(tmp_path):
    with Store.open(tmp_path, tuned_study()) as store:
        assert store.choice(0, 2) is None
        save_tuning(store, [[(0.5, "ok")], [(0.7, "failed")]])
        store.choose(0, 2, 0, 0.5)
        store.choose(1, 2, 1, math.nan)
    with Store.open(tmp_path, tuned_study()) as store:
        assert (0, 1) == (store.choice(0, 2), store.choice(1, 2))
        store.forget(["timeout"])
        assert 0 == store.choice(0, 2)
        store.forget(["failed"])
        assert (None, 1) == (store.choice(0, 2), store.choice(1, 2))


def test_rows_of_a_choice_that_changed_are_gone(tmp_path):
    with Store.open(tmp_path, tuned_study()) as store:
        store.choose(0, 2, 0, 0.5)
        store.choose(1, 2, 0, 0.5)
        store.save([record(0, 0, 2), record(1, 0, 2)])
        store.choose(0, 2, 0, 0.6)
        assert {2} == set(store.rows("main", 0, 0).algorithms)
        store.choose(0, 2, 1, 0.7)
        assert StoredRows() == store.rows("main", 0, 0)
        assert {2} == set(store.rows("main", 1, 0).algorithms)


def test_a_candidate_may_equal_an_algorithm_that_is_listed(tmp_path):
    plan = tuned_study()
    listed = replace(LOOSE, name="pc", role="listed")
    plan = replace(plan, algorithms=(*plan.algorithms, listed))
    with Store.open(tmp_path, plan) as store:
        store.save([record(0, 0, 3), record(0, 0, 1, purpose="tuning", scores=(1.0, 0.25))])
        assert [0.25] == store.criterion(0, 1, 1, 1)
        assert 1 == store.counts("main")["ok"] == store.counts("tuning")["ok"]
    with read_store(tmp_path) as reader:
        assert {"main": 2 * 3 * 2, "tuning": 2 * 4 * 2} == reader.totals()
        assert ["tuned", "pc"] == list(reader.counts_by_algorithm())


@pytest.mark.parametrize(
    "changes",
    [
        {"problems": (PROBLEMS[0], replace(PROBLEMS[0], name="again"))},
        {"algorithms": (PC, replace(PC, name="again"))},
        {"metrics": (SHD, replace(SHD, label="again"))},
    ],
)
def test_a_study_whose_parts_would_share_rows_is_refused(tmp_path, changes):
    with pytest.raises(ValueError, match="'again' are the same and would share"):
        Store.open(tmp_path / "new", study(**changes))
    assert not (tmp_path / "new").exists()


def test_a_session_says_what_computed_its_rows_and_how_it_ended(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record()])
        store.finish("completed")
        assert 1 == store.counts()["ok"]
    with pytest.raises(KeyboardInterrupt), Store.open(tmp_path, study(text="new")):
        raise KeyboardInterrupt
    with pytest.raises(ZeroDivisionError), Store.open(tmp_path, study(text="new")):
        _ = 1 / 0
    with read_store(tmp_path) as reader:
        first, second, third = reader.sessions()
        assert "new" == reader.text
        assert ("small", 1, 3) == (reader.name, reader.seed, reader.replicates)
        assert (first.first_write, first.last_write) == reader.times()
    assert ("completed", 1) == (first.how, first.records)
    assert ("interrupted", 0, None) == (second.how, second.records, second.last_write)
    assert "failed" == third.how
    assert {"python", "causalassay", "numpy", "numba"} <= set(first.versions)
    assert first.cpu
    assert first.host


def test_a_status_tells_how_far_a_study_is(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(0, 0, 0), record(0, 0, 1, status="failed"), measured()])
        with read_store(tmp_path) as reader:
            running = reader.status()
        assert "running (process" in running.lines()[0]
        assert running.seconds_left is not None
        store.finish("interrupted")
    with read_store(tmp_path) as reader:
        stopped = reader.status()
    assert "interrupted; run it again" in stopped.lines()[0]
    assert "main: 2 of 12 rows (1 ok, 1 failed)" == stopped.lines()[1]
    assert ["  pc     1 ok", "  empty  1 failed"] == stopped.lines()[-2:]
    assert 10 == stopped.to_dict()["left"]
    with Store.open(tmp_path, study()) as store:
        store.save(all_records(study()))
    with read_store(tmp_path) as reader:
        assert "study small, seed 1: complete" == reader.status().lines()[0]


def tables_of(folder):
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return {name for (name,) in names}


def test_a_store_has_a_table_for_output_once_a_task_has_printed(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record(), measured()])
    assert "outputs" not in tables_of(tmp_path)
    with read_store(tmp_path) as reader:
        assert [] == reader.printed_tasks()
        assert 0 == reader.status().printed
    printed = replace(record(1, 2, 1, status="failed"), output=Output(100_000, b"the end\xff"))
    with Store.open(tmp_path, study()) as store:
        store.save([printed])
    assert "outputs" in tables_of(tmp_path)
    with read_store(tmp_path) as reader:
        (task,) = reader.printed_tasks()
        assert b"the end\xff" == reader.output(task.key)
        assert 1 == reader.status().printed
        assert any("causalassay log" in line for line in reader.status().lines())
    assert ("empty", "iscm", 2, "failed") == (
        task.algorithm,
        task.problem,
        task.replicate,
        task.status,
    )
    assert (100_000, 2**16) == (task.to_dict()["size"], task.to_dict()["kept"])


def test_output_goes_with_its_row(tmp_path):
    loud = Output(4, b"loud")
    with Store.open(tmp_path, study()) as store:
        store.save([replace(record(0, 0, 0), output=loud), replace(record(0, 1, 0), output=loud)])
        store.save([replace(record(0, 0, 1, status="failed"), output=loud)])
        store.save([rescored(record(0, 1, 0, scores=(7.0, 7.0)))])  # printed nothing new
        store.save([record(0, 0, 0)])  # a new run that printed nothing
        assert 1 == store.forget(["failed"])
    with read_store(tmp_path) as reader:
        (task,) = reader.printed_tasks()
        assert ("raw", "pc", 1) == (task.problem, task.algorithm, task.replicate)
        assert b"loud" == reader.output(task.key)
    with Store.open(tmp_path, study(replicates=1)):  # its row is no longer asked for
        pass
    with read_store(tmp_path) as reader:
        assert [] == reader.printed_tasks()


def test_damaged_output_is_told_and_harms_no_row(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([replace(record(), output=Output(4, b"loud"))])
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection:
        connection.execute("UPDATE outputs SET size = 5")
        connection.commit()
    with read_store(tmp_path) as reader:
        (task,) = reader.printed_tasks()
        with pytest.raises(ValueError, match="not as it was written"):
            reader.output(task.key)
    with Store.open(tmp_path, study()) as store:
        assert 1 == store.counts()["ok"]


def test_a_key_is_found_by_its_beginning(tmp_path, monkeypatch):
    plan = tuned_study()
    with Store.open(tmp_path / "results", plan) as store:
        store.choose(0, 2, 1, 0.5)
        store.save([record(0, replicate, 2) for replicate in range(3)])
        store.save([measured(1, 0)])
    key = task_key(plan, task(0, 1, 2))
    match = find_row(key[:8].upper(), tmp_path / "results")
    assert key == match.key
    assert "ok" == match.status
    assert plan.text == match.text
    address = match.address
    assert (plan.problems[0].key, 1) == (address.problem, address.replicate)
    assert (plan.algorithms[2].key, LOOSE.key) == (address.algorithm, address.chose)
    about = find_row(task_key(plan, measured(1, 0).task), tmp_path / "results")
    assert about.address.algorithm is None
    monkeypatch.chdir(tmp_path)
    assert key == find_row(key).key
    with pytest.raises(ValueError, match="several keys begin with ''"):
        find_row("")
    with pytest.raises(ValueError, match="no key begins with 'xyz' in results"):
        find_row("xyz")


def test_a_folder_without_a_store_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no study\.sqlite"):
        read_store(tmp_path)
    assert [] == list(tmp_path.iterdir())


def test_reading_a_finished_store_changes_no_file(tmp_path):
    with Store.open(tmp_path, study()) as store:
        store.save([record()])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with read_store(tmp_path) as reader:
        assert 1 == reader.counts()["ok"]
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before == {name: after[name] for name in before}
    assert {"study.sqlite", "lock"} == set(before)
