"""Slow and obvious twins of PC and MMHC, written after the papers."""

from itertools import combinations, permutations

import numpy as np
from scipy.stats import norm

from causalassay.graphs import is_dag


def values_with_correlation(correlation, n_samples, rng):
    """Gaussian values whose sample correlations are the given ones but for rounding."""
    noise = rng.normal(size=(n_samples, len(correlation)))
    orthogonal, _ = np.linalg.qr(noise - noise.mean(axis=0))
    return np.sqrt(n_samples) * orthogonal @ np.linalg.cholesky(correlation).T


def standard_z(correlation, n_samples, i, j, given):
    """Fisher's z of the partial correlation, times its scale."""
    nodes = [i, j, *given]
    precision = np.linalg.inv(correlation[np.ix_(nodes, nodes)])
    r = -precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1])
    return np.sqrt(n_samples - len(given) - 3) * abs(np.arctanh(r))


def slow_pc(correlation, n_samples, alpha, max_condition=None, *, stable=True):
    """PC with conflicts left alone and Meek's rules at once.

    PC-stable takes unions of separating sets, the original PC the first one.
    """
    d = len(correlation)
    find = _slow_skeleton if stable else _slow_skeleton_in_order
    skeleton, union = find(correlation, n_samples, alpha, max_condition)
    adjacent = {i: {j for j in range(d) if frozenset((i, j)) in skeleton} for i in range(d)}
    claims = set()
    for k in range(d):
        for i, j in combinations(sorted(adjacent[k]), 2):
            if j not in adjacent[i] and k not in union[frozenset((i, j))]:
                claims |= {(i, k), (j, k)}
    edges = {edge for i, j in map(sorted, skeleton) for edge in ((i, j), (j, i))}
    edges -= {(k, i) for i, k in claims if (k, i) not in claims}
    return _as_matrix(_slow_meek(edges, adjacent), d)


def _slow_skeleton(correlation, n_samples, alpha, max_condition):
    d, critical = len(correlation), norm.isf(alpha / 2)
    skeleton = {frozenset(pair) for pair in combinations(range(d), 2)}
    union = {pair: set() for pair in skeleton}
    for size in range(d - 1 if max_condition is None else max_condition + 1):
        if n_samples - size - 3 <= 0:
            break
        start = set(skeleton)
        for pair in start:
            i, j = sorted(pair)
            sets = set()
            for end in (i, j):
                near = [k for k in range(d) if frozenset((end, k)) in start and k not in pair]
                sets |= set(combinations(near, size))
            for given in sets:
                if standard_z(correlation, n_samples, i, j, given) <= critical:
                    skeleton.discard(pair)
                    union[pair] |= set(given)
    return skeleton, union


def _slow_skeleton_in_order(correlation, n_samples, alpha, max_condition):
    d, critical = len(correlation), norm.isf(alpha / 2)
    skeleton = {frozenset(pair) for pair in combinations(range(d), 2)}
    first = {pair: set() for pair in skeleton}

    def separating_set(i, j, size):
        near = [k for k in range(d) if frozenset((i, k)) in skeleton and k != j]
        for given in combinations(near, size):
            if standard_z(correlation, n_samples, i, j, given) <= critical:
                return set(given)
        return None

    for size in range(d - 1 if max_condition is None else max_condition + 1):
        if n_samples - size - 3 <= 0:
            break
        for i, j in permutations(range(d), 2):
            if frozenset((i, j)) in skeleton:
                found = separating_set(i, j, size)
                if found is not None:
                    skeleton.discard(frozenset((i, j)))
                    first[frozenset((i, j))] = found
    return skeleton, first


