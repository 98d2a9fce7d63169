"""Options: how commands declare them, those that several commands share, and what shells complete.

A command takes its options one by one, as typer has them, or in groups: frozen dataclasses whose
fields are declared by `option`, `flag` and `argument`; help shows a group under its `panel`.
Nothing heavy is imported for completion.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import shlex
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, get_type_hints

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup

from causalassay.cli.printing import escaped, wide_console
from causalassay.common.files import ReadingNote, check_target, note, unsaid, write_text
from causalassay.environments.catalogue import environments
from causalassay.listing import PARTS, known_names

if TYPE_CHECKING:
    from causalassay.data import Dataset
    from causalassay.data.table_check import ReadingRequest, TableCheck
    from causalassay.present import Document, Provenance

Command = TypeVar("Command", bound=Callable[..., None])

Files = Mapping[str, tuple[Path | None, Callable[[Path], object]]]
"""What is written: where to, if it was asked for, and by what."""

STORE = "study.sqlite"
"""The file that makes a folder one of results."""

FURTHER_LISTS = ("papers", "hall")
"""What `causalassay list` takes besides the parts of studies."""

RENAMED: Mapping[str, Mapping[str, str]] = {
    "choose": {"--cut-off": "--cutoff"},
    "discover": {"--out": "--write-graph"},
    "hall": {"--page": "--report"},
    "report": {"--out": "--report"},
    "reproduce": {"--all": "all", "--fast": "--size fast", "--full": "--size full"},
}
"""The spelling of each command before, and now: the former still works, with a note."""

PYTHON_NAMES = {
    "--n-bootstrap": "--bootstrap",
    "--n-random": "--random-graphs",
    "--n-look-alikes": "--look-alikes",
    "--cutoffs": "--cutoff",
}
"""What parameters of Python functions are called, and their options: both can be written."""


def option(default: object, help: str, *names: str, **settings: Any) -> Any:  # noqa: A002
    """Declare a field of a group as an option; names and settings as `typer.Option` has them.

    A default of `...` is none: the option must be given.
    """
    declared = partial(typer.Option, *names, help=help, **settings)
    value = dataclasses.MISSING if default is ... else default
    return dataclasses.field(default=value, metadata={"declared": declared})


def flag(help: str, *names: str, **settings: Any) -> Any:  # noqa: A002
    """Declare a field of a group as an option without a value; it is off by default."""
    declared = partial(typer.Option, *names, help=help, **settings)
    return dataclasses.field(default=False, metadata={"declared": declared, "is_flag": not names})


def argument(help: str, default: object = ..., **settings: Any) -> Any:  # noqa: A002
    """Declare a field of a group as an argument, which has no name on the command line."""
    declared = partial(typer.Argument, help=help, **settings)
    value = dataclasses.MISSING if default is ... else default
    return dataclasses.field(default=value, metadata={"declared": declared})


def add_command(group: typer.Typer, name: str, **settings: Any) -> Callable[[Command], Command]:
    """Return a decorator that adds a command; a group of options becomes these options.

    Parameters
    ----------
    group : Typer
        The application, or the group of commands, to which it is added.
    name : str
        As it is typed.
    **settings
        As `typer.Typer.command` has them.
    """

    def add(function: Command) -> Command:
        group.command(name, cls=PlainCommand, **settings)(_with_plain_options(function))
        return function

    return add


def _with_plain_options(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes the fields of groups one by one, and makes the groups."""
    hints = get_type_hints(function, include_extras=True)
    stated = inspect.signature(function).parameters
    plain = [each for name in stated for each in _flat(name, hints[name], stated[name].default)]

    def called(**values: Any) -> None:
        function(*(_gathered(name, hints[name], values) for name in stated))

    called.__doc__ = _with_long_lines(function.__doc__ or "")
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in plain}
    called.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    return called


def _with_long_lines(docstring: str) -> str:
    r"""Return a docstring with each paragraph on one line: help breaks it where it is shown.

    Examples
    --------
    >>> _with_long_lines("Say it.\n\n    In two\n    lines.\n    ")
    'Say it.\n\nIn two lines.'
    """
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)


