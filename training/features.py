"""What the network sees of a data set: thirteen numbers for each ordered pair of columns.

All are moments of standardised columns, so their number does not grow with the rows. The package
computes the same from numpy arrays; both follow one list, in the docstring of `of_columns`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

N_FEATURES = 13
RIDGE = 0.001
CLIP = 10.0


def of_columns(columns: Tensor, blind_to_scale: bool) -> Tensor:
    """Return the features, shape (systems, nodes, nodes, 13), in single precision.

    For the pair (i, j), z being the columns standardised with ddof 0 and C their correlations:
    0, C; 1, the partial correlation from the inverse P of C + 0.001 I (on the diagonal 1);
    2 and 3, tanh E[z_i² z_j] and its transpose; 4 and 5, tanh(E[z_i³ z_j] - 3 C) and its
    transpose; 6, tanh(E[z_i² z_j²] - 1 - 2 C²); 7 and 8, R² of i and of j on all other columns,
    1 - 1/P_ii; 9 and 10, half the log variance of i and of j, centred over the columns (0 where
    the prior is blind to scale); 11, (log n - log 1000) / 2; 12, whether i is j. In 2 to 6 z is
    clipped at ±10.

    Parameters
    ----------
    columns : Tensor
        Data, shape (systems, nodes, rows).
    blind_to_scale : bool
        Whether the variances are left out.
    """
    n_systems, n_nodes, n_rows = columns.shape
    device = columns.device
    variance, mean = torch.var_mean(columns, 2, correction=0, keepdim=True)
    z = (columns - mean) * variance.rsqrt()
    identity = torch.eye(n_nodes, device=device)
    correlation = torch.bmm(z, z.mT) / n_rows
    factor, _ = torch.linalg.cholesky_ex(correlation + RIDGE * identity)
    inverse_factor = torch.linalg.solve_triangular(factor, identity.expand_as(factor), upper=False)
    precision = torch.bmm(inverse_factor.mT, inverse_factor)
    diagonal = precision.diagonal(dim1=1, dim2=2)
    root = diagonal.rsqrt()
    partial = -precision * root[:, :, None] * root[:, None, :]
    partial = torch.where(identity > 0, 1.0, partial)
    clipped = z.clamp(-CLIP, CLIP)
    square = clipped.square()
    skew = torch.tanh(torch.bmm(square, clipped.mT) / n_rows)
    cubes = torch.bmm(square * clipped, clipped.mT) / n_rows
    tails = torch.tanh(cubes - 3 * correlation)
    squares = torch.bmm(square, square.mT) / n_rows
    both = torch.tanh(squares - 1 - 2 * correlation.square())
    r2 = (1 - 1 / diagonal).clamp(0, 1)
    scale = torch.zeros_like(r2)
    if not blind_to_scale:
        log_variance = variance.squeeze(2).log()
        scale = (log_variance - log_variance.mean(1, keepdim=True)) / 2
    size = (n_systems, n_nodes, n_nodes)
    rows = torch.full(size, (math.log(n_rows) - math.log(1000)) / 2, device=device)
    channels = [correlation, partial, skew, skew.mT, tails, tails.mT, both]
    for of_column in (r2, scale):
        channels += [of_column[:, :, None].expand(size), of_column[:, None, :].expand(size)]
    return torch.stack([*channels, rows, identity.expand(size)], 3)
