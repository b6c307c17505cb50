"""Citations say where a passage is from, in both languages and as data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.citations import Citation, citation_of, match_types
from bethink.knowledge.turns import Reference, reference_of
from bethink.recall.budget import hit_of
from bethink.vocabulary import Extent, Hit, Place
from tests.knowledge.documents_of_tests import handbooks
from tests.recall.kits import candidate

BARE = Citation(1, "m", "doc", "Title", "", "", None, None, 0, 5, ("words",))


def hit(text: str = "text", **memory: object) -> Hit:
    made = hit_of(candidate("m", text), 1)
    return made._replace(memory=replace(made.memory, **memory))  # type: ignore[arg-type]


def test_of_a_search(engine: Engine) -> None:
    base = KnowledgeBase(engine, "handbook")
    english, chinese = handbooks(base)
    ((_, citation),) = base.search("how long is the notice period?", match_count=1)
    assert str(citation) == (
        "[1] Employee handbook › Leave › Notice period, pp. 2–3 (hr/handbook.pdf)"
    )
    assert (citation.document, citation.memory_id) == (english, f"{english}.00001")
    assert (citation.start, citation.end) == (0, 58)
    ((_, citation),) = base.search("离职通知期有多长？", match_count=1)
    assert citation.line("zh") == "[1] 《员工手册》 › 休假 › 通知期（人事/手册.docx）"
    data = citation.as_data()
    assert json.loads(json.dumps(data)) == data
    assert data == {
        "number": 1,
        "memory_id": f"{chinese}.00001",
        "document": chinese,
        "title": "员工手册",
        "heading": "休假 › 通知期",
        "address": "人事/手册.docx",
        "page": None,
        "page_end": None,
        "unit": "page",
        "start": 0,
        "end": 17,
        "match_types": ["meaning", "words", "neighbour"],
        "beside": [
            {"memory_id": f"{chinese}.00000", "start": 0, "end": 26},
            {"memory_id": f"{chinese}.00002", "start": 0, "end": 17},
        ],
        "space": "handbook",
        "kind": "section",
        "verified": True,
        "fetched_at": None,
    }
    assert reference_of(citation) == Reference(f"{chinese}.00001", 0, 17, "休假 › 通知期")
    assert reference_of(data) == reference_of(citation)


@pytest.mark.parametrize(
    ("changes", "english", "chinese"),
    [
        ({}, "[1] Title", "[1] 《Title》"),
        ({"document": ""}, "[1] Title", "[1] Title"),
        ({"heading": "A › B"}, "[1] Title › A › B", "[1] 《Title》 › A › B"),
        ({"page": 7}, "[1] Title, p. 7", "[1] 《Title》，第 7 页"),
        ({"page": 7, "page_end": 7}, "[1] Title, p. 7", "[1] 《Title》，第 7 页"),
        ({"page": 7, "page_end": 9}, "[1] Title, pp. 7–9", "[1] 《Title》，第 7–9 页"),
        ({"page": 7, "unit": "slide"}, "[1] Title, slide 7", "[1] 《Title》，第 7 张幻灯片"),
        ({"page": 2, "page_end": 9, "unit": "row"}, "[1] Title, rows 2–9",
         "[1] 《Title》，第 2–9 行"),
        ({"page": 3, "unit": "chapter"}, "[1] Title, chapter 3", "[1] 《Title》，第 3 章"),
        ({"address": "Title"}, "[1] Title", "[1] 《Title》"),
        ({"address": "https://x.example/页"}, "[1] Title (https://x.example/页)",
         "[1] 《Title》（https://x.example/页）"),
        ({"title": "a\n# 标题\n", "number": 12}, "[12] a # 标题", "[12] 《a # 标题》"),
    ],
)  # fmt: skip
def test_the_printed_form(changes: dict[str, object], english: str, chinese: str) -> None:
    citation = replace(BARE, **changes)  # type: ignore[arg-type]
    assert (citation.line("en"), citation.line("zh")) == (english, chinese)
    assert str(citation) == english


def test_it_is_one_short_line_whatever_the_titles_are() -> None:
    long = replace(BARE, title="标题 title\n" * 90, heading="h\n" * 300, address="a" * 900)
    for language in ("en", "zh"):
        assert "\n" not in long.line(language) and len(long.line(language)) < 350
    with pytest.raises(InvalidInput, match="language: expected en or zh, got 'fr'"):
        BARE.line("fr")


def test_the_title_is_not_said_twice() -> None:
    told = hit(
        kind="section", section="员工手册 › 休假", metadata={"title": "员工手册", "document": "d"}
    )
    assert citation_of(1, told).heading == "休假"
    told = hit(kind="section", section="HANDBOOK", metadata={"title": "Handbook", "document": "d"})
    assert citation_of(1, told).heading == ""


def test_what_is_no_part_of_a_document_can_be_cited_too() -> None:
    note = citation_of(3, hit("预算会在三月。 The budget is in March."))
    assert str(note) == "[3] 预算会在三月。 The budget is in March."
    assert note.document == ""
    assert str(citation_of(1, hit("x", source="chat 聊天"))) == "[1] chat 聊天"
    odd = hit(
        "x", metadata={"title": 5, "page": "7", "page_end": True, "document": "forged", "unit": "x"}
    )
    assert citation_of(1, odd).as_data() | {"page": None, "page_end": None, "document": None} == (
        citation_of(1, odd).as_data()
    )


def test_match_types_say_every_way_most_telling_first() -> None:
    found = hit()._replace(channels={n: Place(0, 1.0) for n in ("web", "own", "words", "meaning")})
    assert match_types(found) == ("meaning", "words", "web", "own")
    wide = found._replace(parts={"neighbour": 0.0}, channels={"history": Place(0, 1.0)})
    assert match_types(wide) == ("history", "neighbour")
    assert match_types(hit(kind="faq")) == ("words", "faq")


def test_the_shown_part_is_cited() -> None:
    wide = hit("x" * 40)._replace(shown=(Extent("before", 3, 9), Extent("m", 2, 30)))
    citation = citation_of(1, wide)
    assert (citation.start, citation.end, citation.beside) == (2, 30, (Extent("before", 3, 9),))
