"""Functions that lose their process or misbehave. Each takes one argument, as the pool wants."""

import _thread
import contextlib
import ctypes
import errno
import gc
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import psutil

from causalassay.contracts import NotApplicable
from causalassay.data import Dataset
from causalassay.discovery.command import Command
from causalassay.processes import stages
from causalassay.processes.stages import loading, not_limited
from causalassay.processes.worker import granted_card

FOREVER = 10_000
"""Seconds: longer than any test waits."""


def nothing(*_):
    pass


def card_for_a_while(seconds):
    time.sleep(seconds)
    return granted_card()


def same(value):
    return value


def warn(text):
    """Warn twice, at one place."""
    for _ in range(2):
        warnings.warn(text, stacklevel=1)


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


def kill_the_dask_worker(_):
    """Kill the dask worker above this process; never run it without one.

    Between them stand the launcher and the supervised process that asked it.
    """
    _launcher, _supervised, worker, *_ = psutil.Process().parents()
    worker.kill()
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
        time.sleep(0.1)  # its share of common pages changes with who else has them
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


def print_much(lines):
    for line in range(lines):
        print(f"line {line}")  # noqa: T201


def close_its_streams(_):
    os.close(1)
    os.close(2)


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


SECRETS = {
    "Study",
    "Problem",
    "MadeProblem",
    "RunTask",
    "Generated",
    "ProblemEntry",
    "LinearSCM",
    "PickledAlgorithm",
}
"""Types of which a process that runs an algorithm may hold nothing."""


def instances():
    """Return the objects of a process that have attributes."""
    found = []
    for thing in gc.get_objects():
        with contextlib.suppress(Exception):  # some refuse to be asked
            if type(vars(thing)) is dict:
                found.append(thing)
    return found


def holds(number, dictionaries):
    """Return whether a number is a value in some dictionaries, in a list or tuple there too."""
    for dictionary in dictionaries:
        for value in list(dictionary.values()):
            inside = value if type(value) in {list, tuple} else [value]
            if any(type(one) is int and one == number for one in inside):
                return True
    return False


def overwrite_shared_memory():
    """Write zeros into every file without a name that this process maps; say whether one took."""
    taken = False
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if "memfd" in str(link.readlink()):
                os.pwrite(int(link.name), bytes(64), 0)
                taken = True
    for link in Path("/proc/self/map_files").glob("*"):
        with contextlib.suppress(OSError):
            if "memfd" in str(link.readlink()):
                with link.open("r+b", buffering=0) as file:
                    file.write(bytes(64))
                    taken = True
    return taken


def raise_text(text):
    raise ValueError(text)


def not_applicable(text):
    raise NotApplicable(text)


def connections():
    """Return the numbers of the sockets that this process holds."""
    numbers = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if "socket" in str(link.readlink()):
                numbers.append(int(link.name))
    return numbers


def answer_garbage(garbage):
    """Write something to whoever waits for an answer, and wait."""
    for number in connections():
        os.write(number, garbage.encode("latin-1"))
    time.sleep(FOREVER)


def hang_up(_):
    """Close the connection and go on working."""
    for number in connections():
        os.close(number)
    time.sleep(FOREVER)


def leave_a_thread(_):
    threading.Thread(target=time.sleep, args=(FOREVER,), daemon=True).start()


def _start_native_thread(routine):
    """Start a thread of the system that Python knows nothing of."""
    number = ctypes.c_void_p()
    failed = ctypes.CDLL(None).pthread_create(ctypes.byref(number), None, routine, None)
    if failed:
        raise OSError(failed, os.strerror(failed))
    return os.getpid()


_compiled = []
"""Native functions that threads run: they are to stay as long as the process."""


def _native(sleep_first):
    import numba

    sleep = ctypes.CDLL(None).usleep
    sleep.argtypes = [ctypes.c_uint]

    @numba.cfunc("uint64(uint64)")
    def compute(_):
        if sleep_first:
            sleep(300_000)
        total = 1.0
        while total > 0.0:
            total = total + 1e-3 if total < 2.0 else 1.0  # noqa: PLR2004
        return np.uint64(total)

    _compiled.append(compute)
    return ctypes.c_void_p(compute.address)


def leave_a_native_thread_that_rests(_):
    return _start_native_thread(ctypes.CDLL(None).pause)


def leave_a_native_thread_that_computes(_):
    return _start_native_thread(_native(sleep_first=False))


def leave_a_native_thread_that_computes_later(_):
    return _start_native_thread(_native(sleep_first=True))


def leave_a_thread_without_a_frame(_):
    """Start a thread that is in C from its first to its last step: it has no Python frame."""
    _thread.start_new_thread(time.sleep, (FOREVER,))


def pretend_to_load(_):
    """Say to the watcher that code is being loaded, and never end."""
    with loading():
        time.sleep(FOREVER)


