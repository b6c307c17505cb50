"""Writes, which are done once however often they are sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from fastapi import Header, Request
from starlette.responses import Response

from bethink.access.desk import Desk
from bethink.access.repeats import derived_id
from bethink.doors.http.callers import at_desk, caller_of, reception_of
from bethink.doors.http.replies import reply

IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Sent again with the same key, a write is not done again: the answer is that "
        "of the first, with the header `Idempotency-Replayed`. Kept for a day.",
        examples=["3f1c9a52-8c1e-4b0e-9d53-2f6f8a9f6d10"],
    ),
]


def write(
    request: Request,
    do: Callable[[Desk], Any],
    *,
    key: str | None,
    asked: object,
    repeatable: bool = False,
    status: int = 200,
) -> Response:
    """Do something once, and answer. `asked` is all that makes two requests the same, beside the
    route; `repeatable`: doing it twice is doing it once."""
    with at_desk(request) as desk:
        if key is None:
            return reply(do(desk), status)
        answer, replayed = reception_of(request).idempotent(
            caller_of(request),
            key,
            _fingerprint(request, asked),
            lambda: do(desk),
            repeatable=repeatable,
        )
        return reply(answer, status, headers={"Idempotency-Replayed": "true"} if replayed else {})


def own_id(request: Request, key: str | None) -> str | None:
    """An id that the same request gets again, so that it can be repeated after a crash."""
    return None if key is None else derived_id(caller_of(request), key)


def _fingerprint(request: Request, asked: object) -> str:
    """Of what is asked, however its JSON was laid out."""
    told = [request.method, request.scope["route"].path, asked]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
