"""Every format becomes sections with their headings and places, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents.report import Outcome
from bethink.knowledge.documents_kept import Part
from tests.knowledge import files_of_tests as files


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with Engine.in_memory(embedder="hashing") as engine:
        yield KnowledgeBase(engine, "handbook")


def parts(base: KnowledgeBase, data: bytes | str, name: str) -> list[Part]:
    base.add(data.encode() if isinstance(data, str) else data, name=name)
    return base.document_parts(name)


def only(base: KnowledgeBase, data: bytes | str, name: str) -> Outcome:
    (outcome,) = base.add(data.encode() if isinstance(data, str) else data, name=name).outcomes
    return outcome


def test_a_folder_of_all_formats(base: KnowledgeBase, tmp_path: Path) -> None:
    folder = files.library(tmp_path / "docs")
    told: list[tuple[int, int | None]] = []
    kept: list[int] = []

    def progress(done: int, total: int | None) -> None:
        told.append((done, total))
        kept.append(len(base.documents()))

    report = base.add(folder, progress=progress)
    assert report.counts == {"added": 9, "replaced": 0, "unchanged": 0, "removed": 0, "failed": 0}
    assert told[-1] == (9, 9)
    assert all(done <= there for (done, _), there in zip(told, kept, strict=True))
    shown = {one.address: one for one in base.documents()}
    assert {one.format for one in shown.values()} == {
        "markdown", "text", "html", "csv", "pdf", "docx", "pptx", "xlsx", "epub",
    }  # fmt: skip
    assert shown["docs/guide.md"].title == "Guide 指南"
    assert shown["docs/page.html"].title == "Handbook"
    assert shown["docs/office/novel.epub"].title == "A Book 一本书"
    places = {one.format: (one.pages, one.unit) for one in shown.values() if one.unit}
    assert places == {
        "pdf": (2, "page"), "pptx": (1, "slide"), "xlsx": (2, "row"), "csv": (3, "row"),
        "epub": (2, "chapter"),
    }  # fmt: skip
    answer = base.engine.recall("notice period 通知期", spaces="handbook", limit=20, floor=0)
    assert {hit.memory.source for hit in answer.hits} >= {
        "docs/guide.md", "docs/page.html", "docs/office/contract.pdf", "docs/office/letter.docx",
        "docs/office/novel.epub",
    }  # fmt: skip


def test_markdown_keeps_headings_front_matter_code_and_tables(base: KnowledgeBase) -> None:
    code = "\n".join(f"step_{n} = {n}  # 第{n}步" for n in range(60))
    text = (
        "---\ntitle: 安装 Install\ntags: [a, 1.10]\n---\nBefore all headings.\n\n"
        f"# Guide\n\n## Linux\n\n```python\n# no heading\n\n{code}\n```\n\n"
        "安装说明\n========\n\n| a | b |\n|---|---|\n| 1 | 二 |\n"
    )
    found = parts(base, text, "g.md")
    assert [one.headings for one in found] == ["", "Guide › Linux", "安装说明"]
    assert found[1].text.startswith("Guide\n\nLinux\n\n```python\n# no heading\n\nstep_0")
    assert found[1].text.endswith("# 第59步\n```")
    assert found[2].text == "安装说明\n\n| a | b |\n|---|---|\n| 1 | 二 |"
    card = base.engine.get(base.document("g.md").id)
    assert card is not None
    assert card.metadata["about"] == {"tags": ["a", "1.10"]}
    assert card.text == "安装 Install\nGuide\nLinux\n安装说明"


def test_long_sections_are_cut_at_paragraphs_and_keep_heads(base: KnowledgeBase) -> None:
    rows = "\n".join(f"| {n} | 第{n}行的内容 and some words |" for n in range(300))
    prose = "\n\n".join(f"Paragraph {n} 说的是第 {n} 件事。" * 8 for n in range(60))
    text = f"# 表\n\n| no | 内容 |\n|---|---|\n{rows}\n\n# Prose\n\n{prose}\n"
    found = parts(base, text, "long.md")
    assert all(len(one.text) <= 4_100 for one in found)
    tables = [one for one in found if one.headings == "表"]
    assert len(tables) > 1
    assert all("| no | 内容 |\n|---|---|\n| " in one.text for one in tables)
    kept = "\n".join(one.text for one in tables)
    assert all(f"| {n} | 第{n}行" in kept for n in range(300))
    told = [one.text for one in found if one.headings == "Prose"]
    assert len(told) >= 3
    assert all(one.removeprefix("Prose\n\n").startswith("Paragraph") for one in told)


def test_code_longer_than_a_section_is_cut_between_lines(base: KnowledgeBase) -> None:
    lines = [f"call_{n}(argument={n})" for n in range(500)]
    found = parts(base, "# Code\n\n```\n" + "\n".join(lines) + "\n```\n", "c.md")
    assert len(found) > 2
    inside = [line for one in found for line in one.text.split("\n") if line.startswith("call_")]
    assert inside == lines
    assert all(one.text.count("```") == 2 for one in found)


def test_headings_of_plain_text_in_both_languages(base: KnowledgeBase) -> None:
    text = (
        "第一编 总则\n\n第一章 范围\n第一条 本法适用于全国。\n\n一、定义\n\n（一）员工\n\n"
        "指所有人。\n\n第二章 处罚\n\n第三章的内容将在以后公布。\n\n"
        "Chapter 4 Leave\n\n2.1 Who may ask\n\nAnybody may ask.\n"
    )
    assert [one.headings for one in parts(base, text, "law.txt")] == [
        "第一编 总则 › 第一章 范围",
        "第一编 总则 › 第一章 范围 › 一、定义 › （一）员工",
        "第一编 总则 › 第二章 处罚",
        "第一编 总则 › Chapter 4 Leave › 2.1 Who may ask",
    ]


def test_text_without_headings_is_cut_by_length(base: KnowledgeBase) -> None:
    found = parts(base, "这是一句话。" * 3_000, "plain.txt")
    assert len(found) > 3
    assert "".join(one.text for one in found) == "这是一句话。" * 3_000
    assert all(one.text.endswith("。") for one in found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "big5", "utf-16", "utf-32"])
def test_chinese_in_any_encoding(base: KnowledgeBase, encoding: str) -> None:
    text = "公司規定每年有三十天的假期，員工可以提前申請。" if encoding == "big5" else (
        "公司规定每年有三十天的假期，员工可以提前申请。"
    )  # fmt: skip
    (found,) = parts(base, (text * 3).encode(encoding), "假期.txt")
    assert found.text == text * 3


def test_french_is_not_taken_for_chinese(base: KnowledgeBase) -> None:
    text = "Les élèves préfèrent l'été à l'hiver, où tout gèle."
    (found,) = parts(base, text.encode("cp1252"), "été.txt")
    assert found.text == text
    assert base.document("été.txt").notes == ("not UTF-8: read as cp1252",)


def test_rows_are_told_with_their_columns(base: KnowledgeBase) -> None:
    semicolons = "Stand 2026;;\n姓名;City;Age\n小林;上海;31\n;;\nMei;Paris;28\n"
    (found,) = parts(base, semicolons, "staff.csv")
    assert found.text.split("\n") == [
        "Stand 2026", "姓名: 小林; City: 上海; Age: 31", "姓名: Mei; City: Paris; Age: 28",
    ]  # fmt: skip
    assert (found.page, found.page_end) == (1, 5)
    (numbers,) = parts(base, "1\t2\n3\t4\n", "n.tsv")
    assert numbers.text == "1; 2\n3; 4"


def test_every_row_of_a_long_table_is_found_by_itself(base: KnowledgeBase) -> None:
    rows = "\n".join(f"item{n}x,货物{n},{n}" for n in range(2_000))
    base.add(f"code,名称,price\n{rows}\n".encode(), name="prices.csv")
    hit = base.engine.recall("item1234x price", spaces="handbook").hits[0]
    assert "code: item1234x; 名称: 货物1234; price: 1234" in hit.text
    assert hit.memory.metadata["unit"] == "row"
    first, last = hit.memory.metadata["page"], hit.memory.metadata["page_end"]
    assert isinstance(first, int)
    assert isinstance(last, int)
    assert first <= 1236 <= last


def test_html_without_menus_scripts_and_what_is_hidden(base: KnowledgeBase) -> None:
    body = (
        "<header><a href=/>Home 首页</a></header><main><h1>Handbook</h1>"
        "<p>One <b>bold</b> word.<br>行二</p><script>var a = 1</script>"
        "<div style='display: none'>unseen</div>"
        "<p hidden>unseen 隐藏</p><h2>表格</h2><table><tr><th>名称</th><th>Price</th></tr>"
        "<tr><td>苹果</td><td>3</td></tr></table><ul><li>first</li><li>第二</li></ul>"
        "<pre>if a:\n    b()</pre></main><aside>advertisement</aside>"
    )
    first, second = parts(base, files.page(body), "p.html")
    assert (first.headings, first.text) == ("Handbook", "Handbook\n\nOne bold word.\n行二")
    assert second.headings == "Handbook › 表格"
    assert second.text == (
        "表格\n\n| 名称 | Price |\n| --- | --- |\n| 苹果 | 3 |\n- first\n- 第二\n\n"
        "```\nif a:\n    b()\n```"
    )


@pytest.mark.parametrize("sign", ["¶", "#", "§"])
def test_html_without_the_signs_that_link_to_a_heading(base: KnowledgeBase, sign: str) -> None:
    body = (
        f'<h1>Guide 指南<a class="headerlink" href="#guide">{sign}</a></h1><p>Text.</p>'
        f'<h2>C# and § 4 第四条<a href="#c">{sign}</a></h2><p>See <a href="#guide">above</a>.</p>'
    )
    first, second = parts(base, files.page(body), "p.html")
    assert (first.headings, first.text) == ("Guide 指南", "Guide 指南\n\nText.")
    assert second.headings == "Guide 指南 › C# and § 4 第四条"
    assert second.text.endswith("See above.")


def test_html_says_its_own_encoding(base: KnowledgeBase) -> None:
    text = "<html><head><meta charset='gbk'></head><body><p>年假三十天</p></body></html>"
    (found,) = parts(base, text.encode("gbk"), "p.htm")
    assert found.text == "年假三十天"


def test_pdf_pages_headings_and_running_titles(base: KnowledgeBase) -> None:
    pages = [
        [("Company handbook", 9), (title, 18), (f"{prose} Page text {n}.", 11), (f"- {n} -", 9)]
        for n, (title, prose) in enumerate(
            [("第一章 总则", "通知期为三十天。"), ("Leave", "Thirty days a year."),
             ("工资", "月底发。"), ("Travel", "By train.")], start=1
        )
    ]  # fmt: skip
    found = parts(base, files.pdf(pages), "h.pdf")
    assert [(one.page, one.headings) for one in found] == [
        (1, "第一章 总则"), (2, "Leave"), (3, "工资"), (4, "Travel"),
    ]  # fmt: skip
    assert "通知期为三十天" in found[0].text
    assert not any("Company handbook" in one.text or f"- {one.page} -" in one.text for one in found)


def test_pdf_headings_by_its_outline(base: KnowledgeBase) -> None:
    pages = [
        [
            ("总则", 18),
            ("本办法适用于全体员工，", 11),
            ("自公布之日起施行。", 11),
            ("范围", 14),
            ("全国。", 11),
        ],
        [("Leave", 18), ("Every employee has thirty", 11), ("days of leave.", 11)],
    ]
    found = parts(base, files.pdf(pages, outline=True), "o.pdf")
    assert [(one.page, one.headings, one.text) for one in found] == [
        (1, "总则", "总则\n\n本办法适用于全体员工，自公布之日起施行。"),
        (1, "总则 › 范围", "范围\n\n全国。"),
        (2, "Leave", "Leave\n\nEvery employee has thirty days of leave."),
    ]


def test_docx_styles_lists_and_tables(base: KnowledgeBase) -> None:
    told = [
        ("h1", "员工手册"), ("p", files.PROSE_ZH), ("h2", "Leave"), ("li", "thirty days"),
        ("li", "可以顺延"), [["名称", "天数"], ["年假", "30"]], ("p", files.PROSE_EN),
    ]  # fmt: skip
    found = parts(base, files.docx(told, title="手册 Handbook"), "h.docx")
    assert base.document("h.docx").title == "手册 Handbook"
    assert [one.headings for one in found] == ["员工手册", "员工手册 › Leave"]
    assert found[1].text == (
        "Leave\n- thirty days\n- 可以顺延\n\n| 名称 | 天数 |\n| --- | --- |\n| 年假 | 30 |\n\n"
        f"{files.PROSE_EN}"
    )


def test_docx_without_styles_by_what_lines_say(base: KnowledgeBase) -> None:
    told = [
        ("p", "第一章 总则"),
        ("p", "适用于全体员工。"),
        ("p", "第二章 年假"),
        ("p", "三十天。"),
    ]
    found = parts(base, files.docx(told), "h.docx")
    assert [one.headings for one in found] == ["第一章 总则", "第二章 年假"]


def test_pptx_a_section_for_each_slide(base: KnowledgeBase) -> None:
    slides = [
        ("计划 Plan", ["one", "第二"], "slowly 慢慢说"),
        ("", ["only text here"], ""),
        ("End", [], ""),
    ]
    found = parts(base, files.pptx(slides), "t.pptx")
    assert [(one.page, one.headings) for one in found] == [
        (1, "计划 Plan"), (2, "only text here"), (3, "End"),
    ]  # fmt: skip
    assert found[0].text == "计划 Plan\n- one\n- 第二\n\nslowly 慢慢说"


def test_xlsx_sheets_and_rows(base: KnowledgeBase) -> None:
    data = files.xlsx(
        {"价格": [["item", "价格"], ["苹果", 3.0], [None, None], ["pear", 4.5]], "empty": [],
         "secret": [["a"], ["b"]], "Staff": [["name"], ["Mei"]]},
        hidden=["secret"],
    )  # fmt: skip
    outcome = only(base, data, "p.xlsx")
    assert outcome.notes == ("the sheet 'secret' is hidden, and left out",)
    first, second = base.document_parts("p.xlsx")
    assert (first.headings, first.page, first.page_end) == ("价格", 2, 4)
    assert first.text == "价格\nitem: 苹果; 价格: 3\nitem: pear; 价格: 4.5"
    assert second.text == "Staff\nname: Mei"


def test_epub_chapters_in_their_order(base: KnowledgeBase) -> None:
    chapters = [
        "<h1>第一章 雨</h1><p>下雨了。</p>",
        "<p>No heading here.</p>",
        "<h1>Three</h1><p>c</p>",
    ]
    found = parts(base, files.epub(chapters), "b.epub")
    assert [(one.page, one.headings) for one in found] == [(1, "第一章 雨"), (2, ""), (3, "Three")]
    card = base.engine.get(base.document("b.epub").id)
    assert card is not None
    assert card.metadata["about"] == {"author": "Lu 鲁"}


def test_what_stands_in_a_file_decides_not_its_name(base: KnowledgeBase) -> None:
    data = files.docx([("p", "年假三十天")])
    outcome = only(base, data, "letter.txt")
    assert (outcome.fate, outcome.notes) == ("added", ("named .txt, read as docx",))
    assert base.document("letter.txt").format == "docx"
