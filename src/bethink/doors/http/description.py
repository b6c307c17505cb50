"""The OpenAPI description: made by FastAPI from the routes, and completed here with what it cannot
know: that every route but a few needs a key, and how errors look."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from bethink.doors.http.answers import Problem
from bethink.doors.http.callers import is_open

ABOUT = """\
A memory for AI agents. Send your key as `Authorization: Bearer bk_…`; which tenant and which spaces
you see comes from the key alone. Errors are problem details (`application/problem+json`) that say
what happened and what to do. Every write takes an `Idempotency-Key`. Lists come in pages: send the
`cursor` of one to get the next. A slash in an id or in a space's name is sent as `%2F`.

Live events over a WebSocket are at `/ws/events`: see the guide for a team server.
"""
_TAGS = {
    "recall": "Asking.",
    "memories": "Telling, looking, changing, forgetting.",
    "stories": "Scenes, casts, states and threads; the context of the next scene.",
    "knowledge": "Documents and frequent questions in, cited passages and answers out.",
    "tiers": "What is offered, what was decided, and deciding.",
    "events": "What happens, kept and live.",
    "care": "How the server is doing, and what only its keepers may do.",
}
_BEARER = "key"


def add_description(app: FastAPI) -> None:
    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(
                get_openapi(
                    title=app.title,
                    version=app.version,
                    description=app.description,
                    routes=app.routes,
                    tags=[{"name": name, "description": said} for name, said in _TAGS.items()],
                )
            )
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]  # FastAPI's documented way


def _completed(schema: dict[str, Any]) -> dict[str, Any]:
    parts = schema["components"]
    parts["schemas"][Problem.__name__] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["securitySchemes"] = {_BEARER: {"type": "http", "scheme": "bearer"}}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            if is_open(path):
                operation["responses"] = {
                    status: answer
                    for status, answer in operation["responses"].items()
                    if status in ("200", "503")
                }
            else:
                operation["security"] = [{_BEARER: []}]
    return schema
