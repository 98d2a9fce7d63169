"""What sentences call metrics, schemes and statistics."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.analysis.runs import FROM_FILE

METRIC_WORDS = {"f1": "F1", "shd": "SHD", "sid": "SID", "tv_dag": "TV"}
SCHEME_WORDS = {
    "raw": "raw data",
    "standardized": "standardized data",
    "iscm": "iSCM",
    "uumc": "UUMC",
    "dao": "DaO",
    FROM_FILE: "the data files",
}


def metric_word(metric: str) -> str:
    """Return what sentences call a metric.

    Examples
    --------
    >>> metric_word("shd"), metric_word("mec_shd")
    ('SHD', 'mec_shd')
    """
    return METRIC_WORDS.get(metric, metric)


def scheme_word(scheme: str) -> str:
    """Return what sentences call a scheme.

    Examples
    --------
    >>> scheme_word("raw"), scheme_word("raw + rescale")
    ('raw data', 'raw + rescale')
    >>> scheme_word("gp raw")
    'gp raw data'
    """
    *mechanism, kind = str(scheme).split(" ", 1)
    return " ".join([*mechanism, SCHEME_WORDS[kind]]) if kind in SCHEME_WORDS else str(scheme)


def in_words(parts: Sequence[str], last: str = "and") -> str:
    """Return the parts as an enumeration.

    Examples
    --------
    >>> in_words(["a", "b", "c"]), in_words(["a", "b"], "or"), in_words(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
