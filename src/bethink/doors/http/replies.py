"""Answers as they leave: what a desk gives is JSON already, and is not looked at again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

JSON = "application/json"


def reply(
    record: Any,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    media_type: str = JSON,
) -> Response:
    return Response(as_json(record), status, headers, media_type)


def as_json(record: Any) -> bytes:
    """Half a surrogate pair, which an error may quote, has no form in UTF-8: a question mark."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
