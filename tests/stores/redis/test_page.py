"""What docs/how-to/redis.md says of Redis, held against one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bethink import Engine
from bethink.settings import Settings
from tests.servers.redis_server import RedisServer

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "redis.md"
SECONDS = {"answer": 60, "answers": 86_400, "erasures": 86_400}


def _used(server: RedisServer, store: Path, address: str) -> list[str]:
    """All that an engine does there: answers, erasing, doctor."""
    settings = Settings(embedder="hashing")
    with Engine(store, hot=address, settings=settings) as engine:
        kept = engine.remember("小美喜欢深色主题 dark theme")
        engine.remember("预算会议改到周五 budget meeting")
        for _ in range(2):
            engine.recall("深色主题 dark", preset="workflow")
        engine.forget(kept.id)
        for _ in range(2):
            engine.recall("预算 budget", preset="workflow")
        assert engine.status().hot.endswith("breaker closed")
        assert all(check.ok for check in engine.doctor())
    return [str(key, "utf-8") for key in server.client().keys("*") if isinstance(key, bytes)]


def test_the_user_that_it_shows_may_do_all_and_is_denied_nothing(
    own_server: RedisServer, tmp_path: Path
) -> None:
    (rules,) = re.findall(r"`(~bethink:\* [^`]+)`", PAGE.read_text("utf-8"))
    ask: Any = own_server.client().execute_command
    ask("ACL", "SETUSER", "memory", "on", ">s3cret", *rules.split())
    address = own_server.address.replace("unix://", "unix://memory:s3cret@")
    assert _used(own_server, tmp_path / "记忆.db", address)
    assert ask("ACL", "LOG") == []


def test_its_keys_expire_as_it_says(own_server: RedisServer, tmp_path: Path) -> None:
    keys = _used(own_server, tmp_path / "记忆.db", own_server.address)
    client: Any = own_server.client()
    kinds = {key.split(":")[2] for key in keys}
    assert kinds <= SECONDS.keys() | {"tried"}
    assert kinds >= {"answer", "answers", "erasures"}
    for key in keys:
        assert 0 < client.ttl(key) <= SECONDS.get(key.split(":")[2], 1)
    for key in keys:
        if key.endswith((":answers", ":erasures")):
            value = b"".join(client.zrange(key, 0, -1)) if "answers" in key else client.get(key)
            assert "预算".encode() not in (value or b"")
