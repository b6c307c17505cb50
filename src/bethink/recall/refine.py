"""Read the best candidates and weigh them finally. What only their texts can tell:

- *words by memory:* BM25 of a memory as a whole, from its passages among the candidates. A passage
  of a long text that touches the question in passing gives way to a short memory that is about it;
- *words in other words:* for each of the question's words the nearest word of the passage, by the
  embedder's word vectors, the rarer the weightier ("purchase" finds "bought");
- *firmness:* words weigh less the less of the question the best of them hold, but they give way
  only to a meaning that clearly stands out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log, pi, sqrt
from typing import ClassVar, NamedTuple

from bethink.recall.draft import Draft, Kit
from bethink.recall.evidence import evidence
from bethink.recall.fuse import Key
from bethink.recall.fuse_adaptively import Trust, trust_in
from bethink.recall.parts import best_first, scored
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.stores.background import mean_and_spread
from bethink.stores.protocol import Counted, CountsTerms, TermCounts
from bethink.text.bm25 import K1, idf, longness
from bethink.text.faq_layout import FAQ, passage_at
from bethink.text.fold import fold_for_terms
from bethink.text.searched import searched_text
from bethink.text.tokenise import (
    count_terms,
    distinct_words,
    plain_words,
    query_terms,
    terms,
)

_QUESTION_CHARS = 1_000
_EXACT = 1.25  # of the best score without it; neighbours may add a fifth to another


class _Read(NamedTuple):
    """A candidate, read: how often it holds each of the question's terms, and its length."""

    key: Key
    text: str  # folded, once for all that is read from it; "" where nothing is
    counts: Mapping[str, int]
    length: int
    whole: float  # how many terms its memory must have


@dataclass(frozen=True, slots=True)
class Refine:
    name: ClassVar[str] = "refine"
    trust: Trust | None = None  # by the encoder
    clear: float = 1.0  # spreads above chance from which meaning stands out clearly
    firm: float = 0.5  # the share of the question's terms in one passage that makes words certain
    within: float = 0.05  # what a passage's own words decide among those of its memory
    near: float = 0.07  # what one spread of nearness word by word adds
    short: int = 20  # terms: in a longer question nearness to each word soon means nothing

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not draft.candidates:
            return draft
        asked = query_terms(draft.plan.rewritten if draft.plan else draft.query.text)
        by_words = draft.query.words
        common, known = _counted(draft, kit, asked)
        rarity = {
            term: idf(common.passages, holding)
            for term, holding in zip(asked, common.holding, strict=True)
        }
        read = _read(draft, known, rarity)
        usual = common.length * common.passages / max(common.memories, 1)
        share = self._by_memory(read, rarity, common.length, usual) if by_words else {}
        trust = self.trust or trust_in(draft)
        every = draft.standing.spreads if draft.standing else {}
        favourite = max(every, key=every.__getitem__, default=None)
        most = 0.0 if favourite is None else every[favourite]
        scale = trust.scale(most)
        spreads = {r.key: every[r.key] * scale for r in read if r.key in every}
        near = _nearness(draft, read, rarity)
        # near words vouch for an encoder that sees the same in a passage that shares no word
        vouched = 0.0 if favourite is None else min(max(near.get(favourite, 0.0), 0.0), 1.0)
        meaning = trust.weight(share, favourite, vouched)
        clear = max(vouched, self._clearness(most, common.passages) if every else 0.0)
        firmness = self._firmness(read, len(asked), share, spreads, clear)
        meaning += (trust.most - meaning) * (1 - firmness) if spreads else 0.0
        nearness = self.near * firmness * min(1.0, self.short / max(len(asked), 1)) ** 3
        parts = [
            {
                "words": firmness * share.get(one.key, 0.0),
                "meaning": meaning * spreads.get(one.key, 0.0),
            }
            for one in read
        ]
        if near:
            for part, one in zip(parts, read, strict=True):
                part["near words"] = nearness * near[one.key]
        ceiling = max(
            firmness * bool(share)
            + meaning * max(spreads.values(), default=0.0)
            + nearness * max(near.values(), default=0.0),
            *[sum(part.values()) for part in parts],
        )
        ceiling = ceiling if ceiling > 0.0 else 1.0
        # whoever holds the identifier that is asked for stands above whoever does not
        exact = [
            (part, c.channels[EXACT].score)
            for part, c in zip(parts, draft.candidates, strict=True)
            if EXACT in c.channels
        ]
        best_exact = max((score for _, score in exact), default=1.0)
        for part, score in exact:
            against = max(0.0, -sum(part.values()))  # what speaks against it counts for nothing
            part["exact"] = _EXACT * ceiling * score / best_exact + against
        ceiling *= 1 + _EXACT * bool(exact)
        refined = best_first(
            [
                scored(c, part, ceiling=ceiling)
                for c, part in zip(draft.candidates, parts, strict=True)
            ]
        )
        told = f"words weigh {firmness:.2f}, a spread of meaning {meaning:.2f}"
        told += f", a spread of near words {nearness:.2f}" if near else ""
        return draft._replace(
            candidates=refined,
            evidence=evidence(
                draft, refined, {r.key: r.counts for r in read}, rarity, common.passages
            ),
            notes=(*draft.notes, told),
        )

    def _by_memory(
        self,
        read: Sequence[_Read],
        rarity: Mapping[str, float],
        usual_passage: float,
        usual_memory: float,
    ) -> dict[Key, float]:
        """Each passage's share of the best words score, by memory first, then by itself."""
        counts: dict[str, Mapping[str, int]] = {}
        lengths: dict[str, float] = {}
        own: dict[Key, float] = {}
        best_own: dict[str, float] = {}
        by_memory: dict[str, float] = {}
        for key, _, held, length, whole in read:
            name = key[0]
            own[key] = score = _bm25(held, rarity, length, usual_passage)
            if name in counts:  # a further passage of a long memory
                counts[name] = Counter(counts[name]) + Counter(held)
                best_own[name] = max(best_own[name], score)
                by_memory.pop(name, None)
                continue
            counts[name], lengths[name], best_own[name] = held, whole, score
            if whole == length and usual_memory == usual_passage:  # one passage, as most have
                by_memory[name] = score
        for name, held in counts.items():
            if name not in by_memory:
                by_memory[name] = _bm25(held, rarity, lengths[name], usual_memory)
        best = max(by_memory.values(), default=0.0)
        if best <= 0.0:
            return {}
        return {
            key: by_memory[key[0]]
            / best
            * (1 - self.within + self.within * score / best_own[key[0]])
            for key, score in own.items()
            if score > 0.0
        }

    def _clearness(self, best: float, passages: int) -> float:
        """How clearly the best by meaning stands out from what chance alone would give: of many
        passages, one always stands out a little."""
        if passages < 2:
            return 0.0
        wide = sqrt(2 * log(passages))
        by_chance = wide - (log(log(passages) + 1e-9) + log(4 * pi)) / (2 * wide)
        return min(max((best - by_chance) / self.clear, 0.0), 1.0)

    def _firmness(
        self,
        read: Sequence[_Read],
        asked: int,
        share: Mapping[Key, float],
        spreads: Mapping[Key, float],
        clear: float,
    ) -> float:
        """How much words weigh. They give way only to a meaning that has something to say."""
        if not share or not spreads:
            return 1.0
        best = set(sorted(share, key=lambda key: -share[key])[:3])
        held = max(len(r.counts) for r in read if r.key in best) / max(asked, 1)
        return 1 - (1 - min(1.0, held / self.firm) ** 2) * clear


