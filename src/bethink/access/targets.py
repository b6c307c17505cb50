"""Which ids a deed was about, for the audit trail. Only ids: a caller may send a text where an id
is expected, and no text is ever noted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bethink.checks import is_id

_MADE_HERE = r"[0-9a-f]{6,32}(-[0-9a-f]{6,32}){0,4}"


def first_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What a verb was called with first: it is what the verb is about."""
    return args[0] if args else next(iter(kwargs.values()), None)


def asked_for(first: Any, *, known: bool = True) -> list[str]:
    """The ids among that. Not `known` to be any (the deed failed), only those are taken that look
    like the ones we make. Of what is told the receipt has the id."""
    found: list[str] = []
    if isinstance(first, str):
        found = [first]
    elif isinstance(first, Sequence):
        found = [one for one in first if isinstance(one, str)]
    return [one for one in found if (known and is_id(one)) or re.fullmatch(_MADE_HERE, one)]


def ids_in(answer: object) -> list[str]:
    """The ids in an answer of a desk."""
    if isinstance(answer, Mapping):
        return [answer["id"]] if isinstance(answer.get("id"), str) else []
    if isinstance(answer, list):
        return [found for one in answer for found in ids_in(one)]
    return []
