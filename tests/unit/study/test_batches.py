"""Pending runs in a file, solved elsewhere, and read back as the rows that a run would write."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from causalassay.discovery.continuous.batch_format import (
    covariance_digest,
    read_about,
    write_arrays,
)
from causalassay.discovery.continuous.moments import own_order_moments
from causalassay.discovery.golem import GolemEV
from causalassay.study import LocalExecutor, parse_study, run_study, study_table
from causalassay.study.batches.exporting import export_pending, write_program
from causalassay.study.batches.importing import import_solved, read_solved
from causalassay.study.estimate_encoding import decode
from causalassay.study.storage import Store, read_store
from command_line import run_here

WITH_TORCH = pytest.mark.needs("package:torch")

STUDY = """
name = "batches"
seed = 3
replicates = 4
baselines = false
controls = false
metrics = ["shd", "f1"]
diagnostics = []

[[problems]]
samples = 200
graph = {kind = "erdos-renyi", n_nodes = 4, edges_per_node = 1}
grid.model.kind = ["scm", "standardized"]

[[algorithms]]
use = "golem-ev"
device = "torch"
steps = 300
batch = 3
"""
ALL_THREE = (
    STUDY
    + """
[[algorithms]]
use = "golem-nv"
device = "torch"
start = "ev"
steps = 200

