"""How much of a question a passage holds: 0 to 1, the same scale in both languages.

An English word counts 1 and is held if its stem is there. An identifier counts 1; of one that is
not there exactly, the parts that are count for theirs. Chinese counts by characters, two to a word:
a character is held if it stands beside the same neighbour as in the question, so 主题是深色 holds
all of 深色主题. Stop words and grammar do not count. Unlike BM25 this has an upper bound that means
something, and says the same in a small space as in a large one.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from bethink.text.fold import fold_width
from bethink.text.segments import is_chinese, telling_pieces, weight
from bethink.text.tokenise import MAX_QUERY_TERMS, terms


class Asked(NamedTuple):
    """A question made ready to be compared with many passages."""

    chinese: tuple[str, ...]
    others: tuple[frozenset[str], ...]  # the terms of each word or identifier
    total: float

    @classmethod
    def of(cls, question: str) -> Asked:
        telling = list(dict.fromkeys(telling_pieces(question)))[:MAX_QUERY_TERMS]
        chinese = tuple(piece for piece in telling if is_chinese(piece))
        words = (frozenset(terms(piece, ends=False)) for piece in telling if not is_chinese(piece))
        others = tuple(dict.fromkeys(filter(None, words)))
        return cls(chinese, others, sum(map(weight, chinese)) + len(others))

    def share_in(self, passage: str) -> float:
        """The share of the question that this passage holds."""
        if not self.total:
            return 0.0
        held = 0.0
        if self.others:
            there = set(terms(passage))
            held += sum(len(word & there) / len(word) for word in self.others)
        if self.chinese:
            text = fold_width(passage)
            held += sum(weight(piece) * _held(piece, text) for piece in self.chinese)
        return min(1.0, held / self.total)


def _held(piece: str, text: str) -> float:
    return len(_places(piece, text)) / len(piece)


def _places(piece: str, text: str) -> set[int]:
    """Which characters of a piece of Chinese are there, beside the same neighbour."""
    if len(piece) == 1:
        return {0} if piece in text else set()
    return {at + k for at in range(len(piece) - 1) if piece[at : at + 2] in text for k in (0, 1)}


def held_and_lacking(question: str, passage: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The question's telling words that a passage holds, and those that it lacks, as people write
    them: of Chinese whole stretches, of an identifier that is not there the parts that are."""
    there, text = set(terms(passage)), fold_width(passage)
    held: dict[str, None] = {}
    lacking: dict[str, None] = {}
    for piece in telling_pieces(question):
        if is_chinese(piece):
            places = _places(piece, text)
            for known, run in groupby(range(len(piece)), key=places.__contains__):
                stretch = "".join(piece[at] for at in run)
                (held if known else lacking)[stretch] = None
            continue
        exact, *parts = terms(piece, ends=False) or [""]
        if exact in there:
            held[piece] = None
        elif exact:
            lacking[piece] = None
            held |= dict.fromkeys(part for part in parts if part in there)
    return tuple(held), tuple(lacking)
