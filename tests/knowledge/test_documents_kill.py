"""A process that adds a folder is killed at any moment: doing it again finishes, and until then no
half document looks ready."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents_kept import Document

KILLS = 6
# Small transactions, so that a kill meets documents that take many.
ADD = """
import sys
from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.engine import whole_documents
from bethink.knowledge.documents import adding, keeping

keeping.AT_ONCE = adding.AT_ONCE = whole_documents.AT_ONCE = 20
with Engine(sys.argv[1], embedder="hashing") as engine:
    base = KnowledgeBase(engine, "handbook")
    print("begun", flush=True)
    base.add(sys.argv[2], removed=True)
"""


def written(folder: Path, version: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(12):
        sections = 90 if number % 3 == 0 else 7
        if version == 2:
            sections = 60 if number % 3 == 0 else 15
        text = "\n\n".join(
            f"# Part {at} 第{at}部\n\nversion{version} of {number}.{at} 第{version}版的内容。"
            for at in range(sections)
        )
        (folder / f"{number:02d}.md").write_text(text, "utf-8")


def begin(store: Path, folder: Path) -> subprocess.Popen[bytes]:
    started = subprocess.Popen(
        [sys.executable, "-c", ADD, str(store), str(folder)], stdout=subprocess.PIPE
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"begun\n"
    return started


def check(store: Path, version: int) -> list[Document]:
    """What looks ready is whole, and of one version."""
    with Engine(store, embedder="hashing") as engine:
        base = KnowledgeBase(engine, "handbook")
        shown = base.documents()
        for one in shown:
            if one.state != "ready":
                continue
            parts = base.document_parts(one.id)
            assert len(parts) == one.sections
            versions = {part.text.partition("version")[2][:1] for part in parts}
            assert versions == {str(version)} or versions == {str(version - 1)}, one
        return shown


@pytest.mark.slow
def test_killed_while_adding_and_while_replacing(tmp_path: Path) -> None:
    chance = random.Random(8)
    store, folder = tmp_path / "m.db", tmp_path / "docs"
    for version in (1, 2):
        written(folder, version)
        whole = begin(tmp_path / f"whole{version}.db", folder)
        began = time.perf_counter()
        whole.communicate()
        assert whole.returncode == 0
        took = time.perf_counter() - began
        cut_short = 0
        for _ in range(KILLS):
            running = begin(store, folder)
            time.sleep(chance.uniform(0, took))
            os.kill(running.pid, signal.SIGKILL)
            running.communicate()
            cut_short += running.returncode == -signal.SIGKILL
            check(store, version)
        assert cut_short
        last = begin(store, folder)
        last.communicate()
        assert last.returncode == 0
        shown = check(store, version)
        assert [one.state for one in shown] == ["ready"] * 12
        with Engine(store, embedder="hashing") as engine:
            assert engine.store.count(spaces=["handbook"]) == 12 + sum(o.sections for o in shown)
            texts = {m.text for m in KnowledgeBase(engine, "handbook")._shelf.of_kind("section")}
            assert all(f"version{version}" in text for text in texts)
            assert all(check.ok for check in engine.store.check())
