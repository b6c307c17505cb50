"""Read the best candidates and write down what speaks for each: the signals of the relevance.

Nothing is decided here. Every signal is bounded and free of units, so that the same weights hold in
a space of five memories and in one of a million, for BM25 and for any encoder's cosines:

- *words*: BM25 of the memory as a whole against the best candidate, and against what the question
  could score at most; the share of the question's terms that it holds, weighted by idf, and the
  share that nothing in the space holds;
- *meaning*: the cosine; its z-score among the passages of the space, also above the highest that
  chance gives in a space of this size, and ahead of the second;
- *near words*: for each word of the question the nearest word of the passage, by the embedder's
  word vectors, weighted by idf ("purchase" finds "bought"); and the word that it holds least;
- *exact*: it holds an identifier of the question, or lacks the one that is asked for;
- *lead*: how far it is behind the best candidate, the best before the second, and whether words and
  meaning both have it first;
- *conversation*: it asks itself; the turn before it asks, and how well that one fits; how well its
  neighbours fit; who said it;
- *time*: it is of the period that is asked for; how new it is;
- *answer type*: it holds a person, time, place or number where one is asked for;
- *detail*: it lacks a price, an age, a colour … where one is asked for: the subject may be known,
  the asked detail is not;
- *entities* and *length*.

Words weigh less the less of the question the best of them hold, but they give way only to a meaning
that clearly stands out (`firmness`); meaning weighs as far as words bear it out (the fusion).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from math import log, log10, pi, sqrt
from typing import ClassVar, NamedTuple

from bethink.recall.draft import Draft, Kit, Standing
from bethink.recall.fuse import Key
from bethink.recall.fuse_adaptively import Trust, trust_in
from bethink.recall.replies import (
    ASKS_FROM,
    role_of,
    speaker_of,
    speakers_in,
    together,
)
from bethink.recall.salience import days_old, fresh
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_exact import plain_numbers
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.what_is_asked import turn_of
from bethink.stores.background import mean_and_spread
from bethink.stores.protocol import Counted, CountsTerms, TermCounts
from bethink.text.bm25 import K1, idf, longness
from bethink.text.faq_layout import FAQ, passage_at
from bethink.text.fold import fold_for_terms
from bethink.text.questions import STRICT, answer_type, asking_share, holds_type
from bethink.text.searched import searched_text
from bethink.text.tokenise import (
    FIRST_IDEOGRAPH,
    count_terms,
    distinct_words,
    identifiers,
    plain_words,
    query_terms,
    terms,
)
from bethink.vocabulary import Candidate, Memory

_QUESTION_CHARS = 1_000
_DAY = timedelta(days=1, hours=1)  # a day, also one on which the clocks change
_HALF_LIFE = 14.0  # days: of newness among turns of a conversation
_ACROSS = 0.4  # the coverage that is taken for granted where no word can be shared
_LITTLE_ELSE = 3  # terms
_KNOWN_FROM = 100  # passages: from here on, what is rare is known rather than guessed
_LONG_TURN = 40  # terms: in talk between people a longer turn says more
_TELLING = 4  # words: of a longer question the rarest must be near


# By the beginning of the fingerprint. In a space where all is alike anything else stands out; it
# must also be near.
class Scale(NamedTuple):
    """What the cosines of an embedder mean."""

    usual: float  # between a question and any passage
    near: float  # from here on a text begins to be about the question
    about: float  # from here on it is


_SCALES: Mapping[str, Scale] = {"use-multilingual-v3/": Scale(0.05, 0.15, 0.40)}
_SCALE_WEIGHT = 4  # passages: what is usual for the embedder counts like so many of the space

# Every signal by name, in the order of the values. The text before the dot is the part of the
# relevance that it belongs to, as users see it.
SIGNALS = (
    "words.share", "words.possible", "words.coverage", "words.unknown",
    "meaning.weighed", "meaning.cosine", "meaning.z", "meaning.clear", "meaning.ahead",
    "near words.weighed", "near words.mean", "near words.least",
    "exact.held", "exact.missing",
    "lead.behind", "lead.behind in a turn", "lead.before", "lead.both",
    "question.asks", "question.user asks", "question.reply",
    "neighbours.before", "neighbours.after",
    "speaker.named", "speaker.other",
    "role.user", "role.assistant", "role.asked",
    "time.day", "time.period", "time.new", "time.new in a turn",
    "answer type.held", "answer type.missing",
    "detail.held", "detail.missing",
    "entities.named",
    "length.short", "length.long", "length.long turn", "length.long talk", "length.talk",
    "space.size", "space.talk", "question.terms",
)  # fmt: skip


class Signals(NamedTuple):
    """What speaks for each candidate, in the order of `SIGNALS`."""

    rows: Mapping[Key, tuple[float, ...]]
    passages: int  # how many were searched
    missing: str = ""  # the identifier that is asked for and that nothing holds


class _Read(NamedTuple):
    """A candidate, read: how often it holds each of the question's terms, and its length."""

    key: Key
    text: str  # folded, once for all that is read from it; "" where nothing is
    counts: Mapping[str, int]
    length: int
    whole: float  # how many terms its memory must have


