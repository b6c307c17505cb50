"""The application: routes behind a guard. From the outside in: who may ask at all (`guard`), how
long it took (`metrics`), how much and how long (`limits`), whose key it is (`callers`), then the
routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

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
from bethink.doors.http.serving import LOOPBACK
from bethink.doors.http.uploads import Uploads
from bethink.doors.http.waiting import AT_ONCE
from bethink.doors.http.watching import LOOK_SECONDS, Watchers
from bethink.doors.mcp.mounting import mount_mcp
from bethink.doors.web.serving import mount_page

_PARTS = (
    recalls, memories, knowledge, documents, faq, stories, tiers, events, live, transfers, care,
)  # fmt: skip
_LOOKING = 2  # at the store, for who asks whether we are ready: they wait for no question


def create_app(
    reception: Reception,
    *,
    hosts: Collection[str] = LOOPBACK,
    most_bytes: int = MOST_BYTES,
    most_document_bytes: int = MOST_DOCUMENT_BYTES,
    most_seconds: float = MOST_SECONDS,
    look_seconds: float = LOOK_SECONDS,
    greeting_seconds: float = GREETING_SECONDS,
) -> FastAPI:
    """The reception is closed with the application. Whoever runs it calls `app.state.endings.begin`
    before it waits for requests to end."""
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
            Middleware(Guard, hosts=hosts),
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


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await run_in_threadpool(app.state.reception.close)
