"""Asking on the command line: presets, forms of the answer, and why something is not in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.recall.presets import PURPOSES
from bethink.recall.render import FORMATS
from tests.doors.running import Cli


def test_a_preset_brings_its_form(cli: Cli) -> None:
    text = "先跑测试，再发布 release。每一步都要有人看过结果，才能走下一步；"
    text += "出了问题先停下来，再找原因。"
    cli("offer", text, "--id", "step")
    zh = f"## 历史上下文\n\n### 记录 1 (相关度: 1.00)\n(未核实)\n{text}\n"
    en = f"## History\n\n### Record 1 (relevance: 1.00)\n(unverified)\n{text}\n"
    for form in ("history", "model"):
        asked = ("recall", "发布", "--preset", "workflow", "--format", form)
        assert cli(*asked).out == zh
        assert cli(*asked, "--language", "en").out == en
    ran = cli("recall", "发布", "--preset", "workflow", "--format", "model")
    assert "a model sees" in ran.err and "tokens" in ran.err
    assert cli("recall", "发布", "--preset", "workflow", "--format", "model", "--quiet").err == ""


def test_the_language_of_headings_is_a_setting(cli: Cli) -> None:
    cli("offer", "先跑测试，再发布 release。每一步都要有人看过结果，才能走下一步。", "--id", "step")
    asked = ("recall", "发布", "--preset", "workflow", "--format", "model")
    assert cli(*asked).out.startswith("## 历史上下文\n")
    cli("config", "set", "heading_language", "en")
    assert cli(*asked).out.startswith("## History\n")
    assert cli(*asked, "--language", "zh").out.startswith("## 历史上下文\n")


def test_how_much_may_be_unverified(cli: Cli) -> None:
    text = "The release is on Friday at noon, after the review. 发布在周五中午，评审之后。"
    cli("offer", text, "--id", "heard", "--space", "release")
    asked = ("recall", "发布 release", "--space", "release", "--preset", "workflow")
    (hit,) = cli(*asked).json["hits"]
    assert (hit["id"], hit["tier"], hit["verified"]) == ("heard", "working", False)
    none = cli(*asked, "--unverified", "0").json
    assert (none["status"], none["hits"]) == ("below_floor", [])
    assert "set --unverified-share to 1" in none["reasons"][0]
    assert none["nearest"]["verified"] is False
    refused = cli(*asked, "--unverified", "2")
    assert refused.code == 2
    assert (
        "--unverified-share: expected a share of the hits from 0 to 1" in refused.error["message"]
    )
    cli("promote", "heard")
    (hit,) = cli(*asked, "--unverified", "0").json["hits"]
    assert (hit["id"], hit["tier"], hit["verified"]) == ("heard", "long_term", True)


def test_every_format(cli: Cli) -> None:
    cli("remember", "Mei prefers dark mode 小美喜欢深色", "--id", "it")
    for form in FORMATS:
        assert "dark mode" in cli("recall", "dark mode 深色", "--format", form).out
    assert cli("recall", "dark mode", "--format", "brief").out.startswith("it  ")
    response = cli("recall", "dark mode", "--format", "search-response").json
    assert list(response) == ["results", "total_tokens", "budget_remaining"]
    assert response["results"][0]["chunk_id"] == "it#0"
    assert cli("recall", "dark mode", "--format", "json").json["hits"][0]["id"] == "it"
    assert "1. Mei prefers" in cli("recall", "dark mode", "--format", "text").out
    assert cli("recall", "dark mode", "--format", "markdown").out == (
        cli("recall", "dark mode", "--markdown").out
    )


@pytest.mark.parametrize("form", ["markdown", "brief", "history", "model"])
def test_nothing_found_prints_nothing(cli: Cli, form: str) -> None:
    cli("init")
    ran = cli("recall", "zebra 斑马", "--words", "--format", form)
    assert (ran.code, ran.out) == (0, "")


def test_one_form_at_a_time(cli: Cli) -> None:
    cli("remember", "x")
    for more in (["--json"], ["--text"], ["--markdown"]):
        ran = cli("recall", "x", "--format", "brief", *more)
        assert ran.code == 2 and "choose one form of answer" in ran.err
    assert cli("recall", "x", "--format", "json", "--json").code == 0
    assert cli("recall", "x", "--markdown", "--json").out == "- x\n"
    assert cli("recall", "x", "--format", "sideways").code == 2


def test_the_nearest_miss_is_shown(cli: Cli) -> None:
    cli("remember", "Mei prefers dark mode 小美", "--id", "it")
    asked = (
        "recall",
        "Mei 小美 zebra giraffe",
        "--preset",
        "ranks",
        "--min-words",
        "0.9",
        "--words",
    )
    ran = cli(*asked)
    assert ran.json["status"] == "below_floor"
    assert ran.json["nearest"]["id"] == "it"
    assert "lower --meaning-threshold or --words-threshold" in ran.err
    text = cli(*asked, "--text", "--explain").out
    assert "nearest miss: Mei prefers dark mode 小美" in text
    assert "nearest miss it:" in text


def test_presets_are_listed(cli: Cli) -> None:
    record = cli("presets").json["presets"]
    assert [one["name"] for one in record] == list(PURPOSES)
    assert all(one["purpose"] and one["steps"] for one in record)
    text = cli("presets", "skill", "--text").out
    assert text.splitlines()[0] == f"skill: {PURPOSES['skill']}"
    assert "fuse: FuseUnion(meaning=0.7, words=0.3)" in text
    assert "balanced" not in text
    ran = cli("presets", "magic")
    assert ran.code == 2 and "known: balanced, workflow" in ran.error["message"]
    for command in ("recall", "why-not", "presets"):
        helped = " ".join(cli(command, "--help").out.split())
        assert all(name in helped for name in PURPOSES)


def test_an_unknown_preset_names_the_known_ones(cli: Cli) -> None:
    cli("remember", "x", "--id", "it")
    for asked in (["recall", "x"], ["why-not", "it", "x"]):
        ran = cli(*asked, "--preset", "magic")
        assert ran.code == 2
        assert f"known: {', '.join(PURPOSES)}" in ran.error["message"]


@pytest.mark.parametrize("text", ["Mei prefers dark mode", "小美喜欢深色主题"])
def test_why_not(cli: Cli, text: str) -> None:
    cli("remember", text, "--id", "it")
    cli("remember", "the lake 湖", "--id", "lake", "--space", "work")
    hit = cli("why-not", "it", text, "--preset", "ranks").json
    assert (hit["outcome"], hit["rank"]) == ("hit", 1)
    elsewhere = cli("why-not", "lake", text).json
    assert elsewhere["outcome"] == "other_space"
    shown = cli("why-not", "it", "zebra", "斑马", "--preset", "ranks", "--words", "--text").out
    assert shown.startswith("it: not_found\n")
    assert "words: holds none of: zebra 斑马" in shown
    assert cli("get", "it").json["access_count"] == 0


def test_why_not_of_nobody(cli: Cli) -> None:
    cli("remember", "x")
    ran = cli("why-not", "nobody", "x")
    assert ran.code == 3 and "nobody" in ran.err
    assert cli("why-not").code == 2


def test_presets_are_completed(tmp_path: Path) -> None:
    """As a shell asks for it."""
    line = "bethink recall x --preset "
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "out"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run(
        [sys.executable, "-m", "bethink.doors.cli.main"], env=environment, timeout=60, check=False
    )
    completed = (tmp_path / "out").read_text().split()
    assert completed == list(PURPOSES)


def test_a_question_from_a_pipe(cli: Cli, tmp_path: Path) -> None:
    cli("remember", "Mei prefers dark mode", "--id", "it")
    ran = subprocess.run(
        [sys.executable, "-m", "bethink.doors.cli.main", "why-not", "it", "-", "--words"],
        input="小美 dark mode".encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert json.loads(ran.stdout)["outcome"] == "hit"
