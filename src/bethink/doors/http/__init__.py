"""REST, live events and the page: an HTTP server in front of the desk. It translates, and decides
nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "create_app",
]

if TYPE_CHECKING:
    from bethink.doors.http.app import create_app
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.doors.http.app": "create_app",
        },
        extras={"bethink.doors.http.app": "server"},
    )
