"""One request and its answer: bounded in size, also after it is unpacked, and in time.

No cookies, no credentials, no proxies, no connection that outlives its request.
"""

from __future__ import annotations

import ssl
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import httpcore

from bethink.errors import WebError
from bethink.knowledge.web.connecting import Connector, Network
from bethink.knowledge.web.links import PORTS, Link

_AGENT = "bethink (reads pages that its user asks about)"
_HEADERS = 200_000  # bytes that may come beside the content
_GZIP = b"\x1f\x8b"  # begins it
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]  # names in lower case; of several the first
    content: bytes
    cut: bool  # there was more

    @property
    def redirect(self) -> str:
        told = self.headers.get("location", "") if self.status in _REDIRECTS else ""
        try:  # many servers write it as it is, and that is UTF-8
            return told.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            return told

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def exchange(
    link: Link,
    connector: Connector,
    *,
    end: float,
    most_bytes: int,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    tls: ssl.SSLContext | None = None,
) -> Answer:
    """GET, or POST where there is a body; `end` is on the clock `time.monotonic`. `WebError` for
    whatever goes wrong."""
    addresses = connector.addresses(link, end)
    network = Network(addresses, end=end, most_bytes=most_bytes + _HEADERS)
    host = f"[{link.host}]" if ":" in link.host else link.host
    sent = {
        "Host": host if link.port == PORTS[link.scheme] else f"{host}:{link.port}",
        "User-Agent": _AGENT,
        "Accept-Encoding": "gzip, deflate",
        "Connection": "close",
        **(headers or {}),
    }
    if body is not None:
        sent["Content-Length"] = str(len(body))
    request = httpcore.Request(
        "GET" if body is None else "POST",
        httpcore.URL(scheme=link.scheme, host=link.host, port=link.port, target=link.target),
        headers=[
            (name.encode(), value.encode("latin-1", "replace")) for name, value in sent.items()
        ],
        content=body,
    )
    context = tls or (_tls() if link.scheme == "https" else None)
    try:
        with httpcore.ConnectionPool(
            ssl_context=context, max_connections=1, network_backend=network
        ) as pool:
            response = pool.handle_request(request)
            try:
                return _read(response, most_bytes)
            finally:
                response.close()
    except (httpcore.TimeoutException, TimeoutError):
        raise WebError(f"{link.host} was not done in time") from None
    except (
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.UnsupportedProtocol,
        ssl.SSLError,
        OSError,
    ) as e:
        if time.monotonic() >= end:
            raise WebError(f"{link.host} was not done in time") from None
        raise WebError(f"{link.host} cannot be read: {type(e).__name__} {e}".strip()) from None


def _read(response: httpcore.Response, most_bytes: int) -> Answer:
    headers: dict[str, str] = {}
    for name, value in response.headers:
        headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    content = bytearray()
    cut = False
    if response.status not in _REDIRECTS:
        packed = headers.get("content-encoding", "").strip().lower()
        for piece in unpacked(response.iter_stream(), packed, most_bytes + 1):
            content += piece
            if len(content) > most_bytes:
                cut = True
                break
    return Answer(response.status, headers, bytes(content[:most_bytes]), cut)


def unpacked(pieces: Iterable[bytes], packed: str, most: int) -> Iterator[bytes]:
    """The content as it is meant. No step makes more than `most` bytes: a few that unpack into
    gigabytes never do."""
    if packed in ("", "identity"):
        yield from pieces
        return
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise WebError(f"it is packed in a way that was not asked for: {packed[:50]!r}")
    unpack = zlib.decompressobj(wbits=47)  # gzip or zlib, as its head says
    first = True
    behind = b""  # what came after an end
    for piece in pieces:
        data = behind + piece
        behind = b""
        while data:
            if unpack.eof:
                if packed == "deflate" or not _GZIP.startswith(data[:2]):
                    return
                if len(data) < len(_GZIP):
                    behind = data
                    break
                unpack = zlib.decompressobj(wbits=31)  # several, one behind the other, are one
            try:
                made = unpack.decompress(data, most)
            except zlib.error as e:
                if not (first and packed == "deflate"):
                    raise WebError(f"it cannot be unpacked: {e}") from None
                unpack = zlib.decompressobj(wbits=-15)  # some servers leave the head away
                first = False
                continue
            first = False
            data = unpack.unused_data if unpack.eof else unpack.unconsumed_tail
            yield made


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"]:  # a system without certificates of its own
        import certifi

        context.load_verify_locations(certifi.where())
    return context