@dataclass(frozen=True, slots=True)
class ReadSignals:
    name: ClassVar[str] = "signals"
    trust: Trust | None = None  # by the encoder
    clear: float = 1.0  # standard deviations above chance from which meaning stands out clearly
    firm: float = 0.5  # the share of the question's terms in one passage that makes words certain
    most_terms: int = 9  # a longer question need not be held by half to be answered
    within: float = 0.05  # what a passage's own words decide among those of its memory
    near: float = 0.07  # what one standard deviation of nearness word by word adds
    short: int = 20  # terms: in a longer question nearness to each word soon means nothing

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not draft.candidates:
            return draft
        draft = _with_cosines(draft, kit)
        query = draft.query
        asked = query_terms(draft.plan.rewritten if draft.plan else query.text)
        common, known = _counted(draft, kit, asked)
        rarity = {
            term: idf(common.passages, holding)
            for term, holding in zip(asked, common.holding, strict=True)
        }
        read = _read(draft, known, rarity)
        usual = common.length * common.passages / max(common.memories, 1)
        scores = self._by_memory(read, rarity, common.length, usual) if query.words else {}
        best_words = max(scores.values(), default=0.0)
        share = {key: score / best_words for key, score in scores.items()} if best_words else {}
        trust = self.trust or trust_in(draft)
        scale_of = _scale_of(draft)
        every = _z_scores(draft, scale_of, common.passages)
        favourite = max(every, key=every.__getitem__, default=None)
        most = 0.0 if favourite is None else every[favourite]
        scale = trust.scale(most)
        spreads = {r.key: every[r.key] * scale for r in read if r.key in every}
        near_mean, near_least, near = _nearness(draft, read, rarity)
        # near words vouch for an encoder that sees the same in a passage that shares no word
        vouched = 0.0 if favourite is None else min(max(near.get(favourite, 0.0), 0.0), 1.0)
        meaning = trust.weight(share, favourite, vouched)
        clear = max(vouched, self._clearness(most, common.passages) if every else 0.0)
        firmness = self._firmness(read, len(asked), share, spreads, clear)
        meaning += (trust.most - meaning) * (1 - firmness) if spreads else 0.0
        nearness = self.near * firmness * min(1.0, self.short / max(len(asked), 1)) ** 3
        first = [
            (
                firmness * share.get(one.key, 0.0),
                meaning * spreads.get(one.key, 0.0),
                nearness * near.get(one.key, 0.0),
            )
            for one in read
        ]
        own = [sum(one) for one in first]  # how well each fits by itself
        by_memory: dict[str, float] = {}
        for one, fit in zip(read, own, strict=True):
            by_memory[one.key[0]] = max(fit, by_memory.get(one.key[0], fit))
        talk = _Talk(draft, by_memory)
        fits = [talk.handed_on(c, fit) for c, fit in zip(draft.candidates, own, strict=True)]
        best_fit = max(fits)
        rival, alike = _rival(draft, fits)
        # Of few candidates one is always first: that says little, and of one nothing. Without the
        # scale of the embedder it is all that can be said.
        crowd = 1.0 if scale_of is None else 1 - 1 / len(by_memory)
        weights = _weights(draft, rarity, common.passages)
        total = sum(weights.values()) or 1.0
        names = _Named(draft)
        whole = _WholeQuestion(draft, kit, len(asked), common.passages)
        standing = draft.standing
        turn = turn_of(query.text)
        nowhere = [t for t, n in zip(asked, common.holding, strict=True) if not n]
        unknown = sum([weights.get(term, 0.0) for term in nowhere]) / total
        chance = _by_chance(common.passages)
        z_scores = sorted((every[r.key] for r in read if r.key in every), reverse=True)
        z_ahead = z_scores[0] - z_scores[1] if len(z_scores) > 1 else 1.0
        by_words = max(share, key=share.__getitem__, default=None)
        rows: dict[Key, tuple[float, ...]] = {}
        judged = zip(draft.candidates, read, fits, first, strict=True)
        for at, (candidate, one, fit, (words, by_meaning, by_near)) in enumerate(judged):
            key = one.key
            held = {term: count for term, count in one.counts.items() if term in weights}
            coverage = sum([weights[term] for term in held]) / total
            if not coverage and query.words and not names.share_a_script(candidate):
                coverage = _ACROSS
            z = every.get(key, 0.0)
            near_by = 1.0
            if scale_of is not None and standing is not None:
                usual = _usual(standing, scale_of, common.passages)
                near_by = _share(usual + z * standing.spread, scale_of)
            rows[key] = (
                words,
                _bm25(held, weights, one.length, common.length) / (total * (K1 + 1)),
                coverage,
                unknown,
                min(max(by_meaning, -0.5), 1.5),
                0.0 if scale_of is None or key not in every else near_by,
                min(max(z / 8, -0.25), 1.0) * near_by,
                min(max((z - chance) / 4 * near_by, -1.0), 1.0) if z else 0.0,
                min(z_ahead, 3.0) / 3 * near_by * crowd if key == favourite else 0.0,
                min(max(by_near, -0.5), 0.5),
                near_mean.get(key, 0.0),
                near_least.get(key, 0.0),
                *names.exact(candidate),
                max(fit - best_fit, -1.0),
                max(fit - best_fit, -1.0) * turn,
                min(max(fit - rival, 0.0), 0.5) * crowd if at in alike else 0.0,
                crowd if key == favourite and key == by_words else 0.0,
                *talk.of(candidate),
                *whole.of(candidate, one.length),
            )
        told = f"words weigh {firmness:.2f}, a standard deviation of meaning {meaning:.2f}"
        told += f", of near words {nearness:.2f}" if near else ""
        signals = Signals(rows, common.passages, names.missing)
        return draft._replace(signals=signals, notes=(*draft.notes, told))

    def _by_memory(
        self,
        read: Sequence[_Read],
        rarity: Mapping[str, float],
        usual_passage: float,
        usual_memory: float,
    ) -> dict[Key, float]:
        """Each passage's words score: its memory's BM25, and a little by its own words."""
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
        return {
            key: by_memory[key[0]] * (1 - self.within + self.within * score / best_own[key[0]])
            for key, score in own.items()
            if score > 0.0
        }

    def _clearness(self, best: float, passages: int) -> float:
        """How clearly the best by meaning stands out from what chance alone would give: of many
        passages, one always stands out a little."""
        if passages < 2:
            return 0.0
        return min(max((best - _by_chance(passages)) / self.clear, 0.0), 1.0)

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
        most = max(len(r.counts) for r in read if r.key in best)
        held = most / min(max(asked, 1), self.most_terms)
        return 1 - (1 - min(1.0, held / self.firm) ** 2) * clear


