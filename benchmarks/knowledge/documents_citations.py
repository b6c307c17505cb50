"""Are citations right? The source is read again, in another way than the readers of documents do.

A line of the shown passage is looked for in the file without its markup. HTML and Markdown: the
heading that the citation names must be the last one before one of the places. PDF: the line must be
on one of the pages that the citation names.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.knowledge.documents_sets import plain

from bethink.knowledge.citations import Citation
from bethink.vocabulary import Hit

_LEAST = 16  # characters of a line that tells where it is from


class Source(NamedTuple):
    """A text without white space, and what begins where in it: headings, or pages."""

    text: str
    begins: list[tuple[int, str]]

    def at(self, place: int) -> str:
        return next((name for start, name in reversed(self.begins) if start <= place), "")


def is_right(hit: Hit, citation: Citation, path: Path) -> bool | None:
    """None where nothing can be told: no line of it is found as it is written."""
    source = _source(path)
    for line in _telling(hit):
        places = list(_places(source.text, line))
        if not places:
            continue
        if citation.page is not None and path.suffix == ".pdf":
            last = citation.page_end or citation.page
            return any(citation.page <= int(source.at(place)) <= last for place in places)
        heading = citation.heading.split("›")[-1] or citation.title
        return any(plain(heading) == plain(source.at(place)) for place in places)
    return None


def _telling(hit: Hit) -> list[str]:
    """Lines of the passage that are as they were written, the longest first."""
    passage = hit.memory.text[hit.passage.start : hit.passage.end]
    lines = [line for line in passage.splitlines() if not re.search(r"[|`*\[#]", line)]
    bare = ["".join(line.split()) for line in lines]
    return sorted((line for line in bare if len(line) >= _LEAST), key=len, reverse=True)[:5]


def _places(text: str, line: str) -> Iterator[int]:
    at = text.find(line)
    while at >= 0:
        yield at
        at = text.find(line, at + 1)


@cache
def _source(path: Path) -> Source:
    if path.suffix == ".pdf":
        return _pages(path)
    text = path.read_text("utf-8")
    if path.suffix in (".html", ".htm"):
        return _marked(text, r"<h[1-6][^>]*>(.*?)</h[1-6]>")
    code = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
    without = code.sub(lambda found: found.group().replace("#", " "), text)  # comments there
    return _marked(without, r"^#{1,6} +(.*)$")


def _marked(text: str, heading: str) -> Source:
    parts: list[str] = []
    begins: list[tuple[int, str]] = []
    length = last = 0
    for found in re.finditer(heading, text, re.DOTALL | re.IGNORECASE if "<h" in heading else re.M):
        parts.append(_bare(text[last : found.start()]))
        length += len(parts[-1])
        begins.append((length, html.unescape(re.sub(r"<[^>]+>", "", found.group(1)))))
        last = found.start()
    parts.append(_bare(text[last:]))
    return Source("".join(parts), begins)


def _bare(text: str) -> str:
    return "".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def _pages(path: Path) -> Source:
    from pypdf import PdfReader

    parts: list[str] = []
    begins: list[tuple[int, str]] = []
    length = 0
    for number, page in enumerate(PdfReader(path).pages, start=1):
        begins.append((length, str(number)))
        parts.append("".join(page.extract_text().split()))
        length += len(parts[-1])
    return Source("".join(parts), begins)
