"""Slow twins of searches over equivalence classes: members are changed and whole graphs scored."""

import itertools

import numpy as np

from causalassay.graphs import to_cpdag, to_interventional_cpdag
from graph_twins import extensions, is_acyclic


def changed(dag, phase):
    """All DAGs that one edge more, one less or one turned makes."""
    for i, j in itertools.permutations(range(len(dag)), 2):
        other = dag.copy()
        if phase == "forward" and not dag[i, j] and not dag[j, i]:
            other[i, j] = True
        elif phase == "backward" and dag[i, j]:
            other[i, j] = False
        elif phase == "turning" and dag[i, j]:
            other[i, j], other[j, i] = False, True
        else:
            continue
        if is_acyclic(other):
            yield other


def classes_beside(graph, phase, targets):
    """The essential graphs of all changed members of a class, but for the class itself."""
    beside = {}
    for member in extensions(graph):
        for other in changed(member, phase):
            essential = to_interventional_cpdag(other, targets)
            beside[essential.tobytes()] = essential
    beside.pop(graph.tobytes(), None)
    return list(beside.values())


def all_classes(n_nodes):
    """Every CPDAG, by way of every DAG."""
    pairs = list(itertools.combinations(range(n_nodes), 2))
    classes = {}
    for states in itertools.product(range(3), repeat=len(pairs)):
        dag = np.zeros((n_nodes, n_nodes), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            dag[i, j], dag[j, i] = state == 1, state == 2
        if is_acyclic(dag):
            cpdag = to_cpdag(dag)
            classes[cpdag.tobytes()] = cpdag
    return list(classes.values())
