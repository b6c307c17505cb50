"""What long-term memory says about the same: for whoever reviews, and so that no rule lets in what
may contradict it.

A contradiction cannot be told for sure from words and nearness ("5432" and "5433, since Monday" may
both hold). So whatever is near and not the same is left to a person. In doubt it is near: of 13
contradictions by a reviewer each shared half of its telling words with what it contradicted, and of
ten other statements about the same things none did.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from bethink.clock import to_micros
from bethink.errors import EmbedderError
from bethink.filters import ValidAt
from bethink.remember.judging import is_done, told_at
from bethink.remember.sameness import Bounds, Told, Verdict, bounds_of, judge
from bethink.text.both_ends import MAX_MEANING_CHARS, both_ends
from bethink.text.facts import Reading
from bethink.text.split import split
from bethink.text.tokenise import query_terms
from bethink.tiers.kit import Kit
from bethink.vocabulary import Memory, Vectors

_SEARCHED = 20  # of each search: what is near is among the first
_JUDGED = 3  # the nearest of those; nobody reads more
_MOST_PIECES = 16  # of a long text; of a longer one a person must see what it says
_SHARED = 0.5  # a share of the shorter text's words, from which on two are about the same
_SURELY = 0.7  # so much in common leaves no doubt about that
_SHARED_WORDS = 2  # at least: one name in common says nothing


class Beside(NamedTuple):
    """What long-term memory, or another offer, says about the same."""

    id: str
    text: str
    verdict: Verdict  # same: it would be reinforced; correction: they contradict; new: it is near
    why: str
    tier: str


class Known(NamedTuple):
    """All that is said beside a text."""

    beside: tuple[Beside, ...]
    compared: bool = True  # False: it is too long for that

    @property
    def disputed(self) -> str:
        """Why no rule may decide about it; empty if it is new, or known just so."""
        verdicts = {beside.verdict for beside in self.beside}
        if Verdict.CORRECTION in verdicts:
            return "it contradicts what is known"
        if Verdict.NEW in verdicts and Verdict.SAME not in verdicts:
            return "it is near to what is known, and not the same"
        if self.compared or Verdict.SAME in verdicts:
            return ""
        return "it is too long to be compared with what is known"


class ReadOnce(Told):
    """Read once, however often it is compared."""

    _read: Reading | None = None

    def reading(self, zone: tzinfo | None) -> Reading:
        if self._read is None:
            self._read = super().reading(zone)
        return self._read


class Said(NamedTuple):
    """A memory with its words, which are many and are found once."""

    memory: Memory
    words: frozenset[str]
    told: ReadOnce


def said(memory: Memory) -> Said:
    told = ReadOnce(memory.text, told_at(memory))
    return Said(memory, frozenset(query_terms(memory.text)), told)


def share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, min(len(a), len(b)))


def _shared(a: frozenset[str], b: frozenset[str]) -> float:
    return share(a, b) if len(a & b) >= _SHARED_WORDS else 0.0


def in_long_term(offered: Sequence[Said], kit: Kit) -> list[Known]:
    """For each of them what is remembered of the same, as of now, whatever its kind. They are
    embedded together, and what is known is read once for all."""
    spaces = {info.name for info in kit.store.spaces() if info.memories}
    asked = [one for one in offered if one.memory.space in spaces]
    looking = _Looking([one.memory for one in asked], kit) if asked else None
    return [
        looking.at(one) if looking is not None and one.memory.space in spaces else Known(())
        for one in offered
    ]


class _Looking:
    def __init__(self, asked: Sequence[Memory], kit: Kit) -> None:
        self._kit = kit
        self._now = kit.clock()
        self._pieces = {memory.id: _pieces(memory.text) for memory in asked}
        self._known: dict[str, Said] = {}
        self._vectors, self._fingerprint = self._embedded(
            [piece for memory in asked for piece in self._pieces[memory.id]]
        )
        self._bounds = bounds_of(self._fingerprint)

    def at(self, asked: Said) -> Known:
        memory = asked.memory
        pieces = self._pieces[memory.id]
        near: dict[str, float] = {}
        cosines: dict[str, float] = {}
        for piece in pieces:
            words = frozenset(query_terms(piece)) if len(pieces) > 1 else asked.words
            for one, cosine in self._found(memory, piece, words).items():
                if one == memory.id:  # a promotion that a crash cut short: it is no other
                    continue
                shared = _shared(words, self._known[one].words)
                if shared >= _SHARED or (cosine is not None and cosine >= _alike(self._bounds)):
                    near[one] = max(near.get(one, 0.0), shared, cosine or 0.0)
                if cosine is not None:
                    cosines[one] = max(cosines.get(one, -1.0), cosine)
        nearest = sorted(near, key=lambda one: -near[one])[:_JUDGED]
        beside = [self._judged(self._known[one], asked, cosines.get(one)) for one in nearest]
        if any(one.verdict is Verdict.SAME for one in beside):  # the others are near to that one
            beside = [one for one in beside if one.verdict is not Verdict.NEW]
        return Known(tuple(beside), len(pieces) < _MOST_PIECES)

    def _judged(self, known: Said, asked: Said, cosine: float | None) -> Beside:
        old, memory = known.memory, asked.memory
        judged = judge(
            known.told,
            asked.told,
            cosine=cosine,
            bounds=self._bounds,
            zone=self._kit.settings.zone,
            strictly="task" in (memory.kind, old.kind),
        )
        verdict, why = judged.verdict, judged.why
        if verdict is Verdict.SAME and is_done(old) and not is_done(memory):
            verdict, why = Verdict.NEW, "it was done before, and would be open once more"
        return Beside(old.id, old.text, verdict, why, "long_term")

    def _found(self, memory: Memory, piece: str, words: frozenset[str]) -> dict[str, float | None]:
        """Ids with their cosines, where there are any. Where words find what is surely about the
        same, meaning is not asked: a person must look, or it is known in these words."""
        store, spaces, where = self._kit.store, [memory.space], ValidAt(to_micros(self._now))
        named = store.search_words(sorted(words), spaces=spaces, where=where, limit=_SEARCHED)
        found: dict[str, float | None] = {one.memory_id: None for one in named}
        self._read(found)
        if any(_shared(words, self._known[one].words) >= _SURELY for one in found):
            return found
        if self._vectors is not None and self._fingerprint is not None:
            for one in store.search_meaning(
                self._vectors[piece],
                fingerprint=self._fingerprint,
                spaces=spaces,
                where=where,
                limit=_SEARCHED,
            ):
                found[one.memory_id] = max(found.get(one.memory_id) or -1.0, one.score)
        self._read(found)
        return found

    def _read(self, found: dict[str, float | None]) -> None:
        unread = [one for one in found if one not in self._known]
        for one, known in zip(unread, self._kit.store.get(unread), strict=True):
            if known is None:  # forgotten at this very moment
                del found[one]
            else:
                self._known[one] = said(known)

    def _embedded(self, pieces: Sequence[str]) -> tuple[dict[str, Vectors] | None, str | None]:
        """All at once, if the index is by the embedder that we have."""
        try:
            maker = self._kit.embedder()
            held = self._kit.store.embedding()
            if maker is None or held is None or held.fingerprint != maker.fingerprint:
                return None, None
            from bethink.embedders.protocol import embed_texts

            different = list(dict.fromkeys(pieces))
            texts = [both_ends(piece, MAX_MEANING_CHARS) for piece in different]
            vectors = embed_texts(maker, texts, kind="document")
            return dict(zip(different, vectors, strict=True)), maker.fingerprint
        except EmbedderError:
            return None, None  # words alone judge then, more strictly


def _pieces(text: str) -> list[str]:
    """A long text may contradict what is known in one of its parts."""
    return [text[p.start : p.end] for p in split(text)[:_MOST_PIECES]]


def _alike(bounds: Bounds) -> float:
    """From this cosine on two are about the same. Below `near` nothing is a correction, above
    `note` a memory is worth naming; half-way between them, in doubt, a person looks."""
    return bounds.note if bounds.near <= 0 else (bounds.near + bounds.note) / 2
