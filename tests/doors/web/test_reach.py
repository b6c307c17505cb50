"""Small and large screens, keyboards, and colours that can be read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from bethink.knowledge import KnowledgeBase
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.test_rooms import both_languages, both_themes, seed, seed_base
from tests.doors.web.visiting import file

# Every text against what is painted behind it, as WCAG 2 counts contrast; what fails is returned.
_UNREADABLE = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b]
    .map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility({ opacityProperty: true }) || element.disabled) continue;
    if (element.closest(".fresh, .running, option")) continue;  // on their way
    const pair = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) poor.push(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
  }
  return poor;
}"""


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide


@both_languages
@pytest.mark.parametrize("width", [360, 1600])
def test_nothing_sticks_out(served: Served, visit: Open, width: int, language: str) -> None:
    seed(served)
    served.offer("无空格" * 60 + "x" * 200, id="wide", source="https://example.org/" + "y" * 200)
    served.run_node(run="r" * 120, topic="", name="节点" * 40)
    here = visit(width=width, language=language)
    expect(here.page.locator(".run")).to_have_count(2)
    assert _overflow(here.page) <= 0
    here.go("recalls", language)
    here.ask("which theme does Mei like? 小美喜欢什么主题？")
    # told of by an event, like everybody's: what it moves must have moved before the click
    mine = here.page.locator(".recall").filter(has_text="which theme does Mei like")
    expect(mine).to_be_visible()
    others = here.page.locator(".recall").filter(has_text="dark mode 深色主题")
    others.locator("summary").first.click()
    expect(others.locator(".memory-text").first).to_be_visible()
    assert _overflow(here.page) <= 0
    here.go("tiers", language)
    here.page.locator(".digest > summary").click()
    expect(here.page.locator(".proposal")).to_have_count(2)
    for summary in here.page.locator(".board summary").all():
        summary.click()
    assert _overflow(here.page) <= 0


@both_languages
@pytest.mark.parametrize("width", [360, 1600])
def test_nothing_of_a_base_sticks_out(
    served: Served, visit: Open, width: int, language: str
) -> None:
    seed_base(served)
    with served.engine() as engine:
        base = KnowledgeBase(engine, "b" * 100)
        base.add(("# " + "无空格" * 60 + "\n\n" + "x" * 300).encode(), name="y" * 200 + ".md")
        base.add_faq("问" * 200 + "x" * 200, ["z" * 400], similar=["w" * 300])
    here = visit(width=width, language=language)
    here.go("knowledge", language)
    expect(here.page.locator(".document")).to_have_count(1)
    here.page.locator(".document summary").click()
    expect(here.page.locator(".parts-of-document li")).to_have_count(1)
    assert _overflow(here.page) <= 0
    here.part("ask")
    here.ask("x" * 100 + "？ 无空格")
    assert _overflow(here.page) <= 0
    here.part("faq")
    expect(here.page.locator(".document")).to_have_count(1)
    here.page.locator(".document .verbs button").first.click()
    expect(here.page.locator(".entry-form")).to_be_visible()
    assert _overflow(here.page) <= 0


@both_themes
def test_every_text_of_a_base_can_be_read(served: Served, visit: Open, scheme: str) -> None:
    seed_base(served)
    here = visit(scheme=scheme, expected=[r"status of 422"])
    here.go("knowledge")
    expect(here.page.locator(".document")).to_have_count(3)
    here.page.locator("input[name=files]").set_input_files(
        [file("新.md", "# 新\n\n正文"), file("no.pdf", b"no")]
    )
    expect(here.page.locator(".upload .badge.good")).to_be_visible()
    expect(here.page.locator(".upload .note.bad")).to_be_visible()
    assert here.page.evaluate(_UNREADABLE) == []
    here.document("Old contract").get_by_role("button", name="Remove").click()
    expect(here.page.get_by_role("dialog")).to_be_visible()
    assert here.page.evaluate(_UNREADABLE) == []
    here.page.keyboard.press("Escape")
    here.part("ask")
    here.ask("how long is the notice period? 离职")
    assert here.page.evaluate(_UNREADABLE) == []
    here.part("faq")
    expect(here.page.locator(".document")).to_have_count(2)
    here.page.get_by_role("button", name="Add a question").click()
    assert here.page.evaluate(_UNREADABLE) == []


@both_themes
def test_every_text_can_be_read(served: Served, visit: Open, scheme: str) -> None:
    seed(served)
    served.offer("ok", id="short")
    served.offer("Perhaps the rotation is quarterly, I am not sure about that.", confidence=0.2)
    served.run_node(run="failing", topic="")
    here = visit(scheme=scheme)
    expect(here.page.locator(".node.failed")).to_be_visible()
    assert here.page.evaluate(_UNREADABLE) == []
    here.go("recalls")
    here.ask("which theme does Mei like?")
    mine = here.page.locator(".recall").filter(has_text="which theme does Mei like")
    expect(mine).to_be_visible()
    others = here.page.locator(".recall").filter(has_text="dark mode 深色主题")
    others.locator("summary").first.click()
    expect(others.locator(".memory-text").first).to_be_visible()
    assert here.page.evaluate(_UNREADABLE) == []
    here.go("tiers")
    here.page.locator(".digest > summary").click()
    expect(here.page.locator(".proposal")).to_have_count(1)
    assert here.page.evaluate(_UNREADABLE) == []


def _focused(page: Page) -> str:
    text: str = page.evaluate("document.activeElement.innerText || document.activeElement.name")
    return text.strip()


def test_everything_is_within_reach_of_the_keyboard(served: Served, visit: Open) -> None:
    seed(served)
    here = visit()
    page = here.page
    expect(page.locator(".run")).to_have_count(1)
    page.keyboard.press("Tab")
    assert _focused(page) == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "room"
    for _ in range(2):
        page.keyboard.press("Shift+Tab")
    while _focused(page) != "Recalls":
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Recalls")
    page.keyboard.press("Tab")
    assert _focused(page) == "question"
    page.keyboard.type("dark mode?")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_be_visible()
    here.go("tiers")
    promote = here.card("working", "weekly report").get_by_role("button", name="Promote")
    promote.focus()
    page.keyboard.press("Enter")
    expect(here.card("long_term", "weekly report")).to_be_visible()


def test_every_field_and_button_has_a_name(served: Served, visit: Open) -> None:
    seed(served)
    seed_base(served)
    here = visit()
    for room in ("workflow", "recalls", "tiers", "knowledge", "ask", "faq"):
        if room in ("ask", "faq"):
            here.part(room)
        else:
            here.go(room)
        if room in ("knowledge", "faq"):
            expect(here.page.locator(".document").first).to_be_visible()
        nameless = here.page.evaluate(
            """() => [...document.querySelectorAll("input, select, textarea, button, a, summary")]
                .filter((e) => !(e.labels?.[0] ?? e).textContent.trim())
                .map((e) => e.outerHTML)"""
        )
        assert nameless == []
