"""Slurm: the job of a study as a script, its submission, and the same job queued again."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from causalassay.common.files import write_text
from causalassay.study.keys import digest

SCRIPT = "slurm.sh"
"""The name of the script in the results folder."""

STOP_BEFORE = 120
"""Seconds before its time limit at which a job stops, to be queued again."""

LOCAL_DISK = '"$disk"'
"""The folder on the disk of a node that the script has found, for the shell there."""

_FIND_DISK = (
    'disk="${SLURM_TMPDIR:-${TMPDIR:-/tmp}}"  # sites name it in different ways',
    '[ -d "$disk" ] || disk=/tmp',
)

CORES = '"$SLURM_CPUS_ON_NODE"'
"""The cores that a job has on its node, for the shell there."""

_ONE_NODE = "a job runs on one node; for more nodes use --jobs"
_ONE_TASK = "a job is one task; for its cores use --cpus-per-task, for more jobs --jobs"
_ONE_JOB = "one job holds the whole study; for more jobs use --jobs"
_NOT_OURS = {
    "--nodes": _ONE_NODE,
    "-N": _ONE_NODE,
    "--ntasks": _ONE_TASK,
    "-n": _ONE_TASK,
    "--array": _ONE_JOB,
    "-a": _ONE_JOB,
    "--wrap": "causalassay writes the script itself",
}
"""Options of sbatch that do not go together with ours unless they are 1, and what to do."""


class SlurmRefused(ValueError):
    """Slurm is absent, or does not take a job; the message says why."""


def sbatch_options(text: str) -> tuple[str, ...]:
    """Return the words of options of sbatch.

    Parameters
    ----------
    text : str
        As they would be typed: ``--partition cpu --time 4:00:00``.

    Examples
    --------
    >>> sbatch_options("--partition cpu --time 4:00:00")
    ('--partition', 'cpu', '--time', '4:00:00')
    >>> sbatch_options("--nodes=4")
    Traceback (most recent call last):
    causalassay.study.slurm.SlurmRefused: --slurm: leave out --nodes: a job runs on one node; ...
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise SlurmRefused(f"--slurm {text!r}: {error}; quote it as a shell needs it") from None
    if words and not words[0].startswith("-") or any("\n" in word for word in words):
        raise SlurmRefused(
            f"--slurm {text!r}: expected options of sbatch, such as "
            '--slurm "--partition cpu --time 4:00:00"'
        )
    for word, after in zip(words, (*words[1:], ""), strict=True):
        long = word.startswith("--")
        name, _, value = word.partition("=") if long else (word[:2], "", word[2:])
        if name in _NOT_OURS and (value or after) != "1":
            raise SlurmRefused(f"--slurm: leave out {name}: {_NOT_OURS[name]}")
    return words


@dataclass(frozen=True)
class StudyJob:
    """A job that runs what is left of a study.

    Parameters
    ----------
    study : str
        The name of the study.
    folder : Path
        Of the results; every node can read it. Its logs and the script are there.
    command : str
        What the job runs, as a line of the shell.
    options : sequence of str
        The user's options of sbatch; they override ours.
    """

    study: str
    folder: Path
    command: str
    options: Sequence[str] = ()

    @property
    def path(self) -> Path:
        """Where the script is written."""
        return self.folder.absolute() / SCRIPT

    @property
    def name(self) -> str:
        """The name of the job: one for each results folder, since one job at a time writes it."""
        plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in self.study)
        return f"causalassay-{plain}-{digest(str(self.folder.absolute()))[:8]}"

    def script(self) -> str:
        """Return the script."""
        log = str(self.folder.absolute()).replace("%", "%%") + "/slurm-%j.log"
        ours = [
            f"--job-name={self.name}",
            f"--output={log}",
            "--open-mode=append",  # queued again, it goes on in the same log
            "--dependency=singleton",  # of the jobs with this name one runs at a time
            "--requeue",  # after the loss of its node
            f"--signal=B:USR1@{STOP_BEFORE}",
        ]
        return "\n".join(
            [
                "#!/bin/bash",
                "# Runs what is left of a study; written by `causalassay run --slurm`.",
                f"# To submit it again: sbatch {shlex.quote(str(self.path))}",
                *(f"#SBATCH {shlex.quote(option)}" for option in ours),
                *([f"#SBATCH {shlex.join(self.options)}"] if self.options else []),
                *_FIND_DISK,
                f"exec {self.command}",
                "",
            ]
        )

    def submit(self) -> int:
        """Write the script, submit it and return the number of the job.

        Raises
        ------
        SlurmRefused
            There is no Slurm here, or it does not take the job.
        """
        require_slurm()
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.path, self.script())
        answer = _asked("sbatch", "--parsable", str(self.path))
        return int(answer.split(";")[0])


def require_slurm() -> None:
    """Raise if this machine has no Slurm."""
    if not shutil.which("sbatch"):
        raise SlurmRefused(
            "--slurm needs Slurm: there is no sbatch on the PATH. Run this on a login node of "
            "the cluster; with --dry-run it prints the script anywhere"
        )


def check_options(options: Sequence[str]) -> None:
    """Raise if Slurm would not take a job with these options; none is submitted."""
    require_slurm()
    _asked("sbatch", "--test-only", *options, "--wrap", "true")


def present_jobs() -> set[str]:
    """Return the numbers of all jobs of this user that wait or run."""
    return set(_asked("squeue", "--me", "--noheader", "--format=%i").split())


def this_job() -> str:
    """Return the number of the job that this process is part of.

    Raises
    ------
    SlurmRefused
        It is part of none.
    """
    number = os.environ.get("SLURM_JOB_ID", "")
    if not number:
        raise SlurmRefused(
            "--requeue is for a job of Slurm, and this is none (SLURM_JOB_ID is not set); "
            "leave it out, or submit the study with --slurm"
        )
    return number


def times_requeued() -> int:
    """Return how often this job was queued again before."""
    count = os.environ.get("SLURM_RESTART_COUNT", "")
    return int(count) if count.isdecimal() else 0


def queue_again(job: str) -> None:
    """Let Slurm end a job and put it back into its queue."""
    _asked("scontrol", "requeue", job)


def _asked(*words: str) -> str:
    """Return what one of Slurm's programs prints, or raise what it complains of."""
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        reasons = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = "; ".join(reasons) or f"exit code {done.returncode}"
        raise SlurmRefused(f"{words[0]} refused: {why}")
    return done.stdout.strip()
