"""Filters in a URL are JSON."""

from __future__ import annotations

import json
from typing import Any

from bethink.errors import InvalidInput


def where_of(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise InvalidInput(f"where: {text[:80]!r} is not JSON ({e})") from None
    if not isinstance(found, dict):
        raise InvalidInput('where: expected an object like {"kind": "decision"}')
    return found
