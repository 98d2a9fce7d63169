"""Ranks algorithms on one's own experiments, beside baselines that expose the score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np
from numpy.random import Generator

from causalassay.common.arrays import Adjacency, Vector, finite_or_none
from causalassay.common.seeding import as_generator, seed_of, stream
from causalassay.common.spelling import did_you_mean
from causalassay.contracts import Algorithm, NotApplicable
from causalassay.data import Dataset
from causalassay.graphs.cpdag import directed_part, undirected_part
from causalassay.judging.p_values import MonteCarlo, decide, holm
from causalassay.present.formatting import counted
from causalassay.risk import prediction
from causalassay.risk.choosing.baselines import (
    Candidates,
    chance_level,
    density_of,
    find_candidates,
    graphs_that_say_nothing,
    random_risks,
)
from causalassay.risk.choosing.claims import DEFAULTS, EMPTY, NO_DIFFERENCE, SHARE
from causalassay.risk.choosing.result import (
    Choice,
    CutoffRanking,
    FoundGraph,
    LikelihoodOpinion,
    LikelihoodScore,
    Movement,
    MovementTests,
    PairDifference,
    PredictionScore,
    RandomGraphs,
    RankedRow,
    SecondOpinion,
)
from causalassay.risk.choosing.running import OnProgress, Runs, Work, run_all
from causalassay.risk.cross_validation import CrossValidation, Scoring, prepare_cross_validation
from causalassay.risk.descendants import (
    DEFAULT_TESTS,
    DescendantTests,
    as_experiments,
    changed_in_regimes,
    compare_regimes,
    find_experiments,
    implied_descendants,
    regimes_by_node,
)
from causalassay.risk.estimators import compare_fits
from causalassay.risk.fits import Fit
from causalassay.risk.prediction.likelihood import Gain, Likelihoods, compare_likelihoods
from causalassay.risk.result import Comparison, Risk

CUTOFFS = (0.2, 0.5)
"""Small and medium effects, as Cohen calls them."""

N_RANDOM = 2000
"""Random graphs beside each algorithm: enough that 30 algorithms can be shown to beat them."""

N_BOOTSTRAP = 4000


def choose(  # noqa: PLR0913, PLR0917  each changes what is asked
    dataset: Dataset | str | PathLike[str],
    rng: Generator | int = 0,
    algorithms: Mapping[str, str | Algorithm] | Sequence[str | Algorithm] | None = None,
    tests: DescendantTests = DEFAULT_TESTS,
    cutoffs: Sequence[float] = CUTOFFS,
    *,
    not_acting: Collection[str] = (),
    n_random: int = N_RANDOM,
    seconds: float | None = None,
    on_progress: OnProgress | None = None,
    condition: str | None = None,
    target: str | None = None,
    observational: str | None = None,
) -> Choice:
    """Rank algorithms on the experiments of a data set, without a true graph.

    Parameters
    ----------
    dataset : Dataset, str or Path
        With an observational condition and experiments on at least 2 columns; or a file of them.
    rng : Generator or int
        An int is a seed, which the result then has.
    algorithms : mapping of str to (str or Algorithm), or sequence, optional
        By default all that can run here; baselines are added.
    tests : DescendantTests
        How it is decided which columns an experiment moved.
    cutoffs : sequence of float
        Least effects at which the ranking is made again, beside the one of `tests`.
    not_acting : collection of str
        Conditions known not to act on the measured level of their target, such as an inhibitor
        of a protein's activity; the second opinion flags them beside those it finds itself.
    n_random : int
        How many random graphs each algorithm is compared with.
    seconds : float, optional
        What each algorithm may take, refits included. With a limit they run in processes of
        their own: in a script call this below ``if __name__ == "__main__":``.
    on_progress : callable, optional
        Called with the algorithm that ended, how many have, and how many there are.
    condition, target, observational : str, optional
        For a file: the column with each row's condition, the column that names what was acted
        upon, and the name of the condition without intervention.

    Returns
    -------
    Choice
        Algorithms that do not apply, fail or take too long are in `not_ranked`.

    Raises
    ------
    ValueError
        If the data do not have what is needed, or no algorithm has a graph.

    Examples
    --------
    >>> import numpy as np
    >>> from causalassay import data, graphs, models
    >>> rng = np.random.default_rng(0)
    >>> model = models.draw("scm", graphs.chain(4), rng, weights=(1, 2))
    >>> regimes = [data.Regime("control", model.sample(200, rng))]
    >>> for node in (0, 1, 2):
    ...     action = (models.Do(node, 5.0),)
    ...     values = model.sample(50, rng, action)
    ...     regimes.append(data.Regime(f"do {node}", values, (node,), action))
    >>> experiments = data.Dataset(("a", "b", "c", "d"), tuple(regimes), "control")
    >>> found = choose(experiments, 0, ["r2-sortnregress", "var-sortnregress"])
    >>> found.ranking
    ('var-sortnregress', 'r2-sortnregress')
    >>> found.chosen, found.reason.kind
    ('var-sortnregress', 'take-best-bic')
    """
    if n_random < 1:
        raise ValueError(f"n_random: expected at least 1, got {n_random}")
    dataset = as_experiments(dataset, condition, target, observational)
    _check_conditions(dataset, not_acting)
    at_cutoffs = [
        replace(tests, least_effect=x) for x in sorted({0.0, tests.least_effect, *cutoffs})
    ]
    seed = int(as_generator(rng).integers(2**63))
    scoring = Scoring(n_bootstrap=N_BOOTSTRAP)
    validation = prepare_cross_validation(dataset, seed, tests, None, scoring)
    candidates = find_candidates(algorithms)
    work = Work(dataset, validation.folds, validation.seed)
    named = {**candidates.algorithms, **candidates.baselines}
    runs = run_all(named, work, seconds, on_progress)
    if not any(name in runs.fits for name in candidates.algorithms):
        raise ValueError(_nothing_ranked(runs, candidates))
    fits = {**runs.fits, **graphs_that_say_nothing(dataset, validation.nodes)}
    comparison = compare_fits(fits, validation, {})
    rows, random_order = _rows(comparison, validation, candidates, runs, n_random)
    default = _default(candidates, runs)
    judged = runs.fits | {EMPTY: fits[EMPTY]}
    return Choice(
        columns=dataset.columns,
        n_rows=sum(len(regime.values) for regime in dataset.regimes),
        observational=str(dataset.observational),
        intervened=tuple(dataset.columns[node] for node in validation.descendants.nodes),
        left_out=dict(validation.descendants.left_out),
        tests=_tests_made(tests, validation),
        level=scoring.level,
        rows=rows,
        random_order=random_order,
        not_ranked={**runs.failed, **candidates.not_run},
        lacking=runs.lacking | dict.fromkeys(candidates.unset, "setting"),
        unknown_targets=tuple(
            regime.condition for regime in dataset.regimes if regime.targets is None
        ),
        differences=_differences(rows, comparison),
        movements=find_movements(dataset, tests, validation.descendants.threshold),
        cutoffs=_at_cutoffs(dataset, seed, at_cutoffs, fits),
        graphs={name: _found_graph(fit, dataset) for name, fit in fits.items()},
        second_opinion=ask_second_opinion(judged, dataset, seed, not_acting),
        likelihoods=ask_likelihoods(judged, dataset, seed, candidates.algorithms, default),
        default=default,
        seed=seed_of(rng),
    )


def _check_conditions(dataset: Dataset, named: Collection[str]) -> None:
    for condition in named:
        if condition not in dataset.conditions:
            raise ValueError(
                f"not_acting: there is no condition {condition!r}; "
                f"{did_you_mean(condition, dataset.conditions)}"
            )


def _default(candidates: Candidates, runs: Runs) -> str:
    """Return the label of the algorithm to take unless another one is better; often one of ours."""
    ranked = {
        getattr(algorithm, "name", ""): label
        for label, algorithm in candidates.algorithms.items()
        if label in runs.fits
    }
    return next((ranked[name] for name in DEFAULTS if name in ranked), "")


def _nothing_ranked(runs: Runs, candidates: Candidates) -> str:
    reasons = [f"{name}: {why}" for name, why in runs.failed.items()]
    shown = "; ".join(reasons[:3]) + (f"; and {len(reasons) - 3} more" if len(reasons) > 3 else "")
    if not candidates.algorithms:
        return "no algorithm to rank: name at least one that is not a baseline"
    algorithms = counted(len(candidates.algorithms), "algorithm")
    return f"none of {algorithms} has a graph for these data: {shown}"


def _rows(
    comparison: Comparison,
    validation: CrossValidation,
    candidates: Candidates,
    runs: Runs,
    n_random: int,
) -> tuple[tuple[RankedRow, ...], RandomGraphs]:
    """Return a row for each graph, by ascending risk, and what complete random DAGs score."""
    chosen = [name for name in comparison.ranking if name in candidates.algorithms]
    random = _RandomScores(validation, n_random)
    beside = {
        name: chance_level(risk.weighted, random.risks(risk.graph))
        for name, risk in comparison.risks.items()
    }
    beside |= _beside_random(beside, {name: comparison.risks[name] for name in chosen}, random)
    remaining = _may_be_best({name: runs.fits[name] for name in chosen}, validation)
    rows = tuple(
        _row(name, comparison.risks[name], beside[name], runs.seconds.get(name))
        for name in comparison.ranking
    )
    marked = tuple(
        replace(row, role="algorithm", may_be_best=row.name in remaining)
        if row.name in chosen
        else row
        for row in rows
    )
    n_nodes = validation.dataset.n_nodes
    complete = random.risks(np.triu(np.ones((n_nodes, n_nodes), dtype=bool), k=1))
    return marked, chance_level(float(complete.mean()), complete)


DRAWN_AT_ONCE = 1000
"""Random graphs that are added at a time while a test is not decided."""


class _RandomScores:
    """The risks of graphs whose columns were exchanged, by the same draws for every graph."""

    def __init__(self, validation: CrossValidation, n_graphs: int) -> None:
        self._validation, self._n_graphs = validation, n_graphs
        self._known: dict[bytes, tuple[Vector, Generator]] = {}

    def risks(self, graph: Adjacency, at_least: int = 0) -> Vector:
        """Return the risks of the first draws; as many as every graph has, or more."""
        key = graph.tobytes()
        if key not in self._known:
            self._known[key] = (np.empty(0), stream(self._validation.seed, "random graphs"))
        risks, rng = self._known[key]
        missing = max(at_least, self._n_graphs) - len(risks)
        if missing > 0:
            n_drawn = missing if not len(risks) else max(missing, DRAWN_AT_ONCE)
            more = random_risks(graph, self._validation.descendants.of, n_drawn, rng)
            risks = np.concatenate([risks, more])
            self._known[key] = (risks, rng)
        return risks[: max(at_least, self._n_graphs)]

    def decide(self, risk: Risk, level: float) -> MonteCarlo:
        """Draw until it is certain on which side of a level the p-value of a risk is."""
        n_seen = 0

        def extreme(n: int) -> np.ndarray:
            nonlocal n_seen
            drawn = self.risks(risk.graph, n_seen + n)[n_seen : n_seen + n]
            n_seen += n
            return np.asarray(drawn <= risk.weighted + NO_DIFFERENCE)

        return decide(extreme, level)


def _beside_random(
    beside: Mapping[str, RandomGraphs], risks: Mapping[str, Risk], random: _RandomScores
) -> dict[str, RandomGraphs]:
    """Say which algorithms beat random graphs, after Holm, with as many draws as that takes."""
    by_evidence = sorted(
        risks, key=lambda name: (beside[name].p_value, risks[name].weighted - beside[name].low)
    )
    compared = {name: beside[name] for name in risks}
    shown: set[str] = set()
    for rank, name in enumerate(by_evidence):
        decided = random.decide(risks[name], SHARE / (len(risks) - rank))
        n_graphs = max(decided.draws, compared[name].n_graphs)
        compared[name] = replace(compared[name], p_value=decided.p_value, n_graphs=n_graphs)
        if not decided.below:
            break
        shown.add(name)
    corrected = holm({name: each.p_value for name, each in compared.items()})
    return {
        name: replace(each, p_corrected=corrected[name], beaten=name in shown)
        for name, each in compared.items()
    }


def _row(name: str, risk: Risk, random: RandomGraphs, seconds: float | None) -> RankedRow:
    implied = implied_descendants(risk.graph)
    return RankedRow(
        name=name,
        role="baseline",
        density=density_of(risk.graph),
        n_named=sum(len(implied[node]) for node in risk.intervened),
        weighted=risk.weighted,
        interval=risk.intervals.weighted,
        naive=risk.naive,
        cross_validated=risk.cross_validated,
        reads=risk.reads,
        equal_by_construction=not risk.refitted,
        kind=risk.kind,
        random=random,
        seconds=seconds,
    )


def _may_be_best(fits: Mapping[str, Fit], validation: CrossValidation) -> set[str]:
    """Return the algorithms that no other one is shown to beat.

    The best one is out if any of its differences with others has a lower end above 0, which
    happens at most as often as the sum of their levels.
    """
    n_others = len(fits) - 1
    if not n_others:
        return set(fits)
    level = 1 - 2 * SHARE / n_others
    scoring = replace(validation.scoring, level=level)
    comparison = compare_fits(fits, replace(validation, scoring=scoring), {})
    beaten = {each.first for each in comparison.differences if each.intervals.weighted[0] > 0}
    return {name for name in fits if name not in beaten and fits[name].graph.any()}


def _differences(rows: Sequence[RankedRow], comparison: Comparison) -> tuple[PairDifference, ...]:
    rank = {row.name: k for k, row in enumerate(rows)}
    return tuple(
        PairDifference(each.first, each.second, each.weighted, each.intervals.weighted)
        for each in sorted(
            comparison.differences, key=lambda each: (rank[each.first], rank[each.second])
        )
        if rank[each.first] < rank[each.second]
    )


def _at_cutoffs(
    dataset: Dataset, seed: int, at_cutoffs: Sequence[DescendantTests], fits: Mapping[str, Fit]
) -> tuple[CutoffRanking, ...]:
    """Score the same graphs with other least effects; nothing is run again."""
    rankings = []
    for tests in at_cutoffs:
        shared = prepare_cross_validation(dataset, seed, tests, None, Scoring(n_bootstrap=0))
        risks = compare_fits(fits, shared, {}).risks
        moved = sum(len(effects) for effects in shared.descendants.of.values())
        pairs = len(shared.nodes) * (dataset.n_nodes - 1)
        weighted = {name: risk.weighted for name, risk in risks.items()}
        rankings.append(CutoffRanking(tests.least_effect, moved / pairs, weighted))
    return tuple(rankings)


def _found_graph(fit: Fit, dataset: Dataset) -> FoundGraph:
    names = dataset.columns
    undirected = undirected_part(fit.graph)
    return FoundGraph(
        tuple(
            (names[i], names[j]) for i, j in zip(*directed_part(fit.graph).nonzero(), strict=True)
        ),
        tuple((names[i], names[j]) for i, j in zip(*undirected.nonzero(), strict=True) if i < j),
    )


def _tests_made(tests: DescendantTests, validation: CrossValidation) -> MovementTests:
    descendants = validation.descendants
    cutoff = tests.cutoff
    return MovementTests(
        test=tests.test,
        cutoff=repr(cutoff),
        cutoff_name=type(cutoff).__name__,
        cutoff_level=getattr(cutoff, "level", None),
        scale=cutoff.scale,
        least_effect=tests.least_effect,
        n_tests=descendants.n_tests,
        threshold=descendants.threshold,
    )


# What experiments show beside risks: who moved, and how well graphs predict those left out.


def find_movements(
    dataset: Dataset, tests: DescendantTests, threshold: float
) -> tuple[Movement, ...]:
    """Return what each condition with a single target moved, by the tests that the risk uses.

    Parameters
    ----------
    dataset : Dataset
    tests : DescendantTests
    threshold : float
        The threshold of the tests on all rows.
    """
    experiments = find_experiments(dataset)
    regimes = [regime for on in experiments.on.values() for regime in on]
    done = compare_regimes(dataset.observational_values, regimes_by_node(experiments), tests.test)
    changed = changed_in_regimes(done, tests, threshold)
    columns = dataset.columns
    return tuple(
        Movement(
            condition=regime.condition,
            target=columns[done.targets[row]],
            n_rows=len(regime.values),
            effects={name: finite_or_none(done.effect[row, k]) for k, name in enumerate(columns)},
            p_values={name: finite_or_none(done.p_value[row, k]) for k, name in enumerate(columns)},
            moved=tuple(columns[k] for k in np.flatnonzero(changed[row])),
            constant=tuple(columns[k] for k in np.flatnonzero(np.ptp(regime.values, axis=0) == 0)),
        )
        for row, regime in enumerate(regimes)
    )


def ask_second_opinion(
    fits: Mapping[str, Fit], dataset: Dataset, seed: int, not_acting: Collection[str] = ()
) -> SecondOpinion:
    """Return how far predictions are from what was measured; with a reason where there are none.

    Parameters
    ----------
    fits : mapping of str to Fit
    dataset : Dataset
    seed : int
    not_acting : collection of str
        Conditions known not to act on the measured level of their target.
    """
    graphs = {name: fit.held_out_graphs for name, fit in fits.items()}
    try:
        predictions = prediction.compare(graphs, dataset, seed, not_acting)
    except ValueError as error:
        return SecondOpinion(reason=str(error))
    return SecondOpinion(
        n_experiments=len(predictions.experiments),
        floor=finite_or_none(predictions.floor()),
        nothing_changes=finite_or_none(predictions.nothing_changes()),
        scores={name: _score(predictions.score(name)) for name in predictions.ranking()},
        undoubted={
            name: _score(predictions.score(name, undoubted=True))
            for name in predictions.ranking(undoubted=True)
            if predictions.chosen(undoubted=True).any()
        },
        differences=_prediction_differences(predictions),
        doubts=predictions.doubts,
        not_ranked=dict(predictions.not_ranked),
        left_out=dict(predictions.left_out),
    )


def ask_likelihoods(
    fits: Mapping[str, Fit], dataset: Dataset, seed: int, names: Collection[str], default: str = ""
) -> LikelihoodOpinion:
    """Return how probable the rows are under each graph; with a reason where there is no answer.

    Parameters
    ----------
    fits : mapping of str to Fit
    dataset : Dataset
    seed : int
    names : collection of str
        The algorithms among which the best one is looked for; the others are baselines.
    default : str
        The algorithm with whose BIC those of the others are compared; may be empty.
    """
    try:
        found = compare_likelihoods(fits, dataset, seed)
    except NotApplicable as error:
        return LikelihoodOpinion(reason=str(error))
    return likelihood_opinion(found, names, default)


def likelihood_opinion(
    found: Likelihoods, names: Collection[str], default: str = ""
) -> LikelihoodOpinion:
    """Return the likelihoods as plain values, each beside the best algorithm and the default."""
    if not any(name in names for name in found.bic):
        return LikelihoodOpinion(
            reason=next(iter(found.not_ranked.values())), not_ranked=found.not_ranked
        )
    held_out = {name: float(each.mean()) for name, each in found.held_out.items()}
    return LikelihoodOpinion(
        n_experiments=len(found.nodes),
        bic=_ranked_scores(found.bic, names, found.bic_gain),
        held_out=_ranked_scores(held_out, names, found.held_out_gain),
        over_default=_gains(found, default),
        not_ranked=found.not_ranked,
    )


def _ranked_scores(
    values: Mapping[str, float], names: Collection[str], gain: Callable[[str, str], Gain]
) -> dict[str, LikelihoodScore]:
    """Return the scores, best first; of equal ones the first name leads."""
    ordered = sorted(values, key=lambda name: -values[name])
    best = next(name for name in ordered if name in names)
    behind = {name: gain(best, name) for name in ordered}
    return {
        name: LikelihoodScore(values[name], each.value, each.error) for name, each in behind.items()
    }


def _gains(found: Likelihoods, default: str) -> dict[str, tuple[float, float]]:
    if default not in found.bic:
        return {}
    gains = {name: found.bic_gain(name, default) for name in found.bic}
    return {name: (gain.value, gain.error) for name, gain in gains.items()}


def _prediction_differences(predictions: prediction.Predictions) -> dict[str, PredictionScore]:
    """Return the best one's score less that of each other one."""
    best, *others = predictions.ranking() or ("",)
    return {other: _score(predictions.difference(best, other)) for other in others}


def _score(score: prediction.Score) -> PredictionScore:
    low, high = (finite_or_none(end) for end in score.interval)
    share = finite_or_none(score.share_predicted)
    return PredictionScore(finite_or_none(score.value), low, high, share, score.n_experiments)
