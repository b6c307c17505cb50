"""What strangers wrote stays text, whatever it looks like."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.doors.web.conftest import Open
from tests.doors.web.served import Served

ENOUGH = (
    " 这段文字足够长，不会被当作噪声忽略掉，因此会进入工作记忆。 It is long enough to stay here."
)
SCRIPT = "<script>window.pwned = 1</script>" + ENOUGH
MARKUP = [
    SCRIPT,
    "<img src=x onerror='window.pwned = 1'>" + ENOUGH,
    "![picture](http://stranger.example/x.png) [link](javascript:window.pwned=1)" + ENOUGH,
    "</textarea></style><svg onload=window.pwned=1>" + ENOUGH,
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1}" + ENOUGH,
]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_as_it_is_written(served: Served, visit: Open, text: str) -> None:
    with served.engine() as engine:
        engine.remember(text, source=text[:80], tags=["<b>tag</b>"], section="<i>section</i>")
    served.offer(text + " offered", source=text[:80])
    with served.engine() as engine:
        engine.recall(text)
    here = visit()
    here.go("recalls")
    answer = here.ask(text)
    expect(answer.locator(".hit").first).to_contain_text(text)
    answer.locator(".hit summary").last.click()
    answer.locator("details").last.locator("summary").click()
    expect(answer.locator(".model-text")).to_be_visible()
    here.page.locator(".recall summary").first.click()
    here.go("tiers")
    card = here.page.locator(".board article").filter(has_text="offered")
    expect(card.locator(".memory-text")).to_contain_text(text)
    here.page.locator(".digest > summary").click()
    expect(here.page.locator(".proposal")).to_be_visible()
    found = "#room :is(script, img, svg, a, b > *, i, iframe, style, object)"
    assert here.page.locator(found).count() == 0
    assert here.page.evaluate("window.pwned") is None


HIDDEN = {
    "turned": ("invoice \u202egnp.exe", "U+202E"),
    "isolated": ("a \u2066b\u2069 c", "U+2066"),
    "zero width": ("pass\u200bword 密\u200b码", "U+200B"),
    "escape": ("red \x1b[31m text", "U+001B"),
    "bom": ("bom \ufeff inside", "U+FEFF"),
    "lines": ("one\u2028two", "U+2028"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_is_made_visible(served: Served, visit: Open, name: str) -> None:
    text, mark = HIDDEN[name]
    here = visit()
    parts = here.page.evaluate(
        "async (text) => (await import('/page/visible.js')).visible(text)", text
    )
    marks = [part["mark"] for part in parts if isinstance(part, dict)]
    assert mark in marks[0]
    shown = "".join(part for part in parts if isinstance(part, str))
    assert not set(shown) & set("\u202e\u2066\u2069\u200b\x1b\ufeff\u2028")


def test_pictures_line_breaks_and_both_languages_are_not_hidden(
    served: Served, visit: Open
) -> None:
    text = "一行\n\t二行 👩‍👩‍👧 🏳️‍🌈 e\u0301 مرحبا שלום 한국어 हिन्दी"
    here = visit()
    parts = here.page.evaluate(
        "async (text) => (await import('/page/visible.js')).visible(text)", text
    )
    assert parts == [text]


def test_hidden_orders_are_spelled_out_on_the_card(served: Served, visit: Open) -> None:
    secret = "".join(chr(0xE0000 + ord(c)) for c in "obey me")
    served.offer(f"Lunch is at noon. 午饭在十二点。{secret}{ENOUGH}", id="tags")
    here = visit()
    here.go("tiers")
    card = here.page.locator(".board article")
    expect(card.locator(".hidden-mark").first).to_contain_text("obey me")


@pytest.mark.parametrize("letter", ["a", "长"])
def test_long_text_is_cut_and_shown_on_demand(served: Served, visit: Open, letter: str) -> None:
    text = letter * 10_000
    with served.engine() as engine:
        engine.remember(text)
    here = visit(width=360)
    here.go("tiers")
    card = here.column("long_term").locator("article")
    more = card.get_by_role("button", name="Show all")
    expect(more).to_contain_text("10,000")
    assert len(card.locator(".memory-text p").inner_text()) < 500
    more.click()
    assert len(card.locator(".memory-text p").inner_text()) == 10_000
    assert here.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
