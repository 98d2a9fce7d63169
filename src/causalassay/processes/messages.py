"""Messages between processes, read in pieces as they come, and objects with large arrays."""

from __future__ import annotations

import fcntl
import mmap
import os
import pickle
import struct
from dataclasses import dataclass
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


class IncomingMessage:
    """A message on its way, which may come in any pieces: its length, then itself.

    Parameters
    ----------
    longest : int, optional
        Bytes from which on it is too long, at most 2 GB.
    """

    def __init__(self, longest: int | None = None) -> None:
        self._longest = longest
        self._received = bytearray()

    def read(self, handle: int) -> bytes | None:
        """Read what there is; return the message once it is whole.

        Raises
        ------
        EOFError
            If the other end is gone.
        """
        piece = os.read(handle, _PIECE)
        if not piece:
            raise EOFError
        self._received += piece
        start, length = self._size()
        if len(self._received) < start + length:
            return None
        message = bytes(memoryview(self._received)[start:])
        self._received = bytearray()
        return message

    @property
    def is_too_long(self) -> bool:
        """Whether it announces, or has, more bytes than it may."""
        start, length = self._size()
        return self._longest is not None and (length > self._longest or start != _HEADER.size)

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