def _rival(draft: Draft, fits: Sequence[float]) -> tuple[float, set[int]]:
    """How well the first candidate fits that does not say the same as the best; and those that do.
    Two memories that say the same are no reason to doubt either."""
    order = sorted(range(len(fits)), key=lambda at: -fits[at])
    alike = {order[0]}
    if len(order) < 2:
        return fits[order[0]] - 0.5, alike
    said = set(plain_words(draft.candidates[order[0]].text[:_READ_ALIKE]))
    for at in order[1:_TWINS]:
        other = set(plain_words(draft.candidates[at].text[:_READ_ALIKE]))
        if len(said & other) < _ALIKE * len(said | other):
            return fits[at], alike
        alike.add(at)
    return fits[order[min(_TWINS, len(order) - 1)]], alike


_READ_ALIKE = 400  # characters
_ALIKE = 0.5  # of all words of both
_TWINS = 4


def _usual(standing: Standing, scale: Scale, passages: int) -> float:
    """The usual cosine. In a small space the mean of its few passages says little: it leans on
    what is usual for the embedder."""
    known = passages / (passages + _SCALE_WEIGHT)
    return known * standing.mean + (1 - known) * scale.usual


def _z_scores(draft: Draft, scale: Scale | None, passages: int) -> Mapping[Key, float]:
    standing = draft.standing
    if standing is None or scale is None:
        return standing.spreads if standing else {}
    shift = (standing.mean - _usual(standing, scale, passages)) / standing.spread
    return {key: z + shift for key, z in standing.spreads.items()}


