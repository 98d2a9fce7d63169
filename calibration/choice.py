"""`make choice-proof`: on systems with known truth, how well an algorithm is chosen.

It can be stopped at any time: what was computed is kept in the folder and not computed again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration import choice_page, choice_systems


def main() -> None:
    """Run the systems and write the section of the page."""
    parser = argparse.ArgumentParser(prog="python -m calibration.choice", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("calibration/results"))
    parser.add_argument("--systems", type=int, default=choice_systems.N_SYSTEMS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    stated = parser.parse_args()
    rows = choice_systems.run(stated.folder, stated.systems, stated.workers)
    choice_page.write(stated.docs, rows)
    print(f"{len(rows)} systems: {stated.docs / 'your-data.md'}")  # noqa: T201


if __name__ == "__main__":
    main()
