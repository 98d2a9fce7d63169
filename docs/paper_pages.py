"""Copies the pages of reproduced papers into docs/papers, and counts them in docs/reproduce.md.

python docs/paper_pages.py reproduced [reproduced-fast]

Each paper has docs/papers/SLUG.md, its pictures and table.csv in docs/papers/SLUG, and a line
of the table between the two marks in docs/reproduce.md. `reproduced` is what
`causalassay reproduce all --size full` wrote. Items that are not in it are taken from the second
folder, with its size said.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from causalassay.lab.papers.charts import overview
from causalassay.present.charts import static_svg

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "papers"
SUMMARY = ROOT / "docs" / "reproduce.md"
BEGIN, END = "<!-- papers: docs/paper_pages.py writes this table -->", "<!-- end of papers -->"

_IMAGE = re.compile(r"^(!\[.*\]\()([^()/]+\.svg\))$", re.MULTILINE)
HEADS = ("paper", "published values", "computable", "agree or hold", "do not", "open", "not run")


def copy_page(folder: Path, others: Path | None = None) -> None:
    """Copy the page of one paper, its pictures and its table; items it lacks from another."""
    slug = folder.name
    beside = PAGES / slug
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for file in folder.glob("*.svg"):
        shutil.copyfile(file, beside / file.name)
    text = (folder / "page.md").read_text(encoding="utf-8")
    rows = read_table(folder)
    if others and (missing := _missing(rows, read_table(others))):
        text = _with_items(text, (others / "page.md").read_text(encoding="utf-8"), missing)
        rows += [row for row in read_table(others) if row["item"] in missing]
        for name in missing:
            if (others / f"{name}.svg").exists():
                shutil.copyfile(others / f"{name}.svg", beside / f"{name}.svg")
    (PAGES / f"{slug}.md").write_text(_IMAGE.sub(rf"\1{slug}/\2", text), encoding="utf-8")
    with (beside / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_table(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a paper's table."""
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _missing(rows: list[dict[str, str]], others: list[dict[str, str]]) -> list[str]:
    here = {row["item"] for row in rows}
    return list(dict.fromkeys(row["item"] for row in others if row["item"] not in here))


def _with_items(text: str, other: str, items: list[str]) -> str:
    """Return a page with the values of another one behind its own."""
    sections = {
        part.partition("\n")[0]: part.partition("\n## ")[0] for part in other.split("\n### ")[1:]
    }
    before, mark, after = text.partition("\n## Provenance")
    added = "".join(
        f"\n### {name}\n\nComputed with `--fast`: at full size it was not run.\n"
        f"{sections[name].partition(chr(10))[2].rstrip()}\n"
        for name in items
    )
    return f"{before.rstrip()}\n{added}{mark}{after}"


def outcomes(slug: str) -> Counter[str]:
    """Return how many values of a paper's page have each outcome."""
    return Counter(row["outcome"] for row in read_table(PAGES / slug))


def counts_table() -> str:
    """Return the table of all papers that have a page, with a line for their sum."""
    slugs = sorted(page.stem for page in PAGES.glob("*.md"))
    counts = {f"[{slug}](papers/{slug}.md)": outcomes(slug) for slug in slugs}
    counts["all"] = sum(counts.values(), Counter())
    rows = [_row(name, outcome) for name, outcome in counts.items()]
    lines = [HEADS, ("---",) * len(HEADS), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def draw_overview() -> None:
    """Draw the outcomes of all papers into docs/papers/overview.svg."""
    groups = {
        page.stem: [
            SimpleNamespace(outcome=row["outcome"], ours=None)
            for row in read_table(PAGES / page.stem)
        ]
        for page in sorted(PAGES.glob("*.md"))
    }
    drawn = static_svg(overview(groups), "All published values by outcome", on_paper=True)
    (PAGES / "overview.svg").write_text(drawn, encoding="utf-8")


def _row(name: str, of: Counter[str]) -> tuple[object, ...]:
    every = of.total()
    good, bad = of["agrees"] + of["holds"], of["disagrees"] + of["fails"]
    computable = every - of["not computed"] - of["other data"] - of["stand-in"]
    return name, every, computable, good, bad, of["open"], of["not run"]


def with_table(text: str) -> str:
    """Return the page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{counts_table()}\n{END}{after}"


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[1:]]
    for page in sorted(folders[0].glob("*/page.md")):
        other = folders[-1] / page.parent.name
        fallback = other if folders[1:] and (other / "table.csv").exists() else None
        copy_page(page.parent, fallback)
    draw_overview()
    SUMMARY.write_text(with_table(SUMMARY.read_text(encoding="utf-8")), encoding="utf-8")
