"""Which differences the authors of a package know of: threads that were read, and no others."""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: Mapping[tuple[str, str], str] = {
    ("causal-learn-pc", "order"): "py-why/causal-learn issue 82, open",
    (
        "causal-learn-ica-lingam",
        "dag",
    ): "cdt15/lingam issue 53, closed: mended in lingam, not in this copy of it",
    (
        "gcastle-ica-lingam",
        "dag",
    ): "cdt15/lingam issue 53, closed: mended in lingam, not in this copy of it",
    ("causal-learn-boss", "class"): "no thread read; it has no backward phase",
    ("pgmpy-g", "numbers"): "no thread read on the correction; on the degrees of freedom "
    "pgmpy/pgmpy issue 2886, closed, and issue 2860, open",
    ("tetrad-boss", "class"): "the Javadoc of Boss says that the backward phase, which is off by "
    "default, is needed for correctness",
}
"""By method and check."""

REASONS: Mapping[tuple[str, str], str] = {
    ("gcastle-pc", "class"): "find_skeleton conditions on neighbours of the first node of a pair "
    "only, never on those of the second",
    ("gcastle-pc", "order"): "the same: which node is the first follows the columns",
    ("gcastle-ges-r2", "class"): "_bic_by_r2 is to be minimised, and the search maximises",
    ("gcastle-direct-lingam", "units"): "weights below 0.3 are dropped, in the units of the data",
    ("gcastle-bdeu", "numbers"): "the levels are those of a row, data[i], not of a column",
    (
        "gcastle-g",
        "numbers",
    ): "Yates's correction of tables with 2 rows and 2 columns, which is for Pearson's statistic",
    ("pgmpy-g", "numbers"): "Yates's correction of strata with 2 rows and 2 columns, which is for "
    "Pearson's statistic",
    (
        "causal-learn-ica-lingam",
        "dag",
    ): "one entry more is set to 0 before the first order is tried",
    ("gcastle-ica-lingam", "dag"): "one entry more is set to 0 before the first order is tried",
}
"""What the code of a package shows as the reason; only where it was read."""

LEFT_OUT: Mapping[str, str] = {
    "cdt 0.6.0 (MIT)": "its GIES, CAM and PC are R packages, and none is here; that its GIES does "
    "not take targets is FenTechSolutions/CausalDiscoveryToolbox issue 145, open",
    "dodiscover": "it is not on the package index",
    "tetrad-port 0.3.1 (MIT)": "it has no wheel, and its build fetches Eigen by git, which did not "
    "work here",
    "gies 0.0.1 with NumPy 1.24 or later": "every call raises an error: juangamella/gies issue 3, "
    "open; it is assayed with NumPy 1.23.5",
    "KCI, SID and adjustment distances": "no reference of their own here yet",
    "searches with gradients (gcastle, dagma)": "no theorem says what they return",
    "causal-learn BDeu on two columns": "its default prior of structures takes the logarithm of 0: "
    "two equal columns get no edge. py-why/causal-learn issue 249, closed, is about that prior",
}
"""What has no row, and why."""


def reason_of(method: str, check: str) -> str:
    """Return why a method differs, as its code reads; empty if the code was not read.

    Examples
    --------
    >>> reason_of("gcastle-ges-r2", "class")
    '_bic_by_r2 is to be minimised, and the search maximises'
    """
    return REASONS.get((method, check), "")


def known_to(method: str, check: str) -> str:
    """Return the thread in which a difference is discussed; empty if none was read.

    Examples
    --------
    >>> known_to("causal-learn-pc", "order")
    'py-why/causal-learn issue 82, open'
    """
    return KNOWN.get((method, check), "")
