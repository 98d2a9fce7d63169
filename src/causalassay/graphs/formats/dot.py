"""Graphs in plain DOT files (and dagitty's): nodes, edges and groups of nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from causalassay.common.spelling import shown
from causalassay.graphs.conversions import check_count
from causalassay.graphs.formats.file_graph import FileGraph, check_edge_count, of_edges

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)\#[^\n]*)
    |"(?P<quoted>(?:[^"\\]|\\.)*+)"
    |(?P<mark><->|->|<-|--|[{}\[\];,=:])
    |(?P<word>[\w.]+|-?[\d.]+)""",
    re.VERBOSE | re.DOTALL,
)
_ARROWS = ("->", "<-", "--", "<->")
_DEEPEST = 20
_KINDS = ("digraph", "graph", "dag", "pdag")


class _Token(NamedTuple):
    text: str
    line: int
    quoted: bool = False

    def is_mark(self, *marks: str) -> bool:
        return self.text in marks and not self.quoted


def read_dot_graph(text: str, where: str) -> FileGraph:
    r"""Return the graph of a DOT text.

    Parameters
    ----------
    text : str
    where : str
        The file, for messages.

    Examples
    --------
    >>> graph = read_dot_graph("digraph { a -> b -> {c d}; e [label=x] }", "g.dot")
    >>> graph.names, graph.edges.tolist()
    (['a', 'b', 'c', 'd', 'e'], [[0, 1], [1, 2], [1, 3]])
    """
    reader = _Reader(_tokens(text, where), where)
    reader.graph()
    named = [reader.labels.get(name) for name in reader.nodes]
    labels = [label for label in named if label is not None]
    complete = len(labels) == len(named) and len(labels) > 0
    places = {name: f"line {line}: " for name, line in reader.nodes.items()}
    return of_edges(
        reader.edges, list(reader.nodes), places=places, labels=labels if complete else None
    )


def _tokens(text: str, where: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(
                f"{where}: line {line}: {shown(text[position : position + 20])} is not plain DOT; "
                'expected nodes, edges such as a -> b, or [attributes]; quote other names with "'
            )
        if match["skip"] is None:
            quoted = match["quoted"]
            if quoted is None:
                yield _Token(match[0], line)
            else:
                yield _Token(re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL), line, True)
        line += match[0].count("\n")
        position = match.end()


@dataclass
class _Reader:
    """Reads tokens one by one, no further than to the first mistake.

    Parameters
    ----------
    source : iterator of _Token
    where : str
    """

    source: Iterator[_Token]
    where: str
    tokens: list[_Token] = field(default_factory=list)
    position: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)

    def graph(self) -> None:
        """Read the whole text."""
        if self._now().is_mark("strict"):
            self.position += 1
        if not self._now().is_mark(*_KINDS):
            self._refuse(f"expected {' or '.join(_KINDS[:2])}")
        self.position += 1
        if not self._now().is_mark("{"):
            self.position += 1
        self._block(0)
        if self._at(self.position) is not None:
            self._refuse("expected the end of the file after the graph")

    def _block(self, depth: int) -> list[str]:
        """Read statements in braces; return the nodes in them."""
        if depth > _DEEPEST:
            self._refuse(f"groups lie more than {_DEEPEST} deep inside each other")
        self._expect("{")
        inside: list[str] = []
        while not self._now().is_mark("}"):
            if self._now().is_mark(";", ","):
                self.position += 1
            else:
                inside += self._statement(depth)
        self._expect("}")
        return inside

    def _statement(self, depth: int) -> list[str]:
        token = self._now()
        following = self._at(self.position + 1) or token
        if token.is_mark("graph", "node", "edge", *_KINDS) and following.is_mark("["):
            self.position += 1
            self._attributes()
            return []
        if following.is_mark("="):
            self.position += 3
            return []
        groups, arrows = [self._group(depth)], []
        while self._now().is_mark(*_ARROWS):
            arrows.append(self._now())
            self.position += 1
            groups.append(self._group(depth))
        attributes = self._attributes()
        if not arrows and "label" in attributes:
            self.labels |= dict.fromkeys(groups[0], attributes["label"])
        for step, arrow in enumerate(arrows):
            more = len(groups[step]) * len(groups[step + 1])  # 200 kB can name 10^8 pairs
            check_edge_count(len(self.edges) + more, "edges", self.where)
            for cause in groups[step]:
                for effect in groups[step + 1]:
                    self._edge(cause, effect, arrow, attributes)
        return [name for group in groups for name in group]

    def _group(self, depth: int) -> list[str]:
        """Return the nodes of one end of an edge: one, or those in braces."""
        if self._now().is_mark("subgraph"):
            self.position += 1
            if not self._now().is_mark("{"):
                self.position += 1
        if self._now().is_mark("{"):
            return list(dict.fromkeys(self._block(depth + 1)))
        token = self._now()
        if not token.quoted and re.fullmatch(r"[\w.-]+", token.text) is None:
            self._refuse("expected the name of a node")
        self.position += 1
        self.nodes.setdefault(token.text, token.line)
        check_count(len(self.nodes), self.where)
        while self._now().is_mark(":"):  # a port says where an edge meets the picture of a node
            self.position += 2
        return [token.text]

    def _attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while self._now().is_mark("["):
            self.position += 1
            while not self._now().is_mark("]"):
                name = self._now()
                self.position += 1
                if self._now().is_mark("="):
                    self.position += 1
                    attributes[name.text] = self._now().text
                    self.position += 1
            self._expect("]")
        return attributes

    def _edge(self, cause: str, effect: str, arrow: _Token, attributes: dict[str, str]) -> None:
        """Add an edge; the attributes of the picture may turn it, or take its arrow away."""
        usual = {"->": "forward", "<-": "back", "--": "none", "<->": "both"}[arrow.text]
        way = attributes.get("dir", usual)
        heads = attributes.get("arrowhead", "normal"), attributes.get("arrowtail", "normal")
        circles = [head for head in heads if "dot" in head or "circle" in head]
        at_effect = way in ("forward", "both") and heads[0] != "none"
        at_cause = way in ("back", "both") and heads[1] != "none"
        if cause == effect:
            raise ValueError(
                f"{self.where}: line {arrow.line} joins {shown(cause)} to itself; leave it out"
            )
        if circles or (at_effect and at_cause):
            joined = f"{self.where}: line {arrow.line}: {shown(cause)} and {shown(effect)}"
            marks = "a circle at an end" if circles else "arrows at both ends"
            raise ValueError(f"{joined} are joined by an edge with {marks}; expected -> or --")
        if at_effect or not at_cause:
            self.edges.append((cause, effect))
        if at_cause or not at_effect:
            self.edges.append((effect, cause))

    def _now(self) -> _Token:
        token = self._at(self.position)
        if token is None:
            last = self.tokens[-1].line if self.tokens else 1
            raise ValueError(f"{self.where}: line {last}: the file ends inside the graph")
        return token

    def _at(self, position: int) -> _Token | None:
        """Return the token of a number; None after the last."""
        while position >= len(self.tokens):
            token = next(self.source, None)
            if token is None:
                return None
            self.tokens.append(token)
        return self.tokens[position]

    def _expect(self, mark: str) -> None:
        if not self._now().is_mark(mark):
            self._refuse(f"expected {mark!r}")
        self.position += 1

    def _refuse(self, expected: str) -> NoReturn:
        token = self._now()
        raise ValueError(f"{self.where}: line {token.line}: {expected}, got {shown(token.text)}")
