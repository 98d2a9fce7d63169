"""The words of the benchmark."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import machine, programme
from bench.environments import ENVIRONMENTS
from bench.measuring import FULL, QUICK, Effort, Result, measure
from bench.places import cache_folder
from bench.rows import Row
from bench.session import Session
from bench.statistics import Line, lines
from bench.table import EXPLANATION, page


def tell(text: str) -> None:
    """Print a line at once."""
    print(text, file=sys.stderr, flush=True)


def chosen(only: Sequence[str], effort: Effort) -> list[Row]:
    """Return the rows that are to run, in order."""
    found = [row for row in programme.rows() if effort.long or not row.long]
    if not only:
        return found
    known = {name for row in programme.rows() for name in (row.job, row.name)}
    if unknown := sorted(set(only) - known):
        raise SystemExit(f"there is no row {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return [row for row in programme.rows() if row.job in only or row.name in only]


def compare(effort: Effort, only: Sequence[str], out: Path | None) -> None:
    """Run the rows and write the table, the picture and all timings."""
    about = machine.facts()
    found: list[tuple[Row, list[Result]]] = []
    with TemporaryDirectory() as folder, Session(cache_folder()) as session:
        for row in chosen(only, effort):
            found.append((row, measure(row, session, effort, Path(folder), tell)))
        versions = peer_versions(session)
    written = [line for row, results in found for line in lines(row, results, versions)]
    explanation = EXPLANATION.format(slow=effort.slow, limit=effort.limit)
    text = page(written, about, explanation, absences(found))
    keep(found, about, versions)
    if out is None:
        print(text)
        return
    (out / "images").mkdir(parents=True, exist_ok=True)
    (out / "speed.md").write_text(text)
    draw(written, out / "images" / "speed.svg")


def draw(written: Sequence[Line], path: Path) -> None:
    """Draw the picture; Altair is slow to import."""
    from bench.picture import ratios  # noqa: PLC0415

    path.write_text(ratios(written))


def peer_versions(session: Session) -> dict[str, str]:
    """Return the version of each peer by the name that the table has for it."""
    packages = {
        "CausalDisco": ("causaldisco", "causaldisco"),
        "gadjid": ("gadjid", "gadjid"),
        "ges": ("ges", "ges"),
        "gies": ("ges", "gies"),
        "sempler": ("ges", "sempler"),
        "causal-learn": ("causal-learn", "causal-learn"),
        "lingam": ("lingam", "lingam"),
        "pgmpy": ("pgmpy", "pgmpy"),
        "xges": ("xges", "xges"),
        "DAGMA": ("torch", "dagma"),
        "gcastle NOTEARS": ("torch", "gcastle"),
        "gcastle GOLEM": ("torch", "gcastle"),
        "gcastle (data only)": ("torch", "gcastle"),
    }
    found = {"Tetrad PC": "7.6.3", "Tetrad FGES": "7.6.3"}
    for name, (environment, package) in packages.items():
        installed = session.installed.get(environment)
        if installed is not None and installed.versions:
            found[name] = installed.versions.get(package, "")
    return found


def absences(found: Sequence[tuple[Row, list[Result]]]) -> list[str]:
    """Return a sentence for each peer that did not run."""
    return [
        f"{result.name} ({row.title}, d = {row.size}): {result.trouble}"
        for row, results in found
        for result in results
        if result.trouble
    ]


def keep(
    found: Sequence[tuple[Row, list[Result]]], about: dict[str, str], versions: dict[str, str]
) -> None:
    """Write every timing beside the environments."""
    record = {
        "machine": about,
        "versions": versions,
        "rows": {row.name: [asdict(result) for result in results] for row, results in found},
    }
    path = cache_folder() / f"timings-{about['date'].replace(' ', '-').replace(':', '')}.json"
    path.write_text(json.dumps(record, indent=1))
    tell(f"all timings: {path}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the words and do what they say."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    words = parser.add_subparsers(dest="word", required=True)
    for word, text in (
        ("quick", "the quick rows, three seeds, at most ten minutes"),
        ("full", "all rows, five seeds, long peers"),
    ):
        one = words.add_parser(word, help=text)
        one.add_argument("--only", action="append", default=[], metavar="ROW")
        one.add_argument("--out", type=Path, help="the folder for speed.md and images/speed.svg")
    words.add_parser("install", help="make the peers' environments")
    stated = parser.parse_args(arguments)
    match stated.word:
        case "install":
            with Session(cache_folder()) as session:
                for name in ENVIRONMENTS:
                    tell(f"{name}: {session.find(name).reason or 'ready'}")
        case word:
            compare(QUICK if word == "quick" else FULL, stated.only, stated.out)


if __name__ == "__main__":
    main()
