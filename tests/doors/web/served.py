"""A real server in a thread, which can go away and come back at the same address."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from bethink import Engine, MemoryRetrievalNode
from bethink.access.reception import Reception
from bethink.doors.http.app import create_app
from bethink.doors.http.serving import reception_for
from bethink.settings import Settings
from bethink.vocabulary import Principal

CRAWLER = Principal("crawler", "http", trusted=False)
HOST = "127.0.0.1"


class Served:
    def __init__(self, store: Path, **settings: Any) -> None:
        self.store = store
        self.settings = Settings(store=str(store), embedder="hashing", **settings)
        self._port = _free_port()
        self.start()

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self._port}/"

    def start(self) -> None:
        self.reception: Reception = reception_for(self.settings, HOST)
        config = uvicorn.Config(
            create_app(self.reception),
            host=HOST,
            port=self._port,
            log_level="error",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.01)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """An engine of somebody else on the same store; what it did is in the log afterwards."""
        with Engine(self.store, settings=self.settings) as engine:
            yield engine
            engine.events.flush()

    def run_node(self, *, run: str, topic: str, name: str = "memory_retrieval") -> None:
        with self.engine() as engine:
            node = MemoryRetrievalNode(engine, name=name)
            node.process({"topic": topic, "group_id": "global", "run_id": run})

    def offer(self, text: str, **fields: Any) -> str:
        with self.engine() as engine:
            return engine.offer(text, by=CRAWLER, **fields).id


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        port: int = taken.getsockname()[1]
        return port
