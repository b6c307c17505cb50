"""A chapter cut into scenes, a scene cut into parts.

Scenes part at a line of signs (`***`, `---`, `⁂`, `※`), at a Markdown heading below the chapter's
own, at "Scene 3" and at 第三场. Parts end where a sentence does, in Chinese and in English.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PART_CHARS = 1_000  # a few paragraphs: what one would quote

_NUMBER = r"(?:\d{1,4}|[一二三四五六七八九十百零〇两]{1,6}|[IVXLC]{1,7})"
_BREAK = re.compile(r"^[ \t　]*(?:(?:[*＊·•~～_=#※§◇◆○●☆★⁂❦-][ \t　]*){3,}|[⁂❦※§])[ \t　]*$")
_SCENE_HEADING = re.compile(
    rf"^[ \t　]*(?:#{{1,6}}[ \t]*)?(?:(?:scene|sc\.)\s+{_NUMBER}\b|第\s*{_NUMBER}\s*[场場幕节節])"
    r"[^\n]{0,80}$",
    re.IGNORECASE,
)
_CHAPTER_HEADING = re.compile(
    rf"^[ \t　]*(?:#{{1,6}}[ \t]*)?(?:chapter\s+(?:{_NUMBER}|[a-z-]+)\b|第\s*{_NUMBER}\s*[章回卷])"
    r"[^\n]{0,80}$",
    re.IGNORECASE,
)
_MARKDOWN_HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]+(\S[^\n]{0,200})$")
_SENTENCE = re.compile(r".+?(?:[。！？!?…]+[”’」』）)\"']*|\.[”’)\"']*(?=\s)|\n+|$)\s*", re.DOTALL)
_TITLE_SIGNS = re.compile(
    rf"^(?:#+\s*)?(?:(?:scene|sc\.)\s+{_NUMBER}|第\s*{_NUMBER}\s*[场場幕节節])", re.IGNORECASE
)


class SceneText(NamedTuple):
    title: str
    text: str


def scenes_of(text: str) -> list[SceneText]:
    """The scenes of a chapter, in order; one, where nothing parts them."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    chapters_own = _chapters_own_heading(lines)
    scenes: list[SceneText] = []
    title, kept = "", list[str]()

    def close() -> None:
        if told := "\n".join(kept).strip():
            scenes.append(SceneText(title, told))

    for number, line in enumerate(lines):
        if number == chapters_own:
            continue
        heading = _heading(line)
        if heading is None and not _BREAK.match(line):
            kept.append(line)
            continue
        close()
        title, kept = heading or "", []
    close()
    return scenes


def _chapters_own_heading(lines: list[str]) -> int | None:
    """The first line that holds something, if it is a heading of the chapter."""
    for number, line in enumerate(lines):
        if line.strip():
            top = _MARKDOWN_HEADING.match(line)
            is_scene = _SCENE_HEADING.match(line)
            mine = _CHAPTER_HEADING.match(line) or (top is not None and len(top[1]) == 1)
            return number if mine and not is_scene else None
    return None


def _heading(line: str) -> str | None:
    """The title of the scene that begins here; None: none does."""
    if _SCENE_HEADING.match(line):
        return _TITLE_SIGNS.sub("", line.strip()).strip(" \t　:：.-—–、")
    found = _MARKDOWN_HEADING.match(line)
    return None if found is None or _BREAK.match(line) else found[2].strip(" #")


def sentences_of(text: str) -> list[str]:
    return [match[0] for match in _SENTENCE.finditer(text) if match[0].strip()]


def first_sentence(text: str, most: int = 200) -> str:
    found = next(iter(sentences_of(text.strip())), "").strip()
    return found if len(found) <= most else found[: most - 1] + "…"


def parts_of(text: str) -> list[str]:
    """About `PART_CHARS` characters each, whole sentences where there are any."""
    parts = [""]
    for sentence in sentences_of(text.strip()):
        # no sentence ends for very long: cut it anywhere
        for start in range(0, len(sentence), PART_CHARS):
            piece = sentence[start : start + PART_CHARS]
            if len(parts[-1]) + len(piece) > PART_CHARS:
                parts.append("")
            parts[-1] += piece
    return [part.strip() for part in parts if part.strip()]
