"""An option may stand between the words of a command; what none is, is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bethink.doors.cli.main import build_parser
from tests.doors.running import Cli


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


@pytest.mark.parametrize(
    ("line", "told", "where"),
    [
        ("serve --worker 2", "--worker (did you mean --workers?)", "bethink serve --help"),
        ("recall 深色 --limitt=3", "--limitt (did you mean --limit?)", "bethink recall --help"),
        ("source list --spaec 笔记", "--spaec (did you mean --space?)", "bethink source --help"),
        ("status --zzz", "--zzz", "bethink status --help"),
        ("status 多了 words", "多了 words", "bethink status --help"),
        ("status --stor postgresql://u:GEHEIM@h/d", "--stor (did you mean --store?)", "status"),
        ("status --stor=postgresql://u:GEHEIM@h/d", "--stor (did you mean --store?)", "status"),
        ("status qdrant://GEHEIM@h/d", "qdrant://…", "bethink status --help"),
    ],
)
def test_what_a_command_does_not_know(cli: Cli, line: str, told: str, where: str) -> None:
    refused = cli(*line.split())
    assert refused.code == 2
    said = refused.error["message"]
    assert said.startswith(f"unrecognized arguments: {told}; try: ")
    assert where in said
    assert "GEHEIM" not in refused.err
