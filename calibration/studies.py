"""Studies drawn from the bank of instances: how often each finding is made of each algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.rows_on_disk import Job, Row
from calibration.study_bank import ALGORITHMS, SCHEMES, SEED
from causalassay.analysis.comparison import mean_with_interval
from causalassay.analysis.verdict.evidence import rescalings
from causalassay.common.arrays import Vector
from causalassay.common.seeding import stream
from causalassay.judging.artefacts import ARTEFACTS, artefacts_of
from causalassay.judging.findings import ORDER_KINDS, FindingKind
from causalassay.judging.order_measures import (
    RANDOM_DIRECTION,
    RANDOM_SKELETON_F1,
    column,
    sortability_column,
)
from causalassay.judging.over_instances import (
    AlgorithmEvidence,
    LeadEvidence,
    OrderEvidence,
    ScaleEvidence,
    judge_algorithm,
    judge_orders,
)

SIZES = {10: 1000, 30: 1000, 100: 400}
"""Instances of a study, and how many such studies are drawn."""


DIRECTION = "direction_score"
SCORES = (
    "f1",
    DIRECTION,
    "direction_p",
    "skeleton_f1",
    "skeleton_f1_p",
    "skeleton_p",
    "order_score",
)
RANDOM_MEANS = {DIRECTION: RANDOM_DIRECTION, "skeleton_f1": RANDOM_SKELETON_F1}


class Bank:
    """The bank as arrays by scheme."""

    def __init__(self, rows: Mapping[Job, Row]) -> None:
        self.n_units = 1 + max(unit for _, unit in rows)
        self._rows = rows

    def measured(self, scheme: str, name: str) -> Vector:
        """Return a measure of each instance."""
        return np.array(
            [self._rows[scheme, unit]["measures"][name] for unit in range(self.n_units)]
        )

    def scores(self, scheme: str, algorithm: str, name: str) -> Vector:
        """Return a number of each instance's estimate."""
        return np.array(
            [self._rows[scheme, unit]["scores"][algorithm][name] for unit in range(self.n_units)],
            dtype=float,
        )


def run(rows: Mapping[Job, Row], sizes: Mapping[int, int] = SIZES) -> list[Row]:
    """Return the findings of every study and algorithm, and which of its intervals cover."""
    bank = Bank(rows)
    scores = {
        (scheme, algorithm, name): bank.scores(scheme, algorithm, name)
        for scheme in SCHEMES
        for algorithm in ALGORITHMS
        for name in SCORES
    }
    of_values = [one for one in artefacts_of("continuous") if not one.of_file]
    keys = [key for key, one in ARTEFACTS.items() if one in of_values]
    p_values = ("rising_p", "falling_p", "up_direction_p", "down_direction_p")
    parts = ("sortability", *p_values, "up_gain", "down_gain")
    measures = {
        (scheme, key, part): _measure(bank, scheme, key, part)
        for scheme in SCHEMES
        for key in keys
        for part in parts
    }
    random = {
        (scheme, score): bank.measured(scheme, measure)
        for scheme in SCHEMES
        for score, measure in RANDOM_MEANS.items()
    }
    found = []
    for size, count in sizes.items():
        if size > bank.n_units:
            continue
        for study in range(count):
            chosen = stream(SEED, "study", size, study).choice(bank.n_units, size, replace=False)
            kinds = _schemes(measures, keys, parts, chosen)
            for algorithm in ALGORITHMS:
                judged = judge_algorithm(_evidence(scores, random, algorithm, kinds, chosen))
                found.append(
                    {
                        "size": size,
                        "study": study,
                        "algorithm": algorithm,
                        "findings": list(judged.kinds),
                        "covers": _covers(scores, random, algorithm, chosen),
                        "schemes": kinds,
                    }
                )
    return found


def _measure(bank: Bank, scheme: str, key: str, part: str) -> Vector:
    if part == "sortability":
        return bank.measured(scheme, sortability_column(key))
    if part.endswith("_gain"):
        reached = bank.measured(scheme, column(key, part.replace("_gain", "_direction")))
        return reached - bank.measured(scheme, RANDOM_DIRECTION)
    return bank.measured(scheme, column(key, part))


def _schemes(
    measures: Mapping[tuple[str, str, str], Vector],
    keys: list[str],
    parts: tuple[str, ...],
    chosen: np.ndarray,
) -> dict[str, FindingKind]:
    """Return the gravest finding on each scheme."""
    kinds = {}
    for scheme in SCHEMES:
        evidence = {
            ARTEFACTS[key]: OrderEvidence(*(measures[scheme, key, part][chosen] for part in parts))
            for key in keys
        }
        claims = judge_orders(evidence)
        kinds[scheme] = min((claim.kind for claim in claims), key=ORDER_KINDS.index)
    return kinds


def _evidence(
    scores: Mapping[tuple[str, str, str], Vector],
    random: Mapping[tuple[str, str], Vector],
    algorithm: str,
    kinds: Mapping[str, FindingKind],
    chosen: np.ndarray,
) -> AlgorithmEvidence:
    def one(scheme: str, name: str) -> Vector:
        return scores[scheme, algorithm, name][chosen]

    def gain(scheme: str, name: str) -> Vector:
        return one(scheme, name) - random[scheme, name][chosen]

    leads = {
        scheme: LeadEvidence(
            one(scheme, "direction_score"),
            one(scheme, "direction_p"),
            gain(scheme, "direction_score"),
            one(scheme, "skeleton_f1_p"),
            one(scheme, "skeleton_p"),
            gain(scheme, "skeleton_f1"),
        )
        for scheme in SCHEMES
    }
    free = [scheme for scheme, kind in kinds.items() if kind == FindingKind.NO_EVIDENCE]
    gamed = [scheme for scheme, kind in kinds.items() if kind != FindingKind.NO_EVIDENCE]
    falls = {scheme: leads[gamed[0]].gain - leads[scheme].gain for scheme in free} if gamed else {}
    scales = {
        base: ScaleEvidence(
            *(one(str(scheme), "f1") for scheme in (base, *others)),
            *(one(str(scheme), "order_score") for scheme in others[:2]),
        )
        for base, others in rescalings(SCHEMES).items()
    }
    return AlgorithmEvidence(leads, free, falls, scales)


def _covers(
    scores: Mapping[tuple[str, str, str], Vector],
    random: Mapping[tuple[str, str], Vector],
    algorithm: str,
    chosen: np.ndarray,
) -> dict[str, bool]:
    """Return whether the interval of the lead on each scheme holds the mean of the whole bank."""
    covers = {}
    for scheme in SCHEMES:
        gain = scores[scheme, algorithm, DIRECTION] - random[scheme, DIRECTION]
        interval = mean_with_interval(gain[chosen], np.arange(len(chosen)))
        covers[scheme] = bool(interval.low <= gain.mean() <= interval.high)
    return covers
