"""A hook as an agent runs it: a process, JSON on its standard input, a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bethink.consent import agree
from bethink.engine import Engine

PROGRAM = [sys.executable, "-m", "bethink.doors.cli.main"]


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """What Claude Code and Codex put before the model."""
        return str(json.loads(self.out)["hookSpecificOutput"]["additionalContext"])


class Home:
    """A person's home with a store in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"
        self.work.mkdir()
        self.store = path / "memory.db"
        self.environment = {
            **os.environ,
            "HOME": str(path),
            "XDG_DATA_HOME": str(path / "data"),
            "XDG_CONFIG_HOME": str(path / "config"),
            "BETHINK_STORE": str(self.store),
            "BETHINK_EMBEDDER": "none",
            "BETHINK_TIMEZONE": "UTC",
        }

    def engine(self, **options: Any) -> Engine:
        return Engine(self.store, embedder="none", **options)

    def remember(self, text: str, **fields: Any) -> str:
        with self.engine() as engine:
            return engine.remember(text, **fields).id

    def agree(self, project: Path, space: str) -> None:
        """As `bethink init` does in the project."""
        agree(self.path / "data/bethink", project, space)

    def run(self, *words: str, given: object = None, **environment: str) -> Ran:
        data = given if isinstance(given, bytes) else json.dumps(given or {}).encode()
        ran = subprocess.run(
            [*PROGRAM, *words],
            input=data,
            capture_output=True,
            check=False,
            cwd=self.work,
            env={**self.environment, **environment},
            timeout=120,
        )
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def hook(self, event: str, given: object = None, *, harness: str = "claude") -> Ran:
        return self.run("hook", event, "--harness", harness, given=given)

    @property
    def log(self) -> str:
        path = self.path / "data/bethink/hooks.log"
        return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
