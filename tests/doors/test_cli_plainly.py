"""What a person who asks on the command line is told: reasons, errors and explanations."""

from __future__ import annotations

import re
from math import exp
from pathlib import Path

import pytest

from bethink.embedders.models import MODELS
from bethink.settings import EMBEDDERS, is_embedder
from tests.doors.running import Cli

# Reasons


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("what did I do on 2 March 2021?", "there is nothing of 2021-03-02; it was searched"),
        ("2021年3月2日做了什么", "there is nothing of 2021-03-02; it was searched"),
        ("what is the", "the question holds no word to search for"),
        ("的 是 吗", "the question holds no word to search for"),
    ],
)
def test_a_reason_is_in_the_answer_of_every_form(cli: Cli, question: str, reason: str) -> None:
    cli("remember", "I did the dishes in March 三月做了家务", "--kind", "journal")
    asked = ("recall", question, "--preset", "notebook")
    text = cli(*asked, "--text", "--quiet")
    assert reason in text.out
    assert cli(*asked, "--text").err == ""  # once is enough
    assert cli(*asked, "--text", "--explain").out.count(reason) == 2  # in its stage, and at the end
    record = cli(*asked)
    assert record.json["reasons"][0].startswith(reason)
    for form in ("markdown", "brief", "history", "search-response", "model"):
        assert reason in cli(*asked, "--format", form).err


# Explaining


@pytest.mark.parametrize("form", ["markdown", "brief", "history", "search-response", "model"])
def test_explaining_goes_beside_what_a_model_reads(cli: Cli, form: str) -> None:
    cli("remember", "Mei prefers dark mode 小美喜欢深色", "--id", "it")
    asked = ("recall", "dark mode 深色", "--format", form)
    plain, explained = cli(*asked), cli(*asked, "--explain")
    assert explained.out == plain.out
    assert "preset balanced, " in explained.err
    assert "  hit 1 it: " in explained.err
    assert "preset balanced" not in plain.err
    assert "  hit 1 it: " in cli(*asked, "--explain", "--quiet").err  # it was asked for


# What a score is made of


@pytest.mark.parametrize("question", ["dark mode", "深色主题", "dark 主题"])
def test_a_hit_names_the_parts_of_its_score(cli: Cli, question: str) -> None:
    cli("remember", "dark mode 深色主题", "--id", "it")
    for other in ("the lake is cold", "湖水很冷", "lunch at noon"):
        cli("remember", other)
    lines = cli("recall", question, "--text", "--explain").out.splitlines()
    assert lines[1].endswith("  it  note  (meaning #1, words #1)")  # the relevance alone
    (made,) = [line for line in lines if line.startswith("  hit 1 it: ")]
    said = re.search(r"; relevance (0\.\d{3}) = σ\((.*?)\)", made)
    assert said is not None
    parts = re.findall(r"([+−]) (\d+\.\d\d) ([a-z ]+?)(?= [+−]|$)", said[2])
    assert {"base", "words", "meaning"} <= {name for _, _, name in parts}
    log_odds = sum(float(size) * (1 if sign == "+" else -1) for sign, size, _ in parts)
    assert 1 / (1 + exp(-log_odds)) == pytest.approx(float(said[1]), abs=0.02)  # all are rounded
    first = cli("recall", question, "--preset", "notebook", "--text").out.splitlines()[1]
    assert " relevance + " in first and " recency" in first


def test_the_demo_names_the_parts_too(cli: Cli) -> None:
    told = cli("demo").out.splitlines()
    lines = [line for line in told if "because: " in line]
    assert lines[0].endswith("because: entity #1, meaning #1, words #1")
    assert any("exact #1" in line for line in lines)
    assert any(re.search(r"relevance 0\.\d{3} = σ\(− \d\.\d\d base ", line) for line in told)


# Errors


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--words-threshold", "a share of the question's words from 0 to 1"),
        ("--meaning-threshold", "a cosine from -1 to 1"),
        ("--floor", "a relevance from 0 to 1"),
        ("--limit", "a whole number from 1 to 1,000"),
        ("--budget", "a whole number from 1 to 1,000,000"),
        ("--deadline", "seconds from 0.001 to 3,600"),
    ],
)
def test_an_error_names_the_option_and_its_range(cli: Cli, option: str, expected: str) -> None:
    cli("remember", "x", "--id", "it")
    for asked in (["recall", "预算"], ["why-not", "it", "预算"]):
        ran = cli(*asked, option, "abc")
        assert (ran.code, ran.out) == (2, "")
        assert f"{option}: expected {expected}, got 'abc'" in ran.err
        assert "--help" in ran.err
        for value in ("-2", "5000000"):
            ran = cli(*asked, option, value)
            assert ran.code == 2
            assert ran.error["message"].startswith(f"{option}: expected {expected}, got ")


