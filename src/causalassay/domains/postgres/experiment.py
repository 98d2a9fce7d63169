"""The experiment: load the tables, count what each query returns, measure, write the files."""

from __future__ import annotations

import csv
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from causalassay.domains.collecting import Collected, MeasurementFailed, Plan, Subject, collect
from causalassay.domains.postgres.measuring import OUTCOMES, Measuring, connect_to
from causalassay.domains.postgres.queries import Query, make_queries
from causalassay.domains.postgres.schema import create_tables, table_sizes
from causalassay.domains.postgres.server import Server, given_server, own_schema, own_server
from causalassay.domains.postgres.treatments import BLOCKED, SESSION_SETTINGS, TREATMENTS
from causalassay.factorial import FactorialExperiment, write_experiment

BIASING = "rows"
"""The covariate by which treatments are assigned: the rows that a query returns."""

_PILOTS = 12
_PATIENCE = 10
"""How many times longer than a measurement the count of a query's rows may take."""


@dataclass(frozen=True)
class Options:
    """What a user chooses.

    Parameters
    ----------
    n_queries, trials, seed : int
    scale : float
        1 means 100 000 rows in all tables.
    timeout : float
        Seconds after which a query is given up; a failed measurement.
    """

    n_queries: int = 200
    scale: float = 1.0
    trials: int = 3
    seed: int = 0
    timeout: float = 10.0

    def __post_init__(self) -> None:
        if not self.timeout > 0:
            raise ValueError(f"timeout: expected more than 0 seconds, got {self.timeout}")
        if self.n_queries < 2:
            raise ValueError(f"queries: expected at least 2, got {self.n_queries}")
        if self.trials < 1:
            raise ValueError(f"trials: expected at least 1, got {self.trials}")
        if self.seed < 0:
            raise ValueError(f"seed: expected at least 0, got {self.seed}")
        table_sizes(self.scale)


@dataclass(frozen=True)
class Prepared:
    """A server with its tables loaded, ready to measure."""

    server: Server
    measuring: Measuring
    plan: Plan

    def seconds_each(self) -> float:
        """Return how long a measurement takes here, from a few that are not kept."""
        setting = {name: levels[0] for name, levels in self.plan.treatments.items()}
        begin = time.monotonic()
        by_size = sorted(self.plan.subjects, key=lambda subject: subject.covariates[BIASING])
        few = by_size[:: max(1, len(by_size) // _PILOTS)]
        for subject in few:
            try:
                self.measuring(subject, setting)
            except MeasurementFailed:
                continue
        return (time.monotonic() - begin) / len(few)


@contextmanager
def prepared(
    options: Options, dsn: str | None = None, binaries: Path | None = None
) -> Iterator[Prepared]:
    """Start or reach a server and load the tables; all is removed at the end.

    Parameters
    ----------
    options : Options
    dsn : str, optional
        A running server; by default one of our own is started.
    binaries : Path, optional
        Folder with `initdb` and `postgres`.
    """
    server_context: AbstractContextManager[Server] = (
        own_server(binaries) if dsn is None else given_server(dsn)
    )
    queries = {
        query.id: query for query in make_queries(options.n_queries, options.scale, options.seed)
    }
    with (
        server_context as server,
        own_schema(server, f"causalassay_{secrets.token_hex(6)}") as name,
    ):
        with connect_to(server.dsn, name) as connection:
            create_tables(connection, options.scale, options.seed)
        with Measuring(server.dsn, name, queries, options.timeout) as measuring:
            yield Prepared(server, measuring, _plan(options, server, measuring))


def _plan(options: Options, server: Server, measuring: Measuring) -> Plan:
    return Plan(
        domain="postgres",
        subjects=tuple(_subject(query, measuring) for query in measuring.queries.values()),
        treatments=dict(TREATMENTS),
        outcomes=OUTCOMES,
        trials=options.trials,
        seed=options.seed,
        blocked=BLOCKED,
        settings={
            "scale": options.scale,
            "timeout": options.timeout,
            "server": server.kind,
            "server_version": server.version,
        },
    )


def _subject(query: Query, measuring: Measuring) -> Subject:
    try:
        rows = measuring.rows_returned(query, _PATIENCE)
    except MeasurementFailed as error:
        raise ValueError(
            f"{query.id}: its rows cannot be counted ({error}); lower --scale or raise --timeout"
        ) from None
    return Subject(
        query.id,
        {
            "joins": query.joins,
            "groupings": query.groupings,
            "length": len(query.sql),
            "referenced_rows": query.referenced_rows,
            "rows": rows,
        },
    )


def run(
    ready: Prepared, folder: Path, on_progress: Callable[[int, int, int], None]
) -> tuple[Collected, Path]:
    """Measure what the folder's journal lacks; write the experiment and the queries' text."""
    collected = collect(ready.plan, ready.measuring, folder / "journal.jsonl", on_progress)
    _write_queries(folder / "queries.csv", ready.measuring)
    return collected, write_experiment(folder / "postgres.toml", _experiment(ready, collected))


def _experiment(ready: Prepared, collected: Collected) -> FactorialExperiment:
    evicts = ready.measuring.evicts
    extra = {
        "system": f"PostgreSQL {ready.server.version}",
        "server_settings": dict(ready.server.settings),
        "treatment_settings": {name: dict(levels) for name, levels in SESSION_SETTINGS.items()},
        "reset": "a new connection for each measurement"
        + (", shared buffers emptied before it" if evicts else "; shared buffers not emptied"),
        "outcomes_from": "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF): milliseconds, blocks of 8 kB",
    }
    return collected.experiment(BIASING, extra)


def _write_queries(path: Path, measuring: Measuring) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["subject", "sql"])
        table.writerows([query.id, query.sql] for query in measuring.queries.values())
