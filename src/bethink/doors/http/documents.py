"""Documents of a knowledge base: in, replaced, withheld and out. A file is the body itself, under
a name: no form around it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from bethink.access.caller import Scope
from bethink.access.desk import Desk
from bethink.doors.http.answers_of_knowledge import (
    DocumentRemoved,
    Documents,
    DocumentTaken,
    DocumentWithParts,
    Switched,
)
from bethink.doors.http.callers import at_desk, caller_of
from bethink.doors.http.limits import MOST_DOCUMENT_BYTES
from bethink.doors.http.replies import reply
from bethink.doors.http.routing import routes
from bethink.doors.http.uploads import uploads_of
from bethink.doors.http.writes import IdempotencyKey, write
from bethink.errors import InvalidInput

router = routes("knowledge", prefix="/v1/knowledge/{base:part}/documents")
_FORM = "multipart/form-data"
_FILE: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_MOST = f"{MOST_DOCUMENT_BYTES // (1024 * 1024)} MiB"


@router.post(
    "",
    status_code=201,
    summary="Add a document",
    response_model=DocumentTaken,
    openapi_extra=_FILE,
    description="The body is the file: Markdown, text, CSV, and with the extra `documents` HTML, "
    f"PDF, DOCX, PPTX, XLSX and EPUB; at most {_MOST}. Sent again under the same name it is "
    "replaced where it has changed. One that cannot be read is refused (422, "
    "`document_unreadable`; 501, `missing_extra`, where the server lacks the extra), and what was "
    "there stays.",
)
async def add(
    request: Request,
    base: str,
    name: Annotated[
        str,
        Query(
            description="by which it is known and cited; its ending says the format where the "
            "content does not",
            examples=["handbook.pdf", "docs/指南.md"],
        ),
    ],
    key: IdempotencyKey = None,
) -> Response:
    return await _uploaded(
        request,
        lambda data: lambda desk: desk.add_document(base, data, name=name),
        [base, name],
        key,
        status=201,
    )


@router.get("", summary="Documents", response_model=Documents)
def listed(request: Request, base: str, cursor: str | None = None, limit: int = 100) -> Response:
    """In the order added."""
    with at_desk(request) as desk:
        return reply(desk.documents(base, cursor=cursor, limit=limit))


@router.put(
    "/{document:name}",
    summary="Replace a document",
    response_model=DocumentTaken,
    openapi_extra=_FILE,
)
async def replace(
    request: Request,
    base: str,
    document: str,
    name: Annotated[str, Query(description="of the new file, for its format alone")] = "",
    key: IdempotencyKey = None,
) -> Response:
    """Put another file in the place of one, named by id or address: its id, its address and whether
    it is enabled stay. What cannot be read replaces nothing."""
    return await _uploaded(
        request,
        lambda data: lambda desk: desk.replace_document(base, document, data, name=name),
        [base, document, name],
        key,
    )


@router.get("/{document:name}", summary="A document", response_model=DocumentWithParts)
def one(request: Request, base: str, document: str, after: int = 0, limit: int = 100) -> Response:
    """By id or address, with its sections: so many after so many."""
    with at_desk(request) as desk:
        return reply(desk.document(base, document, after=after, limit=limit))


@router.delete("/{document:name}", summary="Remove a document", response_model=DocumentRemoved)
def remove(request: Request, base: str, document: str, key: IdempotencyKey = None) -> Response:
    """Erase it: text, words and vectors."""
    return write(
        request,
        lambda desk: desk.remove_document(base, document),
        key=key,
        asked=[base, document],
    )


@router.post("/{document:name}/enable", summary="Enable a document", response_model=Switched)
def enable(request: Request, base: str, document: str, key: IdempotencyKey = None) -> Response:
    """Let questions find it again."""
    return write(
        request,
        lambda desk: desk.enable_document(base, document),
        key=key,
        asked=[base, document],
        repeatable=True,
    )


@router.post("/{document:name}/disable", summary="Disable a document", response_model=Switched)
def disable(request: Request, base: str, document: str, key: IdempotencyKey = None) -> Response:
    """Keep it, and let no question find it, through whatever door."""
    return write(
        request,
        lambda desk: desk.disable_document(base, document),
        key=key,
        asked=[base, document],
        repeatable=True,
    )


async def _uploaded(
    request: Request,
    doing: Callable[[bytes], Callable[[Desk], Any]],
    asked: list[str],
    key: str | None,
    *,
    status: int = 200,
) -> Response:
    if request.headers.get("content-type", "").lower().startswith(_FORM):
        raise InvalidInput(
            "send the file itself as the body, not a form around it: "
            "curl --data-binary @handbook.pdf"
        )
    uploads, caller = uploads_of(request), caller_of(request)
    async with uploads.room(caller):
        # whoever may not write is told so by the desk, and need not send the whole file for that
        data = await request.body() if Scope.WRITE in caller.scopes else b""
        digest = hashlib.sha256(data).hexdigest()
        return await uploads.taken(
            lambda: write(
                request,
                doing(data),
                key=key,
                asked=[*asked, digest],
                repeatable=True,
                status=status,
            )
        )
