"""No text of a file is lost in silence, and none is kept twice; little stays little."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect import Engine
from recollect.knowledge import KnowledgeBase
from recollect.knowledge.documents import markdown
from recollect.knowledge.documents.blocks import Block, Reading
from recollect.knowledge.documents.made import MOST_SECTIONS, Origin, made
from recollect.knowledge.documents.sections import SECTION_CHARS, sections_of
from recollect.knowledge.documents_kept import Part
from tests.knowledge import files_of_tests as files


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with Engine.in_memory(embedder="none") as engine:
        yield KnowledgeBase(engine, "handbook")


def parts(base: KnowledgeBase, data: bytes | str, name: str) -> list[Part]:
    base.add(data.encode() if isinstance(data, str) else data, name=name)
    return base.document_parts(name)


@pytest.mark.parametrize("line", ["x" * 99, "字" * 99])
def test_a_long_fence_is_not_repeated_on_every_part(line: str) -> None:
    size = 60_000
    text = "`" * size + "\n" + (line + "\n") * (size // 100)
    found = list(sections_of(markdown.read(text).blocks))
    assert sum(len(one.text) for one in found) < 3 * len(text)
    assert all(len(one.text) <= SECTION_CHARS for one in found)
    kept = "".join(one.text for one in found)
    assert kept.count(line[0]) == 99 * (size // 100)
    assert kept.count("`") >= size


@pytest.mark.parametrize("word", ["name", "名称"])
def test_a_long_head_of_a_table_is_kept_once(word: str) -> None:
    head = "| " + " | ".join(f"{word}{n}" for n in range(800)) + " |"
    rows = "\n".join("| " + " | ".join(f"v{n}-{row}" for n in range(800)) + " |" for row in (1, 2))
    found = list(sections_of(markdown.read(f"{head}\n|---|---|\n{rows}\n").blocks))
    kept = "".join(one.text for one in found)
    assert all(kept.count(f"{word}{n} ") == 1 for n in range(800))
    assert all(f"v{n}-{row}" in kept for n in range(800) for row in (1, 2))


LONG = {
    "en": "On the matter of leave " * 30 + "ENDS HERE",
    "zh": "关于休假的规定" * 60 + "到此为止",
}


@pytest.mark.parametrize("language", LONG)
def test_a_long_heading_keeps_its_end(base: KnowledgeBase, language: str) -> None:
    long = " ".join(LONG[language].split())
    given: dict[str, bytes] = {
        "a.md": f"# {long}\n\nBelow.\n".encode(),
        "a.docx": files.docx([("h1", long), ("p", "Below.")]),
        "a.html": files.page(f"<h1>{long}</h1><p>Below.</p>"),
        "a.pptx": files.pptx([(long, ["Below."], ""), ("", [long], "")]),
    }
    for name, data in given.items():
        found = parts(base, data, name)
        assert found[0].text in (f"{long}\n\nBelow.", f"{long}\n- Below."), name
        assert found[0].headings == long[:199] + "…"
        assert all(long in one.text for one in found), name


def test_more_sections_than_ids_are_left_out_and_the_report_says_so() -> None:
    blocks = [Block("第一", level=1), Block("a")] * (MOST_SECTIONS + 1)
    origin = Origin("d", "many.md", "", "markdown", "0", 1)
    found = made(Reading(blocks), origin, space="handbook")
    assert len(found.sections) == MOST_SECTIONS
    assert found.sections[-1]["id"] == "d.99999"
    assert found.notes == ("read up to section 100,000",)
    assert found.card["metadata"]["sections"] == MOST_SECTIONS
