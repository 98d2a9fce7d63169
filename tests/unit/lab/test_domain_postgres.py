"""A factorial experiment on a live PostgreSQL server, small; skipped where there is none."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from causalassay.lab.domains.collecting import MeasurementFailed
from causalassay.lab.domains.plan import Subject
from causalassay.lab.domains.postgres_experiment import (
    Options,
    find_binaries,
    own_schema,
    own_server,
    prepared,
    run,
)
from causalassay.lab.domains.postgres_measuring import (
    OUTCOMES,
    TREATMENTS,
    Measuring,
    connect,
    connect_to,
    indexed_columns,
    set_indexes,
)
from causalassay.lab.domains.postgres_queries import (
    TABLES,
    create_tables,
    make_queries,
    table_sizes,
)
from causalassay.lab.factorial import read_experiment
from waiting import eventually

pytestmark = pytest.mark.needs("initdb")

PREFIX = "causalassay-postgresql-"
TINY = {"n_queries": 6, "scale": 0.02, "trials": 1}
COMMAND = [
    "domain",
    "postgres",
    "--queries",
    "6",
    "--scale",
    "0.02",
    "--trials",
    "1",
    "--no-evaluate",
    "--out",
]


@pytest.fixture
def place(monkeypatch, tmp_path):
    """Return a folder for temporary files that the server's user may enter, with a short path."""
    folder = tempfile.mkdtemp(dir="/tmp")
    Path(folder).chmod(0o755)
    monkeypatch.setenv("TMPDIR", folder)
    yield Path(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def server():
    with own_server() as one:
        yield one


def _servers(place):
    """Return the processes that work in folders below a place."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(place / PREFIX) in " ".join(process.info["cmdline"] or ())
    ]


def _nothing_left(place):
    return not _servers(place) and not list(place.glob(f"{PREFIX}*"))


def _start(place, out, *options):
    """Run the command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "causalassay", *COMMAND, str(out), *options],
        env=os.environ | {"TMPDIR": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _measured(out):
    """Return the lines of the journal that are measurements."""
    path = out / "journal.jsonl"
    return (
        [line for line in path.read_text().splitlines() if '"trial"' in line]
        if (path.exists())
        else []
    )


def test_the_experiment_measures_every_query_under_every_setting(place, tmp_path):
    with prepared(Options(**TINY)) as ready:
        assert len(_servers(place)) == 1
        collected, path = run(ready, tmp_path, lambda *_: None)
    assert _nothing_left(place)
    assert not collected.failures
    experiment = read_experiment(path)
    assert 6 == experiment.n_subjects
    assert 12 == experiment.n_combinations
    assert 6 * 12 == len(experiment.frame)
    assert set(experiment.outcomes) <= set(OUTCOMES)
    assert "rows" == experiment.biasing
    assert (experiment.frame["runtime_ms"] > 0).all()
    text = path.read_text()
    assert "PostgreSQL" in text
    assert str(place) not in text
    assert 7 == len((tmp_path / "queries.csv").read_text().splitlines())


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_an_ended_client_leaves_no_server_and_no_folder(place, tmp_path, number):
    client = _start(place, tmp_path, "--trials", "500")
    eventually(lambda: len(_measured(tmp_path)) > 5 or client.poll() is not None)
    assert _servers(place)
    client.send_signal(number)
    _, errors = client.communicate()
    eventually(lambda: _nothing_left(place), "the server or its folder is still there")
    if number == signal.SIGKILL:
        return
    assert 130 == client.returncode
    assert "give the same command again" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_server_that_dies_is_one_clear_line_and_the_journal_is_kept(place, tmp_path):
    client = _start(place, tmp_path, "--trials", "500")
    eventually(lambda: len(_measured(tmp_path)) > 5 or client.poll() is not None)
    (server,) = _servers(place)
    server.kill()
    _, errors = client.communicate()
    assert 2 == client.returncode
    last = errors.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert "PostgreSQL server" in last
    assert len(_measured(tmp_path)) > 5
    eventually(lambda: _nothing_left(place), "the server or its folder is still there")


def test_a_user_who_may_not_create_a_schema_is_told_so(server):
    from causalassay.lab.domains.postgres_experiment import given_server

    admin = server.dsn.replace("user=experiment", "user=causalassay")
    with connect(admin) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
    with (
        given_server(server.dsn.replace("user=experiment", "user=guest")) as guest,
        pytest.raises(ValueError, match="does not let us create a schema.*grant CREATE"),
        own_schema(guest, "mine"),
    ):
        pass


def test_a_client_killed_while_the_server_starts_leaves_nothing(place, tmp_path):
    client = _start(place, tmp_path)
    eventually(lambda: list(place.glob(f"{PREFIX}*")) or client.poll() is not None)
    client.kill()
    client.communicate()
    eventually(lambda: _nothing_left(place), "the server or its folder is still there")


@pytest.mark.slow
def test_a_killed_watchdog_takes_the_server_with_it(place):
    with pytest.raises(ConnectionError), own_server() as one:  # noqa: PT012
        (running,) = _servers(place)
        watchdog = running.parent()
        watchdog.kill()
        eventually(lambda: not _servers(place), "the server is still there")
        connect(one.dsn)
    assert _nothing_left(place)


def test_a_resumed_experiment_has_the_same_plan_and_no_duplicates(server, tmp_path):
    class Stop(Exception):
        pass

    def stop_at_20(done, total, failed):
        if done == 20:
            raise Stop

    with pytest.raises(Stop), prepared(Options(**TINY), server.dsn) as ready:
        run(ready, tmp_path, stop_at_20)
    first = _measured(tmp_path)
    with prepared(Options(**TINY), server.dsn) as ready:
        keys = [step.key for step in ready.plan.steps()]
        run(ready, tmp_path, lambda *_: None)
    lines = _measured(tmp_path)
    assert first == lines[:20]
    assert 72 == len(lines)
    measured = [
        json.dumps([line["trial"], line["subject"], line["setting"]], sort_keys=True)
        for line in map(json.loads, lines)
    ]
    assert keys == measured


def test_the_same_seed_gives_the_same_rows(server):
    def sums(seed):
        name = f"rows_{seed}"
        with own_schema(server, name), connect_to(server.dsn, name) as connection:
            create_tables(connection, 0.02, seed)
            return [
                connection.execute(f"SELECT md5(string_agg(t::text, '')) FROM {table} t").fetchone()
                for table in TABLES
            ]

    assert sums(1) == sums(1)
    assert sums(1) != sums(2)


def test_tables_have_the_rows_of_their_scale_and_refer_to_rows_that_exist(server):
    with own_schema(server, "sizes"), connect_to(server.dsn, "sizes") as connection:
        create_tables(connection, 0.1, 0)
        for name, table in TABLES.items():
            (count,) = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
            assert table_sizes(0.1)[name] == count
            for column, parent in table.parents.items():
                lost = connection.execute(
                    f"SELECT count(*) FROM {name} WHERE {column} NOT IN (SELECT id FROM {parent})"
                ).fetchone()
                assert (0,) == lost


def test_queries_differ_and_vary_in_joins_groupings_and_results(server):
    queries = make_queries(60, 0.1, seed=3)
    assert 60 == len({query.sql for query in queries})
    assert {0, 1, 2, 3} == {query.joins for query in queries}
    assert {0, 1, 2} == {query.groupings for query in queries}
    with own_schema(server, "queries") as name, connect_to(server.dsn, name) as connection:
        create_tables(connection, 0.1, 3)
        with Measuring(server.dsn, name, {}, timeout=60) as measuring:
            rows = [measuring.rows_returned(query) for query in queries]
    assert min(rows) < 20 < 500 < max(rows)


@pytest.mark.parametrize("levels", [("none", "all"), ("all", "primary"), ("primary", "none")])
def test_indexes_are_those_of_the_level(server, levels):
    with own_schema(server, "indexes") as name, connect_to(server.dsn, name) as connection:
        create_tables(connection, 0.01, 0)
        for level in levels:
            set_indexes(connection, level)
            (count,) = connection.execute(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = 'indexes'"
            ).fetchone()
            assert len(indexed_columns(level)) == count


def test_treatments_reach_the_planner(server):
    """Without indexes nothing is read by them; small memory spills a large sort."""
    query = make_queries(2, 0.1, 0)[0].__class__("q", "SELECT * FROM votes ORDER BY 3", 0, 0, 0)
    setting = {name: levels[0] for name, levels in TREATMENTS.items()}
    with own_schema(server, "effects") as name, connect_to(server.dsn, name) as connection:
        create_tables(connection, 0.1, 0)
        with Measuring(server.dsn, name, {"q": query}, timeout=60) as measuring:
            small = measuring(Subject("q", {}), setting | {"memory_level": "small"})
            large = measuring(Subject("q", {}), setting | {"memory_level": "large"})
            again = measuring(Subject("q", {}), setting | {"memory_level": "large"})
    assert small["temp_written"] > 0 == large["temp_written"]
    # The buffers were emptied: the same blocks are read once more.
    assert large["shared_read"] == again["shared_read"] > 0


def test_a_query_that_takes_too_long_is_a_failed_measurement(server):
    query = make_queries(2, 0.1, 0)[0].__class__("q", "SELECT pg_sleep(60)", 0, 0, 0)
    setting = {name: levels[0] for name, levels in TREATMENTS.items()}
    with (
        own_schema(server, "slow") as name,
        connect_to(server.dsn, name) as connection,
    ):
        create_tables(connection, 0.01, 0)
        with (
            Measuring(server.dsn, name, {"q": query}, timeout=0.05) as measuring,
            pytest.raises(MeasurementFailed, match=r"took longer than 0.05 s"),
        ):
            measuring(Subject("q", {}), setting)


def test_a_given_server_keeps_its_schemas(server, tmp_path):
    def schemas():
        with connect(server.dsn) as connection:
            return connection.execute("SELECT nspname FROM pg_namespace ORDER BY 1").fetchall()

    with own_schema(server, "somebodys"):
        before = schemas()
        with prepared(Options(**TINY), dsn=server.dsn) as ready:
            assert before != schemas()
            run(ready, tmp_path, lambda *_: None)
        assert before == schemas()
    assert "host=" not in (tmp_path / "postgres.toml").read_text()


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--dsn", "host=/nowhere dbname=x"], "cannot connect to the PostgreSQL server"),
        (["--dsn", "not a dsn"], "the DSN cannot be read"),
        (["--binaries", "/nowhere"], "no PostgreSQL server (initdb, postgres) in /nowhere"),
        (["--dsn", "host=x", "--binaries", "/nowhere"], "pass one of them"),
        (["--queries", "1"], "queries: expected at least 2"),
        (["--scale", "nan"], "scale: expected 0.005 to 100"),
        (["--timeout", "0"], "timeout: expected more than 0"),
        (["--trials", "0"], "trials: expected at least 1"),
    ],
)
def test_bad_input_is_one_line(capfd, monkeypatch, tmp_path, options, fault):
    from causalassay.cli import main

    monkeypatch.setattr(sys, "argv", ["causalassay", *COMMAND, str(tmp_path / "out"), *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert 2 == ended.value.code
    errors = capfd.readouterr().err
    assert fault in errors
    assert 1 == len(errors.strip().splitlines())


def test_without_psycopg_one_line_says_what_to_install(capfd, monkeypatch, tmp_path):
    from causalassay.cli import main

    for name in [
        name for name in sys.modules if name.startswith("causalassay.lab.domains.postgres")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setattr(sys, "argv", ["causalassay", *COMMAND, str(tmp_path / "out")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert 2 == ended.value.code
    expected = 'error: PostgreSQL needs psycopg: pip install "psycopg[binary]>=3.2"'
    assert expected == capfd.readouterr().err.strip()
    assert not (tmp_path / "out").exists()


def test_a_folder_the_server_cannot_enter_is_one_clear_line(place, monkeypatch):
    deep = place / ("x" * 100)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    with pytest.raises(ValueError, match="too long a path for a Unix socket"), own_server():
        pass
    assert not list(deep.iterdir())


def test_the_command_measures_and_then_judges_algorithms(capsys, monkeypatch, server, tmp_path):
    from causalassay.cli import main

    words = "domain postgres --queries 12 --scale 0.02 --trials 1 --repeats 2 --look-alikes 0"
    more = ["--algorithm", "ges", "--json", "--dsn", server.dsn, "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["causalassay", *words.split(), *more])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    judged = json.loads(capsys.readouterr().out)
    assert "PostgreSQL" == judged["name"]
    assert 12 == judged["subjects"]
    assert "ges" in [row["name"] for row in judged["scores"]]


def test_no_binaries_on_an_empty_path():
    with pytest.raises(FileNotFoundError, match="apt-get install postgresql"):
        find_binaries([])
