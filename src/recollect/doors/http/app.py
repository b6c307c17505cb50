"""The application: routes behind a guard. From the outside in: who may ask at all (`guard`), how
long it took (`metrics`), whose key it is (`callers`), then the routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware

import recollect
from recollect.access.reception import Reception
from recollect.doors.http import care, events, memories, recalls, tiers
from recollect.doors.http.callers import Doorkeeper
from recollect.doors.http.guard import LOOPBACK, MOST_BYTES, Guard
from recollect.doors.http.metrics import Measured, Metrics
from recollect.doors.http.problems import add_problems
from recollect.doors.web.serving import mount_page

_ABOUT = """\
A memory for AI agents. Send your key as `Authorization: Bearer rk_…`; which tenant and which spaces
you see comes from the key alone. Errors are problem details (`application/problem+json`) that say
what happened and what to do.
"""


def create_app(
    reception: Reception,
    *,
    hosts: Collection[str] = LOOPBACK,
    most_bytes: int = MOST_BYTES,
) -> FastAPI:
    """The reception is closed with the application."""
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(reception.close)

    app = FastAPI(
        title="Recollect",
        version=recollect.__version__,
        description=_ABOUT,
        lifespan=lifespan,
        redoc_url=None,
        middleware=[
            Middleware(Guard, hosts=hosts, most_bytes=most_bytes),
            Middleware(Measured, metrics=metrics),
            Middleware(Doorkeeper, reception=reception),
        ],
    )
    app.state.reception = reception
    app.state.metrics = metrics
    add_problems(app)
    for part in (recalls, memories, tiers, events, care):
        app.include_router(part.router)
    mount_page(app)
    return app
