"""Several data sets of one benchmark under one verdict, by the rule for several instances."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy.special import bdtrc

from causalassay.auditing.audit import N_BOOTSTRAP, audit
from causalassay.auditing.result import RANDOM_ORDERS, Audit, BaselineScore
from causalassay.common.arrays import Vector
from causalassay.common.seeding import as_generator, seed_of
from causalassay.common.spelling import listed
from causalassay.data import Dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.judging.artefacts import Artefact, artefacts_of, looked_at
from causalassay.judging.data_set import (
    no_evidence,
    sets_needed,
    sorting_finding,
    undecided,
    verdict_of,
)
from causalassay.judging.findings import (
    ARTEFACT_KINDS,
    GAMEABLE_KINDS,
    Finding,
    FindingKind,
    main_finding,
    rules_of,
)
from causalassay.judging.graph_check import REFUTED_LEVEL
from causalassay.judging.order_tests import strictest_level
from causalassay.judging.over_instances import OrderClaim, OrderEvidence, judge_orders
from causalassay.present import Shown
from causalassay.present.formatting import PValue, counted
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.present import Document


# What the rule for several instances is given of each audit.


class Measured(NamedTuple):
    """What was measured of one statistic on one data set; the first seven as in `OrderEvidence`."""

    sortability: float
    rising_p: float
    falling_p: float
    up_p: float
    down_p: float
    up_gain: float
    down_gain: float
    random_direction: float
    up_f1: float
    down_f1: float

    @property
    def up_direction(self) -> float:
        """The direction score along the rising statistic."""
        return self.random_direction + self.up_gain

    @property
    def down_direction(self) -> float:
        """The direction score along the falling statistic."""
        return self.random_direction + self.down_gain


N_EVIDENCE = 7


def measured_of(artefact: Artefact, audit: Audit) -> Measured:
    """Return what an audit measured of a statistic; nan where it could not be tested."""
    rows = (row for row in audit.sortabilities if row.statistic == artefact.statistic)
    sortable = next(rows, None)  # the first is that of the judge
    random = random_orders(audit)
    if sortable is None or random is None:
        return Measured(*(np.nan,) * len(Measured._fields))
    chance = random.direction_score
    up = audit.sorted_by(artefact.statistic, "rising")
    down = audit.sorted_by(artefact.statistic, "falling")
    if up is None or down is None or up.p_order is None or down.p_order is None:
        # What cannot be sorted by cannot win.
        return Measured(0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, chance, random.f1, random.f1)
    p_values = sortable.p_rising, sortable.p_falling, up.p_order, down.p_order
    gains = up.direction_score - chance, down.direction_score - chance
    return Measured(sortable.value, *p_values, *gains, chance, up.f1, down.f1)


def order_evidence(artefact: Artefact, audits: Sequence[Audit], instances: Vector) -> OrderEvidence:
    """Return what was measured of a statistic on each instance, a mean over its audits."""
    measured = np.array([measured_of(artefact, audit) for audit in audits])
    return OrderEvidence(*(by_instance(column, instances) for column in measured.T[:N_EVIDENCE]))


def random_orders(audit: Audit) -> BaselineScore | None:
    """Return the mean scores along random orders; None without any."""
    rows = (row for row in audit.baselines if row.algorithm == RANDOM_ORDERS)
    return next(rows, None)


def random_f1(audit: Audit) -> float:
    """Return the mean F1 along random orders; nan without any."""
    row = random_orders(audit)
    return math.nan if row is None else row.f1


def random_direction(audit: Audit) -> float:
    """Return the mean direction score along random orders; nan without any."""
    row = random_orders(audit)
    return math.nan if row is None else row.direction_score


def instances_of(audits: Sequence[Audit]) -> Vector:
    """Return the number of the instance of each audit: those on one graph share theirs.

    Nothing says that data on one graph were drawn independently, and their p-values may be added
    up only if they were.
    """
    graphs: dict[Any, int] = {}
    keys = [(frozenset(column.name for column in audit.columns), audit.edges) for audit in audits]
    return np.array([graphs.setdefault(key, len(graphs)) for key in keys])


def by_instance(values: Vector, instances: Vector) -> Vector:
    """Return the mean of each instance over what is known; nan where nothing is.

    Examples
    --------
    >>> by_instance(np.array([1.0, np.nan, np.nan, 3.0]), np.array([0, 0, 1, 2]))
    array([ 1., nan,  3.])
    """
    known = ~np.isnan(values)
    groups = [values[known & (instances == k)] for k in range(int(instances.max()) + 1)]
    return np.array([group.mean() if len(group) else np.nan for group in groups])


_MOST_NAMED = 10
_RULE = "two tests over instances"


@dataclass(frozen=True, repr=False)
class PooledAudit(Shown):
    """The audits of several data sets, and what was found on all of them together.

    Parameters
    ----------
    audits : dict
        The audit of each data set by its name.
    claims : tuple of OrderClaim
        One for each statistic and direction, over all instances.
    findings : tuple of Finding
        On all data sets together; the one on the graphs comes last.
    n_units : int
        Instances: data sets on one graph are one, since nothing says that they were drawn
        independently.
    random_f1, random_direction : float
        The means along random orders, over the instances; nan if nothing could be tested.
    f1 : mapping of str to (float, float)
        By statistic, the mean F1 along its rising and its falling values.
    seed : int, optional
        The seed of all random draws; None if a generator was given.
    """

    audits: dict[str, Audit]
    claims: tuple[OrderClaim, ...]
    findings: tuple[Finding, ...]
    n_units: int
    random_f1: float
    random_direction: float = math.nan
    f1: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    seed: int | None = None

    @property
    def verdict(self) -> Finding:
        """The main finding, the gravest on the order; all that is gameable in one sentence."""
        return verdict_of(self.findings)

    @property
    def rules(self) -> dict[str, str]:
        """How each rule decides that led to a finding, by its name."""
        return {name: rule.text for name, rule in rules_of(self.findings).items()}

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        claims = [vars(claim) | {"artefact": claim.artefact.statistic} for claim in self.claims]
        numbers = ("n_units", "random_f1", "random_direction", "f1", "seed")
        order = ("verdict", "findings", "rules", *numbers)
        whole = {name: getattr(self, name) for name in order}
        world = next(iter(self.audits.values())).world
        whole |= {"claims": claims, "audits": self.audits, "looked_at": looked_at(world)}
        values: dict[str, Any] = plain_values(whole)
        return values

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each file: what was measured on it, and what is found on it alone."""
        import pandas as pd  # noqa: PLC0415  # takes 0.3 s to import

        from causalassay.auditing.document import file_table  # noqa: PLC0415  # it imports this

        return pd.DataFrame(file_table(self).records())

    def document(self) -> Document:
        """Return what the audits show."""
        from causalassay.auditing.document import pooled_document  # noqa: PLC0415  # it imports this

        return pooled_document(self)


