"""Bytes to text where nobody says how: marks, UTF-8, then the encodings of Chinese, by evidence.

Both older Chinese encodings put their common characters into a range of first bytes of their own,
so that a text read in the wrong one is full of rare characters.
"""

from __future__ import annotations

import codecs

from bethink.knowledge.documents.blocks import Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LOOKED_AT = 200_000  # bytes
_SURE = 0.6  # of the pairs are common characters: in the wrong encoding it is below .4


def decoded(data: bytes, declared: str = "") -> tuple[str, str]:
    """The text, and a note where its encoding had to be found out."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return _clean(data.decode(encoding)), ""
            except UnicodeDecodeError as e:
                raise Unreadable(f"it begins as {encoding} and is not (byte {e.start})") from None
    for encoding in ("utf-8", declared):
        try:
            return _clean(data.decode(encoding or "utf-8")), ""
        except (UnicodeDecodeError, LookupError):
            continue
    encoding = _chinese(data[:_LOOKED_AT]) or "cp1252"
    text = data.decode(encoding, "replace")
    lost = text.count("�")
    if lost > len(text) / 100:
        raise Unreadable("its encoding cannot be told; save it as UTF-8")
    return _clean(text), f"not UTF-8: read as {encoding}"


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _chinese(data: bytes) -> str:
    """Which of the two it is; neither where most pairs are rare in both, as in French."""
    shares = {"gb18030": _share(data, 0xB0, 0xD7, 0xA1), "big5": _share(data, 0xA4, 0xC6, 0x40)}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _SURE else ""


def _share(data: bytes, first: int, last: int, least: int) -> float:
    """Of the pairs with a high first byte, how many are in the range of common characters?"""
    at, pairs, common = 0, 0, 0
    while at < len(data) - 1:
        lead = data[at]
        if lead < 0x80:
            at += 1
            continue
        trail = data[at + 1]
        if not 0xA1 <= lead <= 0xA3:  # punctuation, in both
            pairs += 1
            common += first <= lead <= last and trail >= least
        at += 2
    return common / pairs if pairs else 0.0
