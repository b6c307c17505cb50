"""What people see while much is taken in: how far the embedding is, which takes most of the time,
and of what is kept nothing but what is."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest

from bethink import Engine
from bethink.embedders.protocol import embed_question, embed_texts
from bethink.embedders.watching import watched
from bethink.settings import Settings
from tests.doors.http.served import until
from tests.doors.running import in_terminal
from tests.embedders.serving import Reply, Request, server_at
from tests.embedders.test_openai_compatible import well
from tests.embedders_of_tests import Letters

MANY = 150  # three batches of the embedder, one of the store


def given(folder: Path, form: str) -> Path:
    texts = [f"第 {n} 条：预算会议改到周五 note number {n}" for n in range(MANY)]
    if form == "file":
        path = folder / "told.jsonl"
        path.write_text(
            "".join(json.dumps({"id": f"m{n}", "text": t}) + "\n" for n, t in enumerate(texts)),
            "utf-8",
        )
        return path
    path = folder / "笔记"
    path.mkdir()
    for n, text in enumerate(texts):
        (path / f"{n}.md").write_text(f"# 标题 {n}\n\n{text}\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (("import",), "file"),
        (("source", "add"), "folder"),
        (("documents", "add"), "folder"),
        (("remember", "--jsonl"), "file"),
    ],
)
def test_embedding_is_seen_while_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], form: str
) -> None:
    """The embedder waits with its second batch until the first was shown."""
    seen = bytearray()
    batches: list[int] = []

    def in_no_hurry(request: Request) -> Reply:
        batches.append(len(request.json["input"]))
        if batches.count(64) == 2:
            until(lambda: re.search(rb"embedded 64/\d+", seen))
        return well(request)

    with server_at("/v1", in_no_hurry) as server:
        monkeypatch.setenv("BETHINK_ENDPOINT", server.address)
        code, shown = in_terminal(
            *command,
            str(given(tmp_path, form)),
            "--embedder",
            "openai:small",
            store=tmp_path / "m.db",
            seen=seen,
        )
    assert code == 0, shown
    before, _, _ = shown.partition("embedded 64/")
    kept = {int(n) for n in re.findall(r"(\d+)/(?:\d+|\?)", re.sub(r"\x1b\[[\d;?]*\w", "", before))}
    assert kept <= {0}, before  # nothing is said to be kept before it is
    if command[0] != "remember":  # which reads its lines as they come
        assert f"0/{MANY}" in before
    assert f"{MANY}/" in shown


def test_nothing_is_kept_when_texts_are_embedded(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    with Engine(tmp_path / "m.db", embedder=Letters(), settings=Settings()) as engine:
        with watched(lambda done, of: told.append((done, of, engine.store.count()))):
            engine.remember_many([{"text": f"事实 fact {n}"} for n in range(20)])
        assert told == [(8, 20, 0), (16, 20, 0), (20, 20, 0)]
        engine.remember("nobody watches any more 没人看了")
        assert len(told) == 3


def test_a_watcher_sees_its_own_texts_only() -> None:
    told: list[tuple[int, int]] = []
    with watched(lambda *far: told.append(far)):
        other = threading.Thread(
            target=embed_texts, args=(Letters(), ["别人的 somebody's"]), kwargs={"kind": "document"}
        )
        other.start()
        other.join()
        embed_question(Letters(), "a question 问题")
        assert told == []
        with watched(lambda *far: None):
            embed_texts(Letters(), ["inner 里面"], kind="document")
        embed_texts(Letters(), ["outer 外面"], kind="document")
    assert told == [(1, 1)]
