"""A server that counts what it is asked, and whose answers a test may change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.servers.http_server import Reply as Reply
from tests.servers.http_server import Request as Request
from tests.servers.http_server import serving as serving


class Server:
    """Counts what it is asked; answers by `answer`, which a test may change."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.address = ""

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.answer(request)

    def refuse(self, status: int, key: str) -> None:
        """From now on: refuse, tell the key to everybody, and point elsewhere."""
        elsewhere = {"location": "http://evil.invalid/"}
        self.answer = lambda _: Reply(status, f"Incorrect API key: {key}".encode(), elsewhere)

    def busy_until_the_third(self, status: int, reply: Reply) -> None:
        busy = Reply(status, b"busy", {"retry-after": "0.01"})
        self.answer = lambda _: busy if len(self.requests) < 3 else reply


@contextmanager
def server_at(path: str, answer: Callable[[Request], Reply]) -> Iterator[Server]:
    server = Server(answer)
    with serving(server) as address:
        server.address = f"{address}{path}"
        yield server
