import csv
import json
import math
import random
from dataclasses import replace

import pandas as pd
import pytest

from causalassay.analysis.report.files import write_report
from causalassay.study.plan import RunTask, task_key
from causalassay.study.storage.exporting import export, inert_frame
from causalassay.study.storage.store import Store
from causalassay.study.storage.table import study_table
from stored_studies import (
    EMPTY,
    F1,
    GES,
    PC,
    PROBLEMS,
    SHD,
    SID,
    all_records,
    measured,
    record,
    study,
    task,
    tuned_study,
)

HEAD = ["key", "problem", "replicate", "algorithm", "role", "use", "status", "reason"]
HEAD += ["seconds", "load_seconds", "batch", "host", "scheme", "graph_key"]
LABELS = ["graph.kind", "graph.n_nodes", "model.noise_sd"]
COLUMNS = [*HEAD, *LABELS, "parameters", "shd", "f1", "var_sortability", "n_edges", "notes"]


def filled(folder, plan, records=None):
    with Store.open(folder, plan) as store:
        store.save(all_records(plan) if records is None else records)
    return folder


def read(target):
    return pd.read_parquet(target) if target.suffix == ".parquet" else pd.read_csv(target)


def test_a_table_has_a_row_for_each_task_in_the_order_of_the_study(tmp_path):
    table = study_table(filled(tmp_path, study()))
    frame = table.frame
    assert COLUMNS == list(frame.columns)
    assert 12 == len(frame)
    addresses = list(zip(frame["problem"], frame["replicate"], frame["algorithm"], strict=True))
    expected = [
        (problem, replicate, algorithm)
        for problem in ("raw", "iscm")
        for replicate in range(3)
        for algorithm in ("pc", "empty")
    ]
    assert expected == addresses
    row = frame.iloc[9]
    assert task_key(study(), task(1, 1, 1)) == row["key"]
    assert ("baseline", "empty", "ok", "iscm") == tuple(row[["role", "use", "status", "scheme"]])
    assert [111.0, 1 / 7, 1.125, 4.0] == row[["shd", "f1", "var_sortability", "n_edges"]].tolist()
    assert ("shd", "f1") == table.metrics
    assert ("var_sortability", "n_edges") == table.diagnostics
    assert tuple(LABELS) == table.labels
    assert {"shd": "low", "f1": "high"} == table.better


def test_labels_are_null_where_a_problem_has_none(tmp_path):
    frame = study_table(filled(tmp_path, study())).frame
    assert [5, 3] == frame["graph.n_nodes"].unique().tolist()
    assert [1.0] * 6 == frame["model.noise_sd"][:6].tolist()
    assert frame["model.noise_sd"][6:].isna().all()
    assert ["erdos-renyi", "chain"] == list(frame["graph.kind"].cat.categories)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (2, 0.5, [2.0, 0.5]),
        (2, "many", ["2", "many"]),
        (True, False, [True, False]),
        (True, 2, ["true", "2"]),
        (None, 3, [None, 3.0]),
    ],
)
def test_a_label_is_numbers_if_all_its_values_are(tmp_path, first, second, expected):
    problems = tuple(
        replace(problem, labels={"x": value})
        for problem, value in zip(PROBLEMS, (first, second), strict=True)
    )
    plan = study(problems=problems, replicates=1, algorithms=(PC,))
    column = study_table(filled(tmp_path, plan)).frame["x"].astype(object)
    assert expected == column.where(column.notna(), None).tolist()


def test_parameters_say_what_differs_from_the_defaults(tmp_path):
    plan = study(algorithms=(PC, EMPTY))
    frame = study_table(filled(tmp_path, plan)).frame
    expected = {"pc": PC.parameters, "empty": EMPTY.parameters}
    parameters = map(json.loads, frame["parameters"])
    assert expected == dict(zip(frame["algorithm"], parameters, strict=True))


