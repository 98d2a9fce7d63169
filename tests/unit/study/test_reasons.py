"""Reasons and notes are one line that shows, whatever a stranger's text holds."""

import pytest

from causalassay.study.reasons import LONGEST_REASON, readable, reason_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 𝛼 🙂 \\n", "plain é 漢 𝛼 🙂 \\n"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x00\x1b[31m\x7f\x9b", r"\x00\x1b[31m\x7f\x9b"),
        ("\udcff\ud83d", r"\udcff\ud83d"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("one\u2028two\x85three", r"one\u2028two\x85three"),
    ],
)
def test_what_does_not_show_becomes_an_escape_that_does(text, shown):
    assert readable(text) == shown
    assert readable(shown) == shown


def test_every_character_can_be_written_after_it_was_made_readable():
    for code in range(0x110000):
        assert readable(chr(code)).encode()


@pytest.mark.parametrize("text", ["x" * (LONGEST_REASON + 1), "\n" * LONGEST_REASON, "y" * 10**7])
def test_long_texts_are_cut(text):
    shown = readable(text)
    assert len(shown) == LONGEST_REASON
    assert shown.endswith("…")
    assert readable(shown) == shown
    assert readable("x" * LONGEST_REASON) == "x" * LONGEST_REASON


class _Silent(Exception):
    def __init__(self, second):
        super().__init__()
        self.second = second

    def __str__(self):
        if isinstance(self.second, BaseException):
            raise self.second
        return self.second


@pytest.mark.parametrize("second", [ValueError("no"), SystemExit(3), RecursionError()])
def test_an_error_whose_message_raises_has_a_reason_too(second):
    assert reason_text(_Silent(second)) == (
        f"raised _Silent: its message cannot be shown, since that raised {type(second).__name__}"
    )


def test_a_message_that_is_no_text_is_a_reason_too():
    assert reason_text(_Silent(7)).endswith("since that raised TypeError")


def test_a_reason_is_the_same_on_each_run_and_one_line():
    assert reason_text(ValueError("at 0x7f12\nand 0xAB")) == r"raised ValueError: at 0x…\nand 0x…"
    assert reason_text(MemoryError()) == "raised MemoryError"
    assert len(reason_text(ValueError("x" * 10**6))) == LONGEST_REASON