def _flat(name: str, hint: Any, default: object) -> Iterator[inspect.Parameter]:
    if not dataclasses.is_dataclass(hint):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kind, default=default, annotation=hint)
        return
    types = get_type_hints(hint, include_extras=True)
    for field in dataclasses.fields(hint):
        declared, whole = field.metadata.get("declared"), types[field.name]
        if declared is not None:
            # Named, a flag has no --no-NAME.
            names = [f"--{field.name.replace('_', '-')}"] if field.metadata.get("is_flag") else []
            panel = {"rich_help_panel": hint.panel} if hasattr(hint, "panel") else {}
            whole = Annotated[whole, declared(*names, **panel)]
        required = field.default is dataclasses.MISSING
        yield from _flat(field.name, whole, inspect.Parameter.empty if required else field.default)


def _gathered(name: str, hint: Any, values: Mapping[str, Any]) -> Any:
    if not dataclasses.is_dataclass(hint):
        return values[name]
    types = get_type_hints(hint)
    names = [field.name for field in dataclasses.fields(hint)]
    return hint(**{name: _gathered(name, types[name], values) for name in names})  # type: ignore[operator]


class PlainCommand(TyperCommand):
    """A command without `<bool>` beside its flags in help, which also knows former spellings."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words of a command line; those that were renamed as they are called now."""
        return super().parse_args(ctx, list(_renamed(args, RENAMED.get(self.name or "", {}))))


def _renamed(words: Sequence[str], renamed: Mapping[str, str]) -> Iterator[str]:
    for place, word in enumerate(words):
        if word == "--":
            yield from words[place:]
            return
        name, *value = word.split("=", 1)
        if name in renamed:
            typer.echo(f"note: {name} is now {renamed[name]}", err=True)
        now = renamed.get(name, PYTHON_NAMES.get(name, name))
        yield from ["=".join([now, *value])] if value else now.split(" ") if now != name else [word]


class PlainGroup(TyperGroup):
    """A group of commands whose flags have no `<bool>` in its help."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, flags without a type."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.display_type_rich = _no_type
    return parameters


def _no_type(ctx: Any) -> None:
    """Show nothing where the type of an option's value would be."""


def complete_listed(incomplete: str) -> list[str]:
    """Return what `causalassay list` takes and begins so.

    Examples
    --------
    >>> complete_listed("note"), complete_listed("algo")
    (['notears'], ['algorithms'])
    """
    listed = (*PARTS, *FURTHER_LISTS, *known_names())
    return [name for name in listed if name.startswith(incomplete)]


def complete_algorithm(incomplete: str) -> list[str]:
    """Return the algorithms that begin so, or Python files and folders on the way there.

    Examples
    --------
    >>> complete_algorithm("note")
    ['notears']
    """
    known = known_names()
    named = [name for name in known if known[name] == "algorithms" and name.startswith(incomplete)]
    return [*named, *_files(incomplete, ".py")] or _folders(incomplete)


def complete_environment(incomplete: str) -> list[str]:
    """Return the environments that begin so.

    Examples
    --------
    >>> complete_environment("ling")
    ['lingam']
    """
    return [name for name in environments() if name.startswith(incomplete)]


def complete_results(incomplete: str) -> list[str]:
    """Return the folders of results that begin so, and folders on the way there."""
    stores = [str(path) for path in _beginning(incomplete) if (path / STORE).is_file()]
    return stores or _folders(incomplete)


def complete_study(incomplete: str) -> list[str]:
    """Return the TOML files that begin so, and folders on the way there."""
    return _files(incomplete, ".toml") or _folders(incomplete)


def _files(incomplete: str, ending: str) -> list[str]:
    return [str(path) for path in _beginning(incomplete) if path.suffix == ending]


def _folders(incomplete: str) -> list[str]:
    return [f"{path}/" for path in _beginning(incomplete) if path.is_dir()]


