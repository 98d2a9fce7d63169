"""The commands to begin with: `list`, which names the parts, and `new`, which writes templates."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Annotated, Any

import typer
from rich.console import Console

from causalassay.cli.lab import print_entries, print_papers
from causalassay.cli.options import AsJson, PlainGroup, add_command, complete_listed, print_json
from causalassay.cli.printing import LINE_WIDTH, wide_console
from causalassay.common.spelling import did_you_mean
from causalassay.listing import PARTS, announced, known_names, short_lines
from causalassay.present import Block, Column, Facts, Prose, Table
from causalassay.present.formatting import formatted, shortened
from causalassay.present.terminal import GAP, print_blocks, print_table


def list_parts(
    what: Annotated[
        str,
        typer.Argument(
            help="algorithms, graphs, models, metrics or diagnostics; or a name, such as notears; "
            "or papers, which `reproduce` takes, or hall, whose entries `hall` measures.",
            autocompletion=complete_listed,
        ),
    ] = "algorithms",
    as_json: AsJson = False,
) -> None:
    """List the names that a study can use, one per line; or describe one name.

    The description of one name has its parameters with types and defaults, the
    data it takes, its assumptions and its reference.

    Example: causalassay list algorithms && causalassay list notears
    """
    if what == "papers":
        print_papers(as_json)
    elif what == "hall":
        print_entries(as_json=as_json)
    elif what not in PARTS:
        _show(what, as_json)
    elif as_json:
        print_json(_catalogue(what))
    else:
        _print_lines(what)


def _print_lines(part: str) -> None:
    """Print a row for each name; what other packages announce is imported to be described."""
    known = short_lines(part)
    if announced(part):
        known = {str(row.get("name", row.get("kind"))): _described(row) for row in _catalogue(part)}
        known = {name: line for name, line in known.items() if name not in short_lines("controls")}
    if part == "algorithms":
        known |= {name: f"{known[name]} ({hint})" for name, hint in _absent().items()}
    console = wide_console(LINE_WIDTH)
    room = console.width - 2 * GAP - max(map(len, known))
    rows = [(name, shortened(line, room)) for name, line in known.items()]
    columns = (Column("name", part.removesuffix("s")), Column("what", "what it is"))
    print_table(Table(part, columns, rows), console)
    if part == "metrics":
        controls = ", ".join(short_lines("controls"))
        print_blocks([Prose(f"Controls, reported with the scores: {controls}")], console)


def _absent() -> dict[str, str]:
    """Return what to do for each algorithm whose environment is not installed."""
    from causalassay.environments.catalogue import environment, environment_algorithms
    from causalassay.environments.installing import state

    known = environment_algorithms()
    homes = {name: environment(defined.environment) for name, defined in known.items()}
    return {
        name: f"not installed: {home.install_command}"
        for name, home in homes.items()
        if state(home).python is None
    }


def _described(row: dict[str, Any]) -> str:
    if reason := row.get("cannot_be_loaded"):
        return f"({row['package']}) cannot run here: {reason}"
    return str(row["what"])


def _catalogue(part: str) -> list[dict[str, Any]]:
    from causalassay.catalogue import catalogue

    with redirect_stdout(sys.stderr):  # what a plug-in prints when it is imported is no JSON
        return catalogue(part)


def _show(name: str, as_json: bool) -> None:
    parts = _named(name)
    if not parts:
        all_names = f"list one of {', '.join(PARTS)} to see all names"
        hint = did_you_mean(name, [*PARTS, *known_names()], all_names)
        raise ValueError(f"nothing is called {name!r}; {hint}")
    from causalassay.catalogue import part_details

    with redirect_stdout(sys.stderr):
        known = [part_details(part, label) for label, part in parts.items()]
    if as_json:
        print_json(known if len(known) > 1 else known[0])
        return
    console = Console()
    for index, details in enumerate(known):
        if index:
            console.print()
        print_blocks([*_details(**details)], console)


def _named(name: str) -> dict[str, str]:
    """Return the parts of what a name means: itself, or a model of that kind and any mechanism."""
    known = known_names()
    if name in known:
        return {name: known[name]}
    models = [model for model, part in known.items() if part == "models"]
    return dict.fromkeys((model for model in models if model.partition(".")[2] == name), "models")


def _details(
    name: str, part: str, parameters: Sequence[dict[str, str]] = (), **facts: str | bool
) -> Iterator[Block]:
    """Yield what there is to know of one name."""
    yield Prose(f"{name} ({part.removesuffix('s')})", "strong")
    yield Facts({key.replace("_", " "): formatted(value) for key, value in facts.items()})
    if parameters:
        yield Prose("parameters", "strong")
    for row in parameters:
        default = row["default"] if row["default"] == "required" else f"default {row['default']}"
        yield Facts({row["name"]: f"{row['type']}, {default}. {row['meaning']}".strip()})


new = typer.Typer(
    help="Write a working template: a study file or an algorithm package.\n\n"
    "Example: causalassay new study first-look",
    no_args_is_help=True,
    cls=PlainGroup,
)

TEMPLATES = {
    "pyproject.toml": "pyproject.toml.template",
    "src/$module/__init__.py": "module.py.template",
    "tests/test_$module.py": "tests.py.template",
    "README.md": "README.md.template",
}
"""The files of a plug-in package, each with its template."""

_IN_THE_TEMPLATES = ("ClassVar", "Estimate", "NotApplicable")
"""Names that the written module imports: its class cannot be called so."""


@add_command(new, "algorithm")
def algorithm(
    name: Annotated[
        str, typer.Argument(help="Lower-case letters, digits and hyphens, such as my-algorithm.")
    ],
    folder: Annotated[Path, typer.Option(help="Where to create the package's folder.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a plug-in package: one algorithm, its entry point and its tests.

    You need no package for a first try: a study can use a class in a file,
    use = "my_algorithm.py:MyClass".

    Example: causalassay new algorithm my-algorithm
    """
    package = folder / name
    _print_new(
        new_algorithm(name, folder), f"pip install -e {package} && pytest {package}", as_json
    )


