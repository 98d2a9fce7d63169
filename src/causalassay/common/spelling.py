"""Names in messages: the nearest known one, or a list that does not fill the screen.

Names come from files of strangers: what a terminal or a page would not show as it is, such as
escape sequences and marks that turn the direction of writing, is refused or shown as an escape.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Hashable
from difflib import get_close_matches
from itertools import islice

LONGEST_NAME = 500
"""Characters of a name of a study, a column, a node, an algorithm or a level."""

_MOST_NAMED = 10
_MOST_COMPARED = 2000
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # words of several scripts are written with them


SYNONYMS = {
    # algorithms
    "boss": ("causal-learn-boss",),
    "fges": ("ges",),
    "golem": ("golem-ev", "golem-nv"),
    "granger": ("granger-lasso",),
    "grasp": ("causal-learn-grasp",),
    "lingam": ("direct-lingam",),
    "none": ("empty",),
    "pcstable": ("pc",),
    "program": ("command",),
    "random": ("random-sortnregress",),
    "randomregress": ("random-sortnregress",),
    "script": ("command",),
    "sortnregress": ("var-sortnregress",),
    "sortregress": ("var-sortnregress",),
    # metrics and diagnostics
    "fscore": ("f1",),
    "hamming": ("shd",),
    "ppv": ("precision",),
    "sensitivity": ("recall",),
    "structuralhammingdistance": ("shd",),
    "structuralinterventiondistance": ("sid",),
    "totalvariation": ("tv_dag",),
    "tpr": ("recall",),
    "r2sort": ("r2-sortnregress", "r2_sortability"),
    "varsort": ("var-sortnregress", "var_sortability"),
    "edges": ("n_edges",),
    # noise
    "exp": ("exponential",),
    "gauss": ("gaussian",),
    "normal": ("gaussian",),
    "student": ("student-t",),
    "t": ("student-t",),
    # models and mechanisms
    "gaussianprocess": ("gp",),
    "internallystandardized": ("iscm",),
    "mim": ("multi-index",),
    "neuralnetwork": ("mlp",),
    "nn": ("mlp",),
    "raw": ("scm",),
    "sem": ("scm",),
    "std": ("standardized",),
    # regressions
    "cam": ("additive",),
    "gam": ("additive",),
    "smooth": ("additive",),
    "spline": ("additive",),
    "splines": ("additive",),
    "lasso": ("linear",),
    "svm": ("support-vector",),
    "svr": ("support-vector",),
    # graph families
    "ba": ("scale-free",),
    "barabasialbert": ("scale-free",),
    "er": ("erdos-renyi",),
    "full": ("complete",),
    "line": ("chain",),
    "sf": ("scale-free",),
    "tree": ("forest",),
    # keys of study files
    "d": ("n_nodes",),
    "degree": ("edges_per_node",),
    "nodes": ("n_nodes",),
    "nsamples": ("samples",),
    "repetitions": ("replicates",),
    "runs": ("replicates",),
}
"""By what people write, in small letters without marks: the names that may be meant."""


def did_you_mean(name: Hashable, known: Collection[Hashable], otherwise: str | None = None) -> str:
    """Return the known name nearest to `name` as a question, else the known names.

    Nearest is the same name in other letters or with other marks, then one of `SYNONYMS`,
    then a name that is spelt nearly so.

    Parameters
    ----------
    name : hashable
    known : collection of hashable
    otherwise : str, optional
        What to return in place of the known names if none is near.

    Examples
    --------
    >>> did_you_mean("icsm", ["scm", "iscm"])
    "did you mean 'iscm'?"
    >>> did_you_mean("F1", ["shd", "f1"]), did_you_mean("normal", ["gaussian", "laplace"])
    ("did you mean 'f1'?", "did you mean 'gaussian'?")
    >>> did_you_mean("x", ["scm", "iscm"])
    "there are 'scm', 'iscm'"
    """
    # The comparison takes the square of the length, and names may be as long as a file.
    short = [text for text in map(str, islice(known, _MOST_COMPARED)) if len(text) <= LONGEST_NAME]
    nearest = _nearest(str(name), short)
    if nearest:
        return f"did you mean {nearest!r}?"
    return f"there are {listed(known)}" if otherwise is None else otherwise


def same_letters(one: str, other: str) -> bool:
    """Tell whether two names differ at most in capitals, accents and marks.

    Examples
    --------
    >>> same_letters("Erdős-Rényi", "erdos_renyi"), same_letters("f1", "f2")
    (True, False)
    """
    return _letters(one) == _letters(other)


def _nearest(word: str, known: list[str]) -> str:
    """Return the known name that a word most likely stands for; empty if there is none."""
    if len(word) > LONGEST_NAME:
        return ""
    letters = _letters(word)
    same = [name for name in known if letters and _letters(name) == letters]
    meant = [name for name in SYNONYMS.get(letters, ()) if name in known]
    return next(iter([*same, *meant, *get_close_matches(word, known, n=1)]), "")


def _letters(word: str) -> str:
    """Return the letters and digits of a word, small, without accents."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