def _beginning(incomplete: str) -> Iterator[Path]:
    """Yield what is in the folder that a path is in, and begins like its last part."""
    folder, _, name = incomplete.rpartition("/")
    parent = Path(folder or ("/" if incomplete.startswith("/") else "."))
    try:
        paths = sorted(parent.iterdir())
    except OSError:
        return
    for path in paths:
        if path.name.startswith(name) and (name or not path.name.startswith(".")):
            yield path


Folder = Annotated[
    Path,
    typer.Argument(help="The study's results folder.", autocompletion=complete_results),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
WORKERS = "Local processes. Default: one per core."
CLUSTER = "Run on a dask cluster: the scheduler's address, tcp://HOST:8786."
CLUSTER_OR_SLURM = (
    f"{CLUSTER[:-1]}; or `slurm`: the driver is here, its workers are jobs as --slurm and --jobs "
    "say, and --workers processes here beside them."
)


def seed_option(help: str = "Random seed: the same seed gives the same numbers.") -> Any:  # noqa: A002
    """Declare the field ``seed`` of a group."""
    return option(0, help, min=0, metavar="<int>")


def series_option() -> Any:
    """Declare the field ``series`` of a group."""
    return flag(
        "The rows are ordered in time. A graph is then a summary graph: i -> j if i acts on j at "
        "any lag; both directions mean feedback."
    )


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a data file is read."""

    panel: ClassVar[str] = "How the file is read"

    condition: str | None = option(None, "Column that names each row's experimental condition.")
    target: str | None = option(None, "Column that names the variable intervened upon.")
    observational: str | None = option(None, "The condition without intervention.")
    discrete: bool = flag("All columns are discrete: values are levels.")
    drop: list[str] | None = option(
        None,
        "Column to leave out, such as an index; may be given more than once.",
        metavar="COLUMN",
    )
    keep: list[str] | None = option(
        None,
        "Column to use although it looks like an id or dates; may be given more than once.",
        metavar="COLUMN",
    )
    continuous: bool = flag(
        "All columns are numbers, even those that look like an index or like levels."
    )
    separator: str | None = option(
        None, "Field separator of text files: , ; tab or space. Default: detected from the file."
    )

    def settings(self, **rows: str) -> dict[str, Any]:
        """Return what `causalassay.data.read` takes for these options, and for those of `rows`.

        Examples
        --------
        >>> Reading(drop=["id"]).settings()["drop"], Reading(continuous=True).settings()["drop"]
        (['id'], [])
        """
        if self.discrete and self.continuous:
            raise ValueError("--discrete and --continuous: pass one of them, or neither")
        return {
            "target": self.target,
            "condition": self.condition,
            "observational": self.observational,
            **rows,
            "discrete": True if self.discrete else False if self.continuous else (),
            "drop": [] if self.continuous and not self.drop else self.drop or None,
            "separator": self.separator,
        }

    def request(self, *, series: bool = False) -> ReadingRequest:
        """Return what these options state about a file."""
        from causalassay.data.table_check import ReadingRequest

        settings = self.settings(rows="series" if series else "independent")
        discrete = True if self.discrete else False if self.continuous else None
        stated = {"discrete": discrete, "drop": self.drop, "keep": self.keep or ()}
        return ReadingRequest(**settings | stated)

    def decided(self, path: Path, drop_conditions: Sequence[str] = (), **rows: str) -> FileDecision:
        """Return how a file is read: what was stated, and which columns are left out unasked."""
        from causalassay.data.table_check import check_table

        with unsaid():  # reading it says so
            check = check_table(path, self.request(series=rows.get("rows") == "series"))
        return FileDecision(check, self.settings(**rows), drop_conditions)


@dataclasses.dataclass(frozen=True)
class ReadingConditions:
    """How a data file is read of which conditions can be left out."""

    panel: ClassVar[str] = Reading.panel

    how: Reading
    drop_condition: list[str] | None = option(
        None, "Condition whose rows to leave out; may be given more than once.", metavar="NAME"
    )

    def decided(self, path: Path, **rows: str) -> FileDecision:
        """Return how a file is read: what was stated, and which columns are left out unasked."""
        return self.how.decided(path, self.drop_condition or (), **rows)


@dataclasses.dataclass(frozen=True)
class FileDecision:
    """How a file is read: what was stated, and what `causalassay check` finds in it.

    Parameters
    ----------
    check : TableCheck
    stated : dict
        What `causalassay.data.read` takes for what was stated.
    drop_conditions : sequence of str
    """

    check: TableCheck
    stated: dict[str, Any]
    drop_conditions: Sequence[str] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """What `causalassay.data.read` takes, the columns that are left out unasked included."""
        names = [column.name for column in self.check.left_out]
        return (
            self.stated | {"drop": [*(self.stated["drop"] or []), *names]}
            if names
            else (self.stated)
        )

    def read(self) -> Dataset:
        """Return the data; what is taken for granted is printed as notes."""
        from causalassay.data import read

        with self.explained():
            return read(self.check.path, **self.settings, drop_conditions=self.drop_conditions)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Print notes on what was decided; a refusal names all columns that are refused."""
        from causalassay.data.document import check_notes, refusal

        with printed_notes():
            for text in check_notes(self.check):
                note(text)
            try:
                yield
            except ValueError as error:
                raise ValueError(refusal(self.check, str(error))) from None


@contextmanager
def printed_notes() -> Iterator[None]:
    """Print what readers of files take for granted as notes on stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ReadingNote)
        others = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any, **options: Any) -> None:
            if issubclass(category, ReadingNote):
                line = f"note: {escaped(str(message))}"
                Console(stderr=True).print(line, style="yellow", soft_wrap=True, highlight=False)
            else:
                others(message, category, *rest, **options)

        warnings.showwarning = show
        yield


@dataclasses.dataclass(frozen=True)
class Output:
    """Where a result goes: a page, and the terminal as text or JSON."""

    panel: ClassVar[str] = "What comes out"

    report: Path | None = option(None, "Write one HTML page with pictures that works offline.")
    full: bool = flag("Also print all tables, and how each rule decides.")
    as_json: bool = flag("Print JSON instead of text.", "--json")

    def check(self, sources: Iterable[Path] = ()) -> None:
        """Raise before the work begins if the page cannot be written."""
        check_target(self.report, sources)

    def conclude(
        self,
        document: Document,
        values: Callable[[], Any],
        files: Files | None = None,
        options: Collection[str] = (),
    ) -> None:
        """Write the page and other files that were asked for, then print the result.

        Parameters
        ----------
        document : Document
        values : callable
            Returns the result as JSON has it.
        files : mapping
            What else is written, as in `Files`.
        options : collection of str
            Options besides --full that the document knows.
        """
        every: Files = {"Report": (self.report, partial(_write_page, document)), **(files or {})}
        for what, (path, write) in every.items():
            if path is not None:
                write(path)  # first: a reader may close the pipe
                typer.echo(f"{what}: {path}", err=True)
        if self.as_json:
            print_json(values())
        else:
            print_result(document, {"--full", *options} if self.full else options)


def _write_page(document: Document, path: Path) -> None:
    from causalassay.present.html import page

    write_text(path, page(document))


def print_result(document: Document, options: Collection[str] = ()) -> None:
    """Print a document on the terminal, or in lines of 120 letters to a file."""
    from causalassay.present.terminal import print_document

    print_document(document, wide_console(), options)


def print_json(values: Any, **settings: Any) -> None:
    """Print nested values as JSON; undefined numbers are null."""
    from causalassay.present.json_values import plain_values

    typer.echo(json.dumps(plain_values(values), indent=2, allow_nan=False, **settings))


def provenance_blocks(origin: Provenance) -> Any:
    """Return what a page says of the origin of a result: this command and this day included."""
    from causalassay.present import today

    return origin.blocks(shlex.join(["causalassay", *sys.argv[1:]]), today())
