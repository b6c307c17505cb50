"""uvicorn, ended in our way: streams of events are ended first, or the server would wait for them;
and a server that was told to stop has ended well."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Generator

import uvicorn
from fastapi import FastAPI

from bethink.doors.http.endings import Endings
from bethink.doors.http.live import MOST_BYTES


class Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, *, endings: Endings, when_started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._endings = endings
        self._when_started = when_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._when_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._endings.begin()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """As uvicorn does it, but a signal is not sent on when all is done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        wanted = (signal.SIGINT, signal.SIGTERM)
        former = {one: signal.signal(one, self.handle_exit) for one in wanted}
        try:
            yield
        finally:
            for one, handler in former.items():
                signal.signal(one, handler)


def server_for(
    app: FastAPI, *, grace: float | None = None, started: Callable[[], None] = lambda: None
) -> Server:
    config = uvicorn.Config(
        app,
        log_config=None,  # its lines are written as ours are (`server_log`)
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # who asks is known by the key, not by an address
        timeout_graceful_shutdown=None if grace is None else max(1, round(grace)),
        ws_max_size=MOST_BYTES,
    )
    return Server(config, endings=app.state.endings, when_started=started)


def run(app: FastAPI, bound: socket.socket, *, grace: float, started: Callable[[], None]) -> None:
    server_for(app, grace=grace, started=started).run([bound])