def _slow_meek(edges, adjacent):
    def arrow(a, b):
        return (a, b) in edges and (b, a) not in edges

    def line(a, b):
        return (a, b) in edges and (b, a) in edges

    def demanded(a, b):
        around = adjacent[a]
        return (
            any(arrow(c, a) and c not in adjacent[b] for c in around - {b})
            or any(arrow(a, c) and arrow(c, b) for c in around)
            or any(
                line(a, c) and line(a, k) and arrow(c, b) and arrow(k, b) and k not in adjacent[c]
                for c, k in combinations(sorted(around), 2)
            )
            or any(
                line(a, k) and arrow(k, c) and arrow(c, b) and k not in adjacent[b]
                for c in around
                for k in around - {b}
            )
        )

    while True:
        wanted = {(a, b) for a, b in edges if line(a, b) and demanded(a, b)}
        drop = {(b, a) for a, b in wanted if (b, a) not in wanted}
        if not drop:
            return edges
        edges = edges - drop


def _as_matrix(edges, d):
    graph = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        graph[i, j] = True
    return graph


def slow_mmpc(correlation, n_samples, alpha, max_condition=None):
    """Max-min parents and children (algorithms 1 and 2) with the symmetry correction."""
    d = len(correlation)
    result = [
        slow_one_sided_mmpc(correlation, n_samples, alpha, max_condition, t) for t in range(d)
    ]
    pairs = {(i, j) for i in range(d) for j in range(d) if j in result[i] and i in result[j]}
    return _as_matrix(pairs, d)


def slow_one_sided_mmpc(correlation, n_samples, alpha, max_condition, target):
    largest = n_samples - 4 if max_condition is None else min(max_condition, n_samples - 4)

    def association(node, among):
        """The least standardised z over all sets, 0 if some set makes the two independent."""
        sizes = range(min(len(among), largest) + 1)
        sets = [given for size in sizes for given in combinations(among, size)]
        least = min(standard_z(correlation, n_samples, node, target, given) for given in sets)
        return least if least > norm.isf(alpha / 2) else 0.0

    members = []
    while True:
        others = [k for k in range(len(correlation)) if k != target and k not in members]
        associations = [association(k, members) for k in others]
        if max(associations, default=0.0) == 0.0:
            break
        members.append(others[int(np.argmax(associations))])
    for node in list(members):
        if association(node, [k for k in members if k != node]) == 0.0:
            members.remove(node)
    return members


def slow_bic(values, graph, penalty_discount=1.0):
    """The Gaussian BIC from regressions on the data, less that of the empty graph."""
    n, centred, score = len(values), values - values.mean(axis=0), 0.0
    for node, parents in enumerate(graph.T):
        fitted, *_ = np.linalg.lstsq(centred[:, parents], centred[:, node], rcond=None)
        residual = centred[:, node] - centred[:, parents] @ fitted
        share = (residual @ residual) / (centred[:, node] @ centred[:, node])
        score -= 0.5 * n * np.log(share) + 0.5 * penalty_discount * np.log(n) * parents.sum()
    return score


def slow_climb(values, candidates, order, tabu=100, patience=15, tie=1e-9):
    """Tabu search by whole scores; of changes that tie the first along `order` is made."""
    graph = np.zeros_like(candidates)
    best, best_score, last, in_vain = graph, 0.0, [graph], 0
    while in_vain < patience:
        top, top_score = None, -np.inf
        for changed in _neighbours(graph, candidates, order):
            if any((changed == old).all() for old in last) or not is_dag(changed):
                continue
            score = slow_bic(values, changed)
            if score > top_score + tie * len(values):
                top, top_score = changed, score
        if top is None:
            break
        graph, last, in_vain = top, [*last, top][-tabu:], in_vain + 1
        if top_score > best_score + tie * len(values):
            best, best_score, in_vain = top, top_score, 0
    return best, best_score


def _neighbours(graph, candidates, order):
    """All graphs one edge away: deleted, reversed, added."""
    for i in order:
        for j in order:
            if candidates[i, j] and not graph[j, i]:
                toggled = graph.copy()
                toggled[i, j] = not graph[i, j]
                yield toggled
                if graph[i, j]:
                    reversed_ = toggled.copy()
                    reversed_[j, i] = True
                    yield reversed_