def switch_off_the_limits(_):
    """Write into the stage of the process that no limit holds, and never end."""
    (stage,) = stages._shown.values()
    stage.number = 4
    time.sleep(FOREVER)


def leave_a_timer(_):
    signal.signal(signal.SIGALRM, lambda *_: os._exit(5))
    signal.setitimer(signal.ITIMER_REAL, 600)


def leave_a_child(_):
    subprocess.Popen(["sleep", str(FOREVER)], stdout=subprocess.DEVNULL)


def leave_a_daemon(path):
    """Start a program that belongs to nobody: in a session of its own, its parent gone."""
    script = (
        f"setsid sleep {FOREVER} >/dev/null 2>&1 & echo $! > {path}.draft; mv {path}.draft {path}"
    )
    subprocess.run(["sh", "-c", f"({script})"], check=True)


def leave_a_daemon_and_hang(path):
    leave_a_daemon(path)
    time.sleep(FOREVER)


def fork_children(megabytes):
    """Hold some memory and fork three children that share it; end when they do."""
    held = np.ones(megabytes * 2**17)
    children = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.5)
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    return float(held[0])


def global_draw(_):
    return float(np.random.random()), random.random()  # noqa: NPY002


def kill_my_group(_):
    os.killpg(0, signal.SIGINT)
    time.sleep(0.2)


def kill_the_launcher_once(path):
    """Kill the process that started this one, unless somebody has."""
    if not Path(path).exists():
        publish(path, os.getppid())
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(FOREVER)


def answer_for_the_next(_):
    """Send an answer that nobody has asked for yet, beside the one that follows."""
    head = b'["ok", "", true]'
    message = bytes(8) + len(head).to_bytes(4, "little") + head
    for number in connections():
        os.write(number, len(message).to_bytes(4, "big") + message)


def answer_slowly(_):
    """Announce a long answer and send it byte by byte."""
    (number,) = connections()
    os.write(number, (10**6).to_bytes(4, "big"))
    while True:
        os.write(number, b"x")
        time.sleep(0.1)


def answer_loaded(_):
    """Answer a task as if it had been asked to load code, with the token of the request."""
    frame = sys._getframe()
    while "message" not in frame.f_locals:
        frame = frame.f_back
    head = b'["loaded", "", 0.0, true]'
    message = frame.f_locals["message"][:8] + len(head).to_bytes(4, "little") + head
    (number,) = connections()
    os.write(number, len(message).to_bytes(4, "big") + message)
    time.sleep(FOREVER)


def open_handles(_):
    listing = os.listdir("/proc/self/fd")  # noqa: PTH208
    return [int(name) for name in listing if Path(f"/proc/self/fd/{name}").exists()]


def stop_itself(value):
    os.kill(os.getpid(), signal.SIGSTOP)
    return value


def stop_the_launcher(_):
    os.kill(os.getppid(), signal.SIGSTOP)


def escape_and_hang(path):
    """Undo what ends this process with its parent, kill the parent, and go on."""
    publish(path, os.getpid())
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(FOREVER)


def remove_folders(temporary):
    """Remove every temporary folder that this process is told of, and every one there is."""
    told = [Path(text) for text in (*sys.argv, *os.environ.values(), Path.cwd())]
    for path in (*told, *Path(temporary).iterdir()):
        if Path(temporary) in path.parents:
            shutil.rmtree(path, ignore_errors=True)


def is_told(folder):
    """Return whether a process gets to know a folder at its start, beside one that is like it."""
    texts = [Path(f"/proc/self/{name}").read_bytes() for name in ("cmdline", "environ", "maps")]
    mine = [*sys.argv, *map("=".join, os.environ.items()), str(Path.cwd()), *sys.path]
    heard = "\n".join([*(text.decode(errors="replace") for text in texts), *mine])
    return f"{folder}-" in heard, folder in heard.replace(f"{folder}-", "")


def write_a_temporary_file(_):
    """Do as a program does that needs files to work with."""
    with tempfile.TemporaryFile(dir=os.environ["TMPDIR"]) as file:
        file.write(bytes(10_000))


def raise_no_room(_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def remove_its_folder_and_raise(_):
    shutil.rmtree(tempfile.gettempdir())
    raise ValueError("as announced")


def hold_a_file_in_memory(megabytes):
    """Fill a file without a name that is not mapped; hold it until the process is killed."""
    handle = os.memfd_create("hidden")
    for _ in range(megabytes):
        os.write(handle, bytes(10**6))
    time.sleep(FOREVER)


def hold_an_unlinked_file_in_memory(megabytes):
    path = Path(f"/dev/shm/hidden-{os.getpid()}")  # noqa: S108
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    path.unlink()
    for _ in range(megabytes):
        os.write(handle, bytes(10**6))
    time.sleep(FOREVER)
