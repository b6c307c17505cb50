"""How the server is doing, and what only its keepers may do."""

from __future__ import annotations

import anyio.to_thread
from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from bethink.doors.http.answers import Forgotten
from bethink.doors.http.answers_of_care import (
    Alive,
    CallerAnswer,
    Checks,
    Presets,
    Ready,
    Reindexed,
    Settings,
    Spaces,
    StatusAnswer,
    Version,
)
from bethink.doors.http.bodies import Reindexing, Setting
from bethink.doors.http.callers import NUMBERS, at_desk, caller_of, reception_of
from bethink.doors.http.metrics import metrics_of
from bethink.doors.http.problems import problem
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.waiting import may_wait
from bethink.doors.http.writes import IdempotencyKey, write
from bethink.errors import BethinkError
from bethink.server_log import FAULTS

router = routes("care")


@router.get("/health/live", summary="Alive", response_model=Alive)
async def live() -> Response:
    """The process answers. No key is needed."""
    return reply({"status": "alive"})


@router.get("/health/ready", summary="Ready", response_model=Ready)
async def ready(request: Request) -> Response:
    """The store can be read; without that, nothing else works. No key is needed."""
    try:
        # on threads of its own: a busy server is ready, and is not restarted for being busy
        limiter = request.app.state.looking
        await anyio.to_thread.run_sync(reception_of(request).look, limiter=limiter)
    except BethinkError as e:
        FAULTS.say(f"not ready: {e}")
        return problem(
            503, "the store cannot be read; the server's log says why", code=e.code
        )  # who asks may be anybody: no paths
    return reply({"status": "ready"})


@router.get("/version", summary="Version", response_model=Version)
async def version(request: Request) -> Response:
    """No key is needed."""
    return reply({"name": "bethink", "version": request.app.version})


@router.get(
    NUMBERS,
    summary="Metrics",
    response_class=PlainTextResponse,
    responses={200: {"description": "In Prometheus' text format"}},
)
def metrics(request: Request) -> Response:
    """For Prometheus. They are of the whole server: where keys are, one of the tenant `default`
    is needed that may read and sees every space. While the store cannot be asked, one that held
    within the last hour is let in here, and only here."""
    reception = reception_of(request)
    reception.see_numbers(caller_of(request))
    hot = reception.hot_numbers()  # first: asking shows who is there
    workers = 0 if reception.answerers is None else reception.answerers.alive
    return metrics_of(request).page(hot, workers=workers)


@router.get("/v1/status", summary="Status", response_model=StatusAnswer)
def status(request: Request) -> Response:
    """How much there is, which embedder, and what waits."""
    with at_desk(request) as desk:
        return reply(desk.status())


@router.get("/v1/caller", summary="Who you are here", response_model=CallerAnswer)
def caller(request: Request) -> Response:
    """What your key may do. A page shows by it what can be done."""
    with at_desk(request) as desk:
        return reply(desk.who())


@router.get("/v1/spaces", summary="Spaces", response_model=Spaces)
def spaces(request: Request) -> Response:
    """The spaces that you see, with what they hold."""
    with at_desk(request) as desk:
        return reply({"spaces": desk.spaces()})


@router.delete("/v1/spaces/{space:name}", summary="Forget a space", response_model=Forgotten)
def forget_space(request: Request, space: str, key: IdempotencyKey = None) -> Response:
    """Erase a space with all that it holds. A slash in its name is sent as `%2F`."""
    return write(request, lambda desk: desk.forget_space(space), key=key, asked=space)


@router.get("/v1/presets", summary="Presets", response_model=Presets)
def presets(request: Request) -> Response:
    """Ways to ask, each with its stages in order."""
    with at_desk(request) as desk:
        return reply({"presets": desk.presets()})


@router.get("/v1/settings", summary="Settings", response_model=Settings)
def settings(request: Request, space: str | None = None) -> Response:
    """What holds for you, or for one space, and where it is set."""
    with at_desk(request) as desk:
        return reply(desk.settings(space))


@router.put("/v1/settings", summary="Set", response_model=Settings)
def set_setting(request: Request, body: Setting, key: IdempotencyKey = None) -> Response:
    """Set something for you, or for one space; the answer is what holds now."""
    return write(
        request,
        lambda desk: desk.set_setting(body.name, body.value, space=body.space),
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.get("/v1/doctor", summary="Doctor", response_model=Checks)
@may_wait()
def doctor(request: Request) -> Response:
    """Every part checked thoroughly; each fault with its fix."""
    with at_desk(request) as desk:
        return reply({"checks": desk.doctor()})


@router.post("/v1/reindex", summary="Reindex", response_model=Reindexed)
@may_wait()
def reindex(request: Request, body: Reindexing, key: IdempotencyKey = None) -> Response:
    """Fill in missing vectors, or change over to another embedder."""
    return write(
        request,
        lambda desk: desk.reindex(force=body.force),
        key=key,
        asked=body.given(),
        repeatable=True,
    )
