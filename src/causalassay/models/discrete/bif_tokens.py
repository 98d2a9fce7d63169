"""The words and marks of a file in the Bayesian Interchange Format, each with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from causalassay.spelling import cut, shown

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
