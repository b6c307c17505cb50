"""One tokeniser for Chinese and English, for the index and for the question alike.

What becomes a term:

- a run of Chinese (also kana, hangul): every pair of neighbours, and the last character by itself.
  Two-character words are always found. A character asked for alone (`stands_for_many`) means every
  term that begins with it: together with the last ones, that is everywhere it occurs. Indexing each
  single character as well would double the index and the time of writing;
- an English word: its stem;
- an identifier (`ERR_CONN_1042`, `user_id`, `--no-cache`, `a.b.c`, `/etc/hosts`, `getUserName`):
  itself, exactly, and its parts stemmed, so `1042` or `cache` find it as well.

A dictionary segmenter was measured and left out: see docs/decisions/0004. `VERSION` is part of the
words index's fingerprint: change it whenever the terms of any text change.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from operator import add
from typing import TYPE_CHECKING

import Stemmer

from bethink.text.both_ends import MAX_QUERY_CHARS as MAX_QUERY_CHARS  # others take it from here
from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_for_terms, fold_width
from bethink.text.stop_words import ENGLISH, is_grammar

if TYPE_CHECKING:
    from array import array

VERSION = 3

# A question is a handful of words; a pasted log is not. 64 terms keep every real question whole.
MAX_QUERY_TERMS = 64
# Longer "words" are hashes, base64 or noise: kept by their first characters only.
_MAX_TERM_CHARS = 64

_IDEOGRAPHS = (
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
# Patterns are kept as text: `re` compiles each at its first use and keeps it. Compiling all at
# import would cost every cold process some milliseconds for patterns that it never needs.


def _piece(word_character: str, ideographs: str) -> str:
    w = word_character
    return (
        rf"(?P<han>{ideographs})"
        rf"|(?P<lead>(?<!{w})(?:--?|\./|~/|/|[@#$]))?(?P<word>{w}+(?:['’]{w}+)*)"
        rf"(?P<more>(?:[-./:\\@+#=&]{{1,3}}{w}+)*)(?P<tail>\+\+|#)?"
    )


# a word character is a letter, digit or underscore that is no ideograph
_PIECE = _piece(rf"[^\W{_IDEOGRAPHS}]", rf"[{_IDEOGRAPHS}]+")
_ASCII_PIECE = _piece("[A-Za-z0-9_]", "(?!)")  # the same for plain English, compiled much faster
_ASCII_WORD = "[a-z0-9]+(?:'[a-z]+)?"
FIRST_IDEOGRAPH = _IDEOGRAPHS[0]
_IDEOGRAPH_RUN = f"[{_IDEOGRAPHS}]+"
_WORD = rf"[{_IDEOGRAPHS}]+|[^\W_{_IDEOGRAPHS}]+(?:'[^\W_{_IDEOGRAPHS}]+)?"
# "she'll" must not become "shell", nor "I'd" "id": what is short for another word goes.
_SHORT_FOR = r"(?i)'(?:s|d|m|ll|re|ve)\Z"
_SEGMENT = r"[/\\:=@&]+"
# How much, how long, which one, when: 45kg, 147.5kg, 12-week, 7th, 8th-12th, 10-20, 9:30, 50/50.
_QUANTITY = (
    r"\d{1,3}(?:\.\d+)?[a-z]{1,3}|\d+(?:\.\d+)?(?:[kmgt]b|[kcm]m|[km]g|ml|ms|[km]?hz|usd|rmb)"
    r"|\d{1,3}(?:\.\d+)?(?:st|nd|rd|th)?-(?:[a-z]{3,}|\d{1,3}(?:\.\d+)?(?:st|nd|rd|th)?)"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:am|pm)?|\d{1,3}/\d{1,3}"
)
_IN_IDENTIFIERS = r"[_./:\\@+#=&$~-]"  # without one of these, or a digit, a word is a word
_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+"

_stemmer = Stemmer.Stemmer("english")
_stemmer.maxCacheSize = 0  # our own dictionary below is faster
_stems: dict[str, str] = {}


def _stem(word: str) -> str:
    stem = _stems.get(word)
    if stem is None:
        if len(_stems) > 200_000:
            _stems.clear()
        # the stemmer wants to see the apostrophe of "don't"; the index does not
        whole = re.sub(_SHORT_FOR, "", word) if "'" in word else word
        if whole not in ENGLISH:  # else "quite" would be "quit" and "does" the name Doe
            whole = _stemmer.stemWord(whole)
        stem = _stems[word] = whole.replace("'", "")[:_MAX_TERM_CHARS]
    return stem


_SHORT_RUN = 16


@cache
def _room_for_pair() -> array[int]:
    """What a run of Chinese becomes: pairs of neighbours with a space after each, in UTF-32."""
    from array import array

    return array("I", "\0\0 ".encode("utf-32-le"))


def _han(run: str, *, ends: bool) -> str:
    """A run's terms. For a long one, two strided copies take a sixth of the time of joining."""
    if len(run) <= _SHORT_RUN:
        joined = " ".join(map(add, run, run[1:]))
        return (joined and joined + " ") + run[-1] if ends or not joined else joined
    room = _room_for_pair()
    characters = type(room)("I", run.encode("utf-32-le"))
    pairs = room * (len(run) - 1)
    pairs[0::3] = characters[:-1]
    pairs[1::3] = characters[1:]
    joined = pairs.tobytes().decode("utf-32-le")
    return joined + run[-1] if ends else joined


