"""Pages from the web, fetched so that a hostile link can do no more than waste its own time.

    page = Fetcher().fetch("https://example.org/", seconds=5)

Only http and https, only the usual ports, only public addresses, also after every redirect; no
cookies, no passwords, no scripts; bounded in size and time.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Collection
from typing import NamedTuple

from bethink.errors import WebError
from bethink.knowledge.web.addresses import is_public
from bethink.knowledge.web.connecting import Allowed, Connector, Resolve, system_resolve
from bethink.knowledge.web.exchange import Answer, exchange
from bethink.knowledge.web.links import Link, LinkRefused, link_of

MOST_REDIRECTS = 5
PORTS = frozenset({80, 443, 8080, 8443})
MOST_BYTES = 1_000_000  # what is behind that is seldom what was asked for
HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXT = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_ACCEPTED = ", ".join((*sorted(HTML), *sorted(TEXT))) + ";q=0.9"


class Fetched(NamedTuple):
    url: str  # where it was in the end
    type: str
    charset: str  # as the server says; "" if it does not
    content: bytes
    cut: bool  # it was longer


class Fetcher:
    """`allowed` and `resolve` are for tests, which have no servers but on this machine; nothing
    that a user or an environment says reaches them."""

    def __init__(
        self,
        *,
        allowed: Allowed = is_public,
        resolve: Resolve = system_resolve,
        ports: Collection[int] | None = PORTS,
        tls: ssl.SSLContext | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._connector = Connector(allowed=allowed, resolve=resolve)
        self._ports = ports
        self._tls = tls
        self._most_bytes = most_bytes

    def fetch(self, url: str, *, seconds: float) -> Fetched:
        end = time.monotonic() + seconds
        link = link_of(url)
        for _ in range(MOST_REDIRECTS + 1):
            self._check(link)
            answer = exchange(
                link,
                self._connector,
                end=end,
                most_bytes=self._most_bytes,
                headers={"Accept": _ACCEPTED},
                tls=self._tls,
            )
            if not answer.redirect:
                return self._page(link, answer)
            link = link.to(answer.redirect)
        raise WebError(f"more than {MOST_REDIRECTS} redirects are not followed")

    def _check(self, link: Link) -> None:
        if link.credentials:
            raise LinkRefused("a link with a name or a password in it is not followed")
        if self._ports is not None and link.port not in self._ports:
            raise LinkRefused(f"port {link.port} is not followed")

    @staticmethod
    def _page(link: Link, answer: Answer) -> Fetched:
        if answer.status != 200:
            raise WebError(f"{link.host} answered {answer.status}")
        if answer.type and answer.type not in HTML | TEXT:
            raise WebError(f"{link.host} sent {answer.type[:80]!r}, which is not read")
        told = answer.headers.get("content-type", "")
        charset = told.lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
        return Fetched(link.shown, answer.type or "text/html", charset, answer.content, answer.cut)
