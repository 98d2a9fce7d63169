"""The job of a study: its script, what is refused, and what Slurm's programs are asked."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from causalassay.processes.supervisor import memory_share
from causalassay.study import slurm
from causalassay.study.slurm import SlurmRefused, StudyJob, sbatch_options
from command_line import run_here
from study_texts import HEAD, PROBLEM

OPTIONS = "--partition cpu --time 4:00:00"


@pytest.fixture
def study_file(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(f'{HEAD}algorithms = ["pc"]\n{PROBLEM}')
    return file


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Write programs that note how they were called, print a line, and end with a code."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def program(name, printed="", code=0):
        called = folder / f"{name}.called"
        stream = "2" if code else "1"
        text = f'#!/bin/sh\necho "$@" >>{called}\necho {shlex.quote(printed)} >&{stream}\n'
        (folder / name).write_text(f"{text}exit {code}\n")
        (folder / name).chmod(0o755)
        return called

    return program


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("cpu", "expected options of sbatch"),
        ("--comment 'a", "No closing quotation"),
        ("--nodes 2", "leave out --nodes: a job runs on one node; for more nodes use --jobs"),
        ("-N2", "leave out -N"),
        ("--ntasks=16", "for its cores use --cpus-per-task"),
        ("--time 1 --array 1-9", "leave out --array"),
        ("--wrap true", "leave out --wrap"),
    ],
)
def test_options_that_do_not_fit_are_refused(text, match):
    with pytest.raises(SlurmRefused, match=match):
        sbatch_options(text)


def test_one_node_and_one_task_may_be_stated():
    assert ("-N1", "--ntasks=1", "-n", "1") == sbatch_options("-N1 --ntasks=1 -n 1")


def test_a_script_is_a_shell_script_with_our_options_and_then_the_users(tmp_path):
    folder = tmp_path / "results of 50 %"
    script = StudyJob("my study", folder, "echo done", sbatch_options("--comment 'a b'")).script()
    lines = [line for line in script.splitlines() if line.startswith("#SBATCH ")]
    words = [word for line in lines for word in shlex.split(line)[1:]]
    assert ["--comment", "a b"] == words[-2:]
    assert f"--output={tmp_path}/results of 50 %%/slurm-%j.log" in words
    assert {"--requeue", "--dependency=singleton", "--signal=B:USR1@120"} < set(words)
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True)
    assert "done\n" == done.stdout


def test_jobs_of_one_folder_have_one_name_and_of_others_another(tmp_path):
    first, again, other = (
        StudyJob("s", tmp_path / name, command).name
        for name, command in (("a", "run"), ("a", "run --retry failed"), ("b", "run"))
    )
    assert first == again != other


def test_dry_run_prints_the_script_and_needs_no_slurm(study_file, monkeypatch):
    monkeypatch.setenv("PATH", "")
    done = run_here("run", study_file, "--slurm", OPTIONS, "--dry-run", "--retry", "failed")
    assert 0 == done.returncode, done.stderr
    assert "#SBATCH --partition cpu --time 4:00:00\n" in done.stdout
    (last,) = [line for line in done.stdout.splitlines() if line.startswith("exec ")]
    words = [sys.executable, "-m", "causalassay", "run", str(study_file)]
    assert words == shlex.split(last)[1:6]
    assert "--retry=failed" in last
    assert last.endswith('--workers "$SLURM_CPUS_ON_NODE" --requeue --local-disk "$disk"')
    assert not (study_file.parent / "trial-results").exists()
    answer = run_here("run", study_file, "--slurm", OPTIONS, "--dry-run", "--json")
    assert "exec " in json.loads(answer.stdout)["script"]


def test_without_slurm_one_line_says_what_is_missing(study_file, monkeypatch):
    monkeypatch.setenv("PATH", "")
    done = run_here("run", study_file, "--slurm", OPTIONS)
    assert (2, 1) == (done.returncode, len(done.stderr.splitlines()))
    assert "no sbatch on the PATH" in done.stderr


def test_a_job_is_submitted_and_what_comes_next_is_said(study_file, programs):
    called = programs("sbatch", "17;cluster")
    done = run_here("run", study_file, "--slurm", OPTIONS)
    assert 0 == done.returncode, done.stderr
    script = study_file.parent / "trial-results" / "slurm.sh"
    assert f"--parsable {script}" == called.read_text().strip()
    assert "Submitted job 17" in done.stdout
    assert "causalassay status" in done.stdout
    assert "is on a disk of this machine" in done.stderr


def test_what_sbatch_says_is_the_error(study_file, programs):
    programs("sbatch", "sbatch: error: invalid partition specified: cpu", code=1)
    done = run_here("run", study_file, "--slurm", OPTIONS)
    assert 2 == done.returncode
    assert "sbatch refused: sbatch: error: invalid partition specified: cpu" in done.stderr


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (("--jobs", 2), "--jobs is for --slurm"),
        (("--cluster", "slurm"), "--cluster slurm needs --slurm"),
        (("--slurm", OPTIONS, "--workers", 2), "--workers is for local processes"),
        (("--slurm", OPTIONS, "--cluster", "tcp://127.0.0.1:1"), "submits a job of its own"),
        (("--requeue",), "SLURM_JOB_ID is not set"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(study_file, monkeypatch, words, match):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    done = run_here("run", study_file, *words)
    assert (2, 1) == (done.returncode, len(done.stderr.splitlines())), done.stderr
    assert match in done.stderr


def test_the_memory_of_a_job_is_shared_by_its_workers(monkeypatch):
    for name in ("MEM_PER_NODE", "MEM_PER_CPU", "CPUS_ON_NODE"):
        monkeypatch.delenv(f"SLURM_{name}", raising=False)
    whole = memory_share(1)
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "100")
    assert int(0.8 * 100 * 2**20 / 4) == memory_share(4)
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "0")  # all that the node has
    assert whole == memory_share(1)
    monkeypatch.delenv("SLURM_MEM_PER_NODE")
    monkeypatch.setenv("SLURM_MEM_PER_CPU", "50")
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", "2")
    assert int(0.8 * 100 * 2**20) == memory_share(1)


def test_a_job_that_was_queued_again_counts_so(monkeypatch):
    monkeypatch.delenv("SLURM_RESTART_COUNT", raising=False)
    assert 0 == slurm.times_requeued()
    monkeypatch.setenv("SLURM_RESTART_COUNT", "2")
    assert 2 == slurm.times_requeued()
