"""No text of a file is lost in silence, and none is kept twice; little stays little."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents import markdown
from bethink.knowledge.documents.blocks import Block, Reading
from bethink.knowledge.documents.made import MOST_SECTIONS, Origin, made
from bethink.knowledge.documents.sections import SECTION_CHARS, sections_of
from bethink.knowledge.documents_kept import Part
from tests.knowledge import files_of_tests as files


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with Engine.in_memory(embedder="none") as engine:
        yield KnowledgeBase(engine, "handbook")


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    made_anew = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made_anew, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return made_anew.getvalue()


def parts(base: KnowledgeBase, data: bytes | str, name: str) -> list[Part]:
    base.add(data.encode() if isinstance(data, str) else data, name=name)
    return base.document_parts(name)


@pytest.mark.parametrize("line", ["x" * 99, "字" * 99], ids=["en", "zh"])
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


@pytest.mark.parametrize("title", ["Article {}", "第{}条", "Rule {} 规则"])
def test_numbered_headings_at_the_top_of_pages_are_no_running_titles(
    base: KnowledgeBase, title: str
) -> None:
    said = "The fox ran. Snow fell. Bread rose. 河水流过。 山上有雪。 风停了。".split(". ")
    pages = [
        [("Company handbook", 8), (title.format(n), 14), (f"{said[n % 4]}.", 11),
         ("More is told of it in the lines that follow.", 11), ("下面几行还会说到这件事。", 11),
         (f"Handbook 2026 | {n + 4}", 8), (f"第 {n} 页 共 6 页", 9)]
        for n in range(1, 7)
    ]  # fmt: skip
    kept = "\n".join(one.text for one in parts(base, files.pdf(pages), "law.pdf"))
    assert all(title.format(n) in kept for n in range(1, 7))
    for gone in ("Company handbook", "Handbook 2026", "页 共"):
        assert gone not in kept


@pytest.mark.parametrize("line", ["Reading {} was {} degrees.", "第{}次测得{}度。", "{} {}"])
def test_lines_that_differ_in_numbers_only_are_text(base: KnowledgeBase, line: str) -> None:
    told = [[line.format(n * 7 + at, n * n + at * 13) for at in range(8)] for n in range(1, 7)]
    pages = [[*((one, 11) for one in own), (f"- {n} -", 11)] for n, own in enumerate(told, 1)]
    kept = "\n".join(one.text for one in parts(base, files.pdf(pages), "log.pdf"))
    assert all(one in kept for own in told for one in own)
    assert "- 3 -" not in kept


def test_pages_numbered_in_roman(base: KnowledgeBase) -> None:
    numbers = ["iii", "iv", "v", "vi", "vii", "viii", "ix"]
    said = ["序言 Foreword", "Thanks", "感谢", "Signs", "符号", "Words", "词语"]
    pages = [[(f"{one}.", 11), ("more.", 11), (f"{number}", 11)]
             for one, number in zip(said, numbers, strict=True)]  # fmt: skip
    kept = "\n".join(one.text for one in parts(base, files.pdf(pages), "f.pdf"))
    assert all(one in kept for one in said)
    assert not any(number in kept.split() for number in numbers)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["It is a well-", "known fact."], "It is a well-known fact."),
        (["Of infor-", "mation and a cata-", "logue."], "Of information and a catalogue."),
        (["See COVID-", "19 here."], "See COVID-19 here."),
        (["A data-", "base, not data-base."], "A data-base, not data-base."),
        (["A data-", "base, the database."], "A database, the database."),
        (["The user of a user-", "defined type, as defined."],
         "The user of a user-defined type, as defined."),
    ],
)  # fmt: skip
def test_hyphens_at_the_end_of_a_line(base: KnowledgeBase, lines: list[str], told: str) -> None:
    (found,) = parts(base, files.pdf([[(line, 11) for line in lines]]), "h.pdf")
    assert found.text == told


def word(body: str) -> bytes:
    """A DOCX with this inside its body."""

    def change(name: str, data: bytes) -> bytes:
        at = data.find(b"<w:sectPr") if name == "word/document.xml" else -1
        return data if at < 0 else data[:at] + body.encode() + data[at:]

    return repacked(files.docx([("p", "First 首先.")]), change)


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_what_was_moved_under_review_is_there_once(base: KnowledgeBase) -> None:
    moved = run("Moved 移动的话.")
    body = (
        f'<w:p><w:moveFrom w:id="1" w:author="a">{moved}</w:moveFrom>{run("Stays 留下.")}</w:p>'
        f'<w:p><w:moveTo w:id="2" w:author="a">{moved}</w:moveTo></w:p>'
    )
    (found,) = parts(base, word(body), "m.docx")
    assert found.text == "First 首先.\n\nStays 留下.\n\nMoved 移动的话."


def test_tables_inside_tables_are_told_once(base: KnowledgeBase) -> None:
    def table(*cells: str) -> str:
        return "<w:tbl><w:tr>" + "".join(f"<w:tc>{one}</w:tc>" for one in cells) + "</w:tr></w:tbl>"

    inner = table(f"<w:p>{run('inner one 内一')}</w:p>", f"<w:p>{run('inner two')}</w:p>")
    outer = table(f"<w:p>{run('outer 外')}</w:p>{inner}<w:p/>", f"<w:p>{run('beside')}</w:p>")
    (found,) = parts(base, word(outer), "t.docx")
    assert found.text.startswith("First 首先.\n\n| outer 外 inner one 内一 inner two | beside |")
    assert found.text.count("inner") == 2


def test_text_in_custom_xml_and_deep_controls_is_read(base: KnowledgeBase) -> None:
    body = f'<w:customXml w:element="a"><w:p>{run("Inside 里面.")}</w:p></w:customXml>'
    deep = f"<w:p>{run('Deep 深处.')}</w:p>"
    for _ in range(40):
        deep = f"<w:sdt><w:sdtContent>{deep}</w:sdtContent></w:sdt>"
    (found,) = parts(base, word(body + deep), "c.docx")
    assert found.text == "First 首先.\n\nInside 里面.\n\nDeep 深处."


def test_hidden_slides_are_left_out_and_the_report_says_so(base: KnowledgeBase) -> None:
    def change(name: str, data: bytes) -> bytes:
        return (
            data.replace(b"<p:sld ", b'<p:sld show="0" ') if name.endswith("slide2.xml") else data
        )

    slides = [("One 一", ["a"], ""), ("Secret 秘密", ["b"], ""), ("Three 三", ["c"], "")]
    (outcome,) = base.add(repacked(files.pptx(slides), change), name="s.pptx").outcomes
    assert outcome.notes == ("slide 2 is hidden, and left out",)
    found = base.document_parts("s.pptx")
    assert [(one.page, one.headings) for one in found] == [(1, "One 一"), (3, "Three 三")]


def test_a_cell_beyond_its_bound_is_named(base: KnowledgeBase) -> None:
    (outcome,) = base.add(("name,备注\nA," + "字" * 1_000_001).encode(), name="big.csv").outcomes
    assert outcome.fate == "failed"
    assert outcome.why == "it is no sound CSV: field larger than field limit (1000000)"
