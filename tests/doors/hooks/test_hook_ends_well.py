"""A hook always ends well and in time, whatever is broken: no agent waits for its memory."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from bethink.doors.hooks import log
from bethink.errors import InvalidInput, StoreMissing
from tests.doors.hooks.running import PROGRAM, Home, home

__all__ = ["home"]  # the fixture


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("prompt",),
        ("nonsense", "--harness", "claude"),
        ("prompt", "--harness", "emacs"),
        ("prompt", "--harness"),
        ("prompt", "--harness", "claude", "--wrong-option", "--within", "soon"),
        ("prompt", "--harness", "claude", "--store", "/no/such/folder/memory.db"),
        ("stop", "--harness", "claude", "--store", "/no/such/folder/memory.db"),
        ("prompt", "--harness", "claude", "--embedder", "no-such"),
    ],
)
def test_wrong_calls_block_nothing(home: Home, words: tuple[str, ...]) -> None:
    home.remember("Mei prefers dark mode")
    ran = home.run("hook", *words, given={"prompt": "unrelated 无关"})
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert home.log


@pytest.mark.parametrize(
    "given",
    [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b'{"prompt": 7}', b"[" * 100_000, b'{"cwd": {}}'],
)
def test_wrong_input_blocks_nothing(home: Home, given: bytes) -> None:
    home.remember("Mei prefers dark mode")
    for event in ("start", "prompt", "stop"):
        for harness in ("claude", "cursor"):
            ran = home.hook(event, given, harness=harness)
            assert (ran.code, ran.err) == (0, "")


def test_a_broken_store_blocks_nothing_and_the_log_says_why(home: Home) -> None:
    home.store.write_bytes(b"this is no store" * 1000)
    for event in ("start", "prompt", "stop"):
        ran = home.hook(event, {"prompt": "the secret plan 机密"})
        assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "gave up: StoreCorrupt: " in home.log
    assert "secret" not in home.log and "机密" not in home.log


def test_wrong_settings_block_nothing(home: Home) -> None:
    home.remember("Mei prefers dark mode")
    (home.work / ".bethink.toml").write_text("space = [[[")
    ran = home.hook("prompt", {"prompt": "dark mode", "cwd": str(home.work)})
    assert (ran.code, ran.out) == (0, "")
    assert "SettingsError" in home.log
    (home.work / ".bethink.toml").write_text('space = "My Project\\u001b[31m"\n')
    home.agree(home.work, "My Project\u001b[31m")
    ran = home.hook("prompt", {"prompt": "dark mode", "cwd": str(home.work)})
    assert (ran.code, ran.out) == (0, "")
    assert "gave up: SettingsError: " in home.log.splitlines()[-1]
    assert "My Project" in home.log and "\u001b" not in home.log


def test_what_an_error_quotes_of_others_is_not_logged() -> None:
    assert log.why(InvalidInput("kind: 'the plan' is wrong: \"it's\" 「机密」 no")) == (
        "InvalidInput: kind: … is wrong: … … no"
    )
    assert (
        log.why(InvalidInput(f"text: {'it is' + chr(39) + ' a “b” c'!r}"))
        == "InvalidInput: text: …"
    )
    assert log.why(StoreMissing("there is no store 'x'")) == "StoreMissing: there is no store 'x'"
    assert log.why(ValueError("the plan 机密")) == "ValueError"


@pytest.mark.parametrize(("zone", "day"), [("Asia/Shanghai", "16"), ("UTC", "15")])
def test_the_day_is_that_of_the_users_zone(home: Home, zone: str, day: str) -> None:
    home.remember("ZONE_9 was agreed 已商定", occurred_at="2026-11-15T17:30:00Z")
    words = ("hook", "prompt", "--harness", "claude")
    ran = home.run(*words, given={"prompt": "ZONE_9 商定?"}, BETHINK_TIMEZONE=zone)
    assert f"2026-11-{day} relevance " in ran.context


@pytest.mark.parametrize(("harness", "answer"), [("claude", ""), ("cursor", '{"continue": true}')])
def test_an_agent_that_says_nothing_is_not_waited_for(
    home: Home, harness: str, answer: str
) -> None:
    """Standard input stays open and empty; the hook gives up by itself."""
    home.remember("Mei prefers dark mode")
    reader, writer = os.pipe()
    try:
        ran = subprocess.run(
            [*PROGRAM, "hook", "prompt", "--harness", harness, "--within", "0.5"],
            stdin=reader,
            capture_output=True,
            check=False,
            env=home.environment,
            timeout=120,
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().strip() == answer
    assert "gave up: not done within 0.5 s" in home.log


@pytest.mark.parametrize("harness", ["claude", "cursor"])
def test_a_held_store_leaves_a_trace(home: Home, harness: str) -> None:
    """The answer is out when the store is waited for; then nobody is there to say it but we."""
    home.remember("Mei prefers dark mode 深色")
    with closing(sqlite3.connect(home.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with open(f"{home.store}.lock", "a+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            given = {"prompt": "Mei dark mode. 记住：深色周五上线。"}
            ran = home.hook("prompt", given, harness=harness)
            assert "Mei prefers" in ran.out and ran.code == 0
            assert f"{harness} prompt: memories: 1" in home.log
            for _ in range(600):
                if len(home.log.splitlines()) > 1:
                    break
                time.sleep(0.1)
        other.execute("ROLLBACK")
    if harness == "cursor":
        assert re.search("after the answer.* gave up|gave up after the answer", home.log)
    assert "周五" not in home.log


def test_a_lock_that_is_never_given_back_is_not_waited_for(home: Home) -> None:
    transcript = home.path / "t.jsonl"
    said = {"type": "user", "message": {"role": "user", "content": "Remember that it rains."}}
    transcript.write_text(json.dumps(said) + "\n")
    folder = home.path / "data/bethink"
    folder.mkdir(parents=True)
    with (folder / "hooks.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        words = ("hook", "stop", "--harness", "claude", "--within", "1.5")
        ran = home.run(*words, given={"transcript_path": str(transcript)})
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "gave up: not done within 1.5 s" in home.log


def test_work_that_is_killed_blocks_nothing(home: Home) -> None:
    """As the kernel does when memory runs out."""
    home.remember("Mei prefers dark mode")
    ran = subprocess.Popen(
        [*PROGRAM, "hook", "prompt", "--harness", "claude", "--within", "50"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=home.environment,
    )
    children = f"/proc/{ran.pid}/task/{ran.pid}/children"
    child = ""
    while not child:  # it waits for its standard input, so it stays
        with open(children) as file:
            child = file.read().strip()
    os.kill(int(child), signal.SIGKILL)
    assert ran.wait(timeout=60) == 0
    assert ran.stdout is not None and ran.stdin is not None
    assert ran.stdout.read() == b""
    ran.stdin.close()
    ran.stdout.close()
    assert "the work died (signal 9)" in home.log


def test_an_agent_that_does_not_listen_any_more(home: Home) -> None:
    home.remember("Mei prefers dark mode")
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [*PROGRAM, "hook", "prompt", "--harness", "claude"],
        input=b'{"prompt": "dark mode"}',
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        env=home.environment,
        timeout=120,
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "BrokenPipeError" in home.log


def test_a_log_that_cannot_be_written_blocks_nothing(home: Home) -> None:
    home.remember("Mei prefers dark mode")
    (home.path / "data").write_text("no folder")
    assert "dark mode" in home.hook("prompt", {"prompt": "dark mode"}).context
    assert home.hook("stop", {}).code == 0


def test_counters_are_kept(home: Home) -> None:
    memory_id = home.remember("Mei prefers dark mode 深色")
    home.hook("prompt", {"prompt": "深色 dark mode"})
    for _ in range(600):  # written after the answer
        with home.engine() as engine:
            memory = engine.get(memory_id)
        if memory is not None and memory.access_count:
            return
        time.sleep(0.1)
    pytest.fail("being handed out was not counted")


def test_the_log_holds_no_content_unless_asked(home: Home) -> None:
    home.remember("Mei prefers dark mode")
    home.hook("prompt", {"prompt": "dark mode of Mei"})
    home.hook("start", {})
    assert "dark" not in home.log and "Mei" not in home.log
    given = {"prompt": "what is ERR_9 错误"}
    home.run("hook", "prompt", "--harness", "claude", given=given, BETHINK_HOOK_LOG="full")
    home.run("hook", "prompt", "--harness", "claude", given=given)
    full, brief = home.log.splitlines()[-2:]
    assert len(full) > len(brief) and "ERR_9" not in brief


def test_the_log_begins_a_new_file_when_it_is_long(home: Home) -> None:
    folder = home.path / "data/bethink"
    folder.mkdir(parents=True)
    (folder / "hooks.log").write_bytes(b"x" * 300_000)
    home.hook("prompt", {"prompt": "a"})
    assert (folder / "hooks.log").stat().st_size < 10_000
    assert (folder / "hooks.log.1").stat().st_size == 300_000


def test_help_is_still_help(home: Home) -> None:
    ran = home.run("hook", "--help")
    assert ran.code == 0 and "--harness" in ran.out
