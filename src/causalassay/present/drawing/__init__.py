"""Draw graphs as SVG, in layers, on a circle or as a matrix; the same on every machine."""

from causalassay.present.drawing.drawing import Drawing, show

__all__ = ["Drawing", "show"]
