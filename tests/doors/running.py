"""Commands, run in this process or in one of their own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bethink.doors.cli.main import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err.strip().splitlines()[-1])["error"]


Cli = Callable[..., Ran]


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command in this process on a store of its own, with an embedder that loads at once."""
    monkeypatch.setenv("BETHINK_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("BETHINK_EMBEDDER", "hashing")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as e:  # argparse leaves this way
            code = int(e.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of this test alone: projects and notebooks in it are nobody else's."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


def process(
    *arguments: str, store: Path, given: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bethink.doors.cli.main", *arguments],
        input=given,
        capture_output=True,
        check=False,
        env={
            **os.environ,
            "BETHINK_STORE": str(store),
            "BETHINK_EMBEDDER": "hashing",
            **environment,
        },
    )


def in_terminal(
    *arguments: str,
    store: Path,
    typed: bytes = b"",
    cwd: Path | None = None,
    seen: bytearray | None = None,
) -> tuple[int, str]:
    """Run a command in a real terminal, where somebody types; the exit code and all that is
    shown. `seen` is filled with it as it comes."""
    outer, inner = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "bethink.doors.cli.main", *arguments],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=cwd,
        env={
            **os.environ,
            "BETHINK_STORE": str(store),
            "BETHINK_EMBEDDER": "hashing",
            "TERM": "xterm",
        },
    )
    os.close(inner)
    seen = bytearray() if seen is None else seen

    def read() -> None:
        try:
            while data := os.read(outer, 4096):
                seen.extend(data)
        except OSError:  # the terminal is gone with the child
            return

    reader = threading.Thread(target=read)
    reader.start()
    os.write(outer, typed)
    code = child.wait(60)
    reader.join(10)
    os.close(outer)
    return code, seen.decode("utf-8", "replace")
