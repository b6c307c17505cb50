"""The command line, as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bethink.doors.cli.main import COMMANDS
from tests.doors.running import Cli


def test_remember_recall_get_revise_history_forget(cli: Cli) -> None:
    told = cli("remember", "Mei prefers dark mode", "--kind", "preference", "--tag", "ui").json
    assert told["action"] == "created"
    zh = cli("remember", "预算会议改到周五", "--occurred-at", "2026-05-06", "--meta", "轮次=2").json

    answer = cli("recall", "dark mode").json
    assert answer["status"] == "answered"
    assert answer["hits"][0]["id"] == told["id"]
    assert answer["hits"][0]["channels"]["words"]["rank"] == 0
    assert "trace" not in answer
    assert cli("recall", "预算").json["hits"][0]["id"] == zh["id"]

    shown = cli("get", zh["id"]).json
    assert shown["metadata"] == {"轮次": 2}
    assert shown["occurred_at"].startswith("2026-05-0")

    assert cli("revise", told["id"], "Mei prefers light mode", "--tag", "theme").code == 0
    assert cli("get", told["id"]).json["tags"] == ["theme"]
    assert cli("history", told["id"]).json["history"][0]["text"] == "Mei prefers dark mode"

    assert cli("reinforce", told["id"], "--times", "2").json["action"] == "reinforced"
    assert cli("get", told["id"]).json["reinforcement"] == 2

    assert cli("forget", told["id"]).json["action"] == "forgotten"
    gone = cli("get", told["id"])
    assert gone.code == 3
    assert gone.error["code"] == "not_found"
    assert "list the memories" in gone.error["message"]


def test_explain_prints_the_trace_and_changes_no_counter(cli: Cli) -> None:
    memory_id = cli("remember", "the lighthouse keeper 灯塔").json["id"]
    answer = cli("recall", "灯塔", "--explain").json
    stages = [step["stage"] for step in answer["trace"]["steps"]]
    assert {"fuse", "hydrate", "deduplicate", "budget"} < set(stages)
    assert cli("get", memory_id).json["access_count"] == 0
    cli("recall", "灯塔")
    assert cli("get", memory_id).json["access_count"] == 1

    text = cli("recall", "灯塔", "--explain", "--text").out
    assert "hydrate" in text
    assert "words: rank 1" in text


def test_text_form_is_for_people(cli: Cli) -> None:
    cli("remember", "Mei prefers dark mode")
    answer = cli("recall", "dark mode", "--text").out
    assert "1. Mei prefers dark mode" in answer
    assert "words #1" in answer
    assert "answered" in answer
    assert cli("recall", "dark mode", "--markdown").out == "- Mei prefers dark mode\n"
    assert cli("recall", "zebra 斑马", "--words", "--markdown").out == ""


def test_spaces_are_walls(cli: Cli) -> None:
    cli("remember", "the launch is on 12 June", "--space", "work")
    cli("remember", "my own garden")
    assert cli("recall", "launch", "--words").json["status"] == "empty"
    assert cli("recall", "launch", "--space", "work").json["hits"]
    asked = ("recall", "launch garden", "--floor", "0")
    both = cli(*asked, "--space", "work", "--space", "global").json
    assert {hit["space"] for hit in both["hits"]} == {"work", "global"}
    unknown = cli("recall", "launch", "--space", "wrok")
    assert unknown.json["status"] == "empty"
    assert "spaces that exist: global, work" in unknown.err
    assert {s["name"] for s in cli("spaces").json} == {"global", "work"}

    refused = cli("forget", "--space", "work")
    assert refused.code == 2  # no terminal to ask in, and no --yes
    assert "--yes" in refused.error["message"]
    assert cli("forget", "--space", "work", "--yes").json == {"space": "work", "forgotten": 1}


def test_filters_and_their_errors(cli: Cli) -> None:
    cli("remember", "alpha task", "--kind", "task", "--confidence", "0.5")
    cli("remember", "alpha decision 决定", "--kind", "decision")
    found = cli("recall", "alpha", "--where", '{"kind": "decision", "confidence": {">": 0.9}}').json
    assert [hit["kind"] for hit in found["hits"]] == ["decision"]
    assert [m["kind"] for m in cli("list", "--where", '{"kind": "task"}').json["memories"]] == [
        "task"
    ]
    for bad in ('{"kindd": 1}', "[1]", "not json", '{"metadata.a\\"b": 1}'):
        failed = cli("recall", "alpha", "--where", bad)
        assert failed.code == 2
        assert failed.error["code"] in ("invalid_input", "invalid_filter")


def test_list_goes_on_with_a_cursor(cli: Cli) -> None:
    for number in range(5):
        cli("remember", f"fact number {number}")
    first = cli("list", "--limit", "2").json
    assert [m["text"] for m in first["memories"]] == ["fact number 4", "fact number 3"]
    rest = cli("list", "--limit", "10", "--cursor", first["cursor"]).json
    assert len(rest["memories"]) == 3
    assert rest["cursor"] is None
    oldest = cli("list", "--oldest-first", "--limit", "1").json
    assert oldest["memories"][0]["text"] == "fact number 0"


def test_bulk_takes_what_it_can_and_names_the_rest(cli: Cli, tmp_path: Path) -> None:
    lines = [
        '{"text": "first 第一"}',
        "this is no JSON",
        '{"text": ""}',
        '{"text": "second", "colour": "red"}',
        "",
        '{"text": "third", "id": "mine"}',
        '["a list"]',
    ]
    path = tmp_path / "facts.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    ran = cli("remember", "--jsonl", str(path), "--tag", "bulk")
    assert ran.code == 2
    assert ran.json["created"] == 2
    assert [failure["line"] for failure in ran.json["failed"]] == [2, 3, 4, 7]
    assert cli("get", "mine").json["tags"] == ["bulk"]
    again = cli("remember", "--jsonl", str(path)).json
    assert again["unchanged"] == 1
    assert again["reinforced"] == 1


def test_export_import_without_loss(cli: Cli, tmp_path: Path) -> None:
    first = cli("remember", "Mei prefers dark mode", "--tag", "ui").json["id"]
    cli("remember", "预算会议", "--space", "work")
    cli("revise", first, "Mei prefers light mode")
    cli("recall", "light mode")
    out = tmp_path / "all.jsonl"
    assert cli("export", "--out", str(out)).code == 0
    other = str(tmp_path / "other.db")
    assert cli("import", str(out), "--store", other).json["created"] == 2
    again = cli("import", str(out), "--store", other).json
    assert (again["unchanged"], "created" in again) == (2, False)
    copied = cli("export", "--store", other).out
    assert [json.loads(x) for x in copied.splitlines()] == [
        json.loads(x) for x in out.read_text("utf-8").splitlines()
    ]
    assert json.loads(copied.splitlines()[0])["history"][0]["text"] == "Mei prefers dark mode"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["remember", ""], "empty"),
        (["remember", "   "], "empty"),
        (["remember", "x", "--confidence", "7"], "0 to 1"),
        (["remember", "x", "--occurred-at", "soon"], "2026-05-01"),
        (["remember", "x", "--space", "a b"], "name for a space"),
        (["remember", "x", "--meta", "novalue"], "KEY=VALUE"),
        (["remember", "--file", "missing.txt"], "no file"),
        (["remember", "--file", "."], "directory"),
        (["remember", "--jsonl", "missing.jsonl"], "no file"),
        (["recall", " "], "empty"),
        (["recall", "x", "--limit", "0"], "1 to"),
        (["recall", "x", "--budget", "-5"], "1 to"),
        (["recall", "x", "--deadline", "0"], "seconds"),
        (["recall", "x", "--preset", "nope"], "balanced"),
        (["recall", "x", "--words", "--meaning"], "exclude"),
        (["recall", "x", "--as-of", "whenever"], "2026-05-01"),
        (["list", "--cursor", "abc"], "cursor"),
        (["revise", "nobody", "text"], "nobody"),
        (["reinforce", "nobody"], "nobody"),
        (["forget"], "--space"),
        (["forget", "nobody"], "nobody"),
        (["history", "nobody"], "nobody"),
        (["import", "missing.jsonl"], "no file"),
        (["models", "pull"], "which model"),
        (["models", "pull", "nope"], "known"),
        (["models", "use", "arctic-s"], "models pull arctic-s"),
        (["models", "use", "use-m+arctic-s"], "models pull arctic-s"),
        (["models", "use", "arctic-s+use-m"], "put one that reads every language first"),
        (["models", "use", "use-m+nope"], "there is no model 'nope'"),
        (["models", "pull", "use-m+arctic-s", "--from", "here"], "one by one"),
        (["config", "get", "nope"], "known"),
        (["config", "set", "limit", "many"], "number"),
        (["export", "--out", "missing/dir/x.jsonl"], "cannot be written"),
        (["remember", "x", "--store", "no/such/dir/m.db"], "does not exist"),
        (["recall", "x", "--store", "typo.db"], "there is no store"),
    ],
)
def test_wrong_input_is_told_plainly(cli: Cli, arguments: list[str], hint: str) -> None:
    cli("init")
    ran = cli(*arguments)
    assert ran.code in (2, 3, 5)
    assert hint in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("arguments", [["frobnicate"], ["recall", "x", "--limit", "ten"], []])
def test_wrong_usage_shows_where_help_is(cli: Cli, arguments: list[str]) -> None:
    ran = cli(*arguments)
    assert ran.code == 2
    assert "--help" in ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    ran = cli(command, "--help")
    assert ran.code == 0
    assert COMMANDS[command][1:] in " ".join(ran.out.split())


def test_every_setting_can_be_seen_set_and_unset(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("config", "get", "budget").json == {"budget": 1500}
    cli("config", "set", "budget", "900")
    assert cli("config").json["budget"]["value"] == 900
    monkeypatch.setenv("BETHINK_BUDGET", "700")
    assert cli("config").json["budget"] == {
        "value": 700,
        "from": "BETHINK_BUDGET",
        "meaning": "how many tokens a recall may use",
    }
    monkeypatch.delenv("BETHINK_BUDGET")
    cli("config", "unset", "budget")
    assert cli("config", "get", "budget").json == {"budget": 1500}
    cli("config", "set", "endpoint_key", "s3cret")
    assert "s3cret" not in cli("config").out


def test_without_an_embedder_words_answer_and_the_status_says_so(cli: Cli) -> None:
    told = cli("remember", "the lighthouse 灯塔", "--embedder", "arctic-s")
    assert told.json["embedded"] is False
    assert "words only" in told.err
    answer = cli("recall", "灯塔", "--embedder", "arctic-s")
    assert answer.json["status"] == "degraded"
    assert answer.json["hits"]
    assert "models pull" in answer.json["reasons"][0]
    chosen = cli("recall", "灯塔", "--embedder", "none").json
    assert chosen["status"] == "answered"


def test_demo_answers_in_both_languages(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETHINK_EMBEDDER", "use-m")
    answers = {a["query"]: a["hits"][0]["text"] for a in cli("demo", "--json").json["answers"]}
    assert "dark mode" in answers["which colour theme does Mei like?"]
    assert "周五" in answers["什么时候开预算会？"]
    assert "ERR_CONN_1042" in answers["how do I get rid of ERR_CONN_1042"]
    assert "PostgreSQL" in answers["Why did we pick our database?"]
    assert "李雷" in answers["谁负责支付？"]
    assert "? 谁负责支付？" in cli("demo").out  # to be read, through a pipe as well


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(cli: Cli, shell: str) -> None:
    assert "bethink" in cli("completion", shell).out


def test_a_taken_id_stops_neither_bulk_nor_import(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "the first", "--id", "a")
    lines = [
        '{"id": "n1", "text": "新"}',
        '{"id": "a", "text": "changed"}',
        '{"id": "n2", "text": "M"}',
    ]
    (tmp_path / "facts.jsonl").write_text("\n".join(lines), "utf-8")
    ran = cli("remember", "--jsonl", "facts.jsonl")
    assert ran.code == 2
    assert ran.json["created"] == 2
    assert [failure["line"] for failure in ran.json["failed"]] == [2]
    cli("export", "--out", "backup.jsonl")
    cli("revise", "n1", "revised since")
    cli("forget", "n2")
    taken = cli("import", "backup.jsonl")
    assert taken.code == 0
    assert [taken.json[fate] for fate in ("created", "conflict", "unchanged")] == [1, 1, 1]
    assert taken.json["differing"] == ["backup.jsonl:2"]
    assert cli("get", "n2").json["text"] == "M"
    assert cli("get", "n1").json["text"] == "revised since"


def test_told_again_with_more_says_what_it_did_not_take(cli: Cli) -> None:
    cli("remember", "told 告诉", "--tag", "one")
    again = cli("remember", "told 告诉", "--tag", "two", "--confidence", "0.3").json
    assert again["action"] == "reinforced"
    assert "tags, confidence" in again["notes"][0]
    assert "revise" in again["notes"][0]


def test_the_named_identifier_comes_first(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BETHINK_EMBEDDER", "use-m")
    for text in (
        "ERR_CONN_1043 means that the certificate has expired",
        "ERR_CONN_1044: connection error, what it means and how to fix it",
        "ERR_CONN_1045 connection reset error 连接错误怎么解决",
        "Last week the nightly build broke and after a long search we saw that ERR_CONN_1042 was "
        "written to the log because somebody had switched the proxy off",
    ):
        cli("remember", text)
    for question in (
        "what does ERR_CONN_1042 mean?",
        "how do I fix connection error ERR_CONN_1042",
        "ERR_CONN_1042 连接错误怎么解决",
    ):
        assert "ERR_CONN_1042" in cli("recall", question).json["hits"][0]["text"]


# Thresholds


def test_thresholds_are_checked_and_may_be_unset(cli: Cli) -> None:
    cli("remember", "Mei prefers dark mode 小美喜欢深色主题")
    assert cli("recall", "深色 mode", "--min-meaning", "-1", "--min-words", "0").json["hits"]
    for option in ("--meaning-threshold", "--words-threshold"):
        for value in ("nan", "1.5"):
            ran = cli("recall", "深色 mode", option, value)
            assert ran.code != 0
            assert f"{option}: expected a" in ran.error["message"]
    assert cli("config", "get", "words_threshold").json == {"words_threshold": None}
    assert cli("config", "get", "words_threshold", "--text").out == "\n"
    assert cli("config", "set", "words_threshold", "0.5").code == 0
    assert cli("config", "get", "words_threshold").json == {"words_threshold": 0.5}
