"""The command line: parses, calls, prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from causalassay.cli.options import PlainGroup, add_command, printed_notes
from causalassay.cli.printing import INTERRUPTED, escaped
from causalassay.common.import_path import guard_workers
from causalassay.common.threads import ONE_THREAD

PANELS = {
    "Judge a data set": {"audit": "judging:audit", "hall": "lab:hall"},
    "Use your own data": {
        "check": "checking:check",
        "discover": "discovering:discover",
        "choose": "judging:choose",
    },
    "Judge algorithms on real systems": {"domain": "domain:domain"},
    "Run a study": {
        "run": "studies:run",
        "status": "results:status",
        "log": "results:log",
        "replay": "studies:replay",
        "batches": "batches:batches",
    },
    "Look at its results": {
        "summary": "results:summary",
        "report": "results:report",
        "export": "results:export",
    },
    "Check a paper": {"reproduce": "lab:reproduce"},
    "Hand it in": {"bundle": "results:bundle", "check-bundle": "results:check_bundle"},
    "Begin": {"list": "beginning:list_parts", "new": "beginning:new", "env": "environments:env"},
}
"""The commands as help has them, each with the module here that has it and its name there."""


def main() -> None:
    """Run the command line; a mistake in the input is a line on stderr and exit code 2."""
    _restart_with_docstrings()
    for name, number in ONE_THREAD.items():
        # Before numpy is imported: a second BLAS thread makes small inverses many times slower.
        os.environ.setdefault(name, number)
    guard_workers()
    try:
        with printed_notes():
            application(sys.argv[1:2])()
    except (ValueError, OSError) as error:
        _fail(str(error))
    except MemoryError as error:
        _fail(f"not enough memory for these files or settings; {error}".removesuffix("; "))
    except KeyboardInterrupt:  # before a command had begun, such as while it was imported
        typer.echo("interrupted: nothing was written", err=True)
        sys.exit(INTERRUPTED)


def _restart_with_docstrings() -> None:
    """Start again without ``-OO``, in the same process: altair and help need docstrings."""
    if sys.flags.optimize < _WITHOUT_DOCSTRINGS:
        return
    words = sys.orig_argv[1:]
    n_flags = next((k for k, word in enumerate(words) if word[:1] != "-" or word == "-m"), 0)
    flags = [word for word in words[:n_flags] if set(word) != {"-", "O"}]
    if len(flags) < n_flags or "PYTHONOPTIMIZE" in os.environ:
        others = {name: value for name, value in os.environ.items() if name != "PYTHONOPTIMIZE"}
        os.execve(sys.executable, [sys.executable, *flags, *words[n_flags:]], others)  # noqa: S606


_WITHOUT_DOCSTRINGS = 2


def _fail(reason: str) -> None:
    message = f"[bold red]error:[/] {escaped(reason)}"
    Console(stderr=True).print(message, highlight=False, soft_wrap=True)
    sys.exit(2)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"causalassay {version('causalassay')}")
        raise typer.Exit


def _print_installation(wanted: bool) -> None:
    """Print what somebody asks who helps: versions, and where files are kept."""
    if not wanted:
        return
    import platform

    import causalassay
    from causalassay.common.kernel_cache import kernels_in
    from causalassay.environments.installing import environments_folder

    kernels = Path(os.environ["NUMBA_CACHE_DIR"])
    lines = {
        "causalassay": version("causalassay"),
        "Python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy", "scipy")},
        "package": Path(causalassay.__file__).parent,
        "kernels": f"{kernels} ({len(kernels_in(kernels))} compiled)",
        "environments": environments_folder(),
    }
    for name, value in lines.items():
        typer.echo(f"{name}: {value}")
    raise typer.Exit


def _about(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    show_installation: Annotated[
        bool,
        typer.Option(
            "--installation",
            callback=_print_installation,
            is_eager=True,
            help="Print versions and where files are kept, and exit.",
        ),
    ] = False,
) -> None:
    """Hold the options of the program itself."""


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Return the program: with the command that the words begin with, or else with all.

    Examples
    --------
    >>> len(application(["audit"]).registered_commands), len(application().registered_commands)
    (1, 16)
    """
    app = typer.Typer(
        help="An assay office for causal discovery: is an algorithm, or a benchmark, worth what "
        "it claims?\n\nExample: causalassay new study first-look && causalassay run "
        "first-look.toml",
        no_args_is_help=True,
        cls=PlainGroup,
        pretty_exceptions_enable=False,
    )
    app.callback()(_about)
    first = words[0] if words else ""
    known = any(first in commands for commands in PANELS.values())
    for panel, commands in PANELS.items():
        for name, address in commands.items():
            if not known or name == first:
                module, _, attribute = address.partition(":")
                command = getattr(import_module(f"causalassay.cli.{module}"), attribute)
                if isinstance(command, typer.Typer):
                    app.add_typer(command, name=name, rich_help_panel=panel)
                else:
                    add_command(app, name, rich_help_panel=panel)(command)
    return app


def __getattr__(name: str) -> typer.Typer:
    """Return the whole program as `app`; `main` needs one command of it."""
    if name == "app":
        return application()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
