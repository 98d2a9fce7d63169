"""The graphs of a study as files: names, formats, the index, and what is refused."""

import csv
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import causalassay as ca
from causalassay.cli import app
from causalassay.common.files import unsaid
from causalassay.contracts import Estimate
from causalassay.study.estimate_encoding import encode
from causalassay.study.graph_export import GRAPH_FORMATS, export_graphs
from causalassay.study.language import parse_study
from causalassay.study.storage.store import Store
from stored_studies import PC, all_records, record, study

CLASS = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)


def filled(folder, plan, records=None):
    with Store.open(folder, plan) as store:
        store.save(all_records(plan) if records is None else records)
    return folder


def index_of(folder):
    with (folder / "index.csv").open() as file:
        return list(csv.DictReader(file))


def test_each_row_has_a_file_and_a_line(tmp_path):
    plan = study()
    store = filled(tmp_path / "store", plan)
    assert 12 == export_graphs(store, tmp_path / "graphs")
    lines = index_of(tmp_path / "graphs")
    assert 12 == len({line["file"] for line in lines}) == len(lines)
    files = {path.name for path in (tmp_path / "graphs").iterdir()}
    assert {line["file"] for line in lines} | {"index.csv"} == files
    first = lines[0]
    assert ("raw", "0", "pc", "dag", "2", "0") == tuple(
        first[name]
        for name in ("problem", "replicate", "algorithm", "kind", "directed", "undirected")
    )
    assert first["file"].startswith("raw_r0_pc_")
    text = (tmp_path / "graphs" / first["file"]).read_text()
    assert ["from,to,type", "x0,x1,->", "x1,x2,->"] == text.splitlines()


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_every_format_reads_back_the_same_graph(tmp_path, name):
    plan = study(replicates=1)
    one = record(0, 0, 0, estimate=encode(Estimate(CLASS, "pdag")))
    store = filled(tmp_path / "store", plan, [one])
    export_graphs(store, tmp_path / "graphs", format=name)
    (line,) = [line for line in index_of(tmp_path / "graphs") if line["file"]]
    with unsaid():
        path = tmp_path / "graphs" / line["file"]
        graph, _ = ca.graphs.read_graph(path, ["x0", "x1", "x2"])
    np.testing.assert_array_equal(CLASS, graph)
    assert ("1", "1") == (line["directed"], line["undirected"])


def test_rows_without_a_graph_are_in_the_index_with_their_reason(tmp_path):
    plan = study(replicates=1)
    store = filled(tmp_path / "store", plan, [record(0, 0, 0, status="failed")])
    assert 0 == export_graphs(store, tmp_path / "graphs")
    lines = index_of(tmp_path / "graphs")
    assert [("", "failed", "raised ValueError: no")] == [
        (line["file"], line["status"], line["reason"]) for line in lines
    ]


def test_names_that_no_disk_takes_and_that_look_alike_do_not_collide(tmp_path):
    named = [replace(PC, name=name) for name in ("=../PC", "=../pc ")]
    named[1] = replace(named[1], algorithm=ca.discovery.make_algorithm("pc", alpha=0.2))
    plan = study(algorithms=tuple(named), replicates=1)
    store = filled(tmp_path / "store", plan)
    export_graphs(store, tmp_path / "graphs")
    lines = index_of(tmp_path / "graphs")
    assert len(lines) == len({line["file"].lower() for line in lines}) == 4
    assert all(Path(line["file"]).name == line["file"] for line in lines)
    assert {"'=../PC", "'=../pc "} == {line["algorithm"] for line in lines}


def test_a_damaged_graph_is_a_line_without_a_file(tmp_path):
    plan = study(replicates=1)
    store = filled(tmp_path / "store", plan, [record(0, 0, 0)])
    with sqlite3.connect(store / "study.sqlite") as connection:
        connection.execute("UPDATE estimates SET checksum = checksum + 1")
    connection.close()
    assert 0 == export_graphs(store, tmp_path / "graphs")
    assert "the stored graph is damaged" == index_of(tmp_path / "graphs")[0]["reason"]


def test_a_folder_with_files_is_refused_and_an_interrupted_export_leaves_none(tmp_path):
    store = filled(tmp_path / "store", study())
    with pytest.raises(FileExistsError, match="with files in it; name a new one"):
        export_graphs(store, store)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        export_graphs(store, tmp_path / "no" / "graphs")
    with pytest.raises(ValueError, match="format: there is no 'graphmk'; did you mean 'graphml'"):
        export_graphs(store, tmp_path / "graphs", format="graphmk")
    with pytest.raises(KeyboardInterrupt):
        export_graphs(store, tmp_path / "graphs", on_progress=_interrupt)
    assert ["store"] == [path.name for path in tmp_path.iterdir()]


def _interrupt(done, total):
    raise KeyboardInterrupt


def test_the_command_names_nodes_as_the_columns_of_the_data_file(tmp_path):
    rng = np.random.default_rng(1)
    names = ["dose", "response", "cost"]
    values = ca.models.draw("scm", ca.graphs.chain(3), rng).sample(200, rng)
    ca.data.write(ca.Dataset.from_values(values, names), tmp_path / "cells.csv")
    ca.graphs.write_graph(tmp_path / "truth.csv", ca.graphs.chain(3), names)
    text = (
        'name = "s"\nseed = 1\nreplicates = 1\nbaselines = false\ncontrols = false\n'
        'algorithms = ["var-sortnregress"]\nmetrics = ["shd", "f1"]\ndiagnostics = []\n'
        '[[problems]]\ndata = {file = "cells.csv", graph = "truth.csv"}\n'
    )
    found = encode(Estimate(CLASS, "pdag"))
    plan = parse_study(text, tmp_path)
    store = str(filled(tmp_path / "results", plan, [record(0, 0, 0, estimate=found)]))
    run = CliRunner()
    words = ["export", store, "--graphs", str(tmp_path / "g"), "--json", "--format", "graphml"]
    done = run.invoke(app, words)
    assert {"graphs": 1, "folder": str(tmp_path / "g")} == json.loads(done.stdout)
    (line,) = index_of(tmp_path / "g")
    assert ("of the data", "var-sortnregress") == (line["names"], line["algorithm"])
    graph, _ = ca.graphs.read_graph(tmp_path / "g" / line["file"], names)
    np.testing.assert_array_equal(CLASS, graph)
    (tmp_path / "cells.csv").unlink()
    assert "1 graph: " in run.invoke(app, ["export", store, "--graphs", f"{tmp_path}/h"]).stdout
    assert "numbers of columns" == index_of(tmp_path / "h")[0]["names"]


def test_nothing_to_write_is_an_error(tmp_path):
    for words in ((), ("rows.csv", "--format", "dot")):
        result = CliRunner().invoke(app, ["export", str(tmp_path), *words])
        assert isinstance(result.exception, ValueError)
        assert "--graphs FOLDER" in str(result.exception)
