"""Installs the environments of the catalogue in the user's cache folder, and removes them."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from causalassay.common.threads import stated_threads, thread_variables
from causalassay.environments.catalogue import EnvironmentDefinition
from causalassay.processes.process_tree import kill_group, killed_with_us

# Makes a virtual environment with pip: from pins to a folder with an interpreter.

INSTALL_SECONDS = 1800
"""After which an installation is given up."""

UNFINISHED = ".building"
"""The end of the name of a folder that is not whole."""

VERSIONS = "versions.json"
"""The last file to be written: the versions of all packages of the environment."""

OnLine = Callable[[str], None]
"""Called with each line that pip prints."""

_NOT_INHERITED = (
    "NUMBA_CACHE_DIR",  # of our kernels
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "VIRTUAL_ENV",
)
_NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "ConnectTimeoutError",
    "ProxyError",
)
_NO_SPACE = "No space left on device"


class NotBuilt(OSError):
    """An environment could not be made; the message says why, in one line."""


def interpreter(folder: Path) -> Path:
    """Return the interpreter of a virtual environment.

    Examples
    --------
    >>> interpreter(Path("there")).as_posix()
    'there/bin/python'
    """
    return folder / "bin" / "python"


def clean_variables() -> dict[str, str]:
    """Return the variables of a process in an environment: nothing of our paths.

    It computes with as many threads as this process was given, with one if nothing was said.

    Hashes of text have one seed, so that sets come in the same order on each run.

    Examples
    --------
    >>> clean_variables()["PYTHONHASHSEED"]
    '0'
    """
    inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
    return inherited | thread_variables(stated_threads()) | {"PYTHONHASHSEED": "0"}


def check_programs(programs: tuple[str, ...]) -> None:
    """Raise `NotBuilt` unless some programs are on the path.

    Examples
    --------
    >>> check_programs(("no-such-program",))
    Traceback (most recent call last):
    causalassay.environments.installing.NotBuilt: the program no-such-program is not on the path
    """
    for program in programs:
        if shutil.which(program) is None:
            raise NotBuilt(f"the program {program} is not on the path")


def check_python(wanted: EnvironmentDefinition) -> None:
    """Raise `NotBuilt` if the packages of an environment do not run on this Python."""
    if not wanted.python_below:
        return
    if sys.version_info[:2] >= tuple(map(int, wanted.python_below.split("."))):
        here = ".".join(map(str, sys.version_info[:2]))
        raise NotBuilt(f"its packages need a Python below {wanted.python_below}, this is {here}")


def build(
    folder: Path,
    pins: tuple[str, ...],
    on_line: OnLine = lambda _: None,
    on_wait: Callable[[], None] = lambda: None,
    script: Path | None = None,
) -> None:
    """Make a virtual environment with some packages, unless it is there.

    It sees none of ours; without pins it sees ours and has none of its own. It is made under
    another name and renamed when it is whole, so that half of one is never taken for it. Of
    several processes that make it at once one does, the others wait.

    Parameters
    ----------
    folder : Path
    pins : tuple of str
        Requirements as pip takes them.
    on_line : callable
    on_wait : callable
        Called if another process is making it.
    script : Path, optional
        What must run there, or the environment is not whole: an adapter imports its packages.

    Raises
    ------
    NotBuilt
        If that fails; nothing is left of it then.
    """
    unfinished = folder.with_name(folder.name + UNFINISHED)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with alone(folder, on_wait):
            if is_built(folder):
                return
            for old in (unfinished, folder):  # of an installation that was killed
                shutil.rmtree(old, ignore_errors=True)
            try:
                _make(unfinished, pins, on_line)
                if script is not None:
                    _try_script(interpreter(unfinished), script)
                unfinished.rename(folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
    except NotBuilt:
        raise
    except OSError as reason:
        raise NotBuilt(f"{folder.parent} cannot be written to: {reason.strerror}") from reason


def is_built(folder: Path) -> bool:
    """Tell whether an environment is whole: the file of the versions is written last.

    One that has lost its interpreter or its packages since is not; building it again repairs it.

    Examples
    --------
    >>> is_built(Path("no/such/folder"))
    False
    """
    return (
        (folder / VERSIONS).is_file()
        and interpreter(folder).exists()
        and any(folder.glob("lib/python*/site-packages"))
    )


@contextlib.contextmanager
def alone(folder: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock of an environment, which one process has at a time and which goes with it."""
    with folder.with_name(folder.name + ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def versions(folder: Path) -> Mapping[str, str]:
    """Return the versions of the packages of an environment that was built."""
    by_package: dict[str, str] = json.loads((folder / VERSIONS).read_text())
    return by_package


def _make(folder: Path, pins: tuple[str, ...], on_line: OnLine) -> None:
    own_pip = [] if pins else ["--without-pip"]
    _run([sys.executable, "-m", "venv", *own_pip, str(folder)], on_line)
    by_package: dict[str, str] = {}
    if pins:
        pip = [str(interpreter(folder)), "-m", "pip", "--disable-pip-version-check"]
        _run([*pip, "--retries", "1", "install", "--progress-bar", "off", *pins], on_line)
        listed = json.loads(_run([*pip, "list", "--format", "json"]))
        by_package = {package["name"].lower(): package["version"] for package in listed}
    else:
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "ours.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    (folder / VERSIONS).write_text(json.dumps(by_package, indent=1))


def _try_script(python: Path, script: Path) -> None:
    """Raise `NotBuilt` if a script cannot be run; what its packages compile is there later."""
    program = "import runpy, sys; runpy.run_path(sys.argv[1])"
    command = [str(python), "-P", "-s", "-W", "ignore", "-c", program, str(script)]
    _run(command, failure="its packages are there but cannot be imported")


def _run(
    command: list[str],
    on_line: OnLine = lambda _: None,
    failure: str = "the installation failed",
) -> str:
    """Run a command of the installation; return what it printed.

    What it started ends with it, and it ends with us: nothing writes into a folder that is not
    locked any more.

    Raises
    ------
    NotBuilt
        With the failure and its cause, or because the command took too long.
    """
    printed: list[str] = []
    with (
        tempfile.TemporaryFile("w+", errors="replace") as complaints,
        subprocess.Popen(
            command,
            env=clean_variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process,
    ):
        late = threading.Timer(INSTALL_SECONDS, kill_group, (process,))
        late.start()
        try:
            with killed_with_us(process):
                for line in process.stdout or ():
                    printed.append(line)
                    on_line(line.strip())
                process.wait()
        finally:
            in_time = late.is_alive()
            late.cancel()
            kill_group(process)
        complaints.seek(0)
        if process.returncode and not in_time:
            raise NotBuilt(f"the installation took more than {INSTALL_SECONDS} s")
        if process.returncode:
            raise NotBuilt(f"{failure}: {_cause(complaints.read())}")
    return "".join(printed)


def _cause(text: str) -> str:
    """Return in one line why a command of pip or Python failed, from what it complained."""
    if any(sign in text for sign in _NO_NETWORK):
        return "the package index cannot be reached"
    if _NO_SPACE in text:
        return "no space left on the disk"
    errors = [line.strip() for line in text.splitlines() if "error" in line.lower()]
    return errors[-1][:200] if errors else "pip gave no reason"


FOLDER_VARIABLE = "CAUSALASSAY_ENVIRONMENTS"
"""Names the folder of the environments."""

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class State:
    """Whether an environment can be used.

    Parameters
    ----------
    python : Path, optional
        Its interpreter; None if it cannot be used.
    reason : str
        Why not, and what to do about it.
    """

    python: Path | None
    reason: str = ""


def environments_folder() -> Path:
    """Return the folder of all environments; it need not exist.

    ``CAUSALASSAY_ENVIRONMENTS`` names it, by default it is
    ``$XDG_CACHE_HOME/causalassay/environments``.
    """
    if stated := os.environ.get(FOLDER_VARIABLE):
        return Path(stated).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "causalassay" / "environments"


def folder_of(wanted: EnvironmentDefinition) -> Path:
    """Return where an environment is, or would be: its name changes with its pins."""
    return environments_folder() / f"{wanted.name}-{wanted.fingerprint}"


def state(wanted: EnvironmentDefinition) -> State:
    """Return the interpreter of an environment, or why there is none.

    Examples
    --------
    >>> from causalassay.environments.catalogue import environment
    >>> lingam = state(environment("lingam"))
    >>> (lingam.python is None) == bool(lingam.reason)
    True
    """
    folder = folder_of(wanted)
    if not is_built(folder):
        return State(
            None, f"the environment {wanted.name} is not installed: {wanted.install_command}"
        )
    try:
        check_programs(wanted.programs)
    except NotBuilt as reason:
        return State(None, f"the environment {wanted.name} cannot run here: {reason}")
    return State(interpreter(folder))


def install(
    wanted: EnvironmentDefinition,
    on_line: OnLine = lambda _: None,
    on_wait: Callable[[], None] = lambda: None,
) -> Path:
    """Return the folder of an environment, made first if it is not there yet.

    See `build`: half of one is never taken for it, and one process builds at a time.

    Parameters
    ----------
    wanted : EnvironmentDefinition
    on_line : callable
        Called with each line that pip prints.
    on_wait : callable
        Called if another process is installing it.

    Raises
    ------
    NotBuilt
        If it cannot be made: no network, a program or space is missing.
    """
    folder = folder_of(wanted)
    if not is_built(folder):
        check_programs(wanted.programs)
        check_python(wanted)
        _check_space(wanted, folder.parent)
    build(folder, wanted.pins, on_line, on_wait, wanted.adapter)
    return folder


def remove(wanted: EnvironmentDefinition) -> int:
    """Remove an environment, also with other pins or of another Python; return their number."""
    folders = _folders(wanted)
    for folder in folders:
        with alone(folder):
            # Renamed first: half of one is never taken for a whole one.
            gone = folder.with_name(folder.name + UNFINISHED)
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
            shutil.rmtree(gone)
    return len(folders)


def bytes_on_disk(folder: Path) -> int:
    """Return what a folder takes on disk."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _folders(wanted: EnvironmentDefinition) -> list[Path]:
    named = environments_folder().glob(f"{wanted.name}-*")
    digits = len(wanted.fingerprint)
    return [path for path in named if len(path.name) == len(wanted.name) + 1 + digits]


def _check_space(wanted: EnvironmentDefinition, folder: Path) -> None:
    """Raise `NotBuilt` if there is too little space on the disk of a folder."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < wanted.disk_mb * _MEGABYTE:
        raise NotBuilt(
            f"it needs about {wanted.disk_mb} MB and {folder} has {free // _MEGABYTE} MB free; "
            f"name another folder in {FOLDER_VARIABLE}"
        )
