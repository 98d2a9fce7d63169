"""Slow twins of the graph algorithms: written from the definitions, for few nodes."""

import itertools

import numpy as np


def is_acyclic(graph):
    """No walk is as long as the number of nodes."""
    power = np.linalg.matrix_power(graph.astype(np.int64), len(graph))
    return not power.any()


def reachability_by_powers(graph):
    power = reach = graph.astype(int)
    for _ in range(len(graph)):
        power = (power @ graph > 0).astype(int)
        reach = reach | power
    return reach > 0


def path_counts_by_powers(graph):
    power = graph.astype(int)
    total = power.copy()
    for _ in range(len(graph)):
        power = (power @ graph > 0).astype(int)
        total += power
    return total


def d_separated_by_paths(dag, i, j, given):
    """Every path of the skeleton from i to j has a blocked node."""
    adjacent = dag | dag.T
    below = reachability_by_powers(dag) | np.eye(len(dag), dtype=bool)

    def is_open(before, node, after):
        if dag[before, node] and dag[after, node]:
            return below[node, list(given)].any()
        return node not in given

    def some_open_path(path):
        if path[-1] == j:
            return True
        for following in np.flatnonzero(adjacent[path[-1]]).tolist():
            if following in path or not (len(path) == 1 or is_open(*path[-2:], following)):
                continue
            if some_open_path([*path, following]):
                return True
        return False

    return not some_open_path([i])


def v_structures_by_triples(graph):
    arrow = graph & ~graph.T
    return {
        (i, k, j)
        for i, k, j in itertools.permutations(range(len(graph)), 3)
        if i < j and arrow[i, k] and arrow[j, k] and not graph[i, j] and not graph[j, i]
    }


def demanded_by_rules(graph, rules=(1, 2, 3, 4)):
    """The ordered pairs (a, b) with a—b that one of Meek's rules turns into a→b."""
    nodes = range(len(graph))
    arrow, line = graph & ~graph.T, graph & graph.T
    apart = ~(graph | graph.T)
    fires = {
        1: lambda a, b: any(arrow[c, a] and apart[c, b] for c in nodes),
        2: lambda a, b: any(arrow[a, c] and arrow[c, b] for c in nodes),
        3: lambda a, b: any(
            line[a, c] and line[a, k] and arrow[c, b] and arrow[k, b] and apart[c, k]
            for c, k in itertools.permutations(nodes, 2)
        ),
        4: lambda a, b: any(
            line[a, k] and arrow[k, c] and arrow[c, b] and not apart[a, c] and apart[k, b]
            for c, k in itertools.permutations(nodes, 2)
        ),
    }
    return {
        (a, b) for a, b in np.argwhere(line).tolist() if any(fires[rule](a, b) for rule in rules)
    }


def meek_closure_by_rounds(graph):
    graph = graph.copy()
    while True:
        demanded = demanded_by_rules(graph)
        decided = [(a, b) for a, b in demanded if (b, a) not in demanded]
        if not decided:
            return graph
        for a, b in decided:
            graph[b, a] = False


def cpdag_by_rules(dag):
    """Skeleton and v-structures, then Meek's rules 1 to 3, one edge at a time."""
    graph = dag | dag.T
    for i, k, j in v_structures_by_triples(dag):
        graph[k, i] = graph[k, j] = False
    while demanded := demanded_by_rules(graph, rules=(1, 2, 3)):
        a, b = min(demanded)
        graph[b, a] = False
    return graph


def orientations(graph):
    """All DAGs that direct the undirected edges of a graph."""
    arrow = graph & ~graph.T
    lines = np.argwhere(np.triu(graph & graph.T)).tolist()
    for flips in itertools.product((False, True), repeat=len(lines)):
        dag = arrow.copy()
        for (a, b), flip in zip(lines, flips, strict=True):
            dag[(b, a) if flip else (a, b)] = True
        if is_acyclic(dag):
            yield dag


def extensions(pdag):
    """All DAGs with the skeleton, the arrows and the v-structures of a PDAG."""
    expected = v_structures_by_triples(pdag)
    return [dag for dag in orientations(pdag) if v_structures_by_triples(dag) == expected]


def equivalence_class(dag):
    """All DAGs with the skeleton and the v-structures of a DAG."""
    expected = v_structures_by_triples(dag)
    both = dag | dag.T
    return [other for other in orientations(both) if v_structures_by_triples(other) == expected]


def all_pdags(n_nodes):
    """Every graph in which each pair has no edge, an arrow either way, or a line."""
    pairs = list(itertools.combinations(range(n_nodes), 2))
    for states in itertools.product(range(4), repeat=len(pairs)):
        graph = np.zeros((n_nodes, n_nodes), dtype=bool)
        for (i, j), state in zip(pairs, states, strict=True):
            graph[i, j], graph[j, i] = state & 1, state & 2
        yield graph


def as_set(graphs):
    return {graph.tobytes() for graph in graphs}
