"""Networks from files in the Bayesian Interchange Format, as in the bnlearn repository."""

from __future__ import annotations

import math
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from causalassay.common.files import (
    MOST_TEXT,
    as_path,
    as_text,
    is_packed,
    read_bytes,
    read_text,
)
from causalassay.common.spelling import cut, did_you_mean, name_fault, shown, visible
from causalassay.graphs.families import MOST_NODES
from causalassay.models.discrete.scm import DiscreteSCM
from causalassay.models.discrete.tables import ProbabilityTable

ROUNDED = 1e-3
"""How far printed probabilities may be from a sum of 1; they are then divided by it."""

MOST_PARENTS = 30
"""The most parents of a node: a table has an axis for each."""

MOST_LEVELS = 10_000
"""The most levels of a node; those of the largest published networks have some 10^2."""

MOST_ENTRIES = 10_000_000
"""Probabilities of one node, 80 MB; the largest published networks have some 10^4."""


def read_bif(path: str | Path) -> DiscreteSCM:
    r"""Return the network that a BIF file holds, with the names of its nodes and levels.

    Parameters
    ----------
    path : str or Path
        It may be packed with gzip, if its name ends in .gz. Blocks ``network``, ``variable``
        and ``probability``; probabilities as ``table``,
        as one row per configuration of the parents, or with a ``default``. Comments and
        properties are passed over.

    Notes
    -----
    Nodes stand in the order of the ``variable`` blocks. In a ``table`` of a node with
    parents the node's own level changes slowest and the last parent's fastest, as the
    format has it. Rows whose sum is within 1e-3 of 1 are divided by it: files print
    rounded numbers.

    References
    ----------
    Cozman (1998), The Interchange Format for Bayesian Networks, version 0.15.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "rain.bif"
    >>> _ = path.write_text('''network rain { }
    ... variable Rain { type discrete [ 2 ] { yes, no }; }
    ... variable Wet { type discrete [ 2 ] { yes, no }; }
    ... probability ( Rain ) { table 0.2, 0.8; }
    ... probability ( Wet | Rain ) { (yes) 0.9, 0.1; (no) 0.05, 0.95; }
    ... ''')
    >>> model = read_bif(path)
    >>> model.names, model.levels[1], model.marginals().probabilities[1].round(12)
    (('Rain', 'Wet'), ('yes', 'no'), array([0.22, 0.78]))
    >>> folder.cleanup()
    """
    where = str(path)
    text = _text(as_path(path))
    return _Reader(Tokens(tokens_of(text, where), where)).read()


def _text(path: Path) -> str:
    if not is_packed(path):
        return read_text(path, "a BIF file")
    unpacking = zlib.decompressobj(wbits=31)
    try:
        content = unpacking.decompress(read_bytes(path, "a BIF file"), MOST_TEXT)
    except zlib.error as error:
        raise ValueError(f"{path}: no gzip file ({error}); is it complete?") from None
    if not unpacking.eof:
        raise ValueError(
            f"{path}: breaks off, or unpacks to more than {MOST_TEXT} bytes; is it the right file?"
        )
    try:
        return as_text(content)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error


@dataclass
class _Probabilities:
    """A block `probability` before the table is filled."""

    start: Token
    parents: list[str]
    table: list[Token] | None = None
    default: list[Token] | None = None
    rows: list[tuple[list[Token], list[Token]]] = field(default_factory=list)


