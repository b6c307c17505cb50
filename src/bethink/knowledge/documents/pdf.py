"""PDF: paragraphs with their pages. Headings by the outline; where there is none, by the size of
the letters and by what the line says. What repeats at the edge of most pages is left out."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.pdf_lines import Line, unbroken, without_edges
from bethink.knowledge.documents.plain import heading_level, numbered_level

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_LARGER = 1.15  # than the letters of the text: a heading
_LONGEST = 120
_JUNK_TITLE = re.compile(r"^(untitled|microsoft word|.*\.(docx?|indd|tex|pdf|pptx?)$)", re.I)


def read(data: bytes, limits: Limits) -> Reading:
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra("reading PDF", "documents") from None
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as e:
        raise Unreadable(_why_not(str(e))) from None
    try:
        count = len(document)
        lines, notes = _lines(document, limits)
        outline = _outline(document)
        title = str(document.get_metadata_value("Title")).strip()
    finally:
        document.close()
    if not lines:
        raise Unreadable(
            "it holds no text: perhaps scanned pages. Let a program for OCR read it first"
        )
    blocks = _blocks(without_edges(unbroken(lines), count), outline)
    title = "" if _JUNK_TITLE.match(title) else title
    return Reading(blocks, title, unit="page", places=count, notes=notes)


def _why_not(error: str) -> str:
    if "assword" in error or "ecurity" in error:
        return "it is encrypted; save it without a password"
    return f"it is damaged, or no PDF ({error})"


def _lines(document: PdfDocument, limits: Limits) -> tuple[list[Line], tuple[str, ...]]:
    import pypdfium2.raw as pdfium
    from pypdfium2 import PdfiumError

    lines: list[Line] = []
    broken: list[int] = []
    chars = 0
    for number in range(1, len(document) + 1):
        if number > limits.pages or chars > limits.chars:
            return lines, (f"read up to page {number - 1:,} of {len(document):,}",)
        try:
            page = document[number - 1]
            words = page.get_textpage()
        except PdfiumError:
            broken.append(number)
            continue
        text = words.get_text_range()
        at = 0
        for line in text.split("\n"):
            bare = line.strip()
            if bare:
                first = at + len(line) - len(line.lstrip())
                size = pdfium.FPDFText_GetFontSize(words.raw, first)
                top = words.get_charbox(min(first, words.count_chars() - 1))[3]
                lines.append(Line(_clean(bare), number, round(size, 1), top))
            at += len(line) + 1
        chars += len(text)
        words.close()
        page.close()
    notes = (f"pages that cannot be read: {_some(broken)}",) if broken else ()
    return lines, notes


def _some(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (", …" if len(numbers) > 10 else "")


def _clean(line: str) -> str:
    """Without what no text holds."""
    return re.sub(r"[\ufffd\u0000-\u0008\u000b-\u001f\u00ad]", "", line)


def _outline(document: PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """By page, the headings that the file itself lists."""
    from pypdfium2 import PdfiumError

    found: dict[int, list[tuple[int, str]]] = {}
    try:
        for mark in document.get_toc(max_depth=6):
            target = mark.get_dest()
            page = None if target is None else target.get_index()
            title = " ".join(mark.get_title().split())
            if page is not None and title:
                found.setdefault(page + 1, []).append((min(6, mark.level + 1), title))
    except PdfiumError:
        return found  # as far as it could be read
    return found


def _blocks(lines: list[Line], outline: dict[int, list[tuple[int, str]]]) -> list[Block]:
    levels = _Levels(lines, outline)
    blocks: list[Block] = []
    paragraph: list[Line] = []
    gaps = _usual_gaps(lines)
    former: Line | None = None

    def end() -> None:
        if paragraph:
            blocks.append(_joined(paragraph))
            paragraph.clear()

    for line in lines:
        if former is None or line.page != former.page:
            if former is not None and not _goes_on(former.text):
                end()
            for level, title in levels.unseen(line.page):
                end()
                blocks.append(Block(title, level=level, place=line.page))
        elif not 0 <= former.top - line.top <= 1.4 * gaps.get(line.page, 1e9):
            end()
        level = levels.of(line)
        if level:
            end()
            blocks.append(Block(line.text, level=level, place=line.page))
        else:
            paragraph.append(line)
        former = line
    end()
    return blocks


class _Levels:
    """Which line is a heading, and of which level."""

    def __init__(self, lines: list[Line], outline: dict[int, list[tuple[int, str]]]) -> None:
        texts = {(line.page, _bare(line.text)) for line in lines}
        self._listed = {
            (page, _bare(title)): level
            for page, entries in outline.items()
            for level, title in entries
            if (page, _bare(title)) in texts
        }
        self._unseen = {
            page: [one for one in entries if (page, _bare(one[1])) not in texts]
            for page, entries in outline.items()
        }
        self._outlined = bool(outline)
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[line.size] += len(line.text)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        larger = sorted((s for s in sizes if s > self._body * _LARGER), reverse=True)
        self._by_size = {size: min(6, at + 1) for at, size in enumerate(larger)}

    def unseen(self, page: int) -> list[tuple[int, str]]:
        """Headings of the outline whose words are not on their page in one line."""
        return self._unseen.pop(page, [])

    def of(self, line: Line) -> int:
        if self._outlined:
            return self._listed.get((line.page, _bare(line.text)), 0)
        if len(line.text) > _LONGEST or len(line.text) < 2:
            return 0
        level = heading_level(line.text)
        by_size = self._by_size.get(line.size, 0)
        if by_size and any(char.isalpha() for char in line.text):
            return numbered_level(line.text) or level or by_size
        return level


def _bare(text: str) -> str:
    return "".join(text.split()).lower()


def _usual_gaps(lines: list[Line]) -> dict[int, float]:
    """By page, how far the lines of a paragraph are apart."""
    gaps: dict[int, list[float]] = {}
    for former, line in pairwise(lines):
        if former.page == line.page and 0 < former.top - line.top < 10 * max(line.size, 1):
            gaps.setdefault(line.page, []).append(former.top - line.top)
    return {page: median(own) for page, own in gaps.items()}


def _goes_on(text: str) -> bool:
    return text[-1:] not in ".。!?！？:：;；”\"'"


def _joined(lines: list[Line]) -> Block:
    """The lines of a paragraph as one: Chinese has no spaces between them."""
    parts: list[str] = []
    breaks: list[tuple[int, int]] = []
    chars, page = 0, lines[0].page
    for line in lines:
        if parts and not (_is_chinese(parts[-1][-1:]) and _is_chinese(line.text[:1])):
            parts.append(" ")
            chars += 1
        if line.page != page:
            page = line.page
            breaks.append((chars, page))
        parts.append(line.text)
        chars += len(line.text)
    return Block("".join(parts), place=lines[0].page, breaks=tuple(breaks))


def _is_chinese(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" or char in "“”‘’…—"
