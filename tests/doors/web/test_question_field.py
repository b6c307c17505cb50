"""Typing a question, in both rooms that take one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.test_rooms import seed, seed_base
from tests.doors.web.visiting import Visit


@pytest.fixture(params=["recalls", "knowledge"])
def here(request: pytest.FixtureRequest, served: Served, visit: Open) -> Visit:
    seed(served)
    seed_base(served)
    visited = visit()
    visited.go(request.param)
    if request.param == "knowledge":
        visited.part("ask")
    return visited


def test_enter_asks_and_with_shift_it_begins_a_line(here: Visit) -> None:
    field, answer = here.page.locator("textarea"), here.page.locator(".answer")
    field.press_sequentially("theme 主题")
    field.press("Shift+Enter")
    field.press_sequentially("notice 离职")
    expect(field).to_have_value("theme 主题\nnotice 离职")
    expect(answer).to_have_count(0)
    field.press("Enter")
    expect(answer).to_be_visible()
    expect(field).to_have_value("theme 主题\nnotice 离职")


def test_enter_that_chooses_a_character_does_not_ask(here: Visit) -> None:
    """As an input method has it: the letters are not yet what they will be."""
    page = here.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if _asks(request.url) else None)
    field, keyboard = page.locator("textarea"), page.context.new_cdp_session(page)
    field.focus()
    keyboard.send(
        "Input.imeSetComposition", {"text": "zhuti", "selectionStart": 5, "selectionEnd": 5}
    )
    expect(field).to_have_value("zhuti")
    for kind in ("rawKeyDown", "keyUp"):  # the input method keeps the line end for itself
        enter = {"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        keyboard.send("Input.dispatchKeyEvent", enter)
    keyboard.send("Input.insertText", {"text": "主题"})
    expect(field).to_have_value("主题")
    assert asked == []
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_be_visible()
    assert len(asked) == 1


def _asks(url: str) -> bool:
    return url.endswith(("/recall", "/ask", "/search"))
