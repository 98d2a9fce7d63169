"""Draws images/choose-sachs.svg and choose-sachs-moved.svg: python docs/choice_picture.py FILE.

FILE is what `causalassay choose sachs.csv … --json` prints (docs/your-data.md has the command).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from causalassay.present import Figure, flattened
from causalassay.present.charts import static_svg
from causalassay.risk.choosing import Choice

IMAGES = Path(__file__).parent / "images"


def main(printed: str) -> None:
    """Write both pictures."""
    choice = Choice.from_dict(json.loads(Path(printed).read_text(encoding="utf-8")))
    figures = {
        one.id: one for one in flattened(choice.document().blocks) if isinstance(one, Figure)
    }
    for name, figure in (("choose-sachs.svg", "risks"), ("choose-sachs-moved.svg", "moved")):
        picture = static_svg(figures[figure].spec(), figures[figure].alt, on_paper=True)
        (IMAGES / name).write_text(f"{picture}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
