"""Cut a text into passages: about 500 characters each, 50 shared with the one before.

Cuts fall at the best boundary in the second half of the window: paragraph, line, sentence (Chinese
and English), clause, word. Lengths are characters, never bytes. A short text is one passage. The
time is linear in the text, whatever is in it: a ready-made splitter that was tried took minutes
for a million characters without a boundary (docs/decisions/0004).
"""

from __future__ import annotations

import re
from functools import cache

from bethink.vocabulary import Passage

PASSAGE_CHARS = 500
OVERLAP_CHARS = 50


@cache
def _boundaries() -> tuple[re.Pattern[str], ...]:
    """Best first. A match ends where the passage may end."""
    patterns = (
        r"\n\s*\n",
        r"\n",
        r"[。！？!?…]+[”’」』）)\"']*|\.[”’)\"']*(?=\s)",
        r"[；;，、,:：]",
        r"\s+",
    )
    return tuple(map(re.compile, patterns))


def _end(text: str, start: int) -> int:
    """Where the passage that starts here should end."""
    hard = start + PASSAGE_CHARS
    if hard >= len(text):
        return len(text)
    half = start + PASSAGE_CHARS // 2
    for boundary in _boundaries():
        ends = [match.end() for match in boundary.finditer(text, half, hard)]
        if ends:
            return ends[-1]
    return hard


def _next_start(text: str, end: int) -> int:
    """Step back for the overlap, then forward to where a sentence or word begins."""
    back = end - OVERLAP_CHARS
    _, _, sentence, _, word = _boundaries()
    for boundary in (sentence, word):
        match = boundary.search(text, back, end - 1)
        if match is not None:
            return match.end()
    return back


@cache  # of a short text there is nothing else to say than how long it is
def _whole(length: int) -> tuple[Passage, ...]:
    return (Passage(0, 0, length),)


def split(text: str) -> tuple[Passage, ...]:
    """The passages of a text, in order; together they cover all of it but outer white space."""
    if len(text) <= PASSAGE_CHARS:
        return _whole(len(text))
    spans: list[tuple[int, int]] = []
    start = 0
    while True:
        end = _end(text, start)
        if text[start:end].strip() or not spans:
            spans.append((start, end))
        if end >= len(text):
            break
        start = _next_start(text, end)
    return tuple(Passage(i, start, end) for i, (start, end) in enumerate(spans))
