"""Documents, frequent questions and questions to them over HTTP. The client checks each answer
against the documented form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from bethink.settings import Settings
from bethink.testing import run_at_once
from tests.doors.http.served import Served, served_on
from tests.knowledge.files_of_tests import pdf
from tests.knowledge.web.serving_web import a_site, html

GUIDE = """# Handbook 员工手册

## Leave 年假

Everybody has 25 days of leave a year. 每位员工每年有二十五天年假。

## Notice 离职

The notice period is three months. 离职须提前三个月通知。
"""
BASE = "/v1/knowledge/handbook"
DOCUMENTS, FAQ = f"{BASE}/documents", f"{BASE}/faq"


@pytest.fixture
def base(client: httpx.Client) -> httpx.Client:
    added = client.post(DOCUMENTS, params={"name": "docs/手册.md"}, content=GUIDE)
    assert added.status_code == 201, added.text
    assert (added.json()["fate"], added.json()["address"]) == ("added", "docs/手册.md")
    return client


def found(client: httpx.Client, question: str, **more: Any) -> Any:
    answer = client.post(f"{BASE}/search", json={"query_text": question, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def texts(answer: Any) -> str:
    return "\n".join(hit["text"] for hit in answer["hits"])


def path_of(document: str) -> str:
    return f"{DOCUMENTS}/{quote(document, safe='')}"


@pytest.mark.parametrize(
    ("question", "said"),
    [("how long is the notice period", "three months"), ("每年有几天年假", "二十五天")],
)
def test_from_a_file_to_a_cited_passage(base: httpx.Client, question: str, said: str) -> None:
    answer = found(base, question)
    assert said in answer["hits"][0]["text"]
    citation = answer["hits"][0]["citation"]
    assert (citation["title"], citation["address"]) == ("Handbook 员工手册", "docs/手册.md")
    assert citation["heading"] and citation["match_types"] and citation["space"] == "handbook"
    asked = base.post(f"{BASE}/ask", json={"query_text": question}).json()
    assert (asked["by"], asked["known"]) == ("passages", True)
    assert said in asked["answer"] and asked["citations"][0]["number"] == 1


def test_a_document_is_listed_shown_withheld_replaced_and_removed(base: httpx.Client) -> None:
    (listed,) = base.get(DOCUMENTS).json()["documents"]
    shown = base.get(path_of("docs/手册.md")).json()
    assert {name: shown[name] for name in listed} == listed
    assert [part["headings"].rpartition("› ")[2] for part in shown["parts"]][-2:] == [
        "Leave 年假", "Notice 离职",
    ]  # fmt: skip
    second = base.get(path_of(listed["id"]), params={"after": 1, "limit": 1}).json()
    assert second["parts"] == shown["parts"][1:2]
    assert second["next"] == (2 if listed["sections"] > 2 else None)

    off = base.post(f"{path_of('docs/手册.md')}/disable").json()
    assert off == {"id": listed["id"], "enabled": False}
    assert "三个月" not in texts(found(base, "离职要提前多久通知"))
    assert "三个月" not in base.post("/v1/recall", json={
        "question": "离职要提前多久通知", "spaces": ["handbook"]}).text  # fmt: skip
    assert base.get(DOCUMENTS).json()["documents"][0]["enabled"] is False
    assert base.post(f"{path_of(listed['id'])}/enable").json()["enabled"] is True
    assert "三个月" in texts(found(base, "离职要提前多久通知"))

    newer = GUIDE.replace("三个月", "六个月").replace("three months", "six months")
    put = base.put(path_of(listed["id"]), content=newer).json()
    assert (put["fate"], put["id"]) == ("replaced", listed["id"])
    assert "六个月" in texts(found(base, "离职要提前多久通知"))
    same = base.post(DOCUMENTS, params={"name": "docs/手册.md"}, content=newer).json()
    assert (same["fate"], same["id"]) == ("unchanged", listed["id"])

    gone = base.delete(path_of(listed["id"])).json()
    assert (gone["id"], gone["memories"]) == (listed["id"], listed["sections"] + 1)
    assert base.get(DOCUMENTS).json()["documents"] == []
    assert found(base, "离职要提前多久通知")["hits"] == []
    assert base.delete(path_of(listed["id"])).status_code == 404


def test_what_needs_a_library_is_read_too(client: httpx.Client) -> None:
    data = pdf([[("Annual leave is 30 days", 12)], [("Notice period is six weeks", 12)]])
    added = client.post(DOCUMENTS, params={"name": "手册.pdf"}, content=data)
    assert added.status_code == 201, added.text
    citation = found(client, "notice period six weeks")["hits"][0]["citation"]
    assert (citation["page"], citation["page_end"], citation["unit"]) == (1, 2, "page")


def test_frequent_questions(base: httpx.Client) -> None:
    told = {
        "question": "怎么退款？", "answers": ["三十天内申请。Ask within 30 days."],
        "similar": ["how do I get a refund"], "negative": ["怎么换货？"], "tags": ["售后"],
        "id": "refund",
    }  # fmt: skip
    added = base.post(FAQ, json=told)
    assert added.status_code == 201
    assert added.json()["action"] == "added"
    assert base.post(FAQ, json=told).json()["action"] == "unchanged"
    assert (
        base.post(FAQ, json={**told, "answers": ["四十天内申请。"]}).json()["action"] == "updated"
    )
    for name in ("refund", added.json()["id"], "怎么退款"):
        entry = base.get(f"{FAQ}/{quote(name, safe='')}").json()
        assert (entry["id"], entry["answers"]) == ("refund", ["四十天内申请。"])
    assert base.get(FAQ, params={"tag": "售后"}).json()["entries"] == [entry]
    assert base.get(FAQ, params={"tag": "other"}).json()["entries"] == []

    assert "四十天" in texts(found(base, "how do I get a refund"))
    assert "faq" in found(base, "怎么退款")["hits"][0]["citation"]["match_types"]
    assert "四十天" not in texts(found(base, "怎么换货？"))
    assert base.post(f"{FAQ}/refund/disable").json()["enabled"] is False
    assert "四十天" not in texts(found(base, "怎么退款"))
    assert base.post(f"{FAQ}/refund/enable").json()["enabled"] is True
    assert base.delete(f"{FAQ}/refund").json()["removed"] is True
    assert base.get(f"{FAQ}/refund").status_code == 404


def test_entries_come_in_files(client: httpx.Client) -> None:
    rows = "标准问题,相似问题,答案\n几点开门？,何时营业##opening hours,九点 nine\n,,no question\n"
    for data in (rows.encode(), rows.encode("gb18030")):
        dry = client.post(f"{FAQ}/import", params={"dry_run": True}, content=data).json()
        assert (dry["added"], dry["dry_run"]) == (1, True)
    assert client.get(FAQ).json()["entries"] == []
    done = client.post(f"{FAQ}/import", params={"name": "问答.csv"}, content=rows.encode()).json()
    assert (done["added"], [one["place"] for one in done["failed"]]) == (1, [3])
    (entry,) = client.get(FAQ).json()["entries"]
    assert (entry["similar"], entry["source"]) == (["何时营业", "opening hours"], "问答.csv")
    again = client.post(f"{FAQ}/import", params={"format": "json"}, content=json.dumps([entry | {
        "source": "x", "memory_id": None}]))  # fmt: skip
    assert again.json()["failed"] == []
    assert again.json()["notes"] == ["fields that were not read: 'memory_id'"]


def test_pages_of_lists(client: httpx.Client, served: Served) -> None:
    limited = served.keyed("admin", spaces=["handbook"])
    for number in range(5):
        limited.post(DOCUMENTS, params={"name": f"{number}.md"}, content=f"# 第{number}章\n\n正文")
        limited.post(FAQ, json={"question": f"问题 {number}？", "answers": ["答"]})
    for path, of, name in ((DOCUMENTS, "documents", "address"), (FAQ, "entries", "question")):
        page = limited.get(path, params={"limit": 2}).json()
        seen = [one[name] for one in page[of]]
        assert not page["cursor"].isdecimal()  # it does not count what is elsewhere
        while page["cursor"]:
            page = limited.get(path, params={"limit": 2, "cursor": page["cursor"]}).json()
            seen += [one[name] for one in page[of]]
        assert len(seen) == len(set(seen)) == 5
        other = FAQ if path == DOCUMENTS else DOCUMENTS
        cursor = limited.get(path, params={"limit": 2}).json()["cursor"]
        assert limited.get(other, params={"cursor": cursor}).status_code == 422


def test_a_follow_up_is_made_whole_from_the_history(base: httpx.Client) -> None:
    first = base.post(f"{BASE}/ask", json={"query_text": "每年有几天年假？"}).json()
    turn = {"question": "每年有几天年假？", "references": first["citations"][:2]}
    second = base.post(
        f"{BASE}/ask", json={"query_text": "那离职通知呢？", "history": [turn]}
    ).json()
    assert second["asked_as"] != second["question"]
    assert "三个月" in second["answer"]


WRONG: list[tuple[str, str, dict[str, Any], str]] = [
    ("POST", "documents", {"params": {"name": "x.pdf"}, "content": b"no pdf"}, "no PDF"),
    ("POST", "documents", {"params": {"name": "x.md"}, "content": b""}, "empty"),
    ("POST", "documents", {"params": {"name": " "}, "content": b"x"}, "needs a name"),
    ("POST", "documents", {"content": b"x"}, "query.name"),
    ("POST", "documents", {"params": {"name": "x.md"}, "files": {"f": b"x"}}, "not a form"),
    ("POST", "documents", {"params": {"name": "a\0b"}, "content": b"x"}, "name"),
    ("PUT", "documents/nothing.md", {"content": b"x"}, "no document"),
    ("GET", "documents/%2Fetc%2Fpasswd", {}, "no document"),
    ("GET", "documents/~root%2Fx", {}, "no document"),
    ("GET", "documents/a%00b", {}, "NUL"),
    ("GET", "documents", {"params": {"limit": 0}}, "limit"),
    ("GET", "documents/docs%2F手册.md", {"params": {"after": -1}}, "after"),
    ("POST", "documents/nothing.md/disable", {}, "no document"),
    ("POST", "faq", {"json": {"question": "", "answers": ["x"]}}, "empty"),
    ("POST", "faq", {"json": {"question": "x", "answers": []}}, "needs an answer"),
    ("POST", "faq", {"json": {"question": "x", "answers": ["y"], "negative": ["X?"]}}, "both"),
    ("POST", "faq/import", {"content": b"a,b\n1,2\n"}, "name the columns"),
    ("POST", "faq/import", {"content": b"x", "params": {"format": "xml"}}, "format"),
    ("DELETE", "faq/nothing", {}, "no entry"),
    ("POST", "search", {"json": {"query_text": " "}}, "empty"),
    ("POST", "search", {"json": {"query_text": "x", "match_count": 0}}, "match_count"),
    ("POST", "search", {"json": {"query_text": "x", "vector_threshold": 2}}, "vector_threshold"),
    ("POST", "search", {"json": {"query_text": "x", "documents": ["nothing.md"]}}, "no document"),
    ("POST", "search", {"json": {"query_text": "x", "knowledge_bases": ["?"]}}, "?"),
    ("POST", "search", {"json": {"query_text": "x", "history": [{"q": "x"}]}}, "history"),
    ("POST", "search", {"json": {"query_text": "x", "web": True}}, "no search of the web"),
    ("POST", "ask", {"json": {"query_text": "x", "web": True}}, "no search of the web"),
    ("POST", "ask", {"json": {"query_text": "x", "seconds": 0}}, "seconds"),
    ("POST", "search", {"content": b'{"query_text": "x", "documents": ["\\ud800"]}'}, "half"),
]


@pytest.mark.parametrize(("method", "path", "sent", "words"), WRONG)
def test_what_is_wrong_is_said(
    base: httpx.Client, method: str, path: str, sent: dict[str, Any], words: str
) -> None:
    if b"query_text" in sent.get("content", b""):
        sent = {**sent, "headers": {"Content-Type": "application/json"}}
    answer = base.request(method, f"{BASE}/{path}", **sent)
    assert answer.status_code in (404, 422), answer.text
    assert words in answer.json()["detail"]
    assert [one["address"] for one in base.get(DOCUMENTS).json()["documents"]] == ["docs/手册.md"]


def test_a_write_that_is_sent_twice_is_done_once_and_keeps_no_text(
    client: httpx.Client, served: Served
) -> None:
    def sent(key: str, content: str, name: str = "秘密计划.md") -> httpx.Response:
        headers = {"Idempotency-Key": key}
        return client.post(DOCUMENTS, params={"name": name}, content=content, headers=headers)

    first, again = sent("k1", GUIDE), sent("k1", GUIDE)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == {**first.json(), "address": ""}  # no name is kept beside the store
    assert first.json()["fate"] == "added"
    assert sent("k1", GUIDE + "more").status_code == 409
    assert sent("k1", GUIDE, name="other.md").status_code == 409
    entry = {"question": "谁是间谍？", "answers": ["保密"]}
    for _ in range(2):
        client.post(FAQ, json=entry, headers={"Idempotency-Key": "k2"})
    bad = "question,answers\n绝密代号,\n绝密代号,\n"
    for _ in range(2):
        told = client.post(f"{FAQ}/import", content=bad, headers={"Idempotency-Key": "k3"})
    assert told.json()["failed"] == [{"place": 2, "why": ""}, {"place": 3, "why": ""}]
    with served.reception._file.write() as rows:
        kept = str(rows.execute("SELECT answer FROM idempotency").fetchall())
    assert "added" in kept
    for text in ("秘密", "间谍", "绝密"):
        assert text not in kept


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with served_on(
        tmp_path / "m.db", open_to_all=True, most_bytes=1_000, most_document_bytes=5_000
    ) as served:
        client = served.client()
        fits = client.post(DOCUMENTS, params={"name": "x.md"}, content=b"x " * 2_000)
        assert fits.status_code == 201  # more than other bodies may have
        for content in (b"x" * 5_001, iter([b"x" * 3_000] * 2)):  # and without its length
            answer = client.post(DOCUMENTS, params={"name": "y.md"}, content=content)
            assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
        assert client.post(f"{FAQ}/import", content=b"x" * 1_001).status_code == 413
        assert len(client.get(DOCUMENTS).json()["documents"]) == 1


def test_many_files_at_once(served: Served) -> None:
    """More than there is room for wait, questions do not; the same file twice is there once."""
    client = served.client()

    def send(number: int) -> str:
        name = f"{number % 12}.md"
        text = f"# 第{number % 12}章\n\n" + "speicher 内容 " * 50
        answer = client.post(DOCUMENTS, params={"name": name}, content=text)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    ids = run_at_once(send, range(24))
    assert len(set(ids)) == 12
    listed = client.get(DOCUMENTS).json()["documents"]
    assert sorted(one["id"] for one in listed) == sorted(set(ids))
    assert {one["state"] for one in listed} == {"ready"}


def test_a_card_that_claims_more_than_there_is(base: httpx.Client) -> None:
    """Whoever may write may write one by hand; asking for it must not cost more than it holds."""
    forged = {
        "text": "forged 伪造", "space": "handbook", "kind": "document", "id": "forged",
        "source": "forged.md", "metadata": {"sections": 10**12, "title": "x"},
    }  # fmt: skip
    assert base.post("/v1/memories", json=forged).status_code == 201
    assert base.get(path_of("forged")).json()["parts"] == []
    assert base.get(DOCUMENTS).status_code == 200
    assert base.delete(path_of("forged")).json()["memories"] == 1


def test_a_key_of_another_base_sees_nothing_of_it(served: Served) -> None:
    owner = served.keyed("admin")
    owner.post(DOCUMENTS, params={"name": "秘密.md"}, content=GUIDE)
    owner.post(FAQ, json={"question": "秘密？", "answers": ["secret"], "id": "s"})
    mine = "/v1/knowledge/mine"
    other = served.keyed("read", "write", spaces=["mine"])
    assert other.post(f"{mine}/documents", params={"name": "我的.md"}, content="# 我的").is_success
    document = owner.get(DOCUMENTS).json()["documents"][0]["id"]
    theirs: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "documents", {}), ("GET", "documents/秘密.md", {}),
        ("POST", "documents", {"params": {"name": "秘密.md"}, "content": b"x"}),
        ("DELETE", "documents/秘密.md", {}), ("GET", "faq", {}), ("GET", "faq/s", {}),
        ("POST", "search", {"json": {"query_text": "年假"}}),
        ("POST", "ask", {"json": {"query_text": "年假"}}),
    ]  # fmt: skip
    for method, path, sent in theirs:
        answer = other.request(method, f"{BASE}/{path}", **sent)
        assert answer.status_code == 404, path
        assert "二十五" not in answer.text and "secret" not in answer.text
    through_mine: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", f"documents/{quote(document, safe='')}", {}),
        ("DELETE", f"documents/{quote(document, safe='')}", {}),
        ("POST", "search", {"json": {"query_text": "年假", "knowledge_bases": ["handbook"]}}),
        ("POST", "search", {"json": {"query_text": "年假", "documents": [document]}}),
    ]  # fmt: skip
    for method, path, sent in through_mine:
        answer = other.request(method, f"{mine}/{path}", **sent)
        assert answer.status_code in (404, 422), path
        assert "员工手册" not in answer.text
    sections = [f"{document}.{at:05d}" for at in range(3)]
    history = [{"question": "年假？", "references": sections}]
    leaning = {"query_text": "那个呢？ 年假", "history": history}
    assert "二十五" not in other.post(f"{mine}/search", json=leaning).text
    bases = other.get("/v1/knowledge").json()["knowledge_bases"]
    assert bases == [{"name": "mine", "documents": 1, "entries": 0}]
    assert owner.get(DOCUMENTS).json()["documents"][0]["state"] == "ready"


def test_who_may_only_write_is_told_nothing_of_what_is_there(served: Served) -> None:
    writer, both = served.keyed("write"), served.keyed("read", "write")
    for client, notes in ((writer, []), (both, ["named .xyz, read as text"])):
        name = f"{len(notes)}.xyz"
        added = client.post(DOCUMENTS, params={"name": name}, content="正文 text").json()
        assert added["notes"] == notes
    for method, path in (("GET", DOCUMENTS), ("GET", FAQ), ("GET", "/v1/knowledge")):
        assert writer.request(method, path).status_code == 403
    reader = served.keyed("read")
    refused = reader.post(DOCUMENTS, params={"name": "x.txt"}, content=b"x" * 1_000_000)
    assert refused.status_code == 403
    noted = served.reception.audit.list()
    assert [(row.action, row.outcome) for row in noted if row.action == "add_document"] == [
        ("add_document", "forbidden"), ("add_document", "done"), ("add_document", "done"),
    ]  # fmt: skip


@pytest.fixture
def misled(tmp_path: Path) -> Iterator[httpx.Client]:
    settings = Settings(store=str(tmp_path / "m.db"), embedder="hashing", web_search="json")
    with served_on(tmp_path / "m.db", settings=settings, open_to_all=True) as served:
        yield served.client()


def test_what_is_set_for_the_web_is_nobody_elses(misled: httpx.Client) -> None:
    answer = misled.post(f"{BASE}/search", json={"query_text": "x", "web": True})
    assert answer.status_code == 422
    assert "not set up rightly" in answer.json()["detail"]
    put = misled.put(
        "/v1/settings", json={"name": "web_endpoint", "value": "http://169.254.169.254"}
    )
    assert put.status_code == 422


def test_the_web_is_asked_where_it_is_set_and_leads_nowhere_inside(tmp_path: Path) -> None:
    """The search is where the settings say; a page that it names on this machine is not fetched,
    and who may only read makes no space by asking."""
    with a_site() as site:
        site.publish("/inside", html("<p>末班车 last train</p>"), host="127.0.0.1")
        settings = Settings(
            store=str(tmp_path / "m.db"),
            embedder="hashing",
            web_search="searxng",
            web_endpoint=site.address,
        )
        with served_on(tmp_path / "m.db", settings=settings, per_minute=1_000) as served:
            owner, reader = served.keyed("admin"), served.keyed("read")
            owner.post(DOCUMENTS, params={"name": "手册.md"}, content=GUIDE)
            asked = {"query_text": "离职 notice period", "web": True, "explain": True}
            answer = reader.post(f"{BASE}/search", json=asked).json()
            (request,) = site.requests
            assert request.path.startswith("/search?"), "a page was fetched"
            assert "三个月" in texts(answer)
            assert answer["status"] == "degraded"
            nowhere = reader.post("/v1/knowledge/new/ask", json=asked)
            assert (nowhere.status_code, nowhere.json()["code"]) == (404, "unknown_space")
            spaces = {one["name"] for one in reader.get("/v1/spaces").json()["spaces"]}
            assert "new" not in spaces and "handbook" in spaces
