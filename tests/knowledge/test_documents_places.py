"""A citation names the pages and rows of its own passage, not of the section it stands in."""

from __future__ import annotations

import re

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents.blocks import Block
from bethink.knowledge.documents.places import MOST, as_line, of_part
from bethink.knowledge.documents.sections import sections_of
from tests.knowledge import files_of_tests as files


def test_beginnings_as_a_line_and_back() -> None:
    line = as_line([(0, 12), (300, 12), (840, 13), (1702, 15)])
    assert line == "0:12 840:13 1702:15"
    assert of_part(line, 0, 840) == (12, 12)
    assert of_part(line, 0, 841) == (12, 13)
    assert of_part(line, 839, 1703) == (12, 15)
    assert of_part(line, 1702, 9_000) == (15, 15)
    assert as_line([(0, 3), (9, 3)]) == as_line([]) == ""


def test_of_very_many_neighbours_are_told_together() -> None:
    line = as_line([(at * 3, at + 1) for at in range(3 * MOST)])
    assert len(line.split(" ")) == MOST
    assert of_part(line, 0, 1) == (1, 3)
    assert of_part(line, 9, 10) == (4, 6)


@pytest.mark.parametrize("line", ["", None, 7, "a:b", "0:1 x", "0:²", "5:3", "0:1 " * 9_999])
def test_what_is_no_such_line_says_nothing(line: object) -> None:
    assert of_part(line, 0, 4) is None


def test_every_part_of_a_long_paragraph_knows_its_pages() -> None:
    text = "".join(f"第{n}页说的话。" + "字" * 992 + "。" for n in range(1, 10))
    pages = [(at, 1 + at // 1000) for at in range(1000, 9000, 1000)]
    found = list(sections_of([Block(text, place=1, breaks=tuple(pages))], 4_000))
    assert "".join(one.text for one in found) == text
    for one in found:
        for page in range(1, 10):
            at = one.text.find(f"第{page}页")
            if at >= 0:
                told = of_part(one.places, at, at + 3) or (one.place, one.place_end)
                assert told == (page, page)


@pytest.mark.parametrize(
    ("query", "word"), [("what does the walrus eat?", "walrus"), ("企鹅住在哪里？", "企鹅")]
)
def test_of_a_pdf(engine: Engine, query: str, word: str) -> None:
    told = {4: "The walrus eats clams from the bottom of the sea.", 3: "企鹅住在南极的冰上。"}
    pages = [
        [
            (f"{chr(65 + at)}: on page {n} something is told of {chr(75 + at)} and more", 11)
            if at != 9
            else (told.get(n, f"nothing else is on page {n}"), 11)
            for at in range(16)
        ]
        for n in range(1, 7)
    ]
    base = KnowledgeBase(engine, "handbook")
    base.add(files.pdf(pages), name="animals.pdf")
    hit, citation = next(iter(base.search(query, match_count=1)))
    own = hit.memory.text[citation.start : citation.end]
    assert word in own
    shown = [int(one) for one in re.findall(r"page (\d)", own)]
    assert (citation.page, citation.page_end) == (shown[0], shown[-1])
    section = hit.memory.metadata
    assert (section["page"], section["page_end"]) != (citation.page, citation.page_end)
    assert f"pp. {shown[0]}–{shown[-1]}" in citation.line()
    assert f"第 {shown[0]}–{shown[-1]} 页" in citation.line("zh")


def test_of_rows(engine: Engine) -> None:
    rows = "\n".join(f"item{n}x,货物{n},{n}" for n in range(2, 400))
    base = KnowledgeBase(engine, "prices")
    base.add(f"code,名称,price\n{rows}\n".encode(), name="prices.csv")
    for query in ("price of item321x", "货物321 的价格"):
        for hit, citation in base.search(query, match_count=3):
            text, own = hit.memory.text, hit.memory.text[citation.start : citation.end]
            whole = text[text.rfind("\n", 0, citation.start + 1) + 1 :].split("\n")
            whole = whole[: own.strip("\n").count("\n") + 1]  # the rows of which it shows some
            assert citation.unit == "row"
            assert f"item{citation.page}x" in whole[0]
            assert f"item{citation.page_end}x" in whole[-1]
            assert len(whole) < text.count("\n")


def test_where_the_kept_text_reads_otherwise_the_section_is_cited(engine: Engine) -> None:
    secret = "AKIA" + "IOSFODNN7QWERTYU"
    pages = [[(f"Page {n} 第{n}页 says: the key is {secret}.", 11)] for n in (1, 2, 3)]
    base = KnowledgeBase(engine, "keys")
    base.add(files.pdf(pages), name="keys.pdf")
    (hit, citation), *_ = base.search("what is the key?", match_count=1)
    assert secret not in hit.memory.text
    assert (citation.page, citation.page_end) == (1, 3)
