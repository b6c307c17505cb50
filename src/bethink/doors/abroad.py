"""Errors for whoever asks over a network: where the store is stands in the server's log alone."""

from __future__ import annotations

from bethink.errors import BethinkError, StoreError
from bethink.server_log import FAULTS

_LOOK_FIRST = "Look whether a change was made before you send it again"


def said_abroad(error: BethinkError, request_id: str = "") -> str:
    if not isinstance(error, StoreError):
        return str(error)
    FAULTS.say(f"{error.code}: {error}", request_id=request_id)
    return f"{error.abroad}. {_LOOK_FIRST}" if error.unsure else error.abroad
