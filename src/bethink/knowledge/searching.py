"""Finding passages, with citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bethink.errors import InvalidInput, unknown_space
from bethink.filters import All, Condition, Filter, PartOf
from bethink.knowledge.citations import cited
from bethink.knowledge.conversation import Conversation, Whole
from bethink.knowledge.params import SearchParams
from bethink.knowledge.passages import Passages
from bethink.knowledge.shared import DOCUMENT, Shared
from bethink.recall.asking import condition_of, number
from bethink.recall.presets import Preset
from bethink.recall.presets_by_use import knowledge_preset
from bethink.shelf import made_id

if TYPE_CHECKING:
    from bethink.knowledge.turns import Turn
    from bethink.recall.draft import Stage
    from bethink.recall.why_not import WhyNot


class Searching(Shared):
    """Finding passages, with citations."""

    def search(
        self,
        asked: str | SearchParams | Mapping[str, Any],
        *,
        history: Sequence[Turn | Mapping[str, Any]] = (),
        web: bool | Stage | None = None,
        preset: Preset | None = None,
        deadline: float | None = None,
        touch: bool = True,
        **params: Any,
    ) -> Passages:
        """The passages that answer, best first, each with its citation.

        `asked` is the question or `SearchParams`; `params` are single ones of these by name:
        `base.search("notice period", match_count=3, documents=["handbook.pdf"])`. `history` are the
        earlier turns of the conversation, oldest first: a follow-up is made whole from them and
        searched for so (`asked_as`), and what they referred to joins for less weight. `web=True`
        searches the web beside the knowledge base. `preset` is one that `knowledge_preset` made,
        e.g. without some feature.
        """
        told = SearchParams.of(asked, **params)
        whole, options = self._made_whole(told, history, web, preset, deadline)
        recollection = self.engine.recall(whole.text, touch=touch, **options)
        return Passages(whole.noted(recollection), cited(recollection.hits))

    def why_not(
        self,
        memory_id: str,
        asked: str | SearchParams | Mapping[str, Any],
        *,
        history: Sequence[Turn | Mapping[str, Any]] = (),
        web: bool | Stage | None = None,
        preset: Preset | None = None,
        deadline: float | None = None,
        **params: Any,
    ) -> WhyNot:
        """Why a section (or whatever else the base holds) is not in the answer of `search` with the
        same arguments, or at which rank it is."""
        told = SearchParams.of(asked, **params)
        whole, options = self._made_whole(told, history, web, preset, deadline)
        return self.engine.why_not(memory_id, whole.text, **options)

    def _made_whole(
        self,
        told: SearchParams,
        history: Sequence[Turn | Mapping[str, Any]],
        web: bool | Stage | None,
        preset: Preset | None,
        deadline: float | None,
    ) -> tuple[Whole, dict[str, Any]]:
        """The question as it is searched for, and what the engine is to be told with it."""
        if deadline is not None:
            number("deadline", deadline)  # before making the question whole takes of it
        spoken = Conversation.of(self.engine, history, told.knowledge_bases or (self.space,))
        whole = spoken.made_whole(told.query_text, deadline)
        stages = preset or self._preset(spoken.turns, web, told.knowledge_bases)
        return whole, {"preset": stages, **self._options(told, whole.left(deadline))}

    def _preset(
        self, history: Sequence[Turn], web: bool | Stage | None, spaces: Sequence[str] = ()
    ) -> Preset:
        """The preset `knowledge` with what this question brings along."""
        beside: list[Stage] = []
        after_search: list[Stage] = []
        weights: dict[str, float] = {}
        graded: list[str] = []
        if web:
            beside.append(self._web(web))
            self._must_be_there(spaces or (self.space,))
        if history:
            from bethink.knowledge.history_references import CHANNEL, WEIGHT, SearchHistory

            after_search.append(SearchHistory(tuple(history)))
            weights[CHANNEL] = WEIGHT
            graded.append(CHANNEL)
        made = knowledge_preset(
            beside=tuple(beside),
            after_search=tuple(after_search),
            weights=weights,
            graded=tuple(graded),
        )
        # who asks for the web wants to see it, also where little is known here
        return made._replace(unverified_share=1.0) if web else made

    def _must_be_there(self, spaces: Sequence[str]) -> None:
        """Before the web is asked: what is searched with it is searched here too, and a question
        makes no base."""
        names = [info.name for info in self.engine.spaces()]
        for space in spaces:
            if space not in names:
                raise unknown_space(space, names)

    def _web(self, web: bool | Stage) -> Stage:
        if not isinstance(web, bool):
            return web
        from bethink.knowledge.web.stage import web_stage

        return web_stage(self.engine)

    def _options(self, told: SearchParams, deadline: float | None) -> dict[str, Any]:
        """What `Engine.recall` is to be told."""
        spaces = told.knowledge_bases or (self.space,)
        return {
            "spaces": spaces,
            "limit": told.match_count,
            "budget": told.budget,
            "where": self._where(told, spaces),
            "meaning_threshold": told.vector_threshold,
            "words_threshold": told.keyword_threshold,
            "floor": told.floor,
            "weights": told.weights,
            "enable_query_expansion": told.enable_query_expansion,
            "candidates": told.candidates,
            "deadline": deadline,
            **told.searches(self.engine.settings_for(spaces)),
        }

    def _where(self, told: SearchParams, spaces: Sequence[str]) -> Filter | None:
        parts: list[Filter] = []
        if told.documents is not None:
            parts.append(PartOf(self._cards(told.documents, spaces)))
        if told.tags is not None:
            parts.append(Condition("tags", None, "in", told.tags))
        own = condition_of(told.where)
        if own is not None:
            parts.append(own)
        return All(tuple(parts)) if parts else None

    def _cards(self, documents: Sequence[str], spaces: Sequence[str]) -> tuple[str, ...]:
        """The ids of the cards of these documents, each named by its id or by its address."""
        names = {
            one: [one, *(made_id(space, DOCUMENT, one) for space in spaces)] for one in documents
        }
        ids = list(dict.fromkeys(one for named in names.values() for one in named))
        there = {
            memory.id
            for memory in self.engine.store.get(ids, spaces=spaces)
            if memory is not None and memory.kind == DOCUMENT
        }
        missing = [one for one, named in names.items() if not there.intersection(named)]
        if missing:
            raise InvalidInput(
                f"documents: there is no document {missing[0]!r} in {', '.join(spaces)}; name it "
                "by the id or the address that the list of documents shows"
            )
        return tuple(one for one in ids if one in there)