@dataclass
class _Reader:
    tokens: Tokens
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    blocks: dict[str, _Probabilities] = field(default_factory=dict)

    def read(self) -> DiscreteSCM:
        tokens = self.tokens
        while tokens.next is not None:
            keyword = tokens.take("'network', 'variable' or 'probability'")
            match keyword.text:
                case "network":
                    tokens.words_until("{", "the name of the network")
                    tokens.words_until("}", "a property")
                case "variable":
                    self._variable()
                case "probability":
                    self._probability(keyword)
                case other:
                    reason = f"expected 'network', 'variable' or 'probability', got {shown(other)}"
                    raise tokens.wrong(keyword, reason)
        if not self.levels:
            raise ValueError(f"{tokens.where}: there is no block 'variable'; is it a BIF file?")
        return self._model()

    def _variable(self) -> None:
        tokens = self.tokens
        name = tokens.take("the name of a variable")
        self._check_shown(name)
        if name.text in self.levels:
            raise tokens.wrong(name, f"the variable {name.text!r} is there twice")
        if len(self.levels) == MOST_NODES:
            raise tokens.wrong(name, f"expected at most {MOST_NODES} variables")
        tokens.take("'{'", mark="{")
        self._keyword("type")
        self._keyword("discrete")
        tokens.take("'[' and the number of levels", mark="[")
        number = tokens.take("the number of levels")
        tokens.take("']'", mark="]")
        tokens.take("'{' and the levels", mark="{")
        words = tokens.words_until("}", "a level")
        if len(words) > MOST_LEVELS:
            reason = f"{name.text!r} has {len(words)} levels, expected at most {MOST_LEVELS}"
            raise tokens.wrong(name, reason)
        for word in words:
            self._check_shown(word)
        levels = tuple(word.text for word in words)
        if number.text != str(len(levels)):
            stated = cut(visible(number.text), 20)
            reason = f"{name.text!r} is said to have {stated} levels, got {len(levels)}"
            raise tokens.wrong(number, reason)
        if len(set(levels)) < len(levels) or not levels:
            raise tokens.wrong(name, f"{name.text!r}: expected different levels, got {levels}")
        tokens.take("';'", mark=";")
        tokens.take("'}'", mark="}")
        self.levels[name.text] = levels

    def _check_shown(self, word: Token) -> None:
        fault = name_fault(word.text)
        if fault:
            raise self.tokens.wrong(word, f"the name {shown(word.text)} {fault}")

    def _keyword(self, keyword: str) -> None:
        token = self.tokens.take(repr(keyword))
        if token.text != keyword:
            raise self.tokens.wrong(token, f"expected {keyword!r}, got {shown(token.text)}")

    def _probability(self, start: Token) -> None:
        tokens = self.tokens
        tokens.take("'(' and the name of a variable", mark="(")
        name = tokens.take("the name of a variable")
        parents: list[Token] = []
        if tokens.at("|"):
            tokens.take("'|'", mark="|")
            parents = tokens.words_until(")", "a parent")
        else:
            tokens.take("'|' or ')'", mark=")")
        for token in (name, *parents):
            self._known(token)
        if name.text in self.blocks:
            raise tokens.wrong(name, f"{name.text!r} has a block 'probability' already")
        if len({name.text, *(parent.text for parent in parents)}) <= len(parents):
            raise tokens.wrong(name, f"{name.text!r} has a parent twice, or is one of its own")
        block = _Probabilities(start, [parent.text for parent in parents])
        self.blocks[name.text] = block
        tokens.take("'{'", mark="{")
        while not tokens.at("}"):
            self._entry(block)
        tokens.take("'}'", mark="}")

    def _entry(self, block: _Probabilities) -> None:
        tokens = self.tokens
        if tokens.at("("):
            tokens.take("'('", mark="(")
            configuration = tokens.words_until(")", "a level")
            block.rows.append((configuration, tokens.words_until(";", "a probability")))
            return
        keyword = tokens.take("'table', 'default' or '(' and the levels of the parents")
        if keyword.text not in ("table", "default"):
            reason = f"expected 'table', 'default' or '(', got {shown(keyword.text)}"
            raise tokens.wrong(keyword, reason)
        if getattr(block, keyword.text) is not None:
            raise tokens.wrong(keyword, f"{shown(keyword.text)} is there twice")
        setattr(block, keyword.text, tokens.words_until(";", "a probability"))

    def _known(self, token: Token) -> None:
        if token.text not in self.levels:
            reason = f"there is no variable {shown(token.text)} above; "
            raise self.tokens.wrong(token, reason + did_you_mean(token.text, list(self.levels)))

    def _model(self) -> DiscreteSCM:
        names = list(self.levels)
        node = {name: k for k, name in enumerate(names)}
        graph = np.zeros((len(names), len(names)), dtype=bool)
        tables = []
        for name in names:
            if name not in self.blocks:
                reason = f"the variable {name!r} has no block 'probability'"
                raise ValueError(f"{self.tokens.where}: {reason}")
            parents = [node[parent] for parent in self.blocks[name].parents]
            graph[parents, node[name]] = True
            table = self._table(name, self.blocks[name])
            tables.append(np.transpose(table, [*np.argsort(parents), len(parents)]))
        try:
            return DiscreteSCM(graph, tables, list(self.levels.values()), names)
        except ValueError as error:
            raise ValueError(f"{self.tokens.where}: {error}") from None

    def _table(self, name: str, block: _Probabilities) -> ProbabilityTable:
        """Return the probabilities, its axes the parents as the file has them, then the node."""
        n_levels = len(self.levels[name])
        shape = (*(len(self.levels[parent]) for parent in block.parents), n_levels)
        count = math.prod(shape)
        if len(block.parents) > MOST_PARENTS or count > MOST_ENTRIES:
            # Python refuses to print a number of thousands of digits.
            shown = count if count < 10**18 else "more than 10^18"
            reason = (
                f"{name!r} has {len(block.parents)} parents and so {shown} "
                f"probabilities, expected at most {MOST_PARENTS} and {MOST_ENTRIES}; "
                "take parents away or merge levels"
            )
            raise self.tokens.wrong(block.start, reason)
        if block.table is not None:
            if block.rows or block.default is not None:
                reason = f"{name!r} has a table, so it takes neither rows nor a default"
                raise self.tokens.wrong(block.start, reason)
            flat = self._numbers(block.table, math.prod(shape), name, block.start)
            table = np.moveaxis(flat.reshape(n_levels, *shape[:-1]), 0, -1)
            return self._normalized(table, name, block.start)
        table = np.full(shape, np.nan)
        if block.default is not None:
            table[...] = self._row(block.default, n_levels, name, block.start)
        seen = set()
        for configuration, numbers in block.rows:
            index = self._configuration_index(name, block, configuration)
            here = configuration[0] if configuration else block.start
            if index in seen:
                raise self.tokens.wrong(here, f"{name!r} has this configuration twice")
            seen.add(index)
            table[index] = self._row(numbers, n_levels, name, here)
        if np.isnan(table).any():
            missing = np.argwhere(np.isnan(table))[0][:-1].tolist()
            levels = [self.levels[p][k] for p, k in zip(block.parents, missing, strict=True)]
            reason = f"{name!r} has no probabilities where its parents are {levels}, and no default"
            raise self.tokens.wrong(block.start, reason)
        return table

    def _configuration_index(
        self, name: str, block: _Probabilities, levels: list[Token]
    ) -> tuple[int, ...]:
        if len(levels) != len(block.parents):
            here = levels[0] if levels else block.start
            reason = f"{name!r} has {len(block.parents)} parents, got {len(levels)} levels"
            raise self.tokens.wrong(here, reason)
        index = []
        for parent, level in zip(block.parents, levels, strict=True):
            known = self.levels[parent]
            if level.text not in known:
                hint = did_you_mean(level.text, known)
                reason = f"{parent!r} has no level {shown(level.text)}; {hint}"
                raise self.tokens.wrong(level, reason)
            index.append(known.index(level.text))
        return tuple(index)

    def _row(self, words: list[Token], expected: int, name: str, here: Token) -> ProbabilityTable:
        return self._normalized(self._numbers(words, expected, name, here), name, here)

    def _numbers(
        self, words: list[Token], expected: int, name: str, here: Token
    ) -> ProbabilityTable:
        if len(words) != expected:
            reason = f"{name!r}: expected {expected} probabilities, got {len(words)}"
            raise self.tokens.wrong(words[0] if words else here, reason)
        numbers = []
        for word in words:
            try:
                numbers.append(float(word.text))
            except ValueError:
                reason = f"expected a probability, got {shown(word.text)}"
                raise self.tokens.wrong(word, reason) from None
            if not 0 <= numbers[-1] <= 1 + ROUNDED:
                raise self.tokens.wrong(word, f"a probability is 0 to 1, got {word.text}")
        return np.array(numbers)

    def _normalized(self, table: ProbabilityTable, name: str, here: Token) -> ProbabilityTable:
        total = table.sum(axis=-1, keepdims=True)
        far = np.abs(total - 1)
        if far.max() > ROUNDED:
            reason = (
                f"{name!r}: probabilities sum to {float(total.flat[far.argmax()]):.6g}, not to 1"
            )
            raise self.tokens.wrong(here, reason)
        return table / total


