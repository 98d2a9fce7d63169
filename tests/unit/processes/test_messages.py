"""Messages between processes keep their borders, however late or in what pieces they are read."""

import os
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from causalassay.processes.messages import IncomingMessages, with_length


@pytest.fixture
def pair():
    """Two ends of a connection: what is sent at once can be read at once."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=6), st.data())
def test_messages_come_whole_and_in_order_in_whatever_pieces(messages, data):
    sent = b"".join(with_length(message) for message in messages)
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=8).map(sorted))
    incoming, came = IncomingMessages(), []
    coming, going = os.pipe()
    with os.fdopen(coming, "rb"), os.fdopen(going, "wb", buffering=0) as pipe:
        for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
            if start == end:
                continue
            pipe.write(sent[start:end])
            message = incoming.read(coming)
            while message is not None:
                came.append(message)
                message = incoming.waiting()
    assert messages == came


def test_a_message_that_came_with_the_one_before_is_not_lost(pair):
    ours, theirs = pair
    theirs.sendall(with_length(b"answer") + with_length(b"rest"))
    incoming = IncomingMessages()
    assert b"answer" == incoming.read(ours.fileno())
    assert b"rest" == incoming.waiting()
    assert incoming.waiting() is None


def test_each_message_has_its_own_longest(pair):
    ours, theirs = pair
    theirs.sendall(with_length(b"a" * 10) + with_length(b"b" * 10))
    incoming = IncomingMessages(longest=10)
    assert b"a" * 10 == incoming.read(ours.fileno())
    assert not incoming.is_too_long
    incoming.longest = 9
    assert incoming.is_too_long
