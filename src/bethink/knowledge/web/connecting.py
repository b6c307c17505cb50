"""Connections to the very address that was checked, with one end for everything that is waited for.

A name is resolved once, by us; all its addresses are checked, and one of those is connected to.
Nothing asks a resolver again in between, which is how a name that changes its mind (DNS rebinding)
gets past a check. Variables that name a proxy are not read: a proxy would resolve for itself.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from ipaddress import ip_address
from typing import Any, TypeAlias

import httpcore

from bethink.errors import WebError
from bethink.knowledge.web.addresses import Address, is_public
from bethink.knowledge.web.links import Link, LinkRefused
from bethink.recall.workers import Workers

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]  # host, port → addresses
Allowed: TypeAlias = Callable[[Address], bool]

_TRIED = 3  # addresses of a host
_RESOLVERS = Workers(8)  # a resolver cannot be interrupted: it is waited for from outside


def system_resolve(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def anywhere(address: Address) -> bool:
    """For an address that the user set: it may be on this machine."""
    return True


class Connector:
    """A network for `httpcore` that leads only where it may."""

    def __init__(self, *, allowed: Allowed = is_public, resolve: Resolve = system_resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve

    def addresses(self, link: Link, end: float) -> list[str]:
        """Where a link may be connected to. One forbidden address forbids the host: it would be a
        matter of luck which one is used."""
        if link.address is not None:
            found: Sequence[str] = [str(link.address)]
        else:
            found = self._resolved(link, end)
        for one in found:
            try:
                allowed = self._allowed(ip_address(one))
            except ValueError:
                allowed = False
            if not allowed:
                raise LinkRefused(f"{link.host} leads to {one}, which is no public address")
        return list(found)[:_TRIED]

    def _resolved(self, link: Link, end: float) -> Sequence[str]:
        future: Future[Sequence[str]] = _RESOLVERS.submit(self._resolve, link.host, link.port)
        try:
            found = future.result(timeout=max(0.0, end - time.monotonic()))
        except TimeoutError:
            future.cancel()
            raise WebError(f"the address of {link.host} was not found in time") from None
        except (OSError, UnicodeError) as e:
            raise WebError(f"{link.host} has no address: {e}") from None
        if not found:
            raise WebError(f"{link.host} has no address")
        return found


class Network(httpcore.NetworkBackend):
    """Connects to these addresses, whatever it is asked for; all of it before `end`."""

    def __init__(self, addresses: Sequence[str], *, end: float, most_bytes: int) -> None:
        self._addresses = addresses
        self._end = end
        self._most_bytes = most_bytes
        self._network = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        for at, address in enumerate(self._addresses, start=1):
            seconds = left(self._end) / (len(self._addresses) - at + 1)
            try:
                stream = self._network.connect_tcp(address, port, seconds)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if at == len(self._addresses):
                    raise
                continue
            return _Timed(stream, self._end, [self._most_bytes])
        raise httpcore.ConnectError("there is no address to connect to")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("sockets of this machine are not connected to")


class _Timed(httpcore.NetworkStream):
    """A stream that ends in time, even if a byte comes every second, and after so many bytes."""

    def __init__(self, stream: httpcore.NetworkStream, end: float, bytes_left: list[int]) -> None:
        self._stream = stream
        self._end = end
        self._bytes_left = bytes_left  # shared with the stream inside TLS

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._bytes_left[0] <= 0:
            raise httpcore.ReadError("it sent too much")
        got = self._stream.read(max_bytes, left(self._end))
        self._bytes_left[0] -= len(got)
        return got

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, left(self._end))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, left(self._end))
        return _Timed(stream, self._end, self._bytes_left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def left(end: float) -> float:
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise httpcore.ReadTimeout("it was not done in time")
    return seconds
