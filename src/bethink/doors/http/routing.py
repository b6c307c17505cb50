"""What all routes share: how they answer when something is wrong, and that nothing in a request is
passed over in silence."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.convertors import register_url_convertor
from starlette.responses import Response

from bethink.doors.http.answers import Problem
from bethink.doors.http.paths import PartOfPath, WholeName
from bethink.doors.http.problems import MEDIA_TYPE
from bethink.errors import InvalidInput

register_url_convertor("name", WholeName())  # as in /memories/{memory_id:name}/history
register_url_convertor("part", PartOfPath())  # as in /knowledge/{base:part}/documents
WRONG = {
    400: "It cannot be read",
    401: "No key, or one that does not hold",
    403: "The key may not do that",
    404: "Not there, or not for this key",
    409: "It contradicts what is there",
    413: "More than may be sent at once",
    422: "Something in it is wrong; `detail` says what",
    429: "Too many requests; `Retry-After` says when",
    501: "An optional part is missing on the server",
    503: "The store cannot do its work now",
    504: "It took too long; a write that was begun is finished",
}


def problems_of(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{Problem.__name__}"}}}
    return {status: {"description": WRONG[status], "content": content} for status in statuses}


def routes(tag: str, *, prefix: str = "") -> APIRouter:
    return APIRouter(
        prefix=prefix, tags=[tag], responses=problems_of(*WRONG), route_class=Attentive
    )


class Attentive(APIRoute):
    """A parameter that nobody knows is an error: a filter that is misspelt must not answer with
    everything."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = {str(field.alias) for field in self.dependant.query_params}
        known |= {
            str(field.alias) for part in self.dependant.dependencies for field in part.query_params
        }

        async def attentive(request: Request) -> Response:
            unknown = sorted(request.query_params.keys() - known)
            if unknown:
                raise InvalidInput(
                    f"query.{unknown[0]}: there is no such parameter; "
                    + (f"known: {', '.join(sorted(known))}" if known else "none is known here")
                )
            return await handle(request)

        return attentive
