"""Reading labelled sets, and the sets that are made from the pairs."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from benchmarks.quality.parallel import parallel_sets, read_pairs
from benchmarks.quality.sets import folders_in, load, moment


def _write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / name).write_text(text, "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    _write(folder, "corpus.jsonl", [
        {"id": "a", "text": "甲", "group": "g", "timestamp": "2023-04-27",
         "seq": 7, "speaker": "A"},
        {"id": "b", "text": "b", "group": "g"},
    ])  # fmt: skip
    _write(folder, "queries.jsonl", [
        {"id": "q", "text": "a?", "group": "g", "time": "2023-05-07", "type": "t", "asof": 9},
        {"id": "r", "text": "b?", "group": "g", "answerable": False},
    ])  # fmt: skip
    (folder / "qrels.tsv").write_text("q\ta\t1\nq\tb\t0\n", "utf-8")
    return folder


def test_a_folder_is_read(folder: Path) -> None:
    data = load(folder)
    assert data.name == "tiny"
    first, second = data.documents
    assert (first.text, first.seq, first.speaker) == ("甲", 7, "A")
    assert first.time == datetime(2023, 4, 27, tzinfo=UTC)
    assert (second.seq, second.speaker, second.time) == (1, "", None)
    asked, unanswerable = data.questions
    assert (asked.asof, asked.type, asked.answerable) == (9, "t", True)
    assert asked.time == datetime(2023, 5, 7, tzinfo=UTC)
    assert not unanswerable.answerable
    assert data.relevant == {"q": {"a"}}  # relevance 0 is no answer


def test_other_labels_are_used_where_a_set_has_them(folder: Path) -> None:
    assert load(folder, qrels="qrels_fixed.tsv").relevant == {"q": {"a"}}
    (folder / "qrels_fixed.tsv").write_text("q\tb\t1\n", "utf-8")
    assert load(folder, qrels="qrels_fixed.tsv").relevant == {"q": {"b"}}


def test_sets_are_found(folder: Path) -> None:
    (folder.parent / "no set").mkdir()
    assert folders_in(folder.parent) == [folder]
    assert folders_in(folder) == [folder]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-04-27", datetime(2023, 4, 27, tzinfo=UTC)),
        ("2023/07/12 (Wed) 10:14", datetime(2023, 7, 12, 10, 14, tzinfo=UTC)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2025-12-15 (Monday)", datetime(2025, 12, 15, tzinfo=UTC)),
        ("2025-12-15T10:00:00+08:00", datetime(2025, 12, 15, 2, tzinfo=UTC)),
        ("some day", None),
        ("", None),
        (None, None),
    ],
)
def test_moments_as_the_public_sets_write_them(text: object, expected: datetime | None) -> None:
    assert moment(text) == expected


def test_the_pairs_are_whole() -> None:
    pairs = read_pairs()
    assert len(pairs.memories) >= 90
    ids = [row["memory"] for row in pairs.memories] + [row["question"] for row in pairs.questions]
    assert len(set(ids)) == len(ids)
    known = {row["memory"] for row in pairs.memories}
    for row in (*pairs.memories, *pairs.questions):
        assert re.search(r"[一-鿿]", row["zh"]), row
        assert not re.search(r"[一-鿿]", row["en"]), row
    for row in pairs.questions:
        assert set(row["answers"]) <= known
        assert bool(row["answers"]) == (row["style"] not in ("near", "far")), row
    styles = Counter(row["style"] for row in pairs.questions)
    answerable = len(pairs.questions) - styles["near"] - styles["far"]
    assert answerable >= 80
    assert styles["near"] == styles["far"] == 10
    assert styles["paraphrase"] >= 0.45 * answerable
    assert styles["identifier"] >= 8


def test_identifiers_are_the_same_in_both_languages() -> None:
    identifier = re.compile(r"[A-Z]+[_-][A-Z_]*\d+|\w+/[\w/]+\.\w+|v\d[\d.]*\d|\w+_\w+|--[\w-]+")
    for row in (*read_pairs().memories, *read_pairs().questions):
        in_chinese = set(re.findall(identifier, row["zh"]))
        assert in_chinese == set(re.findall(identifier, row["en"])), row


def test_five_sets_come_from_the_pairs() -> None:
    sets = parallel_sets()
    assert list(sets) == [
        "parallel_zh", "parallel_en", "parallel_zh_en", "parallel_en_zh", "parallel_mixed",
    ]  # fmt: skip
    pairs = read_pairs()
    first = pairs.memories[0]
    crossed = sets["parallel_zh_en"]
    assert crossed.documents[0].text == first["en"]
    assert crossed.questions[0].text == pairs.questions[0]["zh"]
    mixed = sets["parallel_mixed"]
    assert [document.text for document in mixed.documents[:2]] == [
        first["zh"],
        pairs.memories[1]["en"],
    ]
    assert len(mixed.questions) == 2 * len(pairs.questions)
    for data in sets.values():
        ids = {document.id for document in data.documents}
        asked = {question.id for question in data.questions if question.answerable}
        assert data.relevant.keys() == asked
        assert all(right <= ids for right in data.relevant.values())
