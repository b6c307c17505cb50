"""Asking."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from bethink.doors.http.answers import Context, Recollection, SearchResponse
from bethink.doors.http.bodies import Asked, ForContext, Question
from bethink.doors.http.callers import at_desk
from bethink.doors.http.metrics import metrics_of
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.errors import InvalidInput

router = routes("recall", prefix="/v1")


@router.post("/recall", summary="Recall", response_model=Recollection)
def recall(request: Request, body: Asked) -> Response:
    """What matters for a question, best first, within the budget, with the reason for every hit.
    `status` says what kind of answer it is: an empty one is never a guess."""
    return _recalled(request, body.question, body.explain, body.options())


@router.get("/recall", summary="Recall by a link", response_model=Recollection)
def recall_by_link(
    request: Request,
    q: Annotated[
        str | None, Query(description="the question", examples=["小美喜欢什么主题？"])
    ] = None,
    question: Annotated[str | None, Query(description="the same as q")] = None,
    query: Annotated[str | None, Query(description="the same as q")] = None,
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    limit: int | None = None,
    budget: int | None = None,
    preset: str | None = None,
    explain: bool = False,
) -> Response:
    """The same for what fits into an address. A question may stand in logs there: programs rather
    send it in a body."""
    asked = [text for text in (q, question, query) if text is not None]
    if len(asked) != 1:
        raise InvalidInput("q: give the question once, as q, question or query")
    options: dict[str, Any] = {"spaces": space, "limit": limit, "budget": budget, "preset": preset}
    given = {name: value for name, value in options.items() if value is not None}
    return _recalled(request, asked[0], explain, given)


@router.post("/search", summary="Search", response_model=SearchResponse)
def search(request: Request, body: Question) -> Response:
    """What `/v1/recall` finds, with the field names of `SearchResponse`: results, their tokens and
    what is left of the budget. The status is added, so that an empty list is never a guess."""
    with at_desk(request) as desk:
        answer = desk.search(body.question, **body.options())
    metrics_of(request).recalled(answer["status"])
    return reply(answer)


@router.post("/context", summary="Context for a model", response_model=Context)
def context(request: Request, body: ForContext) -> Response:
    """The text to put before a model, with what it costs and how far to trust it."""
    with at_desk(request) as desk:
        answer = desk.context(body.question, language=body.language, **body.options())
    metrics_of(request).recalled(answer["status"])
    return reply(answer)


def _recalled(request: Request, question: str, explain: bool, options: dict[str, Any]) -> Response:
    with at_desk(request) as desk:
        answer = desk.recall(question, explain=explain, **options)
    metrics_of(request).recalled(answer["status"])
    return reply(answer)
