"""A Slurm of one node on the loopback, of Debian's packages, in a temporary folder.

``python tests/slurm/one_node.py COMMAND …`` starts it, runs a command that finds it, and takes it
down; without a command it waits for the end of its input, which is how the tests use it. It needs
root: `apt-get install munge slurmctld slurmd slurm-client`.

This process adopts what the daemons leave behind (jobs outlive slurmd), so nothing survives it,
whether the command fails, Ctrl-C ends it or the tests are killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
CPUS = 4
MEGABYTES = 8000

_PR_SET_CHILD_SUBREAPER = 36
_PATIENCE = 180.0

_CONFIGURATION = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny,DisableIPv6
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=10
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=20
MinJobAge=600
SlurmdTimeout=30
SchedulerParameters=sched_interval=2,batch_sched_delay=1,defer
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={megabytes} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE DefMemPerCPU=500 State=UP
"""


class OneNode:
    """Slurm's daemons and munge's, of this folder alone.

    Parameters
    ----------
    folder : Path
        Empty; has the configuration, the logs and the state.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        """Start the daemons and wait until the node takes jobs."""
        _adopt_orphans()
        for name in ("state", "spool"):
            (self.folder / name).mkdir(mode=0o700)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(self._configuration())
        places = {"socket": "socket", "key-file": "key", "pid-file": "pid", "seed-file": "seed"}
        named = [f"--{option}={self.folder}/munge.{end}" for option, end in places.items()]
        self._start("munged", "--foreground", "--force", *named)
        _wait((self.folder / "munge.socket").exists, "munged made no socket")
        self._start("slurmctld", "-D", "-i")
        self.start_node()
        _wait(self._is_idle, "the node takes no jobs")

    def start_node(self) -> None:
        """Start the daemon of the node, also after it was killed."""
        self._start("slurmd", "-D")

    def kill_daemon(self) -> None:
        """Kill the daemon of the node; its jobs go on."""
        self._daemons["slurmd"].kill()
        self._daemons["slurmd"].wait()

    def lose_node(self) -> None:
        """Kill the daemon of the node and all jobs, as a power cut would."""
        self._kill_all_but("munged", "slurmctld")
        self._daemons["slurmd"].wait()

    def stop(self) -> None:
        """Kill the daemons and all jobs: whatever this process has started or adopted."""
        self._kill_all_but()

    def _kill_all_but(self, *names: str) -> None:
        end = time.monotonic() + _PATIENCE
        while doomed := _descendants() - self._spared(names):
            if time.monotonic() > end:
                raise RuntimeError(f"still there: {doomed}")
            for process in doomed:
                with contextlib.suppress(psutil.Error):
                    process.kill()
                    process.wait(0.2)  # what was adopted is not waited for by Popen

    def _spared(self, names: Iterable[str]) -> set[psutil.Process]:
        """Return daemons and what they have started."""
        spared = [psutil.Process(self._daemons[name].pid) for name in names]
        return {*spared, *(child for each in spared for child in each.children(True))}

    def _configuration(self) -> str:
        return _CONFIGURATION.format(
            folder=self.folder,
            host=socket.gethostname().split(".")[0],
            controller_port=_free_port(),
            node_port=_free_port(),
            cpus=CPUS,
            megabytes=MEGABYTES,
        )

    def _start(self, name: str, *options: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                [name, *options],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,  # Ctrl-C is for this process, which stops them in order
            )

    def _is_idle(self) -> bool:
        words = ["sinfo", "--noheader", "--format=%T"]
        asked = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=False
        )
        for name, daemon in self._daemons.items():
            if daemon.poll() is not None:
                log = (self.folder / f"{name}.out").read_text(errors="replace")
                raise RuntimeError(f"{name} ended with {daemon.returncode}: {log}")
        return asked.stdout.strip() == "idle"


def _descendants() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def _adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError("this system does not let a process adopt orphans")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(question, what: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not question():
        if time.monotonic() > end:
            raise RuntimeError(what)
        time.sleep(0.1)


def _obey(node: OneNode) -> None:
    """Carry out the lines of the input until its end, and answer each."""
    deeds = {
        "kill-daemon": node.kill_daemon,
        "lose-node": node.lose_node,
        "start-node": node.start_node,
    }
    for line in sys.stdin:
        deeds[line.strip()]()
        _say("done")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(command: list[str]) -> int:
    """Start, run the command, or wait for the end of the input, and take everything down."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="one-node-slurm-") as folder:
        node = OneNode(Path(folder))
        try:
            node.start()
            if command:
                return subprocess.run(command, env=node.environment, check=False).returncode
            _say(json.dumps({"SLURM_CONF": node.environment["SLURM_CONF"]}))
            _obey(node)
        except KeyboardInterrupt:
            return 130
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            node.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
