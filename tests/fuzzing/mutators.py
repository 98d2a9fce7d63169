"""Damage to files, by a seeded chance: what a broken editor, a cut transfer or an enemy does."""

import random
import re
from collections.abc import Callable

HOSTILE = (
    *(b"nan", b"inf", b"-inf", b"-1", b"0", b"1e308", b"-1e308", b"1e-320", b"1e999", b"true"),
    *(str(2**63).encode(), str(10**30).encode(), b"9" * 5000, b"0x" + b"f" * 5000),
    *(b"1979-05-27", b"07:32:00", b"", b'""', b"''", b'"""', b"'''", b"[]", b"{}", b"[[", b"#"),
    *(b"[" * 3000, b"[" * 3000 + b"]" * 3000, b"{a=" * 3000, b"a." * 20_000 + b"a", b"(" * 3000),
    *(b"\x00", b"\r", b"\n", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"/*", b"//", b'"', b";"),
    *(b"\x1b[2J", b'"\\u001b[2J"', '"\u202eevil"'.encode(), "\u2028".encode(), b'"a\\nb"'),
    *(b'"/dev/zero"', b"/dev/zero", b'".."', b'"\\u0000"', b'"' + b"x" * 300 + b'"', b"1_000"),
    *(b"x" * 200_000, b'"' + b"," * 200_000 + b'"', b"table", b"property", "größe".encode()),
)
"""Tokens that numbers, names and marks are replaced by."""

VALUES = (
    *(b"nan", b"inf", b"-inf", b"-1", b"0", b"1e308", b"-1e308", b"1e-320", b"true", b"1.5"),
    *(str(2**63 - 1).encode(), str(10**30).encode(), b"1000000001", b"0x" + b"f" * 5000),
    *(b"1979-05-27", b"07:32:00", b'""', b"[]", b"{}", b"[[]]", b"[{}]", b"[1, 'a']", b"[nan]"),
    *(b"{a = 1}", b"[[1, 2], [3]]", b"{low = 1, high = 0}", b"{low = nan}", b"{kind = 'chain'}"),
    *(b"{low = -1e308, high = 1e308}", b"{low = 1, high = 9e18, integer = true}", b"[1, 1]"),
    *(b"{low = 1e-320, high = 1e308, log = true}", b"{low = '', high = []}", b"[inf, -inf]"),
    *(
        b'"\\u001b[2J"',
        b'"\\u202e"',
        b'"a\\nb"',
        b'"\\u0000"',
        b'"/dev/zero"',
        b'"."',
        b'"dog.bif"',
    ),
    *(b'"' + b"x" * 300 + b'"', b'"' + b"x" * 5000 + b'"', b"[" * 30 + b"]" * 30, b'["x"]'),
    b"[" + b"1, " * 300 + b"]",
    b"[" + b", ".join(b"%d" % number for number in range(300)) + b"]",
)
"""Values of TOML that no key, or only another key, takes."""

_VALUE = re.compile(rb"=\s*(\[[^\]\n]*\]|\{[^}\n]*\}|[^\s,}\]]+)")
_TOKEN = re.compile(rb'"[^"\n]*"|[\w.+-]+|[^\w\s]')


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one to three damages."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(MUTATORS)(content, chance)
    return content


def flip_bits(content: bytes, chance: random.Random) -> bytes:
    """Change some bits."""
    damaged = bytearray(content or b"\n")
    for _ in range(chance.choice((1, 1, 4, 16))):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def truncate(content: bytes, chance: random.Random) -> bytes:
    """Keep only the beginning, or only the end."""
    place = chance.randrange(len(content) + 1)
    return content[place:] if chance.random() < 0.2 else content[:place]


def remove_line(content: bytes, chance: random.Random) -> bytes:
    """Leave a line out."""
    lines = content.splitlines(keepends=True) or [b""]
    del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(content: bytes, chance: random.Random) -> bytes:
    """Write a line again, there or elsewhere, once or very often."""
    lines = content.splitlines(keepends=True) or [b"\n"]
    line, place = chance.choice(lines), chance.randrange(len(lines))
    lines[place:place] = [line] * chance.choice((1, 1, 1, 2, 300))
    return b"".join(lines)


def swap_lines(content: bytes, chance: random.Random) -> bytes:
    """Put two lines in each other's place."""
    lines = content.splitlines(keepends=True) or [b"\n"]
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def replace_token(content: bytes, chance: random.Random) -> bytes:
    """Put a hostile token in the place of a word, a number or a mark."""
    found = list(_TOKEN.finditer(content))
    if not found:
        return content + chance.choice(HOSTILE)
    token = chance.choice(found)
    return content[: token.start()] + chance.choice(HOSTILE) + content[token.end() :]


def replace_value(content: bytes, chance: random.Random) -> bytes:
    """Put a hostile value behind a sign of equality, where the syntax stays right most often."""
    found = list(_VALUE.finditer(content))
    if not found:
        return replace_token(content, chance)
    value = chance.choice(found)
    return content[: value.start(1)] + chance.choice(VALUES) + content[value.end(1) :]


def swap_tokens(content: bytes, chance: random.Random) -> bytes:
    """Put one token of the file in the place of another."""
    found = list(_TOKEN.finditer(content))
    if not found:
        return content
    token, other = chance.choice(found), chance.choice(found)
    return content[: token.start()] + other[0] + content[token.end() :]


def insert_token(content: bytes, chance: random.Random) -> bytes:
    """Put a hostile token anywhere."""
    place = chance.randrange(len(content) + 1)
    return content[:place] + chance.choice(HOSTILE) + content[place:]


def encode_otherwise(content: bytes, chance: random.Random) -> bytes:
    """Add a byte order mark, or write the text in another encoding or with other line ends."""
    text = content.decode("utf-8", "replace")
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: b"\xef\xbb\xbf" + content,
        lambda: text.encode("utf-16"),
        lambda: text.encode("utf-16-be"),
        lambda: text.encode("latin-1", "replace") + b"\xe9",
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b"\n", b"\r\n", 2),
        lambda: content.replace(b"\n", b" "),
    )
    return chance.choice(ways)()


MUTATORS = (
    flip_bits,
    truncate,
    remove_line,
    repeat_line,
    swap_lines,
    replace_token,
    replace_token,
    replace_value,
    replace_value,
    replace_value,
    swap_tokens,
    insert_token,
    encode_otherwise,
)
"""One that is written thrice is drawn thrice as often."""
