"""What is offered, what was decided, and deciding."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from bethink.access.desk import Desk
from bethink.access.wall import Record
from bethink.doors.http.answers import (
    Digest,
    FromSourceAnswer,
    OfferAnswer,
    Offers,
    OffersPage,
    OfferWithRulings,
    Promotions,
    Receipts,
    Recent,
    RolledBack,
)
from bethink.doors.http.bodies import Decided, FromSource, InSpace, Offered, Promoted
from bethink.doors.http.callers import at_desk
from bethink.doors.http.metrics import metrics_of
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.writes import IdempotencyKey, own_id, write

router = routes("tiers", prefix="/v1")
Spaces = Annotated[list[str] | None, Query(description="may be repeated")]


@router.post("/offers", status_code=201, summary="Offer", response_model=OfferAnswer)
def offer(request: Request, body: Offered, key: IdempotencyKey = None) -> Response:
    """Offer what an agent heard or made. It is logged and filtered; the answer says what was
    decided, and why. Nobody finds it as a fact before it is promoted."""
    told = body.given()
    parents = told.pop("parents", [])
    if told.get("id") is None and (own := own_id(request, key)) is not None:
        told["id"] = own

    def offered_now(desk: Desk) -> Record:
        made = desk.offer(told, parents=parents)
        metrics_of(request).offered(made["decision"])
        return made

    return write(
        request,
        offered_now,
        key=key,
        asked=body.given(),
        repeatable=True,
        status=201,
    )


@router.get("/offers", summary="Quarantine", response_model=OffersPage)
def quarantine(
    request: Request,
    space: Spaces = None,
    decision: Annotated[list[str] | None, Query(description="may be repeated")] = None,
    newest_first: bool = True,
    cursor: str | None = None,
    limit: int = 20,
) -> Response:
    """Everything that was offered, with what was decided and why."""
    with at_desk(request) as desk:
        return reply(
            desk.quarantine(
                spaces=space,
                decisions=decision,
                newest_first=newest_first,
                cursor=cursor,
                limit=limit,
            )
        )


@router.post("/offers/promote", summary="Promote", response_model=Promotions)
def promote(request: Request, body: Promoted, key: IdempotencyKey = None) -> Response:
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


@router.post("/offers/reject", summary="Reject", response_model=Offers)
def reject(request: Request, body: Decided, key: IdempotencyKey = None) -> Response:
    """They stay in the log, and nobody finds them."""
    return write(
        request,
        lambda desk: {"offers": desk.reject(body.ids, reason=body.reason)},
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.post("/offers/restore", summary="Restore", response_model=Offers)
def restore(request: Request, body: Decided, key: IdempotencyKey = None) -> Response:
    """What was held, refused, ignored or rejected goes into working memory after all."""
    return write(
        request,
        lambda desk: {"offers": desk.restore(body.ids, reason=body.reason)},
        key=key,
        asked=body.given(),
        repeatable=True,
    )


@router.post("/offers/{offer_id:name}/undo", summary="Undo", response_model=OfferAnswer)
def undo(request: Request, offer_id: str, key: IdempotencyKey = None) -> Response:
    """Take the last decision about an offer back."""
    return write(request, lambda desk: desk.undo(offer_id), key=key, asked=offer_id)


@router.get("/offers/{offer_id:name}", summary="One offer", response_model=OfferWithRulings)
def offered(request: Request, offer_id: str) -> Response:
    """An offer with every decision about it."""
    with at_desk(request) as desk:
        return reply(desk.offered(offer_id))


@router.get("/working", summary="Working memory", response_model=Recent)
def working(request: Request, space: Spaces = None, limit: int = 10) -> Response:
    """What is recent, newest first."""
    with at_desk(request) as desk:
        return reply(desk.working(spaces=space, limit=limit))


@router.get("/digest", summary="Digest", response_model=Digest)
def digest(request: Request, space: str | None = None) -> Response:
    """What waits in a space: the same things together, what speaks for each, what contradicts."""
    with at_desk(request) as desk:
        return reply(desk.digest(space))


@router.post("/digest/apply", summary="Promote by rule", response_model=Receipts)
def apply(request: Request, body: InSpace, key: IdempotencyKey = None) -> Response:
    """Promote what the rules speak for and nothing contradicts."""
    return write(
        request,
        lambda desk: {"receipts": desk.promote_by_rules(body.space)},
        key=key,
        asked=body.given(),
    )


@router.get("/sources", summary="What came from a source", response_model=FromSourceAnswer)
def from_source(request: Request, source: str, space: Spaces = None) -> Response:
    """Everything that came from a source, and what was made from it."""
    with at_desk(request) as desk:
        return reply(desk.from_source(source, spaces=space))


@router.post("/rollback", summary="Roll back a source", response_model=RolledBack)
def roll_back(request: Request, body: FromSource, key: IdempotencyKey = None) -> Response:
    """All of that leaves long-term and working memory; in the log it is rejected."""
    return write(
        request,
        lambda desk: desk.roll_back(body.source, spaces=body.spaces),
        key=key,
        asked=body.given(),
        repeatable=True,
    )
