"""The table of checks: what is asked of a method, of which methods, and what is right."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from causalassay.common.arrays import Adjacency, Values
from causalassay.graphs import to_cpdag
from causalassay.lab.hall.implementations import numbers
from causalassay.lab.hall.implementations.exact import ROWS, Case, cases, class_of, is_acyclic
from causalassay.lab.hall.implementations.hidden import hidden_cases
from causalassay.lab.hall.implementations.methods import Asker, Method, Reply
from causalassay.present.formatting import counted

Verdict = Literal["as its paper says", "differs", "crashes", "no promise"]

LEAST_WEIGHT = 0.1
"""Of methods with weights, those below it are no edges: all true ones are at least 0.4."""

NODES, FEW_ROWS = 8, 300
MOST_NODES, TARGET_ROWS = 5, 50_000
"""Of the graphs on which one node is acted upon; rows of each of the two samples."""
LONGEST = 160
"""Letters of what a package raised that are shown."""


@dataclass(frozen=True)
class Result:
    """What came of a check.

    Parameters
    ----------
    verdict : {"as its paper says", "differs", "crashes", "no promise"}
        The last: the paper promises nothing here, and the count is for information.
    count : str
        In a few letters, for the picture.
    text : str
        On what it differs, by how much.
    lines : tuple of str
        Python that shows the difference; empty if there is none.
    """

    verdict: Verdict
    count: str
    text: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """A question to a method.

    Parameters
    ----------
    name, title : str
        In rows, and above the column of the table.
    asks, right : str
        What is asked; what the right answer is, with the reason.
    run : callable
        Takes an `Asker` and a method.
    applies : callable
        Whether a method is asked.
    version : int
        Raised when the same method may get another verdict.
    """

    name: str
    title: str
    asks: str
    right: str
    run: Callable[[Asker, Method], Result]
    applies: Callable[[Method], bool] = lambda _: True
    version: int = 1


# The right answer, known exactly.


def right_class(asker: Asker, method: Method) -> Result:
    """Compare the answers to data with the covariance of the model with the class of its DAG."""
    return _over_cases(asker, method, class_of, lambda case: case.values(), _code_of_class)


def right_dag(asker: Asker, method: Method) -> Result:
    """Compare the answers to 100 000 rows of a model with uniform noise with its DAG."""
    return _over_cases(asker, method, lambda dag: dag, _uniform, _code_of_dag)


def _uniform(case: Case) -> Values:
    d = len(case.weights)
    return np.asarray(_flat(d) @ np.linalg.inv(np.eye(d) - case.weights))


@lru_cache(maxsize=1)
def _flat(d: int) -> Values:
    return np.random.default_rng(0).uniform(-1, 1, (ROWS, d))


def _code_of_class(case: Case) -> list[str]:
    return case.code()


def _code_of_dag(case: Case) -> list[str]:
    return [
        case.code()[0],
        f"x = np.random.default_rng(0).uniform(-1, 1, ({ROWS}, {len(case.weights)}))",
        f"x = x @ np.linalg.inv(np.eye({len(case.weights)}) - w)",
    ]


def _over_cases(
    asker: Asker,
    method: Method,
    truth: Callable[[Adjacency], Adjacency],
    values: Callable[[Case], Values],
    code: Callable[[Case], list[str]],
) -> Result:
    wrong, shortest = [], None
    asked = [case for case in cases() if len(case.weights) <= method.most_nodes]
    for case in asked:
        reply = asker.ask(method, values(case))
        expected = truth(case.dag)
        if not _agrees(reply, expected):
            wrong.append(case.name)
            if shortest is None:
                shortest = case, reply, expected
    n = len(asked)
    if shortest is None:
        return Result("as its paper says", f"{n}/{n}", f"right on all {n} graphs")
    case, reply, expected = shortest
    what = f"raised {_short(reply)}" if reply.error else _edges(_graph(reply))
    text = (
        f"right on {n - len(wrong)} of {n} graphs; the smallest on which it differs, {case.name}: "
        f"right is {_edges(expected)}; it gives {what}"
    )
    verdict: Verdict = "crashes" if reply.error else "differs"
    return Result(verdict, f"{n - len(wrong)}/{n}", text, _lines(method, code(case), expected))


def _lines(
    method: Method, code: list[str], expected: np.ndarray, text: str = ""
) -> tuple[str, ...]:
    right = f"print({method.call})  # right: {text or _edges(expected)}"
    return ("; ".join(filter(None, ["import numpy as np", method.imports])), *code, right)


def _graph(reply: Reply) -> Adjacency:
    if reply.weights is not None:
        return np.asarray(np.abs(np.nan_to_num(reply.weights)) > LEAST_WEIGHT)
    return np.asarray(reply.graph) != 0


def _agrees(reply: Reply, expected: Adjacency) -> bool:
    """Tell whether an answer is the class, or for a search over DAGs a member of it."""
    if reply.graph is None:
        return False
    graph = _graph(reply)
    if graph.shape != expected.shape:
        return False
    is_dag = not (graph & graph.T).any() and is_acyclic(graph)
    is_class = bool((expected & expected.T).any())
    return np.array_equal(graph, expected) or bool(
        is_class and is_dag and np.array_equal(class_of(graph), expected)
    )


def _edges(graph: Adjacency) -> str:
    """Return the edges in letters.

    Examples
    --------
    >>> _edges(np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool))
    '0→1, 1—2'
    """
    texts = [
        f"{i}—{j}" if graph[j, i] else f"{i}→{j}"
        for i, j in np.argwhere(graph).tolist()
        if i < j or not graph[j, i]
    ]
    return ", ".join(texts) or "no edge"


def _written(graph: np.ndarray) -> Adjacency:
    """Return a DAG as its class: which member a search for classes gives is chance."""
    graph = np.asarray(graph) != 0
    is_dag = not (graph & graph.T).any() and is_acyclic(graph)
    return to_cpdag(graph) if is_dag else graph


def _short(reply: Reply) -> str:
    return textwrap.shorten(reply.error, LONGEST, placeholder=" …")


# Hidden causes.


def right_pag(asker: Asker, method: Method) -> Result:
    """Compare the answers to models with hidden causes with their PAGs, end by end."""
    wrong, text = 0, ""
    lines: tuple[str, ...] = ()
    for case in hidden_cases():
        reply = asker.ask(method, case.values())
        graph = None if reply.graph is None else np.asarray(reply.graph)[0]
        if graph is not None and np.array_equal(graph, case.pag):
            continue
        wrong += 1
        if not text:
            given = f"raised {_short(reply)}" if graph is None else _ends(graph)
            text = f"; the smallest, {case.name}: right is {_ends(case.pag)}; it gives {given}"
            lines = _lines(method, case.code(), case.pag, _ends(case.pag))
    n = len(hidden_cases())
    verdict: Verdict = "differs" if wrong else "as its paper says"
    return Result(verdict, f"{n - wrong}/{n}", f"right on {n - wrong} of {n} PAGs{text}", lines)


def _ends(pag: np.ndarray) -> str:
    """Return the edges of a PAG in letters.

    Examples
    --------
    >>> _ends(np.array([[0, -1, 0], [1, 0, 1], [0, 2, 0]]))
    '0→1, 1←o2'
    """
    left, right = {0: "", 1: "←", 2: "o", -1: ""}, {0: "", 1: "→", 2: "o", -1: ""}
    pairs = [(i, j) for i, j in np.argwhere(np.triu(pag != 0)).tolist()]
    shapes = [(i, left[int(pag[i, j])], right[int(pag[j, i])], j) for i, j in pairs]
    return ", ".join(f"{i}{a}{'' if (a + b).strip('o') else '—'}{b}{j}" for i, a, b, j in shapes)


# What an intervention's target tells.


def right_targets(asker: Asker, method: Method) -> Result:
    """Compare the answers to an observational and an interventional sample with the class."""
    right, undirected, told, unchanged, asked = 0, 0, 0, 0, 0
    wrong = ""
    lines: tuple[str, ...] = ()
    for case in cases():
        if len(case.weights) > MOST_NODES or not case.edges:
            continue
        asked += 1
        k = int((case.dag | case.dag.T).sum(axis=0).argmax())
        values, condition = _acted_upon(case, k)
        targets = np.zeros((2, len(case.weights)), dtype=bool)
        blind = asker.ask(
            method, values, 0, arrays={"condition": condition, "targets": np.zeros_like(targets)}
        )
        targets[1, k] = True
        reply = asker.ask(method, values, 0, arrays={"condition": condition, "targets": targets})
        if reply.graph is None:
            return Result("crashes", "error", f"raised {_short(reply)}")
        expected, graph = class_of(case.dag, [(), (k,)]), _graph(reply)
        is_line = bool((graph & graph.T)[k].any())
        undirected += is_line
        if blind.graph is not None and not np.array_equal(expected, class_of(case.dag)):
            told += 1
            unchanged += np.array_equal(_graph(blind), graph)
        is_right = np.array_equal(graph, expected)
        right += is_right
        if (not is_right and not wrong) or (is_line and not lines):
            wrong = f"; {case.name}, target {k}: right is {_edges(expected)}; it gives "
            wrong += _edges(graph)
            call = method.call.replace("{target}", str(k))
            code = case.code(TARGET_ROWS)
            lines = (
                "; ".join(filter(None, ["import numpy as np", method.imports])),
                *code[:2],
                code[2] + f"; w[:, {k}] = 0",
                code[2].replace("x =", "y =", 1),
                f"print({call})  # right: {_edges(expected)}",
            )
    text = (
        f"right on {right} of {asked} graphs with a target; a line at the target on {undirected}; "
        f"of {told} on which the target matters, the same answer without it on {unchanged}{wrong}"
    )
    if right == asked:
        return Result("as its paper says", f"{right}/{asked}", text)
    ignores = undirected or unchanged == told
    verdict: Verdict = "differs" if ignores else "no promise"
    return Result(verdict, f"{right}/{asked}", text, lines if ignores else ())


def _acted_upon(case: Case, target: int) -> tuple[Values, Values]:
    """Return two samples with exact covariances, the second with the target set at random."""
    cut = case.weights.copy()
    cut[:, target] = 0.0
    both = [case.values(TARGET_ROWS), Case(case.name, cut).values(TARGET_ROWS)]
    return np.vstack(both), np.repeat([0, 1], TARGET_ROWS)


# What may not depend on how the data are written.


Renamed = Callable[[Adjacency], Adjacency]
"""Returns a graph as it is of the altered data."""


def noisy(number: int, is_uniform: bool) -> tuple[Values, np.random.Generator]:
    """Return 300 rows of a linear model on 8 nodes, and the generator for what follows."""
    rng = np.random.default_rng(number)
    w = np.triu(rng.choice([-0.8, 0, 0, 0.8], (NODES, NODES)), 1)
    size = (FEW_ROWS, NODES)
    noise = rng.uniform(-1, 1, size) if is_uniform else rng.normal(size=size)
    return noise @ np.linalg.inv(np.eye(NODES) - w), rng


def _noisy_code(method: Method, number: int, then: str) -> list[str]:
    law = f"uniform(-1, 1, ({FEW_ROWS}, {NODES}))"
    law = law if method.truth == "dag" else f"normal(size=({FEW_ROWS}, {NODES}))"
    return [
        "; ".join(filter(None, ["import numpy as np", method.imports])),
        f"rng = np.random.default_rng({number}); "
        f"w = np.triu(rng.choice([-0.8, 0, 0, 0.8], ({NODES}, {NODES})), 1)",
        f"y = rng.{law} @ np.linalg.inv(np.eye({NODES}) - w)" + (f"; {then}" if then else ""),
    ]


def order_of_columns(asker: Asker, method: Method) -> Result:
    """Compare the answers to data whose columns come in another order."""

    def other(values: Values, rng: np.random.Generator) -> tuple[Values, Renamed]:
        p = rng.permutation(NODES)
        return values[:, p], lambda graph: graph[np.ix_(p, p)]

    return _compare(
        asker,
        method,
        other,
        method.order,
        f"p = rng.permutation({NODES})",
        ("x = y; print(({call})[p][:, p])", "x = y[:, p]; print({call})"),
    )


def units(asker: Asker, method: Method) -> Result:
    """Compare the answers to data whose columns come in other units."""

    def other(values: Values, rng: np.random.Generator) -> tuple[Values, Renamed]:
        return values * 10 ** rng.uniform(-2, 2, NODES), lambda graph: graph

    return _compare(
        asker,
        method,
        other,
        "graph" if method.unit_free and method.seeded else "",
        f"s = 10 ** rng.uniform(-2, 2, {NODES})",
        ("x = y; print({call})", "x = y * s; print({call})"),
    )


def repeated(asker: Asker, method: Method) -> Result:
    """Compare the answers to the same data with the same seed, and others in between."""

    def other(values: Values, rng: np.random.Generator) -> tuple[Values, Renamed]:
        asker.ask(method, rng.normal(size=(50, 3)), 7)
        return values, lambda graph: graph

    return _compare(
        asker,
        method,
        other,
        "graph",
        "",
        ("x = y; print({call})", "x = y; print({call})"),
    )


def _compare(  # noqa: PLR0913, PLR0917  two calls and what is shown of them
    asker: Asker,
    method: Method,
    other: Callable[[Values, np.random.Generator], tuple[Values, Renamed]],
    promised: str,
    then: str,
    shown: tuple[str, str],
) -> Result:
    """Return how often the answer to other data is not that which follows from the first."""
    different, errors, skeletons, first = 0, 0, 0, None
    pairs = 0
    for number in range(method.sets):
        values, rng = noisy(number, method.truth == "dag")
        altered, renamed = other(values, rng)
        before, after = asker.first(method, number, values), asker.ask(method, altered, 1)
        if before.graph is None or after.graph is None:
            errors += 1
            first = number if first is None else first
            continue
        a, b = renamed(np.asarray(before.graph) != 0), np.asarray(after.graph) != 0
        if method.truth == "class":
            a, b = _written(a), _written(b)
        if promised == "skeleton":
            skeletons += not np.array_equal(a | a.T, b | b.T)
        if not np.array_equal(a, b):
            different += 1
            pairs += int(np.count_nonzero(np.triu((a != b) | (a != b).T)))
            first = number if first is None else first
    n = method.sets
    broken = skeletons if promised == "skeleton" else different
    text = f"another answer on {different} of {n} data sets"
    text += f" ({pairs / different:.1f} pairs on average)" if different else ""
    if promised == "skeleton":
        text += f"; another skeleton on {skeletons}"
    count = f"{n - broken - errors}/{n}"
    if errors:
        text += f"; no answer on {errors}"
    if not promised:
        return Result("no promise", count, text)
    if not broken and not errors:
        return Result("as its paper says", count, text)
    lines = (
        *_noisy_code(method, first or 0, then),
        *(line.replace("{call}", method.call) for line in shown),
    )
    return Result("crashes" if errors > broken else "differs", count, text, lines)


# What a call leaves behind.


def shared_state(asker: Asker, method: Method) -> Result:
    """Look at what a call changes, and whether the global seed changes an answer without chance."""
    values, _ = noisy(0, method.truth == "dag")
    replies = [asker.ask(method, values, seed) for seed in (1, 2)]
    if any(reply.graph is None for reply in replies):
        return Result("crashes", "error", f"raised {_short(replies[0])}")
    faults = [f"it changes {name}" for name in dict.fromkeys(n for r in replies for n in r.changed)]
    first, second = replies
    if first.drawn_from != second.drawn_from and first.left_at == second.left_at:
        faults.append("it seeds the global generator of numpy")
    if not method.random:
        other = 0
        for number in range(min(5, method.sets)):
            values, _ = noisy(number, method.truth == "dag")
            one, two = (asker.ask(method, values, seed).graph for seed in (1, 2))
            other += one is None or two is None or not np.array_equal(one, two)
        if other:
            faults.append(f"the global seed changes its answer on {other} data sets")
    if not faults:
        return Result("as its paper says", "clean", "nothing was changed")
    return Result("differs", counted(len(faults), "fault"), "; ".join(faults), _state_lines(method))


def _state_lines(method: Method) -> tuple[str, ...]:
    return (
        *_noisy_code(method, 0, "x = y.copy()"),
        "np.random.seed(1); before = np.random.get_state()[1].sum(), np.geterr()",
        f"{method.call}; print(before)",
        "print(np.random.get_state()[1].sum(), np.geterr(), (x == y).all())",
    )


# Data on which there is no answer.

Fault = tuple[str, str, str, tuple[str, ...]]

FAULTS: tuple[Fault, ...] = (
    (
        "constant column",
        "x[:, 3] = 1.0",
        "refuse it, or leave the column without an edge",
        ("constant", "varian", "unique", "correlat"),
    ),
    ("nan", "x[0, 0] = np.nan", "refuse it, or leave the row out", ("nan", "missing", "finite")),
    ("two rows", "x = x[:2]", "refuse it", ("row", "sample", "observation")),
    (
        "one column",
        "x = x[:, :1]",
        "refuse it, or give one node",
        ("column", "variable", "node", "feature"),
    ),
)
"""Its name, the line that makes it, what is polite, and words that name the cause."""


FAULTY_SECONDS = 30.0
"""Within which a method answers to 100 rows of 4 columns."""

DELIBERATE = "check your data"
"""Words of errors that were written for the user, whatever the cause."""


def polite(asker: Asker, method: Method) -> Result:
    """Look at what comes of data that have no answer."""
    outcomes: list[tuple[str, str]] = []
    lines: list[str] = []
    for name, line, right, words in FAULTS:
        values = _faulty(line)
        reply = asker.ask(method, values, seconds=FAULTY_SECONDS)
        outcome = _outcome(asker, method, name, values, reply, words)
        outcomes.append((name, outcome))
        if outcome.startswith(("ends", "answers", "raises")) and not lines:
            lines = [
                "; ".join(filter(None, ["import numpy as np", method.imports])),
                "x = np.cumsum(np.random.default_rng(0).normal(size=(100, 4)), axis=1)",
                line,
                f"print({method.call})  # polite: {right}",
            ]
    bad = [outcome for _, outcome in outcomes if not outcome.startswith(("refuses", "rightly"))]
    text = "; ".join(f"{name}: {outcome}" for name, outcome in outcomes)
    count = f"{len(FAULTS) - len(bad)}/{len(FAULTS)}"
    if not bad:
        return Result("as its paper says", count, text)
    silent = any(outcome.startswith("answers") for outcome in bad)
    return Result("differs" if silent else "crashes", count, text, tuple(lines))


def _faulty(line: str) -> Values:
    """Return the data of a fault: its line is run as it is shown."""
    scope = {"np": np, "x": np.cumsum(np.random.default_rng(0).normal(size=(100, 4)), axis=1)}
    exec(line, scope)  # noqa: S102  ours, from the table above
    return np.ascontiguousarray(scope["x"])


def _outcome(  # noqa: PLR0911, PLR0913, PLR0917  an outcome each
    asker: Asker, method: Method, name: str, values: Values, reply: Reply, words: tuple[str, ...]
) -> str:
    if reply.ended:
        return f"ends or hangs ({_short(reply)})"
    if reply.error:
        named = any(word in reply.error.lower() for word in (*words, DELIBERATE))
        kind = "refuses" if named else "raises"
        return f"{kind} ({_short(reply)})"
    graph = np.asarray(reply.graph) != 0
    d = values.shape[1]
    if graph.shape != (d, d):
        return f"answers with a matrix of shape {graph.shape}"
    if name == "one column" and not graph.any():
        return "rightly gives one node"
    if name == "constant column" and not (graph[3].any() or graph[:, 3].any()):
        return "rightly leaves it alone"
    if name == "nan":
        without = asker.ask(method, values[1:], seconds=FAULTY_SECONDS)
        if without.graph is not None and np.array_equal(np.asarray(without.graph) != 0, graph):
            return "rightly leaves the row out"
    return f"answers all the same: {_edges(graph)}"


# Numbers.


def numbers_of(asker: Asker, method: Method) -> Result:
    """Compare a score, a test or a metric with its slow reference on 100 cases."""
    function = numbers.FUNCTIONS[method.function]
    arrays = function.arrays()
    if method.home is None:
        given = function.ours(arrays)
    else:
        others = {name: array for name, array in arrays.items() if name != "values"}
        reply = asker.ask(method, arrays["values"], 0, function.levels, arrays=others)
        if reply.values is None:
            return Result("crashes", "error", f"raised {_short(reply)}")
        given = reply.values
    definition, got, right = numbers.compared(function, given, arrays)
    by = f" ({definition})" if definition else ""
    apart = np.flatnonzero(numbers.differs(got, right))
    count = f"{numbers.CASES - len(apart)}/{numbers.CASES}"
    if not len(apart):
        return Result("as its paper says", count, f"{function.title}: equal on all{by}")
    first = int(apart[0])
    text = (
        f"{function.title}{by}: apart on {len(apart)} of {numbers.CASES}, at most by "
        f"{np.nanmax(np.abs(got - right)):.3g}; the first: {got[first]:.4g}, right is "
        f"{right[first]:.4g}"
    )
    lines = tuple(method.call.splitlines())
    return Result("differs", count, text, lines)


CHECKS: tuple[Check, ...] = (
    Check(
        "class",
        "right class",
        "Does it return the CPDAG of the DAG, on data whose covariance is that of the model?",
        "the union of all DAGs with the same skeleton and the same unshielded colliders, by trying "
        "all directions; no dependence is weaker than a partial correlation of 0.02, so at 100 000 "
        "rows no test and no score has a reason to err",
        right_class,
        lambda method: method.truth == "class",
    ),
    Check(
        "dag",
        "right DAG",
        "Does it return the DAG, on 100 000 rows with uniform noise?",
        "the DAG that the data were drawn from; of weights, all above 0.1",
        right_dag,
        lambda method: method.truth == "dag",
    ),
    Check(
        "pag",
        "right PAG",
        "Does it return the PAG of a model with hidden causes?",
        "the ends that all ancestral graphs with the same m-separations share; all such graphs on "
        "3 and 4 nodes are tried",
        right_pag,
        lambda method: method.truth == "pag",
    ),
    Check(
        "targets",
        "targets",
        "Does it return the interventional CPDAG, of an observational sample and one in which a "
        "node was set at random?",
        "the union of all DAGs with the same skeleton, the same unshielded colliders and the same "
        "edges at the target. That GIES finds it is not proved; that no line is left at the "
        "target is, and leaving the target out must change some answers",
        right_targets,
        lambda method: method.truth == "targets",
    ),
    Check(
        "order",
        "order of columns",
        "Is the answer the same if the columns come in another order, on 300 rows of 8 columns?",
        "the first answer with its nodes renamed; of PC its skeleton",
        order_of_columns,
    ),
    Check(
        "units",
        "units",
        "Is the answer the same if columns are multiplied by numbers from 0.01 to 100?",
        "the first answer",
        units,
    ),
    Check(
        "repeated",
        "same again",
        "Is the answer the same with the same seed, after another call?",
        "the first answer",
        repeated,
    ),
    Check(
        "state",
        "leaves no trace",
        "Does a call change what others use, or depend on it?",
        "input, numpy's error handling, warnings, environment variables, the default type and "
        "threads of torch as before; no new global seed; without chance no influence of that seed",
        shared_state,
    ),
    Check(
        "polite",
        "faulty data",
        "What comes of a constant column, of nan, of two rows, of one column?",
        "; ".join(f"{name}: {right}" for name, _, right, _ in FAULTS)
        + ". An error counts as a refusal if it names the cause in a word",
        polite,
        version=2,
    ),
    Check(
        "numbers",
        "equal numbers",
        "Is a score, a test or a metric equal to its definition on 100 random cases?",
        "; ".join(f"{known.title}: {known.definition}" for known in numbers.FUNCTIONS.values())
        + ". By loops over all configurations, least squares and pairs of nodes; ours is compared "
        "with the same",
        numbers_of,
    ),
)
"""All checks, in the order of the picture."""


def checks_of(method: Method) -> Iterator[Check]:
    """Yield the checks that apply to a method."""
    return (
        check
        for check in CHECKS
        if check.applies(method) and (check.name == "numbers") == bool(method.function)
        if method.truth not in {"targets", "pag"} or check.name == method.truth
    )
