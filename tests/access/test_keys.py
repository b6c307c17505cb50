from __future__ import annotations

import hmac
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bethink.access.caller import Scope
from bethink.access.keys import KeyBook, key_record
from bethink.access.reception import Reception
from bethink.access.server_file import ServerFile
from bethink.errors import Forbidden, InvalidInput, NotFound, Unauthorised
from bethink.settings import Settings
from bethink.testing import FakeClock


def test_a_key_is_shown_once_and_nothing_of_its_secret_is_kept(
    reception: Reception, tmp_path: Path
) -> None:
    made = reception.keys.create(name="小美 laptop", scopes=["write"], spaces=["项目", "work"])
    assert re.fullmatch(r"bk_[0-9a-f]{16}_[0-9a-f]{64}", made.key)
    secret = made.key.rsplit("_", 1)[1]
    assert secret not in repr(made)
    assert secret not in repr(key_record(made.record))
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file
            assert bytes.fromhex(secret) not in file.read_bytes(), file
    assert (tmp_path / "m.db.server").stat().st_mode & 0o077 == 0
    found = reception.caller(made.key, door="mcp")
    assert (found.name, found.tenant, found.door) == ("小美 laptop", "default", "mcp")
    assert found.scopes == {Scope.WRITE, Scope.OFFER}
    assert found.spaces == ("项目", "work")
    assert found.key_id == made.record.id
    assert not found.trusted
    with pytest.raises(Forbidden, match="review"):
        found.needs(Scope.REVIEW)


def test_all_that_is_refused_is_refused_alike(reception: Reception, clock: FakeClock) -> None:
    good = reception.keys.create(name="a", scopes=["read"])
    revoked = reception.keys.create(name="b", scopes=["read"])
    reception.keys.revoke(revoked.record.id)
    expired = reception.keys.create(
        name="c", scopes=["read"], expires_at=clock() + timedelta(days=1)
    )
    assert reception.caller(expired.key, door="rest").name == "c"
    clock.advance(days=1)
    unknown = f"bk_{'1' * 16}_{'2' * 64}"
    wrong = good.key[:-1] + ("0" if good.key[-1] != "0" else "1")
    swapped = f"bk_{good.record.id}_{revoked.key.rsplit('_', 1)[1]}"
    malformed = [
        "", "bk_", good.key.upper(), good.key + "0", " " + good.key, good.key + "\n",
        good.key[3:], "密钥", "bk_" + "é" * 16 + "_" + "0" * 64, "x" * 100_000,
    ]  # fmt: skip
    said = set()
    for key in [revoked.key, expired.key, unknown, wrong, swapped, *malformed]:
        with pytest.raises(Unauthorised) as refused:
            reception.caller(key, door="rest")
        said.add(str(refused.value))
    assert len(said) == 1
    assert reception.caller(good.key, door="rest").name == "a"


