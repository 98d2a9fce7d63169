"""Several data sets of one benchmark under one verdict, by the rule for several units."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from causalassay.arrays import Adjacency
from causalassay.auditing.audit import N_BOOTSTRAP, audit
from causalassay.auditing.notebook_html import pooled_html
from causalassay.auditing.order_evidence import by_unit, order_evidence, random_f1, units_of
from causalassay.auditing.result import Audit, plain_values, rules_of
from causalassay.data import Dataset
from causalassay.graphs.lagged import LaggedGraph
from causalassay.judging.artefacts import Artefact, artefacts_of
from causalassay.judging.findings import Finding, GraphKind, main_finding
from causalassay.judging.pooled_sentences import claim_finding, files_text, nothing_over_files
from causalassay.judging.scheme_findings import OrderClaim, judge_orders
from causalassay.seeding import as_generator
from causalassay.spelling import listed

_MOST_NAMED = 10


@dataclass(frozen=True)
class PooledAudit:
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
        return rules_of(self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain values for JSON; undefined numbers become None."""
        claims = [vars(one) | {"artefact": one.artefact.statistic} for one in self.claims]
        plain: dict[str, Any] = plain_values(
            {
                "verdict": dataclasses.asdict(self.verdict),
                "findings": [dataclasses.asdict(one) for one in self.findings],
                "rules": self.rules,
                "n_units": self.n_units,
                "random_f1": self.random_f1,
                "claims": claims,
            }
        )
        return plain | {"audits": {name: one.to_dict() for name, one in self.audits.items()}}

    def _repr_html_(self) -> str:
        return pooled_html(self)


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
    >>> found.verdict.kind, found.verdict.statistic, found.n_units
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
            "undecided",
            f"Undecided: {one.word} could not be tested in any file.",
            one.statistic,
            "what is missing",
        )
        for one in untested
    ]
    if not claims:
        return undecided
    told = [claim_finding(claim, n_tested, mean) for claim in claims]
    passed = [one for one in told if one]
    return [*(passed or [nothing_over_files(claims, n_tested, mean)]), *undecided]


def _with_counts(finding: Finding, n_files: int, n_tested: int, n_units: int) -> Finding:
    """Return a finding that says which files do not count, or count together."""
    said = [finding.advice] if finding.advice else []
    if 0 < n_units < n_tested:
        said.append(f"Files on one graph count as one unit ({n_units} in all).")
    if n_tested < n_files:
        left = files_text(n_files - n_tested)
        said.append(f"{left} of {n_files} could not be tested and count for nothing.")
    return dataclasses.replace(finding, advice=" ".join(said))


def _with_lone_files(finding: Finding, audits: Mapping[str, Audit]) -> Finding:
    """Return a finding that names files which are gameable alone, if all together are not."""
    kinds = ("gameable", "gameable backwards")
    alone = [name for name, one in audits.items() if one.verdict.kind in kinds]
    if finding.kind in kinds or not alone:
        return finding
    more = " and more" if len(alone) > _MOST_NAMED else ""
    said = (
        f"Gameable alone: {len(alone)} of {files_text(len(audits))}, "
        f"{', '.join(alone[:_MOST_NAMED])}{more} (by chance up to 5 % of files)."
    )
    return dataclasses.replace(finding, advice=" ".join([finding.advice, said]).strip())


def _graph_finding(audits: Mapping[str, Audit]) -> Finding:
    """Return how many graphs the data refute."""
    kinds = {name: one.findings[-1].kind for name, one in audits.items()}
    refuted = [name for name, kind in kinds.items() if kind == "graph refuted"]
    checked = [name for name, kind in kinds.items() if kind != "graph not checked"]
    numbers = f"{files_text(len(checked))} checked, each at 1 %; {len(refuted)} refuted"
    kind: GraphKind
    if refuted:
        kind, claim = "graph refuted", "Some graphs are refuted"
    elif checked:
        kind, claim = "graph not refuted", "No graph is refuted"
    else:
        kind, claim, numbers = "graph not checked", "No graph was checked", files_text(len(kinds))
    more = " and more" if len(refuted) > _MOST_NAMED else ""
    advice = f"Refuted: {', '.join(refuted[:_MOST_NAMED])}{more}." if refuted else ""
    return Finding(kind, f"{claim} ({numbers}).", rule="graph check", advice=advice)
