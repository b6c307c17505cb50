"""How much of a question a passage holds: 0 to 1, the same scale in both languages.

An English word counts 1 and is held if its stem is there. An identifier counts 1; of one that is
not there exactly, the parts that are count for theirs. Chinese counts by characters, two to a word:
a character is held if it stands beside the same neighbour as in the question, so 主题是深色 holds
all of 深色主题. Stop words and grammar do not count. Unlike BM25 this has an upper bound that means
something, and says the same in a small space as in a large one.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.text.fold import fold_width
from recollect.text.segments import is_chinese, telling_pieces, weight
from recollect.text.tokenise import MAX_QUERY_TERMS, terms


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
    if len(piece) == 1:
        return float(piece in text)
    held = {at + k for at in range(len(piece) - 1) if piece[at : at + 2] in text for k in (0, 1)}
    return len(held) / len(piece)
