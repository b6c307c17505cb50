"""What happens elsewhere shows at once; after a break nothing is missing, or the page says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from bethink import MemoryRetrievalNode
from bethink.testing import working
from bethink.vocabulary import Json
from tests.doors.running import process
from tests.doors.web.conftest import Open
from tests.doors.web.served import Served
from tests.doors.web.visiting import open_page

AWAY = (r"WebSocket connection to .* failed", r"ERR_CONNECTION_REFUSED")


def test_a_node_in_another_thread_is_seen_running_and_then_completed(
    served: Served, visit: Open
) -> None:
    page = visit().page
    expect(page.locator(".connection")).to_have_text("Live")
    go_on = threading.Event()

    def emit(kind: str, data: Mapping[str, Json]) -> None:
        if data.get("state") == "running":
            assert go_on.wait(60)

    def work(topic: str) -> None:
        with served.engine() as engine:
            engine.remember("先灰度，后全量。 Canary first.", space="release")
            node = MemoryRetrievalNode(engine, name="取回历史")
            node.process({"topic": topic, "group_id": "release", "run_id": "run-7"}, emit)

    node = page.locator(".node")
    with working(work, ["发布计划"], end=go_on):
        expect(node).to_have_class("node running")
        expect(node).to_contain_text("取回历史")
        expect(page.locator(".run")).to_contain_text("run-7")
    expect(node).to_have_class("node completed")
    expect(node).to_contain_text("hits: 1")


def test_nodes_of_one_run_stand_in_a_row_and_a_failure_says_why(
    served: Served, visit: Open
) -> None:
    page = visit(language="zh").page
    served.run_node(run="run-8", topic="发布计划", name="fetch")
    served.run_node(run="run-8", topic="", name="review")
    expect(page.locator(".run")).to_have_count(1)
    expect(page.locator(".node")).to_have_count(2)
    expect(page.locator(".node").last).to_have_class("node failed")
    expect(page.locator(".node.failed .fault")).to_contain_text("nothing is asked")
    page.get_by_role("radio", name="失败").check()
    expect(page.locator(".run")).to_have_count(1)
    page.get_by_role("radio", name="运行中").check()
    expect(page.locator(".run")).to_have_count(0)


def test_recalls_of_another_process_arrive_with_their_explanation(
    served: Served, visit: Open
) -> None:
    with served.engine() as engine:
        engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
    here = visit()
    here.go("recalls")
    asked = process("recall", "小美喜欢什么主题", store=served.store)
    assert asked.returncode == 0, asked.stderr
    recall = here.page.locator(".recall")
    expect(recall).to_contain_text("小美喜欢什么主题")
    recall.locator("summary").first.click()
    expect(recall.locator(".hits")).to_contain_text("Mei prefers dark mode")
    expect(recall.locator(".stages")).to_contain_text("fuse")


def test_after_a_restart_it_goes_on_where_it_was(served: Served, visit: Open) -> None:
    page = visit(expected=AWAY).page
    served.run_node(run="before", topic="发布")
    expect(page.locator(".run")).to_have_count(1)
    served.stop()
    try:
        expect(page.locator(".connection")).to_have_text("Connection lost, trying again")
        served.run_node(run="meanwhile", topic="rollout plan")
    finally:
        served.start()
    expect(page.locator(".connection")).to_have_text("Live")
    expect(page.locator(".run")).to_have_count(2)
    expect(page.locator(".run").first).to_contain_text("meanwhile")
    served.run_node(run="after", topic="rollout plan")
    expect(page.locator(".run")).to_have_count(3)
    expect(page.locator(".node.completed")).to_have_count(3)
    expect(page.locator(".note")).to_have_count(0)


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[Served]:
    """A server that keeps few events."""
    server = Served(tmp_path / "forgetful.db", keep_events=5)
    yield server
    server.stop()


def test_what_the_log_let_go_of_is_told(browser: Browser, forgetful: Served) -> None:
    for number in range(20):  # before the first visit: no loss of the visitor's
        forgetful.run_node(run=f"old-{number}", topic="发布")
    visit = open_page(browser, forgetful.address, expected=AWAY)
    page = visit.page
    expect(page.locator(".run").first).to_contain_text("old-19")
    expect(page.locator(".note")).to_have_count(0)
    forgetful.stop()
    try:
        expect(page.locator(".connection")).to_have_text("Connection lost, trying again")
        for number in range(20):
            forgetful.run_node(run=f"lost-{number}", topic="rollout")
    finally:
        forgetful.start()
    note = page.locator(".note")
    expect(note).to_contain_text("Events that were let go of before they arrived here")
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)
    page.context.close()
    assert visit.complaints == []
