"""Links taken apart once, by us, so that what is checked and what is asked for are the same."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

from bethink.errors import WebError
from bethink.knowledge.web.addresses import Address, literal

PORTS = {"http": 80, "https": 443}
MOST_CHARACTERS = 2_048
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_KEPT = "/%:@!$&'()*+,;=~-._?"
# Tell where a visitor came from, not what the page is.
_TRAILS = re.compile(r"utm_\w+|fbclid|gclid|msclkid|spm|from_source|ref_src")


class LinkRefused(WebError):
    """It leads where nothing is fetched from, whoever names it."""


class Link(NamedTuple):
    scheme: str
    host: str  # in lower case and ASCII
    port: int
    target: str  # path and query, in ASCII
    address: Address | None = None  # where the host is one
    credentials: str = ""  # user:password

    @property
    def shown(self) -> str:
        """Without who it logs in as."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"

    @property
    def same_page(self) -> str:
        """What links to the same page have in common: http or https, www, trails of visitors."""
        path, _, query = self.target.partition("?")
        told = [one for one in parse_qsl(query, keep_blank_values=True)
                if not _TRAILS.fullmatch(one[0])]  # fmt: skip
        port = "" if self.port in PORTS.values() else f":{self.port}"
        host = self.host.removeprefix("www.") + port
        return f"{host}{path.rstrip('/')}?{urlencode(sorted(told))}"

    def to(self, where: str) -> Link:
        """Where a redirect leads."""
        try:
            whole = urljoin(self.shown, where)
        except ValueError:
            raise LinkRefused(f"it leads to {where[:100]!r}, which is no link") from None
        return link_of(whole)


def link_of(url: str, *, most: int = MOST_CHARACTERS) -> Link:
    """A link in its parts, or `LinkRefused` that says what is wrong with it."""
    if len(url) > most:
        raise LinkRefused(f"a link of {len(url):,} characters is not followed")
    try:
        parts = urlsplit(_UNSAFE.sub(_encoded, url.strip()))
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise LinkRefused(f"{url[:100]!r} is no link") from None
    if parts.scheme not in PORTS:
        raise LinkRefused(f"{parts.scheme or 'no scheme'}: only http and https links are followed")
    if not host:
        raise LinkRefused(f"{url[:100]!r} names no host")
    try:
        if ":" not in host:
            host = host.encode("idna").decode("ascii").lower().rstrip(".")
        address = literal(host)
    except ValueError:  # UnicodeError is one
        raise LinkRefused(
            f"the host {host[:100]!r} is written in a way that is not followed"
        ) from None
    if re.search(r"[^a-z0-9.:_-]", host):
        raise LinkRefused(f"the host {host[:100]!r} is written in a way that is not followed")
    target = quote(parts.path or "/", safe=_KEPT)
    if parts.query:
        target += "?" + quote(parts.query, safe=_KEPT)
    credentials = parts.netloc.rpartition("@")[0]
    return Link(parts.scheme, host, port or PORTS[parts.scheme], target, address, credentials)


def _encoded(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):02X}"