def test_an_unknown_embedder_is_an_error(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "Mei prefers dark mode 小美喜欢深色", "--id", "it")
    said = "there is no embedder 'nope'; known: use-m, arctic-s, hashing, none, openai:MODEL"
    for asked in (["recall", "深色"], ["recall", "dark", "--words"], ["why-not", "it", "dark"]):
        ran = cli(*asked, "--embedder", "nope")
        assert (ran.code, ran.out) == (2, "")
        assert ran.error["message"] == f"--embedder: {said}"
    ran = cli("config", "set", "embedder", "nope")
    assert ran.code == 2 and said in ran.err
    assert not (tmp_path / "config/bethink/config.toml").exists()
    # out of a variable or a file it keeps nobody from remembering, and the question says it
    monkeypatch.setenv("BETHINK_EMBEDDER", "nope")
    assert cli("remember", "another thing 另一件事").code == 0
    ran = cli("recall", "深色")
    assert ran.code == 2 and said in ran.err
    assert cli("recall", "深色", "--words").json["hits"][0]["id"] == "it"


@pytest.mark.parametrize("name", ["arctic-s", "openai:some-model"])
def test_a_known_embedder_that_cannot_be_had_leaves_words(cli: Cli, name: str) -> None:
    cli("remember", "Mei prefers dark mode 小美喜欢深色", "--id", "it", "--embedder", name)
    for question in ("深色", "dark"):
        ran = cli("recall", question, "--embedder", name)
        assert (ran.code, ran.json["status"]) == (0, "degraded")
        assert ran.json["hits"][0]["id"] == "it"


def test_the_names_of_embedders_are_those_of_the_registry() -> None:
    assert (*(model.id for model in MODELS), "none") == EMBEDDERS
    assert is_embedder("openai:m") and not is_embedder("openai:") and not is_embedder("")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no file"),
        ("[[route]\n", "cannot be read"),
        ("[[route]]\nname = '任务'\n", "patterns are a list of texts"),
    ],
)
def test_routes_are_read_when_they_are_set(
    cli: Cli, tmp_path: Path, content: str | None, says: str
) -> None:
    path = tmp_path / "routes.toml"
    if content is not None:
        path.write_text(content, "utf-8")
    ran = cli("config", "set", "routes", str(path))
    assert ran.code == 2 and says in ran.error["message"]
    assert not (tmp_path / "config/bethink/config.toml").exists()


def test_routes_are_kept_by_their_whole_path(cli: Cli, tmp_path: Path) -> None:
    text = (
        "[[route]]\nname = 'runbooks'\npatterns = ['运维手册', 'runbooks']\nwhere = {kind = 'r'}\n"
    )
    (tmp_path / "routes.toml").write_text(text, "utf-8")
    assert cli("config", "set", "routes", "routes.toml").code == 0
    assert cli("config", "get", "routes").json == {"routes": str(tmp_path / "routes.toml")}
    cli("remember", "restart the proxy 重启代理", "--kind", "r", "--id", "it")
    for question in ("runbooks", "运维手册"):
        answer = cli("recall", question, "--preset", "notebook").json
        assert list(answer["hits"][0]["channels"]) == ["route"]
    assert cli("config", "set", "routes", "").code == 0


# Terminals


def test_a_memory_cannot_steer_the_terminal(cli: Cli, tmp_path: Path) -> None:
    evil = "深色 theme \x1b]0;pwned\x07 \u202etxet"
    told = cli("remember", evil, "--id", "evil", "--source", "a\x1b[2Jb.md").json
    for command in (
        ("recall", "theme"),
        ("get", told["id"]),
        ("list",),
        ("recall", "--explain", "theme"),
    ):
        ran = cli(*command, "--text")
        assert "\\u001b" in ran.out
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.out + ran.err)
    assert cli("get", "evil").json["text"] == evil
    assert evil in cli("recall", "theme", "--format", "markdown").out  # a pipe to a model: as it is
    missing = cli("import", str(tmp_path / "no\x1b[2Jfile"), "--text")
    assert missing.code == 2
    assert "no\\u001b[2Jfile" in missing.err


# Columns


def _columns(line: str, until: str) -> int:
    """Where something begins in a terminal, in which a Chinese character takes two columns."""
    before = line[: line.index(until)]
    return sum(1 if character.isascii() else 2 for character in before)


def test_lists_stand_in_columns_in_either_language(cli: Cli) -> None:
    for kind in ("instruction", "事实", "note"):
        cli("remember", f"@ {kind}", "--kind", kind)
    assert len({_columns(line, "@") for line in cli("list", "--text").out.splitlines()}) == 1
    cli("remember", "text", "--space", "盐灯")
    spaces = cli("spaces", "--text").out.splitlines()
    assert len({_columns(line, "memories") for line in spaces}) == 1
    cli("tenants", "create", "研发部")
    tenants = cli("tenants", "list", "--text").out.splitlines()
    assert len({_columns(line, "/") for line in tenants}) == 1
    audit = [line for line in cli("audit", "--text").out.splitlines() if "create" in line]
    cli("tenants", "create", "acme")
    audit += [line for line in cli("audit", "--text").out.splitlines() if "acme" in line]
    assert len({_columns(line, "create_tenant") for line in audit}) == 1
