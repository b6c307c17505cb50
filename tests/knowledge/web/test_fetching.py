"""Fetching, against real servers: good ones, and ones that want to harm."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Sequence
from functools import partial
from urllib.parse import quote

import pytest
import trustme

from bethink.errors import WebError
from bethink.knowledge.web.exchange import unpacked
from bethink.knowledge.web.fetching import Fetcher
from bethink.knowledge.web.links import LinkRefused
from bethink.knowledge.web.reading import read
from tests.embedders.serving import Reply, Request
from tests.knowledge.web.serving_web import (
    Site,
    head,
    html,
    local,
    local_fetcher,
    redirect,
    talking,
)


def at(site: Site, path: str, host: str = "site.example") -> str:
    return f"http://{host}:{site.port}{path}"


def test_what_is_sent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cookies, no referrer, and no proxy, whatever the environment says."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    cookie = {"Set-Cookie": "id=1", "Content-Type": "text/plain; charset=utf-8"}
    site.pages["/a"] = Reply(body="你好 hello".encode(), headers=cookie)
    fetcher = local_fetcher()
    for _ in range(2):
        fetched = fetcher.fetch(at(site, "/a"), seconds=5)
    assert read(fetched).text == "你好 hello"
    assert fetched.url == at(site, "/a")
    for request in site.requests:
        assert set(request.headers) <= {
            "host", "user-agent", "accept", "accept-encoding", "connection"
        }  # fmt: skip
        assert request.headers["host"] == f"site.example:{site.port}"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "2130706433",
                                  "0x7f.1", "127.1", "[::ffff:127.0.0.1]"])  # fmt: skip
def test_this_machine_is_not_asked(site: Site, host: str) -> None:
    with pytest.raises(LinkRefused):
        Fetcher(ports=None).fetch(f"http://{host}:{site.port}/a", seconds=5)
    assert site.requests == []


def _found(addresses: Sequence[str], host: str, port: int) -> Sequence[str]:
    return addresses


def test_a_name_that_leads_to_this_machine_is_not_asked(site: Site) -> None:
    """One forbidden address among good ones is enough."""
    for found in (["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"], ["fe80::1%1"], ["odd"]):
        fetcher = Fetcher(ports=None, resolve=partial(_found, found))
        with pytest.raises(LinkRefused, match="no public address"):
            fetcher.fetch(at(site, "/a"), seconds=5)
    assert site.requests == []


def test_a_name_that_changes_its_mind_is_asked_once(site: Site) -> None:
    """What was checked is what is connected to: nobody asks the resolver again in between."""
    answers = [["127.0.0.1"], ["127.0.0.2"]]
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    site.pages["/a"] = html("<p>hello</p>")
    fetcher = Fetcher(allowed=lambda a: str(a) == "127.0.0.1", resolve=resolve, ports=None)
    assert read(fetcher.fetch(at(site, "/a"), seconds=5)).text == "hello"
    assert asked == ["site.example"]
    with pytest.raises(LinkRefused):
        fetcher.fetch(at(site, "/a"), seconds=5)
    assert len(site.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_checked_every_time(site: Site, status: int) -> None:
    site.pages["/a"] = redirect("/b", status)
    site.pages["/b"] = redirect(at(site, "/c", "other.example"), status)
    site.pages["/c"] = html("<p>there 到了</p>")
    fetched = local_fetcher().fetch(at(site, "/a"), seconds=5)
    assert fetched.url == at(site, "/c", "other.example")
    assert read(fetched).text == "there 到了"
    with pytest.raises(LinkRefused, match=r"leads to 10\.0\.0\.1"):
        local_fetcher({"other.example": "10.0.0.1"}).fetch(at(site, "/a"), seconds=5)


@pytest.mark.parametrize(
    "where",
    ["file:///etc/passwd", "ftp://site.example/x", "http://169.254.169.254/latest/meta-data/",
     "http://[::ffff:169.254.169.254]/", "//10.0.0.1/", "http://0x7f.1/", "gopher://x/",
     "http://user:pw@site.example/", "http://2852039166/", "http://[::1", "//[x"],
)  # fmt: skip
def test_redirects_to_where_nothing_is_fetched_from(site: Site, where: str) -> None:
    site.pages["/a"] = redirect(where)
    with pytest.raises(LinkRefused):
        local_fetcher().fetch(at(site, "/a"), seconds=5)
    assert len(site.requests) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_redirects_that_are_written_as_they_are_read(site: Site, encoding: str) -> None:
    """Bytes that are no ASCII: UTF-8, or else what headers once were."""
    where = "/页面?问=é" if encoding == "utf-8" else "/page?q=\xe9"
    site.pages["/a"] = redirect(where.encode(encoding).decode("latin-1"))
    target = quote(where, safe="/?=")
    site.pages[target.partition("?")[0]] = html("<p>there 到了</p>")
    fetched = local_fetcher().fetch(at(site, "/a"), seconds=5)
    assert (fetched.url, read(fetched).text) == (at(site, target), "there 到了")


def test_redirects_without_end(site: Site) -> None:
    site.pages["/a"] = redirect("/a")
    with pytest.raises(WebError, match="more than 5 redirects"):
        local_fetcher().fetch(at(site, "/a"), seconds=5)
    assert len(site.requests) == 6


def test_ports(site: Site) -> None:
    fetcher = Fetcher(allowed=local, resolve=lambda host, port: ["127.0.0.1"])
    with pytest.raises(LinkRefused, match=f"port {site.port}"):
        fetcher.fetch(at(site, "/a"), seconds=5)
    with pytest.raises(LinkRefused, match="port 22"):
        fetcher.fetch("http://site.example:22/", seconds=5)
    assert site.requests == []


def test_links_with_a_password(site: Site) -> None:
    with pytest.raises(LinkRefused, match="password"):
        local_fetcher().fetch(f"http://me:secret@site.example:{site.port}/a", seconds=5)
    assert site.requests == []


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 429, 500, 503])
def test_other_answers(site: Site, status: int) -> None:
    site.pages["/a"] = Reply(status, b"" if status == 204 else b"<p>sorry</p>")
    with pytest.raises(WebError, match=f"answered {status}"):
        local_fetcher().fetch(at(site, "/a"), seconds=5)


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/zip", "video/mp4",
                                  "application/octet-stream", "application/json"])  # fmt: skip
def test_other_kinds_of_content(site: Site, kind: str) -> None:
    site.pages["/a"] = Reply(body=b"%PDF", headers={"Content-Type": kind})
    with pytest.raises(WebError, match="not read"):
        local_fetcher().fetch(at(site, "/a"), seconds=5)


def test_bytes_that_say_they_are_a_page(site: Site) -> None:
    site.pages["/a"] = Reply(body=b"\x89PNG\0\0\0" * 9, headers={"Content-Type": "text/html"})
    with pytest.raises(WebError, match="no text"):
        read(local_fetcher().fetch(at(site, "/a"), seconds=5))


def test_a_long_page_is_cut(site: Site) -> None:
    site.pages["/a"] = html("<p>hello world</p>" * 10_000)
    fetched = local_fetcher(most_bytes=5_000).fetch(at(site, "/a"), seconds=5)
    assert fetched.cut
    assert len(fetched.content) == 5_000


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data)[2:-4]),
    ],
)
def test_packed_pages_and_bombs(site: Site, name: str, pack: object) -> None:
    assert callable(pack)
    packed = {"Content-Type": "text/plain; charset=utf-8", "Content-Encoding": name}
    site.pages["/a"] = Reply(body=pack("你好 hello".encode() * 99), headers=packed)
    site.pages["/bomb"] = Reply(body=pack(b"0" * 300_000_000), headers=packed)
    fetcher = local_fetcher()
    assert read(fetcher.fetch(at(site, "/a"), seconds=5)).text.startswith("你好 hello你好")
    bomb = fetcher.fetch(at(site, "/bomb"), seconds=20)
    assert bomb.cut
    assert len(bomb.content) == 1_000_000


@pytest.mark.parametrize("size", [1, 7, 65_536])
@pytest.mark.parametrize("behind", [b"", b"\0\0 not of it", b"\x1f"])
def test_several_that_are_packed_one_behind_the_other(size: int, behind: bytes) -> None:
    parts = ["你好 ", "", "hello ", "再见"]
    packed = b"".join(gzip.compress(part.encode()) for part in parts) + behind
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(unpacked(pieces, "gzip", 1_000)).decode() == "".join(parts)


def test_bombs_one_behind_the_other(site: Site) -> None:
    packed = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    site.pages["/bomb"] = Reply(body=gzip.compress(b"0" * 600_000) * 500, headers=packed)
    bomb = local_fetcher().fetch(at(site, "/bomb"), seconds=20)
    assert (bomb.cut, len(bomb.content)) == (True, 1_000_000)


@pytest.mark.parametrize("packed", ["br", "zstd", "gzip, gzip", "compress"])
def test_packed_otherwise(site: Site, packed: str) -> None:
    headers = {"Content-Type": "text/html", "Content-Encoding": packed}
    site.pages["/a"] = Reply(body=b"x", headers=headers)
    with pytest.raises(WebError, match="packed"):
        local_fetcher().fetch(at(site, "/a"), seconds=5)


def test_broken_gzip(site: Site) -> None:
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    site.pages["/a"] = Reply(body=b"this is no gzip", headers=headers)
    with pytest.raises(WebError, match="unpacked"):
        local_fetcher().fetch(at(site, "/a"), seconds=5)


def _never(caller: socket.socket) -> None:
    time.sleep(20)


def _drip_head(caller: socket.socket) -> None:
    caller.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(400):
        caller.sendall(b"X: y\r\n")
        time.sleep(0.05)


def _drip_body(caller: socket.socket) -> None:
    caller.sendall(head("Content-Type: text/html", "Content-Length: 100000"))
    for _ in range(400):
        caller.sendall(b"x")
        time.sleep(0.05)


def _drip_chunks(caller: socket.socket) -> None:
    caller.sendall(head("Content-Type: text/html", "Transfer-Encoding: chunked"))
    for _ in range(400):
        caller.sendall(b"1\r\nx\r\n")
        time.sleep(0.05)


def _continue_for_ever(caller: socket.socket) -> None:
    for _ in range(400):
        caller.sendall(head(status="100 Continue"))
        time.sleep(0.05)


@pytest.mark.parametrize("talk", [_never, _drip_head, _drip_body, _drip_chunks, _continue_for_ever])
@pytest.mark.parametrize("secure", [False, True])
def test_servers_that_take_their_time(talk: object, secure: bool) -> None:
    """Each byte in time does not make the whole in time."""
    assert callable(talk)
    ca = trustme.CA()
    context = ssl.create_default_context()
    ca.configure_trust(context)
    with talking(talk, tls=ca if secure else None) as port:
        began = time.monotonic()
        with pytest.raises(WebError, match="not done in time"):
            local_fetcher(tls=context).fetch(
                f"http{'s' if secure else ''}://site.example:{port}/", seconds=0.4
            )
        assert time.monotonic() - began < 10


def test_a_handshake_that_never_comes() -> None:
    with talking(_never) as port:
        began = time.monotonic()
        with pytest.raises(WebError, match="not done in time"):
            local_fetcher().fetch(f"https://site.example:{port}/", seconds=0.3)
        assert time.monotonic() - began < 10


def test_a_resolver_that_hangs() -> None:
    released = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        released.wait(10)
        return ["127.0.0.1"]

    began = time.monotonic()
    with pytest.raises(WebError, match="not found in time"):
        Fetcher(resolve=resolve).fetch("http://slow.example/", seconds=0.2)
    assert time.monotonic() - began < 5
    released.set()


def _long_head(caller: socket.socket) -> None:
    caller.sendall(b"HTTP/1.1 200 OK\r\n")
    for at_ in range(300):
        caller.sendall(f"X-{at_}: {'y' * 8_000}\r\n".encode())


def _garbage(caller: socket.socket) -> None:
    caller.sendall(b"\x00\xff" * 5_000)


def _ends_early(caller: socket.socket) -> None:
    caller.sendall(head("Content-Type: text/html", "Content-Length: 1000") + b"<p>half")


def _bad_chunks(caller: socket.socket) -> None:
    caller.sendall(head("Content-Type: text/html", "Transfer-Encoding: chunked") + b"zz\r\nx\r\n")


def _says_nothing(caller: socket.socket) -> None:
    return


@pytest.mark.parametrize("talk", [_long_head, _garbage, _ends_early, _bad_chunks, _says_nothing])
def test_servers_that_speak_no_http(talk: object) -> None:
    assert callable(talk)
    with talking(talk) as port, pytest.raises(WebError, match=r"site\.example"):
        local_fetcher().fetch(f"http://site.example:{port}/", seconds=5)


def test_nobody_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(WebError, match="cannot be read"):
        local_fetcher().fetch(f"http://site.example:{port}/", seconds=5)
    with pytest.raises(WebError, match="no address"):
        Fetcher(resolve=lambda host, port: []).fetch("http://nowhere.example/", seconds=5)


def _page(caller: socket.socket) -> None:
    body = "<title>安全</title><p>secure 安全</p>".encode()
    caller.sendall(head("Content-Type: text/html", f"Content-Length: {len(body)}") + body)


def test_certificates_are_checked_against_the_name_not_the_address() -> None:
    ca, other = trustme.CA(), trustme.CA()
    context = ssl.create_default_context()
    ca.configure_trust(context)
    with talking(_page, tls=ca) as port:
        page = read(local_fetcher(tls=context).fetch(f"https://site.example:{port}/", seconds=5))
        assert page == ("安全", "secure 安全")
        with pytest.raises(WebError, match="certificate"):
            local_fetcher(tls=context).fetch(f"https://evil.example:{port}/", seconds=5)
        with pytest.raises(WebError, match="certificate"):
            local_fetcher().fetch(f"https://site.example:{port}/", seconds=5)
    with talking(_page, tls=other) as port, pytest.raises(WebError, match="certificate"):
        local_fetcher(tls=context).fetch(f"https://site.example:{port}/", seconds=5)


def test_the_second_address_is_tried(site: Site) -> None:
    site.pages["/a"] = html("<p>hello</p>")
    fetcher = Fetcher(
        allowed=local, resolve=lambda host, port: ["127.0.0.9", "127.0.0.1"], ports=None
    )
    assert read(fetcher.fetch(at(site, "/a"), seconds=5)).text == "hello"


def test_requests_are_what_was_checked(site: Site) -> None:
    """A line break in a link does not become a header."""
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return html("<p>hello</p>")

    site.answer = answer
    local_fetcher().fetch(at(site, "/a\r\nX-Evil: 1\r\n\r\nGET /b"), seconds=5)
    assert len(seen) == 1
    assert "x-evil" not in seen[0].headers
