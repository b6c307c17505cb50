"""The default fusion: words and meaning on one scale, meaning trusted as far as words bear it out.

Ranks alone cannot say that a channel has nothing to say, and a fixed weight lets a weak encoder
pull good answers down. Here:

- words count as their share of the best words score of this question (0 to 1);
- meaning counts as how far a cosine stands out from what is usual in the space, in spreads (z);
- meaning's weight follows the *agreement*: how much words support what meaning likes best. An
  encoder that cannot read this language, or knows nothing, agrees by chance only and is all but
  switched off; where words find nothing, there is nothing to disagree with and meaning decides;
- words in turn weigh less the less of the question the best of them hold, but they give way only to
  a meaning that clearly stands out;
- whoever holds an identifier of the question exactly stands above whoever does not.

Measured with the default and a random encoder in benchmarks/LOG.md; with a strong one in a sketch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from recollect.recall.draft import Draft, Kit
from recollect.recall.fuse import Key, places_of
from recollect.recall.search_exact import CHANNEL as EXACT
from recollect.recall.search_meaning import CHANNEL as MEANING
from recollect.recall.search_words import CHANNEL as WORDS
from recollect.text.tokenise import query_terms, terms
from recollect.vocabulary import Candidate, Found


@dataclass(frozen=True, slots=True)
class FuseAdaptively:
    name: ClassVar[str] = "fuse"
    least: float = 0.04  # the weight of one spread where meaning and words disagree
    most: float = 0.20  # and where they agree
    doubt: float = 0.2  # the agreement up to which meaning gets the least weight
    belief: float = 0.6  # and from which it gets the most
    cap: float = 4.0  # spreads: what stands out further than this is scaled down to it
    murmur: float = 2.0  # spreads: up to here, standing out means nothing; see benchmarks/LOG.md
    firm: float = 0.6  # the share of the question's terms in one passage that makes words certain

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        nearest = [(f.memory_id, f.ordinal) for f in draft.channels.get(MEANING, ())]
        places = places_of(draft.channels)
        keys = list(places)
        z = _standing_out(draft, kit, keys, most=self.cap)
        share = _shares(draft.channels.get(WORDS, ()))
        weight = self._weight(share, nearest)
        firmness = min(1.0, _coverage(draft, kit) / self.firm) if share and nearest else 1.0
        # words give way only to a meaning that has something to say
        clear = (max(z.values(), default=0.0) - self.murmur) / (self.cap - self.murmur)
        firmness = 1 - (1 - firmness) * min(max(clear, 0.0), 1.0)
        weight += (self.most - weight) * (1 - firmness)
        exact = _shares(draft.channels.get(EXACT, ()))
        scores = {
            key: max(0.0, firmness * share.get(key, 0.0) + weight * z.get(key, 0.0)) for key in keys
        }
        peak = max(scores.values(), default=0.0) or 1.0
        # whoever holds the identifier that is asked for stands above whoever does not
        scores = {key: score + peak * exact.get(key, 0.0) for key, score in scores.items()}
        ceiling = max(firmness * bool(share) + weight * max(z.values(), default=0.0), peak)
        ceiling += peak * bool(exact)
        candidates = [Candidate(*key, scores[key] / ceiling, places[key]) for key in keys]
        candidates.sort(key=lambda c: -c.score)
        both = sum(len(c.channels) > 1 for c in candidates)
        return replace(draft, candidates=tuple(candidates), channels={}).note(
            f"{len(candidates)} passages, {both} found by more than one channel; "
            f"words weigh {firmness:.2f}, a spread of meaning {weight:.2f}"
        )

    def _weight(self, share: Mapping[Key, float], nearest: list[Key]) -> float:
        if not nearest:
            return 0.0
        if not share:
            return self.most
        agreement = share.get(nearest[0], 0.0)
        trust = (agreement - self.doubt) / (self.belief - self.doubt)
        return self.least + (self.most - self.least) * min(max(trust, 0.0), 1.0)


def _shares(found: Sequence[Found]) -> dict[Key, float]:
    """Scores as shares of the best."""
    best = max((f.score for f in found), default=0.0)
    return {(f.memory_id, f.ordinal): f.score / best for f in found} if best > 0 else {}


def _coverage(draft: Draft, kit: Kit) -> float:
    """How much of the question the best finds by words hold: the largest share of its terms."""
    asked = set(query_terms(draft.query.text))
    best = [(f.memory_id, f.ordinal) for f in draft.channels[WORDS][:3]]
    held = [
        len(asked.intersection(terms(memory.text[passage.start : passage.end])))
        for memory, passage in filter(None, kit.store.fetch(best))
    ]
    return max(held, default=0) / max(len(asked), 1)


def _standing_out(draft: Draft, kit: Kit, keys: list[Key], *, most: float) -> dict[Key, float]:
    """How many spreads each passage stands above the usual; also those that words alone found."""
    question = draft.question
    if question is None or MEANING not in draft.channels:
        return {}
    cosines = {(f.memory_id, f.ordinal): f.score for f in draft.channels[MEANING]}
    others = [key for key in keys if key not in cosines]
    compared = kit.store.compare(
        question.vector, others, fingerprint=question.fingerprint, spaces=draft.query.spaces
    )
    for key, score in zip(others, compared.scores, strict=True):
        if score is not None:
            cosines[key] = score
    z = {key: (cosine - compared.mean) / compared.spread for key, cosine in cosines.items()}
    scale = min(1.0, most / max([most, *z.values()])) if z else 1.0
    return {key: value * scale for key, value in z.items()}
