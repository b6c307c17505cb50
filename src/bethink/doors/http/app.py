"""The application: routes behind a guard. From the outside in: who may ask at all (`guard`), how
long it took (`metrics`), how much and how long (`limits`), whose key it is (`callers`), then the
routes."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware

import bethink
from bethink.access.reception import Reception
from bethink.doors.http import (
    care,
    documents,
    events,
    faq,
    knowledge,
    live,
    memories,
    recalls,
    stories,
    tiers,
    transfers,
)
from bethink.doors.http.api_page import add_api_page
from bethink.doors.http.callers import Doorkeeper
from bethink.doors.http.description import ABOUT, add_description
from bethink.doors.http.endings import Endings, EndingStreams
from bethink.doors.http.guard import Guard
from bethink.doors.http.limits import MOST_BYTES, MOST_DOCUMENT_BYTES, MOST_SECONDS, Limits
from bethink.doors.http.live import GREETING_SECONDS
from bethink.doors.http.metrics import Measured, Metrics
from bethink.doors.http.paths import EncodedSlashes
from bethink.doors.http.problems import add_problems
from bethink.doors.http.serving import is_loopback, names_of
from bethink.doors.http.uploads import Uploads
from bethink.doors.http.waiting import AT_ONCE
from bethink.doors.http.watching import LOOK_SECONDS, Watchers
from bethink.doors.mcp.mounting import mount_mcp
from bethink.doors.web.serving import mount_page
from bethink.engine import Engine
from bethink.errors import InvalidInput
from bethink.settings import Settings, here

_PARTS = (
    recalls, memories, knowledge, documents, faq, stories, tiers, events, live, transfers, care,
)  # fmt: skip
_LOOKING = 2  # at the store, for who asks whether we are ready: they wait for no question


def create_app(
    memory: Engine | Settings | str | os.PathLike[str] | Reception | None = None,
    *,
    allowed_hosts: Collection[str] = (),
    how_to_allow: str = "add it with create_app(…, allowed_hosts=[NAME])",
    most_bytes: int = MOST_BYTES,
    most_document_bytes: int = MOST_DOCUMENT_BYTES,
    most_seconds: float = MOST_SECONDS,
    look_seconds: float = LOOK_SECONDS,
    greeting_seconds: float = GREETING_SECONDS,
) -> FastAPI:
    """Make the ASGI application: REST under /v1, live events, MCP under /mcp and the page.

    `memory` is an engine, which stays open when the application ends, or what one is opened from:
    a path, settings, or nothing for the store that the settings name. Until a key is made
    (`app.state.reception.create_key`), whoever reaches it may do everything; so it answers to the
    names of this machine alone, and to test clients in this process. `allowed_hosts` are further
    names; with one of them every request needs a key. A `Reception` decides all that itself.

    A reception is closed with the application. Whoever runs it calls `app.state.endings.begin`
    before it waits for requests to end.
    """
    names = [allowed_hosts] if isinstance(allowed_hosts, str) else list(allowed_hosts)
    reception = _reception_of(memory, names)
    hosts = names_of("localhost", names)
    metrics, endings = Metrics(), Endings()
    app = FastAPI(
        title="Bethink",
        version=bethink.__version__,
        description=ABOUT,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            Middleware(Guard, hosts=hosts, how_to_allow=how_to_allow),
            Middleware(Measured, metrics=metrics),
            Middleware(
                Limits,
                most_bytes=most_bytes,
                most_document_bytes=most_document_bytes,
                most_seconds=most_seconds,
            ),
            Middleware(EndingStreams, endings=endings),
            Middleware(EncodedSlashes),
            Middleware(Doorkeeper, reception=reception),
        ],
    )
    app.state.reception = reception
    app.state.metrics = metrics
    app.state.watchers = Watchers(reception, metrics, look_seconds=look_seconds)
    app.state.greeting_seconds = greeting_seconds
    app.state.endings = endings
    app.state.uploads = Uploads(most_document_bytes)
    app.state.looking = anyio.CapacityLimiter(_LOOKING)
    app.state.waiting = anyio.CapacityLimiter(AT_ONCE)
    add_problems(app)
    for part in _PARTS:
        app.router.routes.extend(part.router.routes)
    add_description(app)
    add_api_page(app)
    mount_page(app)
    mount_mcp(app, reception, most_bytes=most_bytes)
    return app


def _reception_of(
    memory: Engine | Settings | str | os.PathLike[str] | Reception | None,
    names: list[str],
) -> Reception:
    if isinstance(memory, Reception):
        return memory
    is_open = all(is_loopback(name) for name in names)
    if isinstance(memory, Engine):
        return Reception.for_engine(memory, open_until_keys=is_open)
    if isinstance(memory, Settings):
        settings = memory
    elif memory is None or isinstance(memory, str | os.PathLike):
        settings = here()
        if memory is not None:
            settings = replace(settings, store=os.fspath(memory))
    else:
        raise InvalidInput(
            "create_app takes an Engine, a path, Settings or a Reception, got "
            f"{type(memory).__name__}"
        )
    return Reception(settings, open_until_keys=is_open)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await run_in_threadpool(app.state.reception.close)
