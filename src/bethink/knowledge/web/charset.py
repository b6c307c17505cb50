"""Bytes of a page as text: its mark at the start, what the server says, what the page says, and
only then what it looks like. Names mean what they mean to browsers (`gb2312` is GB18030)."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAID = re.compile(
    rb"""<meta[^>]{0,300}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_:.-]{1,40})""", re.I
)
_LOOKED_AT = 4_096  # bytes: where a page says it
_MEANT = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030",
    "chinese": "gb18030", "big5": "big5hkscs", "x-x-big5": "big5hkscs", "iso-8859-1": "cp1252",
    "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252", "utf8": "utf-8",
    "unicode": "utf-16-le", "shift_jis": "cp932", "euc-kr": "cp949", "x-sjis": "cp932",
}  # fmt: skip
_TEXTS = re.compile(r"utf|gb|big5|hz|cp|iso|windows|shift|euc|koi|mac|tis|johab|latin|ascii", re.I)


def decoded(content: bytes, charset: str = "") -> str:
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    said = _SAID.search(content[:_LOOKED_AT])
    for told in (charset, said.group(1).decode() if said else ""):
        name = known(told)
        if told is not charset and name.startswith("utf-16"):
            name = "utf-8"  # or this could not have been read
        if name and _fits(content, name):
            return content.decode(name, "replace")
    for name in ("utf-8", "gb18030"):
        if _fits(content, name):
            return content.decode(name, "replace")
    return content.decode(known(charset) or "cp1252", "replace")


def known(name: str) -> str:
    """The codec of a charset; "" if there is none. Codecs that do not make text are none."""
    name = name.strip().lower()
    name = _MEANT.get(name, name)
    if not _TEXTS.match(name):
        return ""
    try:
        codec = codecs.lookup(name)
        "x".encode(codec.name)
    except (LookupError, ValueError):
        return ""
    # no browser reads it: text that is harmless in every other charset is markup in this one
    return "" if codec.name == "utf-7" else codec.name


def _fits(content: bytes, name: str) -> bool:
    """Few bytes that it cannot read: a page in another charset than it says has many."""
    text = content.decode(name, "replace")
    return text.count("\ufffd") * 100 <= len(text)
