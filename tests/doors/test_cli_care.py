"""Looking after a store from the command line: init, doctor, reindex, and damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from tests.doors.running import Cli


def test_doctor_and_status_and_reindex(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "something to check 检查")
    checks = cli("doctor")
    assert checks.code == 0
    assert all(check["ok"] for check in checks.json)
    assert cli("status").json["indexed_by"] == "hashing"
    assert cli("reindex", "--words").json["done"] == 1
    assert cli("reindex", "--force").json["done"] == 1
    assert cli("reindex", "--files").code == 0
    assert cli("reindex").json["done"] == 0

    (tmp_path / "memory.db").write_bytes(b"this is no database at all, but long enough to look at")
    (tmp_path / "memory.db-wal").unlink(missing_ok=True)
    sick = cli("doctor")
    assert sick.code == 1
    assert any(not check["ok"] and check["fix"] for check in sick.json)


def test_doctor_names_a_missing_embedder(cli: Cli) -> None:
    cli("remember", "kept all the same", "--embedder", "arctic-s")
    sick = cli("doctor", "--embedder", "arctic-s")
    assert sick.code == 1
    assert "bethink models pull arctic-s" in sick.out


def test_init_creates_and_keeps(cli: Cli, tmp_path: Path) -> None:
    first = cli("init").json
    assert first["created"] is True
    cli("remember", "kept")
    again = cli("init").json
    assert again["created"] is False
    assert again["memories"] == 1
    assert Path(first["store"]) == tmp_path / "memory.db"


def damage(store: Path, word: str) -> None:
    """Break one byte inside a stored text."""
    data = bytearray(store.read_bytes())
    at = data.index(word.encode())
    data[at] = 0xFF
    store.write_bytes(data)


@pytest.mark.parametrize("command", ["init", "remember"])
def test_a_missing_directory_is_not_advised_to_be_made_by_what_just_failed(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    told = ["预算 budget"] if command == "remember" else []
    refused = cli(command, *told, "--store", str(tmp_path / "没有" / "m.db"))
    assert refused.code == 5
    said = refused.error["message"]
    assert f"the directory {tmp_path / '没有'} does not exist; create it, or name another" in said
    assert "bethink init" not in said


def test_a_damaged_text_is_named_and_the_others_are_saved(cli: Cli, tmp_path: Path) -> None:
    cli("config", "set", "embedder", "none")
    for name in ("alpha", "kwyjibo", "预算"):
        cli("remember", f"the fact about {name}", "--id", f"id-{name}", "--embedder", "none")
    damage(tmp_path / "memory.db", "kwyjibo")  # the text's place comes before the index's
    sick = cli("doctor", "--embedder", "none")
    assert sick.code == 1
    assert "rescue.jsonl" in sick.out
    assert "1 memories are damaged and not handed out" in sick.out
    listed = [one["id"] for one in cli("list").json["memories"]]
    assert listed == ["id-预算", "id-alpha"]
    rescue = cli("export", "--out", "rescue.jsonl")
    assert rescue.code == 5
    saved = [json.loads(x)["id"] for x in (tmp_path / "rescue.jsonl").read_text().splitlines()]
    assert saved == ["id-alpha", "id-预算"]


def test_memories_are_for_their_owner_alone(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "private 私人")
    for path in tmp_path.glob("memory.db*"):
        assert path.stat().st_mode & 0o077 == 0


def test_an_empty_file_is_no_store(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    assert cli("recall", "anything").error["code"] == "store_missing"
    assert cli("doctor").code == 1


NOBODY_CAN = "长" * 100  # no file system takes so many bytes for a name


@pytest.mark.parametrize(
    "command", ["recall x", "remember 记住", "status", "sync", "export", "init"]
)
def test_a_store_that_cannot_be_looked_at_is_not_taken_for_missing(cli: Cli, command: str) -> None:
    ran = cli(*command.split(), "--store", NOBODY_CAN)
    assert (ran.code, ran.error["code"]) == (5, "store_error")
    assert "File name too long" in ran.error["message"]


@pytest.mark.parametrize(
    "command", ["import", "documents add", "source add", "faq import", "remember --file"]
)
def test_a_path_that_cannot_be_looked_at_is_wrong_input(cli: Cli, command: str) -> None:
    ran = cli(*command.split(), NOBODY_CAN)
    assert (ran.code, ran.error["code"]) == (2, "invalid_input")
    assert f"{NOBODY_CAN} cannot be read: File name too long" in ran.error["message"]


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [
        ("timezone", "Mars/X", "Asia/Shanghai"),
        ("timezone", "../etc/passwd", "UTC"),
        ("space", "no spaces here", "工作"),
        ("llm", "gpt", "openai:m"),
        ("reranker", "http:", "tei"),
        ("endpoint", "example.org/v1", "http://example.org/v1"),
        ("reranker_endpoint", "ftp://x", "https://example.org"),
        ("store", "config", "m.db"),
        ("models", "afile", "models"),
    ],
)
def test_a_wrong_setting_is_refused_and_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, good: str
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "afile").touch()
    refused = cli("config", "set", name, value)
    assert refused.code == 2
    assert not (tmp_path / "config/bethink").exists()
    assert cli("config", "set", name, good).code == 0
    cli("remember", "kept 记住", "--store", str(tmp_path / "memory.db"))
    sick = [check for check in cli("doctor").json if check["part"] == "settings"]
    assert [check["ok"] for check in sick] == [True]
    monkeypatch.setenv(f"BETHINK_{name.upper()}", value)
    (sick,) = [check for check in cli("doctor").json if check["part"] == "settings"]
    assert sick["ok"] is False
    assert f"BETHINK_{name.upper()}: {name}" in sick["finding"]


def test_doctor_says_how_a_project_gets_its_space(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "kept", "--space", "api")
    (tmp_path / ".bethink.toml").write_text('space = "api"\nstore = "evil.db"\n')
    found = [check["fix"] for check in cli("doctor").json if check["part"] == "settings"]
    assert found == ["remove that line", "run 'bethink init' there"]


@pytest.mark.parametrize("text", ["The meeting is on Friday", "预算会议在星期五"])
def test_a_list_says_what_is_damaged_and_left_out(cli: Cli, tmp_path: Path, text: str) -> None:
    cli("remember", text, "--id", "lost")
    cli("remember", "kept 留下", "--id", "kept")
    alter_text(tmp_path / "memory.db", "lost")

    for options in ((), ("--quiet",)):
        shown = cli("list", "--text", *options)
        assert shown.code == 0
        assert "kept" in shown.out and "lost" not in shown.out
        assert "a damaged memory was left out: lost; run 'bethink doctor'" in shown.err
    listed = cli("list")
    assert [memory["id"] for memory in listed.json["memories"]] == ["kept"]
    assert listed.json["damaged"] == ["lost"]
    assert "bethink doctor" in listed.json["reasons"][0]
    exported = cli("export")
    assert exported.code == 5
    assert "1 memories" in exported.err and "lost" in exported.err


@pytest.mark.parametrize("told", ["lost-memory", "lost"])
def test_a_damaged_memory_is_erased_as_the_advice_says(cli: Cli, tmp_path: Path, told: str) -> None:
    cli("remember", "kept 留下", "--id", "lost-memory")
    alter_text(tmp_path / "memory.db", "lost-memory")
    assert "bethink forget ID" in cli("get", told).err
    gone = cli("forget", told, "--yes")
    assert gone.code == 0, gone.err
    sound = cli("list")
    assert (sound.json["damaged"], sound.json["reasons"], sound.err) == ([], [], "")


def test_a_list_of_nothing_but_damage_does_not_say_that_it_is_empty(
    cli: Cli, tmp_path: Path
) -> None:
    cli("remember", "the only one 唯一", "--id", "lost")
    alter_text(tmp_path / "memory.db", "lost")
    assert "nothing here yet" not in cli("list", "--text").out


def alter_text(store: Path, memory_id: str) -> None:
    """Change what a row says, behind its checksum."""
    db = apsw.Connection(str(store))
    db.execute("UPDATE memories SET text = text || '.' WHERE id = ?", (memory_id,))
    db.close()
