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


@pytest.mark.parametrize("word", ["word ", "字词"])
def test_a_long_cell_keeps_its_end(base: KnowledgeBase, word: str) -> None:
    long = (word * 5_000).strip() + "ENDS 完"
    given = {
        "a.csv": f"name,notes\nA,{long}\n".encode(),
        "a.docx": files.docx([[["name", "notes"], ["A", long]]]),
        "a.html": files.page(
            f"<table><tr><th>name</th><th>b</th></tr><tr><td>A</td><td>{long}</td></tr></table>"
        ),
        "a.xlsx": files.xlsx({"s": [["name", "notes"], ["A", long[-32_000:]]]}),
    }
    for name, data in given.items():
        found = parts(base, data, name)
        kept = "".join(one.text for one in found)
        assert kept.count(word.strip()) >= 5_000, name
        assert "ENDS 完" in kept, name
        assert all(len(one.text) <= SECTION_CHARS + 100 for one in found), name


def test_every_column_is_kept(base: KnowledgeBase) -> None:
    names = ",".join(f"列c{n}" for n in range(700))
    values = ",".join(f"值v{n}" for n in range(700))
    kept = " ".join(one.text for one in parts(base, f"{names}\n{values}\n", "wide.csv"))
    assert all(f"列c{n}: 值v{n}" in kept.replace("\n", " ") for n in (0, 511, 512, 699))
    cells = "".join(f"<td>值v{n}</td>" for n in range(700))
    table = f"<table><tr><td>one</td><td>two</td></tr><tr>{cells}</tr></table>"
    kept = "".join(one.text for one in parts(base, files.page(table), "wide.html"))
    assert all(f"值v{n} " in kept for n in range(700))


def test_a_long_name_of_a_column_is_kept_once(base: KnowledgeBase) -> None:
    long = "很长的列名 long name " * 40 + "END"
    kept = "".join(one.text for one in parts(base, f"no,{long}\n" + "a,1\n" * 500, "l.csv"))
    assert kept.count(long) == 1
    assert kept.count("no: a; " + long[:199] + "…: 1") > 400


def test_a_quote_that_is_never_closed_swallows_no_rows(base: KnowledgeBase) -> None:
    rows = "".join(f"B{n},note {n} 备注{n}\n" for n in range(3, 1_003))
    for size in (1, 60):  # also where the cell would be longer than any
        data = f'name,notes\nA,"unclosed 未完\n{rows * size}'.encode()
        (outcome,) = base.add(data, name=f"q{size}.csv").outcomes
        assert outcome.notes == ("a quote that is never closed, taken for a character: row 2",)
        lines = "\n".join(one.text for one in base.document_parts(f"q{size}.csv")).split("\n")
        assert lines[0] == 'name: A; notes: "unclosed 未完'
        assert lines[1:] == [f"name: B{n}; notes: note {n} 备注{n}" for n in range(3, 1_003)] * size


def test_quotes_that_are_closed_may_hold_lines(base: KnowledgeBase) -> None:
    data = b'name,notes\nA,"two\nlines"\nB,"said ""yes"" \xe5\xa5\xbd\n"'
    (outcome,) = base.add(data, name="q.csv").outcomes
    assert outcome.notes == ()
    (found,) = base.document_parts("q.csv")
    assert found.text == 'name: A; notes: two lines\nname: B; notes: said "yes" 好'


def test_quotes_broken_on_every_line_take_no_time(base: KnowledgeBase) -> None:
    """Each time what follows is read once more; so not without end."""
    data = "a,b\n" + 'x,"""y\n' * 2_001
    base.add(data.encode(), name="q.csv")
    kept = "".join(one.text for one in base.document_parts("q.csv"))
    assert kept.count("x") + kept.count("y") >= 4_000


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Region,2022,2023\nNorth,10,20\n", ["Region: North; 2022: 10; 2023: 20"]),
        ("地区,2022\n华北,10\n", ["地区: 华北; 2022: 10"]),
        (",2023,2022\n华北,10,20\n", ["华北; 2023: 10; 2022: 20"]),
        ("店,2024-01,2024-02\nA,5,6\n", ["店: A; 2024-01: 5; 2024-02: 6"]),
        ("day,1,2,3\nMei,8,8,0\n", ["day: Mei; 1: 8; 2: 8; 3: 0"]),
        ("Mei,1999\n小林,2001\nLu,1987\n", ["Mei; 1999", "小林; 2001", "Lu; 1987"]),
        ("North,10,20\nSouth,30,40\n", ["North; 10; 20", "South; 30; 40"]),
        ("2022,2023\n10,20\n", ["2022; 2023", "10; 20"]),
    ],
)
def test_years_can_be_names_of_columns(base: KnowledgeBase, text: str, lines: list[str]) -> None:
    (found,) = parts(base, text, "t.csv")
    assert found.text.split("\n") == lines
