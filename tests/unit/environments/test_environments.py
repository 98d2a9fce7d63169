"""Environments of third-party packages: how they are found, installed, asked and ended."""

import ast
import dataclasses
import importlib.util
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from announced_environments import FAKE, installed_fake, read_again, write_package
from causalassay.cli.environments import note_absent
from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery import algorithms, discover, make_algorithm, registry
from causalassay.discovery import environment_algorithms as environment_checks
from causalassay.environments import catalogue, host, installing, process
from causalassay.environments.catalogue import (
    DefinitionMistake,
    environment,
    environments,
    read_definition,
)
from causalassay.environments.installing import NotBuilt
from causalassay.environments.process import EnvironmentFailed, PackageRaised, Request
from causalassay.testing import check_algorithm
from pages import ROOT
from waiting import eventually, gone

VALUES = np.random.default_rng(0).normal(size=(50, 4))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with a package that announces the environment `fake`, installed."""
    with installed_fake(tmp_path_factory) as folder:
        yield folder


@pytest.fixture
def fake(site):
    return environment("fake")


@pytest.fixture
def elsewhere(fake, tmp_path, monkeypatch):
    """An empty folder of environments."""
    monkeypatch.setenv(installing.FOLDER_VARIABLE, str(tmp_path / "cache"))
    process.end_process("fake")
    yield tmp_path / "cache"
    process.end_process("fake")


def do(deed, seed=0, n_nodes=4):
    return discover("fake-deed", VALUES[:, :n_nodes], seed, deed=deed)


# What an environment is


def test_every_environment_of_ours_is_whole():
    for home in environments().values():
        assert home.adapter.is_file()
        assert home.licence
        assert home.algorithms or home.generators
        assert all("==" in pin or pin == "--no-deps" for pin in home.pins)
        for one in home.algorithms:
            assert one.what.endswith(".")
            assert f"{one.name}-".startswith(f"{home.name}-")
        for one in home.generators:
            assert one.what.endswith(".")
            assert not one.note or one.note.endswith(".")
            assert one.name.startswith(f"{home.name}-")
            assert one.call


@pytest.mark.parametrize("home", environments().values(), ids=lambda home: home.name)
def test_every_adapter_has_what_its_file_names(home):
    tables = {
        node.targets[0].id: {key.value for key in node.value.keys}
        for node in ast.parse(home.adapter.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }
    assert {one.name for one in home.algorithms} == tables.get("ALGORITHMS", set())
    assert {one.name for one in home.generators} == tables.get("GENERATORS", set())


def test_the_page_has_the_table_of_all_environments():
    spec = importlib.util.spec_from_file_location("table", ROOT / "docs" / "environments_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.PAGE.read_text(encoding="utf-8")
    assert text == module.page(text), "run python docs/environments_table.py"


def test_a_stranger_adds_an_environment_with_a_folder_and_an_entry_point(fake, site):
    assert site / "fakery" / "environment" == fake.folder
    assert "fakery" not in sys.modules
    record = next(record for record in algorithms() if record.name == "fake-deed")
    assert ("", "dag", "MIT") == (record.missing, record.output, record.licence)
    assert {"deed": "'chain'", "least": "None"} == record.parameters


def test_a_broken_environment_hides_no_other(site, tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "environment.toml").write_text("name = 'x'")
    write_package(tmp_path / "site", broken, "broken")
    monkeypatch.syspath_prepend(tmp_path / "site")
    read_again()
    assert "the key 'pins' is missing" in catalogue.broken_environments()["broken"]
    assert "fake" in environments()
    monkeypatch.undo()
    read_again()


def test_a_name_that_is_taken_is_a_mistake(site, tmp_path, monkeypatch):
    write_package(tmp_path, FAKE, "twin")
    monkeypatch.syspath_prepend(tmp_path)
    read_again()
    assert "the environment 'fake' is there twice" in "".join(
        catalogue.broken_environments().values()
    )
    monkeypatch.undo()
    read_again()


def test_no_environment_can_replace_a_built_in_algorithm(site, tmp_path, monkeypatch):
    folder = tmp_path / "impostor"
    folder.mkdir()
    text = (FAKE / "environment.toml").read_text()
    text = (
        text.replace('"fake"', '"impostor"').replace("fake-deed", "pc").replace("fake-", "other-")
    )
    (folder / "environment.toml").write_text(text)
    (folder / "adapter.py").touch()
    write_package(tmp_path / "site", folder, "impostor")
    monkeypatch.syspath_prepend(tmp_path / "site")
    read_again()
    with pytest.raises(ValueError, match="algorithm 'pc' is registered twice: it is built in"):
        make_algorithm("pc")
    monkeypatch.undo()
    read_again()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('output = "dag"', 'output = "tree"', "output: expected 'dag', 'cpdag', 'pdag' or 'summ"),
        ('["continuous"]', '["wavy"]', "data.0: expected 'continuous', 'discrete' or 'series'"),
        ('name = "fake"', 'name = "Fa ke"', "name: expected small letters, digits and hyphens"),
        ('world = "series"', 'world = "flat"', "world: expected 'continuous', 'discrete' or"),
        ('call = "chain(d, n)"', "", "the key 'call' is missing"),
        ("licence", "license", "the key 'licence' is missing"),
        ('"fake-unseeded"', '"fake-deed"', "name: 'fake-deed' is there twice"),
        ('default = "chain"', 'default = "chain"\nbrief = 3', "brief: expected str, got 3"),
        ("pins = []", "pins = [", "environment.toml: "),
        ("disk_mb", "disc_mb", "the key 'disk_mb' is missing; disc_mb: there is no key 'disc_mb'"),
        ("disk_mb = ", 'disk_mb = "much"  # ', "disk_mb: expected a valid integer.*got 'much'"),
    ],
)
def test_a_mistake_in_a_file_is_told(tmp_path, old, new, message):
    text = (FAKE / "environment.toml").read_text().replace(old, new, 1)
    (tmp_path / "environment.toml").write_text(text)
    (tmp_path / "adapter.py").touch()
    with pytest.raises(DefinitionMistake, match=message):
        read_definition(tmp_path)


def test_our_own_files_are_read_without_a_check_because_they_pass_it():
    for name, home in environments().items():
        assert home == read_definition(home.folder), name


def test_an_unknown_environment_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="no environment 'lingma'; did you mean 'lingam'"):
        environment("lingma")


def test_well_known_names_lead_to_environments():
    with pytest.raises(ValueError, match="there is no algorithm 'rcd'; did you mean 'lingam-rcd'?"):
        make_algorithm("rcd")
    assert set(registry._OTHER_NAMES.values()) <= set(registry.ALGORITHMS)


def test_algorithms_are_values_with_keys(site):
    one = make_algorithm("fake-deed", deed="draw")
    assert one == pickle.loads(pickle.dumps(one))
    assert {one: 1}[make_algorithm("fake-deed", deed="draw")]
    with pytest.raises(TypeError, match="no hyperparameter 'dead'; it takes deed, least"):
        make_algorithm("fake-deed", dead=1)
    with pytest.raises(TypeError, match="least: expected a number or None, got 'x'"):
        make_algorithm("fake-deed", least="x")


# Installing and removing


def test_an_environment_is_installed_and_removed(fake, elsewhere):
    assert installing.state(fake).python is None
    folder = installing.install(fake)
    assert installing.state(fake).python == installing.interpreter(folder)
    assert np.array_equal(np.eye(4, k=1), do("chain").graph)
    assert folder == installing.install(fake)
    assert 1 == installing.remove(fake)
    assert 0 == installing.remove(fake)
    assert {".lock"} == {path.suffix for path in elsewhere.iterdir()}


@pytest.mark.parametrize("lost", ["bin", "lib"])
def test_an_installation_repairs_what_is_lost(fake, elsewhere, lost):
    folder = installing.install(fake)
    shutil.rmtree(folder / lost)
    assert "is not installed: causalassay env install fake" in installing.state(fake).reason
    assert folder == installing.install(fake)
    assert not installing.state(fake).reason
    assert do("chain").graph.any()


def test_an_answer_that_is_no_mapping_is_told():
    adapter = SimpleNamespace(ALGORITHMS={"one": lambda _: "a -> b"})
    head = {"kind": "algorithm", "name": "one", "seed": 0, "python_seed": 0, "scratch": ""}
    answer, arrays = host._answer(adapter, head, {})
    assert ("raised", {}) == (answer["status"], arrays)
    assert "TypeError: its answer is a str, expected a mapping" == answer["reason"]


def test_other_pins_are_another_environment(fake):
    pinned = dataclasses.replace(fake, pins=("a==1",))
    assert installing.folder_of(fake) != installing.folder_of(pinned)


def test_a_half_built_environment_is_never_taken_for_a_whole_one(fake, elsewhere, monkeypatch):
    def fail(command, on_line=None):
        raise KeyboardInterrupt

    folder = installing.folder_of(fake)
    folder.with_name(folder.name + ".building").mkdir(parents=True)  # of one that was killed
    monkeypatch.setattr(installing, "_run", fail)
    with pytest.raises(KeyboardInterrupt):
        installing.install(fake)
    assert "is not installed: causalassay env install fake" in installing.state(fake).reason
    assert {".lock"} == {path.suffix for path in elsewhere.iterdir()}
    folder.mkdir()  # without the file that is written last
    assert installing.state(fake).python is None


def test_an_environment_whose_adapter_cannot_be_imported_is_not_installed(
    fake, elsewhere, tmp_path
):
    (tmp_path / "adapter.py").write_text("import no_such_package")
    broken = dataclasses.replace(fake, folder=tmp_path)
    with pytest.raises(NotBuilt, match="cannot be imported: ModuleNotFoundError: No module named"):
        installing.install(broken)
    assert installing.state(broken).python is None


def test_one_process_installs_and_the_others_wait(fake, elsewhere, monkeypatch):
    built = []
    monkeypatch.setattr(installing, "_make", lambda folder, *_: built.append(folder.mkdir()))
    monkeypatch.setattr(installing, "_try_script", lambda *_: None)
    elsewhere.mkdir()
    waiting = threading.Event()
    with installing.alone(installing.folder_of(fake)):
        other = threading.Thread(
            target=installing.install, args=(fake,), kwargs={"on_wait": waiting.set}
        )
        other.start()
        eventually(waiting.is_set)
        assert [] == built
    other.join()
    assert 1 == len(built)


def test_what_is_missing_is_said_in_one_line(fake, elsewhere, monkeypatch):
    needy = dataclasses.replace(fake, programs=("no-such-program",))
    with pytest.raises(NotBuilt, match="^the program no-such-program is not on the path$"):
        installing.install(needy)
    old = dataclasses.replace(fake, python_below="3.0")
    with pytest.raises(NotBuilt, match="^its packages need a Python below 3.0, this is 3"):
        installing.install(old)
    large = dataclasses.replace(fake, disk_mb=10**9)
    with pytest.raises(NotBuilt, match="^it needs about 1000000000 MB and .* MB free; name"):
        installing.install(large)
    monkeypatch.setenv(installing.FOLDER_VARIABLE, os.devnull + "/cache")
    with pytest.raises(NotBuilt, match="cannot be written to: Not a directory"):
        installing.install(fake)


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        ("NewConnectionError: x\\nERROR: No matching", "the package index cannot be reached"),
        ("OSError: [Errno 28] No space left on device", "no space left on the disk"),
        ("x\\nERROR: no wheel", "ERROR: no wheel"),
        ("", "pip gave no reason"),
    ],
)
def test_why_pip_failed_is_said_in_one_line(stderr, reason):
    program = f"import sys; print('{stderr}', file=sys.stderr); sys.exit(1)"
    with pytest.raises(NotBuilt) as raised:
        installing._run([sys.executable, "-c", program])
    assert f"the installation failed: {reason}" == str(raised.value)


def test_an_installation_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(installing, "INSTALL_SECONDS", 0.2)
    with pytest.raises(NotBuilt, match="the installation took more than 0.2 s"):
        installing._run([sys.executable, "-c", "import time; time.sleep(1000)"])


# Asking


def test_an_algorithm_of_an_environment_keeps_the_contract(site):
    check_algorithm(make_algorithm("fake-deed"))


def test_one_process_answers_many_requests(site):
    process.end_process("fake")
    first, second = do("chain").info, do("chain").info
    assert first["pid"] == second["pid"] != os.getpid()
    assert (1, 2) == (first["calls"], second["calls"])
    assert first["pid"] in process.kept_pids()  # others may keep theirs


def test_the_same_seed_gives_the_same_weights(site):
    first, same, other = do("draw", 1), do("draw", 1), do("draw", 2)
    np.testing.assert_array_equal(first.weights, same.weights)
    assert not np.array_equal(first.weights, other.weights)


def test_an_estimate_says_that_its_package_cannot_be_seeded(site):
    assert "cannot be seeded" in discover("fake-unseeded", VALUES, 0).info["not repeatable"]
    assert "not repeatable" not in do("chain").info


def test_what_a_package_prints_breaks_nothing(site, capfd):
    assert np.array_equal(np.eye(4, k=1), do("garbage").graph)
    assert ("", "") == capfd.readouterr()


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("crash", r"crashed: killed by signal 6 \(SIGABRT\)"),
        ("kill", r"crashed: killed by signal 9 \(SIGKILL\)"),
        ("leave", "crashed: exit code 7"),
        ("complain", "crashed: exit code 3: no licence key"),
        ("nan", "invalid: its graph has entries that are neither 0 nor 1"),
        ("nan_weights", "invalid: its weights are not all finite"),
        ("shape", r"invalid: its graph has shape \(2, 3\) for 4 columns"),
        ("text", "invalid: its graph holds values of type <U6"),
        ("nothing", "invalid: its answer has no graph"),
    ],
)
def test_after_a_fault_there_is_a_reason_and_a_new_process(site, deed, reason):
    before = do("chain").info["pid"]
    with pytest.raises(EnvironmentFailed, match=f"^{reason}$"):
        do(deed)
    after = do("chain").info
    assert before != after["pid"]
    assert 1 == after["calls"]
    assert gone(before)


def test_a_package_that_prints_without_end_is_ended(site):
    with pytest.raises(EnvironmentFailed, match="^crashed: it printed more than 256 MB$"):
        do("print_without_end")
    assert np.array_equal(np.eye(4, k=1), do("chain").graph)


@pytest.mark.parametrize("stream", [1, 2])
def test_an_interpreter_that_prints_without_end_is_ended(fake, tmp_path, stream):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nwhile true; do printf '%65536s' x >&{stream}; done\n")
    python.chmod(0o755)
    with pytest.raises(EnvironmentFailed, match="^crashed: it printed more than 256 MB$"):
        process.EnvironmentProcess(fake, python)


def test_an_adapter_that_does_not_come_to_an_end_is_ended(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(process, "LOAD_SECONDS", 1.0)
    (tmp_path / "adapter.py").write_text("import time; time.sleep(3600)")
    endless = dataclasses.replace(fake, folder=tmp_path, name="endless")
    with pytest.raises(EnvironmentFailed, match="^timeout: more than 1 s$"):
        process.EnvironmentProcess(endless, installing.state(fake).python)


def test_a_check_has_a_limit_of_time(site, monkeypatch):
    monkeypatch.setattr(environment_checks, "brief_parameters", lambda _: {"deed": "loop"})
    first = next(environment_checks.check_environment(catalogue.environment("fake"), 2.0))
    assert ("fake-deed", "timeout: more than 2 s") == (first.name, first.reason)
    assert np.array_equal(np.eye(4, k=1), do("chain").graph)


def test_a_process_that_something_else_kills_costs_no_answer(site):
    before = do("chain").info["pid"]
    killing = threading.Timer(0.3, os.kill, (before, signal.SIGKILL))
    killing.start()
    after = do("slowly").info["pid"]
    killing.join()
    assert before != after
    assert gone(before)


def test_threads_share_a_process_that_outlives_them(site):
    alone = [do("draw", seed).weights for seed in range(6)]
    pids = set()
    for _ in range(3):
        one = threading.Thread(target=lambda: pids.add(do("chain").info["pid"]))
        one.start()
        one.join()
    assert {do("chain").info["pid"]} == pids
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda seed: do("draw", seed).weights, range(6)))
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        ("fail", "raised ZeroDivisionError: as announced"),
        ("end", "raised SystemExit: goodbye"),
        ("objects", "raised TypeError: its graph is an array of objects, not of numbers"),
    ],
)
def test_an_error_of_the_package_leaves_the_process(site, deed, reason):
    before = do("chain").info["pid"]
    with pytest.raises(PackageRaised, match=f"^{reason}$"):
        do(deed)
    assert before == do("chain").info["pid"]


def test_data_that_the_package_refuses_are_not_applicable(site):
    with pytest.raises(NotApplicable, match="^the data are too tame$"):
        do("refuse")
    with pytest.raises(NotApplicable, match="the rows are a series"):
        discover("fake-deed", Dataset.from_values(VALUES, rows="series"), 0)


def test_a_process_that_leaves_others_behind_is_ended_with_them(site):
    before = do("child").info["pid"]
    eventually(lambda: gone(before))
    assert 1 == do("chain").info["calls"]


def test_an_adapter_that_cannot_be_imported_is_told(fake, tmp_path):
    (tmp_path / "adapter.py").write_text("import no_such_package")
    broken = dataclasses.replace(fake, folder=tmp_path, name="broken")
    python = installing.state(fake).python
    with pytest.raises(EnvironmentFailed, match="the adapter of broken cannot be imported: Mod"):
        process.EnvironmentProcess(broken, python)


def test_an_adapter_sees_nothing_of_ours_but_packages(fake, tmp_path):
    (tmp_path / "adapter.py").write_text(
        "import sys\n"
        "def look(request):\n"
        "    return {'graph': [[0]], 'info': {'path': sys.path, 'main': sys.argv[0]}}\n"
        "ALGORITHMS = {'look': look}\n"
    )
    spying = dataclasses.replace(fake, folder=tmp_path, name="spying")
    asked = process.EnvironmentProcess(spying, installing.state(fake).python)
    info = asked.ask(Request("algorithm", "look", {}, 0)).info
    asked.close()
    source = Path(process.__file__).parents[1]
    assert not {source, source.parent} & {Path(one) for one in info["path"]}


def test_nothing_outlives_a_process_that_is_killed(site, tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(site)!r})
import numpy as np
from causalassay.discovery import discover
values = np.random.default_rng(0).normal(size=(50, 4))
print(discover("fake-deed", values, 0).info["pid"], flush=True)
discover("fake-deed", values, 0, deed="loop")
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as started:
        pid = int(started.stdout.readline())
        assert not gone(pid)
        started.kill()
    eventually(lambda: gone(pid))


def test_a_missing_environment_says_how_to_install_it(fake, elsewhere):
    with pytest.raises(NotApplicable, match="not installed: causalassay env install fake$"):
        do("chain")
    record = next(record for record in algorithms() if record.name == "fake-deed")
    assert record.missing.endswith("causalassay env install fake")
    assert record.description == "Do what its parameter says."


# The command line


def run(site, *words, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "causalassay", "env", *map(str, words)],
        env={**os.environ, "PYTHONPATH": f"{site}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert code == done.returncode, done.stderr
    return done


def test_the_command_line_lists_installs_checks_and_removes(site, elsewhere):
    listed = json.loads(run(site, "list", "--json").stdout)["environments"]
    assert {"lingam", "fake"} <= {row["name"] for row in listed}
    assert (
        "error: the environment fake is not installed" in run(site, "check", "fake", code=2).stderr
    )
    installed = run(site, "install", "fake").stderr
    assert installed.startswith("fake: about 0 MB to download, 1 MB on disk, licence MIT, into ")
    checked = run(site, "check", "fake").stdout
    assert "fake-deed: ok" in checked
    assert "fake-series: ok" in checked
    (line,) = [line for line in run(site, "list").stdout.splitlines() if line.startswith("fake")]
    assert "yes" == line.split()[1]
    assert "fake-chain, fake-levels, fake-series" in line
    assert "fake: removed" in run(site, "remove", "fake").stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_an_installation_that_is_ended(tmp_path, how):
    # The adapter is run last; what it starts stands for what pip starts.
    home = shutil.copytree(FAKE, tmp_path / "slow")
    home.joinpath("adapter.py").write_text(
        "import os, pathlib, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '10000'])\n"
        f"file = pathlib.Path({str(tmp_path)!r}, 'new')\n"
        "file.write_text(f'{os.getpid()} {child.pid}')\n"
        "file.rename(file.with_name('pids'))\n"
        "time.sleep(10000)\n"
    )
    write_package(tmp_path / "site", home, "slowness")
    path = f"{tmp_path / 'site'}:{os.environ.get('PYTHONPATH', '')}"
    own = {"PYTHONPATH": path, installing.FOLDER_VARIABLE: str(tmp_path / "cache")}
    with subprocess.Popen(
        [sys.executable, "-m", "causalassay", "env", "install", "fake"],
        env=os.environ | own,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        eventually((tmp_path / "pids").exists)
        started.send_signal(how)
        said = started.stderr.read()
    pids = (tmp_path / "pids").read_text()
    eventually(lambda: all(gone(int(one)) for one in pids.split()))
    assert {".lock", installing.UNFINISHED} >= {
        one.suffix for one in (tmp_path / "cache").iterdir()
    }
    if how is not signal.SIGKILL:
        assert 130 == started.returncode
        assert "interrupted: fake is not installed" == said.splitlines()[-1]
        assert {".lock"} == {path.suffix for path in (tmp_path / "cache").iterdir()}


@pytest.mark.parametrize(
    ("on_cluster", "said"),
    [
        (False, "not installed, so its rows are skipped; --install installs it"),
        (True, "not installed here; each worker looks for it on its own machine"),
    ],
)
def test_a_note_on_what_is_absent_says_nothing_of_other_machines(fake, capsys, on_cluster, said):
    note_absent([fake], on_cluster)
    assert capsys.readouterr().err.startswith(f"note: the environment fake is {said}")


def test_a_wrong_name_is_one_line(site):
    done = run(site, "install", "fakee", code=2)
    assert [
        "error: there is no environment 'fakee'; did you mean 'fake'?"
    ] == done.stderr.splitlines()
