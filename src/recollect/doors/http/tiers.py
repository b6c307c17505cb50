"""What is offered, what was decided, and deciding."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from recollect.doors.http.bodies import Decided, FromSource, InSpace, Offered, Promoted
from recollect.doors.http.callers import IdempotencyKey, at_desk, own_id, write

router = APIRouter(prefix="/v1", tags=["tiers"])
Spaces = Annotated[list[str] | None, Query(description="may be repeated")]


@router.post("/offers", status_code=201, summary="Offer")
def offer(request: Request, body: Offered, key: IdempotencyKey = None) -> JSONResponse:
    """Offer what an agent heard or made. It is logged and filtered; the answer says what was
    decided, and why. Nobody finds it as a fact before it is promoted."""
    told = body.given()
    parents = told.pop("parents", [])
    if told.get("id") is None and (own := own_id(request, key)) is not None:
        told["id"] = own
    return write(
        request,
        lambda desk: desk.offer(told, parents=parents),
        key=key,
        asked=body.given(),
        repeatable=True,
        status=201,
    )


@router.get("/offers", summary="Quarantine")
def quarantine(
    request: Request,
    space: Spaces = None,
    decision: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    newest_first: bool = True,
    cursor: str | None = None,
    limit: int = 20,
) -> JSONResponse:
    """Everything that was offered, with what was decided and why."""
    with at_desk(request) as desk:
        return JSONResponse(
            desk.quarantine(
                spaces=space,
                decisions=decision,
                newest_first=newest_first,
                cursor=cursor,
                limit=limit,
            )
        )


@router.post("/offers/promote", summary="Promote")
def promote(request: Request, body: Promoted, key: IdempotencyKey = None) -> JSONResponse:
    """Make offers long-term memory, all or none. They count as verified: somebody looked."""
    return write(
        request,
        lambda desk: {
            "receipts": desk.promote(body.ids, reason=body.reason, supersedes=body.supersedes)
        },
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.post("/offers/reject", summary="Reject")
def reject(request: Request, body: Decided, key: IdempotencyKey = None) -> JSONResponse:
    """They stay in the log, and nobody finds them."""
    return write(
        request,
        lambda desk: {"offers": desk.reject(body.ids, reason=body.reason)},
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.post("/offers/restore", summary="Restore")
def restore(request: Request, body: Decided, key: IdempotencyKey = None) -> JSONResponse:
    """What was held, refused, ignored or rejected goes into working memory after all."""
    return write(
        request,
        lambda desk: {"offers": desk.restore(body.ids, reason=body.reason)},
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.post("/offers/{offer_id:path}/undo", summary="Undo")
def undo(request: Request, offer_id: str, key: IdempotencyKey = None) -> JSONResponse:
    """Take the last decision about an offer back."""
    return write(request, lambda desk: desk.undo(offer_id), key=key, asked=offer_id)


@router.get("/offers/{offer_id:path}", summary="One offer")
def offered(request: Request, offer_id: str) -> JSONResponse:
    """An offer with every decision about it."""
    with at_desk(request) as desk:
        return JSONResponse(desk.offered(offer_id))


@router.get("/working", summary="Working memory")
def working(request: Request, space: Spaces = None, limit: int = 10) -> JSONResponse:
    """What is recent, newest first."""
    with at_desk(request) as desk:
        return JSONResponse(desk.working(spaces=space, limit=limit))


@router.get("/digest", summary="Digest")
def digest(request: Request, space: str | None = None) -> JSONResponse:
    """What waits in a space: the same things together, what speaks for each, what contradicts."""
    with at_desk(request) as desk:
        return JSONResponse(desk.digest(space))


@router.post("/digest/apply", summary="Promote by rule")
def apply(request: Request, body: InSpace, key: IdempotencyKey = None) -> JSONResponse:
    """Promote what the rules speak for and nothing contradicts."""
    return write(
        request,
        lambda desk: {"receipts": desk.promote_by_rules(body.space)},
        key=key,
        asked=body.given(),
    )


@router.get("/sources", summary="What came from a source")
def from_source(request: Request, source: str, space: Spaces = None) -> JSONResponse:
    """Everything that came from a source, and what was made from it."""
    with at_desk(request) as desk:
        return JSONResponse(desk.from_source(source, spaces=space))


@router.post("/rollback", summary="Roll back a source")
def roll_back(request: Request, body: FromSource, key: IdempotencyKey = None) -> JSONResponse:
    """All of that leaves long-term and working memory; in the log it is rejected."""
    return write(
        request,
        lambda desk: desk.roll_back(body.source, spaces=body.spaces),
        key=key,
        asked=body.given(),
        repeatable=True,
    )
