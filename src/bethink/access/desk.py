"""The desk: an engine as one caller may use it. REST and MCP ask here, and give on what it answers.

Every answer is made of JSON-ready values, the same that the command line prints. A space that the
caller may not see does not exist for it, nor does a memory in one.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bethink.access.caller import Scope
from bethink.access.knowledge import Knowledge
from bethink.access.outside import (
    answer_from_outside,
    from_outside,
    not_by_path,
    with_its_path,
    without_places,
)
from bethink.access.reviewing import Reviewing
from bethink.access.stories import Stories
from bethink.access.tenant_names import DEFAULT_TENANT
from bethink.access.wall import Record, Records, fields_of, refuse_ours, verb
from bethink.condition import EngineStatus, status_record
from bethink.errors import Forbidden, InvalidInput, SettingsError, StoreCorrupt, unknown_space
from bethink.events.kinds import event_record
from bethink.hot import without_place
from bethink.recall.preset_outline import as_record as preset_record
from bethink.recall.presets import PRESETS
from bethink.recall.render import as_record as answer_record
from bethink.recall.render import language_of, what_a_model_sees
from bethink.records import memory_record
from bethink.remember.transfer import history_record, unreadable
from bethink.stores.damage import damage_record
from bethink.stores.protocol import HasParts
from bethink.vocabulary import Check, Recollection, SpaceNames

if TYPE_CHECKING:
    from bethink.events.following_async import AsyncFollower

_ASKABLE = frozenset({
    "limit", "budget", "where", "as_of", "preset", "words", "meaning", "meaning_threshold",
    "words_threshold", "floor", "unverified_share", "weights", "enable_query_expansion",
    "candidates", "deadline", "touch",
})  # fmt: skip


class Desk(Reviewing, Stories, Knowledge):
    # Writing

    @verb(Scope.WRITE, audited="remember")
    def remember(
        self,
        told: Mapping[str, Any],
        *,
        supersedes: str | None = None,
        merge: str = "corrections",
    ) -> Record:
        fields = fields_of(self._told(told), not_among=("supersedes", "merge"))
        if supersedes is not None:
            supersedes = self._existing(supersedes).id
        text = fields.pop("text", None)
        return self._receipt(
            self._engine.remember(text, supersedes=supersedes, merge=merge, **fields)
        )

    @verb(Scope.WRITE, audited="remember_many")
    def remember_many(self, told: Any) -> Records:
        """All or none of a batch: what is wrong with one is said before any is written."""
        if isinstance(told, str) or not isinstance(told, Sequence):
            raise InvalidInput("expected a list of memories")
        receipts = self._engine.remember_many([self._told(one) for one in told])
        return [self._receipt(receipt) for receipt in receipts]

    @verb(Scope.WRITE, audited="revise")
    def revise(self, memory_id: str, fields: Mapping[str, Any]) -> Record:
        refuse_ours(fields)
        fields = fields_of(fields, not_among=("memory_id",))
        memory = self._existing(memory_id)
        return self._receipt(self._engine.revise(memory.id, **with_its_path(memory, fields)))

    @verb(Scope.WRITE, audited="reinforce")
    def reinforce(self, memory_id: str, times: int = 1) -> Record:
        return self._receipt(self._engine.reinforce(self._existing(memory_id).id, times))

    @verb(Scope.WRITE, audited="forget")
    def forget(self, memory_id: str) -> Record:
        offer_id = self._offer_id(memory_id)
        if self._engine.tiers.get(offer_id, spaces=self.caller.spaces) is None:
            try:
                offer_id = self._existing(memory_id).id
            except StoreCorrupt:  # a damaged memory of a space that the caller sees can be erased
                offer_id = memory_id
        return self._receipt(self._engine.forget(offer_id, spaces=self.caller.spaces))

    @verb(Scope.ADMIN, audited="forget_space")
    def forget_space(self, space: str) -> Record:
        name = self._space(space)
        return {"space": name, "forgotten": self._engine.forget_space(name)}

    # Reading

    @verb(Scope.READ, beside=True)
    def recall(
        self,
        text: str,
        *,
        spaces: SpaceNames | None = None,
        explain: bool = False,
        **options: Any,
    ) -> Record:
        """Who wants it explained is looking, not using: no access is counted, unless asked for."""
        if explain and options.get("touch") is None:
            options["touch"] = False
        answer = answer_record(self._asked(text, spaces, options), explain=explain)
        return answer_from_outside(answer)

    @verb(Scope.READ, beside=True)
    def search(self, text: str, *, spaces: SpaceNames | None = None, **options: Any) -> Record:
        """Return what is recalled with the field names of `SearchResponse`, and its status."""
        answer = self._asked(text, spaces, options)
        return {
            **answer.as_search_response().as_record(),
            "status": answer.status.value,
            "reasons": list(answer.reasons),
        }

    @verb(Scope.READ, beside=True)
    def context(
        self,
        text: str,
        *,
        spaces: SpaceNames | None = None,
        language: str | None = None,
        **options: Any,
    ) -> Record:
        """The text to put before a model, with what it costs and how far to trust it."""
        answer = self._asked(text, spaces, options)
        chosen = language_of(answer, language, self._engine.settings)
        seen = what_a_model_sees(answer, language=chosen)
        return {
            "text": seen.text,
            "tokens": seen.tokens,
            "status": answer.status.value,
            "reasons": list(answer.reasons),
            "confidence": answer.confidence,
            "ids": [one for hit in answer.hits for one in hit.memory_ids],
        }

    @verb(Scope.READ, beside=True)
    def why_not(
        self, memory_id: str, text: str, *, spaces: SpaceNames | None = None, **options: Any
    ) -> Record:
        from bethink.recall.why_not import as_record

        memory = self._existing(memory_id)
        options = _known(options)
        names = self._spaces(spaces) if spaces is not None else (memory.space,)
        return as_record(self._engine.why_not(memory.id, text, spaces=names, **options))

    @verb(Scope.READ)
    def get(self, memory_id: str) -> Record:
        return from_outside(memory_record(self._existing(memory_id)))

    @verb(Scope.READ)
    def list(
        self,
        *,
        spaces: SpaceNames | None = None,
        where: Mapping[str, Any] | None = None,
        newest_first: bool = True,
        cursor: str | None = None,
        limit: int = 20,
    ) -> Record:
        page = self._engine.list(
            spaces=self._spaces(spaces),
            where=not_by_path(where),
            newest_first=newest_first,
            cursor=self._opened(cursor, "memories"),
            limit=limit,
        )
        return {
            "memories": [from_outside(memory_record(m)) for m in page.memories],
            "cursor": self._sealed(page.cursor, "memories"),
            **damage_record(page.damaged),
        }

    @verb(Scope.READ)
    def history(self, memory_id: str) -> Record:
        memory = self._existing(memory_id)
        told = history_record(
            self._engine.history(memory.id),
            self._engine.succession(memory.id),
            memory_id=memory.id,
        )
        return {
            "memory": from_outside(told["memory"]),
            "history": [from_outside(one) for one in told["history"]],
            "succession": [from_outside(one) for one in told["succession"]],
        }

    @verb(Scope.READ)
    def spaces(self) -> Records:
        return [info._asdict() for info in self._engine.spaces() if self.caller.may_see(info.name)]

    @verb(Scope.READ)
    def status(self) -> Record:
        """Of what the caller may see: no other space is counted."""
        status = self._engine.status()
        spaces = tuple(info for info in status.spaces if self.caller.may_see(info.name))
        reviews = Scope.REVIEW in self.caller.scopes
        waiting = (one for one in status.waiting if reviews and self.caller.may_see(one.space))
        return status_record(
            status._replace(
                memories=sum(info.memories for info in spaces),
                pending=sum(info.pending for info in spaces),
                spaces=spaces,
                waiting=tuple(waiting),
                notes=self._noted_of(status) if self.sees_all else (),
                hot=self._hot(status.hot),
            )
        )

    @verb(Scope.READ)
    def who(self) -> Record:
        """Who the caller is here, and what it may do."""
        mine = self.caller.spaces
        return {
            "name": self.caller.name,
            "scopes": sorted(scope.value for scope in self.caller.scopes),
            "spaces": None if mine is None else list(mine),
        }

    # Events

    @verb(Scope.READ)
    def events(
        self, *, after: int = 0, kinds: Collection[str] | None = None, limit: int = 100
    ) -> Record:
        found = self._engine.events.since(
            after, spaces=self.caller.spaces, kinds=kinds, limit=limit
        )
        return {
            "events": [event_record(event) for event in found],
            "last": found[-1].id if found else after,
        }

    @verb(Scope.READ)
    def follow(
        self, *, after: int | None = None, kinds: Collection[str] | None = None
    ) -> AsyncFollower:
        """The same as they happen, for an event loop; None: from now on."""
        return self._engine.events.async_follow(after, spaces=self.caller.spaces, kinds=kinds)

    # Care

    @verb(Scope.READ)
    def presets(self) -> Records:
        return [preset_record(preset) for preset in PRESETS.values()]

    @verb(Scope.ADMIN, audited="doctor", whole=True)
    def doctor(self) -> Records:
        found = list(self._engine.doctor())
        for trouble in self._troubles_beside():
            if all(trouble != check.finding for check in found):
                fix = "do what is said there; the processes that answer questions then go on"
                found.append(Check("processes that answer", False, trouble, fix))
        if self.caller.tenant != DEFAULT_TENANT:
            store = self._engine.status().store
            said = partial(self._placeless, store)
            found = [Check(said(c.part), c.ok, said(c.finding), said(c.fix)) for c in found]
        return [check._asdict() for check in found]

    @verb(Scope.ADMIN, audited="reindex", whole=True)
    def reindex(self, *, force: bool = False) -> Record:
        return {"embedded": self._engine.reindex(force=force)}

    @verb(Scope.ADMIN, audited="export")
    def export(
        self, *, spaces: SpaceNames | None = None, damaged: builtins.list[str] | None = None
    ) -> Iterator[Record]:
        """Yield records. With a list `damaged`, name there at once the memories that are left out;
        without one, raise StoreCorrupt after the last."""
        names = self.caller.spaces if spaces is None else self._spaces(spaces)
        if names is not None:
            there = {info.name for info in self._engine.spaces()}
            missing = [name for name in names if name not in there]
            if missing and spaces is not None:
                raise unknown_space(missing[0], there)  # now, not when the first is asked for
            names = tuple(name for name in names if name in there)
            if not names:
                return iter(())
        if damaged is None:
            return self._engine.export(spaces=names)
        damaged += unreadable(self._engine.store, names)
        return self._engine.export(spaces=names, damaged=[])

    @verb(Scope.ADMIN, audited="import", whole=True)
    def import_many(self, records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
        """Takes provenance and counters over as they are: for whoever runs the server."""
        return dict(self._engine.import_many(records))

    @verb(Scope.ADMIN)
    def settings(self, space: str | None = None) -> Record:
        """What holds for the tenant (or in one space) of what can be set here, and who says so."""
        if space is None and not self.sees_all:
            space = self._space(None)
        return self._in_force(None if space is None else self._space(space))

    @verb(Scope.ADMIN, audited="set_setting")
    def set_setting(self, name: str, value: object, *, space: str | None = None) -> Record:
        """For the tenant or one space; a value of None takes back what was set."""
        if space is not None:
            space = self._space(space)
        elif not self.sees_all:
            raise Forbidden("this key sees some spaces only; name the space to set this for")
        try:
            self._engine.set_override(name, value, space=space)
        except SettingsError as e:  # here it is the caller's to mend, not the server's
            raise InvalidInput(str(e)) from None
        return self._in_force(space)

    # What is the caller's

    def _noted_of(self, status: EngineStatus) -> tuple[str, ...]:
        notes = tuple(dict.fromkeys((*status.notes, *self._troubles_beside())))
        if self.caller.tenant == DEFAULT_TENANT:
            return notes
        return tuple(self._placeless(status.store, note) for note in notes)

    def _placeless(self, store: str, told: str) -> str:
        beside = self._engine.store
        engines = beside.engines() if isinstance(beside, HasParts) else ()
        return without_places(told, store, engines)

    def _troubles_beside(self) -> tuple[str, ...]:
        """What fails in processes beside this one, which look after what their questions need."""
        if self._answerers is None:
            return ()
        return self._answerers.troubles(self.caller.tenant)

    def _hot(self, line: str) -> str:
        """Where Redis is concerns whoever runs the server, not its other tenants."""
        if not self.sees_all:
            return ""
        return line if self.caller.tenant == DEFAULT_TENANT else without_place(line)

    def _in_force(self, space: str | None) -> Record:
        found = self._engine.overrides.in_force(space)
        return {
            "space": space,
            "settings": {setting: force._asdict() for setting, force in found.items()},
        }

    def _asked(
        self, text: str, spaces: SpaceNames | None, options: Mapping[str, Any]
    ) -> Recollection:
        return self._engine.recall(text, spaces=self._spaces(spaces), **_known(options))


def _known(options: Mapping[str, Any]) -> Record:
    unknown = sorted(options.keys() - _ASKABLE)
    if unknown:
        raise InvalidInput(
            f"there is no option {unknown[0]!r}; known: {', '.join(sorted(_ASKABLE))}"
        )
    known = {name: value for name, value in options.items() if value is not None}
    return known if "where" not in known else {**known, "where": not_by_path(known["where"])}
