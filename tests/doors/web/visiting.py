"""Somebody at a browser. Whatever the browser complains about fails the test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FilePayload, Locator, Page, Request, expect

# What the tests look for, as people read it.
TITLES = {
    "en": {
        "workflow": "Workflow",
        "recalls": "Recalls",
        "tiers": "Tiers",
        "knowledge": "Knowledge",
    },
    "zh": {"workflow": "工作流", "recalls": "回忆", "tiers": "层级", "knowledge": "知识库"},
}
LOCALES = {"en": "en-GB", "zh": "zh-CN"}


def file(name: str, text: str | bytes) -> FilePayload:
    """One that somebody chooses."""
    data = text.encode() if isinstance(text, str) else text
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


class Visit(NamedTuple):
    page: Page
    complaints: list[str]
    strangers: list[str]  # addresses asked for that are not the server's

    def go(self, room: str, language: str = "en") -> None:
        """Through the bar, as people do."""
        self.page.get_by_role("link", name=TITLES[language][room], exact=True).click()
        title = self.page.get_by_role("heading", level=1, name=TITLES[language][room])
        expect(title).to_be_visible()

    def ask(self, question: str) -> Locator:
        field = self.page.locator("textarea")
        field.fill(question)
        field.press("Enter")
        answer = self.page.locator(".answer")
        expect(answer).to_be_visible()
        return answer

    def part(self, value: str) -> None:
        """Of the room of knowledge: documents, ask or faq."""
        self.page.locator(f".parts label:has(input[value={value}])").click()

    def document(self, text: str) -> Locator:
        return self.page.locator(".document").filter(has_text=text)

    def column(self, name: str) -> Locator:
        return self.page.locator(f".column.{name}")

    def card(self, name: str, text: str) -> Locator:
        return self.column(name).locator("article").filter(has_text=text)


def open_page(
    browser: Browser,
    address: str,
    *,
    language: str = "en",
    scheme: str = "light",
    width: int = 1200,
    expected: Sequence[str] = (),
) -> Visit:
    """`expected`: patterns of complaints that belong to the test, such as a server that is away."""
    assert scheme in ("light", "dark")
    context = browser.new_context(
        locale=LOCALES[language],
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": width, "height": 900},
    )
    page = context.new_page()
    visit = Visit(page, [], [])

    def complain(text: str) -> None:
        if not any(re.search(pattern, text) for pattern in expected):
            visit.complaints.append(text)

    def asked(request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(address).netloc:
            visit.strangers.append(request.url)

    page.on("console", lambda m: complain(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complain(str(error)))
    page.on("request", asked)
    page.goto(address)
    return visit
