"""The commands `domain jdk` and `domain file`, and their page."""

import html
import json
import re
import socket
import traceback
import xml.etree.ElementTree as ET
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from typer.testing import CliRunner

from causalassay.cli import app
from causalassay.discovery import make_algorithm
from causalassay.lab.factorial import (
    FactorialExperiment,
    Settings,
    Truth,
    charts,
    evaluate,
    read_jdk,
    write_experiment,
)
from causalassay.lab.factorial.document import evaluation_document
from causalassay.present import Facts, Findings, Table, flattened
from causalassay.present.charts import static_svg
from causalassay.present.html import page
from command_line import run_here
from factorial_experiments import simulated

HOSTILE = "</title><script>alert(1)</script>"
FAST = ("--repeats", "2", "--look-alikes", "0")


def run(*words):
    return run_here("domain", *words)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return write_experiment(tmp_path_factory.mktemp("domain") / "web.toml", simulated(60))


def test_a_stored_experiment_is_judged_with_tables_and_a_page(stored, tmp_path):
    page = tmp_path / "page.html"
    done = run("file", stored, "--report", page, "--algorithm", "pc", "--full", *FAST)
    assert (0, f"Report: {page}\n") == (done.returncode, done.stderr)
    for words in (
        "Algorithms judged on web: 60 subjects, 480 rows; biased by size",
        "Tests found effects in 3 of 9 pairs of treatment and outcome",
        "consistent graph",
        "direct experiment (floor)",
        "to all outcomes",
        "SHD ranks pc (",
    ):
        assert words in done.stdout
    assert "<svg" in page.read_text(encoding="utf-8")
    assert [page] == list(tmp_path.iterdir())


def test_json_has_what_the_tables_have(stored):
    words = ("domain", "file", str(stored), "--json", "--algorithm", "pc", *FAST)
    done = CliRunner().invoke(app, [*words, "--algorithm", "notears"])
    assert 0 == done.exit_code
    found = json.loads(done.stdout)
    scores = {row["name"]: row for row in found["scores"]}
    assert 0 == scores["consistent graph"]["SHD"]["mean"]
    assert 2 == scores["pc"]["TV"]["n"]
    assert "discrete" in scores["notears"]["reasons"][0]
    assert 2 == scores["notears"]["n_failed"]
    assert ["size", "T1"] in found["consistent_edges"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("file", "absent.toml"), "absent.toml: there is no such file"),
        (("jdk", "--data", "absent"), "absent: there is no such file"),
        (("file", "{stored}", "--beta", "-1"), "beta: expected a number of at least 0, got -1.0"),
        (("file", "{stored}", "--bins", "1"), "bins: expected 2 or more, got 1"),
        (("file", "{stored}", "--repeats", "0"), "repeats: expected at least 1, got 0"),
        (("file", "{stored}", "--look-alikes", "-1"), "--look-alikes: expected at least 0"),
        (("file", "{stored}", "--algorithm", "pcc"), "did you mean 'pc'"),
        (("file", "{stored}", "--report", "no/page.html"), "the folder no does not exist"),
        (("file", "{stored}", "--report", "{stored}"), "is one of the files to read"),
    ],
)
def test_bad_input_is_one_line(stored, words, expected):
    done = CliRunner().invoke(
        app, ["domain", *(str(stored) if word == "{stored}" else word for word in words)]
    )
    # `main` prints these two kinds as one line and ends with exit code 2.
    assert isinstance(done.exception, ValueError | OSError)
    assert expected in str(done.exception)
    assert "\n" not in str(done.exception)


def test_bad_input_ends_with_exit_code_2():
    done = run("file", "absent.toml")
    assert (2, "error: absent.toml: there is no such file\n") == (done.returncode, done.stderr)


def test_help_is_short_and_names_both_commands():
    done = CliRunner().invoke(app, ["domain", "--help"])
    assert 0 == done.exit_code
    assert "jdk" in done.stdout
    assert "file" in done.stdout


@pytest.fixture(scope="module")
def hostile():
    own = simulated(60)
    names = {"size": HOSTILE, "T1": "<b>T1</b>", "O1": "a&b"}
    experiment = FactorialExperiment(
        own.frame.rename(columns=names),
        "who",
        None,
        ("<b>T1</b>", "T2", "T3"),
        ("a&b", "O2", "O3"),
        (HOSTILE,),
        HOSTILE,
        provenance={"made by": HOSTILE},
    )
    algorithms = {"pc": make_algorithm("pc"), "<i>": make_algorithm("empty")}
    result = evaluate(experiment, algorithms, Settings(), repeats=2, n_look_alikes=1)
    provenance = [Facts({"command": f"causalassay {HOSTILE}"})]
    return evaluation_document(result, HOSTILE, provenance)


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return page(hostile)


def test_names_from_files_cannot_become_markup(hostile_page):
    assert "<script" not in hostile_page
    assert "<b>T1" not in hostile_page
    assert "<i>" not in hostile_page
    assert html.escape(HOSTILE) in hostile_page


def test_pictures_come_first_and_are_whole(hostile_page):
    pictures = re.findall(r"<svg.*?</svg>", hostile_page, flags=re.DOTALL)
    assert 4 == len(pictures)
    for picture in pictures:
        ET.fromstring(picture)
    assert hostile_page.index("<svg") < hostile_page.index("<table")


@pytest.fixture(scope="module")
def long_names():
    names = {"O1": "total_unit_test_time", "T1": "level_of_the_garbage_collector"}
    own = simulated(60)
    experiment = replace(
        own,
        frame=own.frame.rename(columns=names),
        treatments=(names["T1"], "T2", "T3"),
        outcomes=(names["O1"], "O2", "O3"),
        levels={},
        provenance={
            "treatments": {"T1": ["none", "all"], "T2": []},
            "sessions": [{"started": "2001-02-03", "cpus": "2"}, {"started": "2001-02-04"}],
            "failed": {},
        },
    )
    algorithms = {"pc": make_algorithm("pc")}
    return evaluate(experiment, algorithms, Settings(), repeats=2, n_look_alikes=0)


