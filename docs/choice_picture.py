"""Draws images/choose-sachs.svg and choose-sachs-moved.svg: python docs/choice_picture.py FILE.

FILE is what `causalassay choose sachs.csv … --json` prints (docs/your-data.md has the command).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from causalassay.choosing import Choice, charts
from causalassay.present.charts import static_svg

IMAGES = Path(__file__).parent / "images"


def on_white(svg: str) -> str:
    """Return a picture that is read on any page: dark letters on a white ground."""
    head, _, rest = svg.partition(">")
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return f'{head} color="#1b1f24">{ground}{rest}\n'


def main(printed: str) -> None:
    """Write both pictures."""
    choice = Choice.from_dict(json.loads(Path(printed).read_text(encoding="utf-8")))
    for name, picture in (
        ("choose-sachs.svg", static_svg(charts.risks(choice), charts.risks_alt(choice))),
        (
            "choose-sachs-moved.svg",
            static_svg(charts.movements(choice), charts.movements_alt(choice)),
        ),
    ):
        (IMAGES / name).write_text(on_white(picture), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
