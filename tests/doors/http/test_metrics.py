"""Numbers for Prometheus: by route, status and decision, and never anything of anybody's."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from bethink.access.reception import Reception
from bethink.settings import Settings
from bethink.testing import FakeClock
from tests.doors.http.served import LONG, SUSPICIOUS, Served, served_on
from tests.servers.postgres_server import PostgresServer


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
    got = f"bethink_requests_total[('method', 'GET'), {route}, ('status', '200')]"
    assert seen[got] == 1
    assert seen[got.replace("200", "404")] == 1
    assert seen["bethink_recalls_total[('status', 'answered')]"] == 2
    for decision in ("admitted", "held", "ignored"):
        assert seen[f"bethink_offers_total[('decision', '{decision}')]"] == 1
    assert seen[f"bethink_request_seconds_count[('method', 'GET'), {route}]"] == 2


def test_nothing_of_anybodys_is_in_them(client: httpx.Client) -> None:
    for path in ("/v1/memories/秘密-id", "/secret-path", "/v1/spaces/secret-space"):
        client.get(path)
    client.post("/v1/memories", json={"text": "secret 秘密", "space": "secret-space"})
    client.post("/v1/recall", json={"question": "secret 秘密", "spaces": ["secret-space"]})
    client.request("PROPFIND", "/v1/memories")
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


def test_while_the_database_is_away_a_key_that_held_lately_sees_them_and_nothing_else() -> None:
    clock = FakeClock()
    with PostgresServer.started() as own:
        settings = Settings(store=own.new_database(), embedder="hashing")
        with served_on(Path(), settings=settings, clock=clock) as server:
            watcher, unseen = server.key("read", name="监控"), server.key("read")
            some, gone = server.key("read", spaces=["项目"]), server.key("read")
            brief = server.key("read", expires_at=clock() + timedelta(minutes=5))
            status = {
                key: server.client(key).get("/v1/status").status_code
                for key in (watcher, some, gone, brief)
            }
            assert set(status.values()) == {200}
            server.reception.revoke_key(gone.split("_")[1])

            own.stop("immediate")
            wrong = watcher[:-1] + ("0" if watcher[-1] != "0" else "1")
            seen = {
                key: server.client(key).get("/metrics").status_code
                for key in (watcher, unseen, some, gone, brief, wrong)
            }
            assert seen == {watcher: 200, unseen: 503, some: 403, gone: 503, brief: 200, wrong: 503}
            assert "bethink_requests_total" in server.client(watcher).get("/metrics").text
            assert server.client().get("/metrics").status_code in (401, 503)
            for path in ("/v1/status", "/v1/caller", "/v1/presets", "/metrics/", "/v1/memories"):
                assert server.client(watcher).get(path).status_code == 503, path
            assert server.client(watcher).post("/metrics").status_code == 405
            clock.advance(minutes=6)
            assert server.client(brief).get("/metrics").status_code == 503
            assert server.client(watcher).get("/metrics").status_code == 200
            clock.advance(minutes=60)
            assert server.client(watcher).get("/metrics").status_code == 503


def test_a_key_that_another_process_revoked_is_known_to_be_from_its_next_use(
    tmp_path: Path,
) -> None:
    with served_on(tmp_path / "m.db") as server:
        key = server.key("read")
        assert server.client(key).get("/metrics").status_code == 200
        with Reception(Settings(store=str(tmp_path / "m.db"))) as other:
            other.revoke_key(key.split("_")[1])
        assert server.client(key).get("/metrics").status_code == 401
        assert server.reception.keys.held_lately(key, door="http") is None