def _counted(draft: Draft, kit: Kit, asked: Sequence[str]) -> TermCounts:
    """How common the question's terms are, and what the store knows of each candidate."""
    spaces = draft.query.spaces
    # looking back, a candidate may read otherwise than it is kept now
    if isinstance(kit.store, CountsTerms) and not draft.query.looking_back:
        keys = [candidate.key for candidate in draft.candidates]
        return kit.store.count_terms(asked, keys, spaces=spaces)
    common = kit.store.frequencies(asked, spaces=spaces)
    return TermCounts(common, [None] * len(draft.candidates))


def _read(
    draft: Draft, counted: Sequence[Counted | None], rarity: Mapping[str, float]
) -> list[_Read]:
    """What each candidate holds: as the store knows it, or by cutting its text into terms, which
    takes most of the time of a recall."""
    folds = _nears(draft)
    read: list[_Read] = []
    for candidate, known in zip(draft.candidates, counted, strict=True):
        memory, passage = candidate.memory, candidate.passage
        assert memory is not None and passage is not None
        if memory.kind == FAQ:  # shown with its answers; what speaks for it is the line found
            passage = passage_at(memory, candidate.ordinal, passage)
        folded = ""
        if folds or known is None:
            folded = fold_for_terms(searched_text(memory, passage))
        counts, length = count_terms(folded, rarity) if known is None else known
        whole = length * len(memory.text) / max(passage.end - passage.start, 1)
        read.append(_Read(candidate.key, folded, counts, length, whole))
    return read


def _bm25(
    held: Mapping[str, int], rarity: Mapping[str, float], length: float, usual: float
) -> float:
    if not held:
        return 0.0
    against = longness(length, max(usual, 1.0))
    return sum(
        [rarity[term] * (count * (K1 + 1) / (count + against)) for term, count in held.items()]
    )


def _nears(draft: Draft) -> bool:
    """Will near words be looked for?"""
    question = draft.question
    return draft.query.words and question is not None and question.word_vectors is not None


def _nearness(draft: Draft, read: Sequence[_Read], rarity: Mapping[str, float]) -> dict[Key, float]:
    """How near each candidate comes word by word: in spreads above the mean of the candidates."""
    question = draft.question
    if question is None or question.word_vectors is None or not _nears(draft):
        return {}
    import numpy as np

    from bethink.one_thread import product

    wanted = {
        word: rarity[term]
        for word in dict.fromkeys(plain_words(draft.query.text[:_QUESTION_CHARS]))
        for term in terms(word)[:1]
        if term in rarity
    }
    held = [distinct_words(r.text, wanted) for r in read]
    if not wanted or not all(held):
        return {}
    every = {word: place for place, word in enumerate(dict.fromkeys(chain(*held)))}
    alike = product(question.word_vectors(list(wanted)), question.word_vectors(list(every)).T)
    columns = alike[:, [every[word] for words in held for word in words]]
    starts = np.cumsum([0, *map(len, held[:-1])])
    nearest = np.maximum(np.maximum.reduceat(columns, starts, axis=1), 0.0)
    weights = np.array(list(wanted.values()))
    near = (np.einsum("i,ij->j", weights, nearest) / weights.sum()).tolist()
    mean, spread = mean_and_spread(near)
    return {r.key: (value - mean) / spread for r, value in zip(read, near, strict=True)}