def test_undefined_failed_and_infinite_are_distinct_from_numbers(tmp_path):
    records = [
        record(0, 0, 0, scores=(math.inf, math.nan), notes={"f1": "raised ValueError: x"}),
        record(0, 0, 1, status="failed", reason='raised ValueError: "a, b"\nc'),
        record(0, 1, 0, scores=(1.0, 0.1)),
    ]
    plan = study(problems=PROBLEMS[:1])
    table = study_table(filled(tmp_path, plan, records)).frame
    assert math.inf == table["shd"][0]
    assert table["f1"][:2].isna().all()
    assert table["shd"][1:2].isna().all()
    assert table["var_sortability"].isna().all()
    assert ["ok", "skipped", "failed", "timeout"] == list(table["status"].cat.categories)
    for suffix in ("csv", "parquet"):
        target = tmp_path / f"rows.{suffix}"
        assert 3 == export(tmp_path, target)
        exported = read(target)
        assert [math.inf, 1.0] == exported["shd"][[0, 2]].tolist()
        assert exported["f1"][:2].isna().all()
        assert 0.1 == exported["f1"][2]
        assert r'raised ValueError: "a, b"\nc' == exported["reason"][1]
        assert pd.isna(exported["reason"][0])
        assert '{"f1": "raised ValueError: x"}' == exported["notes"][0]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_holds_the_same_table_as_the_frame(tmp_path, suffix):
    frame = study_table(filled(tmp_path, study())).frame
    target = tmp_path / f"rows.{suffix}"
    progress = []
    assert 12 == export(tmp_path, target, on_progress=lambda *args: progress.append(args))
    assert (12, 12) == progress[-1]
    exported = read(target)
    assert COLUMNS == list(exported.columns)
    for name in COLUMNS:
        left, right = frame[name].astype(object), exported[name].astype(object)
        assert left.where(left.notna(), None).tolist() == right.where(right.notna(), None).tolist()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_order_of_saving_changes_no_byte_of_an_export(tmp_path, suffix):
    plan = study()
    shuffled = all_records(plan)
    random.Random(3).shuffle(shuffled)
    first, second = filled(tmp_path / "a", plan), tmp_path / "b"
    for one in shuffled:
        filled(second, plan, [replace(one, host="elsewhere", seconds=9.0)])
    names = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for folder, target in zip((first, second), names, strict=True):
        export(folder, target, timing=False)
    assert names[0].read_bytes() == names[1].read_bytes()
    assert not {"seconds", "host"} & set(read(names[0]).columns)


def test_a_store_that_grew_exports_the_same_bytes_as_one_that_had_all(tmp_path):
    whole = study(metrics=(SID, SHD), diagnostics=("n_edges", "var_sortability"))
    filled(tmp_path / "a", whole)
    small = study(
        problems=PROBLEMS[1:], algorithms=(EMPTY, GES), metrics=(SHD,), diagnostics=("n_edges",)
    )
    filled(tmp_path / "b", small, [record(0, 0, 1, metrics=(0,), scores=(7.0,))])
    filled(tmp_path / "b", whole)
    for name in "ab":
        export(tmp_path / name, tmp_path / f"{name}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_parts_taken_out_are_left_out_unless_everything_is_asked_for(tmp_path):
    filled(tmp_path, study())
    newer = replace(SHD, version=2)
    less = study(
        replicates=2, problems=PROBLEMS[:1], algorithms=(PC,), metrics=(newer,), diagnostics=()
    )
    filled(tmp_path, less, [])
    table = study_table(tmp_path)
    assert 2 == len(table.frame)
    assert (("shd",), ()) == (table.metrics, table.diagnostics)
    assert ["model.noise_sd"] == [name for name in table.labels if name == "model.noise_sd"]
    assert table.frame["shd"].isna().all()
    everything = study_table(tmp_path, everything=True)
    assert 12 == len(everything.frame)
    old = f"shd [{SHD.key[:6]}]"
    assert ("shd", old, "f1") == everything.metrics
    assert {"shd": "low", old: "low", "f1": "high"} == everything.better
    assert ("var_sortability", "n_edges") == everything.diagnostics
    assert everything.frame[old].notna().all()
    assert 12 == export(tmp_path, tmp_path / "all.csv", everything=True)
    assert 2 == export(tmp_path, tmp_path / "now.csv")


def test_the_runs_of_a_tuning_have_a_table_of_their_own(tmp_path):
    plan = tuned_study()
    records = [record(0, 0, 2), record(0, 0, 1, purpose="tuning", metrics=(1,), scores=(0.5,))]
    filled(tmp_path, plan, records)
    assert ["tuned"] == study_table(tmp_path).frame["algorithm"].tolist()
    tuning = study_table(tmp_path, purpose="tuning").frame
    assert ["loose"] == tuning["algorithm"].tolist()
    assert [0.5] == tuning["f1"].tolist()
    assert tuning["shd"].isna().all()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_study_without_rows_has_an_empty_table_with_its_columns(tmp_path, suffix):
    table = study_table(filled(tmp_path, study(), []))
    assert COLUMNS == list(table.frame.columns)
    assert 0 == len(table.frame)
    assert 0 == export(tmp_path, tmp_path / f"rows.{suffix}")
    assert COLUMNS == list(read(tmp_path / f"rows.{suffix}").columns)


def test_an_interrupted_export_leaves_what_was_there(tmp_path):
    filled(tmp_path / "store", study())
    target = tmp_path / "rows.csv"

    def interrupt(done, total):
        raise KeyboardInterrupt

    for before in (None, "earlier"):
        if before:
            target.write_text(before)
        with pytest.raises(KeyboardInterrupt):
            export(tmp_path / "store", target, on_progress=interrupt)
        assert (before is not None) == target.exists()
        assert {"store"} | ({"rows.csv"} if before else set()) == {
            path.name for path in tmp_path.iterdir()
        }
    assert "earlier" == target.read_text()


def test_an_export_while_a_driver_writes_is_of_one_moment(tmp_path, monkeypatch):
    monkeypatch.setattr("causalassay.study.storage.checks.CHUNK", 2)
    plan = study()
    records = all_records(plan)
    with Store.open(tmp_path, plan) as store:
        store.save(records[:9])
        expected = sum(isinstance(one.task, RunTask) for one in records[:9])

        def write_more(done, total):
            assert expected == total
            store.save(records)

        assert expected == export(tmp_path, tmp_path / "rows.csv", on_progress=write_more)
    assert expected == len(read(tmp_path / "rows.csv"))
    assert 12 == export(tmp_path, tmp_path / "rows.csv")


@pytest.mark.parametrize("name", ["rows.xlsx", "rows"])
def test_another_kind_of_file_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"ends in \.csv or \.parquet"):
        export(filled(tmp_path, study()), tmp_path / name)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere to write rows\.csv to"):
        export(filled(tmp_path, study()), tmp_path / "nowhere" / "rows.csv")


