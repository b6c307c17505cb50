"""Messages over a socket, for whoever must not wait for ever.

A socket takes what fits into its buffer, and who hangs reads nothing: a long message that is
written in one go would wait until the other end is killed by somebody else. So it goes in pieces,
and while a piece cannot go or come, whoever waits looks now and then whether to go on.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Callable

_LENGTH = struct.Struct("!Q")
_AT_ONCE = 1 << 20  # bytes; nothing is made larger for a length before so much has come


class Wire:
    """One end of a socket pair. One message at a time; `Look` raises to give up."""

    Look = Callable[[], None]

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._number = end.detach()

    def send(self, message: bytes, *, after: float | None = None, look: Look | None = None) -> None:
        """`look` is called whenever nothing could be sent for `after` seconds."""
        left = memoryview(_LENGTH.pack(len(message)) + message)
        while left:
            try:
                left = left[os.write(self._number, left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, after, look)

    def receive(self, *, after: float | None = None, look: Look | None = None) -> bytes:
        """EOFError where the other end was closed."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size, after, look))
        return self._read(length, after, look)

    def _read(self, length: int, after: float | None, look: Look | None) -> bytes:
        read = bytearray()
        while len(read) < length:
            try:
                piece = os.read(self._number, min(length - len(read), _AT_ONCE))
            except BlockingIOError:
                self._wait(select.POLLIN, after, look)
                continue
            if not piece:
                raise EOFError
            read += piece
        return bytes(read)

    def _wait(self, event: int, after: float | None, look: Look | None) -> None:
        poll = select.poll()
        poll.register(self._number, event)
        while not poll.poll(None if after is None else after * 1000):
            if look is not None:
                look()

    def send_no_more(self) -> None:
        """What comes yet is still received."""
        with socket.socket(fileno=os.dup(self._number)) as end:
            end.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Only by who alone uses it. The others let go of it: closed while somebody waits on it,
        its number would soon be another's, and they would wait on that."""
        number, self._number = self._number, -1
        if number >= 0:
            os.close(number)

    def __del__(self) -> None:
        self.close()
