"""What stands between a caller and an engine: scopes, the spaces that are the caller's, what is
noted of it, and what an error may say.

A caller who sees some spaces only must not learn of others: not their names, ids, numbers or that
they are there. Every verb of a desk passes here (`verb`), so that a new one cannot forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from bethink.access.caller import Caller, Scope
from bethink.access.cursors import Cursors
from bethink.access.targets import asked_for, first_of, ids_in
from bethink.checks import is_id, shown
from bethink.errors import (
    BethinkError,
    Conflict,
    Forbidden,
    InvalidInput,
    StoreCorrupt,
    StoreError,
    UnknownSpace,
    no_such_memory,
    unknown_space,
)
from bethink.recall.asking import space_names
from bethink.remember.transfer import receipt_record
from bethink.vocabulary import Memory, Receipt, SpaceNames

if TYPE_CHECKING:
    from bethink.access.answerers import Answerers
    from bethink.access.audit import Audit
    from bethink.engine import Engine

Record: TypeAlias = dict[str, Any]
Records: TypeAlias = list[Record]

OWN = "~"  # between a space and an id of its own; no name of a space holds it
_OURS = frozenset({"provenance", "reinforcement", "access_count", "created_at", "updated_at"})


class Wall:
    def __init__(
        self,
        engine: Engine,
        caller: Caller,
        *,
        audit: Audit | None = None,
        cursors: Cursors | None = None,
        answerers: Answerers | None = None,
    ) -> None:
        self._engine = engine
        self.caller = caller
        self._audit = audit
        self._cursors = cursors or Cursors()
        self._answerers = answerers

    @property
    def sees_all(self) -> bool:
        """Every space of its tenant."""
        return self.caller.spaces is None

    # Where

    def _spaces(self, spaces: SpaceNames | None) -> tuple[str, ...]:
        """The spaces that are meant. One that the caller may not see does not exist."""
        mine = self.caller.spaces
        if spaces is None:
            default = self._engine.settings.space
            if mine is None or default in mine:
                return (default,)
            there = {info.name for info in self._engine.spaces()}
            return tuple(name for name in mine if name in there) or mine
        names = space_names(spaces, self._engine.settings)
        for name in names:
            if not self.caller.may_see(name):
                raise unknown_space(name, mine or ())
        return names

    def _space(self, space: str | None) -> str:
        """The one space that is meant."""
        mine, default = self.caller.spaces, self._engine.settings.space
        if space is not None and space != "":
            return self._spaces([space])[0]
        if mine is None or default in mine:
            return default
        if len(mine) > 1:
            raise InvalidInput(f"which space? this key sees: {', '.join(mine)}")
        return mine[0]

    # Which

    def _existing(self, memory_id: str) -> Memory:
        for one in self._forms(memory_id):
            try:
                memory = self._engine.get(one)
            except StoreCorrupt:  # say so only if it is damaged in a space that the caller sees
                if self.caller.spaces is None:
                    raise
                memory = None
                for space in self.caller.spaces:
                    memory = memory or self._engine.get(one, space=space)
            if memory is not None and self.caller.may_see(memory.space):
                return memory
        raise no_such_memory(memory_id)

    def _offer_id(self, offer_id: str) -> str:
        """As it is kept; as it was given, where there is none."""
        for one in self._forms(offer_id):
            if self._engine.tiers.get(one, spaces=self.caller.spaces) is not None:
                return one
        return offer_id

    def _offer_ids(self, ids: str | Sequence[str]) -> list[str]:
        if isinstance(ids, str):
            return [self._offer_id(ids)]
        return [self._offer_id(one) if isinstance(one, str) else one for one in ids]

    def _forms(self, given: str) -> list[str]:
        """What an id may be kept as. One that was chosen by a caller who sees some spaces only is
        kept below its space (see `_kept_id`)."""
        if self.caller.spaces is None or not isinstance(given, str) or not is_id(given):
            return [given]
        return [given, *(f"{space}{OWN}{given}" for space in self.caller.spaces)]

    def _kept_id(self, given: object, space: str) -> object:
        """Ids are unique in a store. Were one free to choose any, "that one is taken" would tell
        what there is in other spaces, and one could take ids that others will want."""
        if not isinstance(given, str) or not given:
            return given
        if self.caller.spaces is None:
            named, own, _ = given.partition(OWN)
            if own and named != space and self._engine_has(named):
                raise InvalidInput(
                    f"an id that begins with {named}{OWN} is for that space; choose another"
                )
            return given
        return given if given.startswith(f"{space}{OWN}") else f"{space}{OWN}{given}"

    def _engine_has(self, space: str) -> bool:
        return any(info.name == space for info in self._engine.spaces())

    # What is answered

    def _receipt(self, receipt: Receipt) -> Record:
        """Its notes may quote what was known before, so they are for those who may read."""
        return receipt_record(self._shown(receipt))

    def _shown(self, receipt: Receipt) -> Receipt:
        return receipt if Scope.READ in self.caller.scopes else receipt._replace(notes=())

    # What is told

    def _told(self, told: Mapping[str, Any]) -> Record:
        """The fields, in a space that is the caller's."""
        if not isinstance(told, Mapping):
            raise InvalidInput(f"expected an object with a 'text', got {type(told).__name__}")
        refuse_ours(told)
        space = self._space(told.get("space"))
        given = {name: value for name, value in told.items() if value is not None}
        if given.get("id"):
            given["id"] = self._kept_id(given["id"], space)
        return {**given, "space": space}

    # Pages

    def _opened(self, cursor: str | None, list_of: str) -> str | None:
        if cursor is None or self.sees_all or not isinstance(cursor, str):
            return cursor
        return self._cursors.open(cursor, context=self._context(list_of))

    def _sealed(self, cursor: str | None, list_of: str) -> str | None:
        if cursor is None or self.sees_all:
            return cursor
        return self._cursors.seal(cursor, context=self._context(list_of))

    def _context(self, list_of: str) -> str:
        return "\n".join((self.caller.tenant, list_of, *(self.caller.spaces or ())))

    # What is noted, and what is said

    def _note(self, action: str, outcome: str, targets: Sequence[str]) -> None:
        if self._audit is not None:
            self._audit.note(action, caller=self.caller, targets=targets, outcome=outcome)

    def _sayable(self, error: BethinkError) -> BethinkError:
        """The error as this caller may see it."""
        if self.caller.spaces is None or isinstance(error, StoreError):
            return (
                error  # over a network it is put otherwise; who else is there cannot be asked now
            )
        if isinstance(error, UnknownSpace):
            return UnknownSpace(
                f"there is no such space yet; this key sees: {', '.join(self.caller.spaces)}. "
                "A space comes to be when something is remembered in it"
            )
        hidden = (i.name for i in self._engine.spaces() if not self.caller.may_see(i.name))
        said = str(error)
        if not any(repr(name) in said for name in hidden):
            return error
        if isinstance(error, Conflict):
            return Conflict("this id cannot be had; choose another, or leave it out")
        return InvalidInput("this cannot be done with what this key sees")


