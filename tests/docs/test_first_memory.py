"""The first tutorial is true: without notebooks, and after yes to both of them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.docs.test_docs import ROOT, blocks
from tests.doors.running import Cli, Ran, in_terminal
from tests.doors.running import cli as cli
from tests.doors.running import own_home as own_home

PAGE = ROOT / "docs/tutorial/first-memory.md"


def lines_of(heading: str) -> list[list[str]]:
    """The commands under a heading of the page, as words without `bethink`."""
    text = PAGE.read_text("utf-8")
    part = re.split(r"^## ", text[text.index(f"## {heading}\n") + 3 :], maxsplit=1, flags=re.M)[0]
    found = re.findall(r"^bethink (.*)$", part, re.M)
    assert found
    return [shlex.split(line, comments=True) for line in found]


@pytest.mark.parametrize("notebooks", [False, True], ids=["no", "yes to both"])
def test_every_line_of_the_page_is_true(cli: Cli, own_home: Path, notebooks: bool) -> None:
    if notebooks:
        (own_home / ".git").mkdir()
        code, shown = in_terminal(
            *lines_of("Install")[-1], store=own_home / "memory.db", typed=b"y\ny\n", cwd=own_home
        )
        assert code == 0 and shown.count("Do this?") == 2
    else:
        assert cli("init").code == 0

    def run(words: list[str]) -> Ran:
        ran = cli(*words, "--text")
        assert ran.code == 0, ran.err
        return ran

    told = [run(words) for words in lines_of("Tell it things")]
    for ran, start in zip(told, ("Mei prefers", "预算评审会", "The build fails"), strict=True):
        assert ran.out.startswith("Remembered in '") and f'"{start}' in ran.out
        assert ran.out.count("\n") == 1
    assert [".md)" in ran.out for ran in told] == [notebooks, notebooks, False]
    again = run(lines_of("Tell it things")[0]).out
    assert again.startswith("Told again in 'global'") and "reinforced 1×" in again

    for words, found in zip(
        lines_of("Ask"), ("Mei prefers dark", "预算评审会", "ERR_CONN_1042"), strict=True
    ):
        hits = cli(*words).json["hits"]
        assert found in hits[0]["text"]
    assert "preset balanced" in run(lines_of("Ask why")[0]).out

    apart = lines_of("Keep things apart")
    assert run(apart[0]).out.startswith("Remembered in 'work'")
    asked = [cli(*words).json for words in apart[1:]]
    assert "work" not in asked[0]["spaces"] and "global" in asked[0]["spaces"]
    assert [any("12 June" in h["text"] for h in one["hits"]) for one in asked] == [
        False,
        True,
        True,
    ]

    listing, revise, history, forget = lines_of("Change your mind")
    listed = cli(*listing).json["memories"]
    assert {one["space"] for one in listed} <= set(asked[0]["spaces"])
    (mei,) = [one for one in listed if one["text"].startswith("Mei")]
    others = [one["id"] for one in listed if one is not mei]
    short = next(
        mei["id"][:n] for n in range(4, 30) if not any(o.startswith(mei["id"][:n]) for o in others)
    )
    assert mei["id"] in run([short if word == "ID" else word for word in revise]).out
    former = run([short if word == "ID" else word for word in history]).out
    assert "dark mode" in former and "light mode" in former
    assert run([short if word == "ID" else word for word in forget]).out == f"{mei['id']} is gone\n"
    assert "Mei" not in json.dumps(cli(*listing).json)
    assert not any("light mode" in f.read_text("utf-8") for f in own_home.rglob("*.md"))


def test_the_page_has_bash_blocks_only() -> None:
    assert len(blocks(PAGE, "bash")) == PAGE.read_text("utf-8").count("```") // 2
