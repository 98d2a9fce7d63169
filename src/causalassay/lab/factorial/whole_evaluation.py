"""The whole evaluation of an experiment: scores, specifications, look-alikes, findings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from causalassay.contracts import Algorithm
from causalassay.judging.findings import Finding
from causalassay.lab.factorial.biasing import at_extremes
from causalassay.lab.factorial.evaluation import FLOOR, REPEATS, ScoreRow, score_algorithms
from causalassay.lab.factorial.experiment import FactorialExperiment
from causalassay.lab.factorial.findings import (
    EffectCounts,
    count_effects,
    effect_finding,
    look_alike_findings,
    main_finding,
    score_findings,
)
from causalassay.lab.factorial.lookalikes import (
    N_EXPERIMENTS,
    LookAlikeRow,
    configurations,
    score_look_alikes,
)
from causalassay.lab.factorial.settings import Settings
from causalassay.lab.factorial.specification import SpecificationRow, score_specifications
from causalassay.lab.factorial.truth import ALPHA, Truth, without_doubles
from causalassay.present import Document, Shown
from causalassay.present.json_values import plain_values


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """What algorithms reach on an experiment.

    Parameters
    ----------
    given : FactorialExperiment
        With all levels; that of `truth` has two of each treatment.
    truth : Truth
    repeats, seed : int
    rows : tuple of ScoreRow
        Of the algorithms, the least TV first, then of what they are compared with.
    specifications : tuple of SpecificationRow
        Too many and too few edges.
    look_alikes : tuple of LookAlikeRow
        Empty if they were not asked for.
    doubles : mapping of str to str
        Columns that were left out, with the one that each equals; see `without_doubles`.
    """

    given: FactorialExperiment
    truth: Truth
    repeats: int
    seed: int
    rows: tuple[ScoreRow, ...]
    specifications: tuple[SpecificationRow, SpecificationRow]
    look_alikes: tuple[LookAlikeRow, ...]
    doubles: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def verdict(self) -> Finding:
        """What to read first: which algorithm is closest to the experiment."""
        return main_finding(self.rows)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the scores and the look-alikes show besides."""
        return (*score_findings(self.rows), *look_alike_findings(self.look_alikes))

    @property
    def headline(self) -> str:
        """The sentence to read first."""
        return self.verdict.sentence

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the scores show besides, in sentences."""
        return tuple(finding.sentence for finding in self.findings)

    @cached_property
    def effects(self) -> Finding:
        """What the consistent graph rests on: how many effects the tests found."""
        return effect_finding(self.effect_counts)

    @property
    def effect_counts(self) -> EffectCounts:
        """How many effects the tests found."""
        (floor,) = (row.pairs for row in self.rows if row.name == FLOOR)
        return count_effects(self.truth, floor)

    @property
    def unused_levels(self) -> dict[str, tuple[Any, ...]]:
        """The levels between the first and the last, of treatments that have such."""
        levels = self.given.levels.items()
        return {name: tuple(own[1:-1]) for name, own in levels if len(own) > 2}  # noqa: PLR2004

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        own, truth = self.truth.experiment, self.truth
        return {
            "subjects": own.n_subjects,
            "rows": len(own.frame),
            "rows_given": len(self.given.frame),
            "unused_levels": {name: list(levels) for name, levels in self.unused_levels.items()},
            "left_out": list(own.left_out),
            "doubles": dict(self.doubles),
            "treatments": {name: list(levels) for name, levels in own.levels.items()},
            "outcomes": list(own.outcomes),
            "covariates": list(own.covariates),
            "biasing": own.biasing,
            "provenance": dict(own.provenance),
            "settings": asdict(truth.settings),
            "repeats": self.repeats,
            "seed": self.seed,
            "effects": [
                {
                    "treatment": treatment,
                    "outcome": outcome,
                    "TV": float(truth.effects[j, k]),
                    "p_value": float(truth.p_values[j, k]),
                    "moves": bool(truth.p_values[j, k] <= ALPHA),
                }
                for j, treatment in enumerate(own.treatments)
                for k, outcome in enumerate(own.outcomes)
            ],
            "effects_found": self.effect_counts._asdict(),
            "consistent_edges": [
                [truth.columns[i], truth.columns[j]]
                for i, j in zip(*truth.graph.nonzero(), strict=True)
            ],
            "scores": [row.to_dict() for row in self.rows],
            "specifications": [row.to_dict() for row in self.specifications],
            "look_alikes": [row.to_dict() for row in self.look_alikes],
            "headline": self.headline,
            "sentences": list(self.sentences),
            "findings": plain_values([self.verdict, self.effects, *self.findings]),
        }

    def document(self) -> Document:
        """Return what the evaluation shows."""
        from causalassay.lab.factorial.document import evaluation_document  # noqa: PLC0415

        return evaluation_document(self)


def evaluate(  # noqa: PLR0913
    experiment: FactorialExperiment,
    algorithms: Mapping[str, Algorithm],
    settings: Settings | None = None,
    *,
    repeats: int = REPEATS,
    n_look_alikes: int = N_EXPERIMENTS,
    seed: int = 0,
    on_step: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Return what algorithms reach on an experiment that is made observational.

    Each repeat biases the experiment anew by Algorithm 1. Algorithms learn a graph from one row
    per subject, the graph is fitted to the same rows, and the laws of the outcomes that it
    predicts under each treatment's last level are compared with the experiment's.

    Parameters
    ----------
    experiment : FactorialExperiment
        Of treatments with more than two levels, the first and the last are used.
    algorithms : mapping of str to Algorithm
        By label.
    settings : Settings, optional
    repeats : int
    n_look_alikes : int
        Synthetic experiments of each kind; 0 leaves them out.
    seed : int
    on_step : callable
        Called with the steps done and the number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay.lab.factorial import LookAlike, Sizes, draw_look_alike
    >>> experiment = draw_look_alike(
    ...     Sizes(60, 1, 2, 2), LookAlike("logistic", 1, 9.0), np.random.default_rng(0)
    ... )
    >>> from causalassay.discovery import make_algorithm
    >>> result = evaluate(experiment, {"pc": make_algorithm("pc")}, repeats=2, n_look_alikes=0)
    >>> result.rows[0].name, len(result.sentences) > 3
    ('pc', True)
    """
    settings = settings or Settings()
    truth, doubles = without_doubles(Truth(at_extremes(experiment), settings))
    kinds = configurations(len(truth.experiment.outcomes)) if n_look_alikes > 0 else ()
    total, done = repeats + len(kinds), 0

    def step() -> None:
        nonlocal done
        done += 1
        if on_step is not None:
            on_step(done, total)

    rows = _by_variation(score_algorithms(truth, algorithms, repeats, seed, on_repeat=step))
    specifications = score_specifications(truth, repeats, seed)
    look_alikes = score_look_alikes(
        truth.experiment,
        rows,
        algorithms,
        settings,
        kinds,
        n_experiments=n_look_alikes,
        seed=seed,
        on_kind=step,
    )
    return Evaluation(experiment, truth, repeats, seed, rows, specifications, look_alikes, doubles)


def _by_variation(rows: tuple[ScoreRow, ...]) -> tuple[ScoreRow, ...]:
    """Return the algorithms by rising TV, those without one last; then what they meet."""

    def place(row: ScoreRow) -> tuple[bool, bool, float]:
        value = row.mean("TV").value if row.role == "algorithm" else 0.0
        return row.role == "reference", math.isnan(value), value

    return tuple(sorted(rows, key=place))
