"""`make choice-proof`: on systems with known truth, how well `choose` chooses, and how it errs.

It can be stopped at any time: what was computed is kept in the folder and not computed again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration import choice_error_rates, choice_errors, choice_page, choice_systems


def main() -> None:
    """Run the systems, and write the sections of the page and the rates that output cites."""
    parser = argparse.ArgumentParser(prog="python -m calibration.choice", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("calibration/results"))
    parser.add_argument("--systems", type=int, default=choice_systems.N_SYSTEMS)
    parser.add_argument("--rule-systems", type=int, default=choice_errors.N_SYSTEMS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cell", default="system", help="another name draws other systems")
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    stated = parser.parse_args()
    rows = choice_systems.run(stated.folder, stated.systems, stated.workers, stated.cell)
    choice_page.write(stated.docs, rows)
    said = choice_errors.run(stated.folder, stated.rule_systems, stated.workers)
    choice_error_rates.write(stated.docs, said)
    print(f"{len(rows)} and {len(said)} systems: {stated.docs / 'your-data.md'}")  # noqa: T201


if __name__ == "__main__":
    main()
