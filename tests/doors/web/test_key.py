"""Where the server asks for a key, so does the page; it stays in the tab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from bethink.access.keys import NewKey
from bethink.access.reception import Reception
from bethink.settings import Settings
from tests.doors.web.served import Served
from tests.doors.web.visiting import Visit, open_page

REFUSED = (r"status of 40[13]",)
TEXT = (
    "The weekly report goes to Lin every Monday before ten. 每周报告在周一十点前发给林，抄送财务。"
)


class Keyed(Served):
    """A server that asks for keys."""

    def __init__(self, store: Path, **settings: Any) -> None:
        first = Reception(Settings(store=str(store), embedder="hashing"))
        self.reviewer = _key(first, "review", "read")
        self.reader = _key(first, "read")
        first.close()
        super().__init__(store, **settings)


def _key(reception: Reception, *scopes: str) -> NewKey:
    return reception.keys.create(name="小美 Mei", scopes=scopes)


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[Keyed]:
    server = Keyed(tmp_path / "memory.db")
    yield server
    server.stop()


@pytest.fixture
def here(browser: Browser, keyed: Keyed) -> Iterator[Visit]:
    visit = open_page(browser, keyed.address, expected=REFUSED)
    yield visit
    visit.page.context.close()
    assert visit.complaints == []


def enter(page: Page, key: str) -> None:
    page.get_by_role("textbox", name="Key").fill(key)
    page.get_by_role("button", name="Use this key").click()


def test_a_key_is_asked_for_and_kept_in_the_tab_alone(keyed: Keyed, here: Visit) -> None:
    page = here.page
    dialog = page.get_by_role("dialog", name="A key, please")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    enter(page, "bk_wrong")
    expect(dialog.get_by_role("alert")).to_be_visible()
    for typed in (
        "密钥",
        "rk＿１２３４",
        "   ",
    ):  # no header can hold these: it is not the server's fault
        enter(page, typed)
        expect(dialog.get_by_role("alert")).to_contain_text("A key looks like bk_")
    enter(page, keyed.reviewer.key)
    expect(dialog).to_have_count(0)
    expect(page.locator(".connection")).to_have_text("Live")

    assert keyed.reviewer.key not in page.url
    assert keyed.reviewer.key not in page.evaluate("JSON.stringify({...localStorage})")
    assert page.evaluate("sessionStorage.getItem('bethink.key')") == keyed.reviewer.key
    assert page.context.cookies() == []
    page.reload()
    expect(page.locator(".connection")).to_have_text("Live")
    another = page.context.new_page()
    another.goto(keyed.address)
    expect(another.get_by_role("dialog")).to_be_visible()


def test_events_come_with_the_key(keyed: Keyed, here: Visit) -> None:
    enter(here.page, keyed.reviewer.key)
    expect(here.page.locator(".connection")).to_have_text("Live")
    keyed.run_node(run="run-1", topic="发布计划")
    expect(here.page.locator(".node.completed")).to_be_visible()
    here.page.get_by_role("button", name="Forget the key").click()
    expect(here.page.get_by_role("dialog")).to_be_visible()
    assert here.page.evaluate("sessionStorage.length") == 0
    expect(here.page.locator(".node")).to_have_count(0)


def test_a_revoked_key_is_asked_for_again(keyed: Keyed, here: Visit) -> None:
    enter(here.page, keyed.reviewer.key)
    expect(here.page.locator(".connection")).to_have_text("Live")
    keyed.reception.keys.revoke(keyed.reviewer.record.id)
    # At the latest when something is asked for. The server may end the line before that.
    here.page.evaluate("location.hash = 'tiers'")
    expect(here.page.get_by_role("dialog")).to_be_visible()


def test_who_may_only_read_sees_what_may_be_recalled(keyed: Keyed, here: Visit) -> None:
    keyed.offer(TEXT, id="o1")
    enter(here.page, keyed.reader.key)
    here.go("tiers")
    expect(here.page.locator(".note.warn")).to_contain_text("lacks the scope “review”")
    expect(here.card("working", "weekly report")).to_be_visible()
    expect(here.page.locator(".verbs")).to_have_count(0)
