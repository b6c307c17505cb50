"""Small files of every format, in both languages, written by the libraries of these formats."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PROSE_EN = "The notice period is thirty days. Leave is counted in working days."
PROSE_ZH = "通知期为三十天。年假按工作日计算。"


def pdf(
    pages: Sequence[Sequence[tuple[str, int]]], *, outline: bool = False, **options: Any
) -> bytes:
    """Pages of lines, each with the size of its letters; with an outline of the large ones."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen import canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    made = io.BytesIO()
    page = canvas.Canvas(made, **options)
    for number, lines in enumerate(pages):
        height = 800.0
        for at, (text, size) in enumerate(lines):
            page.setFont("STSong-Light" if not text.isascii() else "Helvetica", size)
            page.drawString(72, height, text)
            below = lines[at + 1][1] if at + 1 < len(lines) else size
            height -= 1.3 * below + (20 if max(size, below) > 12 else 0)
            if outline and size > 12:
                key = f"{number}-{at}"
                page.bookmarkPage(key)
                page.addOutlineEntry(text, key, 0 if size > 16 else 1)
        page.showPage()
    page.save()
    return made.getvalue()


def docx(parts: Sequence[Any], *, title: str = "") -> bytes:
    """("h1", text), ("p", text), ("li", text), or a list of rows for a table."""
    from docx import Document

    document = Document()
    document.core_properties.title = title
    for part in parts:
        if isinstance(part, list):
            table = document.add_table(rows=len(part), cols=len(part[0]))
            for row, told in zip(table.rows, part, strict=True):
                for cell, text in zip(row.cells, told, strict=True):
                    cell.text = text
        elif part[0].startswith("h"):
            document.add_heading(part[1], level=int(part[0][1:]))
        else:
            document.add_paragraph(part[1], style="List Bullet" if part[0] == "li" else None)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def pptx(slides: Sequence[tuple[str, Sequence[str], str]]) -> bytes:
    """Title, lines and the speaker's notes of each slide."""
    from pptx import Presentation

    show = Presentation()
    for title, lines, notes in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    made = io.BytesIO()
    show.save(made)
    return made.getvalue()


def xlsx(sheets: dict[str, Sequence[Sequence[Any]]], *, hidden: Sequence[str] = ()) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if name in hidden:
            sheet.sheet_state = "hidden"
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def epub(chapters: Sequence[str], *, title: str = "A Book 一本书", author: str = "Lu 鲁") -> bytes:
    """Chapters as the body of their HTML."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as package:
        package.writestr("mimetype", "application/epub+zip")
        package.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container version="1.0" '
            'xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="OPS/book.opf" '
            'media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        items = "".join(
            f'<item id="c{n}" href="c%20{n}.xhtml" media-type="application/xhtml+xml"/>'
            for n in range(len(chapters))
        )
        spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
        package.writestr(
            "OPS/book.opf",
            '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for number, body in enumerate(chapters):
            package.writestr(
                f"OPS/c {number}.xhtml",
                '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
                f"<head><title>c</title></head><body>{body}</body></html>",
            )
    return made.getvalue()


def page(body: str, *, title: str = "Handbook – Our Site") -> bytes:
    return (
        f"<!doctype html><html><head><title>{title}</title><style>.a {{}}</style></head>"
        f"<body><nav>Menu 菜单</nav>{body}<footer>Imprint 版权</footer></body></html>"
    ).encode()


def library(folder: Path) -> Path:
    """A folder with a file of each format."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "guide.md").write_text(
        "---\ntitle: Guide 指南\nauthor: Mei\n---\n"
        f"# Rules 规则\n\n{PROSE_EN}\n\n## 年假\n\n{PROSE_ZH}\n",
        "utf-8",
    )
    (folder / "law.txt").write_text(
        f"第一章 总则\n\n{PROSE_ZH}\n\n第二章 处罚\n\n迟到要罚款。\n", "utf-8"
    )
    (folder / "page.html").write_bytes(page(f"<main><h1>Handbook</h1><p>{PROSE_EN}</p></main>"))
    (folder / "staff.csv").write_text("name,city\nMei,Paris\n小林,上海\n", "utf-8")
    deep = folder / "office"
    deep.mkdir(exist_ok=True)
    (deep / "contract.pdf").write_bytes(
        pdf([[("第一章 总则", 18), (PROSE_ZH, 11)], [("Leave policy", 18), (PROSE_EN, 11)]])
    )
    (deep / "letter.docx").write_bytes(
        docx([("h1", "Letter 信"), ("p", PROSE_EN), ("p", PROSE_ZH)])
    )
    (deep / "talk.pptx").write_bytes(
        pptx([("Plan 计划", ["first step", "第二步"], "say it slowly")])
    )
    (deep / "prices.xlsx").write_bytes(
        xlsx({"价格": [["item", "price"], ["苹果", 3], ["pear", 4.5]]})
    )
    (deep / "novel.epub").write_bytes(
        epub([f"<h1>One 一</h1><p>{PROSE_EN}</p>", "<p>第二章的雨。</p>"])
    )
    return folder