def _scale_of(draft: Draft) -> Scale | None:
    fingerprint = draft.question.fingerprint if draft.question else ""
    return next((s for start, s in _SCALES.items() if fingerprint.startswith(start)), None)


def _share(cosine: float, scale: Scale) -> float:
    return min(max((cosine - scale.near) / (scale.about - scale.near), 0.0), 1.0)


def _by_chance(passages: int) -> float:
    """The highest z-score to expect among so many passages that have nothing to do with it."""
    if passages < 2:
        return 0.0
    wide = sqrt(2 * log(passages))
    return wide - (log(log(passages) + 1e-9) + log(4 * pi)) / (2 * wide)


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
        if memory.kind == FAQ:  # or its answers, where they hold more of the question
            shown = fold_for_terms(candidate.text)
            held, long = count_terms(shown, rarity)
            if sum([rarity[t] for t in held]) > sum([rarity[t] for t in counts]):
                folded, counts, length = shown if folds else folded, held, long
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


def _nearness(
    draft: Draft, read: Sequence[_Read], rarity: Mapping[str, float]
) -> tuple[dict[Key, float], dict[Key, float], dict[Key, float]]:
    """How near each candidate comes word by word: on average and for the word of the question that
    it holds least, both 0 to 1; and the former as a z-score among the candidates."""
    question = draft.question
    if question is None or question.word_vectors is None or not _nears(draft):
        return {}, {}, {}
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
        return {}, {}, {}
    every = {word: place for place, word in enumerate(dict.fromkeys(chain(*held)))}
    alike = product(question.word_vectors(list(wanted)), question.word_vectors(list(every)).T)
    columns = alike[:, [every[word] for words in held for word in words]]
    starts = np.cumsum([0, *map(len, held[:-1])])
    nearest = np.maximum(np.maximum.reduceat(columns, starts, axis=1), 0.0)
    weights = np.array(list(wanted.values()))
    near = (np.einsum("i,ij->j", weights, nearest) / weights.sum()).tolist()
    telling = np.argsort(-weights, kind="stable")[:_TELLING]
    least = nearest[telling].min(axis=0).tolist()
    mean, spread = mean_and_spread(near)
    keys = [r.key for r in read]
    z_scores = [(value - mean) / spread for value in near]
    by_key = [dict(zip(keys, values, strict=True)) for values in (near, least, z_scores)]
    return by_key[0], by_key[1], by_key[2]


