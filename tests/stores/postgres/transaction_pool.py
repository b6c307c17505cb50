"""A pool server in transaction mode, as PgBouncer is: whoever begins a transaction gets the session
that was idle for longest, and keeps it until the transaction ends. What is set in a session stays
there, for whoever comes next."""

from __future__ import annotations

import queue
import socket
import struct
import threading
from pathlib import Path

_SECURE = (80877103, 80877104)  # asked for before the greeting: TLS, GSSAPI
_CANCEL = 80877102


class TransactionPool:
    def __init__(self, server: Path, folder: Path, *, database: str, role: str, size: int = 3):
        self._server = server
        said = b"".join(word.encode() + b"\0" for word in ("user", role, "database", database))
        self._startup = struct.pack(">II", 8 + len(said) + 1, 3 << 16) + said + b"\0"
        self._greeting = b""
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self._sessions = [self._session() for _ in range(size)]
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / ".s.PGSQL.5432"))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _session(self) -> socket.socket:
        session = socket.socket(socket.AF_UNIX)
        session.connect(str(self._server))
        session.sendall(self._startup)
        self._greeting = b""
        while True:
            kind, message = _message(session)
            if kind == b"K":  # the number of the session's process, which is nobody's business
                message = message[:5] + struct.pack(">I", 4711) + message[9:]
            self._greeting += message
            if kind == b"Z":
                break
            assert kind != b"E", message
        self._idle.put(session)
        return session

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        session: socket.socket | None = None
        try:
            if not self._greeted(client):
                return
            while True:
                kind, message = _message(client)
                if kind == b"X":
                    return
                if session is None:
                    session = self._idle.get()
                session.sendall(message)
                if kind in (b"Q", b"S") and _relayed(session, client) == b"I":
                    self._idle.put(session)
                    session = None
        except OSError:  # somebody went away in the middle
            return
        finally:
            client.close()
            if session is not None:  # it went away in a transaction
                session.sendall(b"Q" + struct.pack(">I", 13) + b"ROLLBACK\0")
                while _message(session)[0] != b"Z":
                    pass
                self._idle.put(session)

    def _greeted(self, client: socket.socket) -> bool:
        while True:
            length, code = struct.unpack(">II", _read(client, 8))
            _read(client, length - 8)
            if code == _CANCEL:
                return False
            if code not in _SECURE:
                client.sendall(self._greeting)
                return True
            client.sendall(b"N")

    def close(self) -> None:
        self._listening.close()
        for session in self._sessions:
            session.close()


def _relayed(session: socket.socket, client: socket.socket) -> bytes:
    """All answers up to where the session is ready again; in which state it is then."""
    while True:
        kind, message = _message(session)
        client.sendall(message)
        if kind == b"Z":
            return message[5:6]


def _message(sender: socket.socket) -> tuple[bytes, bytes]:
    head = _read(sender, 5)
    (length,) = struct.unpack(">I", head[1:])
    return head[:1], head + _read(sender, length - 4)


def _read(sender: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = sender.recv(count - len(data))
        if not more:
            raise ConnectionResetError
        data += more
    return data
