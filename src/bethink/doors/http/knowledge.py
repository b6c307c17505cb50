"""Asking a knowledge base."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from bethink.doors.http.answers_of_knowledge import AnswerAnswer, Bases, PassagesAnswer
from bethink.doors.http.bodies_of_knowledge import ForAnswer, ForSearch
from bethink.doors.http.callers import at_desk
from bethink.doors.http.metrics import metrics_of
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.uploads import uploads_of
from bethink.doors.http.waiting import may_wait

router = routes("knowledge", prefix="/v1/knowledge")


@router.get("", summary="Knowledge bases", response_model=Bases)
def bases(request: Request) -> Response:
    """The spaces that you see and that hold documents or frequent questions, with how many; and
    what can be brought and asked here."""
    with at_desk(request) as desk:
        bases = {"knowledge_bases": desk.knowledge_bases(), **desk.knowledge_means()}
    return reply({**bases, "largest": uploads_of(request).largest})


@router.post("/{base:part}/search", summary="Search", response_model=PassagesAnswer)
@may_wait(lambda body: body.web)
def search(request: Request, base: str, body: ForSearch) -> Response:
    """The passages that answer, best first, each with its citation: document, heading, page, and
    how it was found."""
    with at_desk(request) as desk:
        answer = desk.search_knowledge(base, body.params(), **body.options())
    metrics_of(request).recalled(answer["status"])
    return reply(answer)


@router.post("/{base:part}/ask", summary="Ask", response_model=AnswerAnswer)
@may_wait()
def ask(request: Request, base: str, body: ForAnswer) -> Response:
    """An answer with citations that were checked. Where the server has no language model, or it
    fails, the answer is the cited passages."""
    with at_desk(request) as desk:
        answer = desk.ask_knowledge(base, body.params(), **body.options())
    metrics_of(request).recalled(answer["status"])
    return reply(answer)
