"""bethink keys, tenants, audit; settings of a store and its spaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bethink.access.reception import Reception
from bethink.settings import Settings
from tests.doors.running import Cli


def test_a_key_is_made_listed_used_and_revoked(cli: Cli, tmp_path: Path) -> None:
    made = cli("keys", "create", "小美", "--scope", "read", "--scope", "write", "--space", "项目",
               "--expires", "2099-01-01", "--per-minute", "5", "--trusted")  # fmt: skip
    assert made.code == 0
    key = made.json["key"]
    assert made.json["scopes"] == ["read", "offer", "write"]
    assert made.json["spaces"] == ["项目"]
    with Reception(Settings(store=str(tmp_path / "memory.db"))) as reception:
        caller = reception.caller(key, door="rest")
        assert (caller.name, caller.per_minute, caller.trusted) == ("小美", 5, True)
    listed = cli("keys", "list")
    assert key not in listed.out
    assert key.rsplit("_", 1)[1] not in listed.out
    assert json.loads(listed.out)["id"] == made.json["id"]
    told = cli("keys", "list", "--text").out
    assert "may read, offer, write; in 项目; of tenant default; is trusted" in told
    assert cli("keys", "revoke", made.json["id"]).json["revoked_at"]
    assert "REVOKED" in cli("keys", "list", "--text").out
    audited = [json.loads(line)["action"] for line in cli("audit").out.splitlines()]
    assert audited == ["revoke_key", "create_key"]


def test_the_key_is_the_answer_and_what_it_may_is_said_beside_it(cli: Cli) -> None:
    made = cli("keys", "create", "ci", "--scope", "offer", "--text")
    assert made.out.strip().startswith("bk_")
    assert len(made.out.split()) == 1  # so that a script can take it
    assert "only time" in made.err
    assert "may offer; in every space; of tenant default" in made.err


def test_what_is_wrong_is_said_with_what_to_do(cli: Cli) -> None:
    assert cli("keys", "create").code == 2
    assert "--scope" in cli("keys", "create", "ci").error["message"]
    assert cli("keys", "create", "ci", "--scope", "everything").code == 2
    assert cli("keys", "create", "ci", "--scope", "read", "--tenant", "nobody").code == 3
    assert cli("keys", "create", "ci", "--scope", "read", "--expires", "2001-01-01").code == 2
    assert cli("keys", "revoke", "nobody").code == 3
    assert cli("tenants", "create", "../x").code == 2
    assert cli("tenants", "remove", "default", "--yes").code == 2
    nobody = cli("tenants", "remove", "没有", "--yes")
    assert nobody.code == 3
    said = "there is no tenant '没有'; 'bethink tenants list' shows them all"
    assert nobody.error["message"] == said
    assert cli("keys", "list").out == ""


def test_tenants_are_created_listed_and_removed_after_a_question(cli: Cli, tmp_path: Path) -> None:
    assert cli("tenants", "create", "研发部").code == 0
    assert cli("tenants", "create", "研发部").code == 4
    key = cli("keys", "create", "ci", "--scope", "read", "--tenant", "研发部").json
    listed = [json.loads(line) for line in cli("tenants", "list").out.splitlines()]
    assert [one["tenant"] for one in listed] == ["default", "研发部"]
    store = Path(listed[1]["store"])
    assert store.exists()
    unasked = cli("tenants", "remove", "研发部")
    assert unasked.code == 2
    assert "--yes" in unasked.error["message"]
    assert store.exists()
    assert cli("tenants", "remove", "研发部", "--yes").json["revoked"] == [key["id"]]
    assert not store.exists()


def test_the_default_tenant_keeps_its_keys_when_its_removal_is_refused(cli: Cli) -> None:
    cli("keys", "create", "ci", "--scope", "read")
    refused = cli("tenants", "remove", "default", "--yes")
    assert refused.code == 2
    assert "store itself" in refused.error["message"]
    (key,) = [json.loads(line) for line in cli("keys", "list").out.splitlines()]
    assert key["revoked_at"] is None


def test_audit_is_verified_and_a_change_is_an_exit_code(cli: Cli, tmp_path: Path) -> None:
    import apsw

    for name in ("a", "b", "c"):
        cli("keys", "create", name, "--scope", "read")
    whole = cli("audit", "--verify")
    assert (whole.code, whole.json["whole"]) == (0, True)
    assert cli("audit", "--verify", "--head", whole.json["head"]).code == 0
    assert cli("audit", "--verify", "--head", f" {whole.json['head'].upper()}\n").code == 0
    assert cli("audit", "--verify", "--head", "1" * 64).code == 1
    file = apsw.Connection(str(tmp_path / "memory.db.server"))
    file.execute("DROP TRIGGER audit_is_not_changed")
    file.execute("UPDATE audit SET outcome = 'forbidden' WHERE number = 2")
    file.close()
    broken = cli("audit", "--verify")
    assert (broken.code, broken.json["number"]) == (1, 2)
    assert "BROKEN at row 2" in cli("audit", "--verify", "--text").out
    assert len(cli("audit", "--limit", "2").out.splitlines()) == 2


@pytest.mark.parametrize("wrong", ["zzz", "0123", "", "哈希", "g" * 64])
def test_what_is_no_head_is_not_called_a_broken_trail(cli: Cli, wrong: str) -> None:
    for _ in range(2):  # on an empty trail, then on one with a row
        refused = cli("audit", "--verify", "--head", wrong)
        assert refused.code == 2
        assert "64" in refused.error["message"]
        cli("keys", "create", "钥匙", "--scope", "read")


def test_an_empty_trail_says_that_it_is_empty(cli: Cli) -> None:
    whole = cli("audit", "--verify", "--text")
    assert whole.code == 0
    assert "nothing was noted yet" in whole.out
    gone = cli("audit", "--verify", "--head", "1" * 64, "--text")
    assert gone.code == 1  # a hash was noted, so there was a trail
    assert "BROKEN" in gone.out
    assert "empty" in gone.out


def test_settings_of_a_space_are_kept_in_the_store(cli: Cli) -> None:
    for text in ("预算会议改到周五", "预算会议室换了", "预算会议的纪要"):
        cli("remember", text, "--space", "项目")
    assert cli("config", "set", "limit", "2", "--space", "项目").json["limit"]["from"] == "space"
    assert len(cli("recall", "预算会议", "--space", "项目").json["hits"]) == 2
    cli("config", "set", "limit", "1", "--of-store")
    shown = cli("config", "show", "--space", "项目").json
    assert (shown["limit"]["value"], shown["limit"]["from"]) == (2, "space")
    assert cli("config", "get", "limit", "--of-store").json["limit"]["value"] == 1
    assert cli("config", "unset", "limit", "--space", "项目").json["limit"]["from"] == "store"
    assert len(cli("recall", "预算会议", "--space", "项目").json["hits"]) == 1
    for wrong in (
        ("set", "store", "x"), ("set", "limit"), ("set", "limit", "0"), ("get", "store"),
        ("unset",),
    ):  # fmt: skip
        assert cli("config", *wrong, "--space", "项目").code == 2, wrong
    assert cli("config", "set", "trusted", "小美", "--space", "项目").code == 2
    assert cli("config", "set", "trusted", "小美", "--of-store").code == 0
