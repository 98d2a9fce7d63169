"""The command `domain`: factorial experiments on real systems, read from files or run here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import typer

from causalassay.cli.algorithms import algorithm_option, read_algorithms
from causalassay.cli.interruptions import answered_in_one_line
from causalassay.cli.options import (
    Output,
    PlainGroup,
    add_command,
    argument,
    flag,
    option,
    provenance_blocks,
    seed_option,
)
from causalassay.cli.printing import progress_bar, steady_progress
from causalassay.present.formatting import counted

if TYPE_CHECKING:
    from causalassay.contracts import Algorithm
    from causalassay.lab.domains.collecting import Collected
    from causalassay.lab.domains.plan import Plan
    from causalassay.lab.factorial import FactorialExperiment, Settings

domain = typer.Typer(
    help="Judge algorithms on real factorial experiments, whose laws are known.\n\n"
    "Example: causalassay domain jdk --data folder/",
    no_args_is_help=True,
    cls=PlainGroup,
)


Fit = Literal["tables", "linear-gaussian"]
_GES = '{use = "ges", penalty_discount = 1.0}'
"""With the penalty of the BIC, as Garant and Jensen (2016) run it."""
DEFAULTS: Mapping[Fit, Sequence[str]] = {
    "tables": ("pc", "mmhc", _GES),
    "linear-gaussian": ("pc", "mmhc", _GES, "direct-lingam"),
}
"""The algorithms that are judged unless others are named."""

OUT = "Folder for the results; the same folder resumes the experiment."


@dataclass(frozen=True)
class Evaluation:
    """How algorithms are judged on an experiment."""

    panel: ClassVar[str] = "How algorithms are judged"

    algorithm: list[str] | None = algorithm_option(several=True)
    beta: float = option(1.0, "Strength of the bias; 0 is a randomised experiment, 3 is strong.")
    bins: int = option(2, "Levels of a biasing covariate of numbers: quantiles over subjects.")
    levels: int = option(3, "Levels of outcomes, by quantiles over all rows.")
    fit: Fit = option("tables", "Models that are fitted to a graph.")
    smoothing: float = option(0.0, "Added to every count of a table; 0 is maximum likelihood.")
    covariates: Literal["biasing", "all"] = option("biasing", "The covariates that algorithms see.")
    repeats: int = option(20, "How often the experiment is biased anew.")
    look_alikes: int = option(5, "Synthetic experiments of each kind to compare with; 0: none.")
    seed: int = seed_option()

    def checked(self) -> tuple[dict[str, Algorithm], Settings]:
        """Return algorithms and settings; raise for what cannot be used."""
        from causalassay.lab.factorial import Settings

        for name, number, least in (
            ("repeats", self.repeats, 1),
            ("look-alikes", self.look_alikes, 0),
        ):
            if number < least:
                raise ValueError(f"--{name}: expected at least {least}, got {number}")
        settings = Settings(
            self.beta, self.bins, self.levels, self.fit, self.smoothing, self.covariates
        )
        return read_algorithms(self.algorithm or DEFAULTS[self.fit]), settings

    def conclude(
        self,
        experiment: FactorialExperiment,
        name: str,
        output: Output,
        files: Iterable[Path] = (),
    ) -> None:
        """Judge algorithms on an experiment, and print or write what comes out.

        Parameters
        ----------
        experiment : FactorialExperiment
        name : str
            What the experiment is called on the page.
        output : Output
        files : iterable of Path
            That the experiment was read from.
        """
        from causalassay.lab.factorial import evaluate
        from causalassay.lab.factorial.document import evaluation_document
        from causalassay.present import provenance

        algorithms, settings = self.checked()
        with answered_in_one_line("nothing was written"), progress_bar("judging") as show:
            result = evaluate(
                experiment,
                algorithms,
                settings,
                repeats=self.repeats,
                n_look_alikes=self.look_alikes,
                seed=self.seed,
                on_step=show,
            )
        stated = {"repeats": result.repeats, **vars(result.truth.settings)}
        origin = provenance(result.seed, stated, dict.fromkeys(files, "data"))
        document = evaluation_document(result, name, provenance_blocks(origin))
        output.conclude(document, lambda: {"name": name} | result.to_dict())


@dataclass(frozen=True)
class JdkOptions:
    """Where the experiment is."""

    data: Path = option(..., "The file jdk-results.csv, or its folder.")


@add_command(domain, "jdk")
def jdk(options: JdkOptions, evaluation: Evaluation, output: Output) -> None:
    """Judge algorithms on the JDK experiment: 473 Java projects under 16 compiler settings.

    The experiment is made observational: the number of Javadoc comments biases the settings of
    each project. Algorithms learn from one row per project; all 37 840 rows judge them. Default:
    pc, mmhc, ges with the penalty of the BIC, with --fit linear-gaussian also direct-lingam.

    Example: causalassay domain jdk --data folder/ --report jdk.html
    """
    from causalassay.lab.factorial.experiment_files import FILE_NAME, read_jdk

    path = options.data / FILE_NAME if options.data.is_dir() else options.data
    output.check([path])
    evaluation.conclude(read_jdk(options.data), "JDK", output, [path])


@dataclass(frozen=True)
class FileOptions:
    """Which experiment is read, and how."""

    experiment: Path = argument("NAME.toml, beside which the rows are in NAME.csv.")
    leave_out_incomplete: bool = flag(
        "Leave out subjects that lack a combination of the treatments."
    )


@add_command(domain, "file")
def file(options: FileOptions, evaluation: Evaluation, output: Output) -> None:
    """Judge algorithms on your own factorial experiment.

    Every subject was run under every combination of the treatments. The TOML file names the
    columns; docs/real-systems.md has the format. Default algorithms: pc, mmhc, ges
    with the penalty of the BIC, with --fit linear-gaussian also direct-lingam.

    Example: causalassay domain file experiment.toml --report page.html
    """
    from causalassay.lab.factorial import read_experiment

    path = options.experiment
    files = path, path.with_suffix(".csv")
    output.check(files)
    experiment = read_experiment(path, leave_out_incomplete=options.leave_out_incomplete)
    if experiment.left_out:
        _say(
            f"left out: {counted(len(experiment.left_out), 'subject')} without some combination; "
            f"{experiment.n_subjects} remain"
        )
    evaluation.conclude(experiment, path.stem, output, files)


@dataclass(frozen=True)
class HttpOptions:
    """Which pages are requested, from which servers."""

    out: Path = option(..., OUT)
    pages: int = option(300, "Number of pages: the subjects.")
    trials: int = option(3, "How often each page is requested under each setting.")
    nginx: str | None = option(None, "The program nginx. Default: the PATH, then the usual places.")
    no_nginx: bool = flag("Serve by Python's server alone, in two classes.")
    no_evaluate: bool = flag("Only measure; do not run algorithms.")


@add_command(domain, "http")
def http(options: HttpOptions, evaluation: Evaluation, output: Output) -> None:
    """Run a factorial experiment on web requests to servers of our own.

    Every page is requested under every combination of compression, proxy and user agent, in
    random order. Measured are time, sizes, tags and attributes. The servers are nginx and
    Python's, on loopback, in a temporary folder, and always removed. An interrupted experiment
    goes on when the same command is given again. Then algorithms learn from a biased sample,
    and the whole experiment judges them; `causalassay domain file` does that again with other
    settings.

    Example: causalassay domain http --out http-experiment
    """
    from causalassay.lab.domains.http_experiment import Options, prepared, run
    from causalassay.lab.domains.http_servers import find_nginx

    output.check()
    evaluation.checked()
    if options.nginx is not None and options.no_nginx:
        raise ValueError("--nginx names a server and --no-nginx leaves it out; pass one of them")
    program = None if options.no_nginx else find_nginx(options.nginx)
    plan = Options(options.pages, options.trials, evaluation.seed, nginx=program)
    system = ", ".join(f"{name} {version}" for name, version in plan.programs.items())
    options.out.mkdir(parents=True, exist_ok=True)
    # Only now, so that bad input is refused in one line.
    if program is None and not options.no_nginx:
        _say(
            "nginx was not found: Python's server serves alone, in two classes instead of four "
            "(Debian: apt-get install nginx)"
        )
    path = _measured(prepared(plan), run, options.out, "pages", lambda _: system)
    if not options.no_evaluate:
        _conclude_measured(path, "HTTP", evaluation, output)


@dataclass(frozen=True)
class PostgresOptions:
    """Which queries are run, on which server."""

    out: Path = option(..., OUT)
    queries: int = option(200, "Number of queries: the subjects.")
    scale: float = option(1.0, "Size of the tables; 1 means 100 000 rows in all.")
    trials: int = option(3, "How often each query is run under each setting.")
    timeout: float = option(10.0, "Seconds after which a query is given up.")
    dsn: str | None = option(
        None,
        "Use a running server, as 'host=localhost dbname=test user=me' or 'service=name'. "
        "Keep its password in a file (PGPASSFILE, or a service file): others can read a "
        "command line. The experiment works in a schema of its own, which is dropped at the "
        "end. Default: start a server.",
    )
    binaries: Path | None = option(
        None, "Folder with initdb and postgres. Default: the PATH, then the usual."
    )
    no_evaluate: bool = flag("Only measure; do not run algorithms.")


@add_command(domain, "postgres")
def postgres(options: PostgresOptions, evaluation: Evaluation, output: Output) -> None:
    """Run a factorial experiment on a real PostgreSQL server.

    Every query is run under every combination of indexes, random_page_cost
    and work_mem, in random order. Measured are run time and blocks. The server
    is our own, in a temporary folder, and always removed. An interrupted
    experiment goes on when the same command is given again. Then algorithms
    learn from a biased sample, and the whole experiment judges them;
    `causalassay domain file` does that again with other settings.

    Example: causalassay domain postgres --out postgres-experiment
    """
    output.check()
    evaluation.checked()
    try:
        from causalassay.lab.domains.postgres_experiment import Options, prepared, run
    except ImportError as error:
        raise ValueError(str(error)) from None
    if options.dsn is not None and options.binaries is not None:
        raise ValueError("--dsn uses a running server and --binaries starts one; pass one of them")
    seed = evaluation.seed
    plan = Options(options.queries, options.scale, options.trials, seed, options.timeout)
    options.out.mkdir(parents=True, exist_ok=True)
    ready = prepared(plan, options.dsn, options.binaries)
    path = _measured(ready, run, options.out, "queries", _server_name)
    if not options.no_evaluate:
        _conclude_measured(path, "PostgreSQL", evaluation, output)


def _server_name(ready: Any) -> str:
    if not ready.measuring.evicts:
        _say(
            "the server's shared buffers are too large to be emptied before each measurement: "
            "blocks that earlier queries read may count as hits"
        )
    return f"PostgreSQL {ready.server.version}"


def _measured(
    prepared: AbstractContextManager[Any],
    run: Callable[..., tuple[Collected, Path]],
    out: Path,
    subjects: str,
    system: Callable[[Any], str],
) -> Path:
    """Run an experiment, or the rest of it, and return its file; Ctrl-C removes the servers.

    Parameters
    ----------
    prepared : context manager
        Starts the servers.
    run : callable
        Measures; takes what is prepared, the folder, and a function of the progress.
    out : Path
    subjects : str
        What they are called.
    system : callable
        Returns the name of what is measured, from what is prepared.
    """
    journal = out / "journal.jsonl"
    left = f"what was measured is kept in {journal}; give the same command again to go on"
    with answered_in_one_line(left), prepared as ready:
        announce(system(ready), ready.plan, journal, subjects, ready.seconds_each())
        line = "measured {done} of {total}, {failed} failed"
        with steady_progress("measuring", line) as show:
            collected, path = run(
                ready, out, lambda done, total, failed: show(done, total, failed=failed)
            )
    _say_left_out(collected, subjects)
    _say(f"Experiment: {path} and {path.with_suffix('.csv').name}")
    return path


def _conclude_measured(path: Path, name: str, evaluation: Evaluation, output: Output) -> None:
    from causalassay.lab.factorial import read_experiment

    evaluation.conclude(read_experiment(path), name, output)


def announce(system: str, plan: Plan, journal: Path, subjects: str, seconds_each: float) -> None:
    """Say what will be measured, what was measured before, and how long the rest takes."""
    from causalassay.lab.domains.plan import n_measured

    settings = plan.n_measurements // len(plan.subjects) // plan.trials
    _say(
        f"{system}: {counted(plan.n_measurements, 'measurement')} "
        f"({len(plan.subjects)} {subjects} x {settings} settings x {plan.trials} trials), "
        f"{_time_left(n_measured(journal, plan), plan.n_measurements, seconds_each)}"
    )


def _time_left(before: int, total: int, seconds_each: float) -> str:
    """Return how much there is to do.

    Examples
    --------
    >>> _time_left(0, 288, 0.15), _time_left(37, 288, 0.15)
    ('about 40 s in all', '37 of 288 measured before; about 40 s left')
    >>> _time_left(288, 288, 0.15)
    'all measured before'
    """
    if before == total:
        return "all measured before"
    left = _duration(seconds_each * (total - before))
    return (
        f"{before} of {total} measured before; about {left} left"
        if before
        else f"about {left} in all"
    )


def _duration(seconds: float) -> str:
    """Return a time that is known roughly.

    Examples
    --------
    >>> _duration(8), _duration(100), _duration(7300)
    ('10 s', '2 min', '2.0 h')
    """
    if seconds < 55:
        return f"{max(1, round(seconds / 10)) * 10} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _say_left_out(collected: Collected, subjects: str) -> None:
    from causalassay.common.spelling import listed
    from causalassay.lab.domains.collecting import failure_text

    if collected.left_out:
        _say(
            f"{len(collected.left_out)} of {len(collected.plan.subjects)} {subjects} were left "
            f"out, for they miss a combination: {listed(list(collected.left_out))}; "
            f"{failure_text(collected.failures)}"
        )


def _say(line: str) -> None:
    typer.echo(line, err=True)
