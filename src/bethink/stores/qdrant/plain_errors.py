"""What Qdrant says, in the words of Bethink: what happened, then what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from grpc import RpcError
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from bethink.errors import BethinkError, StoreBusy, StoreError, StoreUnavailable
from bethink.stores.retrievers import RetrieverUnfit

OF_THE_CLIENT = (
    UnexpectedResponse,
    ResponseHandlingException,
    ResourceExhaustedResponse,
    RpcError,
    httpx.HTTPError,
)


@contextmanager
def plain_errors(name: str) -> Iterator[None]:
    try:
        yield
    except OF_THE_CLIENT as e:
        raise in_plain_words(e, name) from e


def in_plain_words(error: Exception, name: str) -> BethinkError:
    if isinstance(error, ResourceExhaustedResponse):
        return StoreBusy(
            f"{name} takes no more requests for {error.retry_after_s} s; it is tried again later"
        )
    if isinstance(error, UnexpectedResponse):
        return _by_status(error.status_code or 0, _said(error), name)
    if isinstance(error, RpcError):
        return _by_rpc(error, name)
    source = error.source if isinstance(error, ResponseHandlingException) else error
    if isinstance(source, httpx.TimeoutException):
        return StoreUnavailable(
            f"{name} did not answer in time; it may be busy or hang. See its log"
        )
    return StoreUnavailable(f"{name} cannot be reached ({source}); see that it runs and listens")


def _by_status(status: int, said: str, name: str) -> BethinkError:
    if status in (401, 403):
        return StoreError(
            f"{name} refused the key ({said}); it must be one that may make collections: mend it "
            "in the address"
        )
    if status == 404:
        return RetrieverUnfit(f"{name}: a collection is gone ({said}); it is made anew")
    if status == 429:
        return StoreBusy(f"{name} takes no more requests now ({said}); it is tried again later")
    if status == 400 and "dimension" in said.lower():
        return RetrieverUnfit(f"{name} holds vectors of another size ({said}); it is made anew")
    if status >= 500:
        return StoreUnavailable(f"{name} failed ({status}: {said}); see its log and its disk")
    return StoreError(f"{name} refused a request ({status}: {said}); check its version and limits")


def _by_rpc(error: RpcError, name: str) -> BethinkError:
    code = getattr(error, "code", lambda: None)()
    said = str(getattr(error, "details", lambda: "")() or error)
    statuses = {"UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
                "RESOURCE_EXHAUSTED": 429, "INVALID_ARGUMENT": 400}  # fmt: skip
    status = statuses.get(getattr(code, "name", ""))
    if status is not None:
        return _by_status(status, said, name)
    return StoreUnavailable(f"{name} cannot be reached by gRPC ({said}); see that it listens")


def _said(error: UnexpectedResponse) -> str:
    try:
        status = json.loads(error.content)["status"]
        return str(status["error"] if isinstance(status, dict) else status)[:300]
    except (ValueError, KeyError, TypeError):
        return (error.content[:100].decode("utf-8", "replace") or error.reason_phrase).strip()
