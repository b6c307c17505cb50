"""Killed anywhere while it corrects a line: the old line or the new one is there, whole, and no
line that was acknowledged is ever in neither file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from bethink import Engine
from bethink.notebook.books import Form
from bethink.settings import Settings
from tests.durability.children import Say, kill_after

TRIES = 12


def opened(folder: Path) -> Engine:
    engine = Engine(folder / "memory.db", embedder="hashing", settings=Settings())
    assert engine.books is not None
    engine.books.add(
        folder / "book", space="global", form=Form.NOTEBOOK, writable=True, project=False
    )
    return engine


def test_a_kill_in_the_middle_loses_no_line(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    file, history = tmp_path / "book/agent/decisions.md", tmp_path / "book/history.md"
    with opened(tmp_path) as engine:
        engine.remember("The port 端口 is 1", kind="decision")
    told = ["The port 端口 is 1"]
    acknowledged = list(told)

    def correct(say: Say) -> None:
        with opened(tmp_path) as engine:
            for number in range(10_000):
                value = 1_000_000 * len(told) + number
                say(f"The port 端口 is {value}")
                engine.remember(f"The port 端口 is {value}", kind="decision")
                say("done")

    for attempt in range(TRIES):
        said = kill_after(correct, 0.25 + 0.03 * attempt)
        told += [line for line in said if line != "done"]
        acknowledged += [one for one, after in pairwise(said) if after == "done"]
        lines = file.read_text().splitlines()
        former = history.read_text() if history.exists() else ""
        assert lines[:2] == ["# 决策", ""]
        (current,) = lines[2:]
        assert current.startswith("- ") and current[2:] in told
        for value in acknowledged:
            assert f"- {value}" == current or f"- {value}\n" in former, value
        assert told.index(current[2:]) >= told.index(acknowledged[-1])
    with opened(tmp_path) as engine:
        engine.sync()
        (hit,) = engine.recall("port 端口").hits
        assert f"- {hit.text}" == file.read_text().splitlines()[2]
        chain = engine.succession(hit.id)
        assert len({memory.id for memory in chain}) == len(chain) > 2
