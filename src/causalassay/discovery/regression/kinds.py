"""Which regression a method is to use."""

from __future__ import annotations

from typing import Literal

Regression = Literal["linear", "support-vector"]
"""Least squares, or support vector regression, which needs the extra ``nonlinear``."""
