"""Asking and looking."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bethink import overrides, withheld
from bethink.checks import is_id
from bethink.engine.shared import Shared
from bethink.errors import FingerprintMismatch, InvalidInput, UnknownSpace
from bethink.events.kinds import RETRIEVAL_TRACE
from bethink.filters import Filter
from bethink.recall import draft as reading
from bethink.recall.asking import condition_of, make_query, space_names, whole
from bethink.recall.pipeline import run
from bethink.recall.presets import Preset, as_preset
from bethink.relocate import unfinished
from bethink.stores.protocol import Compared, HasParts, Page, SeenByQuestions, Store
from bethink.vocabulary import (
    Memory,
    Query,
    Recollection,
    Revision,
    SpaceInfo,
    SpaceNames,
    Status,
    Tier,
    Trace,
    Vector,
    Weights,
)

if TYPE_CHECKING:
    from bethink.recall.why_not import WhyNot

_T = TypeVar("_T")
_COUNTED = 1_000  # memories read at a time
_CHANGED_OVER = 3  # times in one question; nobody changes embedders so often


def _traced(recollection: Recollection) -> Mapping[str, Any]:
    from bethink.recall.traced import traced

    return traced(recollection)


class Reading(Shared):
    """What only looks."""

    def recall(
        self,
        text: str,
        *,
        spaces: SpaceNames | None = None,
        limit: int | None = None,
        budget: int | None = None,
        where: Mapping[str, Any] | Filter | None = None,
        as_of: datetime | date | str | None = None,
        preset: str | Preset = "balanced",
        words: bool = True,
        meaning: bool = True,
        meaning_threshold: float | None = None,
        words_threshold: float | None = None,
        floor: float | None = None,
        unverified_share: float | None = None,
        weights: str | Mapping[str, Any] | Weights | None = None,
        enable_query_expansion: bool | None = None,
        candidates: int | None = None,
        vector: Vector | None = None,
        deadline: float | None = None,
        touch: bool = True,
    ) -> Recollection:
        """What matters for this question, best first, within the budget, with reasons.

        `preset` is a name (docs/reference/presets.md) or a `Preset` of stages of your own; it may
        bring a limit and a budget, for where you and your settings name none. `where` is a filter
        (see `bethink.filters`); no spaces named, it looks in the default one, and in `global` too
        where that is a project with a notebook. `as_of` asks what held at a moment; a day means its
        end. `touch=False` leaves the access counts alone. `weights` ("meaning_first",
        "words_first", or {"meaning": 0.7, "words": 0.3}) set the order of the hits,
        `enable_query_expansion=False` keeps the preset `knowledge` from asking in other words, and
        `candidates` is how many each search looks at. A space that nothing was remembered in yet
        gives an empty answer, and the reasons say so. `meaning_threshold` (a cosine) and
        `words_threshold` (a share of the question's words) cut what is not good enough;
        `unverified_share` (0 to 1) says how much of the answer may be unverified.
        """
        recollection = self._of_known_spaces(
            text,
            preset,
            spaces=spaces,
            limit=limit,
            budget=budget,
            where=where,
            as_of=as_of,
            words=words,
            meaning=meaning,
            vector=vector,
            deadline=deadline,
            meaning_threshold=meaning_threshold,
            words_threshold=words_threshold,
            floor=floor,
            unverified_share=unverified_share,
            weights=weights,
            enable_query_expansion=enable_query_expansion,
            candidates=candidates,
        )
        # what was only perhaps an answer would otherwise rise with every question about nothing
        if touch and recollection.hits and recollection.status is Status.ANSWERED:
            self._accesses.count(one for hit in recollection.hits for one in hit.memory_ids)
        self.events.later(
            RETRIEVAL_TRACE, lambda: _traced(recollection), spaces=recollection.query.spaces
        )
        return recollection

    def _of_known_spaces(self, text: str, preset: str | Preset, **options: Any) -> Recollection:
        """Answer from the spaces that exist; the reasons name the others."""
        try:
            return self._through_changes(self._answered, text, preset, **options)
        except UnknownSpace:
            there = {info.name for info in self.store.spaces()}
        named = options["spaces"]
        names = self.spaces_here() if named is None else space_names(named, self.settings)
        unseen = [name for name in names if name not in there]
        left = [name for name in names if name in there]
        reasons = tuple(f"nothing was remembered in the space {name!r} yet" for name in unseen)
        if left:
            found = self._through_changes(
                self._answered, text, preset, **{**options, "spaces": left}
            )
            return replace(found, reasons=(*found.reasons, *reasons))
        stages = as_preset(preset)
        settings = self.overrides.settings_for(names)
        asked = {**options, "spaces": names}
        query = make_query(text, settings, now=self._clock(), preset=stages, **asked)
        trace = Trace(stages.name, (), 0.0)
        return Recollection(query, (), Status.EMPTY, reasons, 0, query.budget, trace)

    def _through_changes(
        self,
        answer: Callable[[Query, Preset, reading.Kit], _T],
        text: str,
        preset: str | Preset,
        **options: Any,
    ) -> _T:
        """Anew where another index began to answer in the middle of it: its maker embeds the
        question then. A vector of the caller's own is another's for good. However often it is
        asked, its time began once; when that is over it is answered by words."""
        began = time.monotonic()
        for _ in range(_CHANGED_OVER if options.get("vector") is None else 0):
            try:
                return answer(*self._asked(text, preset, began, **options))
            except FingerprintMismatch:
                continue
        return answer(*self._asked(text, preset, began, **options))

    def _answered(self, query: Query, stages: Preset, kit: reading.Kit) -> Recollection:
        """As it was a moment ago, where that is kept and still true; else by running the stages."""
        freshened = self._bookkeeping.freshened(stages)
        before = self._parts.hot.answers
        if before is None or freshened is not stages:  # files are looked at every time
            return run(query, freshened, kit)

        def ask() -> Recollection:  # what it knows of the store is newer than what it is kept under
            return run(query, stages, self._kit(self._seen(query.spaces), kit.deadline))

        return before.recall(query, stages, ask)

    def why_not(
        self, memory_id: str, text: str, *, preset: str | Preset = "balanced", **options: Any
    ) -> WhyNot:
        """At which stage a memory lost when this is asked, and by how much; or at which rank it is
        a hit. The options are those of `recall`. No counter changes."""
        from bethink.recall.why_not import why_not

        def explained(query: Query, stages: Preset, kit: reading.Kit) -> WhyNot:
            if self.get(memory_id) is None and is_id(memory_id):
                recent = self.store.tiers().working.get([memory_id], now=self._clock())[0]
                if recent is not None:
                    return why_not(recent, query, stages, kit, tier=Tier.WORKING)
            return why_not(self._existing(memory_id), query, stages, kit)

        return self._through_changes(explained, text, preset, **options)

    def _asked(
        self, text: str, preset: str | Preset, began: float, **options: Any
    ) -> tuple[Query, Preset, reading.Kit]:
        """A question made ready to be run, whose time began then."""
        stages = as_preset(preset)
        if options.get("spaces") is None:
            options["spaces"] = self.spaces_here()
        options["spaces"] = names = space_names(options["spaces"], self.settings)
        store = self._seen(names)
        stages = unfinished.warned(stages, store)
        settings = self.overrides.settings_for(names, seen=store)
        if any(stage.name == "salience" for stage in stages.stages):
            from bethink.recall.salience import weighted

            stages = weighted(stages, settings)
        query = make_query(
            text,
            settings,
            now=self._clock(),
            preset=stages,
            withheld=self.withheld.out_of_reach(names, seen=store),
            **options,
        )
        return query, stages, self._kit(store, reading.Deadline(began + query.deadline))

    def _seen(self, names: Sequence[str]) -> Store:
        """The store as a question to these spaces sees it from now on."""
        if not isinstance(self.store, SeenByQuestions):
            return self.store
        look_at = (overrides.NOTES, withheld.NOTES, unfinished.NOTE)
        return self.store.for_question(names, look_at)

    def _kit(self, store: Store, deadline: reading.Deadline) -> reading.Kit:
        if isinstance(store, HasParts):
            store = store.within(deadline.left())
        return reading.Kit(
            store=store,
            question=partial(self._parts.question, seen=store),
            clock=self._clock,
            deadline=deadline,
            pool=self._parts.pool,
            zone=self.settings.zone,
            llm=lambda: self._parts.llm,
            routes=lambda: self._parts.routes,
            reranker=lambda: self._parts.reranker,
            count_tokens=self._count_tokens,
            documents=partial(self._parts.documents, seen=store),
            contradicts=self._contradicts,
        )

    def _contradicts(self, older: Memory, newer: Memory) -> bool:
        from bethink.remember.judging import contradicts

        return contradicts(older, newer, zone=self.settings.zone)

    def compare(
        self, text: str, keys: Sequence[tuple[str, int]], *, spaces: SpaceNames
    ) -> Compared | None:
        """How near passages (memory id, ordinal) of these spaces are to a text by meaning, and how
        near passages usually are; None where meaning is switched off or holds no vectors yet."""
        names = space_names(spaces, self.settings)
        question = self._parts.question(Query(text=text, spaces=names))
        if question is None:
            return None
        return self.store.compare(
            question.vector, keys, fingerprint=question.fingerprint, spaces=names
        )

    def list(
        self,
        *,
        spaces: SpaceNames | None = None,
        where: Mapping[str, Any] | Filter | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Page:
        """Memories as they were told, a page at a time. No spaces named: those of `spaces_here`.
        A space that nothing was remembered in yet adds nothing. The page's `damaged` names those
        that cannot be read any more and are left out."""
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidInput(f"a cursor is text, got {type(cursor).__name__}")
        self._accesses.flush()
        names = self.spaces_here() if spaces is None else space_names(spaces, self.settings)
        scan = partial(
            self.store.scan,
            where=condition_of(where),
            newest_first=newest_first,
            cursor=cursor,
            limit=whole("limit", limit),
        )
        try:
            return scan(spaces=names)
        except UnknownSpace:
            there = {info.name for info in self.store.spaces()}
        known = [name for name in names if name in there]
        return scan(spaces=known) if known else Page([], None)

    def count(
        self,
        *,
        spaces: SpaceNames | None = None,
        where: Mapping[str, Any] | Filter | None = None,
    ) -> int:
        """How many memories there are, by default in every space; with `where`, how many pass.
        Damaged ones are counted too: they are there, though they are not handed out."""
        held = self.store.spaces()
        if spaces is not None:
            names = space_names(spaces, self.settings)
            held = [one for one in held if one.name in names]
        if where is None or not held:
            return sum(one.memories for one in held)
        counted, cursor = 0, None
        while True:
            page = self.list(
                spaces=[one.name for one in held], where=where, cursor=cursor, limit=_COUNTED
            )
            counted += len(page.memories) + len(page.damaged)
            cursor = page.cursor
            if cursor is None:
                return counted

    def history(self, memory_id: str) -> Sequence[Revision]:
        """Former forms of a memory, newest first."""
        self._existing(memory_id)
        return self.store.history(memory_id)

    def succession(self, memory_id: str) -> Sequence[Memory]:
        """A memory with all that it superseded and all that superseded it, oldest first."""
        from bethink.remember.succession import succession

        return succession(self.store, self._existing(memory_id))

    def spaces_here(self) -> tuple[str, ...]:
        """Return the spaces that `recall` and `list` look in if none is named: the default one, and
        `global` too if that is a project with a notebook."""
        return space_names(self._bookkeeping.spaces_here(), self.settings)

    def spaces(self) -> Sequence[SpaceInfo]:
        return self.store.spaces()
