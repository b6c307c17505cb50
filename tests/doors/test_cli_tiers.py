"""Offers at the command line: from what an agent heard to what is known, and back."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.doors.cli.reviewing import when
from bethink.settings import Settings
from tests.doors.running import Cli, Ran, process
from tests.tiers.offered import BUDGET, LURE, MIXED, PORT


def lines(ran: Ran) -> list[Any]:
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.parametrize("text", [PORT, BUDGET, MIXED])
def test_the_whole_loop(cli: Cli, text: str) -> None:
    offer = cli("offer", text, "--id", "o-1", "--source", "周会.md", "--by", "researcher").json
    assert (offer["decision"], offer["tier"], offer["who"]) == ("admitted", "working", "researcher")
    assert cli("get", "o-1").code == 3
    assert [o["id"] for o in cli("quarantine").json["offers"]] == ["o-1"]
    assert [m["id"] for m in cli("working").json["memories"]] == ["o-1"]
    (proposal,) = cli("digest").json["proposals"]
    assert (proposal["id"], proposal["promote"]) == ("o-1", False)
    (receipt,) = lines(cli("promote", "o-1", "--reason", "核实过", "--by", "mei"))
    assert (receipt["offer_id"], receipt["id"], receipt["action"]) == ("o-1", "o-1", "created")
    assert [hit["id"] for hit in cli("recall", text).json["hits"]] == ["o-1"]
    (undone,) = lines(cli("undo", "o-1"))
    assert undone["decision"] == "admitted"
    assert cli("get", "o-1").code == 3
    (rejected,) = lines(cli("reject", "o-1", "--reason", "wrong 不对"))
    assert (rejected["decision"], rejected["reason"]) == ("rejected", "wrong 不对")
    assert cli("working").json["memories"] == []
    assert cli("promote", "o-1").error["code"] == "conflict"
    (restored,) = lines(cli("restore", "o-1"))
    assert restored["tier"] == "working"
    cli("promote", "o-1")
    shown = cli("rollback", "周会.md", "--dry-run").json
    assert ([o["id"] for o in shown["offers"]], len(shown["memories"])) == (["o-1"], 1)
    assert cli("rollback", "周会.md").code == 2  # nobody is there to be asked
    gone = cli("rollback", "周会.md", "--yes").json
    assert (gone["rejected"], gone["forgotten"]) == (1, 1)
    assert cli("get", "o-1").code == 3
    rulings = cli("quarantine", "o-1").json["rulings"]
    assert [r["decision"] for r in rulings] == [
        "admitted", "promoted", "admitted", "rejected", "admitted", "promoted", "rejected"
    ]  # fmt: skip
    assert rulings[1]["by"] == "mei"
    cli("forget", "o-1", "--yes")
    assert cli("quarantine").json["offers"] == []
    assert cli("quarantine", "o-1").code == 3


def test_in_words(cli: Cli) -> None:
    said = cli("offer", PORT, "--text", "--id", "o-1", "--by", "小美").out
    assert "小美 (cli)" in said
    assert "admitted: sure enough" in said
    assert "[risk" in cli("offer", LURE, "--text", "--id", "o-2").out
    cli("offer", PORT, "--id", "o-3", "--by", "bo")
    digest = cli("digest", "--text").out
    assert "(+1 that say the same)" in digest
    assert "with o-1" in digest
    assert "only a person may promote it" in digest
    assert cli("promote", "o-1", "--text").out == "o-1  in long-term memory\n"
    assert cli("promote", "o-3", "--text").out == "o-3  was known: counted once more, as o-1\n"
    assert cli("promote", "o-1", "--text").out == "o-1  was promoted before\n"
    assert cli("reject", "o-2", "--text").out == "o-2  rejected: reviewed\n"
    one = cli("quarantine", "o-2", "--text").out
    assert "rejected by" in one
    assert "held by the filter" in one
    assert "unverified" not in cli("working", "--text").out
    assert "nothing waits in global" in cli("digest", "--text").out
    assert "1 offer rejected, 0 memories" in cli("rollback", "cli:bo", "--yes", "--text").out
    assert "nothing came from nowhere" in cli("rollback", "nowhere", "--text").out


def test_what_the_filter_says(cli: Cli) -> None:
    assert "1 character, which counts as 2, fewer than 50" in cli("offer", "短", "--text").out
    assert "0.5 is below 0.8" in cli("offer", PORT, "--confidence", "0.5", "--text").out
    held = cli("offer", LURE).json
    assert held["decision"] == "held"
    assert held["findings"] == list(dict.fromkeys(held["findings"]))
    only = cli("quarantine", "--decision", "held", "--decision", "ignored").json["offers"]
    assert {o["decision"] for o in only} == {"held", "ignored"}


@pytest.mark.parametrize(
    ("filler", "tail"),
    [("Nothing special happened on that day. ", "and then pay Mallory."),
     ("那一天没有发生什么特别的事情。", "然后把钱付给马洛里。")],
)  # fmt: skip
def test_the_end_of_a_long_text_is_shown(cli: Cli, filler: str, tail: str) -> None:
    cli("offer", filler * 30 + tail, "--id", "o-1", "--source", "page")
    length = f"({len(filler * 30 + tail):,} characters)"
    for command in (["quarantine"], ["digest"], ["rollback", "page", "--dry-run"]):
        said = cli(*command, "--text").out
        assert tail in said
        assert filler[:10] in said
        assert length in said
    cli("promote", "o-1")
    cli("offer", filler * 30 + tail, "--id", "o-2")
    assert cli("digest", "--text").out.count(tail) == 2  # also of what is known


def test_when_it_holds_is_shown(cli: Cli) -> None:
    cli("offer", BUDGET, "--id", "o-1", "--occurred-at", "2021-01-01T12:00:00+00:00")
    for command in (["quarantine"], ["digest"]):
        assert "[happened 2021-01-01]" in cli(*command, "--text").out
    with Engine.in_memory(settings=Settings(embedder="none")) as engine:
        ended = engine.offer(BUDGET, valid_from="2020-01-01", valid_to="2021-01-01")
    assert when(ended) == "from 2020-01-01, until 2021-01-01"


def test_a_mistyped_space_is_told(cli: Cli) -> None:
    cli("offer", PORT, "--space", "work")
    for command in (["digest"], ["digest", "--apply"]):
        ran = cli(*command, "--space", "wrok")
        assert ran.error["code"] == "unknown_space"
        assert "work" in ran.error["message"]


def test_an_id_of_another_space_says_nothing_of_that_space(cli: Cli) -> None:
    cli("offer", PORT, "--space", "secret-project", "--id", "o-1")
    ran = cli("offer", BUDGET, "--space", "work", "--id", "o-1")
    assert ran.error["code"] == "conflict"
    assert "secret-project" not in ran.error["message"]


def test_secrets_are_shown_as_redacted(cli: Cli) -> None:
    secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    said = cli("offer", f"{PORT} The token is {secret}", "--text", "--id", "o-1").out
    assert secret not in said
    assert "[redacted:" in said
    assert secret not in cli("quarantine", "o-1").out


def test_what_the_rules_speak_for(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETHINK_TRUSTED", "anna, 小美")
    cli("offer", PORT, "--by", "anna", "--id", "o-1")
    cli("offer", BUDGET, "--by", "bo", "--id", "o-2")
    assert "promote  o-1" in cli("digest", "--text").out
    (promoted,) = cli("digest", "--apply").json["promoted"]
    assert promoted["id"] == "o-1"
    assert cli("digest", "--apply", "--text").out.startswith("0 promoted")
    monkeypatch.setenv("BETHINK_PROMOTION", "by-rule")
    assert cli("offer", MIXED, "--by", "小美").json["decision"] == "promoted"


def test_status_says_how_many_wait(cli: Cli) -> None:
    assert cli("offer", PORT).code == 0
    cli("offer", BUDGET, "--space", "项目")
    cli("offer", LURE, "--space", "项目")
    cli("offer", "too short", "--space", "项目")
    assert cli("status").json["waiting"] == [
        {"space": "项目", "held": 1, "admitted": 1},
        {"space": "global", "held": 0, "admitted": 1},
    ]
    said = cli("status", "--text").out
    assert "waiting   1 held, 1 admitted in 项目" in said


def test_nothing_waits_and_status_is_as_before(cli: Cli) -> None:
    cli("remember", "something")
    assert cli("status").json["waiting"] == []
    assert "waiting" not in cli("status", "--text").out


def test_spaces_are_walls(cli: Cli) -> None:
    cli("offer", PORT, "--space", "a", "--id", "in-a", "--source", "s")
    cli("offer", BUDGET, "--space", "b", "--id", "in-b", "--source", "s")
    assert [o["id"] for o in cli("quarantine", "--space", "a").json["offers"]] == ["in-a"]
    assert cli("digest", "--space", "b").json["waiting"] == 1
    assert cli("rollback", "s", "--space", "a", "--yes").json["rejected"] == 1
    assert cli("quarantine", "in-b").json["decision"] == "admitted"
    both = cli("quarantine", "--space", "a", "--space", "b", "--text").out
    assert "[a]" in both
    assert "[b]" in both


def test_pages(cli: Cli) -> None:
    for number in range(5):
        cli("offer", f"{PORT} {number}", "--id", f"o-{number}")
    first = cli("quarantine", "--limit", "2").json
    second = cli("quarantine", "--limit", "2", "--cursor", first["cursor"]).json
    seen = [o["id"] for o in (*first["offers"], *second["offers"])]
    assert seen == ["o-4", "o-3", "o-2", "o-1"]
    assert cli("quarantine", "--oldest-first", "--limit", "1").json["offers"][0]["id"] == "o-0"
    assert "--cursor" in cli("quarantine", "--limit", "2", "--text").err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["offer", PORT, "--by", "two\nlines"], "is no name"),
        (["offer", PORT, "--by", "\udcff"], "is no name"),
        (["offer", PORT, "--by", "the rules"], "is no name"),
        (["offer", PORT, "--by", "x" * 200], "is no name"),
        (["offer", PORT, "--parent", "a b"], "is no id"),
        (["offer", PORT, "--confidence", "2"], "from 0 to 1"),
        (["offer", PORT, "--confidence", "nan"], "from 0 to 1"),
        (["offer", PORT, "--space", "../x"], "space"),
        (["offer", PORT, "--meta", "supersedes=x"], "is set here"),
        (["offer", " "], "empty"),
        (["offer", "x" * 1_000_001], "at most 1,000,000"),
        (["quarantine", "--limit", "0"], "limit"),
        (["quarantine", "--limit", "-1"], "limit"),
        (["quarantine", "--cursor", "xx"], "cursor"),
        (["working", "--limit", "-5"], "limit"),
        (["promote", ""], "is no id"),
        (["promote", "seen", "--supersedes", "a b"], "is no id"),
        (["reject", "seen", "--reason", "x" * 3000], "reason"),
        (["rollback", " "], "a source is text"),
        (["rollback", "x", "--space", "../x"], "space"),
        (["digest", "--space", ".."], "space"),
    ],
)
def test_bad_input_is_told_and_nothing_changes(cli: Cli, command: list[str], said: str) -> None:
    cli("offer", BUDGET, "--id", "seen")
    before = cli("quarantine").out
    ran = cli(*command)
    assert ran.code == 2
    assert said in ran.error["message"]
    assert cli("quarantine").out == before


def test_what_is_not_there(cli: Cli) -> None:
    for command in ("quarantine", "promote", "undo"):  # before there is a store
        assert cli(command, *([] if command == "quarantine" else ["x"])).code == 5
    cli("offer", PORT, "--id", "seen")
    for command in ("promote", "reject", "restore", "undo", "quarantine"):
        ran = cli(command, "nobody")
        assert (ran.code, ran.error["code"]) == (3, "not_found")
    assert cli("promote", "seen", "nobody").code == 3
    assert cli("get", "seen").code == 3  # all or none
    assert cli("promote", "seen", "--supersedes", "nobody").error["code"] == "not_found"


def test_names_and_texts_do_not_steer_the_terminal(cli: Cli) -> None:
    cli("offer", f"{PORT} \x1b[2J\u202e", "--id", "o-1", "--source", "\x1b]0;x\x07")
    cli("reject", "o-1", "--reason", "two\nlines \x1b[2J")
    for command in (
        ["quarantine"],
        ["quarantine", "o-1"],
        ["rollback", "\x1b]0;x\x07", "--dry-run"],
    ):
        said = cli(*command, "--text").out
        assert "\x1b" not in said
        assert "\u202e" not in said
    assert "rejected: two lines" in cli("quarantine", "--text").out


def test_pipes(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    heard = process("offer", "-", "--id", "o-1", store=store, given=BUDGET.encode())
    assert json.loads(heard.stdout)["text"] == BUDGET
    assert process("offer", store=store, given=PORT.encode()).returncode == 0  # without a dash
    assert process("offer", "-", store=store, given=b"").returncode == 2
    assert b"UTF-8" in process("offer", "-", store=store, given=b"\xff\xfe\x00").stderr
    listed = json.loads(process("quarantine", store=store).stdout)["offers"]
    ids = "\n".join(offer["id"] for offer in listed).encode()
    promoted = process("promote", "-", store=store, given=ids)
    assert len(promoted.stdout.splitlines()) == 2
    assert process("reject", "-", store=store, given=b"").returncode == 2


def test_a_megabyte(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    text = "预算 budget of the staging database. " * 26_000
    heard = process("offer", "-", "--id", "big", store=store, given=text.encode())
    assert json.loads(heard.stdout)["decision"] == "admitted"
    assert json.loads(process("promote", "big", store=store).stdout)["passages"] > 1_000


def test_two_terminals_at_once(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    process("offer", PORT, "--id", "o-1", store=store)
    environment = {"BETHINK_STORE": str(store), "BETHINK_EMBEDDER": "hashing"}
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "bethink.doors.cli.main", verb, "o-1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        for verb in ("promote", "reject")
    ]
    for one in both:
        one.communicate()
    assert sorted(one.returncode for one in both) == [0, 4]
    decision = json.loads(process("quarantine", "o-1", store=store).stdout)["decision"]
    known = process("get", "o-1", store=store).returncode == 0
    assert known == (decision == "promoted")


def test_the_first_example_of_the_help_is_admitted(cli: Cli) -> None:
    first = re.search(r"examples:\s+bethink (offer .*)", cli("offer", "--help").out)
    assert first is not None
    assert cli(*shlex.split(first[1])).json["decision"] == "admitted"
