"""How the command line treats people: groups, suggestions, prefixes of ids, colour, receipts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.doors.cli import commands
from bethink.doors.cli.main import COMMANDS, GROUPS
from tests.doors.running import Cli, in_terminal, process

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_help_lists_every_command_in_exactly_one_group(cli: Cli) -> None:
    assert list(GROUPS) == ["use", "review", "documents", "stories", "agents", "store", "server"]
    files = Path(commands.__file__).parent.glob("*_command.py")
    modules = {file.stem.removesuffix("_command").replace("_", "-") for file in files}
    listed = [name for group in GROUPS.values() for name in group]
    assert sorted(listed) == sorted(modules)
    shown = cli("--help").out
    for name in COMMANDS:
        assert len(re.findall(rf"^  {name} ", shown, re.M)) == 1
    for group in GROUPS:
        assert f"\n{group}:\n" in shown


@pytest.mark.parametrize(
    ("typed", "meant"), [("remeber", "remember"), ("recal", "recall"), ("记住", "remember")]
)
def test_a_mistyped_command_gets_a_suggestion(cli: Cli, typed: str, meant: str) -> None:
    ran = cli(typed, "x")
    assert (ran.code, ran.error["code"]) == (2, "invalid_input")
    said = f"unknown command {typed!r}; did you mean {meant!r}?"
    assert ran.error["message"].startswith(said)
    assert cli(typed, "x", "--text").err.startswith(f"bethink: {said}")


def test_what_is_like_no_command_gets_none(cli: Cli) -> None:
    assert "did you mean" not in cli("xyzzy").err
    assert cli("天气").code == 2


@pytest.mark.parametrize("text", ["Mei likes tea", "小美喜欢茶"])
def test_the_beginning_of_an_id_is_enough(cli: Cli, text: str) -> None:
    whole = cli("remember", text).json["id"]
    short = whole[:20]
    assert cli("get", short).json["id"] == whole
    assert cli("reinforce", short).json["id"] == whole
    assert cli("revise", short, "another text 新的").json["id"] == whole
    assert cli("history", short).json["memory"]["id"] == whole
    assert cli("why-not", short, text).code == 0
    assert cli("get", whole[:3]).code == 3
    assert cli("get", "ffff").code == 3
    assert cli("forget", short, "--text").out == f"{whole} is gone\n"
    assert cli("get", short).code == 3


def test_several_matches_are_listed_and_an_exact_id_wins(cli: Cli) -> None:
    for name in ("预算会议", "预算会议-1", "预算会议-12"):
        cli("remember", f"about {name}", "--id", name)
    assert cli("get", "预算会议").json["id"] == "预算会议"
    refused = cli("get", "预算会议-")
    assert (refused.code, refused.error["code"]) == (2, "invalid_input")
    assert "预算会议-1, 预算会议-12; type more" in refused.error["message"]
    assert cli("forget", "预算会议-1").json["id"] == "预算会议-1"


def test_erasing_by_the_beginning_of_a_chosen_id_asks(cli: Cli) -> None:
    cli("remember", "the tenth note", "--id", "note-10")
    refused = cli("forget", "note-1")
    assert refused.code == 2 and "'note-10'" in refused.error["message"]
    assert cli("get", "note-10").code == 0
    assert cli("forget", "note-1", "--yes").json["id"] == "note-10"


@pytest.mark.parametrize("text", ["We moved the budget review to Friday", "预算评审会改到周五下午"])
def test_offers_are_named_by_their_beginnings(cli: Cli, text: str) -> None:
    whole = cli(
        "offer", f"{text}, because the room is taken until then 会议室被占用", "--confidence", "0.9"
    ).json["id"]
    short = whole[:20]
    assert cli("quarantine", short).json["id"] == whole
    assert cli("reject", short).json["id"] == whole
    assert cli("restore", short).json["id"] == whole
    assert cli("promote", short).json["offer_id"] == whole
    assert cli("undo", short).json["id"] == whole


def test_documents_entries_and_keys_are_named_by_their_beginnings(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "手册.md").write_text("# 年假\n\n每年十五天。\n", "utf-8")
    cli("documents", "add", "手册.md", "--space", "handbook")
    whole = cli("documents", "list", "--space", "handbook").json["id"]
    short = whole.partition("/")[2][:8]
    assert cli("documents", "show", short, "--space", "handbook").json["id"] == whole
    assert cli("documents", "remove", "handbook", "--space", "handbook").code == 3
    gone = cli("documents", "remove", short, "--space", "handbook", "--text").out
    assert gone.startswith(f"{whole} is removed")
    entry = ("--answer", "Within 30 days.", "--id", "refund-10")
    cli("faq", "add", "How do I get a refund?", *entry)
    assert cli("faq", "show", "refund").json["id"] == "refund-10"
    assert cli("faq", "remove", "refund-1").code == 2
    assert cli("faq", "remove", "refund-1", "--yes").code == 0
    key = cli("keys", "create", "小美", "--scope", "read").json["id"]
    assert cli("keys", "revoke", key[:6]).json["id"] == key


@pytest.mark.parametrize(
    ("text", "question", "word"),
    [
        ("Mei prefers dark [bold]mode[/bold] \x1b[31m", "does Mei prefer dark mode", "dark"),
        ("预算评审会改到周五 [red]x[/red]", "预算", "预算"),
    ],
)
def test_a_terminal_gets_colour_and_marked_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, question: str, word: str
) -> None:
    store = tmp_path / "m.db"
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert process("remember", text, store=store).returncode == 0
    code, shown = in_terminal("recall", question, store=store)
    assert code == 0
    assert f"\x1b[1;33m{word}\x1b[0m" in shown
    assert re.search(r"\x1b\[2m +[0-9a-f]{12}-", shown) and "\x1b[32manswered\x1b[0m" in shown
    assert "\x1b[31m" not in shown
    plain = ESCAPE.sub("", shown)
    assert "[bold]" in plain or "[red]x[/red]" in plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in in_terminal("recall", question, store=store)[1]
    piped = process("recall", question, "--text", store=store, NO_COLOR="")
    assert b"\x1b" not in piped.stdout and word.encode() in piped.stdout


def test_a_dumb_terminal_gets_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    look = (
        "import os, pty, sys; _, s = pty.openpty(); os.dup2(s, 1)\n"
        "from bethink.doors.cli.colour import wanted\n"
        "print(wanted(sys.stdout), file=sys.stderr)"
    )
    for term, said in (("dumb", "False"), ("xterm", "True")):
        ran = subprocess.run(
            [sys.executable, "-c", look],
            env={**os.environ, "TERM": term},
            capture_output=True,
            check=True,
        )
        assert ran.stderr.decode().strip() == said


def test_a_pipe_never_loads_rich(tmp_path: Path) -> None:
    store = str(tmp_path / "m.db")
    code = (
        "import sys; from bethink.doors.cli.main import main\n"
        f"main(['remember', '记住 this', '--text', '--store', {store!r}, '--embedder', 'none'])\n"
        f"main(['recall', 'this', '--text', '--store', {store!r}, '--embedder', 'none'])\n"
        "assert 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.parametrize("text", ["Mei prefers dark mode", "小美喜欢深色模式"])
def test_a_receipt_says_what_is_stored_where(cli: Cli, text: str) -> None:
    first = cli("remember", text, "--text").out
    found = re.fullmatch(rf"Remembered in 'global' as (\S+): \"{text}\"\n", first)
    assert found
    again = cli("remember", text, "--text").out
    assert again == f"Told again in 'global' as {found[1]}, reinforced 1×: \"{text}\"\n"


def test_init_takes_a_folder(cli: Cli, own_home: Path) -> None:
    (own_home / "项目").mkdir()
    made = cli("init", "项目", "--yes").json
    assert [book["space"] for book in made["books"]] == ["global", "项目"]
    assert (own_home / "项目/.bethink").is_dir() and not (own_home / ".bethink").exists()
    made = cli("init", ".", "--yes").json
    assert [book["root"] for book in made["books"]] == [str(own_home / ".bethink")]
    assert cli("init", "nowhere", "--yes").code == 2


def test_doctor_before_the_first_use_finds_no_fault(cli: Cli, own_home: Path) -> None:
    assert cli("install", "claude").code == 0
    ran = cli("doctor", "--text")
    assert ran.code == 0 and "FAIL" not in ran.out
    assert "there is none yet" in ran.out
    assert not (own_home / "memory.db").exists()


def test_list_shows_what_recall_finds(cli: Cli, own_home: Path) -> None:
    (own_home / ".git").mkdir()
    cli("init", "--yes")
    cli("remember", "Mei prefers dark mode", "--kind", "preference")
    cli("remember", "预算评审会改到周五", "--kind", "task")
    spaces = set(cli("recall", "mode 预算").json["spaces"])
    listed = cli("list").json["memories"]
    assert {one["space"] for one in listed} == spaces and len(spaces) == 2
