"""Synthetic experiments with the numbers of a real one: how hard they are beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import stream
from causalassay.contracts import Algorithm
from causalassay.lab.factorial.biasing import Settings
from causalassay.lab.factorial.experiment import FactorialExperiment
from causalassay.lab.factorial.scores import ScoreRow, score_algorithms
from causalassay.lab.factorial.truth import Mean, Truth, difference_of, mean_distance
from causalassay.models import Do
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.discrete.sources import Dirichlet, Logistic
from causalassay.models.linear.scm import LinearSCM
from causalassay.models.linear.sources import SCM

Source = Literal["linear-gaussian", "dirichlet", "logistic"]
SOURCES: tuple[Source, ...] = get_args(Source)
OUT_DEGREES = (1, 3, 5)
STRENGTHS = (1.0, 5.0)
N_EXPERIMENTS = 5
NEIGHBOURS = 2.0
"""How many neighbours a node has on average, treatments aside: the paper's most common choice."""

_MOST_TRIES = 20


@dataclass(frozen=True)
class LookAlike:
    """How a synthetic experiment is drawn.

    Parameters
    ----------
    source : {"linear-gaussian", "dirichlet", "logistic"}
        Weights from 0.1 to 1 with unit noise; tables with an equivalent sample size of 10; log
        odds of 0.375 for each parent (Garant and Jensen 2016, section 5.2).
    out_degree : int
        On how many outcomes each treatment acts.
    strength : float
        By what weights and log odds are multiplied, and the sample size is divided.
    """

    source: Source
    out_degree: int
    strength: float


class Sizes(NamedTuple):
    """How many of each kind an experiment has.

    Examples
    --------
    >>> Sizes(n_subjects=473, n_covariates=5, n_treatments=4, n_outcomes=5).n_treatments
    4
    """

    n_subjects: int
    n_covariates: int
    n_treatments: int
    n_outcomes: int

    @classmethod
    def of(cls, experiment: FactorialExperiment) -> Sizes:
        """Return the sizes of an experiment."""
        return cls(
            experiment.n_subjects,
            len(experiment.covariates),
            len(experiment.treatments),
            len(experiment.outcomes),
        )


@dataclass(frozen=True, eq=False)
class LookAlikeRow:
    """How hard one kind of synthetic experiment is.

    Parameters
    ----------
    drawn : LookAlike
        How the experiments of this kind are drawn.
    by_experiment : mapping of str to ndarray, shape (experiments,)
        SHD, SID and TV, each a mean over the algorithms.
    harder : Mean
        The mean TV of the real experiment less that of the synthetic ones.
    n_failed : int
        Scores that failed, or experiments that could not be drawn.
    """

    drawn: LookAlike
    by_experiment: Mapping[str, NDArray[Any]]
    harder: Mean
    n_failed: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            **vars(self.drawn),
            **{
                name: mean_distance(values).to_dict() for name, values in self.by_experiment.items()
            },
            "real minus synthetic": self.harder.to_dict(),
            "n_failed": self.n_failed,
        }


def configurations(n_outcomes: int) -> tuple[LookAlike, ...]:
    """Return the kinds that are compared by default.

    Examples
    --------
    >>> len(configurations(4)), configurations(4)[0]
    (12, LookAlike(source='linear-gaussian', out_degree=1, strength=1.0))
    """
    degrees = [degree for degree in OUT_DEGREES if degree <= n_outcomes]
    return tuple(LookAlike(*parts) for parts in product(SOURCES, degrees, STRENGTHS))


def draw_look_alike(sizes: Sizes, drawn: LookAlike, rng: Generator) -> FactorialExperiment:
    """Return a synthetic experiment of given sizes.

    Treatments have two levels, and each subject was run once. Covariates, and outcomes given
    treatments, come from a random model.

    Examples
    --------
    >>> kind = LookAlike("dirichlet", out_degree=1, strength=1.0)
    >>> made = draw_look_alike(Sizes(30, 1, 2, 2), kind, np.random.default_rng(0))
    >>> made.treatments, made.outcomes, len(made.frame)
    (('T1', 'T2'), ('O1', 'O2'), 120)
    """
    first, last = sizes.n_covariates, -sizes.n_outcomes
    names = _names(sizes)
    for _ in range(_MOST_TRIES):
        frame = _run(_model(drawn, _graph(sizes, drawn.out_degree, rng), rng), sizes, rng)
        try:
            return FactorialExperiment(
                frame,
                "subject",
                None,
                treatments=tuple(names[first:last]),
                outcomes=tuple(names[last:]),
                covariates=tuple(names[:first]),
                biasing=names[0],
            )
        except ValueError:  # a column without variation: draw another
            continue
    raise ValueError(f"{drawn}: {_MOST_TRIES} draws gave no experiment whose columns all vary")


def _graph(sizes: Sizes, out_degree: int, rng: Generator) -> Adjacency:
    """Return a DAG along covariates, treatments, outcomes; nothing acts on a treatment."""
    _, n_covariates, n_treatments, n_outcomes = sizes
    d = n_covariates + n_treatments + n_outcomes
    first = n_covariates + n_treatments
    graph = np.triu(rng.random((d, d)) < NEIGHBOURS / (d - 1), k=1)
    treatments = range(n_covariates, first)
    graph[:, treatments] = False
    graph[treatments, :] = False
    for node in treatments:
        graph[node, first + rng.permutation(n_outcomes)[:out_degree]] = True
    # The biasing covariate confounds at least one outcome that a treatment moves.
    moved = np.flatnonzero(graph[n_covariates:first].any(axis=0))
    graph[0, rng.choice(moved)] = True
    return graph


