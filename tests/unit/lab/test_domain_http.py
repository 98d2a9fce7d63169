import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest

from causalassay.cli import main
from causalassay.lab.domains.collecting import MeasurementFailed
from causalassay.lab.domains.http_experiment import (
    AGENTS,
    TREATMENTS,
    Options,
    count_markup,
    measure,
    prepared,
    run,
)
from causalassay.lab.domains.http_servers import (
    SERVER_CLASSES,
    classes_of,
    config_text,
    draw_pages,
    find_nginx,
    nginx_version,
    running,
    write_pages,
)
from causalassay.lab.domains.plan import Subject
from causalassay.lab.factorial import read_experiment
from waiting import eventually, gone

PYTHON = classes_of(("python",))


@pytest.fixture(scope="module")
def by_python(tmp_path_factory):
    """A small experiment with Python's server alone."""
    return small_experiment(tmp_path_factory.mktemp("http"))


def small_experiment(folder, n_pages=8, nginx=None, on_progress=lambda *_: None):
    with prepared(Options(n_pages, 1, 3, nginx)) as ready:
        assert ready.seconds_each() > 0
        collected, path = run(ready, folder, on_progress)
    return read_experiment(path), collected


def lengths(experiment, server_class, name="raw_content_length"):
    """Return an outcome's sum over the pages of a class, by setting."""
    frame = experiment.frame
    own = frame[frame["server_class"] == server_class]
    return own.groupby(list(TREATMENTS))[name].sum().to_dict()


def test_pages_depend_on_the_seed_alone():
    assert draw_pages(4, PYTHON, 1) == draw_pages(4, PYTHON, 1)
    assert draw_pages(4, PYTHON, 1)[:2] == draw_pages(2, PYTHON, 1)
    assert draw_pages(4, PYTHON, 1) != draw_pages(4, PYTHON, 2)


def test_the_mobile_variant_has_fewer_tags_and_attributes():
    for page in draw_pages(20, SERVER_CLASSES, 1):
        tags, attributes = count_markup(page.desktop.decode())
        mobile_tags, mobile_attributes = count_markup(page.mobile.decode())
        assert 0 < mobile_tags < tags + 1
        assert 0 < mobile_attributes < attributes


def test_other_users_can_read_the_pages_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        write_pages(tmp_path / "pages", draw_pages(2, PYTHON, 1))
    finally:
        os.umask(before)
    for file in (tmp_path / "pages").rglob("*"):
        assert file.stat().st_mode & stat.S_IROTH


def test_every_page_is_measured_under_every_setting(by_python):
    experiment, collected = by_python
    assert (8, 8) == (experiment.n_subjects, experiment.n_combinations)
    assert len(experiment.frame) == 8 * 8
    assert not collected.failures
    assert experiment.biasing == "server_class"
    assert "nginx" not in experiment.provenance["programs"]
    assert (experiment.frame["elapsed_ms"] > 0).all()


def test_compression_shrinks_what_is_sent_where_the_server_compresses(by_python):
    sent = lengths(by_python[0], "python-gzip")
    whole = lengths(by_python[0], "python-gzip", "decompressed_content_length")
    assert sent["gzip", "direct", "desktop"] < 0.8 * sent["identity", "direct", "desktop"]
    assert whole["gzip", "direct", "desktop"] == sent["identity", "direct", "desktop"]
    plain = lengths(by_python[0], "python")
    assert plain["gzip", "direct", "desktop"] == plain["identity", "direct", "desktop"]


def test_the_proxy_passes_on_what_it_gets(by_python):
    for name in PYTHON:
        sent = lengths(by_python[0], name)
        for compression in ("identity", "gzip"):
            direct = sent[compression, "direct", "mobile"]
            assert direct == sent[compression, "proxy", "mobile"]


def test_the_user_agent_decides_the_variant(by_python):
    tags = lengths(by_python[0], "python", "html_tags")
    assert tags["identity", "direct", "mobile"] < tags["identity", "direct", "desktop"]


def test_an_experiment_goes_on_from_its_journal(tmp_path):
    def interrupted(made, *_):
        if made == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small_experiment(tmp_path, 4, on_progress=interrupted)
    made = []
    experiment, _ = small_experiment(tmp_path, 4, on_progress=lambda n, *_: made.append(n))
    assert made[0] == 5
    assert len(experiment.frame) == 32


