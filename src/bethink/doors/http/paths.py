"""Ids and names of spaces in a path. They may hold a slash, sent as `%2F`, and servers decode the
path before they choose a route: `a%2Fhistory` would be the history of `a`. So an encoded slash is
kept apart from those that separate, until the route is chosen."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.convertors import Convertor
from starlette.types import ASGIApp, Receive, Scope, Send

# No id holds NUL, so it can mark what was encoded; one that was sent is marked as well.
_MARKED = {"\0": "\0" + "0", "/": "\0" + "1"}


class WholeName(Convertor[str]):
    """A name to the end of the path, or to the word that follows. Slashes may be sent plainly too,
    where nothing else begins with them."""

    regex = ".+"

    def convert(self, value: str) -> str:
        return value.replace(_MARKED["/"], "/").replace(_MARKED["\0"], "\0")

    def to_string(self, value: str) -> str:
        return _marked(value)


class PartOfPath(WholeName):
    """A name with another behind it: its slashes are sent as `%2F`."""

    regex = "[^/]+"


class EncodedSlashes:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or b""
        if raw.startswith(b"/v1/") and (b"%2f" in raw.lower() or b"%00" in raw):
            scope["path"] = marked_path(raw)
        await self._app(scope, receive, send)


def marked_path(raw: bytes) -> str:
    """A path as it was sent, decoded, with what was encoded in it still apart."""
    parts = raw.partition(b"?")[0].decode("latin-1").split("/")
    return "/".join(map(_marked, map(unquote, parts)))


def _marked(part: str) -> str:
    return part.replace("\0", _MARKED["\0"]).replace("/", _MARKED["/"])