def test_each_refusal_does_the_same_work(
    reception: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = reception.keys.create(name="a", scopes=["read"])
    revoked = reception.keys.create(name="b", scopes=["read"])
    reception.keys.revoke(revoked.record.id)
    compared: list[tuple[int, int]] = []
    honestly = hmac.compare_digest

    def compare(a: Any, b: Any) -> bool:
        compared.append((len(a), len(b)))
        return honestly(a, b)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    for key in (good.key, revoked.key, f"bk_{'1' * 16}_{'2' * 64}", "nonsense", ""):
        reception.keys.record_of(key)
    assert compared == [(32, 32)] * 5


@pytest.mark.parametrize(
    "options",
    [
        {"name": ""},
        {"name": " ci"},
        {"name": "a,b"},
        {"name": "a\nb"},
        {"name": "the rules"},
        {"name": "x" * 101},
        {"name": 7},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"scopes": "read"},
        {"spaces": []},
        {"spaces": "work"},
        {"spaces": ["no such name!"]},
        {"tenant": "../default"},
        {"per_minute": 0},
        {"per_minute": True},
        {"per_minute": 1.5},
        {"expires_at": "yesterday"},
        {"expires_at": "2001-01-01"},
    ],
)
def test_bad_keys_are_not_made(reception: Reception, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        reception.keys.create(**{"name": "ci", "scopes": ["read"], **options})
    assert not reception.keys.any()
    assert reception.keys.list() == []


def test_list_and_revoke(reception: Reception, clock: FakeClock) -> None:
    reception.create_tenant("acme")
    assert not reception.keys.any()
    first = reception.create_key(name="first", scopes=["read"]).record
    clock.advance(seconds=1)
    second = reception.create_key(name="二", scopes=["admin"], tenant="acme", trusted=True).record
    assert reception.keys.any()
    assert [one.id for one in reception.keys.list()] == [first.id, second.id]
    assert [one.name for one in reception.keys.list("acme")] == ["二"]
    assert reception.keys.list("nobody") == []
    assert second.scopes == tuple(Scope)
    at = clock.advance(hours=1)
    assert reception.revoke_key(first.id).revoked_at == at
    clock.advance(hours=1)
    assert reception.revoke_key(first.id).revoked_at == at  # revoked twice is revoked
    with pytest.raises(NotFound):
        reception.revoke_key("nobody")
    with pytest.raises(NotFound, match="tenants create"):
        reception.create_key(name="x", scopes=["read"], tenant="nobody")


def test_when_a_key_was_used_is_known_to_the_hour_and_reading_does_not_write(
    reception: Reception, clock: FakeClock, tmp_path: Path
) -> None:
    made = reception.keys.create(name="ci", scopes=["read"])
    assert made.record.last_used_at is None
    first = clock.advance(minutes=1)
    reception.caller(made.key, door="rest")
    log = tmp_path / "m.db.server-wal"
    before = log.stat().st_size
    for _ in range(50):
        clock.advance(minutes=1)
        reception.caller(made.key, door="rest")
    assert log.stat().st_size == before
    assert reception.keys.list()[0].last_used_at == first
    later = clock.advance(minutes=30)
    reception.caller(made.key, door="rest")
    assert reception.keys.list()[0].last_used_at == later


_REVOKE = """
import sys
from pathlib import Path
from bethink.access.keys import KeyBook
from bethink.access.server_file import ServerFile
file = ServerFile(Path(sys.argv[1]))
KeyBook(file).revoke(sys.argv[2])
file.close()
"""


def test_what_another_process_revokes_is_refused_at_once(settings: Settings) -> None:
    with Reception(settings) as reception:
        made = reception.create_key(name="ci", scopes=["read"])
        for _ in range(3):
            who = reception.caller(made.key, door="rest")
        assert reception.still_in(who)
        subprocess.run(
            [sys.executable, "-c", _REVOKE, settings.store, made.record.id], check=True, timeout=60
        )
        with pytest.raises(Unauthorised):
            reception.caller(made.key, door="rest")
        assert not reception.still_in(who)


def test_nobody_comes_in_without_a_key_unless_it_is_open(
    reception: Reception, settings: Settings
) -> None:
    with pytest.raises(Unauthorised, match="keys create"):
        reception.caller(None, door="rest")
    with Reception(settings, open_to_all=True) as open_to_all:
        local = open_to_all.caller(None, door="mcp")
        assert (local.tenant, local.key_id, local.trusted) == ("default", "", False)
        assert local.scopes == frozenset(Scope)
        assert open_to_all.still_in(local)
        assert not reception.still_in(local)
        with pytest.raises(Unauthorised):  # a key that is given is looked at all the same
            open_to_all.caller("bk_wrong", door="rest")


def test_before_anything_is_written_there_is_no_file(settings: Settings, tmp_path: Path) -> None:
    file = ServerFile(Path(settings.store))
    book = KeyBook(file)
    assert not book.any()
    with pytest.raises(Unauthorised):
        book.caller(f"bk_{'1' * 16}_{'2' * 64}", door="rest")
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_a_look_that_ends_after_the_key_was_revoked_lets_nobody_in(
    reception: Reception, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = reception.create_key(name="小美", scopes=["read"])
    keys = reception.keys
    look = keys._file.ask

    @contextmanager
    def revoked_meanwhile() -> Iterator[Any]:
        with look() as rows:
            yield rows
        keys.revoke(made.record.id)

    monkeypatch.setattr(keys._file, "ask", revoked_meanwhile)
    assert keys.record_of(made.key) is not None  # as it was when it was looked at
    assert keys.held_lately(made.key, door="rest") is None
