"""The page's files, as any browser may fetch them: they hold nothing of anybody's. What the page
shows it asks for with the user's own key.

A memory's text may have been written by anybody, so the browser is told to run no script but our
files, to load nothing from elsewhere and to take no text for markup.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE = Path(__file__).with_name("page")
# Written last when the libraries are brought in (hatch_build.py): without it some may be missing.
_LIBRARIES = Path("vendor", "pins.json")
_POLICY = "; ".join((
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
))  # fmt: skip
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",  # kept, and asked whether it changed: an update shows at once
}


def mount_page(app: FastAPI, *, folder: Path = PAGE) -> None:
    async def front(request: Request) -> Response:
        whole = (folder / _LIBRARIES).is_file()
        return FileResponse(
            folder / ("index.html" if whole else "missing.html"), 200 if whole else 503, _HEADERS
        )

    app.add_route("/", front, methods=["GET", "HEAD"], include_in_schema=False)
    app.mount("/page", _Guarded(StaticFiles(directory=folder)), name="page")


class _Guarded:
    """Every file says what a browser may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "files only"})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, guarded)
