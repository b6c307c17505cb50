"""Who is asked for pages, against real servers that answer well and badly."""

from __future__ import annotations

import base64
import dataclasses
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bethink import settings as settings_module
from bethink.errors import SettingsError, WebError
from bethink.knowledge.web.providers import JsonSearch, Paths, SearXNG, provider_of
from bethink.knowledge.web.results import WebResult, WebSearch
from bethink.settings import Settings
from tests.embedders.serving import Reply
from tests.knowledge.web.serving_web import Site, a_site, head, html, redirect, talking

KEY = "wk-Very-Secret-0123456789"


@pytest.fixture
def site() -> Iterator[Site]:
    with a_site() as one:
        one.results = [
            {"title": " Metro\n times ", "url": "https://a.example/", "content": "From 5:30 on"},
            {"title": "末班车", "url": "https://b.example/", "content": "十点四十五分", "score": 1},
            {"title": "no link"},
            "no result at all",
            {"title": None, "url": "https://c.example/", "content": ["one", "two", 3]},
        ]
        yield one


def search(
    one: WebSearch, text: str = "末班车 last train?", *, seconds: float = 5
) -> list[WebResult]:
    return list(one.search(text, 10, seconds))


def told(**settings: Any) -> WebSearch:
    found = provider_of(Settings(**settings))
    assert found is not None
    return found


@pytest.mark.parametrize("path", ["", "/", "/search"])
def test_searxng(site: Site, path: str) -> None:
    one = told(web_search="searxng", web_endpoint=site.address + path)
    assert search(one) == [
        WebResult("Metro times", "https://a.example/", "From 5:30 on"),
        WebResult("末班车", "https://b.example/", "十点四十五分"),
        WebResult("", "https://c.example/", "one … two"),
    ]
    (request,) = site.requests
    asked = urlsplit(request.path)
    assert asked.path == "/search"
    assert parse_qs(asked.query) == {"q": ["末班车 last train?"], "format": ["json"]}
    assert "authorization" not in request.headers


def test_no_more_than_wanted(site: Site) -> None:
    one = SearXNG(site.address)
    assert len(one.search("x", 1, 5)) == 1
    site.results = [{"title": "x", "url": f"https://x.example/{n}"} for n in range(5_000)]
    assert len(one.search("x", 10, 5)) == 10


def test_any_api_by_get(site: Site) -> None:
    hit = {"name": "天气", "links": [{"href": "https://w.example/"}], "text": "晴 sunny"}
    site.pages["/v1/web"] = Site.say({"data": {"web": [hit, {"links": []}, 7]}})
    one = told(
        web_search="json",
        web_endpoint=f"{site.address}/v1/web?q={{query}}&count={{limit}}&safe=1",
        web_key=f"{KEY}\n",
        web_key_header="X-Subscription-Token",
        web_paths="data.web, name, links.0.href, text",
    )
    assert search(one, "天气 & {limit} a/b?") == [
        WebResult("天气", "https://w.example/", "晴 sunny")
    ]
    (request,) = site.requests
    assert request.method == "GET"
    asked = parse_qs(urlsplit(request.path).query)
    assert asked == {"q": ["天气 & {limit} a/b?"], "count": ["10"], "safe": ["1"]}
    assert request.headers["x-subscription-token"] == KEY


def test_any_api_by_post(site: Site) -> None:
    site.pages["/search"] = Site.say([{"title": "a", "url": "https://a.example/"}])
    one = told(
        web_search="json",
        web_endpoint=f"{site.address}/search",
        web_key=KEY,
        web_body='{"query": "about: {query}", "max": "{limit}", "deep": [false, "{query}"]}',
        web_paths=", title, url,",
    )
    assert search(one, '引号 "quoted"') == [WebResult("a", "https://a.example/", "")]
    (request,) = site.requests
    assert request.method == "POST"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.json == {
        "query": 'about: 引号 "quoted"',
        "max": 10,
        "deep": [False, '引号 "quoted"'],
    }


def test_a_name_and_a_password_in_the_address(site: Site) -> None:
    one = SearXNG(site.address.replace("://", "://me:p%40ss@"))
    assert search(one)
    login = site.requests[0].headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(login) == b"me:p@ss"


def test_long_questions_are_shortened(site: Site) -> None:
    SearXNG(site.address).search("长" * 5_000, 10, 5)
    assert site.asked == ["长" * 400]