@add_command(new, "study")
def study(
    name: Annotated[str, typer.Argument(help="Letters, digits, - and _; the file is NAME.toml.")],
    folder: Annotated[Path, typer.Option(help="Where to write it.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Write a commented study file that runs as it is.

    Example: causalassay new study first-look && causalassay run first-look.toml
    """
    file = new_study(name, folder)
    _print_new([file], f"causalassay run {file}", as_json)


def _print_new(paths: Sequence[Path], command: str, as_json: bool) -> None:
    if as_json:
        print_json({"files": [str(path) for path in paths]})
        return
    for path in paths:
        typer.echo(path)
    typer.echo(f"\nNow: {command}")


def new_algorithm(name: str, folder: Path) -> list[Path]:
    """Write a plug-in package for an algorithm and return its files.

    Parameters
    ----------
    name : str
        Small letters, digits and hyphens, beginning with a letter: ``my-algorithm``.
    folder : Path
        Where the package's own folder, called `name`, is made; it must not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = new_algorithm("my-algorithm", Path(folder))
    >>> sorted(file.name for file in files)
    ['README.md', '__init__.py', 'pyproject.toml', 'test_my_algorithm.py']
    """
    words = {
        "name": name,
        "module": name.replace("-", "_"),
        "title": "".join(part.capitalize() for part in name.split("-")),
    }
    check_algorithm_name(**words)
    root = folder / name
    if root.exists():
        raise FileExistsError(f"{root} exists already; choose another name or folder")
    written = []
    for path, source in TEMPLATES.items():
        file = root / Template(path).substitute(words)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template(f"algorithm/{source}").substitute(words), encoding="utf-8")
        written.append(file)
    return written


def new_study(name: str, folder: Path) -> Path:
    """Write a study file with a comment on every part, and return its path.

    Parameters
    ----------
    name : str
        Letters, digits, hyphens and underscores; the file is called ``NAME.toml``.
    folder : Path
        Where it is written; a file that exists there is not overwritten.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new_study("first-look", Path(folder)).name
    'first-look.toml'
    """
    from causalassay.models.noise import FAMILIES

    check_study_name(name)
    file = folder / f"{name}.toml"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(
                template("study.toml.template").substitute(
                    name=name, other_noises=", ".join(FAMILIES[1:])
                )
            )
    except FileExistsError:
        raise FileExistsError(f"{file} exists already; choose another name or folder") from None
    return file


def template(path: str) -> Template:
    """Return a file of the folder `templates`; its words in $ are still to be filled in."""
    return Template(
        files("causalassay.cli").joinpath("templates", path).read_text(encoding="utf-8")
    )


def check_algorithm_name(name: str, module: str, title: str) -> None:
    """Raise a ValueError, in one line, unless a package for an algorithm can have the name.

    Parameters
    ----------
    name : str
        Of the algorithm and of its package.
    module, title : str
        Of the Python module and the class that are written.

    Examples
    --------
    >>> check_algorithm_name("my-own", "my_own", "MyOwn")
    >>> check_algorithm_name("class", "class", "Class")
    Traceback (most recent call last):
    ValueError: name: 'class' is a Python keyword; choose another, like my-class
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(
            "name: expected lower-case letters, digits and single hyphens, like my-algorithm; "
            f"got {name!r}"
        )
    if reason := _taken(name, module, title):
        raise ValueError(f"name: {name!r} {reason}; choose another, like my-{name}")


def check_study_name(name: str) -> None:
    """Raise a ValueError, in one line, unless a study can have the name.

    Examples
    --------
    >>> check_study_name("first-look")
    """
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name):
        raise ValueError(
            f"name: expected at most 100 letters, digits, - and _, like first-look; got {name!r}"
        )
    if name.startswith("-"):
        raise ValueError(f"name: {name!r} reads like an option; begin with a letter or a digit")


def _taken(name: str, module: str, title: str) -> str:
    """Return what the name stands for already; empty if nothing."""
    from causalassay.discovery.registry import ALGORITHMS

    if keyword.iskeyword(module) or keyword.iskeyword(title):
        return "is a Python keyword"
    if name in ALGORITHMS:
        return f"is already an algorithm of package {ALGORITHMS.package(name)!r}"
    if title in _IN_THE_TEMPLATES:
        return f"would make a class {title}, which causalassay or Python already has"
    if module in sys.stdlib_module_names:
        return f"is the name of Python's own module {module}, which would hide yours"
    if _is_installed(module):
        return f"is the name of the installed module {module}: one would hide the other"
    return ""


def _is_installed(module: str) -> bool:
    """Tell whether a module can be imported; a plain folder of that name is none."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None
