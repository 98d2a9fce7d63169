"""Functions that lose their process or misbehave. Each takes one argument, as the pool wants."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from causalassay.data import Dataset
from causalassay.discovery.command import Command
from causalassay.study.processes.stages import not_limited

FOREVER = 10_000
"""Seconds: longer than any test waits."""


def nothing(*_):
    pass


def same(value):
    return value


def raise_error(text):
    raise ValueError(text)


class _Broken(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def raise_the_broken(_):
    raise _Broken(threading.Lock())


def leave(code):
    sys.exit(code)


def loop_forever(_):
    while True:
        pass


def hang_in_c(_):
    """Sleep in C without giving the interpreter to other threads."""
    ctypes.PyDLL(None).sleep(FOREVER)


def match_forever(_):
    re.match(r"(a+)+$", "a" * 60 + "b")


def segfault(_):
    ctypes.string_at(0)


def exit_with(code):
    os._exit(code)


def abort(_):
    os.abort()


def kill_itself(_):
    os.kill(os.getpid(), signal.SIGKILL)


def kill_the_parent(_):
    """Kill the dask worker that started this process; never run it without one."""
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(FOREVER)


def allocate(megabytes):
    """Hold so much memory until the process is killed."""
    held = [np.ones(2**17) for _ in range(megabytes)]
    time.sleep(FOREVER)
    return len(held)


_leaked = []


def leak(limits):
    """Keep some memory and return the process id; beyond the limit, wait to be killed."""
    megabytes, limit = limits
    _leaked.extend(np.ones(2**17) for _ in range(megabytes))
    while psutil.Process().memory_full_info().pss > limit:
        time.sleep(FOREVER)
    return os.getpid()


def allocate_in_a_program(megabytes):
    code = f"import time; held = bytearray(b'x') * ({megabytes} << 20); time.sleep({FOREVER})"
    subprocess.run([sys.executable, "-c", code], check=True)


def start_a_program(path):
    """Start a program in a session of its own, write its id to a file, and wait."""
    program = subprocess.Popen(["sleep", str(FOREVER)], start_new_session=True)
    publish(path, program.pid)
    time.sleep(FOREVER)


def run_a_command(path):
    """Run a program that starts another, writes its id to a file, and waits."""
    script = f"sleep {FOREVER} & echo $! > {path}.draft; mv {path}.draft {path}; sleep {FOREVER}"
    data = Dataset.from_values([[0.0, 1.0], [1.0, 3.0]])
    Command(("sh", "-c", script)).discover(data, np.random.default_rng(0))


def publish(path, number):
    """Write a number to a file, at once and whole."""
    draft = Path(f"{path}.draft")
    draft.write_text(str(number))
    draft.rename(path)


def report_and_hang(path):
    """Write the process id to a file and never end."""
    publish(path, os.getpid())
    time.sleep(FOREVER)


def report_and_hang_once(path):
    """Hang only if no process has before."""
    if not Path(path).exists():
        report_and_hang(path)


def hang(_):
    time.sleep(FOREVER)


def wait_for_file(path):
    """Return once there is such a file."""
    while not Path(path).exists():
        time.sleep(0.02)


def wait_without_limit(path):
    """Wait for a file in a stage that the supervisor leaves to others."""
    with not_limited():
        publish(f"{path}.begun", os.getpid())
        wait_for_file(path)


def exit_later(path):
    """Leave a thread behind that ends the process once there is such a file."""

    def end():
        wait_for_file(path)
        os._exit(3)

    threading.Thread(target=end, daemon=True).start()


def process_group(_):
    return os.getpgid(0)


def return_a_lock(_):
    return threading.Lock()


class _Unreadable:
    def __reduce__(self):
        return _refuse, ()


def _refuse():
    raise ValueError("not to be read")


def return_the_unreadable(_):
    return _Unreadable()


def print_loudly(_):
    os.write(1, b"loud on stdout\n")
    os.write(2, b"loud on stderr\n")
    print("print on stdout", flush=True)  # noqa: T201
    return True


def leave_a_file(path):
    """Leave a temporary file behind, write its name to a file, and crash."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        publish(path, file.name)
    os.abort()


def blas_threads(_):
    import threadpoolctl

    return [library["num_threads"] for library in threadpoolctl.threadpool_info()]


def environment(name):
    return os.environ.get(name)


def big(size):
    return b"x" * size


def fail_to_start(text):
    raise FileNotFoundError(text)


def crash_at_the_start():
    os._exit(7)


def start_on_request(folder):
    """Announce the process, then wait for the file `go` until it is ready."""
    publish(Path(folder) / str(os.getpid()), os.getpid())
    wait_for_file(Path(folder) / "go")