def texts_of(spec):
    drawn = ET.fromstring(static_svg(spec, ""))
    return [one.text for one in drawn.iter() if one.tag.endswith("}text")]


def test_names_stand_whole_beside_the_intervals(long_names):
    effects = texts_of(charts.effects(long_names.truth))
    assert {"total_unit_test_time", "level_of_the_garbage_collector"} <= set(effects)
    for measure in ("TV", "SHD", "SID"):
        assert {"pc", "empty graph"} <= set(texts_of(charts.scores(long_names.rows, measure)))


def test_each_score_is_drawn_with_its_interval(long_names):
    for measure in ("TV", "SHD", "SID"):
        spec = charts.scores(long_names.rows, measure)
        (points,) = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
        by_name = {one["graph"]: one for one in points}
        for row in long_names.rows:
            mean = row.mean(measure)
            expected = [None if np.isnan(one) else one for one in mean[:3]]
            drawn = by_name[row.name]
            assert expected == [drawn["value"], drawn["low"], drawn["high"]]


def test_provenance_is_facts_and_tables_without_brackets(long_names):
    blocks = flattened(evaluation_document(long_names, "web").provenance)
    facts = {k: v for one in blocks if isinstance(one, Facts) for k, v in one.items.items()}
    for name, value in (
        ("experiment: treatments: T1", "none, all"),
        ("experiment: treatments: T2", "–"),
        ("experiment: failed", "–"),
        ("levels of size", "≤ 1, > 1"),
    ):
        assert value == facts[name]
    (sessions,) = (one for one in blocks if isinstance(one, Table))
    assert [
        {"started": "2001-02-03", "cpus": "2"},
        {"started": "2001-02-04", "cpus": "–"},
    ] == sessions.records()
    assert not {"{", "["} & set("".join(facts.values()))


def test_sentences_are_short(hostile):
    (shown,) = (one for one in flattened(hostile.blocks) if isinstance(one, Findings))
    for finding in (hostile.headline, *shown.items):
        for sentence in re.findall(r"[^.:]+\.(?=\s|$)", finding.sentence):
            assert len(sentence.split()) <= 30


@pytest.mark.slow
def test_jdk_at_defaults(jdk_folder):
    done = run("jdk", "--data", jdk_folder, "--json")
    assert 0 == done.returncode
    found = json.loads(done.stdout)
    assert {"pc", "mmhc", "ges"} <= {row["name"] for row in found["scores"]}
    assert 18 == len(found["look_alikes"])
    over, under = found["specifications"]
    assert [0, 0, 0] == over["SID"]
    assert np.less(over["TV"]["median"]["mean"], under["TV"]["median"]["mean"])


def test_jdk_effects_are_those_that_tests_show(jdk_folder):
    truth = Truth(read_jdk(jdk_folder), Settings())
    own = truth.experiment
    moved = {(own.treatments[j], own.outcomes[k]) for j, k in np.argwhere(truth.p_values <= 0.05)}
    assert ("debug", "jar_file_size_bytes") in moved
    assert ("optimize", "jar_file_size_bytes") not in moved
    assert 12 == len(moved)


SECRETS = ("s3cr3t-1", "p@ss/w:rd?9", "zwei W0rte", "it's-4", "50%off", 'qu"ote-7', "back\\slash8")
FORMS = (
    "host=/nowhere user=me password={}",
    "host=/nowhere user=me password='{}",
    "host=/nowhere user=me password = '{}'",
    "host=/nowhere pasword={}",
    "host=/nowhere {}",
    "{}",
    "postgresql://me:{}@/db?host=/nowhere",
    "postgresql://me:{}@localhost:1/db",
    "postgresql://me:{}@localhost:port/db",
    "postgresql://me:{}@[::1/db",
    "postgresql://me:{}@localhost:1/db?sslmod=x",
    "postgres:/me:{}@localhost:1/db",
    "postgresql://localhost:1/db?password={}&connect_timeout=x",
    "host=localhost port={}",
    "host=localhost port=1 user=me/{}",
    "host=localhost port=1 sslmode={}",
    "host=localhost port=1 hostaddr={}",
    "service={}",
)


def not_known(host, *_, **__):
    raise socket.gaierror(socket.EAI_NONAME, f"{host}: not known")


@pytest.mark.parametrize("form", FORMS)
def test_no_error_repeats_a_part_of_a_dsn(form, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", not_known)  # a mistyped host may take long
    from causalassay.lab.domains.postgres_experiment import Server
    from causalassay.lab.domains.postgres_measuring import connect

    for secret in SECRETS:
        for written in (secret, quote(secret), secret.encode().hex()):
            with pytest.raises((ConnectionError, ValueError)) as raised:
                connect(form.format(written))
            shown = "".join(traceback.format_exception_only(raised.value))
            assert raised.value.__suppress_context__
            parts = [part for part in re.split(r"[^\w]", written) if len(part) > 3]
            assert [] == [part for part in (written, *parts) if part in shown], form
            assert 1 == len(shown.splitlines())
    assert "password" not in repr(Server("password=x", "15", "given", {}))


def test_the_command_does_not_repeat_a_dsn(tmp_path):
    dsn = "postgresql://me:s3cr3t@localhost:port/db"
    done = run("postgres", "--out", tmp_path / "out", "--dsn", dsn)
    assert 2 == done.returncode
    assert "s3cr3t" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