def stands_for_many(term: str) -> bool:
    """Does this term of a question mean every term that begins with it? A lone ideograph does."""
    return len(term) == 1 and re.fullmatch(f"[{_IDEOGRAPHS}]", term) is not None


def _is_plain(lower: str) -> bool:
    """A word of letters, apostrophes allowed."""
    return lower.replace("'", "").isalpha()


def _has_plain_case(word: str) -> bool:
    return word.islower() or word.isupper() or word.istitle() or word[1:].islower()


def _identifier(piece: str, lead: str) -> Iterator[str]:
    """The exact form first, then the identifiers that it is made of, then the stemmed parts."""
    exact = piece.lower()
    # `iPhone` is asked for as "iphone", which is a plain word and therefore stemmed
    yield _stem(exact) if _is_plain(exact) else exact[:_MAX_TERM_CHARS]
    if lead:
        yield (lead + exact)[:_MAX_TERM_CHARS]
        if "=" in exact:  # --platform=linux/arm64 is asked for as --platform
            yield (lead + exact.partition("=")[0])[:_MAX_TERM_CHARS]
    for segment in re.split(_SEGMENT, piece):
        if not _is_plain(segment):
            yield segment.lower()[:_MAX_TERM_CHARS]
        # `client.getUserName` is asked for as getUserName, `config.max_retries` as max_retries
        for name in segment.split("."):
            if not _is_plain(name):
                yield name.lower()[:_MAX_TERM_CHARS]
            elif not _has_plain_case(name):
                yield _stem(name.lower())
            # of a UUID or a name with a number, people quote a part: 3f2b8c1e
            if "-" in name:
                yield from (part for part in name.lower().split("-") if _is_code(part))
    parts = re.findall(_PARTS, piece)
    for part in map(str.lower, parts):
        if len(part) > 1 or len(parts) > 2:
            yield _stem(part)


def _is_code(part: str) -> bool:
    return 4 <= len(part) <= _MAX_TERM_CHARS and not part.isdigit() and not part.isalpha()


def terms(text: str, *, ends: bool = True) -> list[str]:
    """Every term of a text, in order, repeated as often as it occurs.

    `ends` says whether the last character of a longer Chinese run is a term of its own: in the
    index it is, in a question it would only match by chance.
    """
    return joined_terms(text, ends=ends).split()


def joined_terms(text: str, *, ends: bool = True) -> str:
    """The same as one text with spaces between them, which is what an index is given."""
    known = _indexed if ends else _asked
    return " ".join(map(known.__getitem__, fold_for_terms(text).split()))


