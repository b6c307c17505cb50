"""Does one text say all that another says? Strict, because a wrong yes loses a memory.

A share of common words cannot decide it: where two notes share twenty words, the one that differs
may be the fact ("dark" and "light", "Mei" and "Tom", 周三 and 周五). So everything but particles
must be in the larger text, and whatever can turn or change a fact (numbers, dates, identifiers,
negations, "used to", 曾经) must be the same in both. Only whole sentences that stand in the larger
text word for word need not meet the second condition: what else it says does not touch them.
"""

from __future__ import annotations

import re

from bethink.text.fold import fold
from bethink.text.tokenise import terms
from bethink.text.verbatim import cased_names

# What may be missing: it changes how a thing is said, never what is said.
_ENGLISH_PARTICLES = frozenset(
    "a an the is are was were be been am also just really very so".split()
)
_CHINESE_PARTICLES = "的了着呢啊呀嘛吧哦啦也就很是"

# What turns a statement round or puts it into the past.
_TURNING = (
    r"\b(?:no|not|never|none|nor|neither|nobody|nothing|nowhere|without|cannot|hardly|except|unless|"
    r"but|until|instead|former|formerly|previously|used to|no longer|stop\w*|quit\w*|cancel\w*|"
    r"wrong\w*|false\w*|\w+n['’]t)\b"
    r"|不|没|无|非|未|别|勿|莫|否|曾|以前|之前|原来|本来|原本|改|取消|停|错|假|除|但|直到"
)
_SENTENCE_ENDS = ".!?。;…"


def contains(larger: str, smaller: str, *, least: int = 8) -> bool:
    """Is everything that the smaller says in the larger? `least`: with fewer distinct terms, no."""
    told = fold(smaller)
    around = fold(larger)
    pieces = _telling(told)
    if len(pieces) < least or not pieces <= _telling(around):
        return False
    if not set(cased_names(smaller)) <= set(cased_names(larger)):  # folded they may be the same
        return False
    if _stands_in(around, told):
        return True
    return _facts(told) == _facts(around)


def _telling(folded: str) -> frozenset[str]:
    """Its terms without particles."""
    if not folded.isascii():
        folded = re.sub(f"[{_CHINESE_PARTICLES}]", "", folded)
    return frozenset(terms(folded, ends=False)) - _ENGLISH_PARTICLES


def _facts(folded: str) -> tuple[list[str], list[str]]:
    """What must not differ: numbers and identifiers in order, and the words that turn a fact."""
    exact = [term for term in terms(folded, ends=False) if not term.isalpha()]
    return exact, re.findall(_TURNING, folded)


def _stands_in(around: str, told: str) -> bool:
    """Whole sentences of the larger, word for word?"""
    around, told = " ".join(around.split()), " ".join(told.split()).rstrip(_SENTENCE_ENDS)
    at = around.find(told)
    while at >= 0:
        before, after = around[:at].rstrip()[-1:], around[at + len(told) :].lstrip()[:1]
        if (not before or before in _SENTENCE_ENDS) and (not after or after in _SENTENCE_ENDS):
            return True
        at = around.find(told, at + 1)
    return False
