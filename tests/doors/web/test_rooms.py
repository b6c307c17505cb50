"""Through every room, in both languages and both themes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from bethink.knowledge import KnowledgeBase
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.visiting import TITLES

LONG = (
    "The weekly report goes to Lin every Monday before ten. 每周报告在周一十点前发给林，抄送财务。"
)
SAID = {
    "en": {
        "live": "Live",
        "promote": "Promote",
        "answered": "answered",
        "stages": "Stages",
        "part": "relevance",
    },
    "zh": {
        "live": "实时",
        "promote": "提升",
        "answered": "已回答",
        "stages": "各阶段",
        "part": "相关度",
    },
}
both_languages = pytest.mark.parametrize("language", ["en", "zh"])
both_themes = pytest.mark.parametrize("scheme", ["light", "dark"])


GUIDE = """# Handbook 员工手册

## Leave 年假

Everybody has 25 days of leave a year. 每位员工每年有二十五天年假。

## Notice 离职

The notice period is three months. 离职须提前三个月通知。
"""


def seed_base(served: Served) -> None:
    """A base with three documents, one of them withheld, and two questions."""
    with served.engine() as engine:
        base = KnowledgeBase(engine, "手册")
        base.add(GUIDE.encode(), name="docs/handbook.md")
        base.add("# 报销\n\n火车票在两周之内报销。 Trains: second class.".encode(), name="报销.md")
        base.add(b"# Old contract\n\nThe fee is 30 euros. ", name="contract.md")
        base.disable_documents("contract.md")
        base.add_faq(
            "怎么退款？",
            ["三十天内申请。Ask within 30 days.", "或者打电话。"],
            similar=["how do I get a refund"],
            negative=["怎么换货？"],
            tags=["售后"],
        )
        base.add_faq("When do you open?", ["At nine. 九点。"])


EVIDENCE = {
    "en": ("Relevance 0.", "base −", "words +", "meaning +"),
    "zh": ("相关度 0.", "基准 −", "词语 +", "语义 +"),
}


def seed(served: Served) -> None:
    with served.engine() as engine:
        engine.remember(
            "Mei prefers dark mode. 小美喜欢深色主题。", source="notes/mei.md", tags=["ui"]
        )
        engine.remember("The budget meeting is on Thursday. 预算会议在周四。")
    served.offer(LONG, id="weekly", source="chat/5")
    served.run_node(run="run-1", topic="dark mode 深色主题")


@both_themes
@both_languages
def test_every_room_can_be_walked_through(
    served: Served, visit: Open, language: str, scheme: str
) -> None:
    seed(served)
    here = visit(language=language, scheme=scheme)
    page, said = here.page, SAID[language]
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN" if language == "zh" else "en")
    expect(page.locator(".connection")).to_have_text(said["live"])
    expect(page.locator(".node.completed")).to_contain_text("memory_retrieval")

    here.go("recalls", language)
    answer = here.ask("which theme does Mei like? 小美喜欢什么主题？")
    expect(answer.locator(".summary")).to_contain_text(said["answered"])
    first = answer.locator(".hit").first
    expect(first).to_contain_text("Mei prefers dark mode. 小美喜欢深色主题。")
    expect(first.locator(".channels li").first).to_be_visible()
    expect(first.locator(".score-parts")).to_contain_text(said["part"])
    for part in EVIDENCE[language]:
        expect(first.locator(".evidence")).to_contain_text(part)
    first.locator("summary").last.click()
    expect(first).to_contain_text("notes/mei.md")
    expect(answer.get_by_role("region", name=said["stages"])).to_contain_text("fuse")
    answer.locator("details").last.locator("summary").click()
    expect(answer.locator(".model-text")).to_contain_text("- Mei prefers dark mode.")

    here.go("tiers", language)
    card = here.card("working", "每周报告")
    expect(card).to_contain_text("crawler (http)")
    expect(card).to_contain_text("chat/5")
    expect(card.get_by_role("button", name=said["promote"], exact=True)).to_be_visible()
    card.locator("summary").click()
    expect(card.locator(".rulings li")).to_have_count(1)
    expect(here.card("long_term", "小美喜欢")).to_be_visible()
    page.locator(".digest > summary").click()
    expect(page.locator(".proposal")).to_have_count(1)

    here.go("workflow", language)
    expect(page).to_have_title(f"{TITLES[language]['workflow']} · Bethink")


def test_an_answer_shows_what_was_dropped_and_why(served: Served, visit: Open) -> None:
    with served.engine() as engine:
        for number in range(12):
            engine.remember(f"Rollout step {number}: 灰度发布的第 {number} 步，先看指标再继续。")
    here = visit()
    here.go("recalls")
    page = here.page
    page.get_by_label("Budget (tokens)").fill("60")
    page.get_by_label("Preset").select_option("knowledge")
    answer = here.ask("rollout step 灰度发布")
    expect(answer.locator(".summary")).to_contain_text("knowledge")
    dropped = answer.locator(".stages details")
    dropped.last.locator("summary").click()
    expect(dropped.last.locator("li").first).to_be_visible()
    used = answer.locator(".summary").inner_text()
    assert "tokens used" in used


def test_nothing_found_says_so(served: Served, visit: Open) -> None:
    here = visit(language="zh")
    here.go("recalls", "zh")
    answer = here.ask("水壶在哪里？ where is the kettle?")
    expect(answer.locator(".summary .badge")).to_have_text("没有内容")
    expect(answer).to_contain_text("没有结果。")
    answer.locator("details").last.locator("summary").click()
    expect(answer).to_contain_text("模型得不到任何文字")


def test_spaces_are_asked_only_when_chosen(served: Served, visit: Open) -> None:
    with served.engine() as engine:
        engine.remember("The office is in Berlin. 办公室在柏林。")
        engine.remember("The office is in Chengdu. 办公室在成都。", space="team-zh")
    here = visit()
    here.go("recalls")
    answer = here.ask("where is the office? 办公室在哪里？")
    expect(answer.locator(".hit")).to_have_count(1)
    here.page.get_by_role("checkbox", name="team-zh").check()
    answer = here.ask("where is the office? 办公室在哪里？")
    expect(answer.locator(".hit")).to_contain_text("Chengdu")


def test_asking_here_counts_as_no_access(served: Served, visit: Open) -> None:
    with served.engine() as engine:
        kept = engine.remember("Mei prefers dark mode. 小美喜欢深色主题。").id
    here = visit()
    here.go("recalls")
    here.ask("dark mode 深色")
    with served.engine() as engine:
        memory = engine.get(kept)
        assert memory is not None and memory.access_count == 0


def _background(page: Page) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


def test_theme_and_language_are_chosen_and_kept(served: Served, visit: Open) -> None:
    here = visit(scheme="light")
    page = here.page
    expect(page.locator(".connection")).to_have_text("Live")
    light = _background(page)
    page.get_by_label("Theme").select_option("dark")
    dark = _background(page)
    assert dark != light
    page.get_by_label("Language").select_option("zh")
    expect(page.get_by_role("heading", level=1)).to_have_text("工作流")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("工作流")
    assert _background(page) == dark
    page.get_by_label("主题").select_option("system")
    assert _background(page) == light
    page.emulate_media(color_scheme="dark")
    assert _background(page) == dark
