"""One address that answers JSON with JSON, asked within a time: models on a server, rerankers.

What may be better later is asked again while there is time. No message ever shows a key or the
password in an address.
"""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bethink.errors import BethinkError, MissingExtra

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 10.0  # seconds, for a caller who has set no end


class Reply(NamedTuple):
    status: int
    body: bytes

    def told(self) -> str:
        return f"it answered {self.status}: {self.body[:200].decode('utf-8', 'replace')}"

    def json(self) -> Any:
        """What it says, or None if that is no JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class Endpoint:
    """`error` makes the error that its caller promises; `setting` is where the address is set."""

    def __init__(
        self,
        address: str,
        *,
        key: str,
        error: Callable[[str], BethinkError],
        setting: str,
        key_setting: str,
        attempts: int = 3,
        most_bytes: int = 1_000_000,
    ) -> None:
        self._key = key.strip()  # a key read from a file often ends with its line
        if not (self._key.isascii() and self._key.isprintable()):
            raise error(
                f"the key in {key_setting} has characters that no key has; set it again with: "
                f"bethink config set {key_setting} KEY"
            )
        self.shown = without_password(address)
        self._address = address
        self._error = error
        self._setting = setting
        self._attempts = attempts
        self._most_bytes = most_bytes
        self._client: Any = None
        self._lock = threading.Lock()

    def post(self, body: Mapping[str, Any], *, seconds: float, end: float = math.inf) -> Reply:
        """A reply that will not get better by asking again: each attempt within `seconds`, all
        of them before `end` (on the clock `time.monotonic`)."""
        httpx = self._httpx()
        client = self._connected()
        problem = "there was no time left"
        for attempt in range(self._attempts):
            now = time.monotonic()
            if now >= end:
                break
            wait = random.uniform(0.5, 1.0) * 2**attempt * 0.25  # noqa: S311  (jitter, no secret)
            try:
                reply, retry_after = self._once(httpx, client, body, min(end, now + seconds))
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as e:
                problem = f"{e}; set it with: bethink config set {self._setting} URL"
                break
            except httpx.HTTPError as e:
                problem = f"{type(e).__name__}: {e}"
            else:
                if reply.status not in _RETRIED:
                    return reply
                problem = reply.told()
                wait = _seconds(retry_after, wait)
                if end == math.inf:
                    wait = min(wait, _LONGEST_WAIT)
            if attempt + 1 == self._attempts or wait >= end - time.monotonic():
                break
            time.sleep(wait)
        raise self.unusable(problem)

    def _once(
        self, httpx: Any, client: Any, body: Mapping[str, Any], end: float
    ) -> tuple[Reply, str]:
        """Read as it comes: a server that sends a byte a second would outwait any read timeout."""
        content = bytearray()
        left = max(end - time.monotonic(), 0.001)
        with client.stream("POST", self._address, json=body, timeout=left) as reply:
            for chunk in reply.iter_bytes():
                content += chunk
                if time.monotonic() >= end:
                    raise httpx.ReadTimeout("the answer did not come in time")
                if len(content) > self._most_bytes:
                    raise httpx.ReadError(f"it sent more than {self._most_bytes:,} bytes")
            return Reply(reply.status_code, bytes(content)), reply.headers.get("retry-after") or ""

    def unusable(self, problem: str) -> BethinkError:
        if self._key:  # servers like to say which key they did not like
            problem = problem.replace(self._key, "(the key)")
        return self._error(f"{self.shown} cannot be used: {problem}")

    def _httpx(self) -> Any:
        try:
            return import_httpx()
        except MissingExtra as e:
            raise self._error(str(e)) from None

    def get_ready(self) -> None:
        """The first time that takes a while, which is none of the server's."""
        self._connected()

    def _connected(self) -> Any:
        httpx = self._httpx()
        with self._lock:
            if self._client is None:
                headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.Client(headers=headers)
            return self._client

    def close(self) -> None:
        """Let go of the connections. Used again, it opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def import_httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingExtra("talking to a server", "http") from None
    return httpx


def without_password(address: str) -> str:
    """An address as it may be shown and stored: without `user:password@`."""
    before, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return before + slashes + host.rpartition("@")[2] + slash + path


def _seconds(header: str, otherwise: float) -> float:
    try:
        seconds = float(header)
    except ValueError:  # missing, or a date
        return otherwise
    return seconds if seconds >= 0 else otherwise