class _Chunks(dict[str, str]):
    """The terms of text without white space. No term ever reaches across white space."""

    def __init__(self, *, ends: bool) -> None:
        self._ends = ends

    def __missing__(self, chunk: str) -> str:
        if chunk.isascii() and chunk.isalpha() and _has_plain_case(chunk):  # most of what is new
            joined = _stem(chunk.lower())
        else:
            joined = " ".join(_pieces(chunk, ends=self._ends))
        # words and lone signs recur; everything else is one-off
        if len(chunk) == 1 or (chunk.isascii() and len(chunk) <= 32):
            if len(self) > 200_000:  # bounded: a long-running server sees endless new words
                self.clear()
            # a stem like its word is kept once: half of the memory, and it is at hand when found
            self[chunk] = chunk if chunk == joined else joined
        return joined


_indexed = _Chunks(ends=True)
_asked = _Chunks(ends=False)


@cache  # to ask `re` for it takes as long as to find a word with it
def _piece_of(*, plain: bool) -> re.Pattern[str]:
    return re.compile(_ASCII_PIECE if plain else _PIECE)


def _pieces(chunk: str, *, ends: bool) -> Iterator[str]:
    for match in _piece_of(plain=chunk.isascii()).finditer(chunk):
        if han := match[1]:
            yield _han(han, ends=ends)
            continue
        _, lead, word, more, tail = match.groups()
        word = word.replace("’", "'")
        if not more and not tail and (not lead or lead == "/"):
            lower = word.lower()
            if _is_plain(lower) and _has_plain_case(word):
                yield _stem(lower)
                continue
            if lower.isdigit():
                yield lower[:_MAX_TERM_CHARS]
                continue
            word = re.sub(_SHORT_FOR, "", word)
        several = _identifier(word + more + (tail or ""), lead or "")
        yield from dict.fromkeys(filter(None, several))


@lru_cache(maxsize=16)  # several stages want those of the same question
def identifiers(text: str) -> tuple[str, ...]:
    """The exact forms of a question's identifiers: codes, flags, settings, paths, versions; and of
    those that are glued together (`NAME=1`, `src/NAME/x.py`, `host:port`) also each by itself.

    What is only a word with a hyphen, a plain number or a quantity is none: whoever asks about a
    12-week plan or 45kg is content with other words for it. Among Chinese, or marked as code, a
    word with a hyphen is a name: `order-service`, `.btn-primary`.
    """
    found: dict[str, None] = {}
    folded = fold_width(both_ends(text))
    if re.search(_IN_IDENTIFIERS, folded) is None and not any(map(str.isdigit, folded)):
        return ()
    chinese = re.search(_IDEOGRAPH_RUN, folded) is not None
    for chunk in folded.split():
        for match in re.finditer(_ASCII_PIECE if chunk.isascii() else _PIECE, chunk):
            word, more, lead = match["word"], match["more"] or "", match["lead"] or ""
            if word is None:
                continue
            exact = (word + more).lower()
            if exact[0].isdigit() and (lead == "$" or (lead == "#" and len(exact) < 3)):
                continue  # $1200, rule #1
            as_code = chinese or chunk[match.start() - 1 : match.start()] in (".", "`")
            if lead or _names(exact, as_code=as_code):
                whole = lead + exact if lead.startswith("-") else exact
                found[whole[:_MAX_TERM_CHARS]] = None
            if more and len(segments := re.split(_SEGMENT, exact)) > 1:
                inner = segments[:-1] if "/" in exact or "\\" in exact else []
                for segment in segments:
                    if segment in inner and not _tells(segment):
                        continue  # folders and hosts are shared by many: conf.d, example.com
                    if _names(segment, as_code=as_code):
                        found[segment[:_MAX_TERM_CHARS]] = None
                if lead.startswith("-") and "=" in exact:
                    found[(lead + exact.partition("=")[0])[:_MAX_TERM_CHARS]] = None
    return tuple(found)


def _tells(exact: str) -> bool:
    return "_" in exact or (any(map(str.isdigit, exact)) and any(map(str.isalpha, exact)))


def _names(exact: str, *, as_code: bool) -> bool:
    """Is this the name of something, rather than a word, a number or a quantity?"""
    if re.fullmatch(_QUANTITY, exact):
        return False
    if _tells(exact):
        return True
    letters = exact.replace("'", "").replace("-", "")
    return not letters.isalnum() or (as_code and "-" in exact and letters.isalpha())