def audit_many(
    data_sets: Mapping[str, tuple[ArrayLike | Dataset, ArrayLike | LaggedGraph]],
    rng: Generator | int = 0,
    *,
    n_bootstrap: int = N_BOOTSTRAP,
    on_progress: Callable[[int], None] | None = None,
    max_lag: int | None = None,
) -> PooledAudit:
    """Audit the data sets of one benchmark and judge them together.

    Parameters
    ----------
    data_sets : mapping of str to (data, graph)
        For each name the data and the true graph.
    rng : Generator or int
        An int is a seed, which the result then has.
    n_bootstrap, max_lag
        As `audit` has them.
    on_progress : callable, optional
        Called with the number of data sets done.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> rng = np.random.default_rng(0)
    >>> benchmark = {}
    >>> for k in range(4):
    ...     graph = graphs.erdos_renyi(8, 2, rng)
    ...     benchmark[f"set{k}"] = models.draw("scm", graph, rng).sample(300, rng), graph
    >>> pooled = audit_many(benchmark, rng=0, n_bootstrap=0)
    >>> pooled.verdict.kind.value, pooled.verdict.statistic, pooled.n_units
    ('gameable', 'variance', 4)
    """
    if not isinstance(data_sets, Mapping):
        raise TypeError(
            f"data_sets: expected a mapping of names to (data, graph), got "
            f"{type(data_sets).__name__}; dict(enumerate(...)) numbers the pairs of a list"
        )
    audits: dict[str, Audit] = {}
    streams = as_generator(rng).spawn(len(data_sets))
    for (name, (data, graph)), stream in zip(data_sets.items(), streams, strict=True):
        audits[name] = audit(
            data, graph, stream, n_bootstrap=n_bootstrap, max_lag=max_lag, pooled=True
        )
        if on_progress is not None:
            on_progress(len(audits))
    return replace(pool(audits), seed=seed_of(rng))


