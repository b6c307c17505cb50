"""An option may stand between the words of a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.doors.cli.main import build_parser


@pytest.mark.parametrize(
    "line",
    [
        "story cast cast.json --project P",
        "story cast --project P cast.json",
        "story --project P cast cast.json",
    ],
)
def test_wherever_the_option_stands(line: str) -> None:
    parsed = build_parser("story").parse_args(line.split())
    assert (parsed.what, parsed.project) == ("cast", "P")
    assert "cast.json" in json.dumps(vars(parsed), default=str)


def test_a_folder_after_its_option(tmp_path: Path) -> None:
    parsed = build_parser("source").parse_args(["source", "add", "--space", "笔记", str(tmp_path)])
    assert (parsed.what, parsed.space, parsed.folder) == ("add", "笔记", str(tmp_path))
    assert build_parser("source").parse_args(["source"]).what == "list"