def _model(drawn: LookAlike, graph: Adjacency, rng: Generator) -> LinearSCM | DiscreteSCM:
    match drawn.source:
        case "linear-gaussian":
            weights = (0.1 * drawn.strength, drawn.strength)
            return SCM(weights=weights, signs="positive").draw(graph, rng)
        case "dirichlet":
            return Dirichlet(equivalent_sample_size=10 / drawn.strength).draw(graph, rng)
        case "logistic":
            return Logistic(weight=0.375 * drawn.strength).draw(graph, rng)


def _run(model: LinearSCM | DiscreteSCM, sizes: Sizes, rng: Generator) -> pd.DataFrame:
    """Return the rows of all combinations: the same random numbers for a subject in each."""
    n_subjects, n_covariates, n_treatments, _ = sizes
    nodes = range(n_covariates, n_covariates + n_treatments)
    last = [1.0 if isinstance(model, LinearSCM) else model.n_levels[node] - 1.0 for node in nodes]
    seed = int(rng.integers(2**63))
    parts = []
    for settings in product((0, 1), repeat=n_treatments):
        doing = tuple(
            Do(node, high * on) for node, high, on in zip(nodes, last, settings, strict=True)
        )
        values = model.sample(n_subjects, np.random.default_rng(seed), doing)
        values[:, list(nodes)] = settings
        parts.append(values)
    frame = pd.DataFrame(np.concatenate(parts), columns=_names(sizes))
    frame.insert(0, "subject", np.tile(np.arange(n_subjects), len(parts)))
    return frame


def _names(sizes: Sizes) -> list[str]:
    return [
        f"{letter}{k + 1}" for letter, n in zip("CTO", sizes[1:], strict=True) for k in range(n)
    ]


def score_look_alikes(  # noqa: PLR0913
    real: FactorialExperiment,
    rows: Sequence[ScoreRow],
    algorithms: Mapping[str, Algorithm],
    settings: Settings,
    kinds: Sequence[LookAlike],
    *,
    n_experiments: int = N_EXPERIMENTS,
    seed: int = 0,
    on_kind: Callable[[], None] | None = None,
) -> tuple[LookAlikeRow, ...]:
    """Return how hard synthetic experiments are beside the real one, by the same measures.

    Parameters
    ----------
    real : FactorialExperiment
        The real experiment.
    rows : sequence of ScoreRow
        Of the algorithms on it.
    algorithms : mapping of str to Algorithm
        By label.
    settings : Settings
        The settings of the evaluation of the real experiment.
    kinds : sequence of LookAlike
        The kinds of synthetic experiments.
    n_experiments : int
        Of each kind, every one biased once.
    seed : int
        The seed of all random draws.
    on_kind : callable
        Called after each kind.

    References
    ----------
    Garant and Jensen 2016, section 7, tables 3 and 4.

    Examples
    --------
    >>> from causalassay.discovery import make_algorithm
    >>> kind = LookAlike("logistic", 1, 9.0)
    >>> real = draw_look_alike(Sizes(60, 1, 2, 2), kind, np.random.default_rng(0))
    >>> algorithms = {"empty": make_algorithm("empty")}
    >>> rows = score_algorithms(Truth(real, Settings()), algorithms, repeats=2)
    >>> (row,) = score_look_alikes(real, rows, algorithms, Settings(), [kind], n_experiments=2)
    >>> len(row.by_experiment["TV"])
    2
    """
    reached = _over_algorithms(rows, "TV")
    rows_of_kinds = []
    for kind in kinds:
        scores: list[dict[str, float]] = []
        n_failed = 0
        for number in range(n_experiments):
            path = (kind.source, kind.out_degree, str(kind.strength), number)
            try:
                synthetic = draw_look_alike(Sizes.of(real), kind, stream(seed, "look-alike", *path))
            except ValueError:
                n_failed += 1
                continue
            own_seed = int(stream(seed, "look-alike seed", *path).integers(2**31))
            truth = Truth(synthetic, settings)
            scored = score_algorithms(truth, algorithms, 1, own_seed, compared=False)
            n_failed += sum(row.n_failed for row in scored if row.role == "algorithm")
            scores.append(
                {name: float(_over_algorithms(scored, name)[0]) for name in ("SHD", "SID", "TV")}
            )
        table = {name: np.array([score[name] for score in scores]) for name in ("SHD", "SID", "TV")}
        rows_of_kinds.append(
            LookAlikeRow(kind, table, difference_of(reached, table["TV"]), n_failed)
        )
        if on_kind is not None:
            on_kind()
    return tuple(rows_of_kinds)


def _over_algorithms(rows: Sequence[ScoreRow], measure: str) -> NDArray[Any]:
    """Return the mean over algorithms in each repeat; nan where all failed."""
    table = np.array([row.by_repeat[measure] for row in rows if row.role == "algorithm"])
    known = ~np.isnan(table)
    counts = known.sum(axis=0)
    sums = np.where(known, table, 0.0).sum(axis=0)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