BAD = {
    "a page instead of JSON": (html("<p>hello</p>"), "no JSON"),
    "nothing": (Reply(), "no JSON"),
    "deep JSON": (Reply(body=b"[" * 200_000), "no JSON"),
    "no list": (Site.say({"answers": []}), "no list"),
    "null": (Site.say(None), "no list"),
    "500": (Reply(500, b"oops"), "answered 500"),
    "429": (Reply(429, b"later"), "answered 429"),
    "403": (Reply(403, b"no"), "json in search.formats"),
    "a redirect": (redirect("http://elsewhere.example/"), "leads elsewhere"),
    "too much": (Reply(body=b" " * 3_000_000), "more than 2,000,000"),
    "silent engines": (
        Site.say({"results": [], "unresponsive_engines": [["bing", "timeout"]]}),
        "bing",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_answer(site: Site, name: str) -> None:
    site.pages["/search"], why = BAD[name]
    with pytest.raises(WebError, match=why):
        search(SearXNG(site.address))
    assert len(site.requests) == 1  # a redirect is not followed: the key stays here


def test_no_results_are_no_failure(site: Site) -> None:
    site.results = []
    assert search(SearXNG(site.address)) == []


def test_a_key_that_is_refused_is_not_told_on(site: Site) -> None:
    site.pages["/search"] = Reply(401, f"bad key {KEY}".encode())
    with pytest.raises(WebError, match="check web_key") as caught:
        search(JsonSearch(f"{site.address}/search?q={{query}}", key=KEY))
    assert KEY not in str(caught.value)


def _drip(caller: socket.socket) -> None:
    caller.sendall(head("Content-Type: application/json", "Content-Length: 9999"))
    for _ in range(400):
        caller.sendall(b" ")
        time.sleep(0.05)


def test_one_that_takes_its_time() -> None:
    with talking(_drip) as port:
        began = time.monotonic()
        with pytest.raises(WebError, match="not done in time"):
            search(SearXNG(f"http://127.0.0.1:{port}"), seconds=0.3)
        assert time.monotonic() - began < 10


def test_one_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(WebError, match="cannot be read"):
        search(SearXNG(f"http://127.0.0.1:{port}"))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"web_search": "searxng"}, "web_endpoint URL"),
        ({"web_search": "searxng", "web_endpoint": "ftp://x"}, "only http and https"),
        ({"web_search": "json", "web_endpoint": "https://x.example/"}, "{query}"),
        ({"web_search": "json", "web_endpoint": "https://x.example/{query}", "web_paths": "a"},
         "four paths"),
        ({"web_search": "json", "web_endpoint": "https://x.example/", "web_body": "{query}"},
         "web_body is JSON"),
        ({"web_search": "json", "web_endpoint": "https://x.example/{query}", "web_key": "钥匙"},
         "web_key KEY"),
        ({"web_search": "json", "web_endpoint": "https://x.example/{query}", "web_key": "k",
          "web_key_header": "X: y\r\nZ"}, "name of a header"),
        ({"web_search": "google"}, "none or searxng or json"),
    ],
)  # fmt: skip
def test_settings_that_cannot_work(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        provider_of(Settings(**wrong))
    assert why in str(caught.value)


def test_none_is_set() -> None:
    assert provider_of(Settings()) is None
    assert Paths() == tuple(part.strip() for part in Settings().web_paths.split(","))


def test_a_project_that_was_cloned_sends_nothing_anywhere(tmp_path: Path) -> None:
    """Each of the settings of the web says where questions go, or with which key."""
    names = [f.name for f in dataclasses.fields(Settings) if f.name.startswith("web_")]
    assert len(names) == 6
    lines = [f'{name} = "{"json" if name == "web_search" else "x"}"\n' for name in names]
    (tmp_path / settings_module.PROJECT_FILE).write_text("".join(lines))
    loaded = settings_module.load(environment={}, directory=tmp_path)
    assert all(getattr(loaded.settings, name) == getattr(Settings(), name) for name in names)
    assert len(loaded.warnings) == len(names)
    assert "web_key" in settings_module.SECRET
    assert KEY not in repr(Settings(web_key=KEY))


def test_a_wrong_name_is_refused_where_it_is_set() -> None:
    with pytest.raises(SettingsError, match="web_search is none or searxng or json"):
        settings_module.load({"web_search": "google"}, environment={})
