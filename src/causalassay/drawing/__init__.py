"""Graphs drawn as SVG: in layers, on a circle, as a matrix; the same on every machine."""

from causalassay.drawing.drawing import Drawing, show

__all__ = ["Drawing", "show"]
