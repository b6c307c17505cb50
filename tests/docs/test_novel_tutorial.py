"""A novelist follows the tutorial: every file is saved, every command typed, in a folder of their
own; and what is printed is what the page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).parents[2] / "docs/tutorial/novel.md"
INSTALL = "python3 -m venv .venv && .venv/bin/pip install '.[story]'"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
_FILE = re.compile(r"`([^`\s]+\.(?:json|md))`")
_SCORE = re.compile(r"^\d\.\d\d  ")


class Block(NamedTuple):
    language: str
    text: str
    file: str  # named in the sentences before it


def read(page: str) -> list[Block]:
    found: list[Block] = []
    end = 0
    for match in _BLOCK.finditer(page):
        named = _FILE.findall(page[end : match.start()])
        found.append(Block(match[1], match[2], named[-1] if named else ""))
        end = match.end()
    return found


def typed(line: str, desk: Path) -> str:
    """As in a terminal: the program prints text there, not JSON."""
    words = [*shlex.split(line), "--text"]
    assert words[0] == "bethink", line
    environment = {
        **os.environ,
        "PYTHONIOENCODING": "utf-8",
        "XDG_CONFIG_HOME": str(desk / "config"),
        "BETHINK_STORE": str(desk / "memory.db"),
    }
    ran = subprocess.run(
        [sys.executable, "-m", "bethink.doors.cli.main", *words[1:]],
        capture_output=True,
        encoding="utf-8",
        cwd=desk,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, f"{line}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of somebody who has followed the page to its end."""
    desk = tmp_path_factory.mktemp("my-novel")
    blocks = read(PAGE.read_text("utf-8"))
    shown, thread, commands = "", "", 0
    for block in blocks:
        if block.language == "bash":
            shown = ""
            for line in block.text.splitlines():
                if line == INSTALL:
                    continue  # the venv of whoever runs this has it
                shown = typed(line.replace("THREAD", thread), desk)
                commands += 1
        elif block.language == "text":
            if "    THREAD\n" in block.text:
                thread = re.findall(r"^    (\S+)$", shown, re.M)[0]
            printed = [_SCORE.sub("", line) for line in shown.splitlines()]
            place = 0
            for said in block.text.replace("THREAD", thread).splitlines():  # in this order
                fits = [n for n, line in enumerate(printed) if n >= place and line.startswith(said)]
                assert fits, f"{said!r} is not in\n{shown}"
                place = fits[0] + 1
        else:
            assert block.file, f"which file is this?\n{block.text}"
            assert not (desk / block.file).exists()
            (desk / block.file).write_text(block.text, "utf-8")
    assert commands >= 20 and thread
    return desk


def test_every_command_does_what_the_page_says(desk: Path) -> None:
    context = json.loads((desk / "context.json").read_text("utf-8"))
    assert (context["project_id"], context["chapter_index"]) == ("salt-lamp", 2)
    assert context["entity_states"][0]["facts"] == {"holder": "Brandt"}


def test_the_promise_is_open_until_it_is_kept(desk: Path) -> None:
    """What the page says of threads and of the future, asked after its last command."""
    ask = "bethink story threads --project salt-lamp --chapter {} --scene 2"
    assert "promised" in typed(ask.format(9), desk)
    assert "promised" not in typed(ask.format(10), desk)
    late = "bethink story state Tobin --project salt-lamp --chapter 9 --scene 1"
    assert "left arm: healed" in typed(late, desk)
    assert "mood" not in typed(late, desk)


def test_the_installation_is_that_of_the_readme() -> None:
    readme = (PAGE.parents[2] / "README.md").read_text("utf-8")
    assert INSTALL.replace("'.[story]'", ".") in readme
    assert INSTALL in PAGE.read_text("utf-8")
