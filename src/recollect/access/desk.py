"""The desk: an engine as one caller may use it. REST and MCP ask here, and give on what it answers.

Every answer is made of JSON-ready values, the same that the command line prints. A space that the
caller may not see does not exist for it, nor does a memory in one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from recollect.access.caller import Caller, Scope
from recollect.errors import InvalidInput, NotFound, UnknownSpace, unknown_space
from recollect.recall.asking import space_names
from recollect.recall.presets import PRESETS
from recollect.recall.render import as_record as answer_record
from recollect.recall.render import what_a_model_sees
from recollect.remember.transfer import as_record as memory_record
from recollect.remember.transfer import receipt_record
from recollect.tiers.records import digest_record, offer_record, origin_record, ruling_record
from recollect.vocabulary import Event, Memory, Recollection, SpaceNames

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.events.following_async import AsyncFollower

Record: TypeAlias = dict[str, Any]
Records: TypeAlias = list[Record]

_OURS = frozenset({"provenance", "reinforcement", "access_count", "created_at", "updated_at"})
_ASKABLE = frozenset({
    "limit", "budget", "where", "as_of", "preset", "words", "meaning", "meaning_threshold",
    "words_threshold", "floor", "unverified_share", "deadline", "touch",
})  # fmt: skip


class Desk:
    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._engine = engine
        self.caller = caller

    # Writing

    def remember(
        self,
        told: Mapping[str, Any],
        *,
        supersedes: str | None = None,
        merge: str = "words",
    ) -> Record:
        self.caller.needs(Scope.WRITE)
        fields = self._told(told)
        if supersedes is not None:
            self._existing(supersedes)
        text = fields.pop("text", None)
        return receipt_record(
            self._engine.remember(text, supersedes=supersedes, merge=merge, **fields)
        )

    def remember_many(self, told: Any) -> Records:
        """All or none of a batch: what is wrong with one is said before any is written."""
        self.caller.needs(Scope.WRITE)
        if isinstance(told, str) or not isinstance(told, Sequence):
            raise InvalidInput("expected a list of memories")
        receipts = self._engine.remember_many([self._told(one) for one in told])
        return [receipt_record(receipt) for receipt in receipts]

    def revise(self, memory_id: str, fields: Mapping[str, Any]) -> Record:
        self.caller.needs(Scope.WRITE)
        _refuse_ours(fields)
        return receipt_record(self._engine.revise(self._existing(memory_id).id, **fields))

    def reinforce(self, memory_id: str, times: int = 1) -> Record:
        self.caller.needs(Scope.WRITE)
        return receipt_record(self._engine.reinforce(self._existing(memory_id).id, times))

    def forget(self, memory_id: str) -> Record:
        self.caller.needs(Scope.WRITE)
        offer = self._engine.tiers.get(memory_id, spaces=self.caller.spaces)
        if offer is None:
            self._existing(memory_id)
        return receipt_record(self._engine.forget(memory_id, spaces=self.caller.spaces))

    def forget_space(self, space: str) -> Record:
        self.caller.needs(Scope.ADMIN)
        (name,) = self._spaces([space])
        return {"space": name, "forgotten": self._engine.forget_space(name)}

    # Reading

    def recall(
        self,
        text: str,
        *,
        spaces: SpaceNames | None = None,
        explain: bool = False,
        **options: Any,
    ) -> Record:
        return answer_record(self._asked(text, spaces, options), explain=explain)

    def context(
        self, text: str, *, spaces: SpaceNames | None = None, language: str = "en", **options: Any
    ) -> Record:
        """The text to put before a model, with what it costs and how far to trust it."""
        answer = self._asked(text, spaces, options)
        seen = what_a_model_sees(answer, language=language)
        return {
            "text": seen.text,
            "tokens": seen.tokens,
            "status": answer.status.value,
            "reasons": list(answer.reasons),
            "confidence": answer.confidence,
            "ids": [hit.id for hit in answer.hits],
        }

    def why_not(
        self, memory_id: str, text: str, *, spaces: SpaceNames | None = None, **options: Any
    ) -> Record:
        from recollect.recall.why_not import as_record

        self.caller.needs(Scope.READ)
        memory = self._existing(memory_id)
        options = _known(options)
        names = self._spaces(spaces) if spaces is not None else (memory.space,)
        return as_record(self._engine.why_not(memory.id, text, spaces=names, **options))

    def get(self, memory_id: str) -> Record:
        self.caller.needs(Scope.READ)
        return memory_record(self._existing(memory_id))

    def list(
        self,
        *,
        spaces: SpaceNames | None = None,
        where: Mapping[str, Any] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Record:
        self.caller.needs(Scope.READ)
        with self._only_my_spaces():
            page = self._engine.list(
                spaces=self._spaces(spaces),
                where=where,
                newest_first=newest_first,
                cursor=cursor,
                limit=limit,
            )
        return {"memories": [memory_record(m) for m in page.memories], "cursor": page.cursor}

    def history(self, memory_id: str) -> Record:
        self.caller.needs(Scope.READ)
        memory = self._existing(memory_id)
        return {
            "memory": memory_record(memory),
            "history": [
                {**memory_record(former), "replaced_at": replaced_at.isoformat()}
                for former, replaced_at in self._engine.history(memory.id)
            ],
            "succession": [memory_record(one) for one in self._engine.succession(memory.id)],
        }

    def spaces(self) -> Records:
        self.caller.needs(Scope.READ)
        return [info._asdict() for info in self._engine.spaces() if self.caller.may_see(info.name)]

    def status(self) -> Record:
        """Of what the caller may see: no other space is counted."""
        self.caller.needs(Scope.READ)
        status = self._engine.status()
        spaces = self.spaces()
        whole = self.caller.spaces is None
        return {
            "memories": sum(space["memories"] for space in spaces),
            "pending": sum(space["pending"] for space in spaces),
            "spaces": spaces,
            "embedder": status.embedder,
            "indexed_by": status.indexed_by,
            "notes": list(status.notes) if whole else [],
        }

    # Tiers

    def offer(self, told: Mapping[str, Any], *, parents: Sequence[str] = ()) -> Record:
        self.caller.needs(Scope.OFFER)
        fields = self._told(told)
        text = fields.pop("text", None)
        made = self._engine.offer(text, parents=parents, by=self.caller.principal, **fields)
        return offer_record(made)

    def quarantine(
        self,
        *,
        spaces: SpaceNames | None = None,
        decisions: Collection[str] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Record:
        self.caller.needs(Scope.REVIEW)
        page = self._engine.tiers.quarantine(
            spaces=self._spaces(spaces),
            decisions=decisions,
            newest_first=newest_first,
            cursor=cursor,
            limit=limit,
        )
        return {"offers": [offer_record(offer) for offer in page.offers], "cursor": page.cursor}

    def offered(self, offer_id: str) -> Record:
        self.caller.needs(Scope.REVIEW)
        tiers, spaces = self._engine.tiers, self.caller.spaces
        offer = tiers.get(offer_id, spaces=spaces)
        if offer is None:
            raise NotFound(f"nothing was offered under the id {offer_id!r}")
        rulings = tiers.rulings(offer_id, spaces=spaces)
        return {**offer_record(offer), "rulings": [ruling_record(ruling) for ruling in rulings]}

    def working(self, *, spaces: SpaceNames | None = None, limit: int = 10) -> Record:
        self.caller.needs(Scope.READ)
        memories = self._engine.tiers.working(spaces=self._spaces(spaces), limit=limit)
        return {"memories": [memory_record(memory) for memory in memories]}

    def digest(self, space: str | None = None) -> Record:
        self.caller.needs(Scope.REVIEW)
        (name,) = self._spaces(None if space is None else [space])
        return digest_record(self._engine.tiers.digest(name))

    def promote_by_rules(self, space: str | None = None) -> Records:
        self.caller.needs(Scope.REVIEW)
        (name,) = self._spaces(None if space is None else [space])[:1]
        return [receipt_record(r) for r in self._engine.tiers.promote_by_rules(name)]

    def promote(
        self, ids: Sequence[str], *, reason: str = "", supersedes: str | None = None
    ) -> Records:
        self.caller.needs(Scope.REVIEW)
        if supersedes is not None:
            self._existing(supersedes)
        receipts = self._engine.promote(
            ids,
            by=self.caller.principal,
            reason=reason,
            supersedes=supersedes,
            spaces=self.caller.spaces,
        )
        return [receipt_record(receipt) for receipt in receipts]

    def reject(self, ids: Sequence[str], *, reason: str = "") -> Records:
        self.caller.needs(Scope.REVIEW)
        offers = self._engine.reject(
            ids, by=self.caller.principal, reason=reason, spaces=self.caller.spaces
        )
        return [offer_record(offer) for offer in offers]

    def restore(self, ids: Sequence[str], *, reason: str = "") -> Records:
        self.caller.needs(Scope.REVIEW)
        offers = self._engine.restore(
            ids, by=self.caller.principal, reason=reason, spaces=self.caller.spaces
        )
        return [offer_record(offer) for offer in offers]

    def undo(self, offer_id: str) -> Record:
        self.caller.needs(Scope.REVIEW)
        return offer_record(
            self._engine.tiers.undo(offer_id, by=self.caller.principal, spaces=self.caller.spaces)
        )

    def from_source(self, source: str, *, spaces: SpaceNames | None = None) -> Record:
        self.caller.needs(Scope.REVIEW)
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        return origin_record(self._engine.tiers.from_source(source, spaces=names))

    def roll_back(self, source: str, *, spaces: SpaceNames | None = None) -> Record:
        self.caller.needs(Scope.REVIEW)
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        done = self._engine.tiers.roll_back(source, by=self.caller.principal, spaces=names)
        return {"source": source, **done._asdict()}

    # Events

    def events(
        self, *, after: int = 0, kinds: Collection[str] | None = None, limit: int = 100
    ) -> Record:
        self.caller.needs(Scope.READ)
        found = self._engine.events.since(
            after, spaces=self.caller.spaces, kinds=kinds, limit=limit
        )
        return {
            "events": [event_record(event) for event in found],
            "last": found[-1].id if found else after,
        }

    def follow(
        self, *, after: int | None = None, kinds: Collection[str] | None = None
    ) -> AsyncFollower:
        """The same as they happen, for an event loop; None: from now on."""
        self.caller.needs(Scope.READ)
        return self._engine.events.async_follow(after, spaces=self.caller.spaces, kinds=kinds)

    # Care

    def presets(self) -> Records:
        self.caller.needs(Scope.READ)
        return [
            {"name": preset.name, "stages": [stage.name for stage in preset.stages]}
            for preset in PRESETS.values()
        ]

    def doctor(self) -> Records:
        self.caller.needs(Scope.ADMIN)
        return [check._asdict() for check in self._engine.doctor()]

    def reindex(self, *, force: bool = False) -> Record:
        self.caller.needs(Scope.ADMIN)
        return {"embedded": self._engine.reindex(force=force)}

    def export(self, *, spaces: SpaceNames | None = None) -> Iterator[Record]:
        self.caller.needs(Scope.ADMIN)
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        return self._engine.export(spaces=names)

    def import_many(self, records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
        """Takes provenance and counters over as they are: for whoever runs the server."""
        self.caller.needs(Scope.ADMIN)
        return dict(self._engine.import_many(self._mine(record) for record in records))

    # What is the caller's

    def _asked(
        self, text: str, spaces: SpaceNames | None, options: Mapping[str, Any]
    ) -> Recollection:
        self.caller.needs(Scope.READ)
        with self._only_my_spaces():
            return self._engine.recall(text, spaces=self._spaces(spaces), **_known(options))

    def _spaces(self, spaces: SpaceNames | None) -> tuple[str, ...]:
        """The spaces that are meant. One that the caller may not see does not exist."""
        mine = self.caller.spaces
        if spaces is None:
            default = self._engine.settings.space
            return (default,) if mine is None or default in mine else mine
        names = space_names(spaces, self._engine.settings)
        for name in names:
            if not self.caller.may_see(name):
                raise unknown_space(name, mine or ())
        return names

    def _only_my_spaces(self) -> _OnlyMine:
        return _OnlyMine(self.caller)

    def _existing(self, memory_id: str) -> Memory:
        memory = self._engine.get(memory_id)
        if memory is None or not self.caller.may_see(memory.space):
            raise NotFound(f"no memory has the id {memory_id!r}")
        return memory

    def _told(self, told: Mapping[str, Any]) -> Record:
        """The fields, in a space that is the caller's."""
        if not isinstance(told, Mapping):
            raise InvalidInput(f"expected an object with a 'text', got {type(told).__name__}")
        _refuse_ours(told)
        (space,) = self._spaces(None if not told.get("space") else [told["space"]])[:1]
        given = {name: value for name, value in told.items() if value is not None}
        return {**given, "space": space}

    def _mine(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        if isinstance(record, Mapping) and isinstance(record.get("space"), str):
            self._spaces([record["space"]])
        return record


class _OnlyMine:
    """An error that lists the spaces of a store must not name those of others."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnknownSpace) and self._caller.spaces is not None:
            raise UnknownSpace(
                f"there is no such space yet; this key sees: {', '.join(self._caller.spaces)}. "
                "A space comes to be when something is remembered in it"
            ) from None


def _refuse_ours(told: Mapping[str, Any]) -> None:
    claimed = sorted(name for name in told.keys() & _OURS if told[name] not in (None, "", {}))
    if claimed:
        raise InvalidInput(f"{claimed[0]} is set here and cannot be told; leave it out")


def _known(options: Mapping[str, Any]) -> Record:
    unknown = sorted(options.keys() - _ASKABLE)
    if unknown:
        raise InvalidInput(
            f"there is no option {unknown[0]!r}; known: {', '.join(sorted(_ASKABLE))}"
        )
    return {name: value for name, value in options.items() if value is not None}


def event_record(event: Event) -> Record:
    return {
        "id": event.id,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "spaces": list(event.spaces),
        "data": dict(event.data),
    }
