"""Other ways to ask the same by words, in Chinese and English, the most telling first.

- what stands in quotation marks;
- the question without the words around it ("can you tell me") and without question words;
- the question without any stop words;
- its longest segments: the longest stretches of telling words;
- for Chinese, a short segment with something in between: 养猫 is said as 养了一只猫, 见面 as
  见过一面. An English search has "keep" and "cat" apart in any case.

A single character is asked for only where the question holds nothing longer: 定 is in half of all
texts. Pure, and linear in the length of the question.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_width
from bethink.text.keywords import quoted, without_scaffolding
from bethink.text.segments import Piece, is_chinese, pieces, segments, weight

MOST = 8  # variants
_LONGEST = 2  # segments
# What may stand between begins as what comes between a verb and its object does: 养了一只小黑猫.
_BETWEEN = "(?:[了过着完好起上到个一两几三不得的这那我你他她它您].{0,4})?"


class Variant(NamedTuple):
    kind: str
    text: str
    apart: str = ""  # Chinese that a find must hold, with something in between or without

    @property
    def shown(self) -> str:
        """As people would write it: 养…猫."""
        return "…".join(self.apart) if self.apart else self.text

    def fits(self, passage: str) -> bool:
        """Does what was found say this, or only hold the same characters somewhere?"""
        if not self.apart:
            return True
        return re.search(_BETWEEN.join(self.apart), fold_width(passage)) is not None


def variants(question: str) -> tuple[Variant, ...]:
    """At most `MOST` variants that differ from the question and from each other."""
    text = both_ends(question)
    rest = without_scaffolding(text)
    every = _without_lone([p for p in pieces(rest) if not p.asking])
    telling = [p.text for p in every if p.telling]
    found = [Variant("quoted", phrase) for phrase in quoted(text)[:_LONGEST]]
    if telling:  # else a lone 是 or "is" would be left, which is everywhere
        found.append(Variant("no question words", " ".join(p.text for p in every)))
        found.append(Variant("no stop words", " ".join(telling)))
    longest = sorted(segments(rest), key=weight, reverse=True)[:_LONGEST]
    found += [Variant("longest segment", s) for s in longest if len(s) > 1 or [s] == telling]
    short = [piece for piece in telling if is_chinese(piece) and 2 <= len(piece) <= 4]
    found += [
        Variant("something between", " ".join(piece), piece)
        for piece in list(dict.fromkeys(short))[:_LONGEST]
    ]
    kept: dict[str, Variant] = {}
    for variant in found:
        if variant.text and variant.text != question.strip():
            kept.setdefault(variant.text.lower(), variant)
    return tuple(kept.values())[:MOST]


def _without_lone(every: list[Piece]) -> list[Piece]:
    """Without single Chinese characters, if anything longer tells something."""
    longer = [p for p in every if len(p.text) > 1 or not is_chinese(p.text)]
    return longer if any(p.telling for p in longer) else every
