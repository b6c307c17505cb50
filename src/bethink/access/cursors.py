"""Cursors for callers who see some spaces only. A store's cursor is the number of a row among those
of all spaces: it would tell how much is kept where they may not look. So theirs are sealed."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256

from bethink.errors import InvalidInput

_NONCE, _TAG, _LENGTH = 8, 8, 32  # bytes; all cursors are as long


class Cursors:
    def __init__(self, secret: Callable[[], bytes] = secrets.token_bytes) -> None:
        """`secret` is asked for once, when it is first needed."""
        self._give = secret

    @cached_property
    def _secret(self) -> bytes:
        return self._give()

    def seal(self, cursor: str, *, context: str) -> str:
        nonce = secrets.token_bytes(_NONCE)
        hidden = _xor(cursor.encode().ljust(_LENGTH, b"\0"), self._made(b"hide", nonce, context))
        tag = self._made(b"seal", nonce + hidden, context)[:_TAG]
        return base64.urlsafe_b64encode(nonce + hidden + tag).decode().rstrip("=")

    def open(self, sealed: str, *, context: str) -> str:
        """`context` is who asks for what: a cursor serves nobody and nothing else."""
        try:
            raw = base64.urlsafe_b64decode(sealed.encode("ascii") + b"==")
        except (binascii.Error, ValueError):
            raw = b""
        nonce, hidden, tag = raw[:_NONCE], raw[_NONCE:-_TAG], raw[-_TAG:]
        if len(raw) != _NONCE + _LENGTH + _TAG or not hmac.compare_digest(
            tag, self._made(b"seal", nonce + hidden, context)[:_TAG]
        ):
            raise InvalidInput("this is no cursor of this list; start again without one")
        return _xor(hidden, self._made(b"hide", nonce, context)).rstrip(b"\0").decode()

    def _made(self, use: bytes, what: bytes, context: str) -> bytes:
        return hmac.digest(self._secret, b"\0".join((use, what, context.encode())), sha256)


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
