"""The note that holds the identifier of the question is among the few that are injected, and stands
before those that hold a near miss: with the bilingual model, and by words alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from bethink import Engine
from bethink.notebook.forms import Form
from bethink.settings import Settings
from tests.notebook.exactness_corpus import Note, corpus

NOTES, QUESTIONS = corpus()
OWNER = {note.identifier: note for note in NOTES if note.identifier}
FAMILY = {note.path: note.family for note in NOTES}
AT_MOST = 3


class Outcome(NamedTuple):
    missing: list[str]
    displaced: list[str]
    crowded: list[str]


def test_the_corpus_is_what_it_should_be() -> None:
    assert len(OWNER) >= 200
    assert len(OWNER) == sum(note.identifier != "" for note in NOTES), "an identifier twice"
    assert {note.kind for note in NOTES} >= {
        *("error", "flag", "setting", "api", "version", "path", "environment", "table", "commit"),
    }
    assert all(size >= 3 for family, size in Counter(FAMILY.values()).items() if family >= 0)
    asked = Counter(question.identifier for question in QUESTIONS)
    assert asked.keys() == OWNER.keys() and set(asked.values()) == {2}
    chinese = sum(not question.text.isascii() for question in QUESTIONS)
    assert chinese >= len(QUESTIONS) / 2
    texts = [note.text for note in NOTES]
    for count in (sum(t.isascii() for t in texts), sum(not t.isascii() for t in texts)):
        assert count >= 50


def ask_all(engine: Engine) -> Outcome:
    outcome = Outcome([], [], [])
    for question in QUESTIONS:
        right = OWNER[question.identifier]
        answer = engine.recall(question.text, spaces="work", preset="skill")
        found = [hit.memory.source for hit in answer.hits]
        told = f"{question.text} -> {found}"
        if len(found) > AT_MOST:
            outcome.crowded.append(told)
        if right.path not in found:
            outcome.missing.append(told)
        near = [path for path in found if path != right.path and FAMILY[path] == right.family]
        if near and found[0] != right.path:
            outcome.displaced.append(told)
    return outcome


def shelve(engine: Engine, root: Path, notes: list[Note]) -> None:
    (root / "notes").mkdir(parents=True)
    for note in notes:
        (root / note.path).write_text(note.text + "\n", "utf-8")
    assert engine.books is not None
    engine.books.add(root, space="work", form=Form.NOTES, writable=True, project=True)
    report = engine.sync()
    assert report.added == len(notes), report


@pytest.mark.parametrize("embedder", [None, "none"], ids=["bilingual", "words alone"])
def test_the_note_that_holds_the_identifier_is_injected(
    tmp_path: Path, embedder: str | None
) -> None:
    settings = Settings(sync_seconds=0)
    with Engine(tmp_path / "m.db", embedder=embedder, settings=settings) as engine:
        shelve(engine, tmp_path / "book", NOTES)
        outcome = ask_all(engine)
    assert outcome.crowded == []
    assert outcome.displaced == []
    assert len(outcome.missing) <= len(QUESTIONS) / 100, outcome.missing


def test_an_identifier_that_only_the_index_names_finds_its_note(tmp_path: Path) -> None:
    root = tmp_path / "book"
    rows = "".join(
        f"| 主题 {at} | [n]({note.path}) | {note.identifier} |\n"
        for at, note in enumerate(NOTES)
        if note.kind == "error"
    )
    notes = [
        n._replace(text=n.text.replace(n.identifier, "it")) for n in NOTES if n.kind == "error"
    ]
    with Engine(tmp_path / "m.db", embedder="none", settings=Settings(sync_seconds=0)) as engine:
        root.mkdir()
        (root / "INDEX.md").write_text(
            "| 标题 | 文件 | 何时加载 |\n|---|---|---|\n" + rows, "utf-8"
        )
        shelve(engine, root, notes)
        for note in notes:
            for question in QUESTIONS:
                if question.identifier == note.identifier:
                    hits = engine.recall(question.text, spaces="work", preset="skill").hits
                    assert hits[0].memory.source == note.path, question
