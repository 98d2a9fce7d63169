"""The command line: parses, calls, prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from causalassay.cli.beginning import list_parts, new
from causalassay.cli.discovering import discover
from causalassay.cli.domain import domain
from causalassay.cli.environments import env
from causalassay.cli.judging import audit, choose
from causalassay.cli.lab import hall, reproduce
from causalassay.cli.options import PlainGroup, add_command, printed_notes
from causalassay.cli.printing import escaped
from causalassay.cli.results import bundle, check_bundle, export, report, status, summary
from causalassay.cli.studies import replay, run
from causalassay.common.import_path import guard_workers
from causalassay.common.threads import ONE_THREAD

app = typer.Typer(
    help="An assay office for causal discovery: is an algorithm, or a benchmark, worth what it "
    "claims?\n\nExample: causalassay new study first-look && causalassay run first-look.toml",
    no_args_is_help=True,
    cls=PlainGroup,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; a mistake in the input is a line on stderr and exit code 2."""
    _restart_with_docstrings()
    for name, number in ONE_THREAD.items():
        # Before numpy is imported: a second BLAS thread makes small inverses many times slower.
        os.environ.setdefault(name, number)
    guard_workers()
    try:
        with printed_notes():
            app()
    except (ValueError, OSError) as error:
        _fail(str(error))
    except MemoryError as error:
        _fail(f"not enough memory for these files or settings; {error}".removesuffix("; "))


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


@app.callback()
def about(
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


def _add(panel: str, **commands: Callable[..., None]) -> None:
    for name, command in commands.items():
        add_command(app, name.replace("_", "-"), rich_help_panel=panel)(command)


_add("Judge a data set", audit=audit, hall=hall)
_add("Use your own data", discover=discover, choose=choose)
app.add_typer(domain, name="domain", rich_help_panel="Judge algorithms on real systems")
_add("Run a study", run=run, status=status, replay=replay)
_add("Look at its results", summary=summary, report=report, export=export)
_add("Check a paper", reproduce=reproduce)
_add("Hand it in", bundle=bundle, check_bundle=check_bundle)
_add("Begin", **{"list": list_parts})
app.add_typer(new, name="new", rich_help_panel="Begin")
app.add_typer(env, name="env", rich_help_panel="Begin")