def listed(names: Collection[Hashable]) -> str:
    """Return the names quoted and joined, the long tail of a long list as a count.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    first = ", ".join(shown(name) for name in islice(names, _MOST_NAMED))
    left = len(names) - _MOST_NAMED
    return f"{first} and {left} more" if left > 0 else first


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts x2 before x10.

    Examples
    --------
    >>> sorted(["x10", "x2"], key=natural_key)
    ['x2', 'x10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


class RefusedValue(ValueError):
    """A parameter has a value that is refused.

    A plug-in that raises it lets the error of a study file point to the key.

    Parameters
    ----------
    parameter : str
        Its name.
    reason : str
        What was expected, what came, and what to do.

    Examples
    --------
    >>> print(RefusedValue("samples", "expected at least 2, got 1"))
    samples: expected at least 2, got 1
    """

    __module__ = "causalassay"  # tracebacks show the public name

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(parameter, reason)
        self.parameter, self.reason = parameter, reason

    def __str__(self) -> str:
        return f"{self.parameter}: {self.reason}"


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise unless the hyperparameter's value is one of the choices.

    Examples
    --------
    >>> check_choice("regression", "linaer", ("linear", "support-vector"))
    Traceback (most recent call last):
    ...
    causalassay.RefusedValue: regression: there is no 'linaer'; did you mean 'linear'?
    """
    if value not in choices:
        raise RefusedValue(name, f"there is no {value!r}; {did_you_mean(str(value), choices)}")


def name_fault(name: str) -> str:
    r"""Return what is wrong with a name, and what to do; empty if it is fit to be shown.

    Examples
    --------
    >>> name_fault("größe (μm)"), name_fault("a\x1b[2J")
    ('', 'has \\x1b, a character that does not print; remove it')
    """
    if len(name) > LONGEST_NAME:
        return f"has {len(name)} characters, expected at most {LONGEST_NAME}; shorten it"
    hidden = next((letter for letter in name if _is_hidden(letter)), None)
    if hidden is None:
        return ""
    return f"has {visible(hidden)}, a character that does not print; remove it"


def visible(text: str) -> str:
    r"""Return text with an escape in place of every character that does not print.

    Examples
    --------
    >>> print(visible("a\nb\x1b[2J\u202e"), visible("größe"))
    a\nb\x1b[2J\u202e größe
    """
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode() if _is_hidden(letter) else letter
        for letter in text
    )


def cut(text: str, most: int = LONGEST_NAME) -> str:
    """Return text of at most so many characters, the end of a longer one as an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(value: object) -> str:
    """Return a value as messages quote it, without its end if it is long.

    Examples
    --------
    >>> shown("a"), len(shown("x" * 1000))
    ("'a'", 100)
    """
    return cut(repr(value), 100)


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in _HIDDEN and letter not in _JOINERS
