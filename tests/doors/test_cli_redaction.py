"""Secrets on the command line: what is said of them, and that it can be switched off by the user
alone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doors.running import Cli

TOKEN = "gh" + "p_" + "aB3" * 12


def test_remember_says_what_was_redacted(cli: Cli, tmp_path: Path) -> None:
    told = cli("remember", f"部署用 {TOKEN}", "--embedder", "none")
    assert "redacted: 1 github token" in told.err
    (memory,) = cli("list").json["memories"]
    assert memory["text"] == "部署用 [redacted: github token]"
    assert memory["provenance"]["redacted"] == ["github token"]
    revised = cli("revise", memory["id"], "密码是 Abc@1234")
    assert "redacted: 1 password" in revised.err
    assert not [f for f in tmp_path.glob("memory.db*") if TOKEN.encode() in f.read_bytes()]


def test_many_lines_say_how_many(cli: Cli, tmp_path: Path) -> None:
    lines = tmp_path / "told.jsonl"
    texts = [f"one {TOKEN}", "two 二", "口令：Abc@1234"]
    lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    told = cli("remember", "--jsonl", str(lines), "--embedder", "none")
    assert "2 held secrets, which were redacted" in told.err


def test_only_the_user_switches_it_off(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / ".bethink.toml").write_text("redact = false\n", "utf-8")
    told = cli("remember", f"first {TOKEN}", "--embedder", "none")
    assert "redacted" in told.err
    assert cli("config", "set", "redact", "perhaps").code == 2
    cli("config", "set", "redact", "false")
    told = cli("remember", f"second {TOKEN}", "--embedder", "none")
    assert "redacted: " not in told.err