# The words and marks of a file in the Bayesian Interchange Format, each with its line.

MOST_TOKENS = 2_000_000
"""Words and marks of a file; the largest published networks have some 5 10^5 probabilities."""

MARKS = "{}()[];|"
_TOKEN = re.compile(
    r"""(?P<space>[\s,]+)             # commas separate as blanks do
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | "(?P<quoted>[^"\n]*)"
      | (?P<mark>[{}()\[\];|])
      | (?P<word>[^\s,{}()\[\];|"]+)""",
    re.VERBOSE | re.DOTALL,
)
_PROPERTY = re.compile(r'(?:"[^"\n]*"|[^;])*+;')  # *+: tried in one way, not in all


class Token(NamedTuple):
    """A word or a mark, and where it stands; a quoted word is never a mark or a keyword."""

    text: str
    line: int
    quoted: bool = False


def tokens_of(text: str, where: str) -> list[Token]:
    """Return the tokens of a file, without comments and properties.

    Examples
    --------
    >>> [token.text for token in tokens_of("variable a{ property x = 1; }", "a.bif")]
    ['variable', 'a', '{', '}']
    """
    tokens: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f'{where}, line {line}: the quotation mark " is never closed')
        kind = match.lastgroup
        if kind == "word" and match["word"] == "property":
            match = _PROPERTY.match(text, position)
            if match is None:
                raise ValueError(f"{where}, line {line}: expected ; at the end of the property")
        elif kind == "word" and match["word"].startswith("/*"):
            raise ValueError(f"{where}, line {line}: the comment /* is never closed")
        elif kind in ("quoted", "mark", "word"):
            if len(tokens) == MOST_TOKENS:
                reason = f"expected at most {MOST_TOKENS} words and marks in a file"
                raise ValueError(f"{where}, line {line}: {reason}; is it the right file?")
            tokens.append(Token(match[kind], line, kind == "quoted"))
        line += match[0].count("\n")
        position = match.end()
    return tokens