def pool(audits: Mapping[str, Audit]) -> PooledAudit:
    """Judge audits together; they were made with `pooled` set.

    Parameters
    ----------
    audits : mapping of str to Audit
        At least one; all with a graph and of data of one kind.

    Examples
    --------
    >>> from causalassay import graphs, models
    >>> graph = graphs.chain(4)
    >>> rng = np.random.default_rng(0)
    >>> values = models.draw("scm", graph, rng).sample(200, rng)
    >>> alone = audit(values, graph, rng=0, n_bootstrap=0, pooled=True)
    >>> pool({"first": alone, "second": alone}).n_units
    1
    """
    if not audits:
        raise ValueError("expected at least one data set to judge, got none")
    without = [name for name, audit in audits.items() if audit.n_edges is None]
    if without:
        raise ValueError(f"a verdict over several data sets needs a graph for {listed(without)}")
    worlds = {audit.world: name for name, audit in audits.items()}
    if len(worlds) > 1:
        named = ", ".join(f"{name} is {world}" for world, name in worlds.items())
        raise ValueError(f"expected data sets of one kind, got several: {named}")
    every = list(audits.values())
    instances = instances_of(every)
    evidence = {
        artefact: order_evidence(artefact, every, instances)
        for artefact in artefacts_of(every[0].world)
    }
    known = {key: part for key, part in evidence.items() if not np.isnan(part.rising_p).all()}
    least = by_instance(np.array([audit.attainable_p for audit in every]), instances)
    claims = judge_orders(known, least) if known else ()
    n_instances = max((claim.n_units for claim in claims), default=0)

    def mean(values: Sequence[float]) -> float:
        return float(np.nanmean(by_instance(np.array(values), instances))) if claims else math.nan

    n_tested = sum(random_orders(audit) is not None for audit in every)
    chance = (
        mean([random_f1(each) for each in every]),
        mean([random_direction(each) for each in every]),
    )
    f1 = {}
    for artefact in known:
        measured = [measured_of(artefact, each) for each in every]
        f1[artefact.statistic] = (
            mean([each.up_f1 for each in measured]),
            mean([each.down_f1 for each in measured]),
        )
    findings = [
        claim_finding(claim, n_tested, chance, f1[claim.artefact.statistic][claim.backwards])
        for claim in claims
        if claim.kind in ARTEFACT_KINDS
    ]
    if claims and not findings:
        findings = [nothing_over_files(claims, n_tested, chance[1], least)]
    findings += [
        undecided(f"{artefact.word} could not be tested in any file", artefact.statistic)
        for artefact in evidence
        if artefact not in known
    ]
    remarks = [
        *_count_remarks(len(every), n_tested, n_instances),
        *_lone_files(findings[0], audits),
    ]
    findings[0] = replace(findings[0], remarks=(*findings[0].remarks, *remarks))
    graphs = _graph_finding(audits)
    return PooledAudit(dict(audits), claims, (*findings, graphs), n_instances, *chance, f1)


def claim_finding(
    claim: OrderClaim, n_files: int, chance: tuple[float, float], f1: float
) -> Finding:
    """Return what was found of one statistic in one direction, over all files.

    Parameters
    ----------
    claim : OrderClaim
        That found something.
    n_files : int
        That were tested.
    chance : (float, float)
        The mean F1 and the mean direction score along random orders.
    f1 : float
        The mean F1 along the order of the statistic.

    Examples
    --------
    >>> from causalassay.judging.artefacts import VARIANCE
    >>> both = (True, True)
    >>> kind = FindingKind.GAMEABLE
    >>> claim = OrderClaim(VARIANCE, False, kind, 0.95, 0.5, 1e-9, 0.002, both, 12)
    >>> claim_finding(claim, 12, (0.25, 0.0), 0.75).sentence
    'Gameable by variance: sorting by it beats random orders (12 files; mean direction score 0.50
    against 0.00, p-value 0.002; sortability 0.95, p-value below 0.001).'
    """
    random_f1, random_direction = chance
    numbers = {
        "n_files": n_files,
        "direction": random_direction + claim.gain,
        "random_direction": random_direction,
        "winning_p": PValue(claim.winning_p),
        "sortability": claim.sortability,
        "sortable_p": PValue(claim.sortable_p),
        "f1": f1,
        "random_f1": random_f1,
    }
    over = _over(n_files)
    return sorting_finding(claim.artefact, claim.backwards, claim.passed, numbers, _RULE, over)


