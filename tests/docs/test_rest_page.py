"""The page about REST is what the routes say, here and on the server's own page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from fastapi.routing import APIRoute
from tools.pages.rest import page

from bethink.access.reception import Reception
from bethink.doors.http.app import create_app
from bethink.settings import Settings

PAGE = Path(__file__).parents[2] / "docs/reference/rest.md"


def _ways(reception: Reception) -> set[str]:
    return {
        f"{method} {route.path_format}"
        for route in create_app(reception).routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }


def test_the_page_is_true() -> None:
    assert PAGE.read_text("utf-8") == page(), (
        "run: python -m tools.pages.rest > docs/reference/rest.md"
    )


def test_every_route_is_on_it_and_says_what_it_does(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="none")) as reception:
        ways = _ways(reception)
        schema = create_app(reception).openapi()
    assert set(re.findall(r"^### (.*)$", text, re.M)) == ways
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            assert one["summary"], (method, path)
            assert one["tags"], (method, path)


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text, self.tags = "", set[str]()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_servers_own_page_needs_no_network(tmp_path: Path) -> None:
    from bethink.doors.http.api_page import page_of

    with Reception(Settings(store=str(tmp_path / "m.db"), embedder="none")) as reception:
        ways = _ways(reception)
        shown = page_of(create_app(reception).openapi())
    read = _Read()
    read.feed(shown)
    assert "script" not in read.tags
    assert read.links == ["/openapi.json"]
    for way in ways:
        assert way in re.sub(r"\s+", " ", read.text), way
    assert "小美" in read.text
