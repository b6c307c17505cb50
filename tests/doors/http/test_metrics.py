"""Numbers for Prometheus: by route, status and decision, and never anything of anybody's."""

from __future__ import annotations

from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.doors.http.served import LONG, SUSPICIOUS, Served, served_on


def numbers(client: httpx.Client) -> dict[str, float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_what_is_counted(client: httpx.Client) -> None:
    memory_id = client.post("/v1/memories", json={"text": "预算会议 budget"}).json()["id"]
    client.get(f"/v1/memories/{memory_id}")
    client.get("/v1/memories/没有")
    client.post("/v1/recall", json={"question": "预算会议 budget"})
    client.get("/v1/recall", params={"q": "预算会议 budget"})
    client.post("/v1/offers", json={"text": LONG})
    client.post("/v1/offers", json={"text": SUSPICIOUS})
    client.post("/v1/offers", json={"text": "嗯"})
    seen = numbers(client)
    route = "('route', '/v1/memories/{memory_id}')"
    got = f"recollect_requests_total[('method', 'GET'), {route}, ('status', '200')]"
    assert seen[got] == 1
    assert seen[got.replace("200", "404")] == 1
    assert seen["recollect_recalls_total[('status', 'answered')]"] == 2
    for decision in ("admitted", "held", "ignored"):
        assert seen[f"recollect_offers_total[('decision', '{decision}')]"] == 1
    assert seen[f"recollect_request_seconds_count[('method', 'GET'), {route}]"] == 2


def test_nothing_of_anybodys_is_in_them(client: httpx.Client) -> None:
    for path in ("/v1/memories/秘密-id", "/secret-path", "/v1/spaces/secret-space"):
        client.get(path)
    client.post("/v1/memories", json={"text": "secret 秘密", "space": "secret-space"})
    client.post("/v1/recall", json={"question": "secret 秘密", "spaces": ["secret-space"]})
    client.request("SECRET", "/v1/memories")
    page = client.get("/metrics").text
    assert "secret" not in page.lower()
    assert "秘密" not in page
    assert 'method="other"' in page


def test_they_are_for_whoever_runs_the_server(keyed: Served) -> None:
    keyed.reception.create_tenant("other")
    assert keyed.client().get("/metrics").status_code == 401
    assert keyed.keyed("read").get("/metrics").status_code == 200
    assert keyed.keyed("offer").get("/metrics").status_code == 403
    assert keyed.keyed("admin", spaces=["甲"]).get("/metrics").status_code == 403
    assert keyed.keyed("admin", tenant="other").get("/metrics").status_code == 403


def test_ready_is_not_alive(tmp_path: Path) -> None:
    with served_on(tmp_path / "m.db", open_to_all=True) as served:
        client = served.client()
        assert client.get("/health/ready").status_code == 200
        (tmp_path / "m.db").write_bytes(b"no store " * 1000)
        (tmp_path / "m.db-wal").unlink(missing_ok=True)
        served.reception.tenants.close()
        answer = client.get("/health/ready")
        assert answer.status_code == 503
        assert str(tmp_path) not in answer.text
        assert client.get("/health/live").status_code == 200
