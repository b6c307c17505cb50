"""From a request to a desk. The key is looked at before anything is read: whoever has none costs
the server next to nothing. Every path asks for one, but for those that are listed as open; a new
route is closed unless somebody opens it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

from fastapi import Header, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.access.caller import Caller
from recollect.access.desk import Desk
from recollect.access.reception import Reception
from recollect.access.repeats import derived_id
from recollect.doors.http.problems import of_error
from recollect.errors import Forbidden, RecollectError, Unauthorised

DOOR = "http"
OPEN = ("/health/live", "/health/ready", "/version", "/docs", "/openapi.json")
# The page's files, and doors that ask for the key in their own way.
OPEN_BELOW = ("/page/", "/ws/", "/mcp")


class Doorkeeper:
    def __init__(self, app: ASGIApp, *, reception: Reception) -> None:
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_open(scope["path"]):
            try:
                caller = self._caller(Headers(scope=scope).get("authorization"))
            except RecollectError as e:
                await of_error(e)(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = caller
        await self._app(scope, receive, send)

    def _caller(self, authorization: str | None) -> Caller:
        caller = self._reception.caller(key_in(authorization), door=DOOR)
        self._reception.allow(caller)
        return caller


def key_in(authorization: str | None) -> str | None:
    if authorization is None:
        return None
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Unauthorised("send the key as 'Authorization: Bearer rk_...'")
    return key.strip()


def _is_open(path: str) -> bool:
    return path == "/" or path in OPEN or path.startswith(OPEN_BELOW)


IdempotencyKey: TypeAlias = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Sent again with the same key, a write is not done again: the answer is that "
        "of the first. Kept for a day.",
    ),
]


def reception_of(request: Request) -> Reception:
    reception = request.app.state.reception
    assert isinstance(reception, Reception)
    return reception


def caller_of(request: Request) -> Caller:
    caller = request.state.caller
    assert isinstance(caller, Caller)
    return caller


@contextmanager
def at_desk(request: Request) -> Iterator[Desk]:
    """The caller's desk; what it is refused is noted."""
    reception, caller = reception_of(request), caller_of(request)
    try:
        with reception.desk(caller) as desk:
            yield desk
    except Forbidden as e:
        reception.audit.note(_action(request), caller=caller, outcome=e.code)
        raise


def write(
    request: Request,
    do: Callable[[Desk], Any],
    *,
    key: str | None,
    asked: object,
    targets: Sequence[str] = (),
    repeatable: bool = False,
    status: int = 200,
) -> JSONResponse:
    """Do something once, note it, and answer. `asked` is all that makes two requests the same;
    `repeatable`: doing it twice is doing it once."""
    reception, caller = reception_of(request), caller_of(request)
    action = _action(request)
    reception.audit.ready()
    with at_desk(request) as desk:

        def done() -> Any:
            try:
                answer = do(desk)
            except Forbidden:
                raise  # noted by the desk's door
            except RecollectError as e:
                reception.audit.note(action, caller=caller, targets=targets, outcome=e.code)
                raise
            reception.audit.note(action, caller=caller, targets=targets or _ids(answer))
            return answer

        if key is None:
            return JSONResponse(done(), status)
        fingerprint = hashlib.sha256(f"{action}\x1f{asked!r}".encode()).hexdigest()
        answer, replayed = reception.idempotent(
            caller, key, fingerprint, done, repeatable=repeatable
        )
        headers = {"Idempotency-Replayed": "true"} if replayed else None
        return JSONResponse(answer, status, headers)


def own_id(request: Request, key: str | None) -> str | None:
    """An id that the same request gets again, so that it can be repeated after a crash."""
    return None if key is None else derived_id(caller_of(request), key)


def _action(request: Request) -> str:
    route = request.scope.get("route")
    return f"{request.method} {getattr(route, 'path', request.url.path)}"


def _ids(answer: object) -> list[str]:
    if isinstance(answer, dict):
        return [str(answer["id"])] if "id" in answer else []
    if isinstance(answer, list):
        return [one for each in answer for one in _ids(each)]
    return []
