"""Numbers that compare an estimated graph with the true one."""

from causalassay.metrics.structure import f1, precision, recall, shd

__all__ = ["f1", "precision", "recall", "shd"]
