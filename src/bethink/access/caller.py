"""Who calls, as the credential says it; never as a body, a header or a path says it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bethink.errors import Forbidden, InvalidInput
from bethink.vocabulary import Principal


class Scope(StrEnum):
    READ = "read"  # recall, get, list, status, events
    OFFER = "offer"  # into quarantine, and no further
    WRITE = "write"  # remember, revise, reinforce, forget; offer too
    REVIEW = "review"  # see quarantine, promote, reject, undo, roll back
    ADMIN = "admin"  # everything, with settings, import, export and repairs


_IMPLIED = {
    Scope.WRITE: {Scope.OFFER},
    Scope.ADMIN: set(Scope),
}


def scopes_of(names: Iterable[str]) -> frozenset[Scope]:
    """The scopes of these names with all that they imply."""
    found: set[Scope] = set()
    for name in names:
        try:
            scope = Scope(name)
        except ValueError:
            known = ", ".join(scope.value for scope in Scope)
            raise InvalidInput(f"there is no scope {name!r}; known: {known}") from None
        found |= {scope} | _IMPLIED.get(scope, set())
    if not found:
        raise InvalidInput("a key needs at least one scope")
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    tenant: str
    name: str
    scopes: frozenset[Scope]
    door: str
    spaces: tuple[str, ...] | None = None  # None: every space of the tenant
    key_id: str = ""  # empty where no key is asked for: on this machine only
    trusted: bool = False
    per_minute: int | None = None  # requests; None: as the server says

    @property
    def principal(self) -> Principal:
        return Principal(self.name, self.door, self.trusted)

    def needs(self, scope: Scope) -> None:
        if scope not in self.scopes:
            raise Forbidden(
                f"this key has no scope {scope.value!r}; ask whoever runs the server for one "
                f"(bethink keys create --scope {scope.value})"
            )

    def may_see(self, space: str) -> bool:
        return self.spaces is None or space in self.spaces