Verb = TypeVar("Verb", bound=Callable[..., Any])


def verb(
    scope: Scope,
    *,
    audited: str = "",
    whole: bool = False,
    beside: bool = False,
    but_with: str = "",
    about: Callable[[Any], list[str]] | None = None,
) -> Callable[[Verb], Verb]:
    """What a caller may do at a desk, with this scope; `audited` under this name, which all that
    changes something is. `whole`: only who
    sees every space may do it. `beside`: it takes long and writes nothing that matters if it is
    done twice, so another process may do it; `but_with` this argument it waits for somebody else,
    which can be done here. `about` names what a first argument that is no id stands for."""

    def made(method: Verb) -> Verb:
        name = audited or method.__name__

        @wraps(method)
        def called(desk: Wall, /, *args: Any, **kwargs: Any) -> Any:
            try:
                desk.caller.needs(scope)
                if whole and not desk.sees_all:
                    raise Forbidden(
                        "this concerns every space, and this key sees some only; ask whoever runs "
                        "the server for one without --space"
                    )
                if audited and desk._audit is not None:
                    desk._audit.ready()
                if beside and desk._answerers is not None and not kwargs.get(but_with):
                    answer = desk._answerers.ask(desk.caller, method.__name__, args, kwargs)
                else:
                    answer = method(desk, *args, **kwargs)
            except BethinkError as e:
                if not audited and isinstance(e, StoreError):
                    e.unsure = False  # it only reads
                if audited or isinstance(e, Forbidden):
                    desk._note(name, e.code, asked_for(first_of(args, kwargs), known=False))
                told = desk._sayable(e)
                if told is e:
                    raise
                raise told from None
            except Exception:
                if audited:
                    desk._note(name, "failed", asked_for(first_of(args, kwargs), known=False))
                raise
            if audited:
                asked = (about or asked_for)(first_of(args, kwargs))
                desk._note(name, "done", list(dict.fromkeys([*asked, *ids_in(answer)])))
            return answer

        return cast(Verb, called)

    return made


def refuse_ours(told: Mapping[str, Any]) -> None:
    claimed = sorted(name for name in told.keys() & _OURS if told[name] not in (None, "", {}))
    if claimed:
        raise InvalidInput(f"{claimed[0]} is set here and cannot be told; leave it out")


def fields_of(told: Mapping[str, Any], *, not_among: tuple[str, ...]) -> Record:
    """Fields to be given on by name; what is an argument of its own is no field."""
    for name in told:
        if not isinstance(name, str) or name in ("self", *not_among):
            raise InvalidInput(f"there is no field {shown(name)}; leave it out")
    return dict(told)
