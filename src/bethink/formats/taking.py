"""What a reader of a format says, and what all of them share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from bethink.clock import parse_moment
from bethink.errors import InvalidInput
from bethink.remember.ingress import ROLES


class Taken(NamedTuple):
    """A memory to be. Without an id among its fields it gets one made of `key`, so that taking the
    same source twice adds nothing."""

    fields: dict[str, Any]
    place: str  # where it was read: a file, a line
    key: tuple[str, ...] = ()
    owner: str = ""  # whose it is in the source: a user, a namespace, a space


class Failed(NamedTuple):
    place: str
    why: str


class LeftOut(NamedTuple):
    """Something that is no memory, or not of this format; counted by what it is."""

    what: str


Item: TypeAlias = Taken | Failed | LeftOut
Items: TypeAlias = Iterator[Item]


class Again:
    """Numbers things that are the same, so that "yes" said twice is two memories, and the same two
    when it is read again."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, ...]] = Counter()

    def key(self, *parts: str) -> tuple[str, ...]:
        self._seen[parts] += 1
        return (*parts, str(self._seen[parts]))


# From here on a number of seconds would lie in the year 5138: it counts milliseconds.
_MILLISECONDS = 100_000_000_000


def moment(value: object) -> datetime | None:
    """A time as others write it: ISO 8601, or seconds or milliseconds since 1970. None: no time
    that can be read; the memory is worth more than its date."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    if isinstance(value, int | float):
        seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, ValueError, OSError):
            return None
    try:
        return parse_moment(str(value), name="time")
    except InvalidInput:
        return None


def told(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, ())}


def said_by(*, speaker: object, role: object, conversation: object) -> dict[str, str]:
    """Who said it, as metadata; what is unknown is left out, and what is too long is cut."""
    given = {
        "speaker": _one_line(speaker, 128),
        "role": role if isinstance(role, str) and role in ROLES else "",
        "conversation": _one_line(conversation, 512),
    }
    return {name: value for name, value in given.items() if value}


def _one_line(value: object, limit: int) -> str:
    return " ".join(value.split())[:limit].rstrip() if isinstance(value, str) else ""


def times(created: object, updated: object = None) -> dict[str, Any]:
    first, last = moment(created), moment(updated)
    if first is None:
        first, last = last, None
    return told({"created_at": first, "updated_at": last or first})


def labels(value: object) -> list[str]:
    """Tags as others write them: a list, or one text with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        return []
    cleaned = (str(item).strip() for item in value if isinstance(item, str | int | float))
    return list(dict.fromkeys(label[:128] for label in cleaned if label))
