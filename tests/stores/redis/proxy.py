"""A way to Redis that can be made slow, silent or broken, and that counts what is sent."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self


class Proxy:
    """Listens on this machine and passes everything on to a socket."""

    def __init__(self, upstream: Path, tls: ssl.SSLContext | None = None) -> None:
        self._upstream = str(upstream)
        self._tls = tls
        self.delay = 0.0  # seconds before each answer
        self.hangs = False  # takes everything and answers nothing
        self.received = 0  # chunks of commands that came in
        self.cut_after_command = False  # pass it on, then hang up before the answer
        self._open: list[socket.socket] = []
        self._guard = threading.Lock()
        self._listening: socket.socket | None = None
        self._port = 0
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self.listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        for thread in self._threads:
            thread.join(10)

    @property
    def address(self) -> str:
        return f"{'rediss' if self._tls else 'redis'}://localhost:{self._port}/0"

    def listen(self) -> None:
        """Again at the same place, once it was cut."""
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._port))
        listening.listen(64)
        self._port = listening.getsockname()[1]
        self._listening = listening
        self._run(self._accept, listening)

    def cut(self) -> None:
        """Hang up on everybody, and take nobody."""
        if self._listening is not None:
            _shut(self._listening)
            self._listening = None
        self.drop()

    def drop(self) -> None:
        """Hang up on everybody; they may call again."""
        with self._guard:
            opened, self._open = self._open, []
        for one in opened:
            _shut(one)

    def _run(self, work: Callable[..., None], *given: object) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            self._run(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with self._guard:
            self._open.append(client)
        try:
            if self._tls is not None:
                client = self._tls.wrap_socket(client, server_side=True)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._upstream)
        except OSError:
            _shut(client)
            return
        with self._guard:
            self._open += [client, server]
        self._run(self._commands, client, server)
        self._answers(server, client)

    def _commands(self, client: socket.socket, server: socket.socket) -> None:
        while data := _read(client):
            self.received += 1
            if not self.hangs:
                _send(server, data)
        _shut(server)
        _shut(client)

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        while data := _read(server):
            if self.cut_after_command:
                break
            time.sleep(self.delay)
            if not self.hangs:
                _send(client, data)
        _shut(client)
        _shut(server)


def _read(one: socket.socket) -> bytes:
    try:
        return one.recv(65_536)
    except OSError:
        return b""


def _send(one: socket.socket, data: bytes) -> None:
    try:
        one.sendall(data)
    except OSError:
        _shut(one)


def _shut(one: socket.socket) -> None:
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:  # it was closed by the other side
        one.close()
        return
    one.close()
