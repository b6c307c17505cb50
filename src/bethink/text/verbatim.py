"""Names that the index cannot tell apart, and that therefore are looked for in the text itself.

- Only their capitals show that they are names: `getUserName`, `ECONNREFUSED`. The index folds and
  stems a word of letters, so that `getUserNames` and `getUserName` are one term there.
- Paths with Chinese in them: `docs/部署.md`, which the index knows as the words that it is made of.

Whoever asks for one of them does not mean the other. Names of products and companies (GitHub,
iPhone, JavaScript, PostgreSQL) are words like others: half of all notes may hold them.
"""

from __future__ import annotations

import re

from bethink.text.tokenise import FIRST_IDEOGRAPH

_WORD = r"(?<![A-Za-z0-9_])[A-Za-z]{6,64}(?![A-Za-z0-9_])"
_HUMPS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"
# It begins with a folder in ASCII, or a slash, and ends with an ending: what stands before it in a
# Chinese sentence has no space between.
_PATH = r"[A-Za-z0-9_.~-]{0,64}/[\w./-]{1,200}\.[A-Za-z0-9]{1,8}"
_LEAST_CAPITALS = 8  # shorter ones are mostly abbreviations and emphasis
_MOST = 8  # names; a question with more is a pasted log, and its first ones say enough


def verbatim_names(text: str) -> tuple[str, ...]:
    """Those of a text, as they are written."""
    found = cased_names(text)
    if "/" in text and not text.isascii():
        found += tuple(path for path in re.findall(_PATH, text) if max(path) >= FIRST_IDEOGRAPH)
    return tuple(dict.fromkeys(found))[:_MOST]


def cased_names(text: str) -> tuple[str, ...]:
    """Those that only their capitals show to be names."""
    if not any(chunk[1:] != chunk[1:].lower() for chunk in text.split()):
        return ()
    found = dict.fromkeys(word for word in re.findall(_WORD, text) if _is_name(word))
    capitals = [name for name in found if name.isupper()]
    if len(capitals) > 3:  # somebody is shouting
        return tuple(name for name in found if not name.isupper())
    return tuple(found)


def holds(text: str, name: str) -> bool:
    """Does the name stand in the text, whole and with these capitals?"""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(name) :][:2]
        if "/" in name and after[:1] in ("-", "."):  # `a.md.bak` is another file
            after = after[1:]
        if not _goes_on(before) and not _goes_on(after[:1]):
            return True
        at = text.find(name, at + 1)
    return False


def _goes_on(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _is_name(word: str) -> bool:
    if word.islower() or word.istitle():
        return False
    if word.isupper():
        return len(word) >= _LEAST_CAPITALS
    humps = re.findall(_HUMPS, word)
    if word[0].islower():  # getUserName, but not iPhone, eBay or macOS
        return len(humps) > 1 and len(humps[0]) > 1 and not humps[-1].isupper()
    return len(humps) > 2  # NullPointerException, but not JavaScript