def test_a_metric_called_like_a_diagnostic_is_refused(tmp_path):
    plan = study(metrics=(SHD, replace(F1, label="n_edges")))
    with pytest.raises(ValueError, match="'n_edges' is there twice"):
        study_table(filled(tmp_path, plan, [measured()]))


@pytest.mark.parametrize("name", ["study.sqlite", "study.sqlite-wal", "study.sqlite-shm", "lock"])
def test_a_store_is_not_written_over(tmp_path, name):
    folder = filled(tmp_path / "store", study())
    before = (folder / "study.sqlite").read_bytes()
    with pytest.raises(ValueError, match="part of a study's store"):
        write_report(folder, folder / name)
    for link in (tmp_path / "symbolic.csv", tmp_path / "hard.csv"):
        (link.symlink_to if link.stem == "symbolic" else link.hardlink_to)(folder / "study.sqlite")
        with pytest.raises(ValueError, match="part of a study's store"):
            export(folder, link)
        with pytest.raises(ValueError, match="part of a study's store"):
            write_report(folder, link)
    assert before == (folder / "study.sqlite").read_bytes()


@pytest.mark.parametrize("write", [export, write_report])
def test_a_folder_where_a_file_is_expected_is_named(tmp_path, write):
    filled(tmp_path / "store", study())
    (tmp_path / "rows.csv").mkdir()
    with pytest.raises(IsADirectoryError, match=r"rows\.csv is a folder: name a file in it"):
        write(tmp_path / "store", tmp_path / "rows.csv")


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "  =1+1", "\uff1d1", "\uff20A")


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_spreadsheet_runs_no_cell_of_a_csv_file(tmp_path, formula):
    problem = replace(PROBLEMS[0], name=formula, labels={"=label": formula, "n": -1})
    algorithm, metric = replace(PC, name=formula), replace(SHD, label="-shd")
    plan = study(problems=(problem,), algorithms=(algorithm,), metrics=(metric, F1))
    records = [
        record(0, 0, 0, status="failed", reason=formula, host=formula),
        record(0, 1, 0, scores=(-2.0, -0.5), host="=here"),
    ]
    filled(tmp_path, plan, records)
    target = tmp_path / "rows.csv"
    export(tmp_path, target)
    with target.open(newline="") as file:
        heading, *rows = csv.reader(file)
    assert {"'=label", "'-shd"} <= set(heading)
    first, second = (dict(zip(heading, row, strict=True)) for row in rows)
    for column in ("problem", "algorithm", "reason", "host", "'=label"):
        assert f"'{formula}" == first[column]
    assert ("-2", "-0.5", "-1") == (second["'-shd"], second["f1"], second["n"])
    export(tmp_path, tmp_path / "rows.parquet")
    frame = pd.read_parquet(tmp_path / "rows.parquet")
    assert [formula] * 2 == frame["=label"].tolist() == frame["problem"].tolist()
    assert formula == frame["reason"][0]


def test_the_data_of_a_figure_run_in_no_spreadsheet_either():
    frame = pd.DataFrame({"=a": ["=1", "b"], "n": [-1.0, 2.0]})
    frame["c"] = pd.Categorical(["@x", "y"])
    text = inert_frame(frame).to_csv(index=False)
    assert "'=a,n,c\n'=1,-1.0,'@x\nb,2.0,y\n" == text
