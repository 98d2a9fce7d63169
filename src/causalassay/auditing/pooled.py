"""Several data sets of one benchmark under one verdict, by the rule for several units."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.auditing.audit import N_BOOTSTRAP, audit
from causalassay.auditing.order_evidence import by_unit, order_evidence, random_f1, units_of
from causalassay.auditing.result import Audit
from causalassay.common.arrays import Adjacency
from causalassay.common.seeding import as_generator
from causalassay.common.spelling import listed
from causalassay.data import Dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.data_set import no_evidence, sorting_finding
from causalassay.judging.findings import (
    ARTEFACT_KINDS,
    GAMEABLE_KINDS,
    Finding,
    FindingKind,
    Subject,
    main_finding,
    rules_of,
)
from causalassay.judging.scheme_findings import OrderClaim, judge_orders
from causalassay.present import Shown
from causalassay.present.formatting import PValue, counted
from causalassay.present.json_values import plain_values

if TYPE_CHECKING:
    import pandas as pd

    from causalassay.present import Document

_MOST_NAMED = 10
_RULE = "two tests over units"


@dataclass(frozen=True, repr=False)
class PooledAudit(Shown):
    """The audits of several data sets, and what was found on all of them together.

    Parameters
    ----------
    audits : dict
        The audit of each data set by its name.
    claims : tuple of OrderClaim
        Of each statistic and direction, over all units.
    findings : tuple of Finding
        On all data sets together; the one on the graphs comes last.
    n_units : int
        Data sets on one graph are one unit: nothing says that they were drawn independently.
    random_f1 : float
        The mean F1 along random orders, over the units; nan if nothing could be tested.
    """

    audits: dict[str, Audit]
    claims: tuple[OrderClaim, ...]
    findings: tuple[Finding, ...]
    n_units: int
    random_f1: float

    @property
    def verdict(self) -> Finding:
        """The main finding: the gravest on the order."""
        return main_finding(self.findings)

    @property
    def rules(self) -> dict[str, str]:
        """How each rule decides that led to a finding, by its name."""
        return {name: rule.text for name, rule in rules_of(self.findings).items()}

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        claims = [vars(one) | {"artefact": one.artefact.statistic} for one in self.claims]
        values: dict[str, Any] = plain_values(
            {
                "verdict": self.verdict,
                "findings": self.findings,
                "rules": self.rules,
                "n_units": self.n_units,
                "random_f1": self.random_f1,
                "claims": claims,
                "audits": self.audits,
            }
        )
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
    data_sets: Mapping[str, tuple[ArrayLike | Dataset, Adjacency | LaggedGraph]],
    rng: Generator | int,
    *,
    n_bootstrap: int = N_BOOTSTRAP,
    on_progress: Callable[[int], None] | None = None,
    max_lag: int | None = None,
) -> PooledAudit:
    """Audit the data sets of one benchmark and judge them together.

    Parameters
    ----------
    data_sets : mapping of str to (data, graph)
    rng : Generator or int
        An int is a seed.
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
    >>> found = audit_many(benchmark, rng=0, n_bootstrap=0)
    >>> found.verdict.kind.value, found.verdict.statistic, found.n_units
    ('gameable', 'variance', 4)
    """
    audits: dict[str, Audit] = {}
    streams = as_generator(rng).spawn(len(data_sets))
    for (name, (data, graph)), own in zip(data_sets.items(), streams, strict=True):
        options: dict[str, Any] = {"n_bootstrap": n_bootstrap, "max_lag": max_lag, "pooled": True}
        audits[name] = audit(data, graph, own, **options)
        if on_progress is not None:
            on_progress(len(audits))
    return pool(audits)


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
    without = [name for name, one in audits.items() if one.n_edges is None]
    if without:
        raise ValueError(f"a verdict over several data sets needs a graph for {listed(without)}")
    worlds = {one.world: name for name, one in audits.items()}
    if len(worlds) > 1:
        named = ", ".join(f"{name} is {world}" for world, name in worlds.items())
        raise ValueError(f"expected data sets of one kind, got several: {named}")
    every = list(audits.values())
    units = units_of(every)
    evidence = {one: order_evidence(one, every, units) for one in artefacts_of(every[0].world)}
    known = {key: one for key, one in evidence.items() if not np.isnan(one.rising_p).all()}
    least = by_unit(np.array([one.attainable_p for one in every]), units)
    claims = judge_orders(known, least) if known else ()
    n_units = max((claim.n_units for claim in claims), default=0)
    scores = np.array([random_f1(one) for one in every])
    mean = float(np.nanmean(by_unit(scores, units))) if claims else math.nan
    n_tested = int((~np.isnan(scores)).sum())
    found = _findings(claims, n_tested, mean, [one for one in evidence if one not in known])
    found[0] = _with_counts(found[0], len(every), n_tested, n_units)
    found[0] = _with_lone_files(found[0], audits)
    return PooledAudit(dict(audits), claims, (*found, _graph_finding(audits)), n_units, mean)


def _findings(
    claims: Sequence[OrderClaim], n_tested: int, mean: float, untested: list[Artefact]
) -> list[Finding]:
    undecided = [
        Finding(
            FindingKind.UNDECIDED,
            Subject(one.statistic),
            rule="what is missing",
            words={"why": f"{one.word} could not be tested in any file"},
        )
        for one in untested
    ]
    if not claims:
        return undecided
    passed = [
        claim_finding(claim, n_tested, mean) for claim in claims if claim.kind in ARTEFACT_KINDS
    ]
    return [*(passed or [nothing_over_files(claims, n_tested, mean)]), *undecided]


def claim_finding(claim: OrderClaim, n_files: int, random_f1: float) -> Finding:
    """Return what was found of one statistic in one direction, over all files.

    Parameters
    ----------
    claim : OrderClaim
        That found something.
    n_files : int
        That were tested.
    random_f1 : float
        The mean F1 along random orders.

    Examples
    --------
    >>> from causalassay.judging.artefacts import VARIANCE
    >>> both = (True, True)
    >>> kind = FindingKind.GAMEABLE
    >>> claim = OrderClaim(VARIANCE, False, kind, 0.95, 0.5, 1e-9, 0.002, both, 12)
    >>> claim_finding(claim, 12, 0.25).sentence
    'Gameable by variance: sorting by it beats random orders (12 files; mean F1 0.75 against 0.25,
    p-value 0.002; sortability 0.95, p-value below 0.001).'
    """
    numbers = {
        "n_files": n_files,
        "f1": random_f1 + claim.gain,
        "random_f1": random_f1,
        "winning_p": PValue(claim.winning_p),
        "sortability": claim.sortability,
        "sortable_p": PValue(claim.sortable_p),
    }
    over = _over(n_files)
    return sorting_finding(claim.artefact, claim.backwards, claim.passed, numbers, _RULE, over)


def _over(n_files: int) -> str:
    return f"{counted(n_files, 'file')}; mean "


def nothing_over_files(claims: Sequence[OrderClaim], n_files: int, random_f1: float) -> Finding:
    """Return that no statistic passed a test over all files, or that none could have."""
    if claims[0].kind == FindingKind.TOO_SMALL:
        words = {"files": counted(n_files, "file")}
        return Finding(FindingKind.TOO_SMALL, rule=_RULE, words=words, variant="files")
    statistics = list(dict.fromkeys(claim.artefact.word for claim in claims))
    shares = [claim.sortability for claim in claims]
    best = random_f1 + max(claim.gain for claim in claims)
    return no_evidence(statistics, best, random_f1, shares, _RULE, _over(n_files))


def _with_counts(finding: Finding, n_files: int, n_tested: int, n_units: int) -> Finding:
    """Return a finding that says which files do not count, or count together."""
    remarks = list(finding.remarks)
    if 0 < n_units < n_tested:
        remarks.append(f"Files on one graph count as one unit ({n_units} in all).")
    if n_tested < n_files:
        left = counted(n_files - n_tested, "file")
        remarks.append(f"{left} of {n_files} could not be tested and count for nothing.")
    return replace(finding, remarks=tuple(remarks))


def _with_lone_files(finding: Finding, audits: Mapping[str, Audit]) -> Finding:
    """Return a finding that names files which are gameable alone, if all together are not."""
    alone = [name for name, one in audits.items() if one.verdict.kind in GAMEABLE_KINDS]
    if finding.kind in GAMEABLE_KINDS or not alone:
        return finding
    remark = (
        f"Gameable alone: {len(alone)} of {counted(len(audits), 'file')}, "
        f"{_some(alone)} (by chance up to 5 % of files)."
    )
    return replace(finding, remarks=(*finding.remarks, remark))


def _some(names: Sequence[str]) -> str:
    more = " and more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def _graph_finding(audits: Mapping[str, Audit]) -> Finding:
    """Return how many graphs the data refute."""
    kinds = {name: one.findings[-1].kind for name, one in audits.items()}
    refuted = [name for name, kind in kinds.items() if kind == FindingKind.GRAPH_REFUTED]
    n_checked = sum(kind != FindingKind.GRAPH_NOT_CHECKED for kind in kinds.values())
    if refuted:
        kind = FindingKind.GRAPH_REFUTED
    else:
        kind = FindingKind.GRAPH_NOT_REFUTED if n_checked else FindingKind.GRAPH_NOT_CHECKED
    numbers = {"n_checked": n_checked, "n_refuted": len(refuted)}
    words = {
        "checked": counted(n_checked, "file"),
        "files": counted(len(kinds), "file"),
        "names": _some(refuted),
    }
    return Finding(kind, numbers=numbers, rule="graph check", words=words, variant="files")