def _with_cosines(draft: Draft, kit: Kit) -> Draft:
    """See to it that every candidate has a z-score, also those that another search found."""
    question = draft.question
    if question is None or not draft.query.meaning:
        return draft
    known = draft.standing
    if known is None:
        cosines = {
            c.key: c.channels[MEANING].score for c in draft.candidates if MEANING in c.channels
        }
    else:
        cosines = {}
    have = known.spreads if known else cosines
    others = [c.key for c in draft.candidates if c.key not in have and c.key not in draft.working]
    if known is not None and not others:
        return draft
    compared = kit.store.compare(
        question.vector, others, fingerprint=question.fingerprint, spaces=draft.query.spaces
    )
    for key, score in zip(others, compared.scores, strict=True):
        if score is not None:
            cosines[key] = score
    mean, spread = (known.mean, known.spread) if known else (compared.mean, compared.spread)
    spreads = {key: (cosine - mean) / spread for key, cosine in cosines.items()}
    every = {**(known.spreads if known else {}), **spreads}
    return draft._replace(standing=Standing(every, mean, spread))


def _weights(draft: Draft, rarity: Mapping[str, float], passages: int) -> dict[str, float]:
    """How much of the question each of its terms is, 0 to 1. In a small space it is chance which
    terms are rare: there all weigh nearly the same."""
    if draft.period is not None:  # the words that name a time are answered by a time
        rest = set(query_terms(draft.period.rest))
        rarity = {term: rare for term, rare in rarity.items() if term in rest} or rarity
    others = besides(identifiers(draft.query.text), tuple(rarity))
    if others:  # an identifier that a longer question names by the way
        rarity = {term: rare for term, rare in rarity.items() if term in others}
    known = passages / (passages + _KNOWN_FROM)
    rarest = max(rarity.values(), default=1.0)
    return {term: 1 - known + known * rare / rarest for term, rare in rarity.items()}


def besides(named: Sequence[str], asked: Sequence[str]) -> tuple[str, ...]:
    """The other terms of a question that names identifiers; nothing where it is about little
    else, and its identifiers are what is asked for."""
    parts = set(named).union(*map(terms, named))
    others = tuple(term for term in asked if term not in parts)
    return others if len(others) > _LITTLE_ELSE else ()


class _Named:
    """Identifiers: held exactly, or asked for and missing."""

    def __init__(self, draft: Draft) -> None:
        text = draft.query.text
        self._scripts = _scripts(text)
        self._exact = {
            c.key: c.channels[EXACT].score for c in draft.candidates if EXACT in c.channels
        }
        self._best = max(self._exact.values(), default=1.0) or 1.0
        named = _identifiers(text) if draft.query.words else ()
        self._counts = bool(named) or any(len(number) > 3 for number in plain_numbers(text))
        # where the question is about little else, what lacks it is no answer at all
        self._weight = 1.0 if besides(named, query_terms(text)) else 2.0
        self.missing = ""
        if named and not self._exact and _is_what_is_asked(named, draft):
            self.missing = " ".join(named[:3])

    def exact(self, candidate: Candidate) -> tuple[float, float]:
        held = self._exact.get(candidate.key, 0.0) / self._best
        if not self._counts:  # a quantity that happens to be the same
            return held * 0.3, 0.0
        lacks = bool(self.missing) or (bool(self._exact) and not held)
        return held, self._weight if lacks else 0.0

    def share_a_script(self, candidate: Candidate) -> bool:
        return bool(self._scripts & _scripts(candidate.text))


