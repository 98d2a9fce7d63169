"""The page of what pretrained models have seen: the generators of their training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from causalassay.judging.findings import GAMEABLE_KINDS
from causalassay.lab.hall import charts
from causalassay.lab.hall.document import counts_of, entry_blocks, provenance_blocks, slug
from causalassay.lab.hall.entry import Settings
from causalassay.lab.hall.row import Row
from causalassay.present import (
    Block,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Marked,
    Prose,
    Section,
    Spread,
    Table,
)

PICTURE = "hall-priors.svg"

PRIORS: Mapping[str, str] = {
    "avici-linear": "AVICI neurips-linear",
    "avici-linear-raw": "(before standardising)",
    "avici-rff": "AVICI neurips-rff",
    "avici-rff-raw": "(before standardising)",
    "avici-gene": "AVICI neurips-grn",
    "avici-scm-v0": "AVICI scm-v0",
}
"""The networks of others by the row of what they were trained on."""

BESIDE: Mapping[str, str] = {
    "linear-raw": "amortized raw",
    "linear-standardized": "amortized standardized",
    "linear-iscm": "amortized iscm",
    "linear-uumc": "amortized uumc",
    "iscm-linear": "none: the authors' iSCM",
    "uumcdata-uumc": "none: the authors' UUMC",
}
"""Networks of ours by a row of the same kind of system, and two schemes made to be fair."""

STATISTICS = {
    "variance": "variance",
    "R2": "R²",
    "kurtosis": "excess kurtosis",
    "skewness": "skewness",
}

NOT_HERE: Mapping[str, str] = {
    "CDFM": "cdfm-base, repository DMIRLAB-Group/CDFM at 9968160: the model and its weights, no "
    "generator of its training data; of the paper (arXiv:2607.11508) only the abstract could be "
    "read here.",
    "FoundCause": "repository amazon-science/foundcause at bf21a29: model and prediction, no "
    "generator; of the paper (arXiv:2606.17516) only the abstract could be read here.",
    "SEA": "repository rmwu/sea at bfb507b: models and training, no generator; the training data "
    "are a download (Zenodo 10611036) that was not taken here.",
    "CauScale": "repository OpenCausaLab/CauScale at 9d4766b has its generator, which its header "
    "says is an older one with changes by an author of SEA; no package can be installed, so that "
    "it has no row. Measured apart, with its own code and the settings of its first training "
    "script (20 nodes, 1000 observational rows, 20 data sets of each mechanism): gameable by "
    "variance, with sortability 0.91 (linear), 0.85 (nn) and 0.96 (nn_add); by R² too with two of "
    "them (0.66, 0.44, 0.73).",
}


def is_prior(row: Row) -> bool:
    """Tell whether a row is the training data of somebody's network."""
    return row.name in PRIORS


def priors_document(
    rows: Sequence[Row], settings: Settings, command: str = "", *, results: str = ""
) -> Document:
    """Return what pretrained models have seen, beside our own networks' systems.

    Parameters
    ----------
    rows : sequence of Row
        Those of other generators are passed over.
    settings, command, results
        As `reality_document` has them.
    """
    named = {row.name: row for row in rows}
    models = {**PRIORS, **BESIDE}
    chosen = [named[name] for name in models if name in named]
    theirs = [row for row in chosen if is_prior(row)]
    blocks: list[Block] = [
        *_picture(chosen, results),
        _table(chosen, models),
        Section("says", "What this says, and what not", [Prose(_MEANING)]),
        Section("absent", "Without a row", [Facts(dict(NOT_HERE))]),
    ]
    provenance: list[Block] = [
        *provenance_blocks(chosen, settings, command),
        Section(
            "each",
            "One by one",
            [Fold(row.name, entry_blocks(row), id=slug(row.name)) for row in theirs],
        ),
    ]
    headline = counts_of(theirs, "prior of a pretrained model", "priors of pretrained models")
    about = "the training data of pretrained models, audited as any generator"
    return Document("What pretrained models have seen", headline, blocks, provenance, about)


_MEANING = (
    "A network learns what its training data offer. If sorting by a statistic wins on them, the "
    "network may sort, too, and fail where the order is not given away; the row does not show "
    "that it does. Standardising, as AVICI does before its network sees a column, takes away the "
    "variance and leaves the rest. The broad network of ours was trained on a mixture that has no "
    "row; those of its single kinds are beside. That nothing is found is no proof that nothing "
    "is there."
)


def _picture(rows: Sequence[Row], results: str) -> list[Figure]:
    drawn = charts.drawn_rows(rows)
    if not drawn:
        return []
    alt = f"{len(drawn)} kinds of training data, by sortability by variance and by R²"
    caption = "Circles: generators of other packages; squares: schemes of ours."
    spec = partial(charts.by_variance_and_r2, rows)
    return [Figure("plane", spec, alt, caption, wide=True, file=f"{results}{PICTURE}")]


def _table(rows: Sequence[Row], models: Mapping[str, str]) -> Table:
    columns = (
        Column("model", "network"),
        Column("name", "training data"),
        Column("verdict", "verdict"),
        *(Column(key, f"by {word}", "fixed") for key, word in STATISTICS.items()),
        Column("direction", "direction score / random", "fixed"),
        Column("sorted_by", "best sorting"),
        Column("n_edges", "edges", "count"),
    )
    cells = [
        (
            models[row.name],
            Marked(row.name, link=f"#{slug(row.name)}" if is_prior(row) else ""),
            Marked(
                row.label,
                warns=row.verdict in GAMEABLE_KINDS,
                mark="borderline" if row.is_borderline else "",
            ),
            *(cell and Spread(cell.sortability, cell.spread) for cell in map(row.cell, STATISTICS)),
            (row.best_direction, row.random_direction),
            row.best_sorting[1],
            row.n_edges,
        )
        for row in rows
    ]
    caption = (
        "Mean sortability over the draws with its standard deviation (0.5 is chance), and what "
        "the best sorting reaches beside random orders."
    )
    return Table("priors", columns, cells, "Priors", caption)
