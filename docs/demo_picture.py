"""Draws images/demo.svg from the results of `make demo`: python docs/demo_picture.py demo."""

from __future__ import annotations

import sys
from pathlib import Path

import vl_convert

from causalassay.analysis import read
from causalassay.analysis.report.figures import OVERVIEW, gallery
from causalassay.present.charts import fitted

TARGET = Path(__file__).parent / "images" / "demo.svg"
WIDTH, HEIGHT = 720, 240


def main(results: str) -> None:
    """Write the first picture of the report, wide and low."""
    figure = next(one for one in gallery(read(results)).figures if one.kind == OVERVIEW)
    spec = fitted(figure.chart.to_dict(), WIDTH) | {"height": HEIGHT}
    TARGET.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
