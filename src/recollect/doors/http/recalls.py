"""Asking."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from recollect.doors.http.bodies import ForContext, Question
from recollect.doors.http.callers import at_desk

router = APIRouter(prefix="/v1", tags=["recall"])


@router.post("/recall", summary="Recall")
def recall(request: Request, body: Question) -> JSONResponse:
    """What matters for a question, best first, within the budget, with the reason for every hit.
    `status` says what kind of answer it is: an empty one is never a guess."""
    with at_desk(request) as desk:
        return JSONResponse(desk.recall(body.question, explain=body.explain, **body.options()))


@router.get("/recall", summary="Recall, by a link")
def recall_by_link(
    request: Request,
    q: Annotated[str, Query(description="the question")],
    space: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    limit: int | None = None,
    budget: int | None = None,
    preset: str | None = None,
    explain: bool = False,
) -> JSONResponse:
    options: dict[str, Any] = {"spaces": space, "limit": limit, "budget": budget, "preset": preset}
    given = {name: value for name, value in options.items() if value is not None}
    with at_desk(request) as desk:
        return JSONResponse(desk.recall(q, explain=explain, **given))


@router.post("/context", summary="Context for a model")
def context(request: Request, body: ForContext) -> JSONResponse:
    """The text to put before a model, with what it costs and how far to trust it."""
    with at_desk(request) as desk:
        return JSONResponse(desk.context(body.question, language=body.language, **body.options()))
