"""Files that are broken, huge, locked or made to do harm: each is named with the reason, or is
limited, and the others go on."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.knowledge import KnowledgeBase
from bethink.knowledge.documents import kinds
from bethink.knowledge.documents.beside import Readers
from bethink.knowledge.documents.blocks import Limits, Unreadable
from bethink.knowledge.documents.report import Outcome
from tests.knowledge import files_of_tests as files

LIMITS = Limits(bytes=3_000_000, unpacked=20_000_000, seconds=60.0, memory=1_500_000_000)


@pytest.fixture
def base() -> Iterator[KnowledgeBase]:
    with Engine.in_memory(embedder="none") as engine:
        yield KnowledgeBase(engine, "handbook")


def only(base: KnowledgeBase, data: bytes, name: str, limits: Limits = LIMITS) -> Outcome:
    (outcome,) = base.add(data, name=name, limits=limits).outcomes
    return outcome


def package(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return made.getvalue()


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return package({name: change(name, file.read(name)) for name in file.namelist()})


def sparse_sheet() -> bytes:
    """Two cells, as far from each other as a sheet is large."""
    from openpyxl import Workbook

    book = Workbook()
    book.active["A1"] = "first"
    book.active["XFD1048576"] = "last"
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def locked_pdf() -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption

    return files.pdf([[("secret 秘密", 11)]], encrypt=StandardEncryption("user", "owner"))


WHOLE_PDF = files.pdf([[("年假 Leave", 18), (files.PROSE_EN, 11)]])
HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty.md": (b"", "it is empty"),
    "blank.txt": (b" \n\n\t\n", "it holds no text"),
    "binary.txt": (b"\x00\x01\x02\x03" * 100, "it is no text"),
    "noise.md": (bytes(range(128, 256)) * 50, "its encoding cannot be told; save it as UTF-8"),
    "half.txt": (b"\xff\xfe\x00", "it begins as utf-16 and is not"),
    "cut.pdf": (WHOLE_PDF[:300], "it is damaged, or no PDF"),
    "no.pdf": (b"just words", "it is named .pdf, but is no PDF"),
    "locked.pdf": (locked_pdf(), "it is encrypted; save it without a password"),
    "scanned.pdf": (files.pdf([[]]), "it holds no text: perhaps scanned pages"),
    "old.doc": (bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600, "save it as .docx"),
    "some.zip": (package({"a.txt": b"a"}), "it is a package (zip) of no kind that is read"),
    "broken.docx": (files.docx([("p", "text")])[:2000], "it is a damaged package"),
    "hollow.docx": (package({"word/document.xml": b"<a/>"}), "it is damaged, or no DOCX"),
    "hollow.pptx": (package({"ppt/presentation.xml": b"<a/>"}), "it is damaged, or no PPTX"),
    "hollow.xlsx": (package({"xl/workbook.xml": b"<a/>"}), "it is damaged, or no XLSX"),
    "hollow.epub": (package({"META-INF/container.xml": b"<a/>"}), "it is damaged"),
    "bomb.docx": (package({"word/document.xml": b"\0" * 30_000_000}), "it would unpack to 30,"),
    "sparse.xlsx": (sparse_sheet(), "reaches to column 16,384 and row 1,048,576"),
    "large.txt": (b"a" * 3_000_001, "it has 3,000,001 bytes; at most 3,000,000 are read"),
    "drm.epub": (
        package(dict.fromkeys(("META-INF/container.xml", "META-INF/encryption.xml",
                               "META-INF/rights.xml"), b"<a/>")),
        "it is locked (DRM)",
    ),
}  # fmt: skip


def test_each_is_named_and_the_others_go_on(base: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name, (data, _) in HOSTILE.items():
        (folder / name).write_bytes(data)
    (folder / "a-good.md").write_text("# 年假\n\nThirty days.", "utf-8")
    (folder / "z-good.pdf").write_bytes(WHOLE_PDF)
    named = [folder / name for name in HOSTILE]
    report = base.add([folder, *named], limits=LIMITS)
    why = {one.address.rpartition("/")[2]: one.why for one in report.failed}
    for name, (_, reason) in HOSTILE.items():
        assert reason in why.pop(name), name
    assert why == {}
    assert {one.address for one in report.of("added")} == {"mixed/a-good.md", "mixed/z-good.pdf"}
    assert [one.state for one in base.documents()] == ["ready", "ready"]


def test_an_entity_of_a_docx_reads_no_file(base: KnowledgeBase, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET", "utf-8")
    head = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY y "LAUGHS">'
    head += "".join(f'<!ENTITY y{n} "{f"&y{n - 1};" * 10}">' for n in range(1, 9)) + "]>"

    def change(name: str, data: bytes) -> bytes:
        if name != "word/document.xml":
            return data
        body = data[data.index(b"<w:document") :].replace(b"HERE", b"before &x; &y8; after")
        return b'<?xml version="1.0"?>' + head.replace("&y0;", "&y;").encode() + body

    data = repacked(files.docx([("p", "HERE"), ("p", "年假三十天")]), change)
    outcome = only(base, data, "e.docx")
    kept = "".join(memory.text for memory in base.engine.list(spaces="handbook").memories) if (
        outcome.fate == "added"
    ) else ""  # fmt: skip
    assert "TOPSECRET" not in kept
    assert kept.count("LAUGHS") < 10
    assert len(kept) < 1_000


def test_an_entity_of_an_epub_reads_no_file(base: KnowledgeBase, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET", "utf-8")
    head = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'.encode()

    def change(name: str, data: bytes) -> bytes:
        if not name.endswith((".opf", ".xhtml")):
            return data
        start = data.index(b"?>") + 2
        return data[:start] + head + data[start:].replace(b"HERE", b"&x;")

    assert only(base, repacked(files.epub(["<p>HERE 年假</p>"], title="HERE"), change), "e.epub")
    kept = "".join(memory.text for memory in base.engine.list(spaces="handbook").memories)
    assert "年假" in kept
    assert "TOPSECRET" not in kept


def test_tags_nested_without_end(base: KnowledgeBase) -> None:
    deep = b"<div><b>" * 300_000 + "年假".encode() + b"</b></div>" * 10
    outcome = only(base, b"<html><body><p>first</p>" + deep, "deep.html")
    assert outcome.fate == "added" or outcome.why
    assert only(base, files.page("<p>next</p>"), "next.html").fate == "added"


def test_a_million_empty_rows(base: KnowledgeBase) -> None:
    rows = b"".join(b'<row r="%d"/>' % n for n in range(3, 1_000_000))

    def change(name: str, data: bytes) -> bytes:
        return data.replace(b"</sheetData>", rows + b"</sheetData>") if "sheet1" in name else data

    data = repacked(files.xlsx({"a": [["name"], ["小林"]]}), change)
    limits = LIMITS._replace(unpacked=100_000_000)
    assert only(base, data, "rows.xlsx", limits).fate == "added"
    assert [one.text for one in base.document_parts("rows.xlsx")] == ["a\nname: 小林"]


def test_what_is_too_long_is_read_up_to_its_limit(base: KnowledgeBase) -> None:
    limits = LIMITS._replace(pages=3, rows=5, chars=1_000)
    pdf = files.pdf([[(f"page {n} 第{n}页", 11)] for n in range(1, 9)])
    assert only(base, pdf, "p.pdf", limits).notes == ("read up to page 3 of 8",)
    assert max(one.page_end for one in base.document_parts("p.pdf")) == 3
    rows = "name\n" + "\n".join(f"小林{n}" for n in range(50))
    assert only(base, rows.encode(), "r.csv", limits).notes == (
        "read up to row 6; the rest is left out",
    )
    assert only(base, ("年假。" * 1_000).encode(), "t.txt", limits).notes == (
        "read up to character 1,000",
    )
    assert base.document("t.txt").notes == ("read up to character 1,000",)


def test_a_reader_that_takes_too_long_is_ended_and_the_next_file_is_read() -> None:
    body = "<p>" + "<b>年假</b> " * 200_000
    with Readers(LIMITS._replace(seconds=0.05)) as readers:
        for _ in range(2):  # the second has a process of its own
            with pytest.raises(Unreadable, match=r"it takes more than 0\.05 seconds to read"):
                readers.read("html", files.page(body), "slow.html")
    with Readers(LIMITS) as readers:
        assert readers.read("html", files.page("<p>年假</p>"), "q.html").blocks[0].text == "年假"


def test_a_reader_that_dies_is_named_and_the_next_file_is_read() -> None:
    small = LIMITS._replace(memory=400_000_000)
    with Readers(small) as readers:
        assert readers.read("html", files.page("<p>before</p>"), "a.html").blocks
        with pytest.raises(Unreadable, match="memory"):
            readers.read("html", b"<p>" + b"<i>a</i>" * 6_000_000, "b.html")
        assert readers.read("html", files.page("<p>after</p>"), "c.html").blocks


def test_links_hidden_files_and_junk_are_passed_over(base: KnowledgeBase, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret 秘密", "utf-8")
    folder = tmp_path / "docs"
    for name in (".git", "node_modules", "venv", "inner"):
        (folder / name).mkdir(parents=True)
        (folder / name / "a.md").write_text("# 年假 leave", "utf-8")
    (folder / ".hidden.md").write_text("# hidden", "utf-8")
    (folder / "~$letter.docx").write_bytes(b"who edits")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "linked").symlink_to(outside)
    os.mkfifo(folder / "pipe.md")
    report = base.add(folder)
    assert [one.address for one in report.of("added")] == ["docs/inner/a.md"]
    why = {one.address: one.why for one in report.failed}
    assert why.keys() == {"docs/link.md", "docs/linked", "docs/pipe.md"}
    assert "leads out of the folder" in why["docs/link.md"]


def test_modules_in_the_folder_that_is_read_are_not_loaded(
    base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lxml", "json", "docx"):
        (tmp_path / f"{name}.py").write_text("open('loaded', 'w')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert only(base, files.page("<p>年假</p>"), "p.html").fate == "added"
    assert not (tmp_path / "loaded").exists()


def test_a_missing_extra_is_named_with_its_command(
    base: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "without"
    broken.mkdir()
    for name in ("lxml", "pypdfium2", "docx", "pptx", "python_calamine"):
        (broken / f"{name}.py").write_text("raise ImportError('not installed')\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    folder = files.library(tmp_path / "docs")
    report = base.add(folder)
    assert len(report.of("added")) == 3
    assert {kinds.ending_of(one.address) for one in report.failed} == {
        ".html", ".pdf", ".docx", ".pptx", ".xlsx", ".epub",
    }  # fmt: skip
    assert all("pip install 'bethink[documents]'" in one.why for one in report.failed)


def test_what_is_not_there_or_has_no_name_is_an_error(base: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no file or folder"):
        base.add(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="needs a name"):
        base.add(b"text")
    with pytest.raises(InvalidInput, match="no such format: 'doc'"):
        base.add(tmp_path, formats=["doc"])
    assert base.add(tmp_path).outcomes == []
