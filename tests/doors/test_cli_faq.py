"""Frequent questions on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.doors.running import Cli


def test_from_adding_to_asking(cli: Cli) -> None:
    added = cli("faq", "add", "How do I get a refund?", "--answer", "Within 30 days.", "--similar",
                "money back", "--negative", "how do I return a bike", "--tag", "money", "--space",
                "shop")  # fmt: skip
    assert added.code == 0
    assert added.json["negative"] == ["how do I return a bike"]
    cli("faq", "add", "怎么退款？", "--answer", "三十天内。", "--id", "退", "--space", "shop")
    listed = [json.loads(line) for line in cli("faq", "list", "--space", "shop").out.splitlines()]
    assert [one["id"] for one in listed] == [added.json["id"], "退"]
    assert (
        "怎么退款？  [0 similar, 0 negative]" in cli("faq", "list", "--space", "shop", "--text").out
    )
    assert cli("faq", "list", "--tag", "money", "--space", "shop").json["tags"] == ["money"]
    shown = cli("faq", "show", "how do i get a refund", "--space", "shop", "--text").out
    assert "not meant: how do I return a bike" in shown
    asked = cli("recall", "money back", "--space", "shop", "--preset", "knowledge").json
    assert asked["hits"][0]["text"] == "How do I get a refund?\nWithin 30 days."
    asked = cli("recall", "How do I return a bike?!", "--space", "shop", "--preset", "knowledge")
    assert all(hit["id"] != added.json["id"] for hit in asked.json["hits"])


def test_disabled_enabled_removed(cli: Cli) -> None:
    cli("faq", "add", "怎么退款？", "--answer", "三十天内。", "--id", "退")
    cli("faq", "add", "How?", "--answer", "So.")
    assert len(cli("faq", "disable", "退", "How").json["disabled"]) == 2
    assert cli("recall", "退款").json["hits"] == []
    assert "(disabled)" in cli("faq", "list", "--text").out
    assert cli("faq", "enable", "怎么退款", "--text").out.endswith(" is enabled\n")
    assert cli("recall", "退款").json["hits"]
    assert cli("faq", "remove", "退").json["removed"]
    gone = cli("faq", "show", "退")
    assert (gone.code, gone.error["code"]) == (3, "not_found")
    assert cli("faq", "remove", "nobody").code == 3


def test_files(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "问题.csv"
    file.write_bytes("标准问题,答案\n怎么退款？,三十天内。\n,空\n".encode("gb18030"))
    tried = cli("faq", "import", str(file), "--dry-run", "--space", "shop")
    assert tried.code == 5  # a look does not make a store
    ran = cli("faq", "import", str(file), "--space", "shop")
    assert (ran.code, ran.json["added"], ran.json["failed"][0]["place"]) == (2, 1, 3)
    assert "row 3: an entry needs a 'question'" in ran.err
    again = cli("faq", "import", str(file), "--space", "shop", "--text")
    assert again.out == "0 added, 0 changed, 1 as before, 1 not taken\n"
    assert cli("faq", "import", str(file), "--space", "shop", "--dry-run").json["dry_run"]
    out = tmp_path / "out.csv"
    assert cli("faq", "export", str(out), "--space", "shop").json["entries"] == 1
    assert "怎么退款？" in out.read_text("utf-8-sig")
    piped = cli("faq", "export", "-", "--space", "shop").json
    assert piped["answers"] == ["三十天内。"]


def test_what_does_not_belong_is_refused(cli: Cli) -> None:
    for words, why in (
        (("list", "x"), "takes no 'x'"),
        (("list", "--answer", "a"), "--answer is for 'bethink faq add'"),
        (("add", "q", "--dry-run"), "--dry-run is for 'bethink faq import'"),
        (("add", "two", "words", "--answer", "a"), "one QUESTION"),
        (("add", "q"), "needs an answer"),
        (("import",), "a FILE"),
        (("remove",), "what to remove?"),
    ):
        ran = cli("faq", *words)
        assert ran.code == 2
        assert why in ran.error["message"]
