"""Data sets under regimes, problems (data and true graph), and the files that hold them."""

from causalassay.common.opening import ReadingNote
from causalassay.data.dataset import Dataset, World
from causalassay.data.kinds import ColumnKind, Continuous, Discrete
from causalassay.data.problem import Problem
from causalassay.data.reading import as_dataset, read
from causalassay.data.regime import Regime
from causalassay.data.sachs import chamber, sachs
from causalassay.data.writing import write

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
