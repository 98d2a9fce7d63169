"""Data sets under regimes, problems (data and true graph), and the files that hold them."""

from causalassay.common.files import ReadingNote
from causalassay.data.dataset import Dataset, Regime, World
from causalassay.data.files import as_dataset, read, write
from causalassay.data.kinds import ColumnKind, Continuous, Discrete
from causalassay.data.problem import Problem, chamber, sachs

__all__ = [
    "ColumnKind",
    "Continuous",
    "Dataset",
    "Discrete",
    "Problem",
    "ReadingNote",
    "Regime",
    "World",
    "as_dataset",
    "chamber",
    "read",
    "sachs",
    "write",
]