def _over(n_files: int) -> str:
    return f"{counted(n_files, 'file')}; mean "


def nothing_over_files(
    claims: Sequence[OrderClaim], n_files: int, random_direction: float, attainable: Vector
) -> Finding:
    """Return that no statistic passed a test over all files, or that none could have.

    Parameters
    ----------
    claims : sequence of OrderClaim
    n_files : int
        That were tested.
    random_direction : float
        The mean direction score along random orders.
    attainable : Vector
        The least p-value that any order could have, by instance.
    """
    if claims[0].kind == FindingKind.TOO_SMALL:
        words = {"files": counted(n_files, "file")}
        needed = sets_needed(float(np.nanmean(attainable)), strictest_level(len(claims)))
        variant = "files" if needed else "files, no signal"
        words |= {"n_sets": str(needed)} if needed else {}
        return Finding(FindingKind.TOO_SMALL, rule=_RULE, words=words, variant=variant)
    statistics = list(dict.fromkeys(claim.artefact.word for claim in claims))
    shares = [claim.sortability for claim in claims]
    best = random_direction + max(claim.gain for claim in claims)
    return no_evidence(statistics, best, random_direction, shares, _RULE, _over(n_files))


def _count_remarks(n_files: int, n_tested: int, n_instances: int) -> Iterator[str]:
    """Yield which files do not count, or count together."""
    if 0 < n_instances < n_tested:
        yield f"Files on one graph count as one instance ({n_instances} in all)."
    if n_tested < n_files:
        left = counted(n_files - n_tested, "file")
        yield f"{left} of {n_files} could not be tested and count for nothing."


def _lone_files(finding: Finding, audits: Mapping[str, Audit]) -> Iterator[str]:
    """Yield which files are gameable alone, if all together are not."""
    kinds = {name: main_finding(audit.findings).kind for name, audit in audits.items()}
    alone = [name for name, kind in kinds.items() if kind in GAMEABLE_KINDS]
    if alone and finding.kind not in GAMEABLE_KINDS:
        yield (
            f"Gameable alone: {len(alone)} of {counted(len(audits), 'file')}, "
            f"{_some(alone)} (by chance up to 5 % of files)."
        )


def _some(names: Sequence[str]) -> str:
    more = " and more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def _graph_finding(audits: Mapping[str, Audit]) -> Finding:
    """Return how many graphs the data refute."""
    kinds = {name: audit.findings[-1].kind for name, audit in audits.items()}
    refuted = [name for name, kind in kinds.items() if kind == FindingKind.GRAPH_REFUTED]
    n_checked = sum(kind != FindingKind.GRAPH_NOT_CHECKED for kind in kinds.values())
    if refuted:
        kind = FindingKind.GRAPH_REFUTED
    else:
        kind = FindingKind.GRAPH_NOT_REFUTED if n_checked else FindingKind.GRAPH_NOT_CHECKED
    transposed = [
        audits[name].graph_check.transposed  # type: ignore[union-attr]  # a refuted one was checked
        for name in refuted
        if audits[name].graph_check is not None
    ]
    still = sum(kind == FindingKind.GRAPH_REFUTED for kind in transposed)
    cleared = sum(kind == FindingKind.GRAPH_NOT_REFUTED for kind in transposed)
    numbers = {"n_checked": n_checked, "n_refuted": len(refuted), "n_refuted_transposed": still}
    words = {
        "checked": counted(n_checked, "file"),
        "files": counted(len(kinds), "file"),
        "names": _some(refuted),
        # It is quoted alone, too: with the verdict.
        "transposed": f"{len(refuted)} of {counted(n_checked, 'graph')} "
        f"{'is' if len(refuted) == 1 else 'are'} refuted, {still} when transposed",
    }
    # One of one file is said by its own check. Of many right graphs a few are refuted by chance.
    by_chance = float(bdtrc(len(refuted) - 1, n_checked, REFUTED_LEVEL)) if refuted else 1.0
    is_reversed = cleared > 1 and not still and by_chance <= REFUTED_LEVEL
    variant = "files reversed" if is_reversed else "files"
    return Finding(kind, numbers=numbers, rule="graph check", words=words, variant=variant)
