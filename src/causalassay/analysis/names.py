"""How tables, figures and sentences write names: one way everywhere."""

from __future__ import annotations

from causalassay.analysis.runs import FROM_FILE

METRIC_PARTS = {
    "f1": "F1",
    "shd": "SHD",
    "sid": "SID",
    "aid": "AID",
    "oset": "Oset",
    "mec": "MEC",
    "tv": "TV",
    "r2": "R²",
}
"""Parts of a metric's name that are abbreviations."""
METRIC_NAMES = {"tv_dag": "TV"}
SCHEME_NAMES = {"iscm": "iSCM", "uumc": "UUMC", "dao": "DaO", "snr": "SNR", FROM_FILE: "data file"}
CHANGES = {
    "rescale-in-order": "rescaled in order",
    "rescale-at-random": "rescaled at random",
    "standardize": "standardized",
    "shuffle-labels": "with shuffled labels",
}
"""What a transform makes of a scheme."""


def metric_name(metric: str) -> str:
    """Return what tables and sentences call a metric.

    Examples
    --------
    >>> metric_name("shd"), metric_name("mec_shd"), metric_name("tv_dag"), metric_name("recall")
    ('SHD', 'MEC SHD', 'TV', 'recall')
    >>> metric_name("skeleton_f1"), metric_name("my score")
    ('skeleton F1', 'my score')
    """
    if metric in METRIC_NAMES:
        return METRIC_NAMES[metric]
    parts = metric.split("_")
    if not any(part in METRIC_PARTS for part in parts):
        return metric
    return " ".join(METRIC_PARTS.get(part, part) for part in parts)


def scheme_name(scheme: object) -> str:
    """Return what tables and sentences call a scheme.

    Examples
    --------
    >>> scheme_name("raw"), scheme_name("iscm"), scheme_name("gp raw"), scheme_name("var uumc")
    ('raw', 'iSCM', 'gp raw', 'var UUMC')
    >>> scheme_name("raw + rescale-in-order"), scheme_name("mine.csv + standardize")
    ('raw rescaled in order', 'mine.csv standardized')
    >>> scheme_name(None)
    'no scheme'
    """
    if not isinstance(scheme, str):
        return "no scheme"
    kind, *changes = scheme.split(" + ")
    words = " ".join(SCHEME_NAMES.get(word, word) for word in kind.split(" "))
    return " ".join([words, *(CHANGES.get(change, f"+ {change}") for change in changes)])


def problem_name(problem: str) -> str:
    """Return what tables call a problem: study files write `scm` for raw data.

    Examples
    --------
    >>> problem_name("erdos-renyi-20-2 scm"), problem_name("erdos-renyi-20-2 iscm")
    ('erdos-renyi-20-2 raw', 'erdos-renyi-20-2 iSCM')
    """
    names = SCHEME_NAMES | {"scm": "raw"}
    return " ".join(names.get(word, word) for word in problem.split(" "))
