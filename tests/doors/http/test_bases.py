"""Which bases there are, what can be brought there, and who may; what is missing on the server is
said in one way."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import pytest

from tests.doors.http.served import Served
from tests.doors.http.test_ending import running
from tests.knowledge.files_of_tests import pdf

BASE = "/v1/knowledge/手册"
DOCUMENTS, FAQ = f"{BASE}/documents", f"{BASE}/faq"


def test_bases_with_what_they_hold(client: httpx.Client) -> None:
    assert client.get("/v1/knowledge").json()["knowledge_bases"] == []
    client.post("/v1/memories", json={"text": "no base 不是知识库", "space": "notes"})
    for name in ("一.md", "two.md"):
        client.post(DOCUMENTS, params={"name": name}, content=f"# {name}\n\n正文 text")
    client.post(FAQ, json={"question": "怎么退款？", "answers": ["三十天内申请。"]})
    client.post("/v1/knowledge/a-faq/faq", json={"question": "when?", "answers": ["at nine"]})
    told = client.get("/v1/knowledge").json()
    assert told["knowledge_bases"] == [
        {"name": "a-faq", "documents": 0, "entries": 1},
        {"name": "手册", "documents": 2, "entries": 1},
    ]
    assert told["web"] is False
    assert told["largest"] == 32 * 1024 * 1024
    assert {"markdown", "pdf", "docx"} <= set(told["formats"])


@pytest.mark.parametrize("library", ["pypdfium2", "lxml"])
def test_formats_that_the_server_cannot_read_are_not_promised(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    formats = client.get("/v1/knowledge").json()["formats"]
    assert {"markdown", "text", "csv", "docx"} <= set(formats)
    lost = {"pypdfium2": {"pdf"}, "lxml": {"html", "epub"}}[library]
    assert not lost & set(formats)


@pytest.mark.parametrize(
    ("scopes", "spaces"), [(("read",), None), (("read", "write"), ["手册"]), (("admin",), None)]
)
def test_a_key_hears_what_it_may_do(
    served: Served, scopes: tuple[str, ...], spaces: list[str] | None
) -> None:
    told = served.keyed(*scopes, spaces=spaces, name="小美 Mei").get("/v1/caller").json()
    assert (told["name"], told["spaces"]) == ("小美 Mei", spaces)
    assert set(scopes) <= set(told["scopes"])
    assert ("write" in told["scopes"]) == (scopes != ("read",))


def test_where_no_key_is_asked_for_everything_may_be_done(client: httpx.Client) -> None:
    assert {"read", "write", "review", "admin"} <= set(client.get("/v1/caller").json()["scopes"])


def test_without_the_extra_adding_and_replacing_get_the_same_answer(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client.post(DOCUMENTS, params={"name": "合同.md"}, content="# 合同\n\n三个月 three months")
    (tmp_path / "pypdfium2.py").write_text("raise ImportError('not installed')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # of the process that reads files
    file = pdf([[("notice period 离职", 12)]])
    added = client.post(DOCUMENTS, params={"name": "合同.pdf"}, content=file)
    replaced = client.put(f"{DOCUMENTS}/合同.md", content=file)
    for answer in (added, replaced):
        assert (answer.status_code, answer.json()["code"]) == (501, "missing_extra")
        assert "pip install 'bethink[documents]'" in answer.json()["detail"]
    assert [one["address"] for one in client.get(DOCUMENTS).json()["documents"]] == ["合同.md"]
    monkeypatch.delenv("PYTHONPATH")
    assert client.put(f"{DOCUMENTS}/合同.md", content=file).json()["fate"] == "replaced"


@pytest.mark.parametrize(
    ("search", "status", "said"),
    [("none", 422, "no search of the web"), ("searxng", 501, "bethink[web]")],
)
def test_bases_are_shown_by_a_server_that_cannot_search_the_web(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, search: str, status: int, said: str
) -> None:
    (tmp_path / "httpcore.py").write_text("raise ImportError('not installed')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("BETHINK_WEB_SEARCH", search)
    monkeypatch.setenv("BETHINK_WEB_ENDPOINT", "http://127.0.0.1:1")
    with running(tmp_path / "m.db") as server, httpx.Client(base_url=server.address) as client:
        client.post(DOCUMENTS, params={"name": "年假.md"}, content="# 年假 Leave\n\nthirty days")
        bases = client.get("/v1/knowledge")
        assert (bases.status_code, bases.json()["web"]) == (200, search != "none")
        answer = client.post(f"{BASE}/search", json={"query_text": "年假 leave", "web": True})
        assert (answer.status_code, said in answer.json()["detail"]) == (status, True)