@pytest.mark.needs("nginx")
def test_by_default_nginx_does_not_compress_for_a_proxy(tmp_path):
    nginx = find_nginx()
    experiment, _ = small_experiment(tmp_path, nginx=nginx)
    assert set(SERVER_CLASSES) == set(experiment.frame["server_class"])
    sent = lengths(experiment, "nginx")
    assert sent["gzip", "direct", "desktop"] < 0.8 * sent["identity", "direct", "desktop"]
    assert sent["gzip", "proxy", "desktop"] == sent["identity", "proxy", "desktop"]
    sent = lengths(experiment, "nginx-gzip9")
    assert sent["gzip", "proxy", "desktop"] == sent["gzip", "direct", "desktop"]
    assert f"nginx {nginx_version(nginx)}" in experiment.provenance["programs"]


def test_the_configuration_has_a_server_for_each_class():
    text = config_text(classes_of(("nginx",)))
    assert text.count("server {") == 2
    assert "gzip_proxied off;" in text
    assert "gzip_comp_level 9;\n        gzip_proxied any;" in text


def test_only_pages_are_served():
    with running(PYTHON, draw_pages(2, PYTHON, 1), None) as addresses:
        for path in ("/../log", "/absent.html", "/page-0000", "/%2e%2e/log"):
            assert asked(addresses.ports["python"], path) == 404


def test_the_proxy_reaches_our_servers_alone():
    with running(PYTHON, draw_pages(2, PYTHON, 1), None) as addresses:
        own = f"http://127.0.0.1:{addresses.ports['python']}/page-0000.html"
        assert asked(addresses.proxy, own) == 200
        assert asked(addresses.proxy, f"http://127.0.0.1:{addresses.proxy}/page-0000.html") == 403
        assert asked(addresses.proxy, own.replace("127.0.0.1", "localhost")) == 403
        assert asked(addresses.proxy, "/page-0000.html") == 403
        assert asked(addresses.proxy, "http://127.0.0.1:x/page-0000.html") == 403


def asked(port, path):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"User-Agent": AGENTS["desktop"]})
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("way", ["direct", "proxy"])
def test_a_server_that_is_gone_ends_the_session_and_is_no_failed_measurement(way):
    pages = draw_pages(2, PYTHON, 1)
    subject = Subject("page-0000", {"server_class": "python"})
    setting = {"compression": "gzip", "proxy": way, "user_agent": "mobile"}
    with running(PYTHON, pages, None) as addresses:
        assert measure(addresses, subject, setting)["html_tags"] > 0
        with pytest.raises(MeasurementFailed, match="status 404"):
            measure(addresses, replace(subject, id="page-9999"), setting)
        of_class = next(
            one
            for one in psutil.Process().children(recursive=True)
            if "pages" in one.cmdline() and "serving.py" in one.cmdline()[2]
        )
        of_class.kill()
        eventually(lambda: gone(of_class.pid))
        with pytest.raises(ConnectionError, match="is gone; give the same command again"):
            measure(addresses, subject, setting)


def test_a_program_that_is_not_nginx_is_an_error():
    with pytest.raises(FileNotFoundError, match="there is no program '/no/nginx'; install it"):
        find_nginx("/no/nginx")
    with pytest.raises(ValueError, match="is not nginx"), prepared(Options(8, nginx="true")):
        pass


def test_a_server_that_does_not_start_is_an_error_and_leaves_nothing():
    before = children()
    with pytest.raises(ValueError, match="HTTP cannot be started here: nginx did not start"):  # noqa: SIM117
        with running(SERVER_CLASSES, (), "/bin/false"):
            pass
    assert before == children()


COMMAND = ["domain", "http", "--trials", "1", "--pages", "8", "--no-evaluate", "--out"]


def test_the_command_measures_and_writes_the_experiment(capfd, monkeypatch, tmp_path):
    monkeypatch.setattr("causalassay.lab.domains.http_servers.find_nginx", lambda _: None)
    command = ["domain", "http", "--trials", "1", "--pages", "8", "--out"]
    options = ["--look-alikes", "0", "--repeats", "2", "--json", "--algorithm", "ges"]
    monkeypatch.setattr(sys, "argv", ["causalassay", *command, str(tmp_path), *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = capfd.readouterr()
    assert json.loads(printed.out)["scores"][0]["name"] == "ges"
    assert f"Experiment: {tmp_path / 'http.toml'} and http.csv" in printed.err
    assert "nginx was not found: Python's server serves alone" in printed.err
    assert "64 measurements (8 pages x 8 settings x 1 trials)" in printed.err
    assert read_experiment(tmp_path / "http.toml").n_subjects == 8


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--pages", "3", "--no-nginx"], "pages: expected at least 4, 2 for each server class"),
        (["--trials", "0"], "trials: expected at least 1, got 0"),
        (["--nginx", "/no/nginx"], "there is no program '/no/nginx'; install it"),
        (["--nginx", "true"], "is not nginx"),
        (["--nginx", "x", "--no-nginx"], "pass one of them"),
        (["--repeats", "0"], "--repeats: expected at least 1, got 0"),
        (["--look-alikes", "-1"], "--look-alikes: expected at least 0, got -1"),
        (["--beta", "-1"], "beta: expected a number of at least 0, got -1"),
        (["--algorithm", "gse"], "ges"),
        (["--report", "/no/such/folder/page.html"], "does not exist; create it first"),
    ],
)
@pytest.mark.parametrize("nginx", ["as installed", "absent"])
def test_bad_input_is_one_line(capfd, monkeypatch, tmp_path, options, fault, nginx):
    if nginx == "absent":
        monkeypatch.setattr("shutil.which", without("nginx", shutil.which))
    command = ["causalassay", *COMMAND, str(tmp_path / "out"), *options]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    errors = capfd.readouterr().err
    assert fault in errors
    assert len(errors.strip().splitlines()) == 1


