"""Real servers on local ports that behave like the web, its worst parts included."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme

from bethink.knowledge.web.addresses import Address
from bethink.knowledge.web.fetching import Fetcher
from tests.embedders.serving import Reply, Request, Server, serving

Talk = Callable[[socket.socket], None]


def local(address: Address) -> bool:
    return address.is_loopback


def local_fetcher(hosts: Mapping[str, str] | None = None, **options: Any) -> Fetcher:
    """Reads pages of this machine: all names lead to it but those that are told apart."""

    def resolve(host: str, port: int) -> Sequence[str]:
        return [(hosts or {}).get(host, "127.0.0.1")]

    return Fetcher(**{"allowed": local, "resolve": resolve, "ports": None, **options})


def html(body: str, *, title: str = "A page", charset: str = "utf-8", says: str = "") -> Reply:
    """`says`: what the server tells of the charset; nothing unless told."""
    text = f'<html><head><meta charset="{charset}"><title>{title}</title></head>{body}</html>'
    told = f"text/html; charset={says}" if says else "text/html"
    return Reply(body=text.encode(charset), headers={"Content-Type": told})


def redirect(where: str, status: int = 302) -> Reply:
    return Reply(status, headers={"Location": where})


class Site(Server):
    """Pages by path; `/search` answers like a SearXNG that knows all of `results`."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.pages: dict[str, Reply | Callable[[Request], Reply]] = {}
        self.results: list[Any] = []

    def _answer(self, request: Request) -> Reply:
        path = urlsplit(request.path).path
        if path == "/search" and path not in self.pages:
            return self.say({"results": self.results})
        page = self.pages.get(path, Reply(404))
        return page(request) if callable(page) else page

    @staticmethod
    def say(told: Any) -> Reply:
        content = json.dumps(told, ensure_ascii=False).encode()
        return Reply(body=content, headers={"Content-Type": "application/json"})

    def publish(self, path: str, page: Reply, *, host: str = "site.example", title: str = "",
                snippet: str = "") -> str:  # fmt: skip
        """Put a page there and have the search name it; its link."""
        self.pages[path] = page
        url = f"http://{host}:{self.port}{path}"
        self.results.append({"title": title or path, "url": url, "content": snippet})
        return url

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def asked(self) -> list[str]:
        """The questions that the search heard."""
        return [
            parse_qs(urlsplit(r.path).query)["q"][0]
            for r in self.requests
            if r.path.startswith("/search?")
        ]


@contextmanager
def a_site() -> Iterator[Site]:
    site = Site()
    with serving(site) as address:
        site.address = address
        yield site


@contextmanager
def talking(talk: Talk, *, tls: trustme.CA | None = None) -> Iterator[int]:
    """A server that says what it likes, byte by byte, to everybody; gives its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.05)
    done = threading.Event()
    context: ssl.SSLContext | None = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.issue_cert("site.example").configure_cert(context)

    def serve(caller: socket.socket) -> None:
        with suppress(OSError), caller:  # whoever called may have hung up
            caller.settimeout(5)
            if context is None:
                caller.recv(65_536)
                talk(caller)
                return
            with context.wrap_socket(caller, server_side=True) as inside:
                inside.recv(65_536)
                talk(inside)

    def listen() -> None:
        while not done.is_set():
            try:
                caller, _ = listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=serve, args=(caller,), daemon=True).start()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        done.set()
        thread.join()
        listener.close()


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", *lines, "", "")).encode()
