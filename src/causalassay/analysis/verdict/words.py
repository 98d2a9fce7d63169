"""What sentences call metrics, schemes and statistics."""

from __future__ import annotations

from collections.abc import Sequence

from causalassay.analysis.runs import FROM_FILE

METRIC_WORDS = {"f1": "F1", "shd": "SHD", "sid": "SID", "tv_dag": "TV"}
SCHEME_WORDS = {
    "raw": "raw data",
    "raw + rescale-in-order": "raw with other variances in order",
    "raw + rescale-at-random": "raw with other variances at random",
    "standardized": "standardized data",
    "iscm": "iSCM",
    "uumc": "UUMC",
    "dao": "DaO",
    FROM_FILE: "the data file",
    f"{FROM_FILE} + rescale-in-order": "the data file with other variances in order",
    f"{FROM_FILE} + rescale-at-random": "the data file with other variances at random",
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
    >>> scheme_word("gp raw"), scheme_word("gp raw + rescale-in-order")
    ('gp raw data', 'gp raw with other variances in order')
    """
    text = str(scheme)
    if text in SCHEME_WORDS:
        return SCHEME_WORDS[text]
    mechanism, _, kind = text.partition(" ")
    return f"{mechanism} {SCHEME_WORDS[kind]}" if kind in SCHEME_WORDS else text


def units_word(count: str) -> str:
    """Return so many units, as sentences say it.

    Examples
    --------
    >>> units_word("1"), units_word("12")
    ('1 unit', '12 units')
    """
    return f"{count} unit" if count == "1" else f"{count} units"


def in_words(parts: Sequence[str], last: str = "and") -> str:
    """Return the parts as an enumeration.

    Examples
    --------
    >>> in_words(["a", "b", "c"]), in_words(["a", "b"], "or"), in_words(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