def _is_what_is_asked(named: tuple[str, ...], draft: Draft) -> bool:
    """Whether an answer must hold the identifier: the question is about little else, or the best
    candidate is about its like (1043 instead of 1042). A file that a longer question names by the
    way speaks against nothing."""
    if not besides(named, query_terms(draft.query.text)):
        return True
    held = _identifiers(draft.candidates[0].text)
    return any(_alike(one, other) for one in named for other in held)


def _identifiers(text: str) -> tuple[str, ...]:
    from bethink.text.verbatim import verbatim_names  # loaded by the exact search already

    return (*identifiers(text), *verbatim_names(text))


def _alike(one: str, other: str) -> bool:
    """Do they differ in their numbers only, or in one of several parts? Paths are all alike."""
    if "/" in one or "\\" in one:
        return False
    mine, yours = (re.split(r"[^a-z0]+", re.sub(r"\d+", "0", name)) for name in (one, other))
    if len(mine) != len(yours):
        return False
    differing = sum(a != b for a, b in zip(mine, yours, strict=True))
    return differing == 0 or (differing == 1 and len(mine) > 1)


def _scripts(text: str) -> set[bool]:
    """Whether there are words in ideographs (True) and in other letters (False)."""
    rest = plain_words(text[:_QUESTION_CHARS])
    return {word[0] >= FIRST_IDEOGRAPH for word in rest if not word.isdigit()}


_SAYING = (
    "say|said|tell|told|recommend|suggest|mention|gave|give|provide|list|explain|wrote|describe|"
    "share|advise|offer|talk|show|create|made|help|discuss|propose|remind"
)
# Asks what the assistant said, not what the user did.
_ASSISTANT_ASKED = re.compile(
    rf"\byou(?:'ve| have| had| just| also| once| previously)? (?:{_SAYING})\w*"
    rf"|\b(?:did|could|can|do) you (?:{_SAYING})\b"
    r"|\byour (?:\w+ )?(?:recommendation|suggestion|answer|advice|reply|response|proposal)"
    r"|\bour (?:previous|last|earlier|past) (?:conversation|chat|discussion)"
    r"|你[^，。？]{0,6}(?:说|推荐|建议|告诉|提到|给我|介绍|列|讲|回答|提供|教)"
    r"|你的(?:建议|推荐|回答|看法|答案)",
    re.IGNORECASE,
)


class _Talk:
    """What the conversation says about a candidate: the turns beside it, and who said it."""

    def __init__(self, draft: Draft, fits: Mapping[str, float]) -> None:
        self._fits = fits
        self._beside = draft.beside
        self._memories = {c.memory_id: c.memory for c in draft.candidates if c.memory is not None}
        text = draft.query.text
        self._assistant = _ASSISTANT_ASKED.search(text) is not None
        self._asking = {  # an entry of a FAQ asks too, and answers itself
            name: 0.0 if memory.kind == FAQ else asking_share(memory.text)
            for name, memory in self._memories.items()
        }
        speakers = speakers_in(self._memories.values())
        lower = text.lower()
        self._named = {name for name in speakers if _is_named(name, lower)}

    def handed_on(self, candidate: Candidate, fit: float) -> float:
        """How well a turn fits, with what the question before it hands on. A turn that asks keeps
        half of its own at most: it shares the words of what is asked, and is not the answer."""
        memory = candidate.memory
        assert memory is not None
        reply = self._reply(memory)
        if reply > fit:
            return reply
        return fit * (1 - 0.5 * self._asking[memory.id]) if role_of(memory) != "user" else fit

    def _reply(self, memory: Memory) -> float:
        """How well the turn before it fits, if that one asks somebody else for it."""
        beside = self._beside.get(memory.id)
        former = None if beside is None else self._neighbour(memory, beside.before)
        if (
            former is None
            or self._asking[former.id] < ASKS_FROM
            or role_of(former) == "user"
            or speaker_of(former) == speaker_of(memory)
        ):
            return 0.0
        return min(max(self._fits[former.id], 0.0), 1.5)

    def of(self, candidate: Candidate) -> tuple[float, ...]:
        memory = candidate.memory
        assert memory is not None
        asks, reply = self._asking[memory.id], self._reply(memory)
        before = after = 0.0
        beside = self._beside.get(memory.id)
        if beside is not None:
            former = self._neighbour(memory, beside.before)
            latter = self._neighbour(memory, beside.after)
            before = min(max(self._fits[former.id], 0.0), 1.5) if former else 0.0
            after = min(max(self._fits[latter.id], 0.0), 1.5) if latter else 0.0
        speaker, role = speaker_of(memory), role_of(memory)
        named = speaker in self._named
        if role in ("user", "assistant"):  # of one who asks and one who helps: nothing is handed on
            before = after = 0.0
        return (
            0.0 if role == "user" else asks,
            asks if role == "user" else 0.0,
            reply,
            before,
            after,
            float(named),
            float(bool(self._named) and bool(speaker) and not named),
            float(role == "user" and not self._assistant),
            float(role == "assistant" and not self._assistant),
            float(role == "assistant" and self._assistant),
        )

    def _neighbour(self, memory: Memory, name: str | None) -> Memory | None:
        other = None if name is None else self._memories.get(name)
        return other if other is not None and together(memory, other) else None


