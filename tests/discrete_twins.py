"""Slow and obvious twins for discrete data: enumeration of joint laws, sums over all cells."""

from itertools import product
from math import lgamma, log

import numpy as np
from scipy.stats import chi2, chi2_contingency

from causalassay.data import Dataset, Discrete, Regime

DOG = """// A comment
network "dog problem" { property author = "somebody; else" ; }
/* a longer
   comment */
variable "family-out" { type discrete [2] { "true" "false" }; property position = (1, 2); }
variable bowel{type discrete[2]{true,false};}
variable   dog-out { //size
  type discrete [ 3 ] { <5, 5-12,
     12+ };
}
probability(family-out){table 0.15 0.85;}
probability ( bowel ) { table 1e-2, .99; }
probability ( dog-out | bowel, family-out ) {
  (true, true) 0.9, 0.1, 0;
  default 0.2, 0.3, 0.5;
  (false, true) 0.3333333, 0.3333333, 0.3333333;
}
"""
"""A network in the loosest spelling that the format allows."""

ASIA = """network unknown {
}
variable a {
  type discrete [ 2 ] { yes, no };
}
variable b {
  type discrete [ 2 ] { yes, no };
}
probability ( b ) {
  table 0.01, 0.99;
}
probability ( a | b ) {
  (yes) 0.6, 0.4;
  (no) 0.3, 0.7;
}
"""
"""A network of two nodes, b → a, as the bnlearn repository writes it."""


def slow_joint(model, intervention=()):
    """The probability of each configuration, by the chain rule, with the node's law replaced."""
    laws = {action.node: action for action in intervention}
    result = np.zeros(model.n_levels)
    for codes in product(*map(range, model.n_levels)):
        p = 1.0
        for node, table in enumerate(model.tables):
            if node not in laws:
                p *= table[tuple(codes[k] for k in model.parents(node)) + (codes[node],)]
            elif hasattr(laws[node], "value"):
                p *= float(codes[node] == laws[node].value)
            else:
                given = laws[node].probabilities
                p *= 1 / model.n_levels[node] if given is None else given[codes[node]]
        result[codes] = p
    return result


def slow_marginal(joint, node):
    return joint.sum(axis=tuple(k for k in range(joint.ndim) if k != node))


def slow_tv(truth, fitted, codes):
    """The sum over ordered pairs of half the L1 distance under do."""
    from causalassay.models import Do

    total = 0.0
    for i, code in enumerate(codes):
        laws = [slow_joint(model, (Do(i, code),)) for model in (truth, fitted)]
        for j in range(len(codes)):
            if j != i:
                p, q = (slow_marginal(law, j) for law in laws)
                total += np.abs(p - q).sum() / 2
    return total


def slow_g(codes, n_levels, x, y, given):
    """G and its degrees of freedom, a stratum at a time, by scipy; `codes` has shape (n, d)."""
    total = 0.0
    for stratum in product(*(range(n_levels[z]) for z in given)):
        rows = np.all([codes[:, z] == k for z, k in zip(given, stratum, strict=True)], axis=0)
        chosen = codes[rows] if given else codes
        table = np.zeros((n_levels[x], n_levels[y]))
        np.add.at(table, (chosen[:, x].astype(int), chosen[:, y].astype(int)), 1)
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        if min(table.shape, default=0) > 1:
            test = chi2_contingency(table, correction=False, lambda_="log-likelihood")
            total += test.statistic
    strata = np.prod([n_levels[z] for z in given])
    return total, (n_levels[x] - 1) * (n_levels[y] - 1) * strata


def slow_minus_log_p(codes, n_levels, x, y, given):
    g, degrees = slow_g(codes, n_levels, x, y, given)
    return -chi2.logsf(g, degrees)


def _counts(codes, n_levels, node, parents):
    for configuration in product(*(range(n_levels[p]) for p in parents)):
        rows = np.ones(len(codes), dtype=bool)
        for p, k in zip(parents, configuration, strict=True):
            rows &= codes[:, p] == k
        yield [int((codes[rows, node] == k).sum()) for k in range(n_levels[node])]


def slow_bic(codes, n_levels, node, parents, discount=1.0):
    likelihood = sum(
        n * log(n / sum(row)) for row in _counts(codes, n_levels, node, parents) for n in row if n
    )
    free = (n_levels[node] - 1) * np.prod([n_levels[p] for p in parents])
    return likelihood - discount * log(len(codes)) / 2 * free


def slow_bdeu(codes, n_levels, node, parents, size):
    """Heckerman, Geiger, Chickering (1995), equation 28, over all cells."""
    q, r = np.prod([n_levels[p] for p in parents]), n_levels[node]
    total = 0.0
    for row in _counts(codes, n_levels, node, parents):
        total += lgamma(size / q) - lgamma(size / q + sum(row))
        total += sum(lgamma(size / (q * r) + n) - lgamma(size / (q * r)) for n in row)
    return total


def as_dataset(codes, n_levels):
    """Observational codes as a data set whose kinds have all levels."""
    kinds = tuple(Discrete(tuple(range(k))) for k in n_levels)
    columns = tuple(f"x{j}" for j in range(len(n_levels)))
    return Dataset(columns, (Regime("observational", codes),), "observational", kinds)
