"""What processes send each other: messages, objects with large arrays, and what they print."""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import pickle
import struct
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any

from causalassay.processes.scratch import NamelessFile

TOKEN = 8
"""Bytes before each request that come back before its answer, so that no other is taken for it."""

SHARED_FROM = 2**18
"""Bytes of an object's arrays from which on they travel through shared memory."""

_HEADER = struct.Struct("!i")
_LONG_HEADER = struct.Struct("!iQ")
"""How `multiprocessing` writes the length of a message, and of one beyond 2 GB after a -1."""

_PIECE = 2**20

_UNCHANGEABLE = 0x0001 | 0x0002 | 0x0004 | 0x0008
"""Linux' F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE."""


def with_length(message: bytes) -> bytes:
    r"""Return a message as `multiprocessing.connection.Connection` sends it.

    Examples
    --------
    >>> with_length(b"abc")
    b'\x00\x00\x00\x03abc'
    """
    if len(message) < 2**31:
        return _HEADER.pack(len(message)) + message
    return _LONG_HEADER.pack(-1, len(message)) + message


class IncomingMessages:
    """The messages that come from one process, in any pieces: each has its length, then itself.

    Parameters
    ----------
    longest : int, optional
        Bytes from which on the next message is too long, at most 2 GB.

    Examples
    --------
    Two that were sent before the first was read stay two:

    >>> coming, going = os.pipe()
    >>> _ = os.write(going, with_length(b"answer") + with_length(b"rest"))
    >>> messages = IncomingMessages()
    >>> messages.read(coming), messages.waiting()
    (b'answer', b'rest')
    """

    def __init__(self, longest: int | None = None) -> None:
        self.longest = longest
        self._received = bytearray()

    def read(self, handle: int) -> bytes | None:
        """Read what there is; return the next message once it is whole.

        Raises
        ------
        EOFError
            If the other end is gone.
        """
        piece = os.read(handle, _PIECE)
        if not piece:
            raise EOFError
        self._received += piece
        return self.waiting()

    def waiting(self) -> bytes | None:
        """Return the next message if it has come already, with the one before."""
        start, length = self._size()
        if len(self._received) < start + length:
            return None
        with memoryview(self._received) as received:
            message = bytes(received[start : start + length])
        del self._received[: start + length]
        return message

    @property
    def is_too_long(self) -> bool:
        """Whether the next message announces, or has, more bytes than it may."""
        start, length = self._size()
        return self.longest is not None and (length > self.longest or start != _HEADER.size)

    def _size(self) -> tuple[int, int]:
        """Return where the message begins and how long it is, as far as that is known."""
        if len(self._received) < _HEADER.size:
            return _HEADER.size, 1
        (length,) = _HEADER.unpack_from(self._received)
        if length >= 0:
            return _HEADER.size, int(length)
        if len(self._received) < _LONG_HEADER.size:
            return _LONG_HEADER.size, 1
        return _LONG_HEADER.size, int(_LONG_HEADER.unpack_from(self._received)[1])


LONGEST_OUTPUT = 2**16
"""Bytes that are kept of what is printed: the last ones."""

_MOST_LEFT = 2**20
"""Bytes that are read of what was printed when a process has answered: a program that it left
may print without end."""


@dataclass(frozen=True)
class Output:
    """What a process has printed, on both of its standard streams.

    Parameters
    ----------
    size : int
        How many bytes it printed.
    end : bytes
        The last of them, at most `LONGEST_OUTPUT`.
    """

    size: int = 0
    end: bytes = field(default=b"", repr=False)


NO_OUTPUT = Output()
"""Of a process that printed nothing."""


class PrintedOutput:
    """A pipe that a process prints into, and what it has printed since it was last taken.

    Attributes
    ----------
    handle : int
        Where it is read, without waiting.
    to_print : int
        Where the process prints; to be sent there and closed here.

    Examples
    --------
    >>> printed = PrintedOutput()
    >>> _ = os.write(printed.to_print, b"epoch 1")
    >>> printed.take()
    Output(size=7)
    >>> printed.close()
    """

    def __init__(self) -> None:
        self.handle, self.to_print = os.pipe()
        os.set_blocking(self.handle, False)
        self._size = 0
        self._end = bytearray()

    def __del__(self) -> None:
        self.close()

    def read(self) -> int:
        """Read a piece of what is there; return its length, and 0 if nothing can come any more.

        Raises
        ------
        BlockingIOError
            If nothing is there now.
        """
        piece = os.read(self.handle, _PIECE)
        self._size += len(piece)
        self._end += piece
        del self._end[:-LONGEST_OUTPUT]
        return len(piece)

    def take(self) -> Output:
        """Return what was printed, and begin anew."""
        most = self._size + _MOST_LEFT
        with contextlib.suppress(OSError):  # there is no more, or it is closed
            while self._size < most and self.read():
                pass
        if not self._size:
            return NO_OUTPUT
        output = Output(self._size, bytes(self._end))
        self._size = 0
        self._end.clear()
        return output

    def close_writing(self) -> None:
        """Let go of the end that the process has now."""
        handle, self.to_print = self.to_print, -1
        if handle >= 0:
            os.close(handle)

    def close(self) -> None:
        """Let go of the pipe."""
        self.close_writing()
        handle, self.handle = self.handle, -1
        if handle >= 0:
            os.close(handle)


@dataclass(frozen=True)
class PickledObject:
    """An object on its way to a process.

    Parameters
    ----------
    head : bytes
        The pickled object without its arrays.
    sizes : tuple of int
        The bytes of each array.
    arrays : bytes, optional
        The arrays, one after the other; None if a handle to shared memory follows.
    """

    head: bytes
    sizes: tuple[int, ...]
    arrays: bytes | None

    def receive(self, connection: Connection) -> Any:
        """Return the object; its arrays cannot be written to."""
        if self.arrays is None:
            handle = recv_handle(connection)
            # Private: Linux refuses to share the pages of what cannot be changed.
            held = memoryview(
                mmap.mmap(handle, sum(self.sizes), flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
            )
            os.close(handle)
        else:
            held = memoryview(self.arrays)
        buffers, offset = [], 0
        for size in self.sizes:
            buffers.append(held[offset : offset + size])
            offset += size
        return pickle.loads(self.head, buffers=buffers)


class SentObject:
    """An object ready to be sent to any number of processes, which cannot change it.

    Parameters
    ----------
    content : object
        Of which NumPy arrays are the large part.
    """

    def __init__(self, content: object) -> None:
        arrays: list[pickle.PickleBuffer] = []
        head = pickle.dumps(content, protocol=5, buffer_callback=arrays.append)
        parts = [array.raw() for array in arrays]
        sizes = tuple(part.nbytes for part in parts)
        large = sum(sizes) >= SHARED_FROM
        self.shared = _unchangeable_file(parts) if large else None
        self.pickled = PickledObject(head, sizes, None if large else b"".join(parts))


def _unchangeable_file(parts: list[memoryview]) -> NamelessFile:
    """Return a file that holds some bytes and cannot be changed."""
    file = NamelessFile(parts)
    if hasattr(os, "memfd_create"):
        # Whoever gets the handle could write, too, and others read the same data.
        fcntl.fcntl(file.handle, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
    return file
