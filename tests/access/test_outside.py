"""A file that was added at the server's command line is shown to callers by its name; where it is
on that machine is nobody else's."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.access.outside import without_places
from bethink.access.reception import Reception
from bethink.knowledge import KnowledgeBase
from bethink.settings import Settings
from tests.access.coming_in import AtDesk, desk

GUIDE = "# Notice 离职\n\nThe notice period is three months. 离职须提前三个月通知。\n"
SPACE = "handbook"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "机密-folder"
    folder.mkdir()
    path = folder / "合同 contract.md"
    path.write_text(GUIDE, "utf-8")
    return path


def added(settings: Settings, file: Path) -> dict[str, int]:
    with Engine(settings.store, settings=settings) as engine:
        return KnowledgeBase(engine, SPACE).add(file).counts


@pytest.fixture
def here(settings: Settings, reception: Reception, file: Path) -> AtDesk:
    assert added(settings, file)["added"] == 1
    return desk(reception, "read", "write")


def card(desk: AtDesk) -> Any:
    (one,) = desk.list(spaces=[SPACE], where={"kind": "document"})["memories"]
    return one


def test_a_card_shows_the_name_and_no_answer_the_path(here: AtDesk, file: Path) -> None:
    one = card(here)
    assert one["metadata"]["origin"] == "合同 contract.md"
    question = "which document is about notice? 哪份文件讲离职？"
    answers = [
        one,
        here.get(one["id"]),
        here.history(one["id"]),
        here.recall(question, spaces=[SPACE], where={"kind": "document"}, explain=True),
        here.recall(question, spaces=[SPACE], floor=1.0),
        here.search_knowledge(SPACE, question, explain=True),
        here.ask_knowledge(SPACE, question),
        here.documents(SPACE),
        here.document(SPACE, one["id"]),
    ]
    assert here.recall(question, spaces=[SPACE], where={"kind": "document"})["hits"]
    for answer in answers:
        assert "机密-folder" not in json.dumps(answer, ensure_ascii=False)


def test_a_filter_does_not_find_out(here: AtDesk, file: Path) -> None:
    path = str(file.resolve())
    here.remember({"text": "my own 我的", "space": SPACE, "metadata": {"origin": path}})
    guesses: list[dict[str, Any]] = [
        {"metadata.origin": path},
        {"metadata.origin": {">=": "/"}},
        {"or": [{"metadata.origin": {">": ""}}, {"metadata.origin": {"exists": True}}]},
        {"and": [{"kind": "document"}, {"not": {"metadata.origin": "x"}}]},
    ]
    for where in guesses:
        listed = here.list(spaces=[SPACE], where=where)["memories"]
        assert "document" not in {one["kind"] for one in listed}, where
        found = here.recall("notice 离职 合同", spaces=[SPACE], where=where)["hits"]
        assert "document" not in {one["kind"] for one in found}, where
        told = {"query_text": "合同 notice 离职", "where": where}
        hits = here.search_knowledge(SPACE, told)["hits"]
        assert "document" not in {one["kind"] for one in hits}, where
    # metadata of one's own is asked for as ever, and shown whole
    (mine,) = here.list(spaces=[SPACE], where={"metadata.origin": path})["memories"]
    assert mine["metadata"]["origin"] == path


def test_the_file_is_known_when_it_is_added_again(
    here: AtDesk, settings: Settings, file: Path
) -> None:
    one = card(here)
    here.revise(one["id"], {"metadata": {**one["metadata"], "owner": "小美"}})
    assert card(here)["metadata"]["owner"] == "小美"
    assert added(settings, file)["unchanged"] == 1
    file.write_text(GUIDE + "\nMore 更多。\n", "utf-8")
    assert added(settings, file)["replaced"] == 1


def test_where_the_store_is_only_who_runs_the_server_reads(
    reception: Reception, settings: Settings, tmp_path: Path
) -> None:
    reception.tenants.create("甲")
    ours, theirs = desk(reception), desk(reception, tenant="甲")
    for one in (ours, theirs):
        one.remember({"text": "预算 budget"})
    assert str(tmp_path) in json.dumps(ours.doctor(), ensure_ascii=False)
    told = theirs.doctor()
    assert any(check["finding"].startswith("the store is sound") for check in told)
    assert str(tmp_path) not in json.dumps(told, ensure_ascii=False)


def test_addresses_beside_the_store_are_left_out() -> None:
    told = (
        "qdrant 数据.corp:443/memories is left out: it cannot be reached; redis at "
        "redis://cache.example.org:6379/0, which works; /数据/甲.db is sound, 16:30 分"
    )
    assert without_places(told, "/数据/甲.db", ["qdrant 数据.corp:443/memories"]) == (
        "qdrant is left out: it cannot be reached; redis at "
        "(its address), which works; the store is sound, 16:30 分"
    )


@pytest.mark.parametrize(
    "told",
    [
        "HTTPConnection(host='127.0.0.1', port=59999): refused",
        'connection to server at "10.1.2.3", port 5432 failed',
        'could not translate host name "db.corp" to address',
        "ipv4:10.0.0.7:80 refused",
        "es.internal.corp:443/memories is away",
        "[fe80::1]:6333 does not answer",
        "http://es.corp/ 不可用",
    ],
)
def test_addresses_in_a_library_s_words(told: str) -> None:
    said = without_places(told, "/m.db")
    assert "(its address)" in said
    assert not re.search(r"corp|\d{2}|fe80", said)


def test_no_answer_says_where_an_engine_is(settings: Settings) -> None:
    away = replace(settings, retrievers=("elasticsearch://127.0.0.1:59999/memories",))
    with Reception(away) as reception:
        reception.tenants.create("甲")
        one = desk(reception, tenant="甲")
        one.remember({"text": "预算 budget"})
        answer = desk(reception, "read", tenant="甲").recall("预算", explain=True)
        assert answer["status"] == "degraded"
        assert answer["reasons"][0].startswith("words: elasticsearch is left out")
        for told in (answer, one.doctor(), one.status(), one.events()):
            assert "59999" not in json.dumps(told)
        assert "59999" in json.dumps(desk(reception).doctor())
