"""Programs that a study names: their files are in the keys, and nobody runs them unasked."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from causalassay.cli import algorithms as program_permission
from causalassay.data import Dataset
from causalassay.discovery import discover
from causalassay.discovery.command import CommandFailed
from causalassay.study import study_table
from causalassay.study.programs import programs_of
from command_line import run_here
from study_texts import HEAD, PROBLEM, mistakes_of, parsed

SCRIPT = "printf 'from,to\\nx0,x1\\n' > \"$2\"\n"
OTHER = "printf 'from,to\\n' > \"$2\"\n"
STUDY = """\
name = "small"
seed = 1
replicates = 2
baselines = false
metrics = ["shd"]
diagnostics = []
[[algorithms]]
use = "command"
program = "sh own.sh"
[[problems]]
samples = 20
graph = {kind = "chain", n_nodes = 3}
model = {kind = "scm"}
"""
DATA = Dataset.from_values(np.random.default_rng(0).normal(size=(20, 3)))


def entry_of(program, folder):
    """The algorithm of a study in a folder that names a program."""
    table = f'[[algorithms]]\nuse = "command"\nprogram = {json.dumps(program)}\n'
    return parsed(f"{HEAD}{table}{PROBLEM}", folder).algorithms[0]


def make_script(folder, name="own.sh", text=SCRIPT, mode=0o644):
    folder.mkdir(exist_ok=True, parents=True)
    file = folder / name
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.mark.parametrize("relative_to", ["study", "working directory", "nothing"])
def test_the_content_of_a_file_that_is_named_is_in_the_key(relative_to, tmp_path, monkeypatch):
    folder = tmp_path if relative_to == "study" else tmp_path / "elsewhere"
    script = make_script(folder)
    if relative_to == "working directory":
        monkeypatch.chdir(folder)
    program = ["sh", str(script) if relative_to == "nothing" else "own.sh"]
    before = entry_of(program, tmp_path).key
    assert before == entry_of(program, tmp_path).key
    script.write_text(OTHER)
    assert before != entry_of(program, tmp_path).key


def test_the_content_of_a_file_that_an_option_names_is_in_the_key(tmp_path):
    make_script(tmp_path)
    settings = make_script(tmp_path, "own.json", "1")
    program = ["sh", "own.sh", "{data}", "{graph}", "--settings=own.json", "--none=", "-x=1"]
    before = entry_of(program, tmp_path)
    assert before.algorithm.words[-3:] == (f"--settings={settings.resolve()}", "--none=", "-x=1")
    assert before.algorithm.discover(DATA, np.random.default_rng(0)).graph[0, 1]
    settings.write_text("2")
    assert before.key != entry_of(program, tmp_path).key
    with pytest.raises(CommandFailed, match=r"own.json was changed"):
        before.algorithm.discover(DATA, np.random.default_rng(0))


def test_the_key_is_the_same_wherever_the_study_lies(tmp_path):
    for name in ("here", "there"):
        make_script(tmp_path / name)
    here, there = (entry_of("sh own.sh", tmp_path / name) for name in ("here", "there"))
    assert here.key == there.key
    assert here.algorithm.words != there.algorithm.words


def test_the_key_of_a_program_without_files_is_what_it_was(tmp_path):
    assert "4ba7c6364dfceb1c9060" == entry_of("no-such-program --fast 1", tmp_path).key


def test_installed_programs_are_not_in_the_key(tmp_path, monkeypatch):
    python = os.path.realpath(sys.executable)
    for program in (["sh"], [shutil.which("sh")], [python, "-c", "pass"], ["nice", python]):
        assert () == entry_of(program, tmp_path).algorithm.files
    tool = make_script(tmp_path / "bin", "tool", f"#!/bin/sh\n{SCRIPT}", 0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    assert () == entry_of([str(tool)], tmp_path / "study").algorithm.files
    assert () == entry_of("tool", tmp_path / "study").algorithm.files
    assert ["tool"] == [word for word, _ in entry_of("tool", tmp_path).algorithm.files]


def test_a_program_of_one_s_own_is_in_the_key(tmp_path):
    script = make_script(tmp_path / "tools", "own", f"#!/bin/sh\n{SCRIPT}", 0o755)
    make_script(tmp_path / "study", "compiled", "\x7fELF", 0o755)
    for program in (str(script), "./compiled"):
        files = entry_of([program], tmp_path / "study").algorithm.files
        assert [program] == [word for word, _ in files]


def test_words_that_are_no_files_stay_as_they_are(tmp_path):
    words = ["sh", "-c", "true;" * 2000, "own.sh", "", "{data}"]
    (tmp_path / "folder").mkdir()
    command = entry_of([*words, "folder"], tmp_path).algorithm
    assert (*words, "folder") == command.words
    assert () == command.files


def test_a_file_that_cannot_be_read_is_a_mistake_of_the_study(tmp_path, monkeypatch):
    make_script(tmp_path)

    def refused(path):
        raise PermissionError(f"no permission: {path}")

    monkeypatch.setattr("causalassay.discovery.command.file_digest", refused)
    table = '[[algorithms]]\nuse = "command"\nprogram = "sh own.sh"\n'
    (line,) = mistakes_of(f"{HEAD}{table}{PROBLEM}", tmp_path)
    assert line.startswith("algorithms[0].program: a file cannot be read: no permission")


def test_the_digests_cannot_be_stated(tmp_path):
    table = '[[algorithms]]\nuse = "command"\nprogram = "true"\nfiles = []\n'
    (line,) = mistakes_of(f"{HEAD}{table}{PROBLEM}", tmp_path)
    assert "algorithms[0].files: 'command' has no such parameter" in line


def test_a_file_that_changes_while_the_study_runs_is_an_error(tmp_path):
    script = make_script(tmp_path)
    command = entry_of("sh own.sh", tmp_path).algorithm
    assert command.discover(DATA, np.random.default_rng(0)).graph[0, 1]
    script.write_text(OTHER)
    with pytest.raises(CommandFailed, match=r"own\.sh was changed since the study was read"):
        command.discover(DATA, np.random.default_rng(0))
    script.unlink()
    with pytest.raises(CommandFailed, match=r"'own\.sh' cannot be read here"):
        command.discover(DATA, np.random.default_rng(0))


def test_a_program_beside_the_study_is_found_by_its_name_unless_one_is_installed(tmp_path):
    make_script(tmp_path, "own-program", f"#!/bin/sh\n{SCRIPT}", 0o755)
    make_script(tmp_path, "sh", f"#!/bin/sh\n{OTHER}", 0o755)
    command = entry_of("own-program", tmp_path).algorithm
    assert (os.path.realpath(tmp_path / "own-program"),) == command.words
    assert ["own-program"] == [word for word, _ in command.files]
    assert command.discover(DATA, np.random.default_rng(0)).graph[0, 1]
    assert ("sh", "-c", "true") == entry_of("sh -c true", tmp_path).algorithm.words


def test_a_script_that_may_not_be_run_says_what_to_do(tmp_path):
    make_script(tmp_path, "own.sh")
    with pytest.raises(CommandFailed, match=r"cannot be started: .*chmod \+x, or name its interp"):
        entry_of("own.sh", tmp_path).algorithm.discover(DATA, np.random.default_rng(0))


def test_files_may_be_relative_to_the_working_directory_in_a_script_too(tmp_path, monkeypatch):
    make_script(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert discover("command", DATA, 0, program="sh own.sh").graph[0, 1]


def test_programs_are_shown_with_full_paths_on_one_line_each_once(tmp_path):
    script = make_script(tmp_path)
    first = entry_of("sh own.sh", tmp_path)
    tricky = entry_of(["sh", "-c", "true\n\x1b[2Jrm '\u202e"], tmp_path)
    own, hidden = (one.line for one in programs_of([first, tricky, first]))
    assert f"{shutil.which('sh')} {os.path.realpath(script)}" == own
    assert "true\\n\\x1b[2Jrm" in hidden
    assert hidden.isprintable()


# The command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a study that names a script beside it, and a state folder of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    make_script(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def words_of(command):
    return [sys.executable, "-m", "causalassay", *map(str, command)]


def run(*command, code=0):
    done = run_here(*command)
    assert code == done.returncode, done.stderr
    return done


def on_terminal(*command, answer, code=0):
    """Run it where somebody sits and gives that answer; return what they see."""
    outside, inside = pty.openpty()
    with subprocess.Popen(
        words_of(command), stdin=inside, stderr=inside, stdout=subprocess.DEVNULL
    ) as process:
        os.close(inside)
        os.write(outside, answer.encode())
        shown = b""
        while chunk := _read(outside):
            shown += chunk
    os.close(outside)
    assert code == process.returncode, shown
    return shown.decode()


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so when nobody is left on the other side
        return b""


def run_words(folder):
    return ("run", folder / "study.toml", "--workers", 1, "--json")


def rows_of(folder, **options):
    return study_table(folder / "small-results", **options).frame


def test_without_a_terminal_programs_are_refused_in_one_line(folder):
    done = run(*run_words(folder), code=2)
    (line,) = done.stderr.splitlines()
    assert f"{shutil.which('sh')} {os.path.realpath(folder / 'own.sh')}" in line
    assert "--allow-programs" in line
    assert not (folder / "small-results").exists()


def test_an_option_allows_them_and_an_edited_script_runs_anew(folder):
    done = run(*run_words(folder), "--allow-programs")
    assert f"program: {shutil.which('sh')} {os.path.realpath(folder / 'own.sh')}" in done.stderr
    before = rows_of(folder)
    assert {"ok"} == set(before["status"])
    make_script(folder, text=OTHER)
    run(*run_words(folder), "--allow-programs")
    after = rows_of(folder)
    assert set(after["key"]).isdisjoint(before["key"])
    assert {2.0} == set(after["shd"])  # of no edges beside a chain of two
    assert 4 == len(rows_of(folder, everything=True))
    run(*run_words(folder), code=2)  # the option is for one time


def test_a_yes_is_remembered_until_the_script_is_edited(folder):
    assert "[y/N]" in on_terminal(*run_words(folder), answer="\n", code=2)
    assert not (folder / "small-results").exists()
    assert "own.sh" in on_terminal(*run_words(folder), answer="y\n")
    assert {"ok"} == set(rows_of(folder)["status"])
    assert "[y/N]" not in on_terminal(*run_words(folder), answer="")
    run(*run_words(folder))
    make_script(folder, text=OTHER)
    run(*run_words(folder), code=2)
    assert "[y/N]" in on_terminal(*run_words(folder), answer="n\n", code=2)


def test_a_row_that_runs_a_program_is_not_replayed_unasked(folder):
    run(*run_words(folder), "--allow-programs")
    key = rows_of(folder)["key"].iloc[0]
    words = ("replay", key, "--in", folder / "small-results")
    (line,) = run(*words, code=2).stderr.splitlines()
    assert "own.sh" in line
    assert "--allow-programs" in line
    assert "status: ok" in run(*words, "--allow-programs").stdout


def test_a_dry_run_shows_the_programs_and_asks_nothing(folder):
    done = run(*run_words(folder), "--dry-run")
    assert json.loads(done.stdout)["programs"][0].startswith(str(shutil.which("sh")))


def test_a_study_without_programs_says_nothing_of_them(folder):
    text = STUDY.replace('"command"', '"empty"').replace('program = "sh own.sh"\n', "")
    (folder / "study.toml").write_text(text)
    assert "program" not in run(*run_words(folder)).stderr


def test_a_yes_that_cannot_be_kept_counts_once(folder, monkeypatch, capsys):
    (folder / "state").write_text("a file where a folder should be")
    monkeypatch.setattr(program_permission, "_on_terminal", lambda: True)
    monkeypatch.setattr(program_permission, "_confirmed", lambda: True)
    programs = programs_of([entry_of("sh own.sh", folder)])
    program_permission.permit(programs, allowed=False)
    assert "your answer could not be stored" in capsys.readouterr().err


def test_a_state_folder_that_is_relative_is_not_taken_from_where_one_stands(folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", str(folder / "home"))
    (program,) = programs_of([entry_of("sh own.sh", folder)])
    file = program_permission._answer(program)
    assert folder / "home" / ".local" / "state" in file.parents
    assert Path(program.digest) == Path(file.name)


ENTRY = """\
from causalassay.cli import main

if __name__ == "__main__":
    main()
"""


def test_nothing_is_imported_from_the_folder_that_one_stands_in(folder, tmp_path_factory):
    """As the installed command does it; `python -m` would look there, as Python always does."""
    entry = make_script(tmp_path_factory.mktemp("bin"), "causalassay", ENTRY)
    make_script(folder, "multiprocessing.py", "open('ran', 'w').close()\n")
    make_script(folder, "helper.py", "GRAPH = 'from,to\\nx0,x1\\n'\n")
    own = "import sys\nfrom helper import GRAPH\nopen(sys.argv[2], 'w').write(GRAPH)\n"
    make_script(folder, "own.py", own)
    program = json.dumps([sys.executable, "own.py"])
    (folder / "study.toml").write_text(STUDY.replace('"sh own.sh"', program))
    words = [sys.executable, entry, "run", "study.toml", "--workers", "1", "--allow-programs"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert not (folder / "ran").exists()
    assert {"ok"} == set(rows_of(folder)["status"])  # its own modules are beside the program
