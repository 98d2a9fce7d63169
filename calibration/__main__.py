"""`make calibrate`: measure how often the judge is wrong, and write the page.

It can be stopped at any time: what was computed is kept in the folder and not computed again.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from calibration import audits, page, rates, risk_coverage, studies, study_bank
from calibration.rows_on_disk import compute


def main() -> None:
    """Run the calibration."""
    parser = argparse.ArgumentParser(prog="python -m calibration", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("calibration/results"))
    parser.add_argument("--audits", type=int, default=audits.N_AUDITS, help="audits of each cell")
    parser.add_argument(
        "--units", type=int, default=study_bank.N_UNITS, help="instances in the bank"
    )
    parser.add_argument("--sets", type=int, default=risk_coverage.N_SETS, help="data sets of risks")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument(
        "--cell",
        action="append",
        choices=audits.cells(),
        metavar="CELL",
        help="audit this kind of data only and print its rates; can be repeated",
    )
    stated = parser.parse_args()
    if stated.cell:
        _print_rates(stated.folder, stated.audits, stated.workers, stated.cell)
        return
    units = study_bank.run(stated.folder, stated.units, stated.workers)
    jobs = [(name, 0) for name, cell in audits.cells().items() if _may_be_free(name, cell)]
    means = compute(
        stated.folder / "sortability.jsonl", jobs, audits.sortability_row, stated.workers
    )
    audited = audits.run(stated.folder, stated.audits, stated.workers)
    free = [name for (name, _), row in means.items() if rates.is_free(row["mean"])]
    free += [name for name, cell in audits.cells().items() if cell.permuted]
    risks = risk_coverage.run(stated.folder, stated.sets, stated.workers)
    judged = studies.run(units)
    table = [
        *rates.audit_rates(audited, free),
        *rates.pool_rates(audited, free),
        *rates.study_rates(judged),
        *rates.scheme_rates(judged),
        *rates.coverage(judged),
        *rates.risk_rates(risks),
    ]
    sortabilities = {name: row["mean"] for (name, _), row in means.items()}
    sizes = page.Sizes(stated.audits, stated.units, stated.sets)
    page.write(stated.docs, table, sortabilities, sizes)
    print(f"{len(table)} rates: {stated.docs / 'calibration.md'}")  # noqa: T201


def _print_rates(folder: Path, n_audits: int, workers: int, names: Sequence[str]) -> None:
    """Print the rates of some kinds of data; the page needs all of them."""
    audited = audits.run(folder, n_audits, workers, names)
    free = [name for name in names if audits.cells()[name].permuted]
    for rate in [*rates.audit_rates(audited, free), *rates.pool_rates(audited, free)]:
        measured = f"{rate.count} of {rate.total}, {page.with_limits(rate)} %"
        print(f"{rate.cell}: {rate.what}: {measured}")  # noqa: T201


def _may_be_free(name: str, cell: audits.Cell) -> bool:
    changed = cell.permuted or cell.change is not None
    return cell.graph == "true" and not changed and "5 nodes" not in name


if __name__ == "__main__":
    main()
