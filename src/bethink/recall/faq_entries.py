"""Frequent questions: search on until enough different entries are found, without those that
exclude the question.

An entry is as many passages as it has questions, so the first list may hold a few entries many
times over. Then twice as much is asked for, and again, until there are as many memories as the
answer wants or the lists end. Lines that say what an entry does not answer are taken out of the
lists: they must not lift it. An entry whose negative question is what is asked, or says it in other
words (`recall/faq_nearness.py`), goes, and the trace names it. So do the entries that fit the
question less than that one.

Where the searches found no entry, nothing is done and nothing is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from bethink.errors import BethinkError, InvalidInput, said_to_anybody
from bethink.recall.draft import Draft, Kit
from bethink.recall.faq_nearness import BY_WORDS, alike, bound_of, excludes, nearest
from bethink.recall.faq_shown import of_entry, which
from bethink.recall.fuse import Key
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.text.bare import bare
from bethink.text.faq_layout import IN_ID, Layout, passages_of
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Dropped, Found, Memory, Status

_MOST = 4_096  # passages of a list: an entry with more questions than this is no entry


class _Entry(NamedTuple):
    memory: Memory
    layout: Layout
    negative: range  # ordinals

    @property
    def own(self) -> list[Key]:
        """Its question and the similar ones."""
        first = self.negative.start
        similar = range(first - len(self.layout.similar), first)
        return [(self.memory.id, ordinal) for ordinal in (0, *similar)]

    @property
    def excluded(self) -> list[Key]:
        return [(self.memory.id, ordinal) for ordinal in self.negative]


@dataclass(frozen=True, slots=True)
class FaqEntries:
    name: ClassVar[str] = "faq"
    again: bool = True  # search on
    equal: bool = True  # drop what excludes the question as it is asked
    near: bool = True  # and in other words

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not _ids(draft.channels, ()):
            return draft
        lists = _Lists(draft, kit)
        out: dict[str, Dropped] = {}  # entries that must not answer
        entries: dict[str, _Entry | None] = {}
        rounds = 1
        while True:
            new = _ids(lists.found, entries)
            entries |= self._judged(new, draft, kit, lists.found, out)
            kept = {name: _kept(found, entries, out) for name, found in lists.found.items()}
            have = len({one.memory_id for found in kept.values() for one in found})
            if not self.again or have >= draft.query.limit or not lists.longer():
                break
            rounds += 1
            sizes = ", ".join(f"{len(lists.found[name])} by {name}" for name in lists.grown)
            draft = draft.note(f"faq: only {have} different ones, so round {rounds}: {sizes}")
        beaten = _beaten(lists.found, entries, out)
        kept = {
            name: tuple(one for one in found if one.memory_id not in beaten)
            for name, found in kept.items()
        }
        told = f"faq: entries {sum(map(bool, entries.values()))}, rounds {rounds}"
        told += f", excluding the question {len(out)}" if out else ""
        alone = _by_negatives_alone(lists.found, kept, entries, {**out, **beaten})
        gone = (*out.values(), *beaten.values(), *alone)
        draft = draft._replace(channels=kept, dropped=(*draft.dropped, *gone)).note(told)
        return draft.fault(Status.DEGRADED, lists.fault) if lists.fault else draft

    def _judged(
        self,
        ids: Sequence[str],
        draft: Draft,
        kit: Kit,
        lists: Mapping[str, Sequence[Found]],
        out: dict[str, Dropped],
    ) -> dict[str, _Entry | None]:
        """Read the entries that are new; those that exclude the question go to `out`."""
        found: dict[str, _Entry | None] = {}
        asked = bare(draft.query.text)
        memories = kit.store.get(ids, spaces=draft.query.spaces)
        for name, memory in zip(ids, memories, strict=True):
            layout, excluded = (None, "") if memory is None else of_entry(memory, asked)
            if memory is None or layout is None:
                found[name] = None  # told in a form of its own
                continue
            count = len(passages_of(memory))
            found[name] = _Entry(memory, layout, range(count - len(layout.negative), count))
            if excluded and self.equal:
                out[name] = Dropped(name, 0, excluded)
        if self.near:
            # whatever says the same as one of these lines is among the first that are found
            seen = {(one.memory_id, one.ordinal) for some in lists.values() for one in some}
            at_stake = [
                entry
                for name, entry in found.items()
                if entry is not None
                and name not in out
                and any((name, ordinal) in seen for ordinal in entry.negative)
            ]
            out |= {drop.memory_id: drop for drop in _excluding(at_stake, draft, kit)}
        return found


class _Lists:
    """What the searches found, and how to get more of it."""

    def __init__(self, draft: Draft, kit: Kit) -> None:
        self.found: dict[str, tuple[Found, ...]] = dict(draft.channels)
        self.grown: list[str] = []
        self.fault = ""
        self._draft = draft
        self._kit = kit
        self._open = {name for name in (MEANING, WORDS) if self.found.get(name)}

    def longer(self) -> bool:
        """Twice as much of every list that has not ended; False where nothing more came."""
        self.grown = []
        for name in (MEANING, WORDS):
            if name not in self._open:
                continue
            if not self._kit.deadline.left():
                self.fault = "faq: no time was left to search on"
                return bool(self.grown)
            before = self.found[name]
            size = min(_MOST, max(2 * len(before), 2 * self._draft.query.limit))
            try:
                after = self._search(name, size)
            except InvalidInput:
                raise  # the caller can mend it
            except BethinkError as e:
                self._open.discard(name)
                self.fault = f"faq: searching on by {name} failed: {said_to_anybody(e)}"
                continue
            if len(after) < size or size == _MOST or self._below(name, after):
                self._open.discard(name)
            have = {(one.memory_id, one.ordinal) for one in after}
            more = (one for one in before if (one.memory_id, one.ordinal) not in have)
            self.found[name] = (*after, *more)  # asked in other words, it stands at the end
            if len(self.found[name]) > len(before):
                self.grown.append(name)
        return bool(self.grown)

    def _below(self, name: str, found: Sequence[Found]) -> bool:
        """Would a threshold cut whatever comes now?"""
        least = self._draft.query.meaning_threshold
        return name == MEANING and least is not None and bool(found) and found[-1].score < least

    def _search(self, name: str, limit: int) -> list[Found]:
        query, store = self._draft.query, self._kit.store
        if name == WORDS:
            plan = self._draft.plan
            terms = query_terms(plan.rewritten if plan else query.text)
            return store.search_words(terms, spaces=query.spaces, where=query.where, limit=limit)
        question = self._draft.question
        if question is None:
            return []
        return store.search_meaning(
            question.vector,
            fingerprint=question.fingerprint,
            spaces=query.spaces,
            where=query.where,
            limit=limit,
        )


def _ids(lists: Mapping[str, Sequence[Found]], known: Iterable[str]) -> list[str]:
    """The entries in these lists, as their ids tell."""
    before = set(known)
    every = (one.memory_id for found in lists.values() for one in found if IN_ID in one.memory_id)
    return [name for name in dict.fromkeys(every) if name not in before]


def _kept(
    found: Sequence[Found], entries: Mapping[str, _Entry | None], out: Mapping[str, Dropped]
) -> tuple[Found, ...]:
    kept: list[Found] = []
    for one in found:
        entry = entries.get(one.memory_id)
        if one.memory_id in out or (entry is not None and one.ordinal in entry.negative):
            continue
        kept.append(one)
    return tuple(kept)


def _beaten(
    lists: Mapping[str, Sequence[Found]],
    entries: Mapping[str, _Entry | None],
    out: Mapping[str, Dropped],
) -> dict[str, Dropped]:
    """The entries that fit the question less than one that excludes it: the next best answers
    another question. By meaning, else by words."""
    found = lists.get(MEANING) or lists.get(WORDS) or ()
    places: dict[str, int] = {}
    for place, one in enumerate(found):
        entry = entries.get(one.memory_id)
        if entry is not None and one.ordinal not in entry.negative:
            places.setdefault(one.memory_id, place)
    first = min((places[name] for name in out if name in places), default=None)
    if first is None:
        return {}
    reason = "an entry that fits the question better excludes it"
    others = (name for name, entry in entries.items() if entry is not None and name not in out)
    return {
        name: Dropped(name, 0, reason) for name in others if places.get(name, len(found)) > first
    }


def _by_negatives_alone(
    found: Mapping[str, Sequence[Found]],
    kept: Mapping[str, Sequence[Found]],
    entries: Mapping[str, _Entry | None],
    out: Mapping[str, Dropped],
) -> list[Dropped]:
    """Entries that nothing but their negative questions speaks for."""
    stay = {one.memory_id for some in kept.values() for one in some} | out.keys()
    gone: dict[str, Dropped] = {}
    for one in (one for some in found.values() for one in some):
        entry = entries.get(one.memory_id)
        if entry is None or one.memory_id in stay or one.memory_id in gone:
            continue
        start, end = entry.layout.negative[one.ordinal - entry.negative.start]
        line = which(entry.memory.text[start:end])
        reason = f"found by a question that it excludes alone: {line}"
        gone[one.memory_id] = Dropped(one.memory_id, one.ordinal, reason)
    return list(gone.values())


def _excluding(entries: Sequence[_Entry], draft: Draft, kit: Kit) -> list[Dropped]:
    """Those of the entries of which a negative question says what is asked."""
    asked = draft.query.text
    question = draft.question
    bound = None if question is None else bound_of(question.fingerprint, asked)
    cosines: dict[Key, float] = {}
    if entries and question is not None and bound is not None:
        keys = [key for entry in entries for key in (*entry.own, *entry.excluded)]
        scores = kit.store.compare(
            question.vector, keys, fingerprint=question.fingerprint, spaces=draft.query.spaces
        ).scores
        pairs = zip(keys, scores, strict=True)
        cosines = {key: score for key, score in pairs if score is not None}
    found: list[Dropped] = []
    for entry in entries:
        text, layout = entry.memory.text, entry.layout
        lines = [text[start:end] for start, end in layout.negative]
        if bound is not None and cosines.keys() >= {*entry.own, *entry.excluded}:
            used = bound
            negative = [cosines[key] for key in entry.excluded]
            best = nearest(negative, [cosines[key] for key in entry.own])
        else:  # nobody knows what its cosines mean, or a vector is still owed
            used = BY_WORDS
            own = [text[start:end] for start, end in (layout.question, *layout.similar)]
            best = nearest(alike(asked, lines), alike(asked, own))
        if excludes(best, used):
            found.append(
                Dropped(
                    entry.memory.id,
                    entry.negative[best.at],
                    f"the question says what it excludes, {which(lines[best.at])}: nearness "
                    f"{best.negative:.3f} of at least {used.least:g}, to its own questions "
                    f"{best.positive:.3f}",
                )
            )
    return found