def count_terms(text: str, wanted: Collection[str]) -> tuple[dict[str, int], int]:
    """How often a folded text holds each of these terms, and how many terms it has in all.

    The same as counting `terms`, at a tenth of the time for Chinese: no pair is made.
    """
    rest, ideographs = _without_ideographs(text)
    every = " ".join(map(_indexed.__getitem__, rest.split())).split()
    counts: dict[str, int] = {}
    for term in filter(wanted.__contains__, every):
        counts[term] = counts.get(term, 0) + 1
    if ideographs:
        for term in wanted:
            if term[0] >= FIRST_IDEOGRAPH and (count := text.count(term)):
                twin = len(term) == 2 and term[0] == term[1]  # 哈哈哈 holds 哈哈 twice
                counts[term] = len(re.findall(f"(?={term})", text)) if twin else count
    return counts, len(every) + ideographs


def _without_ideographs(text: str) -> tuple[str, int]:
    if text.isascii():
        return text, 0
    rest, runs = re.subn(_IDEOGRAPH_RUN, " ", text)
    return rest, len(text) - len(rest) + runs


def plain_words(text: str) -> list[str]:
    """The words as they are written, in lower case, not stemmed; of Chinese every pair."""
    if text.isascii():
        return re.findall(_ASCII_WORD, text.lower())
    found: list[str] = []
    for word in re.findall(_WORD, fold_width(text).lower()):
        if word[0] < FIRST_IDEOGRAPH or len(word) == 1:
            found.append(word)
        else:
            found += _han(word, ends=False).split()
    return found


def distinct_words(text: str, pairs: Iterable[str]) -> list[str]:
    """The different words of a folded text; of Chinese every character, and those of these pairs
    that it holds: there are endless pairs, and most are none that anybody would look for."""
    rest, ideographs = _without_ideographs(text)
    found = dict.fromkeys(re.findall(_ASCII_WORD if rest.isascii() else _WORD, rest.lower()))
    if ideographs:
        found |= dict.fromkeys("".join(re.findall(_IDEOGRAPH_RUN, text)))
        found |= dict.fromkeys(p for p in pairs if p[0] >= FIRST_IDEOGRAPH and p in text)
    return list(found)


@lru_cache(maxsize=16)
def query_terms(text: str) -> tuple[str, ...]:
    """What to ask the index for: distinct terms without stop words, at most `MAX_QUERY_TERMS`; of
    more than that the first half and the last.

    A question made of stop words alone keeps them: "what is it" still asks for something.
    """
    said = terms(both_ends(text), ends=False)
    every = dict.fromkeys(said)
    named = _named_in_chinese(text)
    telling = tuple([t for t in every if t in named or not _is_stop(t)] or every)
    if len(telling) <= MAX_QUERY_TERMS:
        return telling
    half = MAX_QUERY_TERMS // 2
    first, rest = telling[:half], frozenset(telling[half:])
    last = [t for t in dict.fromkeys(reversed(said)) if t in rest]
    return (*first, *reversed(last[:half]))


def telling_terms(text: str) -> tuple[str, ...]:
    """The same, but nothing where every word is a stop word."""
    wanted = query_terms(text)
    named = _named_in_chinese(text)
    return wanted if any(t in named or not _is_stop(t) for t in wanted) else ()


def _named_in_chinese(text: str) -> frozenset[str]:
    """The English stop words that stand alone within Chinese: "let 怎么用" asks about `let`."""
    if text.isascii():
        return frozenset()
    alone = rf"(?:(?<=[{_IDEOGRAPHS}])|(?<=[{_IDEOGRAPHS}]\s)|\A)([A-Za-z]+)(?=\s?[{_IDEOGRAPHS}])"
    return frozenset(_stem(word.lower()) for word in re.findall(alone, text[:MAX_QUERY_CHARS]))


@cache
def _english_stops() -> frozenset[str]:
    return frozenset(map(_stem, ENGLISH))


def _is_stop(term: str) -> bool:
    return term in _english_stops() or (len(term) <= 2 and not term.isascii() and is_grammar(term))
