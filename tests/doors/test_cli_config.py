"""Settings at the command line: what is set is kept as it is meant, and no password is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from bethink.settings import load
from tests.doors.running import Cli

SECRET = "s3cret-开门"


@pytest.fixture(autouse=True)
def from_the_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was set is what holds: no variable says otherwise."""
    monkeypatch.delenv("BETHINK_STORE")


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("store", f"postgresql://mei:{SECRET}@h:5432/记忆", "postgresql://mei@h:5432/记忆"),
        ("store", f"postgres://mei:{SECRET}@h/db?m=8", "postgres://mei@h/db?m=8"),
        ("store", f"Postgresql://h/db?password={SECRET}", "postgresql://h/db"),
        ("hot", f"redis://:{SECRET}@h:6390/3", "redis://@h:6390/3"),
        ("hot", f"unix://:{SECRET}@/run/redis.sock", "unix://@/run/redis.sock"),
        ("retrievers", f"qdrant://{SECRET}@h/x", ["qdrant://…@h/x"]),
        ("endpoint", f"https://mei:{SECRET}@h/v1", "https://mei@h/v1"),
        (
            "web_endpoint",
            f"https://h/s?q={{query}}&api_key={SECRET}&n={{limit}}",
            "https://h/s?q={query}&n={limit}",
        ),
    ],
)
def test_an_address_is_kept_and_its_password_is_not_shown(
    cli: Cli, name: str, value: str, shown: str | list[str]
) -> None:
    ran = [cli("config", "set", name, value)]
    kept = getattr(load().settings, name)
    assert kept == ((value,) if name == "retrievers" else value)
    assert cli("config", "get", name).json == {name: shown}
    assert cli("config").json[name]["value"] == shown
    for form in ("--json", "--text"):
        ran += [cli("config", *words, form) for words in ([], ["get", name], ["set", name, value])]
    ran.append(cli("config", "unset", name))
    assert [one.code for one in ran] == [0] * len(ran)
    assert SECRET not in "".join(one.out + one.err for one in ran)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("store", f"postgresql://mei:{SECRET}@h:no-port/db"),
        ("store", f"postgres://mei:{SECRET}@h/db?connections=many"),
        ("store", f"postgresql://mei:{SECRET}@h/db?sslmod=require"),
        ("store", f"postgesql://mei:{SECRET}@h/db"),
        ("hot", f"reddis://:{SECRET}@x"),
        ("hot", f"redis://:{SECRET}@h:6390/zero"),
        ("hot", f"redis://:{SECRET}@h:6390/三"),
        ("hot", f"rediss://:{SECRET}@h:port/0"),
        ("hot", "localhost:6379"),
    ],
)
def test_what_could_not_be_used_is_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    refused = cli("config", "set", name, value)
    assert refused.code == 2
    assert refused.error["message"].endswith("; nothing was written")
    assert not (tmp_path / "config").exists()
    monkeypatch.setenv(f"BETHINK_{name.upper()}", value)
    used = cli("remember", "预算会议 budget meeting")
    assert used.code == 2
    assert SECRET not in refused.out + refused.err + used.out + used.err


def test_a_path_is_made_whole(cli: Cli, tmp_path: Path) -> None:
    cli("config", "set", "store", "记忆.db")
    assert cli("config", "get", "store").json == {"store": str(tmp_path / "记忆.db")}


def test_what_was_done_is_what_is_said(cli: Cli) -> None:
    assert cli("config", "set", "hot", "memory").json["set"] == "hot"
    unset = cli("config", "unset", "hot").json
    assert (unset["unset"], "set" in unset) == ("hot", False)


def test_an_address_in_the_wrong_form_is_not_told(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config/bethink/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'store = ["postgresql://mei:{SECRET}@h/db"]\n', "utf-8")
    ran = cli("config")
    assert ran.code == 2 and "store must be text" in ran.err
    assert SECRET not in ran.err
