"""The methods that are assayed: what each promises, and how it is asked.

A method of another package runs in the environment of its package, by the adapter that studies
use, or by one of ``probes`` where studies have no such algorithm. The checks that studies make of
data before they ask a package are left out: it is the package that is assayed.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from causalassay.common.arrays import Adjacency, Values
from causalassay.common.spelling import did_you_mean
from causalassay.data import Dataset, Regime
from causalassay.discovery.registry import make_algorithm
from causalassay.environments.catalogue import EnvironmentDefinition, environment
from causalassay.environments.installing import folder_of, state, versions
from causalassay.environments.process import (
    EnvironmentFailed,
    EnvironmentProcess,
    PackageRaised,
    PackageRefused,
    Request,
    answered_within,
)
from causalassay.lab.hall.catalogue import first_pin
from causalassay.lab.hall.implementations.observing import adapter as observer

OURS = "causalassay"
PROBES = Path(__file__).parent / "probes"
SECONDS = 120.0
"""Within which a method answers, or it counts as one that does not end."""

Truth = Literal["class", "dag", "targets", "pag", ""]
Order = Literal["graph", "skeleton", ""]


@dataclass(frozen=True)
class Method:
    """A method of a package, with what its paper promises.

    Parameters
    ----------
    name : str
        By which `--only` selects it, and rows are named.
    package : str
        An environment, or causalassay.
    imports, call : str
        Python that a reader can run: ``call`` uses the values as ``x`` and gives the answer.
    truth : {"class", "dag", "targets", "pag", ""}
        What it returns of a population: the class of the DAG, the DAG, the class given what was
        intervened upon, the PAG, or nothing that is proved.
    order : {"graph", "skeleton", ""}
        What may not depend on the order of the columns by its paper.
    unit_free : bool
        Whether its paper has an answer that does not depend on units.
    random : bool
        Whether it draws numbers.
    seeded : bool
        Whether the same seed gives the same numbers.
    promise : str
        Where the paper says so.
    adapter : str
        The file in ``probes``, without its end; empty: the adapter of the environment.
    parameters : mapping
        Other than the defaults.
    function : str
        A score, a test or a metric instead of a search: its name in the adapter, and in `numbers`.
    most_nodes : int
        Of the graphs with a right answer; fewer for slow methods.
    sets : int
        Data sets on which order, units and repetition are compared; fewer of slow methods.
    """

    name: str
    package: str
    imports: str
    call: str
    truth: Truth = ""
    order: Order = ""
    unit_free: bool = True
    random: bool = False
    seeded: bool = True
    promise: str = ""
    adapter: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    function: str = ""
    most_nodes: int = 8
    sets: int = 20

    @property
    def home(self) -> EnvironmentDefinition | None:
        """Its environment; None of ours."""
        return None if self.package == OURS else environment(self.package)

    @property
    def adapter_path(self) -> Path:
        """The file of its adapter."""
        if self.adapter:
            return PROBES / f"{self.adapter}.py"
        assert self.home is not None
        return self.home.adapter

    @property
    def missing(self) -> str:
        """Why it cannot be asked here, and what to do; empty if it can."""
        return "" if self.home is None else state(self.home).reason

    @property
    def version(self) -> str:
        """The version of its package as installed; before that as pinned."""
        if self.home is None:
            return version(OURS)
        name, _, pinned = first_pin(self.home).partition("==")
        if state(self.home).python is None:
            return pinned
        return versions(folder_of(self.home)).get(name.lower(), pinned)

    @property
    def licence(self) -> str:
        """Of its package."""
        return "MIT" if self.home is None else self.home.licence

    @property
    def identity(self) -> list[object]:
        """What its answers depend on."""
        if self.home is None and self.function:
            return [self.version]
        if self.home is None:
            return [type(make_algorithm(self.name)).version, self.version, dict(self.parameters)]
        text = hashlib.sha256(self.adapter_path.read_bytes()).hexdigest()
        return [list(self.home.pins), text, dict(self.parameters)]


@dataclass(frozen=True, eq=False)
class Reply:
    """What a method answered.

    Parameters
    ----------
    graph : Adjacency, optional
    weights : ndarray, optional
        Of the edges, where it has them.
    values : ndarray, optional
        The numbers of a function.
    error : str
        What it raised, with the kind of the error; empty if it answered.
    ended : bool
        Whether its process ended, or it did not answer in time.
    changed : tuple of str
        What it changed besides its answer.
    drawn_from, left_at : int
        Digits of the state of numpy's generator, before and after.
    """

    graph: Adjacency | None = None
    weights: np.ndarray | None = None
    values: np.ndarray | None = None
    error: str = ""
    ended: bool = False
    changed: tuple[str, ...] = ()
    drawn_from: int = 0
    left_at: int = 0


class Asker:
    """Asks methods, and keeps the process of each environment until it is closed."""

    def __init__(self) -> None:
        self._processes: dict[str, EnvironmentProcess] = {}
        self._first: dict[tuple[str, int], Reply] = {}

    def first(self, method: Method, number: int, values: Values) -> Reply:
        """Return the answer to a data set with a number, asked once."""
        key = method.name, number
        if key not in self._first:
            self._first[key] = self.ask(method, values, 1)
        return self._first[key]

    def ask(
        self,
        method: Method,
        values: Values,
        seed: int = 0,
        levels: Sequence[int] | None = None,
        seconds: float = SECONDS,
        arrays: Mapping[str, np.ndarray] = MappingProxyType({}),
    ) -> Reply:
        """Return the answer of a method to a data set; whatever it raises is an answer too."""
        if method.home is None:
            return _ask_ours(method, values, seed, arrays)
        request = Request(
            "algorithm",
            "observed",
            {
                "adapter": str(method.adapter_path),
                "name": method.function or method.name,
                "parameters": _parameters(method),
            },
            seed=seed,
            python_seed=seed,
            arrays={"values": values, **arrays},
            columns=tuple(f"x{k}" for k in range(values.shape[1])),
            levels=None if levels is None else tuple(levels),
        )
        try:
            with answered_within(seconds):
                answer = self._process(method).ask(request)
        except (PackageRaised, PackageRefused) as reason:
            return Reply(error=str(reason).removeprefix("raised "))
        except EnvironmentFailed as reason:
            self.end(method.package)
            return Reply(error=str(reason), ended=True)
        weights, info = answer.arrays.get("weights"), answer.info
        graph = answer.arrays.get("graph", answer.arrays.get("links"))
        if graph is None and weights is not None:
            graph = np.nan_to_num(weights) != 0
        return Reply(
            graph,
            weights,
            answer.arrays.get("values"),
            changed=tuple(info["changed"]),
            drawn_from=info["drawn from"],
            left_at=info["left at"],
        )

    def _process(self, method: Method) -> EnvironmentProcess:
        running = self._processes.get(method.package)
        if running is None or not running.is_alive:
            home = method.home
            assert home is not None
            python = state(home).python
            assert python is not None
            watching = dataclasses.replace(home, folder=_observer_folder())
            running = self._processes[method.package] = EnvironmentProcess(watching, python)
        return running

    def end(self, package: str) -> None:
        """End the process of a package."""
        running = self._processes.pop(package, None)
        if running is not None:
            running.close()

    def close(self) -> None:
        """End all processes."""
        for package in list(self._processes):
            self.end(package)


def _observer_folder() -> Path:
    return Path(observer.__file__).parent


def _parameters(method: Method) -> dict[str, Any]:
    """Return the defaults of the environment's file, with the method's own."""
    home, defaults = method.home, {}
    if home is not None and not method.adapter:
        (definition,) = [known for known in home.algorithms if known.name == method.name]
        defaults = {known.name: known.default for known in definition.parameters}
    return {**defaults, **method.parameters}


def _regimes(values: Values, arrays: Mapping[str, np.ndarray]) -> Dataset:
    """Return data of several conditions, each with what it acts on."""
    condition, targets = arrays["condition"], arrays["targets"]
    regimes = tuple(
        Regime(f"condition {k}", values[condition == k], targets=tuple(np.flatnonzero(line)))
        for k, line in enumerate(targets)
    )
    names = tuple(f"x{k}" for k in range(values.shape[1]))
    return Dataset(names, regimes, observational="condition 0")


def _ask_ours(method: Method, values: Values, seed: int, arrays: Mapping[str, np.ndarray]) -> Reply:
    """Return the answer of one of our own algorithms, as `causalassay.discover` gives it."""
    algorithm = make_algorithm(method.name, **method.parameters)
    given, kept = values.copy(), np.random.get_state()  # noqa: NPY002  it is watched
    np.random.seed(seed)  # noqa: NPY002
    before = observer.state()
    try:
        data = _regimes(given, arrays) if arrays else Dataset.from_values(given)
        estimate = algorithm.discover(data, np.random.default_rng(seed))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return Reply(error=f"{type(error).__name__}: {error}")
    finally:
        after = observer.state()
        np.random.set_state(kept)  # noqa: NPY002
    changed = observer.changes(before, after)
    if not np.array_equal(given, values, equal_nan=True):
        changed.append("its input")
    return Reply(
        np.asarray(estimate.graph),
        estimate.weights,
        changed=tuple(changed),
        drawn_from=before["numpy"],
        left_at=after["numpy"],
    )


CHICKERING = (
    "Chickering (2002), theorem 4: a locally consistent score leads to the class of the DAG"
)
SPIRTES = (
    "Spirtes, Glymour, Scheines (1993), theorem 5.1: right answers of all tests give the class"
)
COLOMBO = "; Colombo & Maathuis (2014): the skeleton of PC-stable does not depend on the order"
SHIMIZU = "Shimizu et al. (2011), section 4.1: the DAG, and no parameter to choose"
ANDREWS = "Andrews et al. (2023): consistent if faithful, by the backward phase of GES at the end"
HAUSER = "Hauser & Bühlmann (2012): an edge with one end acted upon has a direction"
PERMUTATIONS = "consistent if faithful, in the limit"


def _ours(name: str, **promised: Any) -> Method:
    imports = "import causalassay as ca"
    return Method(name, OURS, imports, f'ca.discover("{name}", x, 0).graph.astype(int)', **promised)


_LEARN = "from causallearn.search."
_BIC = 'score_func="local_score_BIC_from_cov"'

METHODS: tuple[Method, ...] = (
    _ours("pc", truth="class", order="skeleton", promise=SPIRTES + COLOMBO),
    _ours("ges", truth="class", order="graph", promise=CHICKERING),
    _ours("xges", truth="class", order="graph", promise="Nazaret & Blei (2024), as GES"),
    _ours("gies", truth="targets", promise=HAUSER),
    _ours("xgies", truth="targets", promise=HAUSER),
    _ours("boss", truth="class", random=True, promise=ANDREWS),
    _ours("grasp", truth="class", random=True, promise=f"Lam et al. (2022): {PERMUTATIONS}"),
    _ours("mmhc", random=True),
    _ours("direct-lingam", truth="dag", order="graph", promise=SHIMIZU),
    _ours("notears", unit_free=False),
    _ours("golem-ev", unit_free=False),
    _ours("golem-nv", unit_free=False),
    _ours("mse-gds", unit_free=False),
    _ours("var-sortnregress", order="graph", unit_free=False),
    _ours("r2-sortnregress", order="graph"),
    Method(
        "causal-learn-pc",
        "causal-learn",
        f"{_LEARN}ConstraintBased.PC import pc",
        'pc(x, 0.05, "fisherz", show_progress=False).G.graph',
        truth="class",
        order="skeleton",
        promise=SPIRTES + COLOMBO,
    ),
    Method(
        "causal-learn-ges",
        "causal-learn",
        f"{_LEARN}ScoreBased.GES import ges",
        f'ges(x, {_BIC})["G"].graph',
        truth="class",
        order="graph",
        promise=CHICKERING,
    ),
    Method(
        "causal-learn-boss",
        "causal-learn",
        f"{_LEARN}PermutationBased.BOSS import boss",
        f"boss(x, {_BIC}, verbose=False).graph",
        truth="class",
        random=True,
        promise=ANDREWS,
    ),
    Method(
        "causal-learn-grasp",
        "causal-learn",
        f"{_LEARN}PermutationBased.GRaSP import grasp",
        f"grasp(x, {_BIC}, verbose=False).graph",
        truth="class",
        random=True,
        promise=f"Lam et al. (2022): {PERMUTATIONS}",
    ),
    Method(
        "causal-learn-exact",
        "causal-learn",
        f"{_LEARN}ScoreBased.ExactSearch import bic_exact_search",
        'bic_exact_search(x, search_method="astar")[0]',
        truth="class",
        promise="Yuan & Malone (2013): a DAG with the best BIC, which is in the class",
        adapter="causal_learn",
    ),
    Method(
        "causal-learn-fci",
        "causal-learn",
        f"{_LEARN}ConstraintBased.FCI import fci",
        'fci(x, "fisherz", 0.01, show_progress=False)[0].graph',
        truth="pag",
        promise="Zhang (2008), theorem 4: right answers of all tests give the PAG",
        adapter="causal_learn",
    ),
    Method(
        "causal-learn-direct-lingam",
        "causal-learn",
        f"{_LEARN}FCMBased.lingam import DirectLiNGAM",
        "(m := DirectLiNGAM()).fit(x) or m.adjacency_matrix_.T.round(2)",
        truth="dag",
        order="graph",
        promise=SHIMIZU,
        adapter="causal_learn",
    ),
    Method(
        "causal-learn-ica-lingam",
        "causal-learn",
        f"{_LEARN}FCMBased.lingam import ICALiNGAM",
        "(m := ICALiNGAM(0)).fit(x) or m.adjacency_matrix_.T.round(2)",
        truth="dag",
        unit_free=False,
        random=True,
        promise="Shimizu et al. (2006): the DAG",
        adapter="causal_learn",
    ),
    Method(
        "lingam-direct",
        "lingam",
        "import lingam",
        "lingam.DirectLiNGAM().fit(x).adjacency_matrix_.T.round(2)",
        truth="dag",
        order="graph",
        promise=SHIMIZU,
        adapter="lingam",
    ),
    Method(
        "lingam-ica",
        "lingam",
        "import lingam",
        "lingam.ICALiNGAM(random_state=0).fit(x).adjacency_matrix_.T.round(2)",
        truth="dag",
        unit_free=False,
        random=True,
        promise="Shimizu et al. (2006): the DAG",
    ),
    Method(
        "flopsearch-flop",
        "flopsearch",
        "from flopsearch import flop",
        "flop(x / x.std(0), 2.0, restarts=20)",
        truth="class",
        random=True,
        seeded=False,
        promise="Wienöbst et al. (2025): the best score, with restarts",
    ),
    Method(
        "gcastle-pc",
        "gcastle",
        "from castle.algorithms import PC",
        "(m := PC(variant='stable')).learn(x) or m.causal_matrix",
        truth="class",
        order="skeleton",
        promise=SPIRTES + COLOMBO,
        adapter="gcastle",
    ),
    Method(
        "gcastle-ges",
        "gcastle",
        "from castle.algorithms import GES",
        "(m := GES()).learn(x) or m.causal_matrix",
        truth="class",
        order="graph",
        promise=CHICKERING,
        adapter="gcastle",
    ),
    Method(
        "gcastle-ges-r2",
        "gcastle",
        "from castle.algorithms import GES",
        "(m := GES(method='r2')).learn(x) or m.causal_matrix",
        truth="class",
        order="graph",
        promise=CHICKERING,
        adapter="gcastle",
    ),
    Method(
        "gcastle-direct-lingam",
        "gcastle",
        "from castle.algorithms import DirectLiNGAM",
        "(m := DirectLiNGAM()).learn(x) or m.causal_matrix",
        truth="dag",
        order="graph",
        promise=SHIMIZU,
        adapter="gcastle",
    ),
    Method(
        "gcastle-ica-lingam",
        "gcastle",
        "from castle.algorithms import ICALiNGAM",
        "(m := ICALiNGAM(random_state=0)).learn(x) or m.causal_matrix",
        truth="dag",
        unit_free=False,
        random=True,
        promise="Shimizu et al. (2006): the DAG",
        adapter="gcastle",
    ),
    Method(
        "pgmpy-pc",
        "pgmpy",
        "import pandas as pd; from pgmpy.causal_discovery import PC",
        'PC(ci_test="pearsonr", max_cond_vars=6, n_jobs=1, show_progress=False)'
        ".fit(pd.DataFrame(x)).adjacency_matrix_.astype(int)",
        truth="class",
        order="skeleton",
        promise=SPIRTES + COLOMBO,
        parameters={"max_conditions": 6},
    ),
    Method(
        "pgmpy-ges",
        "pgmpy",
        "import pandas as pd; from pgmpy.causal_discovery import GES",
        'GES(scoring_method="bic-g").fit(pd.DataFrame(x)).adjacency_matrix_.astype(int)',
        truth="class",
        order="graph",
        promise=CHICKERING,
        most_nodes=5,
        sets=5,
    ),
    Method(
        "pgmpy-hill-climb",
        "pgmpy",
        "import pandas as pd; from pgmpy.causal_discovery import HillClimbSearch",
        'HillClimbSearch(scoring_method="bic-g", return_type="dag", show_progress=False)'
        ".fit(pd.DataFrame(x)).adjacency_matrix_.astype(int)",
        unit_free=False,  # which of two DAGs with equal scores it takes is decided by rounding
        sets=5,
    ),
    Method(
        "gies-gies",
        "gies",
        "import gies",
        "gies.fit_bic([x], [[]])[0]",
        truth="class",
        order="graph",
        promise="Hauser & Bühlmann (2012): on observational rows GES with turning; " + CHICKERING,
    ),
    Method(
        "gies-interventional",
        "gies",
        "import gies",
        "gies.fit_bic([x, y], [[], [{target}]])[0]",
        truth="targets",
        promise=HAUSER,
        adapter="gies",
    ),
    Method(
        "tetrad-pc",
        "tetrad",
        "import causalassay as ca",
        'ca.discover("tetrad-pc", x, 0).graph.astype(int)',
        truth="class",
        order="skeleton",
        promise=SPIRTES + COLOMBO,
    ),
    Method(
        "tetrad-fges",
        "tetrad",
        "import causalassay as ca",
        'ca.discover("tetrad-fges", x, 0).graph.astype(int)',
        truth="class",
        order="graph",
        promise=CHICKERING,
    ),
    Method(
        "tetrad-boss",
        "tetrad",
        "import causalassay as ca",
        'ca.discover("tetrad-boss", x, 0).graph.astype(int)',
        truth="class",
        random=True,
        promise=ANDREWS,
    ),
)
"""All searches, in the order of the picture."""

_FUNCTIONS = {
    OURS: ("bic", "bdeu", "fisher-z", "g", "shd"),
    "causal-learn": ("bic", "bdeu", "fisher-z", "g", "shd"),
    "gcastle": ("bic", "bdeu", "fisher-z", "g", "shd"),
    "pgmpy": ("bic", "bdeu", "fisher-z", "g", "shd"),
}
_TWO_BY_TWO = """import numpy as np, pandas as pd; {imports}
from scipy.stats import chi2_contingency
n = np.array([[12, 5], [6, 11]]); x = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], n.ravel(), axis=0)
print({call})
print(chi2_contingency(n, correction=False, lambda_="log-likelihood")[1])  # right"""
_SHOWN = {
    ("gcastle", "bdeu"): """import numpy as np; from math import lgamma
from castle.algorithms.ges.score.local_scores import BDeuScore
x = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [12, 5, 6, 11], axis=0).astype(float)
print(BDeuScore(x, k=1, N=10).local_score(0, []))
print(sum(lgamma(n + 5) - lgamma(5) for n in (17, 17)) + lgamma(10) - lgamma(44))  # right""",
    ("gcastle", "g"): _TWO_BY_TWO.format(
        imports="from castle.common.independence_tests import CITest",
        call="CITest.g2_test(x, 0, 1, [])[2]",
    ),
    ("pgmpy", "g"): _TWO_BY_TWO.format(
        imports="from pgmpy.ci_tests import GSq",
        call="GSq(pd.DataFrame(x, columns=['a', 'b']).astype('category')).run_test('a', 'b', [])",
    ),
}
"""Lines that show a difference of numbers, by package and function."""

FUNCTIONS: tuple[Method, ...] = tuple(
    Method(
        f"{package}-{function}",
        package,
        "",
        _SHOWN.get((package, function), ""),
        function=function,
        adapter=package.replace("-", "_"),
    )
    for package, functions in _FUNCTIONS.items()
    for function in functions
)
"""Scores, tests and metrics."""

ALL = (*METHODS, *FUNCTIONS)


def chosen(only: Sequence[str] = ()) -> list[Method]:
    """Return the methods of some names; of a package's name all of it; without any all.

    Examples
    --------
    >>> [method.name for method in chosen(["lingam"])]
    ['lingam-direct', 'lingam-ica']
    """
    known = [*dict.fromkeys(n for m in ALL for n in (m.name, m.package))]
    for name in only:
        if name not in known:
            raise ValueError(f"--only: there is no method {name!r}; {did_you_mean(name, known)}")
    return [m for m in ALL if not only or m.name in only or m.package in only]
