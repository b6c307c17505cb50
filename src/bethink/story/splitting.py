"""A chapter cut into scenes, a scene cut into parts.

Scenes part at a line of signs (`***`, `---`, `⁂`, `※`), at a Markdown heading below the chapter's
own, at "Scene 3" and at 第三场 where these are headings and begin no sentence. Parts end where
a sentence does, in Chinese and in English.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PART_CHARS = 1_000  # a few paragraphs: what one would quote

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_NUMBER = (
    r"(?:\d{1,4}|[一二三四五六七八九十百零〇两]{1,6}|[IVXLC]{1,7}|ten|eleven|twelve|"
    rf"(?:thir|four|fif|six|seven|eigh|nine)teen|"
    rf"(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:{_ONES}))?|{_ONES})"
)
_BREAK = re.compile(r"^[ \t　]*(?:(?:[*＊·•~～_=#※§◇◆○●☆★⁂❦-][ \t　]*){3,}|[⁂❦※§])[ \t　]*$")
_SCENE = re.compile(
    rf"^[ \t　]*(#{{1,6}}[ \t]*)?(?:(?:scene|sc\.)\s+{_NUMBER}\b|第\s*{_NUMBER}\s*[场場幕节節])"
    r"([^\n]{0,80})$",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    rf"^[ \t　]*(#{{1,6}}[ \t]*)?(?:chapter\s+{_NUMBER}\b|第\s*{_NUMBER}\s*[章回卷])"
    r"([^\n]{0,80})$",
    re.IGNORECASE,
)
_MARKDOWN_HEADING = re.compile(r"^[ \t]{0,3}(#{1,6})[ \t]+(\S[^\n]{0,200})$")
# "Mr. Hale" and "J. Hale" go on after the dot; "So did I." does not.
_SHORTENED = "".join(
    rf"(?<!\b{one})"
    for one in "Mr Mrs Ms Dr St Prof Capt Lt Col Gen Sgt Maj Rev Hon Jr Sr Mt Mme Mlle".split()
)
_SENTENCE = re.compile(
    rf".+?(?:[。！？!?…]+[”’」』）)\"']*|{_SHORTENED}(?<!\b[A-HJ-Z])\.[”’)\"']*(?=\s)|\n+|$)\s*",
    re.DOTALL,
)
_BROKEN_WIDTH = 40  # columns, at least: editors break lines at 60 to 120
_ANEW = re.compile(r"[ \t　]*[“‘「『\"']|[　\t]|  ")  # speech, or an indented paragraph
_TITLE_EDGES = " \t　:：.-—–、|·"
_SAID = re.compile(r"[。！？!?…；;”」』\"]|\.(?:\s|$)")  # a sentence, or a part of one
_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n((?:[^\n]*\n){0,40}?)---[ \t]*(?:\n|\Z)")
_FIELD = re.compile(r"\s*(?:#.*|-\s.*|[\w -]+:.*)?\s*")
_OF_A_FILE = re.compile(  # a play has lines like "Ann: no" too
    r"^(?:title|author|date|tags|draft|chapter|status|aliases|标题|作者|日期|标签|章节):", re.M
)


class SceneText(NamedTuple):
    title: str
    text: str


def scenes_of(text: str) -> list[SceneText]:
    """The scenes of a chapter, in order; one, where nothing parts them."""
    lines = _without_front_matter(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
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


def _without_front_matter(text: str) -> str:
    """Fields between two lines of `---` at the very beginning: about the file, not of the story."""
    found = _FRONT_MATTER.match(text)
    if found is None or not _OF_A_FILE.search(found[1]):
        return text
    if not all(map(_FIELD.fullmatch, found[1].split("\n"))):
        return text
    return text[found.end() :]


def _chapters_own_heading(lines: list[str]) -> int | None:
    """The first line that holds something, if it is a heading of the chapter."""
    for number, line in enumerate(lines):
        if line.strip():
            top = _MARKDOWN_HEADING.match(line)
            mine = _title(_CHAPTER, line) is not None or (top is not None and len(top[1]) == 1)
            return number if mine and _title(_SCENE, line) is None else None
    return None


def _heading(line: str) -> str | None:
    """The title of the scene that begins here; None: none does."""
    title = _title(_SCENE, line)
    if title is not None:
        return title
    found = _MARKDOWN_HEADING.match(line)
    return None if found is None or _BREAK.match(line) else found[2].strip(" #")


def _title(numbered: re.Pattern[str], line: str) -> str | None:
    """What a numbered heading says beside its number; None: it is none. Prose begins so too
    (第一场雪下得很大。"Scene 3 of the play bored her."), and must not be taken for one."""
    found = numbered.match(line)
    if found is None:
        return None
    rest = found[2]
    title = rest.strip(_TITLE_EDGES)
    if found[1] or not title:
        return title
    if rest[0] not in _TITLE_EDGES:  # 第三场夜雨, not 第二节课的铃响了，孩子们
        fits = len(title) <= 12 and not _SAID.search(rest) and not set(title) & set("，,")
        return title if fits else None
    if _SAID.search((title if rest[0] in ":：." else rest.rstrip()).rstrip("？！?!")):
        return None  # 第三章 他是谁？ is a title all the same
    return None if title[0].islower() and rest[0] not in ":：." else title


def sentences_of(text: str) -> list[str]:
    return [match[0] for match in _SENTENCE.finditer(text) if match[0].strip()]


def first_sentence(text: str, most: int = 200) -> str:
    """Of the story itself: headings and breaks above it say nothing that happens."""
    lines = text.strip().split("\n")
    told = 0
    while told < len(lines) - 1 and _is_above(lines[told]):
        told += 1
    found = next(iter(sentences_of(_whole_line(lines[told:]))), "").strip()
    return found if len(found) <= most else found[: most - 1] + "…"


def _whole_line(lines: list[str]) -> str:
    """The first line, with those into which it was broken by an editor that keeps lines short. A
    title is shorter than such lines; a paragraph, verse or speech begins anew."""
    whole = line = lines[0].strip()
    for following in lines[1:]:
        ends = _SAID.search(line[-2:]) is not None
        if ends or _width(line) < _BROKEN_WIDTH or _ANEW.match(following) or _is_above(following):
            break
        line = following.strip()
        chinese = not (whole[-1].isascii() and line[0].isascii())
        whole += line if chinese else f" {line}"
    return whole


def _width(line: str) -> int:
    """In a terminal: a Chinese character takes two columns."""
    return len(line) + sum(not one.isascii() for one in line)


def _is_above(line: str) -> bool:
    return (
        not line.strip()
        or _heading(line) is not None
        or _title(_CHAPTER, line) is not None
        or _BREAK.match(line) is not None
    )


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
