"""Errors for whoever asks over a network: where the store is stands in the server's log alone."""

from __future__ import annotations

import logging

from recollect.errors import RecollectError, StoreError

_log = logging.getLogger("recollect.server")


def said_abroad(error: RecollectError, request_id: str = "") -> str:
    if not isinstance(error, StoreError):
        return str(error)
    _log.warning("%s%s: %s", f"request {request_id}: " if request_id else "", error.code, error)
    return error.abroad
