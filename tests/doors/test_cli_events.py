"""`bethink events`: what happened, for people and for programs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.doors.running import Cli, Ran, process

LONG = (
    "小美确认:下次发布前先在预发环境演练迁移,再在凌晨两点执行,"
    "并提前一天通知客服值班的同事,谢谢大家。"
)


def lines(ran: Ran) -> list[Any]:
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def fill(cli: Cli) -> None:
    cli("remember", "Mei prefers dark mode", "--space", "work")
    cli("recall", "Mei 的 dark mode", "--space", "work")
    cli("offer", LONG, "--space", "release")
    cli("recall", "迁移", "--space", "release", "--space", "work")


def test_recalls_and_tier_changes_are_there_by_space_kind_and_id(cli: Cli) -> None:
    fill(cli)
    every = lines(cli("events"))
    assert [e["kind"] for e in every] == ["retrieval_trace", "tier_change", "retrieval_trace"]
    assert [e["id"] for e in every] == sorted({e["id"] for e in every})
    assert every[0]["data"]["question"] == "Mei 的 dark mode"
    assert every[1]["spaces"] == ["release"]
    assert "Mei prefers" not in json.dumps(every)
    assert LONG not in json.dumps(every, ensure_ascii=False)
    assert lines(cli("events", "--space", "work")) == every[:1]
    assert lines(cli("events", "--space", "work", "--space", "release")) == every
    assert lines(cli("events", "--kind", "tier_change")) == every[1:2]
    assert lines(cli("events", "--after", str(every[0]["id"]))) == every[1:]
    assert lines(cli("events", "--limit", "1")) == every[2:]
    first = cli("events", "--after", "0", "--limit", "1")
    assert lines(first) == every[:1]
    assert f"--after {every[0]['id']}" in first.err


def test_lines_for_people(cli: Cli) -> None:
    fill(cli)
    shown = cli("events", "--text").out.splitlines()
    assert "retrieval_trace  [work]  answered, hits 1" in shown[0]
    assert "Mei 的 dark mode" in shown[0]
    assert "tier_change  [release]  admitted" in shown[1]
    assert "(offered → working)" in shown[1]
    assert "[release, work]" in shown[2]


def test_a_question_cannot_steer_the_terminal(cli: Cli) -> None:
    cli("remember", "dark mode")
    cli("recall", "dark \x1b[2J\x07 mode \u202e主题")
    for form in ("--text", "--json"):
        out = cli("events", form).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert "\\u001b[2J" in out


def test_nothing_yet(cli: Cli) -> None:
    cli("remember", "x")
    assert cli("events", "--text").out == "no such events are kept\n"
    assert lines(cli("events")) == []


def test_switched_off(cli: Cli, monkeypatch: Any) -> None:
    monkeypatch.setenv("BETHINK_KEEP_EVENTS", "0")
    fill(cli)
    ran = cli("events")
    assert lines(ran) == []
    assert "keep_events is 0" in ran.err


def test_wrong_options_are_named(cli: Cli) -> None:
    cli("remember", "x")
    assert "invalid choice: 'tier'" in cli("events", "--kind", "tier").err
    assert cli("events", "--limit", "0").code == 2
    assert cli("events", "--after", "-1").code == 2
    assert "no name for a space" in cli("events", "--space", "!").error["message"]
    for options in ([], ["--after", "0"]):
        assert cli("events", "--space", "typo", *options).error["code"] == "unknown_space"
    assert "no event has the id 99999 yet" in cli("events", "--after", "99999").error["message"]
    assert (
        "no event has the id 99 yet" in cli("events", "--follow", "--after", "99").error["message"]
    )


def test_following_sees_other_processes_until_it_is_interrupted(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    process("remember", "深色主题 dark mode", store=store)
    process("recall", "before", store=store)
    environment = {**os.environ, "BETHINK_STORE": str(store), "BETHINK_EMBEDDER": "hashing"}
    with subprocess.Popen(
        [sys.executable, "-m", "bethink.doors.cli.main", "events", "--follow", "--after", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as following:
        assert following.stdout is not None
        assert json.loads(following.stdout.readline())["data"]["question"] == "before"
        process("recall", "现在", store=store)
        assert json.loads(following.stdout.readline())["data"]["question"] == "现在"
        following.send_signal(signal.SIGINT)
        assert following.wait(60) == 0


def test_a_store_that_may_only_be_read_answers_all_the_same(tmp_path: Path) -> None:
    """Whoever may not write the log asks as before."""
    from bethink import Engine
    from bethink.settings import Settings

    path = tmp_path / "m.db"
    with Engine(path, embedder="none", settings=Settings()) as engine:
        engine.remember("深色主题 dark mode")
    log = tmp_path / "m.db.events"
    log.mkdir()  # nothing can be written there, whoever asks
    with Engine(path, embedder="none", settings=Settings()) as engine:
        assert engine.recall("dark mode").hits
        engine.events.flush()
        assert "events cannot be kept" in engine.events.fault
        assert any("events cannot be kept" in note for note in engine.status().notes)
        assert [c.ok for c in engine.doctor() if c.part == "keeping events"] == [False]
        assert engine.recall("深色").hits
