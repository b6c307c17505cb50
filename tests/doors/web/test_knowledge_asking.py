"""Asking a base, and its frequent questions, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bethink.knowledge import KnowledgeBase
from bethink.knowledge.faq_entry import Faq
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.test_rooms import both_languages, seed_base
from tests.doors.web.visiting import Visit, file, open_page
from tests.embedders.serving import Reply, Request, server_at
from tests.knowledge.web.serving_web import a_site
from tests.llms.chatting import say

BASE = "手册"
MARKUP = "<img src=x onerror='window.pwned = 1'> ![x](http://stranger.example/x.png)"
HIDDEN = "\u202etxt.exe"


def room(visit: Open, part: str, language: str = "en") -> Visit:
    here = visit(language=language, expected=[r"status of 4\d\d"])
    here.go("knowledge", language)
    expect(here.page.locator(".document").first).to_be_visible()
    here.part(part)
    return here


def entries(served: Served) -> dict[str, Faq]:
    with served.engine() as engine:
        return {one.question: one for one in KnowledgeBase(engine, BASE).faqs()}


# Asking


@both_languages
def test_passages_come_with_their_citations(served: Served, visit: Open, language: str) -> None:
    seed_base(served)
    here = room(visit, "ask", language)
    answer = here.ask("how long is the notice period? 离职要提前多久通知？")
    said = {"en": "No language model wrote", "zh": "没有语言模型"}[language]
    expect(answer.locator(".summary")).to_contain_text(said)
    first = answer.locator(".hit").first
    expect(first).to_contain_text("Handbook 员工手册")
    expect(first.locator(".heading-path")).to_contain_text("Notice 离职")
    expect(first).to_contain_text("docs/handbook.md")
    expect(first.locator(".channels")).to_contain_text({"en": "words", "zh": "词语"}[language])
    expect(answer.locator(".summary")).to_contain_text(
        {"en": "relevance", "zh": "相关度"}[language]
    )
    answer.locator("details.fold > summary").click()
    expect(answer.locator(".stages")).to_contain_text("fuse")
    with served.engine() as engine:  # looking is not using
        base = KnowledgeBase(engine, BASE)
        ids = [part.id for part in base.document_parts("docs/handbook.md")]
        assert [m.access_count for m in engine.store.get(ids) if m] == [0, 0]


def test_only_one_document_is_searched(served: Served, visit: Open) -> None:
    seed_base(served)
    here = room(visit, "ask")
    here.page.get_by_label("In").select_option(label="报销")
    here.page.locator("textarea").fill("how long is the notice period? 离职 火车票")
    here.page.get_by_role("button", name="Search", exact=True).click()
    hits = here.page.locator(".answer .hit")
    expect(hits).to_have_count(1)
    expect(hits).to_contain_text("火车票在两周之内报销")


@both_languages
def test_what_is_below_the_floor_is_named_with_the_reason(
    served: Served, visit: Open, language: str
) -> None:
    seed_base(served)
    with served.engine() as engine:
        engine.set_override("floor", 0.99, space=BASE)
    here = room(visit, "ask", language)
    answer = here.ask("penguins 企鹅 notice")
    expect(answer.locator(".summary .badge")).to_have_text(
        {"en": "below floor", "zh": "低于下限"}[language]
    )
    expect(answer.locator(".not-known")).to_be_visible()
    expect(answer.locator(".reasons li").first).to_be_visible()
    expect(answer.locator(".hits .hit")).to_have_count(0)
    expect(answer.get_by_role("heading", level=2).last).to_have_text(
        {"en": "Nearest miss", "zh": "最接近但未入选"}[language]
    )
    expect(answer.locator(".hit")).to_have_count(1)


def _writes(request: Request) -> Reply:
    told = {"known": True, "answer": "三个月 three months [1]，见 [77] 与 [x]。" + MARKUP}
    return say(told)


@pytest.fixture
def with_model(tmp_path: Path) -> Iterator[Served]:
    with server_at("/v1", _writes) as model:
        server = Served(tmp_path / "m.db", llm="openai:small", llm_endpoint=model.address)
        yield server
        server.stop()


def test_marks_of_an_answer_lead_to_its_passages(browser: Browser, with_model: Served) -> None:
    seed_base(with_model)
    here = open_page(browser, with_model.address)
    here.go("knowledge")
    here.part("ask")
    answer = here.ask("离职要提前多久通知？")
    written = answer.locator(".written")
    expect(written).to_contain_text("三个月 three months")
    expect(written.get_by_role("button")).to_have_count(1)
    written.get_by_role("button", name="Passage 1").click()
    passage = answer.locator(".hit").first
    expect(passage).to_be_focused()
    expect(passage).to_contain_text("离职须提前三个月通知")
    assert here.page.locator("#room :is(img, a, script)").count() == 0
    assert here.page.evaluate("window.pwned") is None
    here.page.context.close()
    assert (here.complaints, here.strangers) == ([], [])


@pytest.fixture
def with_web(tmp_path: Path) -> Iterator[Served]:
    with a_site() as site:
        server = Served(tmp_path / "m.db", web_search="searxng", web_endpoint=site.address)
        yield server
        server.stop()


def test_the_web_is_offered_where_it_is_set_up(
    browser: Browser, with_web: Served, served: Served, visit: Open
) -> None:
    seed_base(served)
    expect(room(visit, "ask").page.locator("input[name=web]")).to_have_count(0)
    seed_base(with_web)
    here = open_page(browser, with_web.address)
    here.go("knowledge")
    here.part("ask")
    here.page.get_by_label("search the web too").check()
    answer = here.ask("离职 notice period")
    expect(answer.locator(".hit").first).to_contain_text("三个月")
    answer.locator("details.fold > summary").click()
    expect(answer.locator(".stages")).to_contain_text("web")
    here.page.context.close()
    assert here.complaints == []


def test_what_strangers_wrote_stays_text(served: Served, visit: Open) -> None:
    with served.engine() as engine:
        base = KnowledgeBase(engine, BASE)
        text = f"# {MARKUP} {HIDDEN}\n\n{MARKUP} 离职 notice {HIDDEN}\n"
        base.add(text.encode(), name=f"{MARKUP.replace('/', '-')}.md")
        base.add_faq(f"{MARKUP} 退款？", [MARKUP], similar=[f"{MARKUP} x"], tags=["<b>t</b>"])
    here = room(visit, "documents")
    document = here.page.locator(".document")
    document.locator("summary").click()
    expect(document.locator(".parts-of-document")).to_contain_text("onerror=")
    expect(document.locator(".hidden-mark").first).to_contain_text("U+202E")
    document.get_by_role("button", name="Withhold").click()
    expect(here.page.locator(".note.good .hidden-mark").first).to_be_visible()
    document.get_by_role("button", name="Let in again").click()
    document.get_by_role("button", name="Remove").click()
    expect(here.page.get_by_role("dialog")).to_be_visible()
    here.page.keyboard.press("Escape")
    expect(here.page.get_by_role("dialog")).to_have_count(0)
    here.part("ask")
    here.ask("离职 notice")
    assert "\u202e" not in here.page.locator(".question select").inner_text()
    here.part("faq")
    expect(here.page.locator(".document")).to_contain_text("onerror=")
    assert (
        here.page.locator("#room :is(img, a, script, iframe, b > *)").count() <= 1
    )  # a bdi in <b>
    assert here.page.evaluate("window.pwned") is None


# Frequent questions


@both_languages
def test_a_question_is_added_changed_and_removed(
    served: Served, visit: Open, language: str
) -> None:
    seed_base(served)
    words = {
        "en": ("Add a question", "Question", "Answer", "Also asked as", "Not meant by", "Save",
               "Edit", "Remove …", "Remove"),
        "zh": ("添加问题", "问题", "答案", "也这样问", "不是指", "保存", "编辑", "移除……", "移除"),
    }[language]  # fmt: skip
    add, question, reply, similar, negative, save, edit, remove, yes = words
    here = room(visit, "faq", language)
    page = here.page
    page.get_by_role("button", name=add).click()
    form = page.locator(".entry-form")
    expect(form.locator("input[name=question]")).to_be_focused()
    form.get_by_label(question, exact=True).fill("几点开门？ When?")
    form.get_by_label(reply, exact=True).fill("九点。\nAt nine.")
    form.get_by_label(similar).fill("何时营业\n\n opening hours ")
    form.get_by_label(negative).fill("几点关门")
    form.get_by_role("button", name=save).click()
    expect(here.document("几点开门？ When?")).to_contain_text("opening hours")
    told = entries(served)["几点开门？ When?"]
    assert (told.answers, told.similar, told.negative) == (
        ("九点。\nAt nine.",), ("何时营业", "opening hours"), ("几点关门",),
    )  # fmt: skip

    refund = here.document("怎么退款")
    refund.get_by_role("button", name=edit).click()
    form.get_by_label(question, exact=True).fill("退款怎么办？")
    form.locator("textarea[name=answer]").first.fill("四十天内。")
    form.get_by_role("button", name=save).click()
    expect(here.document("退款怎么办？")).to_contain_text("四十天内。")
    changed = entries(served)["退款怎么办？"]
    assert "怎么退款？" not in entries(served)
    assert (changed.answers, changed.tags) == (("四十天内。", "或者打电话。"), ("售后",))
    assert (changed.negative, changed.similar) == (("怎么换货？",), ("how do I get a refund",))

    here.document("退款怎么办？").get_by_role("button", name=remove).click()
    page.get_by_role("dialog").get_by_role("button", name=yes, exact=True).click()
    expect(here.document("退款怎么办？")).to_have_count(0)
    assert "退款怎么办？" not in entries(served)


def test_what_is_wrong_with_an_entry_is_said_and_nothing_typed_is_lost(
    served: Served, visit: Open
) -> None:
    seed_base(served)
    here = room(visit, "faq")
    here.page.get_by_role("button", name="Add a question").click()
    form = here.page.locator(".entry-form")
    form.locator("input[name=question]").fill("何时？")
    form.locator("textarea[name=answer]").fill("now")
    form.locator("textarea[name=negative]").fill("何时")
    form.get_by_role("button", name="Save").click()
    expect(here.page.locator(".note.bad")).to_contain_text("both")
    expect(form.locator("input[name=question]")).to_have_value("何时？")
    assert len(entries(served)) == 2


def test_questions_are_searched_and_withheld(served: Served, visit: Open) -> None:
    seed_base(served)
    here = room(visit, "faq")
    expect(here.page.locator(".document")).to_have_count(2)
    here.page.get_by_role("searchbox").fill("how do I get a refund")
    here.page.get_by_role("searchbox").press("Enter")
    expect(here.page.get_by_role("heading", level=2)).to_contain_text("Found")
    expect(here.page.locator(".document").first).to_contain_text("怎么退款？")
    here.page.get_by_role("button", name="Show all").click()
    refund = here.document("怎么退款？")
    refund.get_by_role("button", name="Withhold").click()
    expect(refund.locator(".badge")).to_have_text("withheld")
    assert not entries(served)["怎么退款？"].enabled
    here.page.get_by_role("searchbox").fill("怎么退款")
    here.page.get_by_role("searchbox").press("Enter")
    expect(refund).to_have_count(0)


@both_languages
def test_an_import_says_what_it_would_change_before_it_does(
    served: Served, visit: Open, language: str
) -> None:
    seed_base(served)
    rows = (
        "标准问题,相似问题,答案\n几点开门？,何时营业##opening hours,九点\n"
        "怎么退款？,,五十天内\n,,谁问的\n"
    )
    here = room(visit, "faq", language)
    expect(here.page.locator(".document")).to_have_count(2)
    here.page.locator(".importing summary").click()
    chooser = here.page.locator("input[name=import]")
    chooser.set_input_files([file("问答.csv", rows.encode("gb18030"))])
    would = {"en": "would add 1, change 1, leave 0 as before; not taken: 1",
             "zh": "将添加 1 条、修改 1 条，0 条不变；不收 1 条"}[language]  # fmt: skip
    report = here.page.locator(".importing")
    expect(report).to_contain_text(would)
    expect(report).to_contain_text("an entry needs a 'question'")
    assert len(entries(served)) == 2
    report.get_by_role("button", name={"en": "Import", "zh": "导入"}[language], exact=True).click()
    expect(report).to_contain_text({"en": "Added 1, changed 1", "zh": "已添加 1 条"}[language])
    expect(here.page.locator(".document")).to_have_count(3)
    assert entries(served)["怎么退款？"].answers == ("五十天内",)
    chooser.set_input_files([file("x.csv", b"a,b\n1,2\n")])
    expect(report.locator(".note.bad")).to_contain_text("name the columns")
