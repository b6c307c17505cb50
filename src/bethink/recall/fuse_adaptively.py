"""The default fusion: words and meaning on one scale, meaning trusted as far as words bear it out.

Ranks alone cannot say that a channel has nothing to say, and a fixed weight lets a weak encoder
pull good answers down. Here:

- words count as their share of the best words score of this question (0 to 1);
- meaning counts as how far a cosine stands out from what is usual in the space, in spreads;
- meaning's weight follows the *agreement*: how much words support what meaning likes best. An
  encoder that cannot read this language, or knows nothing, agrees by chance only and is all but
  switched off; where words find nothing, there is nothing to disagree with and meaning decides;
- whoever holds an identifier of the question exactly stands above whoever does not.

This orders the candidates; `signals` then reads the best of them, and `relevance` judges them.
Measured in benchmarks/LOG.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bethink.embedders.measured import ByScript, measured
from bethink.recall.draft import Draft, Kit, Standing
from bethink.recall.fuse import Key, places_of
from bethink.recall.parts import best_first
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.vocabulary import Candidate, Found


@dataclass(frozen=True, slots=True)
class Trust:
    """How much meaning may weigh beside words, by how far they agree."""

    least: float = 0.02  # the weight of one spread where meaning and words disagree
    most: float = 0.20  # and where they agree
    doubt: float = 0.2  # the agreement up to which meaning gets the least weight
    belief: float = 0.6  # and from which it gets the most
    cap: float = 4.0  # spreads: what stands out further than this is scaled down to it

    def weight(
        self, share: Mapping[Key, float], favourite: Key | None, vouched: float = 0.0
    ) -> float:
        """Of one spread, given every passage's share of the best words score, what meaning likes
        best, and how far something else vouches for that (0 to 1)."""
        if favourite is None:
            return 0.0
        if not share:
            return self.most
        agreement = share.get(favourite, 0.0)
        trust = (agreement - self.doubt) / (self.belief - self.doubt)
        return self.least + (self.most - self.least) * min(max(trust, vouched, 0.0), 1.0)

    def scale(self, most: float) -> float:
        """What every spread is to be multiplied by where one stands out so far."""
        return min(1.0, self.cap / max(self.cap, most))


# Encoders that were measured to need less backing by words, by the beginning of their fingerprint.
# An encoder that nobody measured gets the benefit of the doubt and no more.
ANY_EMBEDDER = Trust()
MEASURED: Mapping[str, Trust | ByScript[Trust]] = {
    "arctic-s/": Trust(least=0.3, most=0.4),
    "use-m+arctic-s/": ByScript(latin=Trust(least=0.4, most=0.5), other=ANY_EMBEDDER),
}


def trust_in(draft: Draft) -> Trust:
    fingerprint = draft.question.fingerprint if draft.question else None
    return measured(MEASURED, fingerprint, draft.query.text, ANY_EMBEDDER)


@dataclass(frozen=True, slots=True)
class FuseAdaptively:
    name: ClassVar[str] = "fuse"
    trust: Trust | None = None  # by the encoder

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled and not draft.channels:
            return draft
        places = places_of(draft.channels)
        standing = _standing(draft, kit, list(places))
        trust = self.trust or trust_in(draft)
        spreads = standing.spreads if standing else {}
        favourite = max(spreads, key=spreads.__getitem__, default=None)
        most = 0.0 if favourite is None else spreads[favourite]
        scale = trust.scale(most)
        share = shares(draft.channels.get(WORDS, ()))
        weight = trust.weight(share, favourite)
        scores: dict[Key, float] = {}
        for key in places:
            score = share.get(key, 0.0) + weight * (spreads.get(key, 0.0) * scale)
            scores[key] = score if score > 0.0 else 0.0
        peak = max(scores.values(), default=0.0) or 1.0
        # whoever holds the identifier that is asked for stands above whoever does not
        exact = shares(draft.channels.get(EXACT, ()))
        for key, part in exact.items():
            scores[key] += peak * part
        ceiling = max(bool(share) + weight * (most * scale), peak)
        ceiling += peak * bool(exact)
        candidates = best_first(
            [Candidate(*key, scores[key] / ceiling, at) for key, at in places.items()]
        )
        both = sum([len(at) > 1 for at in places.values()])
        told = (
            f"{len(candidates)} passages, {both} found by more than one channel; "
            f"a spread of meaning weighs {weight:.2f}"
        )
        return draft._replace(
            candidates=candidates,
            channels={},
            standing=standing,
            notes=(*draft.notes, told),
        )


def shares(found: Sequence[Found]) -> dict[Key, float]:
    """Scores as shares of the best."""
    best = max([score for _, _, score in found], default=0.0)
    return {(name, ordinal): score / best for name, ordinal, score in found} if best > 0 else {}


def _standing(draft: Draft, kit: Kit, keys: list[Key]) -> Standing | None:
    """How far each passage stands above the usual; also those that words alone found."""
    question = draft.question
    if question is None or MEANING not in draft.channels:
        return None
    cosines = {(name, ordinal): score for name, ordinal, score in draft.channels[MEANING]}
    others = [key for key in keys if key not in cosines]
    compared = kit.store.compare(
        question.vector, others, fingerprint=question.fingerprint, spaces=draft.query.spaces
    )
    for key, score in zip(others, compared.scores, strict=True):
        if score is not None:
            cosines[key] = score
    spreads = {key: (cosine - compared.mean) / compared.spread for key, cosine in cosines.items()}
    return Standing(spreads, compared.mean, compared.spread)
