"""The command line in this process: a new one takes a second or more to import the package."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from unittest import mock

import pytest

from causalassay.cli import main


def run_here(*words, cwd=None, **environment):
    """Run a command as a user would; return its exit code and what it printed.

    Parameters
    ----------
    *words
        Those after ``causalassay``.
    cwd : path, optional
        The folder to stand in.
    **environment : str
        Environment variables.
    """
    code = 0
    with ExitStack() as stack, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(sys, "argv", ["causalassay", *map(str, words)])
        if cwd is not None:
            patch.chdir(cwd)
        # The command sets variables for the processes that it starts.
        stack.enter_context(mock.patch.dict(os.environ, environment))
        stack.enter_context(_sent_to(out, "stdout"))
        stack.enter_context(_sent_to(err, "stderr"))
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        stack.close()
        return subprocess.CompletedProcess(words, code, _text(out), _text(err))


@contextmanager
def _sent_to(file, name):
    """Send a standard stream to a file, also what processes write that are started now."""
    before, descriptor = getattr(sys, name), {"stdout": 1, "stderr": 2}[name]
    before.flush()
    saved = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    try:
        with open(descriptor, "w", encoding="utf-8", closefd=False) as stream:  # noqa: PTH123
            setattr(sys, name, stream)
            yield
    finally:
        setattr(sys, name, before)
        os.dup2(saved, descriptor)
        os.close(saved)


def _text(file):
    file.seek(0)
    return file.read().decode()
