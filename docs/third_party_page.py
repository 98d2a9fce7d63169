"""Writes the tables of docs/third-party.md and draws images/third-party.svg.

causalassay run examples/studies/third-party.toml --install
python docs/third_party_page.py examples/studies/third-party-results
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import vl_convert

from causalassay.analysis import Analysis, read
from causalassay.analysis.matrix import Cell, Column, Row
from causalassay.analysis.report.figures import gallery
from causalassay.environments.catalogue import EnvironmentDefinition, environments
from causalassay.judging.findings import FindingKind
from causalassay.present.charts import fitted
from causalassay.present.formatting import in_words

PAGE = Path(__file__).with_name("third-party.md")
PICTURE = Path(__file__).parent / "images" / "third-party.svg"
WIDTH = 700
PADDING = {"left": 24, "right": 8, "top": 6, "bottom": 8}  # left: room for wide fonts
_PART = re.compile(r"(<!-- (\w+): .* -->\n)(?:.*\n)*?(<!-- end of \2 -->)")


def claims(analysis: Analysis) -> str:
    """Return what the page says first: who leads without artefacts, and who needs them."""
    matrix, homes = analysis.matrix, _homes(analysis)
    rows = {row.algorithm: row for row in matrix.rows}
    free = [index for index, column in enumerate(matrix.columns) if column.free]
    others = [row for row in matrix.rows if row.algorithm in homes]
    on_units = [row for row in others if set(row.kinds) == {FindingKind.UNITS}]
    robust = [row for row in others if row.kind == FindingKind.ROBUST]
    best = [row for row in matrix.rows if all(row.cells[index].best for index in free)]
    where = in_words([matrix.columns[index].name for index in free])
    sorting = rows["var-sortnregress"]
    lines = [
        f"**Of {len(others)} algorithms of other packages, {len(robust)} keep a lead where no "
        f"artefact was found** ({where}). {_names(best)} are not distinguishable from the best "
        "there.",
        f"**{len(on_units)} depend on the units of the columns**: "
        f"{'; '.join(_along(row, analysis) for row in on_units)}.",
        f"**A baseline that sorts by variance and regresses falls like them**: "
        f"{_along(sorting, analysis)}.",
    ]
    return "".join(f"- {line}\n" for line in lines)


def scores(analysis: Analysis) -> str:
    """Return the matrix: mean F1 and SHD of each algorithm on each scheme, and the finding."""
    matrix, homes = analysis.matrix, _homes(analysis)
    heads = ["algorithm", "package", *(column.name for column in matrix.columns), "finding"]
    lines = [_line(heads), _line(["---"] * len(heads))]
    shd = analysis.summary.scores
    shd = shd[shd["metric"] == "shd"].set_index(["algorithm", "scheme"])["mean"]
    for row in sorted(matrix.rows, key=lambda row: row.role == "baseline"):
        cells = [
            f"{cell.mean:.2f}, {shd[row.algorithm, column.scheme]:.0f}"
            for cell, column in zip(row.cells, matrix.columns, strict=True)
        ]
        lines.append(_line([f"`{row.algorithm}`", _package(row, homes), *cells, row.finding]))
    return "".join(lines)


def sentences(analysis: Analysis) -> str:
    """Return what the report says of the schemes, and of the algorithms of other packages."""
    homes = _homes(analysis)
    of_schemes = [finding.text for finding in analysis.findings.schemes.values()]
    of_others = [
        finding.text
        for row in analysis.matrix.rows
        if row.algorithm in homes
        for finding in row.statements
    ]
    return "".join(f"- {one}\n" for one in (analysis.headline, *of_schemes, *of_others))


def counts(analysis: Analysis) -> str:
    """Return how many runs there are, what they took, and each reason of those that failed."""
    frame = analysis.table.frame
    homes = _homes(analysis)
    third = frame["algorithm"].astype(str).map(lambda name: name in homes)
    minutes = frame["seconds"].groupby(third).sum() / 60
    packages = {home.name for home in homes.values()}
    lines = [
        f"{len(frame)} runs: {len(set(frame['algorithm']))} algorithms, of which {len(homes)} from "
        f"{len(packages)} packages ({in_words(sorted(packages))}). Those of other packages took "
        f"{minutes[True]:.0f} min of wall time together, ours {minutes[False]:.1f} min.\n\n"
    ]
    lost = frame[frame["status"] != "ok"].groupby(["algorithm", "status", "reason"], observed=True)
    lines += [
        f"- `{name}`: {count} {status}: {reason}\n"
        for (name, status, reason), count in lost.size().items()
    ]
    return "".join(lines) + ("" if len(lines) > 1 else "All of them found a graph.\n")


def page(text: str, analysis: Analysis) -> str:
    """Return the text of the page with its parts as they are to be."""
    parts = {"claims": claims, "scores": scores, "sentences": sentences, "counts": counts}
    return _PART.sub(lambda found: found[1] + parts[found[2]](analysis) + found[3], text)


def picture(analysis: Analysis) -> str:
    """Return the report's figure of F1 on each scheme, as SVG."""
    figures = gallery(analysis).figures
    figure = next(one for one in figures if one.id == "schemes-f1")
    spec = fitted(figure.chart.to_dict(), WIDTH) | {"padding": PADDING}
    spec["config"] = spec.get("config", {}) | {"aria": False}  # a third of the size
    drawn: str = vl_convert.vegalite_to_svg(spec)
    return drawn


def _homes(analysis: Analysis) -> dict[str, EnvironmentDefinition]:
    """Return the environment of each algorithm of another package, by its name in the study."""
    named = {one.name: home for home in environments().values() for one in home.algorithms}
    uses = analysis.table.frame[["algorithm", "use"]].astype(str).drop_duplicates()
    return {name: named[use] for name, use in uses.itertuples(index=False) if use in named}


def _package(row: Row, homes: dict[str, EnvironmentDefinition]) -> str:
    if row.algorithm in homes:
        home = homes[row.algorithm]
        pin = next(pin for pin in home.pins if not pin.startswith("--")).replace("==", " ")
        return pin if pin.startswith(home.name) else f"{home.name} ({pin})"
    return "baseline" if row.role == "baseline" else "ours"


def _along(row: Row, analysis: Analysis) -> str:
    """Return the mean F1 of an algorithm on each scheme, in words."""
    cells = zip(row.cells, analysis.matrix.columns, strict=True)
    return f"`{row.algorithm}` (F1 {_listed(cells)})"


def _listed(cells: Iterable[tuple[Cell, Column]]) -> str:
    return ", ".join(f"{cell.mean:.2f} on {column.name}" for cell, column in cells)


def _names(rows: Sequence[Row]) -> str:
    return in_words([f"`{row.algorithm}`" for row in rows])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    found = read(sys.argv[1])
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    PICTURE.write_text(picture(found), encoding="utf-8")
