"""Errors for whoever asks over a network: where the store is stands in the server's log alone."""

from __future__ import annotations

import logging

from recollect.errors import RecollectError, StoreError

_LOOK_FIRST = "Look whether a change was made before you send it again"
_log = logging.getLogger("recollect.server")


def said_abroad(error: RecollectError, request_id: str = "") -> str:
    if not isinstance(error, StoreError):
        return str(error)
    _log.warning("%s%s: %s", f"request {request_id}: " if request_id else "", error.code, error)
    return f"{error.abroad}. {_LOOK_FIRST}" if error.unsure else error.abroad
