"""What the intervention distances satisfy, and their slow twins for few nodes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from causalassay.graphs import enumerate_dags, mec_size, to_cpdag, topological_order
from causalassay.graphs.chordal import clique_tree, members, neighbour_masks
from causalassay.graphs.classes import every_order
from causalassay.metrics import (
    ancestor_aid,
    mec_sid,
    oset_aid,
    parent_aid,
    sid,
    sid_bounds,
    sid_normalized,
    sid_penalized,
)
from causalassay.metrics.intervention_distance import range_of_sums
from graph_twins import reachability_by_powers
from strategies import chordal_graphs, cpdags, dags, permutations_of, rngs

AIDS = (parent_aid, ancestor_aid, oset_aid)
many = settings(max_examples=150)


@st.composite
def dag_pairs(draw, max_nodes=8):
    truth = draw(dags(max_nodes=max_nodes))
    return truth, draw(dags(min_nodes=len(truth), max_nodes=len(truth)))


@st.composite
def truths_and_cpdags(draw, max_nodes=7):
    """A DAG and a CPDAG; half of these are wholly undirected, which random DAGs rarely give."""
    cpdag = draw(chordal_graphs(max_nodes=max_nodes) | cpdags(max_nodes=max_nodes))
    return draw(dags(min_nodes=len(cpdag), max_nodes=len(cpdag))), cpdag


def paths(adjacent, path, end):
    """All paths of an undirected graph that go on from `path` to `end`."""
    if path[-1] == end:
        yield path
        return
    for following in np.flatnonzero(adjacent[path[-1]]).tolist():
        if following not in path:
            yield from paths(adjacent, [*path, following], end)


def is_wrong(truth, i, j, adjusted):
    """METHODS C.1, word by word."""
    reach = reachability_by_powers(truth)
    below = reach | np.eye(len(truth), dtype=bool)
    if j in adjusted:
        return reach[i, j]
    if adjusted == set(np.flatnonzero(truth[:, i])):
        return False
    children = np.flatnonzero(truth[i])
    if any(below[c, j] and below[c, list(adjusted)].any() for c in children):
        return True

    def is_open(before, node, after):
        if truth[before, node] and truth[after, node]:
            return below[node, list(adjusted)].any()
        return node not in adjusted

    def is_directed(path):
        return all(truth[a, b] for a, b in zip(path, path[1:], strict=False))

    return any(
        all(is_open(*path[k - 1 : k + 2]) for k in range(1, len(path) - 1))
        for path in paths(truth | truth.T, [i], j)
        if not is_directed(path)
    )


def sid_by_paths(truth, guess):
    nodes = range(len(truth))
    parents = [set(np.flatnonzero(guess[:, i]).tolist()) for i in nodes]
    return sum(bool(is_wrong(truth, i, j, parents[i])) for i in nodes for j in nodes if i != j)


def sid_by_regression(truth, guess, rng):
    """Count the slopes, adjusted for the guessed parents, that are not the total effects.

    In a linear Gaussian model with random weights an invalid set shows in the slope.
    """
    d = len(truth)
    weights = np.where(truth, rng.uniform(0.5, 1.5, (d, d)) * rng.choice([-1, 1], (d, d)), 0.0)
    effects = np.linalg.inv(np.eye(d) - weights)
    covariance = effects.T @ np.diag(rng.uniform(0.5, 1.5, d)) @ effects
    wrong = 0
    for i in range(d):
        parents = np.flatnonzero(guess[:, i])
        used = [i, *parents.tolist()]
        for j in set(range(d)) - {i}:
            slope = 0.0
            if j not in used:
                slope = np.linalg.solve(covariance[np.ix_(used, used)], covariance[used, j])[0]
            wrong += abs(slope - effects[i, j]) > 1e-9
    return wrong


@settings(max_examples=100)
@given(dag_pairs(max_nodes=5))
def test_sid_equals_the_enumeration_of_paths(two):
    assert sid_by_paths(*two) == sid(*two)


@many
@given(dag_pairs(max_nodes=6), rngs())
def test_sid_counts_the_effects_that_a_linear_model_gets_wrong(two, rng):
    assert sid_by_regression(*two, rng) == sid(*two)


@given(dag_pairs())
def test_sid_is_between_zero_and_the_number_of_ordered_pairs(two):
    d = len(two[0])
    assert 0 <= sid(*two) <= d * (d - 1)
    assert sid(*two) <= sid_penalized(*two)
    if d > 1:
        assert sid(*two) / (d * (d - 1)) == sid_normalized(*two)


@given(dag_pairs())
def test_a_guess_with_all_true_edges_is_never_wrong(two):
    rank = np.argsort(topological_order(two[0]))
    forward = rank[:, None] < rank[None, :]
    added = (two[1] | two[1].T) & forward
    guess = two[0] | added
    assert 0 == sid(two[0], guess)
    assert int((added & ~two[0]).sum()) == sid_penalized(two[0], guess)
    assert [0, 0, 0] == [aid(two[0], guess) for aid in AIDS]
    assert 0 == mec_sid(two[0], guess).lower


@given(truths_and_cpdags())
def test_equal_graphs_have_no_distance(two):
    truth, cpdag = two
    assert 0 == sid(truth, truth) == sid_penalized(truth, truth)
    assert 0 == mec_sid(truth, truth).lower == mec_sid(truth, to_cpdag(truth)).lower
    for aid in AIDS:
        assert 0 == aid(truth, truth) == aid(cpdag, cpdag)


@given(dag_pairs())
def test_parent_aid_of_dags_is_sid(two):
    assert parent_aid(*two) == sid(*two)


@given(truths_and_cpdags(), st.data())
def test_relabelling_nodes_leaves_every_distance_unchanged(two, data):
    truth, cpdag = two
    guess = data.draw(dags(min_nodes=len(truth), max_nodes=len(truth)))
    label = data.draw(permutations_of(len(truth)))
    limit = data.draw(st.integers(0, 40))

    def renamed(graph):
        return graph[np.ix_(label, label)]

    for distance in (sid, sid_penalized, mec_sid, *AIDS):
        assert distance(truth, guess) == distance(renamed(truth), renamed(guess))
    for distance in (sid_bounds, mec_sid, *AIDS):
        assert distance(truth, cpdag) == distance(renamed(truth), renamed(cpdag))
    bounds = sid_bounds(truth, cpdag, limit), sid_bounds(renamed(truth), renamed(cpdag), limit)
    assert bounds[0] == bounds[1]
    assert bounds[0].exact == bounds[1].exact


@many
@given(truths_and_cpdags())
def test_bounds_are_the_distances_of_the_best_and_the_worst_member(two):
    truth, cpdag = two
    distances = [sid(truth, member) for member in enumerate_dags(cpdag)]
    bounds = sid_bounds(truth, cpdag)
    assert (min(distances), max(distances)) == bounds
    assert bounds.exact


@given(truths_and_cpdags(), st.integers(0, 60))
def test_bounds_beyond_the_limit_contain_the_exact_ones(two, limit):
    exact, bounds = sid_bounds(*two), sid_bounds(*two, max_parent_sets=limit)
    assert 0 <= bounds.lower <= exact.lower <= exact.upper <= bounds.upper
    assert bounds.upper <= len(two[0]) * (len(two[0]) - 1)
    if bounds.exact:
        assert exact == bounds


@many
@given(chordal_graphs(min_nodes=2, max_nodes=8), rngs())
def test_the_extreme_orientations_are_found_whatever_the_costs(graph, rng):
    """Costs need not be errors of adjustment: any function of a node and its parents will do."""
    assume(mec_size(graph) <= 2000)
    neighbours, everything = neighbour_masks(graph), (1 << len(graph)) - 1
    drawn = {}

    def cost(node, parents):
        return drawn.setdefault((node, parents), int(rng.integers(100)))

    sums = []
    for order in every_order(neighbours, everything):
        before, total = 0, 0
        for node in order:
            total += cost(node, neighbours[node] & before)
            before |= 1 << node
        sums.append(total)
    tree = clique_tree(neighbours, everything)
    expected = min(sums), max(sums)
    assert expected == range_of_sums(tree, [table(clique.nodes, cost) for clique in tree])


def table(clique, cost):
    """Costs of all nodes of a clique with all subsets of it, as `range_of_sums` reads them."""
    nodes = list(members(clique))
    costs = np.zeros((2 ** len(nodes), len(nodes)), dtype=np.int64)
    for subset in range(len(costs)):
        parents = sum(1 << node for m, node in enumerate(nodes) if subset >> m & 1)
        for m, node in enumerate(nodes):
            costs[subset, m] = -1000 if subset >> m & 1 else cost(node, parents)
    return costs


@pytest.mark.slow
@settings(max_examples=3000)
@given(truths_and_cpdags(max_nodes=9))
def test_bounds_of_up_to_nine_nodes(two):
    truth, cpdag = two
    assume(mec_size(cpdag) <= 5000)
    distances = [sid(truth, member) for member in enumerate_dags(cpdag)]
    assert (min(distances), max(distances)) == sid_bounds(truth, cpdag)
