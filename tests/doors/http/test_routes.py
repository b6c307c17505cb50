"""Every route does what its verb does, in both languages. The client checks each answer against the
documented form."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import apsw
import httpx
import pytest

import bethink
from tests.doors.http.served import LONG, SUSPICIOUS, Served

TOLD = ("Mei prefers dark mode", "小美喜欢深色主题", "偏好 dark mode 的是小美")


def remembered(client: httpx.Client, text: str, **fields: object) -> str:
    answer = client.post("/v1/memories", json={"text": text, **fields})
    assert answer.status_code == 201, answer.text
    found: str = answer.json()["id"]
    return found


@pytest.mark.parametrize("text", TOLD)
def test_told_and_asked(client: httpx.Client, text: str) -> None:
    told = client.post("/v1/memories", json={"text": text, "kind": "preference", "tags": ["界面"]})
    assert (told.status_code, told.json()["action"]) == (201, "created")
    asked = client.post("/v1/recall", json={"question": text, "explain": True, "limit": 3}).json()
    assert asked["status"] == "answered"
    assert [hit["text"] for hit in asked["hits"]] == [text]
    assert asked["hits"][0]["tags"] == ["界面"]
    assert asked["trace"]["steps"]
    by_link = client.get("/v1/recall", params={"q": text, "limit": 3}).json()
    assert [hit["id"] for hit in by_link["hits"]] == [told.json()["id"]]
    assert "trace" not in by_link
    context = client.post("/v1/context", json={"question": text, "language": "zh"}).json()
    assert text in context["text"]
    assert context["ids"] == [told.json()["id"]]
    by_preset = client.post("/v1/context", json={"question": text, "preset": "workflow"}).json()
    assert by_preset["text"].startswith("## 历史上下文\n")  # the preset's own language


@pytest.mark.parametrize("text", TOLD)
def test_search_answers_with_the_fields_of_a_search_response(
    client: httpx.Client, text: str
) -> None:
    fields = {"kind": "preference", "source": "notes/ui.md", "section": "界面 UI"}
    told = remembered(client, text, **fields)
    client.post(f"/v1/memories/{told}/reinforce", json={})
    recalled = client.post("/v1/recall", json={"question": text}).json()
    answer = client.post("/v1/search", json={"question": text, "limit": 3, "budget": 200}).json()
    assert answer == {
        "results": [
            {
                "chunk_id": f"{told}#0",
                "uri": "notes/ui.md",
                "content": text,
                "score": recalled["hits"][0]["score"],
                "memory_type": "preference",
                "section": "界面 UI",
                "reinforcement": 1,
                "token_count": recalled["hits"][0]["tokens"],
            }
        ],
        "total_tokens": recalled["tokens_used"],
        "budget_remaining": 200 - recalled["tokens_used"],
        "status": "answered",
        "reasons": [],
    }


def test_a_search_result_says_that_nobody_has_reviewed_it(client: httpx.Client) -> None:
    assert client.post("/v1/offers", json={"text": LONG, "confidence": 0.9}).status_code == 201
    results = client.post("/v1/search", json={"question": LONG, "preset": "workflow"}).json()
    assert [one["verified"] for one in results["results"]] == [False]


def test_an_empty_search_says_its_status(client: httpx.Client) -> None:
    answer = client.post("/v1/search", json={"question": "量子计算 quantum computing"}).json()
    assert (answer["results"], answer["total_tokens"]) == ([], 0)
    assert answer["status"] == "empty"


def test_told_again_it_is_counted(client: httpx.Client) -> None:
    first = client.post("/v1/memories", json={"text": "预算会议改到周五"}).json()
    again = client.post("/v1/memories", json={"text": "预算会议改到周五"}).json()
    assert (again["action"], again["id"]) == ("reinforced", first["id"])


def test_get_revise_reinforce_history_forget(client: httpx.Client) -> None:
    memory_id = remembered(client, "预算会议在周四", space="工作", metadata={"谁": ["小美", 1]})
    path = f"/v1/memories/{memory_id}"
    got = client.get(path).json()
    assert (got["text"], got["space"], got["metadata"]) == (
        "预算会议在周四",
        "工作",
        {"谁": ["小美", 1]},
    )
    revised = client.patch(path, json={"text": "The budget meeting moved to Friday 周五"}).json()
    assert revised["action"] == "revised"
    assert client.post(f"{path}/reinforce", json={"times": 2}).json()["action"] == "reinforced"
    history = client.get(f"{path}/history").json()
    assert history["memory"]["text"] == "The budget meeting moved to Friday 周五"
    assert [former["text"] for former in history["history"]] == ["预算会议在周四"]
    assert client.delete(path).json()["action"] == "forgotten"
    assert client.get(path).status_code == 404
    assert client.delete(path).status_code == 404


def test_a_batch_is_written_whole_or_not_at_all(client: httpx.Client) -> None:
    bad = [{"text": "甲方要 Excel"}, {"text": "  "}]
    assert client.post("/v1/memories/batch", json={"memories": bad}).status_code == 422
    assert client.get("/v1/memories").json()["memories"] == []
    good = [{"text": "甲方要 Excel"}, {"text": "B wants PDF", "space": "乙"}]
    receipts = client.post("/v1/memories/batch", json={"memories": good}).json()["receipts"]
    assert [receipt["space"] for receipt in receipts] == ["global", "乙"]


def test_a_newer_memory_takes_the_place_of_an_older(client: httpx.Client) -> None:
    older = remembered(client, "The office is in Berlin")
    newer = remembered(client, "办公室搬到了上海", supersedes=older)
    succession = client.get(f"/v1/memories/{newer}/history").json()["succession"]
    assert [memory["id"] for memory in succession] == [older, newer]


def test_why_not_says_where_it_was_lost(client: httpx.Client) -> None:
    memory_id = remembered(client, "小美喜欢茶 Mei likes tea")
    why = client.post(
        f"/v1/memories/{memory_id}/why-not", json={"question": "zebra", "meaning": False}
    ).json()
    assert why["memory_id"] == memory_id
    assert why["outcome"] != "hit"
    assert why["reason"]


def test_lists_are_filtered(client: httpx.Client) -> None:
    remembered(client, "决定用 SQLite", kind="decision", space="工作")
    remembered(client, "Tea is nice", kind="preference", space="工作")
    found = client.get(
        "/v1/memories", params={"space": "工作", "where": json.dumps({"kind": "decision"})}
    ).json()["memories"]
    assert [memory["text"] for memory in found] == ["决定用 SQLite"]


def test_spaces_are_listed_and_forgotten(client: httpx.Client) -> None:
    remembered(client, "甲", space="项目/甲")
    remembered(client, "B", space="team-b")
    names = [space["name"] for space in client.get("/v1/spaces").json()["spaces"]]
    assert {"team-b", "项目/甲"} <= set(names)
    gone = client.delete(f"/v1/spaces/{quote('项目/甲', safe='')}").json()
    assert gone == {"space": "项目/甲", "forgotten": 1}
    left = [space["name"] for space in client.get("/v1/spaces").json()["spaces"]]
    assert left == [name for name in names if name != "项目/甲"]


def test_an_offer_is_filtered_promoted_and_taken_back(client: httpx.Client) -> None:
    made = client.post("/v1/offers", json={"text": LONG, "source": "会议纪要"})
    assert (made.status_code, made.json()["decision"]) == (201, "admitted")
    offer_id = made.json()["id"]
    assert [m["id"] for m in client.get("/v1/working").json()["memories"]] == [offer_id]
    assert client.get("/v1/digest").json()["waiting"] == 1
    receipts = client.post(
        "/v1/offers/promote", json={"ids": [offer_id], "reason": "与小美确认 confirmed"}
    ).json()["receipts"]
    assert len(receipts) == 1
    shown = client.get(f"/v1/offers/{offer_id}").json()
    assert shown["decision"] == "promoted"
    assert [r["decision"] for r in shown["rulings"]] == ["admitted", "promoted"]
    assert client.post(f"/v1/offers/{offer_id}/undo").json()["decision"] == "admitted"
    rejected = client.post("/v1/offers/reject", json={"ids": [offer_id]}).json()["offers"]
    assert rejected[0]["decision"] == "rejected"
    restored = client.post("/v1/offers/restore", json={"ids": [offer_id]}).json()["offers"]
    assert restored[0]["decision"] == "admitted"


def test_what_is_suspicious_is_held_and_nobody_finds_it(client: httpx.Client) -> None:
    assert client.post("/v1/offers", json={"text": SUSPICIOUS}).json()["decision"] == "held"
    assert client.get("/v1/offers", params={"decision": "held"}).json()["offers"]
    assert client.get("/v1/offers", params={"decision": "promoted"}).json()["offers"] == []
    asked = client.post("/v1/recall", json={"question": SUSPICIOUS}).json()
    assert asked["hits"] == []


def test_a_source_is_looked_at_and_rolled_back(client: httpx.Client) -> None:
    offer_id = client.post("/v1/offers", json={"text": LONG, "source": "网页 A"}).json()["id"]
    derived = client.post(
        "/v1/offers", json={"text": f"Summary 摘要: {LONG}", "parents": [offer_id]}
    ).json()["id"]
    found = client.get("/v1/sources", params={"source": "网页 A"}).json()
    assert [offer["id"] for offer in found["offers"]] == [offer_id]
    assert [offer["id"] for offer in found["derived"]] == [derived]
    done = client.post("/v1/rollback", json={"source": "网页 A"}).json()
    assert done["rejected"] == 2
    assert client.get("/v1/working").json()["memories"] == []


def test_a_digest_is_applied(client: httpx.Client) -> None:
    for source in ("甲", "B", "丙"):
        client.post("/v1/offers", json={"text": LONG, "source": source})
    assert isinstance(client.post("/v1/digest/apply", json={}).json()["receipts"], list)


def test_events_are_replayed(client: httpx.Client) -> None:
    client.post("/v1/offers", json={"text": LONG})
    client.post("/v1/recall", json={"question": "预算 budget"})
    both = client.get("/v1/events").json()
    assert {event["kind"] for event in both["events"]} == {"tier_change", "retrieval_trace"}
    one = client.get("/v1/events", params={"kind": "tier_change", "limit": 1}).json()
    assert [event["kind"] for event in one["events"]] == ["tier_change"]
    assert client.get("/v1/events", params={"after": both["last"]}).json()["events"] == []


def test_status_doctor_reindex_presets(client: httpx.Client) -> None:
    remembered(client, "小美 Mei")
    assert client.get("/v1/status").json()["memories"] == 1
    assert all(check["ok"] for check in client.get("/v1/doctor").json()["checks"])
    assert client.post("/v1/reindex", json={}).json()["embedded"] == 0
    assert client.post("/v1/reindex", json={"force": True}).json()["embedded"] >= 1
    assert "balanced" in [p["name"] for p in client.get("/v1/presets").json()["presets"]]


def test_settings_of_a_space(client: httpx.Client) -> None:
    remembered(client, "甲", space="项目")
    put = client.put("/v1/settings", json={"name": "floor", "value": 0.4, "space": "项目"}).json()
    assert put["settings"]["floor"] == {"value": 0.4, "origin": "space"}
    assert client.get("/v1/settings").json()["settings"]["floor"]["origin"] == "settings"
    back = client.put("/v1/settings", json={"name": "floor", "value": None, "space": "项目"})
    assert back.json()["settings"]["floor"]["origin"] == "settings"


def test_export_and_import_lose_nothing(client: httpx.Client, keyed: Served) -> None:
    memory_id = remembered(client, "预算在周四", id="会议/一", tags=["预算"])
    client.patch(f"/v1/memories/{quote(memory_id, safe='')}", json={"text": "预算在周五 Friday"})
    remembered(client, "B wants PDF", space="乙")
    exported = client.get("/v1/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert {line["text"] for line in lines} == {"预算在周五 Friday", "B wants PDF"}
    only = client.get("/v1/export", params={"space": "乙"})
    assert [json.loads(line)["space"] for line in only.text.splitlines()] == ["乙"]
    elsewhere = keyed.keyed("admin")
    taken = elsewhere.post("/v1/import", content=exported.content).json()
    assert taken["fates"] == {"created": 2}
    assert elsewhere.get("/v1/export").text == exported.text
    assert elsewhere.post("/v1/import", content=exported.content).json()["fates"].keys() == {
        "unchanged"
    }


def test_a_large_export_comes_in_pieces_and_whole(client: httpx.Client) -> None:
    memories = [
        {"text": f"第{number}条 note number {number} " + "长" * 300} for number in range(700)
    ]
    assert client.post("/v1/memories/batch", json={"memories": memories}).status_code == 201
    with client.stream("GET", "/v1/export") as answer:
        pieces = list(answer.iter_raw())
    lines = b"".join(pieces).splitlines()
    assert len(pieces) > 2
    assert {json.loads(line)["text"] for line in lines} == {m["text"] for m in memories}


@pytest.mark.parametrize("text", TOLD)
def test_a_list_and_an_export_say_what_is_damaged(
    client: httpx.Client, tmp_path: Path, text: str
) -> None:
    lost, kept = remembered(client, text), remembered(client, "留下 kept")
    assert client.get("/v1/export").headers["Damaged-Memories"] == "0"
    db = apsw.Connection(str(tmp_path / "m.db"))
    db.execute("UPDATE memories SET text = text || '.' WHERE id = ?", (lost,))
    db.close()

    listed = client.get("/v1/memories").json()
    assert [memory["id"] for memory in listed["memories"]] == [kept]
    assert listed["damaged"] == [lost]
    assert listed["reasons"] == [f"a damaged memory was left out: {lost}; run 'bethink doctor'"]
    exported = client.get("/v1/export")
    assert exported.headers["Damaged-Memories"] == "1"
    assert [json.loads(line)["id"] for line in exported.content.splitlines()] == [kept]
    assert client.delete(f"/v1/memories/{lost}").status_code == 200
    assert client.get("/v1/memories").json()["damaged"] == []


def test_damage_in_a_space_that_a_key_does_not_see_does_not_exist_for_it(
    keyed: Served, tmp_path: Path
) -> None:
    theirs = keyed.keyed("admin", "read", "write")
    remembered(theirs, "mine 我的", space="mine")
    lost = remembered(theirs, "theirs 他们的", space="theirs")
    db = apsw.Connection(str(tmp_path / "keyed.db"))
    db.execute("UPDATE memories SET text = text || '.' WHERE id = ?", (lost,))
    db.close()
    mine = keyed.keyed("admin", "read", "write", spaces=["mine"])
    assert mine.get(f"/v1/memories/{lost}").status_code == 404
    assert mine.delete(f"/v1/memories/{lost}").status_code == 404
    assert mine.get("/v1/memories").json()["damaged"] == []
    assert mine.get("/v1/export").headers["Damaged-Memories"] == "0"
    assert theirs.get(f"/v1/memories/{lost}").status_code == 503
    assert theirs.delete(f"/v1/memories/{lost}").status_code == 200


def test_health_and_version_need_no_key(keyed: Served) -> None:
    client = keyed.client()
    assert client.get("/health/live").json() == {"status": "alive"}
    assert client.get("/health/ready").json() == {"status": "ready"}
    assert client.get("/version").json()["version"] == bethink.__version__
    assert client.get("/docs").status_code == 200
    assert client.get("/openapi.json").json()["info"]["title"] == "Bethink"