[[algorithms]]
use = "notears"
device = "torch"
lambda1 = 0.1
max_iter = 3
h_tolerance = 1e-2
"""
)


def study_from(text=STUDY):
    return parse_study(text, Path())


def exported(folder, text=STUDY, **options):
    """Export a study into a folder of its own; return the study, the results and the file."""
    study, results, pending = study_from(text), folder / "results", folder / "pending.npz"
    folder.mkdir(exist_ok=True, parents=True)
    with Store.open(results, study) as store:
        told = export_pending(study, store, pending, **options)
    return study, results, pending, told


def solved_by_kernels(pending, solved, **changes):
    """Solve a file of golem-ev as one who has no torch: by our kernels, one after the other."""
    about = read_about(pending, "pending")
    arrays = {}
    with np.load(pending) as given:
        for number, group in enumerate(about["groups"]):
            of = {name: given[f"{number}.{name}"] for name in ("keys", "covariances", "n_samples")}
            (settings,) = ({**search} for search in group["searches"])
            del settings["solver"], settings["variant"]
            golem, rows = GolemEV(**settings), []
            for covariance, n_samples in zip(of["covariances"], of["n_samples"], strict=True):
                rows.append(descended(golem, covariance, n_samples))
            told = {
                "keys": of["keys"],
                "digests": np.array(
                    [
                        covariance_digest(covariance, n_samples)
                        for covariance, n_samples in zip(
                            of["covariances"], of["n_samples"], strict=True
                        )
                    ]
                ),
                "failure": np.array([""] * len(rows)),
                "batch": given[f"{number}.batch"],
                "seconds": np.full(len(rows), 0.25),
            }
            solved_numbers = {
                f"solved.{name}": np.array([row[name] for row in rows]) for name in rows[0]
            }
            arrays |= {
                f"{number}.{name}": array for name, array in {**told, **solved_numbers}.items()
            }
    about |= {"kind": "solved", "host": "elsewhere", **changes.pop("about", {})}
    for name, change in changes.items():
        arrays[f"0.{name}"] = change(arrays[f"0.{name}"])
    write_arrays(solved, about, {name: each for name, each in arrays.items() if each is not None})


def descended(golem, covariance, n_samples):
    from causalassay.discovery import golem as module
    from causalassay.discovery.continuous.moments import Moments

    weights = np.zeros_like(covariance)
    moments = Moments(covariance, np.arange(len(covariance)), int(n_samples))
    info = module._descend(golem, "ev", moments, weights)
    return {"weights": weights} | {name: info[name] for name in ("loss", "h", "change")}


def imported(study, results, solved, **options):
    with Store.open(results, study) as store:
        return import_solved(study, store, read_solved(solved), **options)


def rows_of(folder, *, timing=False):
    frame = study_table(folder).frame.sort_values("key").reset_index(drop=True)
    return frame if timing else frame.drop(columns=["seconds", "load_seconds", "host"])


def counted(column):
    return {value: count for value, count in column.value_counts().items() if count}


def estimates_of(folder):
    with read_store(folder) as store:
        found = store.connection.execute(
            "SELECT key, blob FROM rows JOIN estimates ON rows.id = estimates.row"
        )
        return {key: decode(blob) for key, blob in found}


def test_what_is_exported_is_what_is_pending_and_nothing_else(tmp_path):
    _, _, pending, told = exported(tmp_path)
    assert (("golem-ev", 4, 8),) == told.counts
    about = read_about(pending, "pending")
    assert {"golem", "torch"} == {
        about["groups"][0]["searches"][0]["solver"],
        about["groups"][0]["device"],
    }
    with np.load(pending, allow_pickle=False) as arrays:
        given = ("keys", "covariances", "n_samples", "call", "batch")
        assert {"about", *(f"0.{name}" for name in given)} == {*arrays.files}
        assert (8, 4, 4) == arrays["0.covariances"].shape
        assert [0, 0, 0, 1, 1, 1, 2, 2] == arrays["0.call"].tolist()
        assert [3, 3, 3, 3, 3, 3, 2, 2] == arrays["0.batch"].tolist()
    assert "seed" not in about


def test_the_rows_of_a_solved_file_are_scored_and_stored_once(tmp_path):
    study, results, pending, _ = exported(tmp_path)
    solved = tmp_path / "solved.npz"
    solved_by_kernels(pending, solved)
    done = imported(study, results, solved)
    assert (8, 0) == (done.written, done.stored)
    frame = rows_of(results, timing=True)
    assert {"elsewhere"} == {*frame["host"]}
    assert {0.25} == {*frame["seconds"]}
    assert {3: 6, 2: 2} == counted(frame["batch"])
    before = rows_of(results)
    done = imported(study, results, solved)
    assert (0, 8) == (done.written, done.stored)
    assert before.equals(rows_of(results))
    with Store.open(results, study) as store:
        assert 0 == export_pending(study, store, tmp_path / "none.npz").total
    assert not (tmp_path / "none.npz").exists()
    done = imported(study, results, solved, again=True)
    assert (8, 0) == (done.written, done.stored)
    assert before.equals(rows_of(results))


def test_imported_rows_are_those_of_the_same_steps_here(tmp_path):
    """By kernels on both sides: the file, the order of columns and the scores change nothing."""
    study, results, pending, _ = exported(tmp_path)
    solved_by_kernels(pending, tmp_path / "solved.npz")
    imported(study, results, tmp_path / "solved.npz")
    text = STUDY.replace('device = "torch"\n', "").replace("batch = 3\n", "")
    here = study_from(text)
    run_study(here, tmp_path / "here", LocalExecutor(here, 1))
    names = ["problem", "replicate", "status", "shd", "f1"]
    by_place = {"by": ["problem", "replicate"], "ignore_index": True}
    expected, came = (
        rows_of(folder)[names].sort_values(**by_place) for folder in (tmp_path / "here", results)
    )
    assert expected.equals(came)


def test_a_failure_elsewhere_is_the_row_of_its_problem_alone(tmp_path):
    study, results, pending, _ = exported(tmp_path)

    def failed(failure):
        return np.array(["", "OutOfMemoryError: no room", *failure[2:]])

    def undefined(loss):
        return np.array([*loss[:3], np.nan, *loss[4:]])

    changes = {"failure": failed, "solved.loss": undefined}
    solved_by_kernels(pending, tmp_path / "solved.npz", **changes)
    imported(study, results, tmp_path / "solved.npz")
    frame = rows_of(results)
    assert {"ok": 6, "failed": 1, "skipped": 1} == counted(frame["status"])
    reasons = set(frame["reason"].dropna())
    assert any("no room" in reason for reason in reasons)
    assert any("left the range of double precision" in reason for reason in reasons)
    # What is not ok is solved again, if it is asked for.
    with Store.open(results, study) as store:
        told = export_pending(study, store, pending, retry=["failed", "skipped"])
    assert 2 == told.total
    solved_by_kernels(pending, tmp_path / "again.npz")
    assert 2 == imported(study, results, tmp_path / "again.npz").written
    assert {"ok"} == {*rows_of(results)["status"]}


def cut(path):
    path.write_bytes(path.read_bytes()[:-400])


HOSTILE = {
    "version": ({"about": {"version": 99}}, "has version 99"),
    "kind": ({"about": {"kind": "pending"}}, "solve it first"),
    "format": ({"about": {"format": "another"}}, "is no file of causalassay batches"),
    "other study": ({"about": {"fingerprint": "0" * 20}}, "is of the study 'batches'"),
    "groups": ({"about": {"groups": [3]}}, "does not say what was solved"),
    "no groups": ({"about": {"groups": "x"}}, "does not say which study"),
    "nan": ({"solved.weights": lambda weights: weights * np.nan}, "are no numbers"),
    "infinite": ({"solved.weights": lambda weights: weights + np.inf}, "are no numbers"),
    "shape": ({"solved.weights": lambda weights: weights[:, :2]}, "'weights' is missing, or not"),
    "fewer": ({"solved.loss": lambda loss: loss[:3]}, "'loss' is missing, or not of 8"),
    "text": ({"solved.loss": lambda loss: loss.astype(str)}, "'loss' is missing, or not"),
    "missing": ({"solved.h": lambda h: None}, "'h' is missing"),
    "told": ({"digests": lambda digests: None}, "'digests' is missing"),
    "data": ({"digests": lambda digests: np.roll(digests, 1)}, "are not those that were solved"),
    "keys": ({"keys": lambda keys: np.array([f"{k}x" for k in keys])}, "8 of its 8 rows"),
    "twice": ({"keys": lambda keys: keys[[0] * 8]}, "has a row twice"),
    "batch": ({"batch": lambda batch: batch * 0}, "expected batch >= 1"),
    "seconds": ({"seconds": lambda seconds: -seconds}, "seconds >= 0"),
    "pickled": ({"keys": lambda keys: keys.astype(object)}, "not a readable"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_not_belong_is_refused_in_words(tmp_path, name):
    study, results, pending, _ = exported(tmp_path)
    changes, refusal = HOSTILE[name]
    solved_by_kernels(pending, tmp_path / "solved.npz", **changes)
    with pytest.raises(ValueError, match=refusal):
        imported(study, results, tmp_path / "solved.npz")
    assert rows_of(results).empty


def test_files_that_are_cut_off_or_something_else_are_refused(tmp_path):
    study, results, pending, _ = exported(tmp_path)
    solved = tmp_path / "solved.npz"
    solved_by_kernels(pending, solved)
    cut(solved)
    with pytest.raises(ValueError, match="not a readable"):
        imported(study, results, solved)
    solved.write_bytes(b"no zip")
    with pytest.raises(ValueError, match="not a readable"):
        imported(study, results, solved)
    cut(pending)
    with pytest.raises(ValueError, match="cut off"):
        read_about(pending, "pending")


def test_rows_of_other_settings_are_refused(tmp_path):
    _, results, pending, _ = exported(tmp_path)
    solved_by_kernels(pending, tmp_path / "solved.npz")
    changed = study_from(STUDY.replace("steps = 300", "steps = 301"))
    with pytest.raises(ValueError, match="8 of its 8 rows .* no rows of this study"):
        imported(changed, results, tmp_path / "solved.npz")
    other = study_from(STUDY.replace("seed = 3", "seed = 4"))
    with pytest.raises(ValueError, match="or its seed is another"):
        imported(other, tmp_path / "other", tmp_path / "solved.npz")


def test_what_has_nothing_to_solve_is_left_to_the_run(tmp_path):
    text = STUDY.replace("samples = 200", "samples = 3")
    _, _, pending, told = exported(tmp_path, text)
    assert (0, 8) == (told.total, told.left)
    assert not pending.exists()


def test_relabelled_columns_have_the_same_pending_problem(tmp_path):
    rng = np.random.default_rng(0)
    from causalassay.data import Dataset

    data = Dataset.from_values(rng.normal(size=(50, 5)).cumsum(axis=1))
    moments = own_order_moments(data)
    for _ in range(5):
        other = own_order_moments(data.permute_columns(rng.permutation(5)))
        digests = {covariance_digest(m.covariance, m.n_samples) for m in (moments, other)}
        assert 1 == len(digests)


def test_the_commands_say_what_to_do_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY)
    told = run_here("batches", "export", "study.toml", "pending.npz", "--program", "solve.pyz")
    assert not told.returncode, told.stderr
    assert "golem-ev, 4 nodes: 8 runs" in told.stdout
    assert "python solve.pyz pending.npz solved.npz" in told.stdout
    assert "causalassay batches import batches-results solved.npz" in told.stdout
    solved_by_kernels(Path("pending.npz"), Path("solved.npz"))
    told = run_here("batches", "import", "batches-results", "solved.npz")
    assert "8 rows written to batches-results" in told.stdout, told.stderr
    told = run_here("batches", "import", "study.toml", "solved.npz", "--json")
    assert {"written": 0, "stored": 8}.items() <= json.loads(told.stdout).items()
    told = run_here("batches", "export", "batches-results", "more.npz")
    assert "no file written" in told.stdout
    Path("fewer.toml").write_text(STUDY.replace("replicates = ", "replicates = 1 #"))
    refused = run_here("batches", "import", "fewer.toml", "solved.npz", "--out", "batches-results")
    assert (2, True) == (refused.returncode, "no rows of this study" in refused.stderr)
    refused = run_here("batches", "import", "fewer.toml", "solved.npz", "--out", "elsewhere")
    assert (2, False) == (refused.returncode, Path("elsewhere").exists())
    refused = run_here("batches", "import", "batches-results", "pending.npz")
    assert 2 == refused.returncode
    assert "solve it first" in refused.stderr
    told = run_here("run", "study.toml", "--dry-run")
    assert "rows: 8 of 8 are stored already" in told.stdout
    assert "tasks of one size in one call: golem-ev, at most 3" in told.stdout


def test_damaged_rows_are_exported_again_if_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(
        STUDY.replace("replicates = ", "replicates = 1 #").replace(
            'grid.model.kind = ["scm", "standardized"]', 'model.kind = "scm"'
        )
    )
    told = run_here("batches", "export", "study.toml", "pending.npz")
    assert "golem-ev, 4 nodes: 1 run\n" in told.stdout, told.stderr
    solved_by_kernels(Path("pending.npz"), Path("solved.npz"))
    assert not run_here("batches", "import", "batches-results", "solved.npz").returncode
    with closing(sqlite3.connect("batches-results/study.sqlite")) as connection:
        connection.execute("UPDATE rows SET seconds = seconds + 1")
        connection.commit()
    refused = run_here("batches", "export", "study.toml", "again.npz")
    assert 2 == refused.returncode
    assert "--retry damaged" in refused.stderr
    told = run_here("batches", "export", "study.toml", "again.npz", "--retry", "damaged")
    assert "golem-ev, 4 nodes: 1 run\n" in told.stdout, told.stderr


@WITH_TORCH
def test_the_program_needs_torch_and_numpy_alone(tmp_path):
    _, _, pending, _ = exported(tmp_path)
    program, solved = tmp_path / "solve.pyz", tmp_path / "solved.npz"
    write_program(program)
    hidden = ("numba", "scipy", "pandas", "typer", "rich", "pydantic", "pyarrow")
    words = [str(program), str(pending), str(solved)]
    code = (
        f"import runpy, sys; sys.modules.update(dict.fromkeys({hidden})); sys.argv = {words}; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    assert "8 of 8 solved" in done.stdout
    assert 8 == len(read_solved(solved))


@WITH_TORCH
def test_imported_rows_are_those_computed_directly_but_for_times(tmp_path):
    from causalassay.discovery.continuous.batch_program import solve_file

    study, results, pending, told = exported(tmp_path, ALL_THREE)
    assert 24 == told.total
    solve_file(pending, tmp_path / "solved.npz", show=lambda _: None)
    assert 24 == imported(study, results, tmp_path / "solved.npz").written
    run_study(study, tmp_path / "here", LocalExecutor(study, 1))
    direct, joined = rows_of(tmp_path / "here"), rows_of(results)
    assert {2: 2, 3: 6, 8: 16} == counted(direct["batch"])
    assert {8: 24} == counted(joined["batch"])  # a file's calls that are alike are one
    assert direct.drop(columns="batch").equals(joined.drop(columns="batch"))
    here, there = estimates_of(tmp_path / "here"), estimates_of(results)
    assert here.keys() == there.keys()
    for key, estimate in here.items():
        assert (estimate.weights == there[key].weights).all()
        assert estimate.info == there[key].info


@WITH_TORCH
def test_rows_of_calls_are_those_of_single_tasks(tmp_path):
    """The same graphs, and weights within 1e-6: how matrices are put together may round."""
    study = study_from(ALL_THREE)
    alone = replace(study, algorithms=tuple(replace(entry, batch=1) for entry in study.algorithms))
    run_study(study, tmp_path / "together", LocalExecutor(study, 1))
    run_study(alone, tmp_path / "alone", LocalExecutor(alone, 1))
    together, single = estimates_of(tmp_path / "together"), estimates_of(tmp_path / "alone")
    assert 24 == len(together)
    assert together.keys() == single.keys()
    for key, estimate in together.items():
        assert (estimate.graph == single[key].graph).all()
        assert np.allclose(estimate.weights, single[key].weights, atol=1e-6)


PENALTIES_AND_THRESHOLDS = (
    STUDY.partition("[[algorithms]]")[0]
    + """
