"""Many processes that sync at once, and those that die: nothing is lost, nothing is doubled."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.notebook.ledger import Ledger
from bethink.settings import Settings
from bethink.stores.sqlite.store import SQLiteStore
from tests.durability.children import Child, Say
from tests.notebook.shelf import DECISIONS, TOY, Shelf, counts, shelf


def open_again(at: Shelf) -> Engine:
    return Engine(at.store, embedder=TOY, settings=Settings())


def test_processes_that_sync_at_once_lose_and_double_nothing(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(150):
            at.write(f"n{n}.md", f"# Note {n}\n\n第 {n} 条 text\n")

    def work(say: Say) -> None:
        with open_again(at) as engine:
            for _ in range(3):
                report = engine.sync()
                say(f"{report.added} {report.complete}")

    children = [Child(work) for _ in range(4)]
    said = [line.split() for child in children for line in child.lines()]
    assert len(said) == 12
    assert all(complete == "True" for _, complete in said)
    assert sum(int(added) for added, _ in said) == 150
    again = Shelf(tmp_path)
    with again.engine:
        assert len(again.memories()) == 150


def test_files_that_change_while_two_processes_sync(tmp_path: Path) -> None:
    with shelf(tmp_path) as at:
        for n in range(20):
            at.write(f"n{n}.md", f"# Note {n}\n\n第 0 版 of {n}\n")
        at.sync()

    def work(say: Say) -> None:
        with open_again(at) as engine:
            for _ in range(15):
                engine.sync()

    children = [Child(work) for _ in range(2)]
    chance = random.Random(1)
    for version in range(1, 40):
        n = chance.randrange(20)
        (at.root / f"n{n}.md").write_text(f"# Note {n}\n\n第 {version} 版 of {n}\n", "utf-8")
        time.sleep(0.005)
    assert [child.lines() for child in children] == [[], []]
    again = Shelf(tmp_path)
    with again.engine:
        assert again.sync().complete
        expected = {
            f"Note {n}\n" + (again.root / f"n{n}.md").read_text("utf-8").split("\n\n")[1].strip()
            for n in range(20)
        }
        assert set(again.memories()) == expected


STEPS = (
    (Ledger, ("place", "vanish", "settle", "erased")),
    (SQLiteStore, ("put", "revise_many", "delete", "finish_erasing")),
)


def dies_at(step: int) -> None:
    """From now on this process is killed at the step of that number: a moment before the work that
    a sync does there, or a moment after it."""
    left = step

    def instead(work: Any) -> Any:
        def counted(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            result = work(*arguments, **options)
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counted

    for kind, names in STEPS:
        for name in names:
            setattr(kind, name, instead(getattr(kind, name)))


def test_a_sync_that_is_killed_at_any_step_is_finished_by_the_next(tmp_path: Path) -> None:
    """New, edited, moved, renamed and deleted at once; kill -9 before and after every step."""
    step = 0
    while True:
        folder = tmp_path / str(step)
        folder.mkdir()
        with shelf(folder) as at:
            at.write("agent/decisions.md", DECISIONS + "- The port is 8080.\n")
            at.write("old.md", "# Old\n\n旧文件 with text\n")
            at.write("gone.md", "# Gone\n\nxylophonequagga 斑马\n")
            at.sync()
            before = at.ids()
            at.engine.store.touch(accessed={}, reinforced=dict.fromkeys(before.values(), 5))
        at.write("agent/decisions.md", DECISIONS + "- The port is 9090.\n- New 新的.\n")
        at.write("agent/patterns.md", "# P\n\n- The port is 8080.\n")
        (at.root / "old.md").rename(at.root / "新.md")
        (at.root / "gone.md").unlink()
        at.write("more.md", "# More\n\n更多 and more\n")

        def work(say: Say, at: Shelf = at, step: int = step) -> None:
            engine = open_again(at)
            dies_at(step)
            assert engine.sync().complete
            say("done")

        with Child(work) as child:
            heard = child.lines()
        assert heard in ([], ["done"])
        again = Shelf(folder)
        with again.engine:
            assert again.sync().complete
            after = again.memories()  # says so if one is there twice
            assert set(after) == {
                "Use apsw for SQLite.", "预算会议改到周五。", "The port is 9090.", "New 新的.",
                "The port is 8080.", "Old\n旧文件 with text", "More\n更多 and more",
            }, step  # fmt: skip
            for text in before.keys() & after.keys():
                assert (after[text].id, after[text].reinforcement) == (before[text], 5), step
            assert after["Old\n旧文件 with text"].source == "新.md"
            assert counts(again.sync()) == (0, 0, 0, 0)
            assert again.engine.store.pending(["work"]) == 0
            assert again.bytes_anywhere("xylophonequagga") == []
        if heard:
            break
        step += 1
    assert step > 10


@pytest.mark.parametrize("seed", range(3))
def test_a_sync_that_is_killed_is_finished_by_the_next(tmp_path: Path, seed: int) -> None:
    """Killed again and again at any moment, with edits, moves and deletions in between."""
    chance = random.Random(seed)
    with shelf(tmp_path) as at:
        pass
    truth: dict[str, str] = {}
    number = 0

    def change() -> None:
        nonlocal number
        for _ in range(25):
            what = chance.random()
            if what < 0.6 or not truth:
                number += 1
                path = f"n{number}.md"
                truth[path] = f"unique{number}x 第 {number} 条"
            elif what < 0.75:
                path = chance.choice(sorted(truth))
                truth[path] += " and more"
            elif what < 0.9:
                old = chance.choice(sorted(truth))
                path = f"moved/{Path(old).name}"
                if path in truth:
                    continue
                truth[path] = truth.pop(old)
                (at.root / old).unlink()
            else:
                old = chance.choice(sorted(truth))
                del truth[old]
                (at.root / old).unlink()
                continue
            file = at.root / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# T\n\n{truth[path]}\n", "utf-8")

    def work(say: Say) -> None:
        open_again(at).sync()
        say("done")

    killed = 0
    for _ in range(14):
        change()
        with Child(work) as child:
            time.sleep(chance.uniform(0.0, 0.06))
            killed += child.kill() != ["done"]
    assert killed > 3
    again = Shelf(tmp_path)
    with again.engine:
        assert again.sync().complete
        expected = sorted(f"T\n{text}" for text in truth.values())
        page = again.engine.list(spaces="work", limit=1_000).memories
        assert sorted(memory.text for memory in page) == expected
        assert {m.source for m in page} == set(truth)
        assert counts(again.sync()) == (0, 0, 0, 0)
        assert all(check.ok for check in again.engine.store.check() if check.part != "disk")
