"""The plain text behind simple disguises: what the rules read.

Full width, unseen characters, traditional Chinese and upper case go with folding. Beyond that:
letters of other alphabets that look Latin, letters that stand apart (i g n o r e, 忽 略), digits
for letters (1gn0re), and text that is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bethink.text.fold import fold
from bethink.text.suspicion.findings import compiled
from bethink.text.suspicion.hidden import LOOK_ALIKES

_APART = r"(?<![a-z0-9])(?:[a-z][ .\-_*|/~]){4,200}[a-z](?![a-z0-9])"
_HAN_APART = r"(?<=[\u3400-\u9fff])[ \t.*_·|~/\-\\]{1,3}(?=[\u3400-\u9fff])"
_LEET = r"(?<![\w])(?=[a-z@$]{0,30}[013457@$])[a-z@$013457]{4,30}(?![\w])"
_LEET_LETTERS = str.maketrans("013457@$", "oieastas")

_BASE64 = r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}"
_HEX = r"(?<![0-9a-fA-F])(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ :,]?){16,}"
_PERCENT = (  # letters that nobody needs to encode, or many that are not of English
    r"(?:%[46][1-9a-fA-F]|%[57][0-9aA]){3,}|(?:%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}){2,}"
)
_ENTITY = (  # three in a row, or one that stands for a plain letter
    r"(?:&#x?[0-9a-fA-F]{2,6};){3,}|&#(?:6[5-9]|[78]\d|9[0-9]|1[01]\d|12[0-2]);|&#x[4-7][0-9a-fA-F];"
)
_ESCAPED = r"(?:\\u[0-9a-fA-F]{4}){4,}"
_MOST_DECODED = 64  # runs of one text; more of them is data, not a message
_LONGEST_DECODED = 20_000


def plain(text: str) -> str:
    """One folded text with the letters that were meant."""
    folded = fold(text)
    if not folded.isascii():
        if compiled("[\u0370-\u03ff\u0400-\u052f]").search(folded):
            folded = folded.translate(LOOK_ALIKES)
        folded = compiled(_HAN_APART).sub("", folded)
    return compiled(_APART).sub(lambda run: re.sub(r"[ .\-_*|/~]", "", run[0]), folded)


def without_leet(folded: str) -> str:
    """Digits as the letters that they look like, in words that have both; "" if there are none."""
    if not compiled(_LEET).search(folded):
        return ""
    changed = compiled(_LEET).sub(_as_letters, folded)
    return "" if changed == folded else changed


def _as_letters(word: re.Match[str]) -> str:
    letters = sum(c.isalpha() for c in word[0])
    return word[0].translate(_LEET_LETTERS) if letters >= len(word[0]) / 2 else word[0]


def decoded(text: str) -> Iterator[str]:
    """Readable texts that are encoded in this one."""
    import html
    from itertools import islice
    from urllib.parse import unquote

    if compiled(_PERCENT).search(text):
        yield from _readable(unquote(text[:_LONGEST_DECODED], errors="replace"))
    if "&#" in text and compiled(_ENTITY).search(text):
        yield from _readable(html.unescape(text[:_LONGEST_DECODED]))
    if "\\u" in text:
        for run in islice(compiled(_ESCAPED).findall(text), _MOST_DECODED):
            yield from _readable("".join(chr(int(code, 16)) for code in run.split("\\u")[1:]))
    for run in islice(compiled(_BASE64).findall(text), _MOST_DECODED):
        yield from _from_base64(run[:_LONGEST_DECODED])
    for run in islice(compiled(_HEX).findall(text), _MOST_DECODED):
        digits = re.sub(r"\\x|0x|[ :,]", "", run[:_LONGEST_DECODED])
        yield from _from_bytes(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _from_base64(run: str) -> Iterator[str]:
    import base64

    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (len(body) % 4 == 1)]  # one character over is no byte
    yield from _from_bytes(base64.b64decode(body + "=" * (-len(body) % 4)))


def _from_bytes(raw: bytes) -> Iterator[str]:
    encoding = "utf-16-le" if raw[1:2] == b"\0" else "utf-8"
    yield from _readable(raw.decode(encoding, "replace"))


def _readable(text: str) -> Iterator[str]:
    """Chance makes signs of all kinds; a message is nearly all letters."""
    if len(text) < 6:
        return
    odd = sum(not (c.isprintable() or c in "\n\r\t") or c == "\ufffd" for c in text)
    if odd <= len(text) // 20:
        yield text
