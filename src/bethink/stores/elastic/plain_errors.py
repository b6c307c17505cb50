"""What Elasticsearch and OpenSearch refuse, in plain words: what happened, then what to do."""

from __future__ import annotations

from typing import Any

from bethink.errors import BethinkError, StoreBusy, StoreError, StoreFull, StoreUnavailable
from bethink.stores.elastic.wire import Answer
from bethink.stores.retrievers import RetrieverUnfit

_MAPPING = ("strict_dynamic_mapping_exception", "mapper_parsing_exception",
            "document_parsing_exception")  # fmt: skip
_RED = ("no_shard_available_action_exception", "unavailable_shards_exception",
        "search_phase_execution_exception", "cluster_block_exception",
        "master_not_discovered_exception")  # fmt: skip


class RequestTooLarge(StoreError):
    """Less of it may do."""


def refusal(answer: Answer, name: str) -> BethinkError:
    kind, reason = _said(answer.body)
    said = f"{answer.status} {kind}: {reason}" if kind else f"{answer.status} {reason}"
    if answer.status == 401:
        return StoreError(f"{name} refused the login ({said}); mend the key in the address")
    if answer.status == 403 and "disk" in reason:
        return StoreFull(f"{name} has no room ({said}); make some there")
    if answer.status == 403:
        return StoreError(
            f"{name} does not allow this ({said}); the key needs 'manage', 'read' and 'write' on "
            "the index and those whose names begin with it"
        )
    if answer.status == 413:
        return RequestTooLarge(
            f"{name} refused a request as too large ({said}); raise its limits "
            "(http.max_content_length, or that of a proxy before it)"
        )
    if kind == "index_not_found_exception":
        return RetrieverUnfit(f"{name}: the index is gone ({said}); it is made anew")
    if kind == "media_type_header_exception":
        return StoreError(
            f"{name} does not understand this client ({said}); install the 'elasticsearch' package "
            "of the server's major version, for instance pip install 'elasticsearch<9'"
        )
    if kind in _MAPPING or (kind == "illegal_argument_exception" and "mapper" in reason):
        return RetrieverUnfit(f"{name}: its mapping is not ours ({said}); it is made anew")
    if answer.status == 429:
        return StoreBusy(f"{name} takes no more requests now ({said}); it is tried again later")
    if kind in _RED or answer.status == 503:
        return StoreUnavailable(
            f"{name} has shards that do not answer ({said}); see GET _cluster/health, and its log"
        )
    if answer.status >= 500:
        return StoreUnavailable(f"{name} failed ({said}); see its log")
    return StoreError(f"{name} refused a request ({said}); check its version and limits")


def _said(body: Any) -> tuple[str, str]:
    """The type of an error and why; what the server says last is the nearest to the cause."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return "", str(error)[:300]
    root = error.get("root_cause")
    if isinstance(root, list) and root and isinstance(root[0], dict):
        error = {**error, **root[0]}
    cause = error.get("caused_by")
    reason = str(error.get("reason") or "")
    if isinstance(cause, dict) and cause.get("reason"):
        reason += f" ({cause['reason']})"
    return str(error.get("type") or ""), reason[:300]
