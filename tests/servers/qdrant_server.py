"""A Qdrant of one's own, for tests and benchmarks: a binary that is given (`scripts/qdrant` gets
one), in a folder that goes with it. It listens on this machine only.

    with QdrantServer.started(binary) as server:
        retriever = QdrantRetriever(parse_address(server.new_address()))
"""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STARTS_IN = 60.0  # seconds, on a busy machine


class QdrantServer:
    def __init__(self, binary: Path, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self._binary = binary
        self._settings = settings
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.port, self.grpc_port = _free_port(), _free_port()

    @classmethod
    @contextmanager
    def started(cls, binary: Path, **settings: str) -> Iterator[QdrantServer]:
        """Started, and in the end stopped and thrown away. Settings as in its environment, without
        `QDRANT__`: `SERVICE__API_KEY="…"`."""
        shared = Path("/dev/shm")  # in memory: what is right does not depend on disks
        folder = Path(tempfile.mkdtemp(prefix="qd", dir=shared if shared.is_dir() else None))
        server = cls(binary, folder, settings)
        try:
            server.start()
            yield server
        finally:
            server.stop()
            shutil.rmtree(folder)

    def start(self) -> None:
        told = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": str(self.port),
            "SERVICE__GRPC_PORT": str(self.grpc_port),
            "STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
            "STORAGE__OPTIMIZERS__DEFAULT_SEGMENT_NUMBER": "1",  # each takes 25 MB, empty or not
            "TELEMETRY_DISABLED": "true",
            **self._settings,
        }
        environment = os.environ | {f"QDRANT__{name}": value for name, value in told.items()}
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # the binary that we were given
                [self._binary], cwd=self.folder, env=environment, stdout=log, stderr=log
            )
        self._wait()

    def clear(self) -> None:
        """Remove all collections: one takes 30 MB of memory, and tests make hundreds."""
        import httpx

        key = self._settings.get("SERVICE__API_KEY", "")
        with httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers={"api-key": key}, timeout=60
        ) as client:
            told = client.get("/collections").raise_for_status().json()
            for one in told["result"]["collections"]:
                client.delete(f"/collections/{one['name']}").raise_for_status()

    def _wait(self) -> None:
        import httpx

        end = time.monotonic() + _STARTS_IN
        while time.monotonic() < end:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise RuntimeError(f"Qdrant did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self) -> None:
        """As a crash: what was acknowledged must be there again."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def new_address(self, key: str = "", **options: str) -> str:
        """Of a collection that nobody uses yet."""
        account = f"{key}@" if key else ""
        told = "&".join(f"{name}={value}" for name, value in options.items())
        place = f"127.0.0.1:{self.port}/memories-{next(self._numbers)}"
        return f"qdrant://{account}{place}" + (f"?{told}" if told else "")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