[[algorithms]]
use = "notears"
device = "torch"
h_tolerance = 1e-2
grid.lambda1 = [0.0, 0.05, 0.1]
grid.threshold = [0.1, 0.3]
"""
)


@WITH_TORCH
def test_problems_of_all_penalties_are_solved_together_and_once_for_all_thresholds(
    tmp_path, monkeypatch
):
    from causalassay.discovery.continuous import batch_program

    study, results, pending, told = exported(tmp_path, PENALTIES_AND_THRESHOLDS)
    assert 48 == told.total
    calls, searched = [], batch_program.solve_searches

    def counted_problems(searches, covariances, *others):
        calls.append(len(covariances))
        return searched(searches, covariances, *others)

    monkeypatch.setattr(batch_program, "solve_searches", counted_problems)
    batch_program.solve_file(pending, tmp_path / "solved.npz", show=lambda _: None)
    assert calls == [24]
    imported(study, results, tmp_path / "solved.npz")
    monkeypatch.undo()
    run_study(study, tmp_path / "here", LocalExecutor(study, 1))
    direct, joined = rows_of(tmp_path / "here"), rows_of(results)
    assert {48: 48} == counted(joined["batch"])
    assert direct.drop(columns="batch").equals(joined.drop(columns="batch"))


@WITH_TORCH
def test_an_interrupted_solve_goes_on(tmp_path, monkeypatch):
    from causalassay.discovery.continuous import batch_program

    _, _, pending, _ = exported(tmp_path)
    solved, calls = tmp_path / "solved.npz", []
    searched = batch_program.solve_searches
    monkeypatch.setattr(batch_program, "TOGETHER", 1)  # each call on its own

    def interrupted(*given):
        calls.append(len(given[1]))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return searched(*given)

    monkeypatch.setattr(batch_program, "solve_searches", interrupted)
    assert batch_program.INTERRUPTED == batch_program.main([str(pending), str(solved)])
    assert ["0-0.npz"] == [path.name for path in Path(f"{solved}.parts").iterdir()]
    assert not solved.exists()
    assert 0 == batch_program.main([str(pending), str(solved)])
    assert [3, 3, 3, 2] == calls
    assert not Path(f"{solved}.parts").exists()
    assert 0 == batch_program.main([str(pending), str(solved)])
    assert 4 == len(calls)
    monkeypatch.setattr(batch_program, "solve_searches", searched)
    batch_program.main([str(pending), str(tmp_path / "whole.npz")])
    with np.load(solved) as some, np.load(tmp_path / "whole.npz") as whole:
        assert {*some.files} == {*whole.files}
        timed = ("about", "0.seconds")
        assert all((some[name] == whole[name]).all() for name in some.files if name not in timed)


@WITH_TORCH
def test_a_call_without_room_is_solved_in_halves(tmp_path, monkeypatch):
    from causalassay.discovery.continuous import batch_program

    study, results, pending, _ = exported(tmp_path, STUDY.replace("batch = 3", "batch = 8"))
    searched = batch_program.solve_searches
    with np.load(pending) as arrays:
        bad = arrays["0.covariances"][5]

    def without_room(searches, covariances, *others):
        if len(covariances) > 4 or any((each == bad).all() for each in covariances):
            raise MemoryError("no room")
        return searched(searches, covariances, *others)

    monkeypatch.setattr(batch_program, "solve_searches", without_room)
    batch_program.solve_file(pending, tmp_path / "solved.npz", show=lambda _: None)
    imported(study, results, tmp_path / "solved.npz")
    frame = rows_of(results)
    assert {"ok": 7, "failed": 1} == counted(frame["status"])
    assert {4: 4, 2: 2, 1: 2} == counted(frame["batch"])


@WITH_TORCH
@pytest.mark.parametrize(
    ("device", "words", "refusal"),
    [("torch", ("--device", "cuda"), "which is 'cpu' of torch"), ("cuda", (), "torch sees no")],
)
def test_a_device_that_is_not_in_the_key_is_refused(tmp_path, device, words, refusal, monkeypatch):
    from causalassay.discovery.continuous import batch_program

    monkeypatch.setattr(batch_program, "is_there", lambda device: device == "cpu")
    text = STUDY.replace('device = "torch"', f'device = "{device}"')
    _, _, pending, _ = exported(tmp_path, text)
    with pytest.raises(ValueError, match=refusal):
        batch_program.solve_file(pending, tmp_path / "solved.npz", *words[1:])
    done = run_here("batches", "solve", pending, tmp_path / "solved.npz", *words)
    assert 2 == done.returncode
    assert refusal in " ".join(done.stderr.split())


@WITH_TORCH
def test_what_another_export_solved_is_not_overwritten(tmp_path):
    from causalassay.discovery.continuous.batch_program import solve_file

    quiet = {"show": lambda _: None}
    _, _, pending, _ = exported(tmp_path)
    _, _, other, _ = exported(tmp_path / "other", STUDY.replace("seed = 3", "seed = 4"))
    solved = tmp_path / "solved.npz"
    solve_file(pending, solved, **quiet)
    before = solved.read_bytes()
    with pytest.raises(ValueError, match="is not what comes of .*other.*; name another file"):
        solve_file(other, solved, **quiet)
    assert before == solved.read_bytes()


@WITH_TORCH
def test_a_part_that_was_cut_off_is_solved_again(tmp_path):
    from causalassay.discovery.continuous.batch_program import solve_file

    _, _, pending, _ = exported(tmp_path)
    solved = tmp_path / "solved.npz"
    part = Path(f"{solved}.parts") / "0-0.npz"
    part.parent.mkdir()
    part.write_bytes(pending.read_bytes()[:100])
    solve_file(pending, solved, show=lambda _: None)
    assert 8 == len(read_solved(solved))


@WITH_TORCH
def test_a_pending_file_without_an_array_is_refused(tmp_path):
    from causalassay.discovery.continuous.batch_program import solve_file

    _, _, pending, _ = exported(tmp_path)
    with np.load(pending) as arrays:
        rest = {name: arrays[name] for name in arrays.files if name != "0.call"}
    np.savez(pending, **rest)
    with pytest.raises(ValueError, match="is damaged: .*0.call.*export it again"):
        solve_file(pending, tmp_path / "solved.npz", show=lambda _: None)


@WITH_TORCH
def test_a_card_that_has_failed_writes_no_rows(tmp_path, monkeypatch):
    from causalassay.discovery.continuous import batch_program

    def failing(*_, **__):
        raise RuntimeError("an illegal memory access was encountered")

    _, _, pending, _ = exported(tmp_path)
    solved = tmp_path / "solved.npz"
    monkeypatch.setattr(batch_program, "solve_searches", failing)
    monkeypatch.setattr(batch_program.torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(batch_program.torch, "ones", failing)
    assert 2 == batch_program.main([str(pending), str(solved)])
    assert not solved.exists()
    assert [] == [*Path(f"{solved}.parts").iterdir()]


def test_calls_that_are_turned_off_after_the_export_change_nothing(tmp_path):
    _, results, pending, _ = exported(tmp_path)
    solved_by_kernels(pending, tmp_path / "solved.npz")
    study = study_from(STUDY.replace("batch = 3", "batch = 1"))
    assert 8 == imported(study, results, tmp_path / "solved.npz").written


def test_a_program_is_not_written_over_the_pending_file(tmp_path):
    study, both = tmp_path / "study.toml", tmp_path / "both.npz"
    study.write_text(STUDY)
    done = run_here("batches", "export", study, both, "--program", both)
    assert 2 == done.returncode
    assert "is PENDING; name another file" in " ".join(done.stderr.split())
    assert not both.exists()


def test_the_program_says_what_it_needs(tmp_path):
    program = tmp_path / "solve.pyz"
    write_program(program)
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')")
    came = subprocess.run(
        [sys.executable, program, "pending.npz", "solved.npz"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (1, "") == (came.returncode, came.stdout)
    assert "error: No module named torch; this needs Python with torch and numpy\n" == came.stderr


@WITH_TORCH
def test_solving_refuses_files_that_are_no_pending_ones(tmp_path):
    from causalassay.discovery.continuous.batch_program import main

    _, _, pending, _ = exported(tmp_path)
    solved_by_kernels(pending, tmp_path / "solved.npz")
    assert 2 == main([str(tmp_path / "solved.npz"), str(tmp_path / "x.npz")])
    cut(pending)
    assert 2 == main([str(pending), str(tmp_path / "x.npz")])
    assert 2 == main([str(tmp_path / "absent.npz"), str(tmp_path / "x.npz")])


def test_without_torch_solving_names_what_to_install(tmp_path, monkeypatch):
    _, _, pending, _ = exported(tmp_path)
    name = "causalassay.discovery.continuous.batch_program"
    monkeypatch.setitem(sys.modules, name, None)
    done = run_here("batches", "solve", pending, tmp_path / "solved.npz")
    assert 2 == done.returncode
    assert "solving needs torch" in done.stderr


def test_the_program_is_the_same_each_time(tmp_path):
    for name in ("a.pyz", "b.pyz"):
        write_program(tmp_path / name)
    assert (tmp_path / "a.pyz").read_bytes() == (tmp_path / "b.pyz").read_bytes()