def without(hidden, which):
    return lambda name, *args, **options: None if name == hidden else which(name, *args, **options)


CLIENT = """
import json, sys, time
from pathlib import Path
import psutil
from causalassay.lab.domains.http_servers import draw_pages
from causalassay.lab.domains.http_servers import classes_of
from causalassay.lab.domains.http_servers import running
classes = classes_of(tuple(json.loads(sys.argv[1])))
with running(classes, draw_pages(4, classes, 1), sys.argv[2]):
    processes = psutil.Process().children(recursive=True)
    print(json.dumps([one.pid for one in processes]), flush=True)
    time.sleep(1000)
"""


@pytest.fixture
def open_folder():
    """A temporary folder that every user can enter; those of pytest are root's alone."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_however_the_client_ends_nothing_is_left(number, open_folder):
    client, pids = start_client(open_folder)
    assert len(pids) >= 3
    client.send_signal(number)
    client.wait()
    eventually(lambda: all(map(gone, pids)), "a process is left")
    assert [] == list(open_folder.iterdir())


def test_an_interrupted_command_says_how_to_go_on(open_folder, tmp_path):
    command = [sys.executable, "-m", "causalassay", *COMMAND, str(tmp_path), "--trials", "60"]
    client = subprocess.Popen(
        command,
        env=dict(os.environ) | {"TMPDIR": str(open_folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = tmp_path / "journal.jsonl"
    eventually(lambda: client.poll() is not None or (journal.exists() and measured(journal) > 3))
    client.send_signal(signal.SIGINT)
    _, errors = client.communicate()
    assert client.returncode == 130
    assert f"kept in {journal}; give the same command again to go on" in errors
    assert "Traceback" not in errors
    assert measured(journal) > 3
    assert [] == list(open_folder.iterdir())


def measured(journal):
    return journal.read_text().count('"trial"')


@pytest.mark.slow
def test_without_their_watchdog_the_servers_end(open_folder):
    client, pids = start_client(open_folder)
    watchdog = next(
        one for one in pids if "watched_servers.py" in " ".join(psutil.Process(one).cmdline())
    )
    os.kill(watchdog, signal.SIGKILL)
    others = [one for one in pids if one != watchdog]
    eventually(lambda: all(map(gone, others)), "a server is left")
    client.send_signal(signal.SIGINT)
    client.wait()
    assert [] == list(open_folder.iterdir())


def start_client(folder):
    """Start servers in a process of its own; return it and the processes below it."""
    program = find_nginx()
    programs = ["python"] if program is None else ["nginx", "python"]
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, json.dumps(programs), program or "", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ) | {"TMPDIR": str(folder)},
        text=True,
    )
    with client.stdout:
        return client, json.loads(client.stdout.readline())


def children():
    return {one.pid for one in psutil.Process().children(recursive=True)}


@pytest.mark.needs("root")
def test_a_closed_temporary_folder_is_an_error(open_folder, monkeypatch):
    open_folder.chmod(0o700)
    monkeypatch.setenv("TMPDIR", str(open_folder))
    with pytest.raises(ValueError, match="is closed to the user nobody.*set TMPDIR"):  # noqa: SIM117
        with running(PYTHON, (), None):
            pass
    assert [] == list(open_folder.iterdir())


@pytest.mark.needs("root")
def test_root_is_given_up():
    with running(PYTHON, (), None):
        servers = [
            one
            for one in psutil.Process().children(recursive=True)
            if Path(one.cmdline()[2]).name == "http_serving.py"
        ]
        assert len(servers) == 2
        assert all(one.uids().effective != 0 for one in servers)
