"""Ask again in other words when little was found: by words only, and for less weight.

Little means fewer than `enough` memories. What meaning found counts only from its threshold on:
there is always something nearest, as there is always something newest, and that says nothing.

A search by words finds whatever holds any of the terms, so a variant made of terms that were asked
for already can add nothing, and is noted without being asked. Stands before the thresholds, which
then hold for these finds too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bethink.errors import BethinkError, InvalidInput
from bethink.recall.draft import Draft, Kit
from bethink.recall.fuse import Key
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.text.searched import searched_text
from bethink.text.tokenise import query_terms
from bethink.vocabulary import Found, Status

if TYPE_CHECKING:
    from concurrent.futures import Future

    from bethink.text.variants import Variant


@dataclass(frozen=True, slots=True)
class Expand:
    name: ClassVar[str] = "expand"
    enough: int = 3  # memories: a short answer's worth
    at_once: int = 3
    candidates: int = 20  # for each variant
    weight: float = 0.5  # of the least that the first pass found

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        first = draft.channels.get(WORDS)
        if draft.settled or first is None:
            return draft
        if not draft.query.enable_query_expansion:
            return draft.note("expand: switched off")
        held = _memories(draft)
        if len(held) >= self.enough:
            return draft
        from bethink.text.variants import variants  # most questions never come here

        planned = draft.plan.rewritten if draft.plan else draft.query.text
        asked = set(query_terms(planned))
        new: list[Variant] = []
        known: list[Variant] = []
        for variant in variants(draft.query.text):
            terms = set(query_terms(variant.text))
            (known if terms <= asked else new).append(variant)
            if not variant.apart:  # a find of these had more to fulfil than to hold a term
                asked |= terms
        ways = "1 other way" if len(new) == 1 else f"{len(new)} other ways"
        draft = draft.note(f"only {len(held)} found: {ways} to ask")
        if known:
            shown = ", ".join(f"“{v.shown}”" for v in known)
            draft = draft.note(f"nothing new in {shown}: these words were asked for already")
        have = {(f.memory_id, f.ordinal) for f in first}
        added: dict[Key, float] = {}
        for start in range(0, len(new), self.at_once):
            batch = new[start : start + self.at_once]
            if not kit.deadline.left():
                late = len(new) - start
                draft = draft.fault(
                    Status.DEGRADED, f"expand: no time was left for {late} other ways to ask"
                )
                break
            draft, results = self._ask(batch, draft, kit)
            for variant, found in results:
                before = len(added)
                for key, score in found.items():
                    if key not in have:
                        added[key] = max(added.get(key, 0.0), score)
                draft = draft.note(f"{variant.kind} “{variant.shown}”: {len(added) - before} more")
            if len(held | {key[0] for key in added}) >= self.enough:
                break
        return draft.with_channel(WORDS, (*first, *self._below(first, added)))

    def _below(self, first: Sequence[Found], added: Mapping[Key, float]) -> Iterable[Found]:
        """What is added stands below what was there, best first."""
        ceiling = self.weight * min((f.score for f in first), default=1.0)
        best = sorted(added.items(), key=lambda item: -item[1])
        return (Found(*key, ceiling * score) for key, score in best)

    def _ask(
        self, batch: Sequence[Variant], draft: Draft, kit: Kit
    ) -> tuple[Draft, list[tuple[Variant, dict[Key, float]]]]:
        """All but the first in the pool; what nobody there had time for is asked here."""
        futures: list[tuple[Variant, Future[dict[Key, float]] | None]] = [(batch[0], None)]
        futures += [(v, kit.pool().submit(self._search, v, draft, kit)) for v in batch[1:]]
        results: list[tuple[Variant, dict[Key, float]]] = []
        for variant, future in futures:
            try:
                if future is None or future.cancel():
                    found = self._search(variant, draft, kit)
                else:
                    found = future.result(timeout=kit.deadline.left())
                results.append((variant, found))
            except TimeoutError:
                reason = f"“{variant.shown}” was not done within {draft.query.deadline:g} s"
                draft = draft.fault(Status.DEGRADED, f"expand: {reason} and was left out")
            except InvalidInput:
                raise  # the caller can mend it
            except BethinkError as e:
                draft = draft.failed(f"expand: “{variant.shown}”", e)
        return draft, results

    def _search(self, variant: Variant, draft: Draft, kit: Kit) -> dict[Key, float]:
        """What a variant finds, each as a share of its best."""
        query = draft.query
        found = kit.store.search_words(
            query_terms(variant.text),
            spaces=query.spaces,
            where=query.where,
            limit=self.candidates,
        )
        if variant.apart:
            fetched = kit.store.fetch([(f.memory_id, f.ordinal) for f in found])
            found = [
                f
                for f, one in zip(found, fetched, strict=True)
                if one is not None and variant.fits(searched_text(*one))
            ]
        best = max((f.score for f in found), default=0.0) or 1.0
        return {(f.memory_id, f.ordinal): f.score / best for f in found}


def _memories(draft: Draft) -> set[str]:
    """Whose being found says something."""
    least = draft.query.meaning_threshold
    held: set[str] = set()
    for name in (WORDS, EXACT):
        held.update(f.memory_id for f in draft.channels.get(name, ()))
    if least is not None:
        held.update(f.memory_id for f in draft.channels.get(MEANING, ()) if f.score >= least)
    return held
