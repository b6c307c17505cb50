"""Who is named in a text: exact names only, the longest first, never a pronoun.

A name in Latin letters stands between word boundaries ("Ann" is not in "Annex") and begins with a
capital if it is a single word that does in the cast ("Rose" is not in "a rose"). A name of one
character is not looked for: 婉 would be found in other words, A at every "A". A title counts where
it names one character: "the captain", "Captain Reed" if Reed is the captain, 王爷 but not 八王爷.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from bethink.errors import InvalidInput
from bethink.story.naming import PRONOUNS, plain

if TYPE_CHECKING:
    from bethink.story.naming import Names

# Another of that rank, not the one in the cast: 八王爷, 小王爷, 老将军.
_OTHER_RANK = "一二三四五六七八九十大小老前副"
_DEFINITE = re.compile(r"\b(?:the|our|dear|young|old)\s$", re.IGNORECASE)
_NEXT_WORD = re.compile(r" ([^\W\d_]+)")
# Names that also begin questions: "Will you …?", "May I …?"
_ASKING = frozenset({"will", "may"})
_ASKED = re.compile(
    r" (?:i|you|he|she|it|we|they|there|this|that|the|these|those|not|be|my|your|his|her|our|their)"
    r"\b",
    re.IGNORECASE,
)


class _Form(NamedTuple):
    text: str  # folded, case kept
    entity: str | None  # None: it names several, and so nobody; it still covers what is inside
    title: bool


class Finder:
    def __init__(self, names: Names) -> None:
        forms: dict[str, _Form] = {}
        for character in names.cast.characters:
            titles = set(character.titles)
            for told in (character.name, *character.aliases, *character.titles):
                text = plain(told)
                if text.casefold() in PRONOUNS or len(text) == 1:
                    continue
                try:
                    entity = names.resolve(told)
                except InvalidInput:
                    entity = None
                title = told in titles and told not in (character.name, *character.aliases)
                forms.setdefault(text.casefold(), _Form(text, entity, title))
        self._forms = forms
        lengths: dict[str, set[int]] = {}
        for key, form in forms.items():
            lengths.setdefault(key[0], set()).add(len(form.text))
        # by their first letter: looking up a few lengths is the same for ten names and thousands
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self._own_words = {
            character.id: {
                word
                for told in (character.name, *character.aliases, *character.titles)
                for word in re.split(r"[\s-]", plain(told).casefold())
            }
            for character in names.cast.characters
        }

    def found_in(self, text: str) -> list[str]:
        text = plain(text)
        found: dict[str, None] = {}
        at = 0
        while at < len(text):
            form = self._form_at(text, at)
            if form is None:
                at += 1
                continue
            if form.entity is not None:
                found.setdefault(form.entity)
            at += len(form.text)
        return list(found)

    def _form_at(self, text: str, start: int) -> _Form | None:
        """The longest name that stands here."""
        for length in self._lengths.get(text[start].casefold()[:1], ()):
            form = self._forms.get(text[start : start + length].casefold())
            if form is not None and self._stands(form, text, start, start + length):
                return form
        return None

    def _stands(self, form: _Form, text: str, start: int, end: int) -> bool:
        if not (_free(text, start, -1) and _free(text, end - 1, 1)):
            return False
        if form.title:
            return self._is_the_one(form, text, start, end)
        told, key = text[start:end], form.text.casefold()
        if " " not in key and form.text[:1].isupper() and not told[:1].isupper():
            return False
        return not (key in _ASKING and _ASKED.match(text, end))

    def _is_the_one(self, title: _Form, text: str, start: int, end: int) -> bool:
        """Is this title meant of whoever bears it here?"""
        if _is_han(text[start]):
            return start == 0 or text[start - 1] not in _OTHER_RANK
        if title.text[:1].isupper() and not text[start].isupper():
            return _DEFINITE.search(text, max(0, start - 8), start) is not None
        following = _NEXT_WORD.match(text, end)
        if following is None or not following[1][:1].isupper() or title.entity is None:
            return True
        return following[1].casefold() in self._own_words[title.entity]


def occurs(words: str, text: str) -> bool:
    """Return True if these words stand in the text, between word boundaries, in any case."""
    words, text = plain(words).casefold(), plain(text).casefold()
    at = text.find(words) if words else -1
    while at >= 0:
        if _free(text, at, -1) and _free(text, at + len(words) - 1, 1):
            return True
        at = text.find(words, at + 1)
    return False


def _free(text: str, at: int, step: int) -> bool:
    """Does a word end at this character, going this way? Chinese has no such boundaries."""
    beyond = at + step
    if not 0 <= beyond < len(text) or not _is_letter(text[at]):
        return True
    if text[beyond] == "-":  # Mary-Ann is not Mary
        further = beyond + step
        return not (0 <= further < len(text) and _is_letter(text[further]))
    return not _is_letter(text[beyond]) and text[beyond] != "_"


def _is_letter(character: str) -> bool:
    return character.isalnum() and not _is_han(character)


def _is_han(character: str) -> bool:
    return character >= "\u2e80"
