"""Every example runs, as a person would start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = {
    "two_agents.py": ("ignored", "refused", "admitted", "## 历史上下文", "promoted"),
    "langgraph_workflow.py": ("history: empty", "Plan for Friday", "tier_change"),
    "story_tools.py": ('"left arm": "injured"', '"injured"', "hid it", "still injured"),
}


def test_no_example_is_forgotten() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == EXAMPLES.keys()


@pytest.mark.parametrize(("name", "says"), EXAMPLES.items())
def test_it_runs(name: str, says: tuple[str, ...], tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(FOLDER / name)],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    place = 0
    for words in says:  # in this order
        place = ran.stdout.index(words, place)