@dataclass
class Tokens:
    """The tokens that are left, taken one at a time."""

    tokens: list[Token]
    where: str
    position: int = 0

    @property
    def next(self) -> Token | None:
        """The next token; None at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def at(self, text: str) -> bool:
        """Tell whether the next token is this mark or keyword."""
        return self.next is not None and not self.next.quoted and self.next.text == text

    def take(self, expected: str, *, mark: str | None = None) -> Token:
        """Return the next token; raise unless it is the mark, or without one a word."""
        token = self.next
        if token is None:
            last = self.tokens[-1].line if self.tokens else 1
            raise ValueError(f"{self.where}, line {last}: expected {expected}, but the file ends")
        is_mark = not token.quoted and token.text in MARKS
        if is_mark != (mark is not None) or (is_mark and token.text != mark):
            raise self.wrong(token, f"expected {expected}, got {shown(token.text)}")
        self.position += 1
        return token

    def words_until(self, mark: str, expected: str) -> list[Token]:
        """Return the words before a mark, which is taken too."""
        words = []
        while not self.at(mark):
            words.append(self.take(f"{expected} or {mark!r}"))
        self.take(repr(mark), mark=mark)
        return words

    def wrong(self, token: Token, message: str) -> ValueError:
        """Return the error that names the token's line."""
        return ValueError(f"{self.where}, line {token.line}: {cut(message)}")
