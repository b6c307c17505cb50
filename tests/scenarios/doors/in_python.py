"""The engine itself, and the functions that make records of what it gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bethink import Engine
from bethink.condition import status_record
from bethink.errors import BethinkError, no_such_memory, no_such_offer
from bethink.events.kinds import event_record
from bethink.recall import why_not
from bethink.recall.preset_outline import as_record as preset_record
from bethink.recall.presets import PRESETS
from bethink.recall.render import as_record as answer_record
from bethink.recall.render import what_a_model_sees
from bethink.records import memory_record, offer_record
from bethink.remember.transfer import history_record, promotion_record, receipt_record
from bethink.tiers.records import digest_record, origin_record, ruling_record
from bethink.vocabulary import Principal
from tests.scenarios.doors.door import WHO, failed_by
from tests.scenarios.doors.knowledge_in_python import KnowledgeInPython
from tests.scenarios.doors.story_in_python import StoryInPython
from tests.scenarios.scenario import Json

BY = Principal(WHO, "python")
_OF_ONE = frozenset(
    {"revise", "reinforce", "forget", "why_not", "get", "history", "offered", "undo"}
)


class InPython(KnowledgeInPython, StoryInPython):
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def call(self, verb: str, given: Mapping[str, Json]) -> Json:
        try:
            named = dict(given)
            which = [named.pop("id", None)] if verb in _OF_ONE else []
            answer = getattr(self, f"_{verb}")(*which, **named)
        except BethinkError as e:
            return failed_by(e)
        return json.loads(json.dumps(answer))  # what is no JSON fails here

    help_out = call

    # Writing

    def _remember(self, **told: Any) -> Json:
        return receipt_record(self._engine.remember(told.pop("text", None), **told))

    def _remember_many(self, memories: Any) -> Json:
        return [receipt_record(receipt) for receipt in self._engine.remember_many(memories)]

    def _revise(self, one: str, **fields: Any) -> Json:
        return receipt_record(self._engine.revise(one, **fields))

    def _reinforce(self, one: str, times: int = 1) -> Json:
        return receipt_record(self._engine.reinforce(one, times))

    def _forget(self, one: str) -> Json:
        return receipt_record(self._engine.forget(one))

    def _forget_space(self, space: str) -> Json:
        return {"space": space, "forgotten": self._engine.forget_space(space)}

    # Reading

    def _recall(self, question: str, explain: bool = False, **options: Any) -> Json:
        options = {"touch": not explain, **options}  # who wants it explained is looking, not using
        return answer_record(self._engine.recall(question, **options), explain=explain)

    def _context(self, question: str, language: str = "en", **options: Any) -> Json:
        answer = self._engine.recall(question, **options)
        seen = what_a_model_sees(answer, language=language)
        return {
            "text": seen.text,
            "tokens": seen.tokens,
            "status": answer.status.value,
            "reasons": list(answer.reasons),
            "confidence": answer.confidence,
            "ids": [hit.id for hit in answer.hits],
        }

    def _why_not(self, one: str, question: str, **options: Any) -> Json:
        return why_not.as_record(self._engine.why_not(one, question, **options))

    def _get(self, one: str) -> Json:
        memory = self._engine.get(one)
        if memory is None:
            raise no_such_memory(one)
        return memory_record(memory)

    def _list(self, **options: Any) -> Json:
        page = self._engine.list(**{"limit": 20, **options})
        memories = [memory_record(m) for m in page.memories]
        return {"memories": memories, "cursor": page.cursor, "damaged": [], "reasons": []}

    def _history(self, one: str) -> Json:
        return history_record(
            self._engine.history(one), self._engine.succession(one), memory_id=one
        )

    def _spaces(self) -> Json:
        return [info._asdict() for info in self._engine.spaces()]

    def _status(self) -> Json:
        return status_record(self._engine.status())

    def _presets(self) -> Json:
        return [preset_record(preset) for preset in PRESETS.values()]

    # Tiers

    def _offer(self, **told: Any) -> Json:
        return offer_record(self._engine.offer(told.pop("text", None), by=BY, **told))

    def _offered(self, one: str) -> Json:
        offer = self._engine.tiers.get(one)
        if offer is None:
            raise no_such_offer(one)
        rulings = [ruling_record(ruling) for ruling in self._engine.tiers.rulings(one)]
        return {**offer_record(offer), "rulings": rulings}

    def _quarantine(self, spaces: Any = None, **options: Any) -> Json:
        where = [self._engine.settings.space] if spaces is None else spaces
        page = self._engine.tiers.quarantine(spaces=where, **{"limit": 20, **options})
        return {"offers": [offer_record(offer) for offer in page.offers], "cursor": page.cursor}

    def _working(self, spaces: Any = None, limit: Any = 10) -> Json:
        where = [self._engine.settings.space] if spaces is None else spaces
        memories = self._engine.tiers.working(spaces=where, limit=limit)
        return {"memories": [memory_record(memory) for memory in memories]}

    def _digest(self, space: str | None = None) -> Json:
        return digest_record(self._engine.tiers.digest(space or self._engine.settings.space))

    def _promote_by_rules(self, space: str | None = None) -> Json:
        done = self._engine.tiers.promote_by_rules(space or self._engine.settings.space)
        return [receipt_record(receipt) for receipt in done]

    def _promote(self, ids: Any, **options: Any) -> Json:
        receipts = self._engine.promote(ids, by=BY, **options)
        promoted = zip(dict.fromkeys(ids), receipts, strict=True)  # each once, however often named
        return [promotion_record(one, receipt) for one, receipt in promoted]

    def _reject(self, ids: Any, **options: Any) -> Json:
        return [offer_record(offer) for offer in self._engine.reject(ids, by=BY, **options)]

    def _restore(self, ids: Any, **options: Any) -> Json:
        return [offer_record(offer) for offer in self._engine.restore(ids, by=BY, **options)]

    def _undo(self, one: str) -> Json:
        return offer_record(self._engine.tiers.undo(one, by=BY))

    def _from_source(self, source: str, spaces: Any = None) -> Json:
        return origin_record(self._engine.tiers.from_source(source, spaces=spaces))

    def _roll_back(self, source: str, spaces: Any = None) -> Json:
        done = self._engine.tiers.roll_back(source, by=BY, spaces=spaces)
        return {"source": source, **done._asdict()}

    # Events

    def _events(self, after: Any = 0, kinds: Any = None, limit: Any = 100) -> Json:
        found = self._engine.events.since(after, kinds=kinds, limit=limit)
        return [event_record(event) for event in found]