def _is_named(speaker: str, question: str) -> bool:
    """Does the question name the speaker, by the whole name or the first name?"""
    name = speaker.lower()
    if name in ("user", "assistant", "ai", "system", "用户"):
        return False
    if name[:1] >= FIRST_IDEOGRAPH:
        return name in question or (len(name) > 2 and name[-2:] in question)
    first = name.split()[0]
    return len(first) > 1 and re.search(rf"\b{re.escape(first)}\b", question) is not None


class _WholeQuestion:
    """Signals of the question as a whole: time, type of answer, entities, length, size."""

    def __init__(self, draft: Draft, kit: Kit, asked: int, passages: int) -> None:
        text = draft.query.text
        self._text = text
        self._lower = text.lower()
        self._period = draft.period
        self._type = answer_type(text[:_QUESTION_CHARS])
        self._now = draft.query.as_of or kit.clock()
        self._turn = turn_of(text)
        self._size = min(log10(max(passages, 1)) / 6, 1.0)
        self._asked = min(asked, 12) / 12

    def of(self, candidate: Candidate, length: int) -> tuple[float, ...]:
        memory = candidate.memory
        assert memory is not None
        period = self._period
        day = during = 0.0
        if period is not None:
            within = period.start <= (memory.occurred_at or memory.created_at) < period.end
            one_day = period.end - period.start <= _DAY
            day, during = float(within and one_day), float(within and not one_day)
        new = fresh(days_old(memory, self._now), _HALF_LIFE)
        if period is not None and self._turn < 1:
            new = 0.0  # a time is named: that says which age is wanted
        held = self._type is not None and holds_type(self._type, candidate.text, self._text)
        strict = self._type in STRICT
        entities = any(one.lower() in self._lower for one in memory.entities)
        long = min(max(length - 60, 0) / 240, 1.0)
        turn = role_of(memory) in ("user", "assistant")
        # between people; a note or a document has a source, but nobody says it
        talk = bool(memory.conversation and memory.speaker) and not turn
        return (
            day,
            during,
            new,
            new * self._turn,
            float(held and not strict),
            float(self._type is not None and not held and not strict),
            float(held and strict),
            float(not held and strict),
            float(entities),
            max(0.0, 1 - length / 8),
            0.0 if turn or talk else long,
            long if turn else 0.0,
            long if talk else 0.0,
            min(length, _LONG_TURN) / _LONG_TURN if talk else 0.0,
            self._size,
            float(talk),
            self._asked,
        )
