"""What `bethink serve` says when it starts, or cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.errors import MissingExtra, SettingsError

_SERVE = "import sys; from bethink.doors.cli.main import main; sys.exit(main(sys.argv[1:]))"
_WITHOUT_THE_EXTRA = f"import sys; sys.modules['fastapi'] = None; {_SERVE}"


def _started(program: str, store: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", "0", "--text", *options],
        env={**os.environ, "BETHINK_STORE": str(store), "BETHINK_EMBEDDER": "hashing"},
        stderr=subprocess.PIPE,
        text=True,
    )


def _said(server: subprocess.Popen[str]) -> str:
    """All that one which cannot start says."""
    try:
        return server.communicate(timeout=60)[1]
    finally:
        server.kill()


def test_without_the_optional_part_it_says_nothing_of_being_open(tmp_path: Path) -> None:
    server = _started(_WITHOUT_THE_EXTRA, tmp_path / "记忆.db")
    said = _said(server)
    assert server.returncode == MissingExtra.exit_code
    assert "bethink[server]" in said
    assert "OPEN" not in said


def test_none_beside_it_is_among_what_is_expected(tmp_path: Path) -> None:
    server = _started(_SERVE, tmp_path / "记忆.db", "--workers", "-1")
    _, said = server.communicate(timeout=60)
    assert server.returncode == SettingsError.exit_code
    assert "--workers: expected 0 (none) to 64, got -1" in said


@pytest.mark.parametrize("workers", ["0", "1"])
def test_without_the_part_for_redis_it_does_not_start(tmp_path: Path, workers: str) -> None:
    program = _WITHOUT_THE_EXTRA.replace("fastapi", "redis")
    options = ("--hot", "redis://127.0.0.1:6379/0", "--workers", workers)
    server = _started(program, tmp_path / "记忆.db", *options)
    said = _said(server)
    assert server.returncode == MissingExtra.exit_code
    assert "pip install 'bethink[redis]'" in said
    assert "http://" not in said


def test_an_address_of_redis_that_cannot_be_read_is_said_at_the_start(tmp_path: Path) -> None:
    server = _started(_SERVE, tmp_path / "记忆.db", "--hot", "redis://127.0.0.1:端口/0")
    said = _said(server)
    assert server.returncode == SettingsError.exit_code
    assert "hot:" in said
    assert "http://" not in said


@pytest.mark.parametrize("options", [(), ("--no-keys",)])
def test_open_is_said_when_it_answers(tmp_path: Path, options: tuple[str, ...]) -> None:
    server = _started(_SERVE, tmp_path / "记忆.db", *options)
    assert server.stderr is not None
    try:
        lines = [server.stderr.readline(), server.stderr.readline()]
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert lines[0].startswith("OPEN")
    assert lines[1].startswith("http://127.0.0.1:")
